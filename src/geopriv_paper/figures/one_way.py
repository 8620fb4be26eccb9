"""Pictures of the one-way thresholds: the paper's mechanisms, and ours against its M3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from geopriv_paper.agreement import merged, spread
from geopriv_paper.figures.style import (
    BLACK,
    LONG,
    LOOK,
    caption,
    save,
    styled,
)
from geopriv_paper.one_way import PAPERS, mean_squared_error
from geopriv_paper.settings import ONE_WAY, ONE_WAY_PEOPLE

_PAPERS = ("LDP", "M2", "M3", "M0")
_OURS = ("M3", "M0", "LeastScaleT", "Lattice", "Table", "InputLaplace")
_ENDS = ONE_WAY_PEOPLE[0], ONE_WAY_PEOPLE[-1]


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Twelve panels twice."""
    surveys = surveyed(results)
    with styled():
        papers = _figure(results, surveys, _PAPERS, "the paper's mechanisms", floor=False)
        ours = _figure(results, surveys, _OURS, "ours against the paper's M3 and M0", floor=True)
        return [
            save(papers, folder, "one-way-paper", "One-way thresholds, the paper's mechanisms"),
            save(ours, folder, "one-way-ours", "One-way thresholds, our mechanisms"),
        ]


def surveyed(results: dict[str, dict[str, Any]]) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Setting → mechanism → people → moments of the errors, of all rounds together."""
    rounds = [result["simulated"] for name, result in results.items() if name.startswith("surveys-")]
    if not rounds:
        return {}
    return {
        setting: {
            name: {size: merged([one[setting][name][size] for one in rounds]) for size in sizes}
            for name, sizes in names.items()
        }
        for setting, names in rounds[0].items()
    }


def _figure(
    results: dict[str, Any], surveys: dict[str, Any], names: tuple[str, ...], what: str, *, floor: bool
) -> Figure:
    figure = Figure(figsize=(11.5, 13.5), layout="constrained")
    axes = figure.subplots(len(ONE_WAY), 3, sharex=True, sharey="row")
    for row, (at, (distance, rates)) in zip(axes, ONE_WAY.items(), strict=True):
        panels = [results[f"T{at}-{inverse}"] for inverse in rates]
        for axis, panel, inverse in zip(row, panels, rates, strict=True):
            _panel(axis, panel, surveys.get(f"T{at}-{inverse}", {}), names, floor=floor)
            axis.set_title(f"T = {at:,}, ε = 1/{inverse:,}, C = {distance:,}", fontsize=10, loc="left")
        ends = [mean_squared_error(panel["expected"][name], n) for panel in panels for name in names for n in _ENDS]
        ends += [panel["least"] / _ENDS[1] for panel in panels if floor]
        row[0].set_ylim(0.5 * min(ends), 2 * max(ends))
        row[0].set_ylabel("mean squared error")
        row[0].yaxis.set_minor_locator(NullLocator())
    for axis in axes[-1]:
        axis.set_xlabel("people n")
        axis.set_xticks(ONE_WAY_PEOPLE, ["0.4 M", "0.8 M", "1.6 M", "3.2 M", "6.4 M"])
        axis.xaxis.set_minor_locator(NullLocator())
    handles = [Line2D([], [], label=LONG[name], lw=1.8, ms=5, mfc="white", **LOOK[name]) for name in names]
    if floor:
        handles.append(Line2D([], [], color=BLACK, lw=1, label="floor: no unbiased report is below"))
    figure.legend(handles=handles, loc="outside upper left", ncols=4, fontsize=10)
    source = results[f"T{next(iter(ONE_WAY))}-{ONE_WAY[next(iter(ONE_WAY))][1][0]}"]["source"]
    aside = " Ours are moved aside a little." if floor else ""
    smooth = (
        "InputLaplace answers the smooth query nearest to the ramp; its error includes the difference. "
        if floor
        else ""
    )
    caption(
        figure,
        f"One-way thresholds in USD, {what}. Lines: exact. Markers: simulated surveys, ± 2 standard errors of the "
        f"logarithm.{aside}\n{smooth}Data: {source}.",
    )
    return figure


def _panel(axis: Axes, result: dict[str, Any], surveys: dict[str, Any], names: tuple[str, ...], *, floor: bool) -> None:
    n = np.geomspace(*_ENDS, 17)
    for k, name in enumerate(names):
        numbers, look = result["expected"][name], dict(LOOK[name])
        marker = look.pop("marker")
        axis.loglog(n, numbers["bias"] ** 2 + numbers["variance"] / n, **look)
        seen = {int(size): m for size, m in (surveys.get(name) or result["simulated"].get(name, {})).items()}
        seen = {size: m for size, m in seen.items() if size >= _ENDS[0]}
        value = np.array([m["square"] for m in seen.values()])
        factor = np.exp(2 * np.array([spread(m) for m in seen.values()]) / value)
        aside = 1.0 if name in PAPERS else 1 + 0.05 * (k - len(names) + 2.5)
        bars = [value - value / factor, value * factor - value]
        axis.errorbar(
            aside * np.array(list(seen)),
            value,
            bars,
            color=look["color"],
            marker=marker,
            ms=4.5,
            mfc="white",
            lw=1,
            ls="",
        )
    if floor:
        axis.loglog(n, result["least"] / n, color=BLACK, lw=1)
        axis.fill_between(n, 1e-3 * result["least"] / n, result["least"] / n, color="0.9", zorder=0)
