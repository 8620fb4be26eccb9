"""A density map beside its uncertainty, and where it is highest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import shapely

from geopriv.answers.answers import Answer
from geopriv.answers.units import per_square
from geopriv.device.designs import PEOPLE
from geopriv.pages import drawings
from geopriv.pages.amounts import Cell
from geopriv.pages.colours import ColourBar, colour_bar, picture
from geopriv.pages.density import Density
from geopriv.pages.frames import Frame, on_map
from geopriv.pages.made_up import made_up_words
from geopriv.pages.numbers import Axis, Tick, decimals_for, fixed, outward
from geopriv.pages.regions import Page
from geopriv.pages.values import percent_words, value_text
from geopriv.pages.words import bias_words, counted
from geopriv.queries.questions import DensityMap
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.words import NARROW, plain

DENSITY, ERROR = "viridis", "cividis"
draw = drawings.density
is_map = True


@dataclass(frozen=True)
class Panel:
    """One picture of a map.

    Args:
        title: what is shown.
        image: a data URI.
        bar: the key to its colours.
        contours: path of the lines at the bar's numbers.
        description: the picture in words.
        hatched: whether places that cannot be told from zero are left out.
        bias: how biased it is; empty if it is not.
    """

    title: str
    image: str
    bar: ColourBar
    contours: str
    description: str
    hatched: bool = False
    bias: str = ""


@dataclass(frozen=True)
class Fence:
    """A region of another question, drawn on the map; its letter stands at x and y percent from the top left."""

    mark: str
    name: str
    path: str
    x: float
    y: float


@dataclass(frozen=True)
class Peak:
    """A place that is denser than all around it."""

    place: str
    density: str
    interval: str


@dataclass(frozen=True)
class MapView:
    """What the page shows of one map.

    Args:
        name: of the question.
        unit: of density.
        level: the confidence, in words.
        findings: sentences, the answer first.
        notes: small print.
        panels: pictures; none where there is no error bar.
        tall: height of the pictures at a width of 1000.
        bottom: marks along the bottom.
        left: marks along the left side.
        scale_bars: lengths and their labels.
        north: whether north is up.
        outline: path of the region's outline; may be empty.
        fences: regions of other questions.
        peaks: the table.
    """

    name: str
    unit: str
    level: str
    findings: tuple[str, ...]
    notes: tuple[str, ...]
    panels: tuple[Panel, ...]
    tall: float
    bottom: Axis
    left: Axis
    scale_bars: tuple[Tick, ...]
    north: bool
    outline: str
    fences: tuple[Fence, ...]
    peaks: tuple[Peak, ...]


def views(answers: Sequence[Answer], page: Page) -> tuple[MapView, ...]:
    """Of all maps, each with the regions and the outline of the page."""
    return tuple(_view(answer, page) for answer in answers)


def lines(answer: Answer) -> list[str]:
    """How much of it is surely above 0, and where it is highest."""
    question, found = _asked(answer), answer.estimates
    above = int((found.low > 0).sum()) if answer.band is None else int((answer.band.low > 0).sum())
    peak = np.unravel_index(int(found.values.argmax()), question.shape)
    query: Any = question.queries[int(found.values.argmax())]
    place = question.space.place_words(query.center).replace(NARROW, " ")
    percent, square = per_square(question)
    return [
        f"{question.name}: {question.columns} × {question.rows} places, {above:,} of them surely above 0 at once",
        f"  highest at ({place}), in % of {answer.who} per {square}: {value_text(answer, peak, scale=percent)}",
    ]


def cells(answer: Answer) -> list[Cell]:
    """None: it is a picture."""
    return []


def scale(question: DensityMap, who: str = PEOPLE) -> tuple[float, str]:
    """Mean kernels are said as densities."""
    percent, square = per_square(question)
    return percent, f" % per {square}"


def _asked(answer: Answer) -> DensityMap:
    return cast("DensityMap", answer.question)  # only maps come here


def _view(answer: Answer, page: Page) -> MapView:
    density = Density.of(answer)
    frame = Frame.of(density.question)
    level = f"{percent_words(answer.estimates.confidence)} {'band' if density.together else 'interval'}"
    bottom, left = frame.axes
    return MapView(
        density.question.name,
        f"% of {answer.who} per {density.square}",
        level,
        _findings(answer, density, level),
        _notes(answer, density),
        _panels(answer, density, frame) if density.known else (),
        frame.tall,
        bottom,
        left,
        frame.scale_bars,
        frame.space.geographic,
        frame.path(on_map(page.outline, frame.space)) if page.outline is not None else "",
        _fences(page, frame),
        tuple(_peak(density, at) for at in density.peaks()) if density.known else (),
    )


def _findings(answer: Answer, density: Density, level: str) -> tuple[str, ...]:
    if not density.known:
        return (f"{counted(answer.estimates.n, 'report')} cannot tell. There is no error bar yet, so no map is drawn.",)
    if not density.told.any():
        return ("No place on this map can be told from zero with these reports.",)
    top = _peak(density, np.unravel_index(int(density.values.argmax()), density.values.shape))
    return (
        f"The estimate is highest near {top.place}: {top.density}{NARROW}% of {answer.who} per {density.square} "
        f"({level} {top.interval}{NARROW}%).",
        f"It can be told from zero on {_part(float(density.told.mean()))} of the map.",
    )


def _part(share: float) -> str:
    """How much of a map; a little is not nothing, and nearly all not all."""
    if share < 0.01:
        return f"less than 1{NARROW}%"
    return f"more than 99{NARROW}%" if 0.99 < share < 1 else f"{100 * share:.0f}{NARROW}%"


def _notes(answer: Answer, density: Density) -> tuple[str, ...]:
    blur = density.question.space.distance_words(density.question.bandwidth)
    notes = [f"Seen through a Gaussian of {blur}: finer detail than that is blurred on purpose."]
    if density.together:
        notes.append("What can be told from zero is judged by a band that holds the whole map at once.")
    else:
        notes.append("What can be told from zero is judged place by place, so a few in a hundred are misjudged.")
    if density.question.space.geographic:
        notes.append(f"{answer.who.capitalize()} outside the region of the survey were counted at its border.")
    if thin := float(answer.thin.mean()):
        notes.append(
            f"On {_part(thin)} of the map a standard error rests on fewer than ten reports: normal intervals, as in "
            "the file of estimates, are too short there, and only the band is to be trusted."
        )
    notes += [_bias(answer, density)[1], f"From {counted(answer.estimates.n, 'report')}."]
    notes.append(made_up_words(answer.leverage, answer.estimates.n, *scale(density.question, answer.who)))
    return tuple(note for note in notes if note)


def _bias(answer: Answer, density: Density) -> tuple[str, str]:
    """Beside the largest error of the map."""
    estimates = answer.estimates
    error = float(estimates.standard_errors.max())
    unit, whose = f"% per {density.square}", "the largest standard error on the map"
    return bias_words(estimates.bias, error, unit, density.percent, whose)


def _panels(answer: Answer, density: Density, frame: Frame) -> tuple[Panel, ...]:
    values, errors = density.finer(density.values), density.finer(density.errors)
    told = density.finer(density.surplus, smooth=False) > 0
    everywhere, per = np.ones_like(told), f"% of {answer.who} per {density.square}"
    bar = colour_bar(max(float(values.max()), float(errors.max()), 1e-12), DENSITY)
    lines = _contours(density, values, bar.levels, frame)
    bias, _ = _bias(answer, density)
    panels = [_panel("Estimate", per, values, bar, told, lines, bias)]
    if answer.consistent is not None:
        held = density.finer(density.percent * answer.consistent)
        lines = _contours(density, held, bar.levels, frame)
        title = "With less noise (shrunk)" if answer.shrunk else "Made consistent"
        panels.append(_panel(title, per, held, bar, everywhere, lines, "biased by that"))
    bar = colour_bar(max(float(errors.max()), 1e-12), ERROR)
    return *panels, _panel("Standard error", per, errors, bar, everywhere)


def _panel(
    title: str,
    per: str,
    values: FloatArray,
    bar: ColourBar,
    shown: npt.NDArray[np.bool_],
    contours: str = "",
    bias: str = "",
) -> Panel:
    hatched = not shown.all()
    description = f"{title} in {per}, from 0 to {plain(bar.top, 3)}."
    if hatched:
        description += " Hatched where it cannot be told from zero."
    return Panel(title, picture(values, bar, shown), bar, contours, description, hatched, bias)


def _contours(density: Density, values: FloatArray, levels: Sequence[float], frame: Frame) -> str:
    """Path of the lines at which the values are those of the levels; none where pixels are steps."""
    from contourpy import contour_generator

    if not density.fine:
        return ""

    x, y = density.pixels
    generator = contour_generator(x, y, values.T)
    found = [shapely.LineString(line) for level in levels for line in generator.lines(level)]
    return frame.path(shapely.MultiLineString(found)) if found else ""


def _fences(page: Page, frame: Frame) -> tuple[Fence, ...]:
    found = []
    for mark, name, region in page.regions:
        if path := frame.path(region.boundary):
            inside = shapely.intersection(region, shapely.box(*frame.low, *frame.high))
            ((x, y),) = frame(shapely.get_coordinates(inside.representative_point()))
            found.append(Fence(mark, name, path, round(x / 10, 1), round(100 * y / frame.tall, 1)))
    return tuple(found)


def _peak(density: Density, at: tuple[int, ...] | tuple[np.intp, ...]) -> Peak:
    i, j = (int(index) for index in at)
    x, y = density.question.axes
    where = density.question.space.values(np.array([x[i], y[j]]))
    decimals = decimals_for(float(density.errors[i, j]))
    low, high = outward(max(float(density.band.low[i, j]), 0.0), float(density.band.high[i, j]), decimals)
    value = fixed(density.values[i, j], decimals)
    return Peak(density.question.space.place_words(where.tolist()), value, f"{low} to {high}")
