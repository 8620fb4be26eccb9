"""Pictures of the two-way thresholds: errors by mechanism, and where on the grid they come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from geopriv_paper.compact import unpacked
from geopriv_paper.figures.budgets import (
    dots,
    legend,
    simulated,
    with_surveys,
)
from geopriv_paper.figures.style import caption, save, styled
from geopriv_paper.settings import TWO_WAY, TWO_WAY_GRID
from geopriv_paper.two_way import LOG_UNIT, panel_name

_NAMES = {
    "LDP": "LDP",
    "M0": "M0: noisy input, plain",
    "M2": "M2: Lipschitz Laplace",
    "M3": "M3: smooth sensitivity",
    "f_tau": "$f_τ$, not private",
    "LeastScaleT": "LeastScaleT",
    "Table": "Table",
    "Lattice": "Lattice, one report",
}
_MAPS = {name: _NAMES[name] for name in ("M0", "M2", "M3", "f_tau", "Lattice")}


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Both figures."""
    with styled():
        return [
            save(_errors(results), folder, "two-way", "Two-way thresholds: average squared errors"),
            save(_maps(results), folder, "two-way-grid", "Two-way thresholds: squared errors by threshold"),
        ]


def _result(results: dict[str, dict[str, Any]], inverse_rate: int, people: int) -> dict[str, Any]:
    return with_surveys(results, panel_name(inverse_rate, people))


def _errors(results: dict[str, dict[str, Any]]) -> Figure:
    figure = Figure(figsize=(12, 6.6), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for axis, (inverse, people) in zip(axes.flat, TWO_WAY, strict=False):
        dots(axis, _result(results, inverse, people), _NAMES)
        axis.set_title(f"ε = 1/{inverse:,}, n = {people:,}", loc="left", fontsize=10)
    for axis in (axes[0, 2], axes[1, 0], axes[1, 1]):
        axis.set_xlabel("average squared error")
    axes[0, 2].tick_params(labelbottom=True)
    axes[1, 2].axis("off")
    axes[1, 2].legend(handles=legend(), loc="center left", fontsize=9.5, title="Marks", alignment="left")
    some = _result(results, *TWO_WAY[0])
    surveys = simulated(some["checks"])["M3"]["people"]
    caption(
        figure,
        "Shares of households above both of 1,156 pairs of thresholds, against the hard threshold; C = 12,000 USD. M0 "
        "and the Lattice need one report a person; the others one for each pair.\n"
        f"Simulated errors: of surveys of {surveys:,} people over what is expected of them, times the exact error. "
        f"Data: {some['source']}.",
    )
    return figure


def _maps(results: dict[str, dict[str, Any]]) -> Figure:
    result = _result(results, 12_000, 1_600_000)
    figure = Figure(figsize=(13, 3.2), layout="constrained")
    axes = figure.subplots(1, len(_MAPS), sharex=True, sharey=True)
    grids = {name: unpacked(result["grid"][name], LOG_UNIT, (len(TWO_WAY_GRID),) * 2) for name in _MAPS}
    high = np.ceil(max(grid.max() for grid in grids.values()))
    low = high - 8
    at = np.array(TWO_WAY_GRID) / 1e6
    mesh = None
    for axis, (name, words) in zip(axes, _MAPS.items(), strict=True):
        mesh = axis.pcolormesh(
            at, at, np.maximum(grids[name], low).T, vmin=low, vmax=high, cmap="viridis", rasterized=True
        )
        axis.set_title(words, loc="left", fontsize=10)
        axis.set_xlabel("income threshold, million USD")
        axis.set_aspect("equal")
        axis.grid(visible=False)
    axes[0].set_ylabel("debt threshold, million USD")
    assert mesh is not None
    bar = figure.colorbar(mesh, ax=axes, label="squared error", shrink=0.8, extend="min")
    ticks = np.arange(low, high + 1, 2)
    bar.set_ticks(ticks.tolist(), labels=[f"$10^{{{tick:.0f}}}$" for tick in ticks])
    caption(figure, f"Exact, ε = 1/12,000 USD, n = 1,600,000. Data: {result['source']}.")
    return figure
