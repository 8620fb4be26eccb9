"""Answers on axes of matplotlib: the numbers, the units and the colours of the page, for figures of one's own."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from geopriv.answers.answers import Answer
from geopriv.answers.asked import ASKED_AFTER
from geopriv.answers.cells import cells_of
from geopriv.answers.forms import form_of
from geopriv.answers.rows import table_of_answer
from geopriv.pages.density import Density

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DENSITY = "viridis"  # as of maps on the page


@cache
def palette() -> dict[str, str]:
    """The page's colours on white, by name: "accent", "each", "together"."""
    text = (resources.files("geopriv.pages") / "templates" / "light.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--([\w-]+): (#\w+);", text))


def title_of(answer: Answer) -> str:
    """The name of a question, and that it was asked after collecting where it was."""
    return f"{answer.question.name} ({ASKED_AFTER})" if answer.asked_after else answer.question.name


def interval(answer: Answer, axes: Axes) -> None:
    """Single values, one below the other: a broad bar from end to end of a plain answer, a point with its interval."""
    rows, colours = table_of_answer(answer), palette()
    value, low, high, least, most = (
        rows[name].to_numpy() for name in ("value", "low", "high", "plain_low", "plain_high")
    )
    places = -np.arange(len(value), dtype=np.float64)
    if answer.plain is not None:
        axes.barh(places, most - least, 0.5, least, color=colours["each"], label="plain answer, between")
    reach = np.array([value - low, high - value])
    name = "estimate" if answer.plain is None else "soft estimate"
    axes.errorbar(value, places, xerr=reach, fmt="o", color=colours["accent"], capsize=4, label=name)
    axes.set_yticks(places, _names(rows))
    axes.set_ylim(places[-1] - 1, 1)
    _finish(answer, axes, rows["unit"][0].as_py())


def curve(answer: Answer, axes: Axes) -> None:
    """Shares at or above each value: the estimate, its intervals, its band, and the ends of the plain answers."""
    rows, colours = table_of_answer(answer), palette()
    at = rows["threshold"].to_numpy()

    def named(name: str) -> Any:
        return rows[name].to_numpy()

    if answer.band is not None:
        axes.fill_between(at, named("band_low"), named("band_high"), color=colours["together"], label="band, at once")
    axes.fill_between(at, named("low"), named("high"), color=colours["each"], label="interval at each value")
    if answer.plain is not None:
        for end, label in (("plain_low", "plain share, between"), ("plain_high", "_")):
            axes.plot(at, named(end), color=colours["warn"], linewidth=1, label=label)
    axes.plot(
        at, named("value"), color=colours["accent"], label="estimate" if answer.plain is None else "soft estimate"
    )
    if answer.consistent is not None:
        scale, _ = form_of(answer.question).unit(answer.question, answer.who)
        axes.plot(at, scale * answer.consistent, "--", color=colours["ink"], label="made monotone (biased)")
    if answer.question.space.ratios:
        axes.set_xscale("log")
    axes.set_xlabel(answer.question.space.value_unit or "")
    axes.set_ylabel(f"{rows['unit'][0].as_py()} of {answer.who} at or above")
    axes.set_title(title_of(answer))
    axes.legend(frameon=False)


def density(answer: Answer, axes: Axes) -> None:
    """A map of densities, left out where they cannot be told from zero; longitudes and latitudes along its sides."""
    shown = Density.of(answer)
    question = shown.question
    corners = cells_of(question)
    # the lowest corner of each cell, and beyond the last those of their other sides
    grid = np.empty((question.columns + 1, question.rows + 1, 2))
    grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:] = np.moveaxis(corners, 2, 0)
    x, y = np.moveaxis(grid, -1, 0)
    if question.space.geographic:
        latitude, longitude = np.moveaxis(question.space.values(grid), -1, 0)
        x, y = np.degrees(np.unwrap(np.radians(longitude), axis=0)), latitude
    held = np.ma.masked_where(~shown.told, shown.values)
    top = max(float(shown.values.max()), float(shown.errors.max()), 1e-12)
    mesh = axes.pcolormesh(x, y, held, cmap=DENSITY, vmin=0.0, vmax=top)
    _, unit = form_of(question).unit(question, answer.who)
    axes.figure.colorbar(mesh, ax=axes, label=f"{unit}; none where it cannot be told from zero")
    unit_of_length = question.space.distance_unit or ""
    names = ("longitude", "latitude") if question.space.geographic else (unit_of_length, unit_of_length)
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    axes.set_aspect(1 / np.cos(np.radians(y.mean())) if question.space.geographic else 1.0)
    axes.set_title(title_of(answer))


def _names(rows: Any) -> list[str]:
    """What values below each other are: the level of each of several quantiles."""
    if "level" not in rows.column_names or len(rows) == 1:
        return [""] * len(rows)
    return [f"{100 * level:g} %" for level in rows["level"].to_pylist()]


def _finish(answer: Answer, axes: Axes, unit: str) -> None:
    axes.set_xlabel(f"{unit} of {answer.who}" if unit == "%" else unit)
    axes.set_title(title_of(answer))
    axes.spines[["left", "top", "right"]].set_visible(False)
    axes.tick_params(left=False)
    axes.legend(frameon=False)
