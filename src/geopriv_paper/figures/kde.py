"""Pictures of the kernel density estimates: errors by mechanism, and the maps."""

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
from geopriv_paper.kde import MERCATOR, UNIT, panel_name
from geopriv_paper.settings import CITY, KDE, KDE_GRID

_NAMES = {
    "LDP": "LDP",
    "M0": "M0: noisy input, plain",
    "M1": "M1: noisy distance, plain",
    "M2": "M2: Lipschitz Laplace",
    "M3": "M3: smooth sensitivity",
    "LeastScaleT": "LeastScaleT",
    "Table": "Table",
    "Lattice": "Lattice, one report",
    "InputLaplace": "InputLaplace, one report",
}
_MAPS = {
    "true": "True density",
    "M0": "M0: noisy input, plain",
    "InputLaplace": "InputLaplace, unbiased, one report",
    "Lattice": "Lattice, one report",
    "M1": "M1: noisy distance, plain",
    "M2": "M2, ε for each place",
    "M3": "M3, ε for each place",
    "M3 shared": "M3, one ε a person",
    "LDP": "LDP, ε' for each place",
}
KDE_MAPS = KDE  # settings whose maps are drawn
_LEVELS = np.linspace(0.0, 1.0, 11)


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """The errors of all settings, and one picture of maps for each of the paper's settings."""
    with styled():
        files = [save(_errors(results), folder, "kde", "Kernel density estimates: average squared errors")]
        for one in KDE_MAPS:
            name = panel_name(*one)
            files.append(save(_maps(results[name]), folder, f"kde-{name}", f"Maps, {_setting(results[name])}"))
        return files


def _setting(result: dict[str, Any]) -> str:
    return f"ε = 1/{result['inverse_rate']:,g} m, h = {result['factor']:g}w, n = {result['people']:,}"


def _errors(results: dict[str, dict[str, Any]]) -> Figure:
    figure = Figure(figsize=(12.5, 10), layout="constrained")
    axes = figure.subplots(3, 3, sharex=True, sharey=True)
    order = [KDE[1], KDE[0], KDE[2], KDE[3], KDE[4], None, KDE[5], KDE[6]]  # by ε, by h, by n, as in the paper
    for axis, one in zip(axes.flat, order, strict=False):
        result = with_surveys(results, panel_name(*one) if one else MERCATOR)
        dots(axis, result, _NAMES)
        axis.set_title(_setting(result) + ("" if one else " (E11)"), loc="left", fontsize=10)
    for axis in (axes[1, 2], axes[2, 0], axes[2, 1]):
        axis.set_xlabel("average squared error")
        axis.tick_params(labelbottom=True)
    axes[2, 2].axis("off")
    axes[2, 2].legend(handles=legend(), loc="center left", fontsize=9.5, title="Marks", alignment="left")
    some = with_surveys(results, panel_name(*KDE[0]))
    metre = results[MERCATOR]["inverse_rate"] / some["inverse_rate"]
    surveys = simulated(some["checks"])["M3"]["people"]
    caption(
        figure,
        f"Average over 61 × 61 places; w = {some['bandwidth']:,.0f} m, C = {some['distance']:,.0f} m. M0, Lattice and "
        "InputLaplace need one report a person; the others one for each place.\n"
        f"E11: ε for a metre of the Mercator map, which is {metre:.2f} m on the ground. Simulated errors: surveys of "
        f"{surveys:,} people over what is expected of them, times the exact error.\nData: {some['source']}.",
    )
    return figure


def _maps(result: dict[str, Any]) -> Figure:
    figure = Figure(figsize=(10.5, 8.7), layout="constrained")
    axes = figure.subplots(3, 3, sharex=True, sharey=True)
    east, north = (np.linspace(low, high, KDE_GRID) / 1_000 for low, high in zip(*CITY.rectangle, strict=True))
    filled = None
    for axis, (name, words) in zip(axes.flat, _MAPS.items(), strict=True):
        density = unpacked(result["maps"][name], 1 / UNIT, (KDE_GRID, KDE_GRID)).T
        filled = axis.contourf(east, north, density, _LEVELS, cmap="viridis", extend="both")
        filled.set_rasterized(True)
        axis.set_title(words, loc="left", fontsize=10)
        axis.set_aspect("equal")
        axis.grid(visible=False)
    for axis in axes[-1]:
        axis.set_xlabel("km east")
        axis.set_xticks([-30, -15, 0, 15, 30])
    for axis in axes[:, 0]:
        axis.set_ylabel("km north")
    assert filled is not None
    ticks = _LEVELS[::2].tolist()
    figure.colorbar(filled, ax=axes, shrink=0.5, label="mean kernel, over the largest true one", ticks=ticks)
    caption(
        figure,
        f"{_setting(result)}. One survey. The noise of M1, M2, M3 and LDP with ε for each place is drawn by the normal "
        f"law of a mean of {result['people']:,} reports;\nthe others are simulated person by person. "
        f"Data: {result['source']}.",
    )
    return figure
