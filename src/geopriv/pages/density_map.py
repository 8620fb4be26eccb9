"""A density map beside its uncertainty, and where it is highest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt
import shapely

from geopriv.answers.answers import Answer
from geopriv.answers.units import per_square
from geopriv.device.designs import PEOPLE
from geopriv.pages import drawings
from geopriv.pages.amounts import Cell
from geopriv.pages.coasts import coasts
from geopriv.pages.colours import ColourBar, colour_bar, picture
from geopriv.pages.density import Density
from geopriv.pages.frames import Frame, on_map
from geopriv.pages.letters import Fence, fences
from geopriv.pages.live import DECIMALS, map_data, nicer_words
from geopriv.pages.made_up import made_up_words, robust_words
from geopriv.pages.numbers import Axis, Tick, decimals_for, fixed, outward
from geopriv.pages.regions import Page
from geopriv.pages.scales import Scale, fitting, scales
from geopriv.pages.values import confidence_words, percent_words, places_of
from geopriv.pages.words import bias_words, counted, place_notes
from geopriv.queries.questions import DensityMap
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.rounding import above
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
        outline: path of coasts and borders; may be empty.
        outside: path of what is outside the region of the survey; may be empty.
        fences: regions of other questions.
        peaks: the table.
        hatched: what hatched places are, in words; empty where there are none.
        data: what the script draws from; None where nothing is drawn.
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
    outside: str
    fences: tuple[Fence, ...]
    peaks: tuple[Peak, ...]
    hatched: str
    data: Any
    kind: ClassVar[str] = "maps"


def views(answers: Sequence[Answer], page: Page) -> tuple[MapView, ...]:
    """Of all maps, each with the regions and the outline of the page."""
    return tuple(_view(answer, page) for answer in answers)


def lines(answer: Answer) -> list[str]:
    """How much of it is surely above 0, and where it is highest."""
    question, found = _asked(answer), answer.estimates
    above = int((found.low > 0).sum()) if answer.band is None else int((answer.band.low > 0).sum())
    peak = np.unravel_index(int(found.values.argmax()), question.shape)
    # of a place that was picked for being the highest an interval for itself says too much
    ends, whole = (found, "for this place alone") if answer.band is None else (answer.band, "all places at once")
    query: Any = question.queries[int(found.values.argmax())]
    place = question.space.place_words(query.center).replace(NARROW, " ")
    percent, square = per_square(question)
    places = places_of(percent * float(found.standard_errors[peak]))
    value, low, high = (f"{percent * float(each[peak]):.{places}f}" for each in (found.values, ends.low, ends.high))
    told = [
        f"{question.name}: {question.columns} × {question.rows} places, {above:,} of them surely above 0 at once",
        f"  highest at ({place}), in % of {answer.who} per {square}: {value} ({confidence_words(answer)}, "
        f"{whole}: {low} to {high})",
    ]
    if thin := float(answer.thin.mean()):
        told.append(
            f"  on {_part(thin).replace(NARROW, ' ')} of the map few people are near: intervals by place in the files "
            "are too short there (thin); the band holds"
        )
    return told


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
    question = density.question
    frame = Frame.of(question)
    level = f"{percent_words(answer.estimates.confidence)} {'band' if density.together else 'interval'}"
    bottom, left = frame.axes
    lines, source = _lines(question, page)
    bars = _bars(density) if density.known else {}
    return MapView(
        question.name,
        f"% of {answer.who} per {density.square}",
        level,
        _findings(answer, density, level),
        (*_notes(answer, density), *([source] if source else [])),
        _panels(answer, density, frame, bars) if density.known else (),
        frame.tall,
        bottom,
        left,
        frame.scale_bars,
        frame.space.geographic,
        frame.path(lines) if lines is not None else "",
        frame.outside,
        fences(page.regions, frame),
        tuple(_peak(density, at) for at in density.peaks()) if density.known else (),
        _hatched(density) if density.known else "",
        map_data(answer, density, frame, bars, _bias(answer, density)[0]) if density.known else None,
    )


def _lines(question: DensityMap, page: Page) -> tuple[shapely.Geometry | None, str]:
    """The lines behind a map, and whose they are: the page's, the survey's, or coasts and borders of countries."""
    if page.outline is not None:
        return on_map(page.outline, question.space), ""
    if question.outline:
        return on_map(shapely.MultiLineString(question.outline), question.space), ""
    found = coasts(question)
    return (None, "") if found is None else (found.lines, found.source)


def _hatched(density: Density) -> str:
    """That nobody need not be there."""
    if density.told.all():
        return ""
    most = float((density.band.high + density.bias)[~density.told].max())
    up_to = plain(above(max(most, 0.0), 2))
    return f"cannot be told from zero: that is not “nobody”, up to {up_to}{NARROW}% per {density.square} may be there"


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
        notes.append("What can be told from zero is judged place by place, each for itself: some places are misjudged.")
    if density.question.space.geographic:
        notes += place_notes(density.question.space, answer.who)
    if thin := float(answer.thin.mean()):
        notes.append(
            f"On {_part(thin)} of the map a standard error rests on fewer than ten reports: normal intervals, as in "
            "the file of estimates, are too short there, and only the band is to be trusted."
        )
    notes += [_bias(answer, density)[1], f"From {counted(answer.estimates.n, 'report')}."]
    unit = scale(density.question, answer.who)
    notes += [made_up_words(answer.leverage, answer.estimates.n, *unit), robust_words(answer, *unit)]
    return tuple(note for note in notes if note)


def _bias(answer: Answer, density: Density) -> tuple[str, str]:
    """Beside the largest error of the map."""
    estimates = answer.estimates
    error = float(estimates.standard_errors.max())
    unit, whose = f"% per {density.square}", "the largest standard error on the map"
    return bias_words(estimates.bias, error, unit, density.percent, whose)


def _bars(density: Density) -> dict[str, tuple[ColourBar, tuple[Scale, ...]]]:
    """The colours of the estimate and of its error, and all scales that they may have."""
    values, errors = density.finer(density.values), density.finer(density.errors)
    told, some = density.values[density.told], density.errors[density.told]
    tops = max(float(values.max()), float(errors.max()), 1e-12), max(float(errors.max()), 1e-12)
    bars = {}
    for name, colours, top, usual in (("estimate", DENSITY, tops[0], told), ("error", ERROR, tops[1], some)):
        choices = scales(top, float(usual.min(initial=top)))
        bars[name] = colour_bar(fitting(usual, choices), colours), choices
    return bars


def _panels(
    answer: Answer, density: Density, frame: Frame, bars: dict[str, tuple[ColourBar, tuple[Scale, ...]]]
) -> tuple[Panel, ...]:
    values, errors = density.finer(density.values), density.finer(density.errors)
    told = density.finer(density.surplus, smooth=False) > 0
    everywhere, per = np.ones_like(told), f"% of {answer.who} per {density.square}"
    bar, _ = bars["estimate"]
    lines = _contours(density, values, bar.levels, frame)
    bias, _ = _bias(answer, density)
    panels = [_panel("Estimate", per, values, bar, told, lines, bias)]
    if answer.consistent is not None:
        held = density.finer(density.percent * answer.consistent)
        lines = _contours(density, held, bar.levels, frame)
        title = nicer_words(answer)
        panels.append(_panel(title, per, held, bar, everywhere, lines, "biased by that"))
    bar, _ = bars["error"]
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
    description = f"{title} in {per}, from {plain(bar.scale.bottom, 3)} to {plain(bar.scale.top, 3)}, {bar.scale.name}."
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


def _peak(density: Density, at: tuple[int, ...] | tuple[np.intp, ...]) -> Peak:
    i, j = (int(index) for index in at)
    x, y = density.question.axes
    where = density.question.space.values(np.array([x[i], y[j]]))
    decimals = decimals_for(float(density.errors[i, j]), DECIMALS)
    low, high = outward(max(float(density.band.low[i, j]), 0.0), float(density.band.high[i, j]), decimals)
    value = fixed(density.values[i, j], decimals)
    return Peak(density.question.space.place_words(where.tolist()), value, f"{low} to {high}")
