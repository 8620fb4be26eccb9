"""What objects look like in a notebook: a part of the page, readable on light and dark, everything escaped.

Each class that is `Shown` has its function here and its macro in notebook.html.j2.
"""

from __future__ import annotations

import math
from functools import singledispatch

import numpy as np

from geopriv.answers.answers import Answer, Answers
from geopriv.answers.estimates import Estimate, Estimates
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.pages.asked import asked_sentences
from geopriv.pages.colours import colour_bar, picture
from geopriv.pages.density_map import DENSITY, Panel
from geopriv.pages.distribution import Plot, has_errors, plot
from geopriv.pages.forms import form_of
from geopriv.pages.groups import group_sentences, group_tables
from geopriv.pages.numbers import Axis, linear_axis
from geopriv.pages.page import rejected_words, sections_of, template
from geopriv.pages.scales import LINEAR, Scale
from geopriv.proofs.audits import Audit
from geopriv.queries.questions import Question
from geopriv.spaces.words import plain
from geopriv.surveys.design import Design
from geopriv.surveys.planning import Plan, SurveyPlan


@singledispatch
def notebook_html(thing: object) -> str:
    """What a notebook shows of a thing.

    Raises:
        TypeError: for a thing that nobody has drawn.
    """
    raise TypeError(f"Nobody has drawn a {type(thing).__name__} for notebooks.")


def _html(macro: str, *shown: object) -> str:
    return str(getattr(template("notebook.html.j2").module, macro)(*shown))


@notebook_html.register
def _(estimate: Estimate) -> str:
    """The value, its interval, and whether it is biased."""
    interval = f"{estimate.low:.4g} to {estimate.high:.4g} ({100 * estimate.confidence:g} %)"
    error, n = f"{estimate.standard_error:.2g}", f"{estimate.n:,}"
    return _html("estimate", (f"{estimate.value:.4g}", interval, error, n, _bias(estimate)))


@notebook_html.register
def _(estimates: Estimates) -> str:
    """How large they and their errors are, and a picture without units, which only a question has."""
    if estimates.values.shape == ():
        return notebook_html(estimates[()])
    dimensions = estimates.values.ndim if has_errors(estimates) else 0
    line = _curve(estimates) if dimensions == 1 and len(estimates) > 1 else None
    return _html("estimates", _said(estimates), line, _cells(estimates) if dimensions == 2 else None)


@notebook_html.register
def _(guarantee: Guarantee) -> str:
    """The promise in words, and the factor at some distances."""
    rows: list[tuple[str, str]] = []
    if guarantee.metric == "distance":
        distances = [guarantee.example(loss) for loss in (0.1, 0.3, 1.0, 3.0)]
        near = [distance for distance in distances if distance <= guarantee.radius]
        rows = [(guarantee.apart(distance), guarantee.alike(distance)) for distance in near]
    return _html("guarantee", guarantee, rows)


@notebook_html.register
def _(audit: Audit) -> str:
    """The verdict, the worst ratio and where it was found."""
    verdict = "The promise holds" if audit.passed else "The promise is BROKEN"
    places = ", ".join(np.array2string(np.asarray(place), precision=6, separator=", ") for place in audit.at)
    said = f"Worst ratio {audit.worst_ratio:.6g} of what is promised, at ({places}), among {audit.pairs:,} pairs."
    return _html("audit", verdict, said)


@notebook_html.register
def _(plan: SurveyPlan) -> str:
    """All options, the design's marked; what to expect of each question; the promise."""
    asked = [
        (q.name, f"{len(q.queries):,}", *(spread(q, error) for error in errors))
        for q in plan.survey.questions
        for errors in [(plan.expected(q), plan.worst(q), plan.plain_half_width(q))]
    ]
    bias = f"{plan.largest_bias:.1g}" if plan.largest_bias > 1e-6 else ""
    chosen = plan.plan.options.index(plan.option)
    return _html("survey_plan", plan, _option_rows(plan.plan), chosen, asked, bias)


@notebook_html.register
def _(plan: Plan) -> str:
    """All options, the chosen one marked."""
    return _html("plan", plan, _option_rows(plan), plan.options.index(plan.best))


def spread(question: Question, error: float | None) -> str:
    """An error: of a share in points, of totals and values with their unit; a dash for none."""
    if error is None or not math.isfinite(error):
        return "–"
    scale, unit = form_of(question).scale(question)
    said = float(f"{scale * error:.2g}")
    if question.valued and question.space.ratios:
        return question.space.distance_words(said)
    return f"{plain(said)}{'' if 'point' in unit else unit}"


def _option_rows(plan: Plan) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for option in plan.options:
        bias, share = float(np.abs(option.biases).max()), plan.efficiency(option)
        rows.append(
            (
                option.mechanism,
                option.arrangement,
                f"{'≥ ' if option.bound_only else ''}{option.error:.3g}",
                f"{option.worst_error:.3g}",
                f"{bias:.1g}" if bias > 1e-9 else "none",
                f"{100 * share:.2g} %" if share > 0 else "",
            )
        )
    return rows


@notebook_html.register
def _(design: Design) -> str:
    """What each device runs, what is asked, and the promise."""
    total = sum(design.shares)
    rows = [
        (type(mechanism).__name__, _what(mechanism), f"{100 * share / total:.3g} % of people")
        for mechanism, share in zip(design.mechanisms, design.shares, strict=True)
    ]
    return _html("design", design, rows, [(q.name, q.form, f"{len(q.queries):,}") for q in design.questions])


def _what(mechanism: object) -> str:
    """The query of a table, or the space of a lattice that answers every query."""
    query = getattr(mechanism, "query", None)
    return str(query) if query is not None else f"every smooth query on {getattr(mechanism, 'space', '')}"


@notebook_html.register
def _(answer: Answer) -> str:
    """One question's answer as the page shows it."""
    return _html("answer", sections_of([answer]))


@notebook_html.register
def _(answers: Answers) -> str:
    """All answers of a survey as the page shows them, and what they were made from."""
    groups, asked = (group_tables(answers), group_sentences(answers)), asked_sentences(answers)
    return _html("answers", answers, sections_of(answers.answers), rejected_words(answers), *groups, asked)


def _bias(estimate: Estimate | Estimates) -> str:
    if estimate.unbiased:
        return ""
    return f"biased by at most {estimate.bias:.1g}" if math.isfinite(estimate.bias) else "biased"


def _said(estimates: Estimates) -> str:
    values, errors = estimates.values, estimates.standard_errors
    shape = " × ".join(str(size) for size in values.shape)
    said = (
        f"{shape} estimates from {estimates.n:,} reports, between {values.min():.4g} and {values.max():.4g}; "
        f"standard errors from {errors.min():.2g} to {errors.max():.2g}; intervals of "
        f"{100 * estimates.confidence:g} %, each for itself."
    )
    bias = _bias(estimates)
    return said + (f" They are {bias}." if bias else "")


def _curve(estimates: Estimates) -> Plot:
    bottom, top = _ends(float(estimates.low.min()), float(estimates.high.max()))
    places = np.arange(len(estimates), dtype=np.float64)
    return plot((places, Axis((), "")), (bottom, top, linear_axis(bottom, top, None, 5)), estimates)


def _cells(estimates: Estimates) -> Panel:
    """One cell a pixel: the first axis to the right, the second upwards."""
    values = estimates.values
    bottom, top = _ends(float(values.min()), float(values.max()))
    bar = colour_bar(Scale(LINEAR, bottom, top), DENSITY)
    said = f"A map of {len(values)} by {values.shape[1]} estimates, from {bottom:.3g} (dark) to {top:.3g} (bright)."
    return Panel("", picture(values, bar, np.ones(values.shape, dtype=np.bool_)), bar, "", said)


def _ends(low: float, high: float) -> tuple[float, float]:
    """Of an axis, which has a length even where all numbers are the same."""
    return (low, high) if high > low else (low, low + 1.0)
