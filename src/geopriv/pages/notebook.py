"""What objects look like in a notebook: small HTML of their own, readable on light and dark, everything escaped.

Each class that is `Shown` has its function here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape

import numpy as np

from geopriv.answers.answers import Answer, Answers
from geopriv.answers.estimates import Estimate, Estimates
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.pages import sketches
from geopriv.pages.forms import form_of
from geopriv.pages.share import interval_of
from geopriv.proofs.audits import Audit
from geopriv.surveys.design import Design
from geopriv.surveys.planning import Plan, SurveyPlan

_LINE = "rgba(128,128,128,0.4)"  # seen on white and on black
_CELL = f"padding:0.25em 0.8em 0.25em 0;border-bottom:1px solid {_LINE};vertical-align:top;"


@singledispatch
def notebook_html(thing: object) -> str:
    """What a notebook shows of a thing.

    Raises:
        TypeError: for a thing that nobody has drawn.
    """
    raise TypeError(f"Nobody has drawn a {type(thing).__name__} for notebooks.")


@notebook_html.register
def estimate_html(estimate: Estimate) -> str:
    """The value, its interval, and whether it is biased."""
    return _block("", _table(_HEAD, [_row(estimate)]))


@notebook_html.register
def estimates_html(estimates: Estimates) -> str:
    """A picture of a curve or map, and how large its errors are."""
    if estimates.values.shape == ():
        return estimate_html(estimates[()])
    return _block("", *_summary(estimates))


@notebook_html.register
def guarantee_html(guarantee: Guarantee) -> str:
    """The promise in words, and the factor at some distances."""
    rows: list[Sequence[str]] = []
    if guarantee.metric == "distance":
        distances = [guarantee.example(loss) for loss in (0.1, 0.3, 1.0, 3.0)]
        near = [distance for distance in distances if distance <= guarantee.radius]
        rows = [(guarantee.apart(distance), guarantee.alike(distance)) for distance in near]
    factors = _table(("two values apart by", "look alike up to a factor"), rows) if rows else ""
    return _block("", _text(str(guarantee)), factors, _faint(guarantee.reference))


@notebook_html.register
def audit_html(audit: Audit) -> str:
    """The verdict, the worst ratio and where it was found."""
    verdict = "The promise holds" if audit.passed else "The promise is BROKEN"
    places = ", ".join(np.array2string(np.asarray(place), precision=6, separator=", ") for place in audit.at)
    found = f"Worst ratio {audit.worst_ratio:.6g} of what is promised, at ({places}), among {audit.pairs:,} pairs."
    return _block(f"{verdict}.", _text(found))


@notebook_html.register
def survey_plan_html(found: SurveyPlan) -> str:
    """All options, the design's marked; what to expect of each question; the promise."""
    asked = [
        (question.name, f"{len(question.queries):,}", f"{found.expected(question):.2g}")
        for question in found.survey.questions
    ]
    return _block(
        f"Plan for “{found.survey.name}”",
        _text(str(found.design.guarantee)),
        _table(_OPTIONS, _option_rows(found.plan), found.plan.options.index(found.option)),
        _text(found.why),
        _table(("question", "estimates", "standard error expected, at most"), asked),
        _text(f"Whoever the people are, estimates are biased by at most {found.largest_bias:.1g}.")
        if found.largest_bias > 1e-6
        else "",
    )


_OPTIONS = ("mechanism", "arrangement", "predicted error", "worst query", "expected bias", "efficiency")


@notebook_html.register
def plan_html(plan: Plan) -> str:
    """All options, the chosen one marked."""
    left_out = (f"{name}: {reason}" for name, reason in plan.left_out.items())
    return _block(
        f"Plan for {plan.people:,} people",
        _table(_OPTIONS, _option_rows(plan), plan.options.index(plan.best)),
        _text(plan.why),
        _text(plan.suggestion),
        _hidden("What could not be predicted", left_out),
    )


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
def design_html(design: Design) -> str:
    """What each device runs, what is asked, and the promise."""
    total = sum(design.shares)
    rows = [
        (type(mechanism).__name__, _what(mechanism), f"{100 * share / total:.3g} % of people")
        for mechanism, share in zip(design.mechanisms, design.shares, strict=True)
    ]
    asked = [(q.name, q.form, f"{len(q.queries):,}") for q in design.questions]
    return _block(
        f"Design of “{design.survey}”",
        _table(("mechanism", "answers", "drawn by"), rows),
        _table(("question", "form", "estimates"), asked) if asked else "",
        _text(str(design.guarantee)),
        _faint(f"SHA-256 {design.hash}"),
    )


@notebook_html.register
def answer_html(answer: Answer) -> str:
    """One question's estimates."""
    if answer.question.shape == ():
        return _block(answer.question.name, _table(_HEAD, [_share_row(answer)]))
    return _block(answer.question.name, *_answer_summary(answer))


@notebook_html.register
def answers_html(answers: Answers) -> str:
    """All questions of a survey: single shares in one table, then curves and maps."""
    single = [answer for answer in answers.answers if answer.question.shape == ()]
    rows = [(answer.question.name, *_share_row(answer)) for answer in single]
    parts = [_table(("question", *_HEAD), rows)] if rows else []
    for answer in answers.answers:
        if answer.question.shape != ():
            parts += [_title(answer.question.name), *_answer_summary(answer)]
    turned_away = ", ".join(f"{count:,} {reason}" for reason, count in answers.rejected.items() if count)
    return _block(
        f"Answers of “{answers.survey}”, from {answers.n:,} reports",
        *parts,
        _text(f"Rejected: {turned_away}.") if turned_away else "",
        _text(str(answers.guarantee)),
        _faint(f"Design {answers.design}"),
    )


_HEAD = ("estimate", "interval", "standard error", "reports", "")


def _row(estimate: Estimate) -> tuple[str, ...]:
    interval = f"{estimate.low:.4g} to {estimate.high:.4g} ({100 * estimate.confidence:g} %)"
    return f"{estimate.value:.4g}", interval, f"{estimate.standard_error:.2g}", f"{estimate.n:,}", _bias(estimate)


def _share_row(answer: Answer) -> tuple[str, ...]:
    """The same, with an interval that means something where the share may be nobody or everybody."""
    one = answer.estimates[()]
    low, high, kind = interval_of(answer)
    value, _, *rest = _row(one)
    return value, f"{low:.4g} to {high:.4g} ({100 * one.confidence:g} %{kind})", *rest


def _bias(estimate: Estimate | Estimates) -> str:
    if estimate.unbiased:
        return ""
    return f"biased by at most {estimate.bias:.1g}" if math.isfinite(estimate.bias) else "biased"


def _summary(estimates: Estimates) -> list[str]:
    values = estimates.values
    picture = ""
    if values.ndim == 1:
        picture = sketches.curve(values, estimates.low, estimates.high)
    elif values.ndim == 2:
        picture = sketches.heat(values)
    return [picture, _text(_said(estimates))]


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


def _answer_summary(answer: Answer) -> list[str]:
    """A small picture of a curve or map, and what is said of it."""
    drawn, about = form_of(answer.question).sketch(answer)
    return [drawn, _text(_said(answer.estimates)), *map(_text, about)]


def _what(mechanism: object) -> str:
    """The query of a table, or the space of a lattice that answers every query."""
    query = getattr(mechanism, "query", None)
    return str(query) if query is not None else f"every smooth query on {getattr(mechanism, 'space', '')}"


def _block(title: str, *parts: str) -> str:
    content = "".join(part for part in parts if part)
    return f'<div style="line-height:1.45;max-width:60em;">{_title(title)}{content}</div>'


def _title(text: str) -> str:
    return f'<div style="font-weight:bold;margin:0.4em 0;">{escape(text)}</div>' if text else ""


def _text(text: str) -> str:
    return f'<div style="margin:0.4em 0;">{escape(text)}</div>' if text else ""


def _faint(text: str) -> str:
    return f'<div style="opacity:0.7;font-size:90%;overflow-wrap:anywhere;">{escape(text)}</div>' if text else ""


def _hidden(title: str, lines: Iterable[str]) -> str:
    inside = "".join(_text(line) for line in lines)
    return f"<details><summary>{escape(title)}</summary>{inside}</details>" if inside else ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], chosen: int | None = None) -> str:
    """Cells as text; the chosen row is bold and says so."""
    marks = {chosen: ("font-weight:bold;background:rgba(128,128,128,0.15);", "▸ ")}
    titles = "".join(f'<th scope="col" style="{_CELL}text-align:left;">{escape(name)}</th>' for name in head)
    body = ""
    for index, row in enumerate(rows):
        style, mark = marks.get(index, ("", ""))
        cells = "".join(
            f'<td style="{_CELL}text-align:left;">{escape(mark + cell if k == 0 else cell)}</td>'
            for k, cell in enumerate(row)
        )
        body += f'<tr style="{style}">{cells}</tr>'
    return (
        f'<table style="border-collapse:collapse;margin:0.4em 0;"><thead><tr>{titles}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
