"""Shared reports that are written by hand: what an enemy could put in a design."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any


def falling(rate: float, points: int = 400) -> tuple[list[float], list[list[int]]]:
    """A lattice and rows of two letters, of which the second falls from 9/10 as fast as its promise allows."""
    lattice = [0.05 * k / rate for k in range(points)]
    said = [Fraction(9, 10)]
    for a, b in pairwise(lattice):
        step = Fraction(rate) * (Fraction(b) - Fraction(a)) * Fraction(9999, 10_000)
        said.append(Fraction(float(max(said[-1] / (1 + step), said[-1] - step * (1 - said[-1])))))
    letters = [int(part * (1 << 60)) for part in said]
    return lattice, [[(1 << 60) - letter, letter] for letter in letters]


def by_hand(space: dict[str, Any], unit: str, rate: float, centers: list[list[float]], idle: bool = True) -> Any:
    """The document of a shared report of discs that are heard whenever anybody is in one."""
    guarantee = {
        "type": "Guarantee",
        "epsilon": rate,
        "delta": 0.0,
        "radius": "inf",
        "unit": unit,
        "metric": "distance",
    }
    lattice, weights = falling(rate)
    tables = [
        {
            "type": "Table",
            "space": space,
            "coordinate": {"type": "Radial", "center": center, "offset": 0.0},
            "query": {},
            "guarantee": guarantee | {"reference": "T5"},
            "lattice": lattice,
            "values": [0.0, 1.0] if idle else [1.0],
            "weights": weights if idle else [[1 << 60] for _ in lattice],
        }
        for center in centers
    ]
    return {
        "type": "SharedTables",
        "space": space,
        "guarantee": guarantee | {"reference": "T13"},
        "tables": tables,
        "share": [1, 1],
    }


def hidden_in_a_wide_cell() -> Any:
    """Two discs, of which the first is heard with chance 0.45 everywhere. Together they are heard too often.

    Where floats overflow its chance was taken for that of the end of its one cell, nearly 0.
    """
    found, total = by_hand({"type": "Plane", "unit": "m"}, "m", 1.0, [[0.0, 0.0], [100.0, 0.0]]), 1 << 60
    found["tables"][0] |= {
        "lattice": [-1.7e308, 1.7e308],
        "weights": [[total - total // 1000, total // 1000], [total // 10, total // 10 * 9 + 6]],
    }
    found["share"] = [19, 20]
    return found


def design_of(mechanism: Any) -> dict[str, Any]:
    """The document of a design that asks nothing, of one mechanism."""
    return {
        "type": "Design",
        "version": 3,
        "survey": "by hand",
        "mechanisms": [mechanism],
        "shares": [1],
        "questions": [],
        "source": None,
        "guarantee": mechanism["guarantee"],
    }
