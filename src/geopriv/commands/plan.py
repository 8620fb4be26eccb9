"""`geopriv plan`: survey.toml → design.json, with what to expect of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geopriv.commands.expectations import (
    needs_document,
    print_beside,
    print_questions,
    question_documents,
    sweep_document,
)
from geopriv.commands.inputs import read_survey
from geopriv.commands.outputs import require_one_output, require_replaceable, require_same_design
from geopriv.commands.repeated import asked_again, print_repeated, repeated_document, require_rounds, stated_shuffler
from geopriv.commands.streams import PIPED, going_to
from geopriv.commands.talk import QuietOption, Talk, examples
from geopriv.commands.walks import require_alone, run_walk
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.surveys.planning import Option, SurveyPlan
    from geopriv.surveys.planning.targets import Needs, Sweep

EXAMPLES = examples(
    "geopriv plan survey.toml",
    "geopriv plan survey.toml -o - --quiet | geopriv audit -",
    "geopriv plan survey.toml --target 1pt",
    "geopriv plan survey.toml --sweep",
    "geopriv plan survey.toml --rounds 4",
    "geopriv plan survey.toml --neighbours 200 --within '1 km'",
)
_POINT = 0.01
ONE_POINT = "People, ±1: how many make the 95 % interval of every answer, with its bias, at most ± 1 point. "
_UNBIASED = 1e-6  # as `Estimates.unbiased` has it


def plan(
    survey: Annotated[Path, typer.Argument(help="The question: a survey.toml, or -.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the design goes, or -.")] = Path("design.json"),
    target: Annotated[
        str | None,
        typer.Option(help="Also find the people, or the ε, that make every share as exact as this: 1pt, '0.5 points'."),
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Also print errors for other ε and people.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Of the sweep, a PNG file; sweep.png beside the design by default.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="Also say what asking so many times would promise, and its errors, three ways.")
    ] = None,
    neighbours: Annotated[
        int | None,
        typer.Option(help="Also state what a trusted shuffler adds for who has so many honest people --within."),
    ] = None,
    within: Annotated[str | None, typer.Option(help="How near the --neighbours are: '1 km'.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over another design, on which reports may depend.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="An ε is meant at which 1/ε is below 1/10,000 of the public range.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Predict the error of every mechanism for a survey, choose the best that devices can run, and write its design."""
    from rich.markup import escape

    from geopriv.surveys.planning.cautions import require_meant
    from geopriv.surveys.planning.surveys import plan_survey
    from geopriv.surveys.planning.targets import read_target

    piped = str(output) == PIPED
    require_one_output("plan", as_json, piped)
    if not piped:
        require_replaceable(output, "design")
    drawn = _picture(output, sweep, picture)
    wanted = None if target is None else read_target(target)
    talk = Talk(quiet, as_json or piped)
    asked = read_survey(survey)
    require_meant(asked, yes)
    if asked.rounds > 1:
        require_alone(target=target, sweep=sweep, rounds=rounds, neighbours=neighbours, within=within)
        return run_walk(asked, output, talk, as_json=as_json, replace=replace, yes=yes)
    require_rounds(asked, rounds)
    stated = stated_shuffler(asked, neighbours, within)
    with talk.bar() as bar:
        found = plan_survey(asked, told=bar.tell)
        needed, swept = _beside(found, wanted, drawn, bar.tell)
        again = asked_again(found, rounds, bar.tell)
    if not replace and not piped:
        require_same_design(output, found.design)
    with going_to(output, "design.json") as place:
        found.design.write(place)
    if as_json:
        beside: dict[str, Any] = {"target": needed and needs_document(needed), "sweep": swept and sweep_document(swept)}
        beside |= repeated_document(again, stated)
        print(json.dumps(plan_document(found) | beside, indent=2, ensure_ascii=False))
    else:
        print_plan(talk.console, found)
        print_beside(talk.console, found, needed, swept)
        print_repeated(talk.console, found, again, stated)
    if drawn is not None:
        talk.console.print(f"Picture: [bold]{escape(str(drawn))}[/bold]")
    if not piped:
        talk.console.print(f"Design: [bold]{escape(str(output))}[/bold] (hash {found.design.hash[:16]}…)")
    return None


def _picture(output: Path, sweep: bool, picture: Path | None) -> Path | None:
    """Where the picture of a sweep goes; None without a sweep."""
    if picture is not None and not sweep:
        raise invalid("plan", "picture", "given with --sweep, which it shows", str(picture))
    if not sweep:
        return None
    path = output.parent / "sweep.png" if picture is None else picture
    require_replaceable(path, "picture")
    return path


def _beside(
    found: SurveyPlan, wanted: float | None, drawn: Path | None, told: Callable[[str], None]
) -> tuple[Needs | None, Sweep | None]:
    """People and ε for a target, and a sweep whose picture is drawn."""
    from geopriv.pages.sweeps import draw_sweep
    from geopriv.surveys.planning.targets import needs, sweep

    if wanted is not None:
        told("Looking for people and ε" + (", with tables of some ten seconds each…" if found.takes_tables else "…"))
    needed = None if wanted is None else needs(found, wanted)
    swept = None if drawn is None else sweep(found, told)
    if swept is not None and drawn is not None:
        draw_sweep(swept, found.survey.space, drawn)
    return needed, swept


def print_plan(console: Console, found: SurveyPlan) -> None:
    """The promise, the options, and what to expect of each question."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    survey, each = found.survey, f"one report of {found.bits} bits each"
    console.print(
        f"[bold]{escape(survey.name)}[/bold]: {survey.people:,} {survey.counted}, {each}.\n"
        f"Promise: {escape(str(found.design.guarantee))}.",
        highlight=False,
    )
    console.print(distances(found), highlight=False, markup=False)
    options = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for name in ("mechanism", "answers"):
        options.add_column(name, no_wrap=True)
    known = _knows_floors(found)
    one = "people, ±1"  # of soft answers, which are all that other mechanisms are compared by
    for name in ("error", *([] if found.plain else [one]), *(["efficiency"] if known else []), "bias"):
        options.add_column(name, justify="right", no_wrap=True)
    for option in found.plan.options:
        *cells, people, efficiency, bias = _cells(found, option)
        told = [*([] if found.plain else [people]), *([efficiency] if known else []), bias]
        options.add_row(*cells, *told, style="bold" if option is found.option else "")
    console.print(options)
    maps = "; on a map those of up to 32 × 32 of its mean kernels, times 100" if _has_map(found) else ""
    unit = f"percentage points (root mean square over all {_what(found)}{maps})"
    if not found.in_points:
        unit = f"{found.survey.space.distance_unit or 'units'} (root mean square over all means)"
    floors = (
        "Efficiency: of the noise alone, without that people are a sample, a variance below which no unbiased report "
        "can be, as a share of this one's. "
    )
    console.print(
        f"Error: standard error in {unit}, as the page will "
        f"state it. {'' if found.plain else ONE_POINT}{floors if known else ''}"
        "Bias: in points, as expected; of the choice ← a bound, as estimates will state it. * sends real numbers, "
        f"which devices do not.{_only_floors(found)}\n",
        highlight=False,
    )
    print_questions(console, found)
    console.print(f"{found.why}{_wholes(found)}\n", highlight=False, markup=False)


def _only_floors(found: SurveyPlan) -> str:
    """What ≥ means, where the table has one."""
    if not any(option.bound_only for option in found.plan.options):
        return ""
    return " ≥: no better than that, whatever it is compiled to; others are better already, so it was not compiled."


def _knows_floors(found: SurveyPlan) -> bool:
    """Whether any option has an efficiency."""
    return any(found.plan.efficiency(option) > 0 for option in found.plan.options)


def _wholes(found: SurveyPlan) -> str:
    """How near whole maps and distributions are to the best possible; empty where that is not known."""
    from geopriv.surveys.planning.best_possible import whole_shares

    each = "; the table's efficiency is of each value by itself" if _knows_floors(found) else ""
    said = [
        f" Of {name!r} without edges, for people everywhere alike, at least {100 * share:.2g} % of the noise's "
        f"variance is unavoidable (theory T11, of the whole at once{each})."
        for name, share in whole_shares(found.design).items()
    ]
    return "".join(said)


def _what(found: SurveyPlan) -> str:
    """Of what the errors are: quantiles alone are compared by the shares above them."""
    alone = all(question.valued for question in found.survey.questions)
    return "shares above the quantiles that are expected" if alone else "shares"


def distances(found: SurveyPlan) -> str:
    """What ε means for values that are nearer and farther apart."""
    promise = found.design.guarantee
    each = [promise.example(loss) for loss in (0.1, 1.0, 3.0)]
    parts = [f"{promise.apart(distance)}: {promise.alike(distance)}" for distance in each]
    return f"         Factors by distance: {'; '.join(parts)}. Far apart may be told apart, close together not."


def _cells(found: SurveyPlan, option: Option) -> tuple[str, ...]:
    from geopriv.surveys.planning.choice import ON_DEVICES

    efficiency = found.plan.efficiency(option)
    sign = " ←" if option is found.option else "" if option.mechanism in ON_DEVICES else " *"
    least, most = ("≥ ", "≤ ") if option.bound_only else ("", "")
    return (
        option.mechanism + sign,
        option.arrangement,
        least + (_points(found.error(option)) if found.in_points else f"{found.error(option):.3g}"),
        _people(found, option, least),
        f"{most}{100 * efficiency:.2g} %" if efficiency > 0 else "–",
        _bias(found, option),
    )


def _people(found: SurveyPlan, option: Option, least: str) -> str:
    """For ± 1 point; a dash where there are only maps and values, whose answers are no shares."""
    if _no_shares(found):
        return "–"
    people = _people_for_a_point(found, option)
    return "never (bias)" if people is None else f"{least}{people:,}"


def _people_for_a_point(found: SurveyPlan, option: Option) -> int | None:
    """None where bias alone is longer, where there are only maps and values, and where plain answers come first."""
    from geopriv.errors import InvalidParameter

    try:
        return None if found.plain or _no_shares(found) else found.plan.people_for(_POINT, option)
    except InvalidParameter:
        return None


def _has_map(found: SurveyPlan) -> bool:
    from geopriv.pages.forms import form_of

    return any(form_of(question).is_map for question in found.survey.questions)


def _no_shares(found: SurveyPlan) -> bool:
    from geopriv.pages.forms import form_of

    return all(question.valued or form_of(question).is_map for question in found.survey.questions)


def _bias(found: SurveyPlan, option: Option) -> str:
    """What is to be expected; of the choice a bound, since that is what estimates will say."""
    import numpy as np

    if option is found.option:
        return "none" if found.largest_bias <= _UNBIASED else f"≤ {_points(found.largest_bias)}"
    bias = float(np.abs(option.biases).max())
    if option.labelled_biased:
        return f"biased {_points(bias)}" if bias > _UNBIASED else "biased"
    return "none" if bias <= _UNBIASED else _points(bias)


def _points(share: float) -> str:
    """A share in percentage points, without the word."""
    return f"{100 * share:.2g}"


def plan_document(found: SurveyPlan) -> dict[str, Any]:
    """The same, for machines."""
    import numpy as np

    from geopriv.surveys.planning.best_possible import whole_shares
    from geopriv.surveys.planning.crowds import expected_words

    options = [
        {
            "mechanism": option.mechanism,
            "arrangement": option.arrangement,
            "standard_errors": found.standard_errors(option).tolist(),
            "error": found.error(option),
            "biased": option.labelled_biased,
            "expected_bias": float(np.abs(option.biases).max()),
            "only_a_bound": option.bound_only,
            "people_for_one_point": _people_for_a_point(found, option),
            "efficiency": efficiency if (efficiency := found.plan.efficiency(option)) > 0 else None,
            "chosen": option is found.option,
        }
        for option in found.plan.options
    ]
    return {
        "survey": found.survey.name,
        "people": found.survey.people,
        "epsilon": found.survey.epsilon,
        "unit": found.design.guarantee.unit,
        "design": found.design.hash,
        "bits": found.bits,
        "largest_bias": found.largest_bias,
        "why": found.why,
        "whole_efficiency": whole_shares(found.design),
        "expected_of": expected_words(found.survey),
        "warnings": list(found.warnings),
        "questions": question_documents(found),
        "options": options,
        "left_out": found.plan.left_out,
    }
