"""Draws the pictures of docs/choosing-epsilon.md.

Run it:  python docs/choosing.py [folder]

Nothing is simulated: errors are exact variances over the published fit of incomes, and beliefs are Bayes' rule.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).parent / "theory"))  # one style for all pictures, and it is there

import geopriv as gp  # after what sorts before it
from figures import label, panels, save  # from the line above
from geopriv.commands.populations import INCOME_MU, INCOME_SIGMA, income_quantiles
from geopriv_paper.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
)

COLOURS = (GREEN, BLUE, ORANGE)
WIDTH = 16_000.0
LENGTHS = (4_000, 8_000, 16_000)  # USD, over which ε = 1 is lost


def factor() -> Figure:
    """How far apart two homes may be and still look alike, and what a report can do to a belief."""
    figure, (left, right) = panels(2)
    distance = np.linspace(0, 3_000, 301)
    for length, colour in zip((500, 1_000, 2_000), COLOURS, strict=True):
        promise = gp.Guarantee(1 / length, unit="m")
        factors = np.array([promise.factor(float(d)) for d in distance])
        name = f"ε = 1 per {length:,} m"
        left.semilogy(distance / 1_000, factors, color=colour, label=name)
        for prior, dash in ((0.5, "-"), (0.01, "--")):
            belief = prior * factors / (prior * factors + 1 - prior)
            right.plot(distance / 1_000, 100 * belief, color=colour, ls=dash)
    left.set_yticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    left.minorticks_off()
    left.set_ylim(1, 100)
    left.legend(fontsize=9, loc="lower right")
    label(
        left, "The factor up to which two homes look alike", "distance between them, in km", "factor, exp(ε·distance)"
    )
    right.set_ylim(0, 101)
    right.text(1.0, 52, "believed 50 % before", fontsize=9)
    right.text(0.05, 13, "believed 1 % before", fontsize=9)
    label(
        right, "The most that a report can make of a belief", "distance to the other place, in km", "believed after, %"
    )
    return figure


def _table_variance(length: float) -> float:
    """Of one report about the threshold, averaged over the published fit of incomes."""
    mechanism = gp.Table.calibrate(gp.Threshold(100_000, WIDTH, gp.Line("USD")), 1 / length)
    return float(mechanism.variance(income_quantiles(2_001)).mean())


def error() -> Figure:
    """How much privacy adds to the error of a share, against people and ε."""
    figure, (left, right) = panels(2)
    people = np.geomspace(1e3, 1e6, 61)
    needed = []
    for length, colour in zip(LENGTHS, COLOURS, strict=True):
        variance = _table_variance(length)
        left.loglog(people, 196 * np.sqrt(variance / people), color=colour, label=f"ε = 1 per {length:,} USD")
        needed.append(variance * 196**2)
    left.axhline(1, color=BLACK, lw=1)
    left.text(1e6, 1.06, "1 point", ha="right", fontsize=9)
    ticks = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
    left.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    left.set_ylim(0.02, 6)
    left.set_xticks([1e3, 1e4, 1e5, 1e6], ["1,000", "10,000", "100,000", "1,000,000"])
    left.minorticks_off()
    left.legend(fontsize=9)
    label(left, "What share earns over 100,000 USD?", "people who report", "noise (95 %), percentage points")
    _bars(right, needed)
    return figure


def _bars(axis: Axes, needed: list[float]) -> None:
    places = np.arange(len(needed))
    bars = axis.bar(places, needed, color=COLOURS, width=0.6)
    axis.bar_label(bars, [f"{round(people, -2):,.0f}" for people in needed], padding=3, fontsize=9)
    axis.set_xticks(places, [f"1 per {length:,}" for length in LENGTHS])
    axis.set_yticks([])
    axis.grid(visible=False)
    label(axis, "People needed for 1 point of noise", "ε, per USD", "people")


def attacker() -> Figure:
    """What someone who sees one report, and knows the distribution of incomes, believes about the person."""
    figure, axis = panels(1, 4.0)
    figure.set_size_inches(7.6, 4.0)
    income = np.linspace(1_000, 250_000, 1_201)
    before = np.exp(-0.5 * ((np.log(income) - INCOME_MU) / INCOME_SIGMA) ** 2) / income
    step = income[1] - income[0]
    axis.fill_between(income / 1_000, before / before.sum() / step * 1e6, color="0.85", label="known before: everyone")
    for length, colour in zip((4_000, 16_000, 64_000), COLOURS, strict=True):
        after = before * np.exp(-np.abs(income - 100_000) / length)
        axis.plot(income / 1_000, after / after.sum() / step * 1e6, color=colour, label=f"ε = 1 per {length:,} USD")
    axis.axvline(100, color=RED, lw=1, ls=":")
    axis.text(101, axis.get_ylim()[1] * 0.96, "the report: 100,000", color=RED, fontsize=9, va="top")
    axis.set_yticks([])
    axis.legend(fontsize=9)
    label(axis, "What one report tells about one person", "income, in 1,000 USD", "how strongly it is believed")
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {"factor": factor, "error": error, "attacker": attacker}

if __name__ == "__main__":
    save(FIGURES, Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures")
