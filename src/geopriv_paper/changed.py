"""What changed: by how much our mechanisms improve on M3 at the same guarantee, and how far the floor is."""

from __future__ import annotations

import math
from typing import Any

from geopriv_paper.claims.claim import Panels
from geopriv_paper.one_way import OURS, mean_squared_error
from geopriv_paper.settings import ONE_WAY_PEOPLE


def changed(results: dict[str, Panels]) -> dict[str, list[dict[str, Any]]]:
    """For each experiment that was run one row a panel, as plain JSON."""
    makers = {"one-way": _one_way, "two-way": _grid, "kde": _grid}
    return {name: make(results[name]) for name, make in makers.items() if name in results}


def _one_way(panels: Panels) -> list[dict[str, Any]]:
    """One query a person, so the same ε for each query is the same total budget."""
    rows = []
    for name, panel in panels.items():
        if "at" not in panel:
            continue
        errors = {
            people: {one: mean_squared_error(numbers, people) for one, numbers in panel["expected"].items()}
            for people in (ONE_WAY_PEOPLE[0], ONE_WAY_PEOPLE[-1])
        }
        few, many = errors.values()
        unbiased = {one: many[one] for one in ("LeastScaleT", "Lattice", "Table")}
        rows.append(
            {
                "panel": name,
                "at": panel["at"],
                "inverse_rate": panel["inverse_rate"],
                "gains": {one: many["M3"] / many[one] for one in OURS},
                "gains_few": {one: few["M3"] / few[one] for one in OURS},
                "over_floor": {one: error * ONE_WAY_PEOPLE[-1] / panel["least"] for one, error in unbiased.items()},
                "m0_wins_up_to": {one: _overtaken(panel, names) for one, names in (("M3", ("M3",)), ("ours", OURS))},
            }
        )
    return rows


def _overtaken(panel: dict[str, Any], others: tuple[str, ...]) -> int:
    """Up to how many people the biased M0 has a smaller error than all of some mechanisms, one of which is unbiased."""
    plain = panel["expected"]["M0"]
    people: list[int] = []
    for other in others:
        numbers = panel["expected"][other]
        bias, variance = plain["bias"] ** 2 - numbers["bias"] ** 2, numbers["variance"] - plain["variance"]
        if bias > 0:
            people.append(max(0, math.floor(variance / bias)))
    return min(people)


def _grid(panels: Panels) -> list[dict[str, Any]]:
    """Many queries: at the paper's ε for each, and at one ε a person."""
    return [
        {
            "panel": name,
            "gains": _gains(panel["expected"]),
            "shared_gains": _gains(panel["shared"]),
            "over_floor": _over_floor(panel),
        }
        for name, panel in panels.items()
        if "expected" in panel and "shared" in panel
    ]


def _over_floor(panel: dict[str, Any]) -> dict[str, float]:
    """Variances over floors.

    Of those who answer each query with ε for it, over the mean of the queries' own floors (theory T7); of one report
    for all queries, over the floor of such a report (theory T10), where it is known.
    """
    pairs = (
        ("expected", "floor_each", ("LeastScaleT", "Table")),
        ("shared", "floor_shared", ("Lattice", "InputLaplace")),
    )
    return {
        name: panel[budget][name]["variance"] / panel[floor]
        for budget, floor, names in pairs
        for name in names
        if name in panel[budget] and floor in panel
    }


def _gains(errors: dict[str, dict[str, float]]) -> dict[str, float]:
    """M3's error over that of every other mechanism."""
    return {name: errors["M3"]["error"] / numbers["error"] for name, numbers in errors.items() if name != "M3"}
