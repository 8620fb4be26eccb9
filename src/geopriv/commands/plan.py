"""`geopriv plan`: survey.toml → design.json, with what to expect of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geopriv.commands.outputs import require_replaceable

if TYPE_CHECKING:
    from rich.console import Console

    from geopriv.queries.questions import Question
    from geopriv.surveys.planning import Option, SurveyPlan

EXAMPLES = (
    "Examples:\n\n[bold]geopriv plan survey.toml[/bold]\n\n[bold]geopriv plan survey.toml -o design.json --json[/bold]"
)
_POINT = 0.01
_UNBIASED = 1e-6  # as `Estimates.unbiased` has it


def plan(
    survey: Annotated[Path, typer.Argument(help="The question: a survey.toml.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the design goes.")] = Path("design.json"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Predict the error of every mechanism for a survey, choose the best that devices can run, and write its design."""
    from rich.console import Console
    from rich.markup import escape

    from geopriv.surveys import Survey
    from geopriv.surveys.planning import plan as plan_survey

    require_replaceable(output, "design")
    console = Console(stderr=as_json)
    asked = Survey.read(survey)
    with console.status(f"Predicting the errors of {len(asked.queries):,} estimates…"):
        found = plan_survey(asked)
        found.design.write(output)
    if as_json:
        print(json.dumps(plan_document(found), indent=2, ensure_ascii=False))
    else:
        print_plan(console, found)
    console.print(f"Design: [bold]{escape(str(output))}[/bold] (hash {found.design.hash[:16]}…)", highlight=False)


def print_plan(console: Console, found: SurveyPlan) -> None:
    """The promise, the options, and what to expect of each question."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    survey = found.survey
    console.print(
        f"[bold]{escape(survey.name)}[/bold]: {survey.people:,} people, one report of {found.bits} bits each.\n"
        f"Promise: {escape(str(found.design.guarantee))}.",
        highlight=False,
    )
    console.print(distances(found), highlight=False, markup=False)
    options = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for name in ("mechanism", "answers"):
        options.add_column(name, no_wrap=True)
    for name in ("error", "people ±1", "efficiency", "bias"):
        options.add_column(name, justify="right", no_wrap=True)
    for option in found.plan.options:
        options.add_row(*_cells(found, option), style="bold" if option is found.option else "")
    console.print(options)
    maps = "; on a map those of its mean kernels, times 100" if _has_map(found) else ""
    unit = f"percentage points (root mean square over all {_what(found)}{maps})"
    if not found.in_points:
        unit = f"{found.survey.space.distance_unit or 'units'} (root mean square over all means)"
    console.print(
        f"Error: standard error in {unit}, as the page will "
        "state it. People ±1: how many make every 95 % interval, with its bias, at most ± 1 percentage point. "
        "Efficiency: the least variance that any unbiased report could have, as a share of this one's. Bias: in "
        "points, as expected; of the choice ← a bound, as estimates will state it. * sends real numbers, which devices "
        "do not.\n",
        highlight=False,
    )
    questions = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    questions.add_column("question")
    questions.add_column("estimates", justify="right")
    questions.add_column("error, at most", justify="right")
    for question in survey.questions:
        questions.add_row(question.name, f"{len(question.queries):,}", _expected(found, question))
    console.print(questions)
    console.print(f"{found.why}\n", highlight=False, markup=False)


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


def _expected(found: SurveyPlan, question: Question) -> str:
    """The largest standard error: points, or in the unit of the page; of values half of the interval."""
    from geopriv.pages.forms import form_of
    from geopriv.spaces.words import plain

    if question.valued:
        half = float(f"{found.half_width(question):.2g}")
        unit, space = form_of(question).scale(question)[1], question.space
        said = space.distance_words(half) if space.ratios else f"{plain(half)}{unit}"
        return f"± {said} (95 %)"
    scale, unit = form_of(question).scale(question)
    return f"{plain(scale * found.expected(question), 2)}{unit}" if unit else _points(found.expected(question))


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
    """None where bias alone is longer, and where there are only maps and values."""
    from geopriv.errors import InvalidParameter

    try:
        return None if _no_shares(found) else found.people_for(_POINT, option)
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
        "questions": [
            {
                "name": q.name,
                "estimates": len(q.queries),
                "standard_error_at_most": found.expected(q),
                "unit": q.space.distance_unit if q.valued else None,
            }
            for q in found.survey.questions
        ],
        "options": options,
        "left_out": found.plan.left_out,
    }
