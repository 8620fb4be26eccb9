"""Dots for the errors of mechanisms in one setting: with ε for each query, and with one ε a person."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from geopriv_paper.figures.style import BLACK, GREY, LOOK

_WINE = "#882255"  # M1 is never beside the Lattice in pictures of lines, but it is here
COLOURS = {name: look["color"] for name, look in LOOK.items()} | {"f_tau": BLACK, "M1": _WINE}


def dots(axis: Axes, result: dict[str, Any], names: dict[str, str]) -> None:
    """One row a mechanism, the first on top; hollow rings are simulated surveys with ± 2 standard errors.

    Args:
        axis: to draw on.
        result: of a panel, with "expected", "shared" and "checks".
        names: mechanisms in order, with the words beside their rows.
    """
    surveys = simulated(result["checks"])
    for row, name in enumerate(names):
        each, colour = result["expected"][name]["error"], COLOURS[name]
        shared = result["shared"].get(name, {}).get("error")
        if shared is not None and shared > 1.001 * each:
            axis.plot([each, shared], [row, row], color=colour, lw=1, alpha=0.5)
            axis.plot([shared], [row], ">", color=colour, ms=6.5)
        axis.plot([each], [row], "o", color=colour, ms=6.5)
        if name in surveys:
            one = surveys[name]
            value, error = each * one["simulated"], 2 * each * one["standard_error"]
            low = min(error, 0.9 * value)  # a logarithmic axis has no zero
            axis.errorbar([value], [row - 0.28], xerr=[[low], [error]], fmt="o", mfc="white", color=colour, ms=4, lw=1)
    axis.set_xscale("log")
    axis.set_yticks(range(len(names)), list(names.values()))
    axis.set_ylim(len(names) - 0.4, -0.7)
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", length=0)


def simulated(checks: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Of each mechanism the largest surveys in which everyone answers: their people, mean ratio and standard error."""
    found = {}
    for name in dict.fromkeys(one["mechanism"] for one in checks):
        own = [one for one in checks if one["mechanism"] == name and one["answering"] is None]
        people = max(one["people"] for one in own)
        rounds = [one for one in own if one["people"] == people]
        found[name] = {
            "people": people,
            "simulated": float(np.mean([one["simulated"] for one in rounds])),
            "standard_error": float(np.linalg.norm([one["standard_error"] for one in rounds])) / len(rounds),
        }
    return found


def with_surveys(results: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    """A panel's result, with the checks of its larger surveys."""
    more = [one for key, result in results.items() if key.startswith(f"{name}-surveys") for one in result["checks"]]
    return results[name] | {"checks": [*results[name]["checks"], *more]}


def legend() -> list[Line2D]:
    """What the marks mean."""
    return [
        Line2D([], [], ls="", marker="o", color=GREY, ms=6.5, label="exact: ε for each query, or one report for all"),
        Line2D([], [], ls="-", marker=">", color=GREY, ms=6.5, label="exact: one ε a person, each answers one query"),
        Line2D([], [], ls="", marker="o", mfc="white", color=GREY, ms=4, label="simulated ± 2 standard errors"),
    ]
