"""Figures of answers, plans and designs: axes of matplotlib in and out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from geopriv.answers.answers import Answer, Answers
from geopriv.pages.drawings import palette
from geopriv.pages.forms import form_of
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design
from geopriv.surveys.planning import Plan, SurveyPlan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIZE = (6.4, 4.0)  # inches, of one answer
_FAR = 3.0  # in units of 1/ε: as far as factors are shown


@singledispatch
def plot_of(thing: object, ax: Any = None) -> Any:
    """Draw a thing on axes, or on new ones, and give them back.

    Raises:
        TypeError: for a thing that nobody has drawn.
    """
    raise TypeError(f"Nobody has drawn a {type(thing).__name__} on axes.")


@plot_of.register
def _(answer: Answer, ax: Any = None) -> Any:
    """One question's answer."""
    axes = _axes(ax)
    form_of(answer.question).draw(answer, axes)
    return axes


@plot_of.register
def _(answers: Answers, ax: Any = None) -> Any:
    """Every answer on axes of its own, one below the other; without groups."""
    number = len(answers.answers)
    given = _new(number) if ax is None else np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(given) != number:
        raise invalid("plot", "ax", f"as many axes as there are answers, {number}", len(given))
    for answer, axes in zip(answers.answers, given, strict=True):
        plot_of(answer, axes)
    return given


@plot_of.register
def _(design: Design, ax: Any = None) -> Any:
    """The promise: up to what factor two values look alike, by how far they are apart."""
    axes, promise = _axes(ax), design.guarantee
    distances = np.linspace(0.0, _FAR / promise.epsilon, 200)
    axes.plot(distances, [promise.factor(distance) for distance in distances.tolist()], color=palette()["accent"])
    axes.set_yscale("log")
    axes.set_xlabel(f"two values apart by, in {promise.unit or 'units'}")
    axes.set_ylabel("look alike up to a factor")
    axes.set_title(design.survey)
    return axes


@plot_of.register
def _(plan: SurveyPlan, ax: Any = None) -> Any:
    """The predicted error of every option, that of the design marked."""
    axes = _axes(ax)
    scale, unit = (100.0, "percentage points") if plan.in_points else (1.0, plan.survey.space.distance_unit or "units")
    options = plan.plan.options
    _bars(axes, options, [scale * plan.error(option) for option in options], options.index(plan.option))
    axes.set_xlabel(f"standard error, {unit}")
    axes.set_title(f"{plan.survey.name}, {plan.survey.people:,} {plan.survey.counted}")
    return axes


@plot_of.register
def _(plan: Plan, ax: Any = None) -> Any:
    """The predicted error of every option, the best one marked."""
    axes = _axes(ax)
    _bars(axes, plan.options, [option.error for option in plan.options], plan.options.index(plan.best))
    axes.set_xlabel("standard error")
    axes.set_title(f"{plan.people:,} people")
    return axes


def picture_of(answers: Answers, questions: Sequence[str] = ()) -> bytes:
    """A PNG of all answers, or of those that are named.

    Raises:
        KeyError: where there is no question of a name.
    """
    from matplotlib.figure import Figure

    shown = [answers[name] for name in questions] or list(answers.answers)
    figure = Figure(figsize=(_SIZE[0], _SIZE[1] * len(shown)), layout="constrained")
    for answer, axes in zip(shown, np.ravel(figure.subplots(len(shown), 1, squeeze=False)), strict=True):
        plot_of(answer, axes)
    file = BytesIO()
    # without the version of the program that wrote it, so that the same numbers give the same bytes
    unsigned: Any = {"Software": None}
    figure.savefig(file, dpi=150, format="png", metadata=unsigned)
    return file.getvalue()


def _bars(axes: Axes, options: Sequence[Any], errors: Sequence[float], chosen: int) -> None:
    """A bar for each option, the least error on top."""
    colours, names = palette(), [f"{option.mechanism}, {option.arrangement}" for option in options]
    painted = [colours["accent"] if k == chosen else colours["each"] for k in range(len(names))]
    axes.barh(range(len(names)), errors, color=painted)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()


def _axes(given: Axes | None) -> Axes:
    axes: Axes = _new(1)[0] if given is None else given
    return axes


def _new(number: int) -> Any:
    """New axes one below the other, in a figure that notebooks show."""
    from matplotlib import pyplot

    figure: Figure = pyplot.figure(figsize=(_SIZE[0], _SIZE[1] * number), layout="constrained")
    return np.ravel(figure.subplots(number, 1, squeeze=False))
