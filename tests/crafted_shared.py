"""Tables that share a report, at hostile numbers and with the largest share that a device takes, to the last bit."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

from geopriv.device.chances import chances_of
from geopriv.device.far import Spoken, holds
from geopriv.device.sights import read_sight
from geopriv.errors import InvalidDesign
from tests.crafted_parts import TOTAL, Document, guarantee, unit_of

FLAT = ("Line", "LogLine", "Plane", "Euclidean", "LocalPlane")
_WORK = 500  # that the search for the largest share may take each time
_ENDS = (1e9, 1e200, 1.7e308)  # of lattices whose cells are as wide as floats go


def shared_on(rng: random.Random, space: Document) -> Document:
    """One to four tables around discs and polygons of a space, some of them near each other."""
    epsilon = rng.choice((1.0, 0.3, 2.0**20, 1e-6, 2.0**-200, 2.0**-201))
    if space["type"] == "LocalPlane":
        epsilon = rng.choice((1e-3, 1e-2)) if space["radius"] > 1e6 else 1.0
    promise, axes = guarantee(epsilon, unit_of(space)), _axes(space)
    apart, start = rng.choice((2.0, 8.0, 30.0)) / epsilon, rng.choice((0.0, 0.0, -1e3, 1e6)) / epsilon
    if space["type"] == "LocalPlane":
        start = 0.0
    tables = []
    for _ in range(rng.choice((1, 2, 2, 3, 4))):
        center = [start + apart * rng.uniform(-2, 2) for _ in range(axes)]
        table = _table(rng, epsilon, _set(rng, center, rng.choice((0.0, 0.5, 2.0)) / epsilon))
        tables.append(table | {"space": space, "guarantee": promise})
    found = {"type": "SharedTables", "space": space, "guarantee": promise, "tables": tables, "share": [1, 1]}
    return found | {"share": _share(rng, found)}


def _axes(space: Document) -> int:
    return {"Line": 1, "LogLine": 1, "Plane": 2, "LocalPlane": 2, "Earth": 2}.get(space["type"]) or int(space["axes"])


def _set(rng: random.Random, center: list[float], size: float) -> Document:
    """A disc, or in a plane a polygon, which may have a hole or be a line."""
    if len(center) != 2 or not size or rng.random() < 0.5:
        return {"type": "Radial", "center": center, "offset": rng.choice((size, size, -size, -0.0))}
    x, y = center
    corners = [(x - size, y - size), (x + size, y - rng.choice((size, 0.0))), (x, y + size)]
    rings = [corners, [(x + a * size, y + b * size) for a, b in ((0.1, 0.1), (0.2, -0.3), (-0.2, -0.1))]]
    if rng.random() < 0.2:
        rings = [[corners[0], corners[1], corners[0]]]
    return {"type": "Region", "rings": [[list(p) for p in (*ring, ring[0])] for ring in rings[: rng.choice((1, 1, 2))]]}


def _table(rng: random.Random, epsilon: float, coordinate: Document) -> Document:
    """A table that says less and less the farther a place is, as fast as it may or slower."""
    lattice = [-2.0]
    for _ in range(rng.choice((3, 4, 6, 9))):
        lattice.append(lattice[-1] + rng.choice((1.5, 0.5, 1.0, 1e-6, 3.0)))
    if rng.random() < 0.3:
        end = rng.choice(_ENDS)
        lattice = [*rng.choice(([], [-end])), *rng.choice(([], lattice)), end]
        lattice = [-end, end] if len(lattice) < 2 else lattice
    lattice = [place / epsilon if abs(place) < 1e100 else place for place in lattice]
    letters, idle = rng.choice((2, 3, 4)), 0
    row = [TOTAL // 50, *([(TOTAL - TOTAL // 50) // (letters - 1)] * (letters - 1))]
    row[1] += TOTAL - sum(row)
    rows = [row]
    for a, b in pairwise(lattice):
        rows.append(_quieter(rows[-1], min(Fraction(epsilon) * (Fraction(b) - Fraction(a)), Fraction(10)), rng))
    if rng.random() < 0.15:  # more and more
        rows.reverse()
    values = [0.0, *(rng.choice((1.0, -0.5, 3.0)) for _ in range(letters - 1))]
    query = {"type": "Ball", "center": [0.0], "radius": 1.0, "width": 1.0, "space": None}
    found = {"type": "Table", "query": query, "coordinate": coordinate, "lattice": lattice, "values": values}
    if rng.random() < 0.5:
        idle = rng.randrange(letters)
        values[0], values[idle] = values[idle], values[0]
        for each in rows:
            each[0], each[idle] = each[idle], each[0]
    if rng.random() < 0.3:
        found |= {"type": "BracketTable", "inner": values, "outer": [0.5 * part for part in values]}
    return found | {"weights": rows}


def _quieter(row: list[int], rate: Fraction, rng: random.Random) -> list[int]:
    """The row after a cell of ε·δ = rate; the first letter is idle, and grows as much as it may or less."""
    part = rng.choice((Fraction(1), Fraction(999, 1000), Fraction(1, 2), Fraction(0)))
    said = [math.ceil(weight / (1 + part * rate)) for weight in row[1:]]
    most = math.floor(row[0] * (1 + rate))
    if TOTAL - sum(said) > most:  # then it is the idle letter that grows as fast as it may
        before = TOTAL - row[0]
        said = [weight - (weight * (most - row[0])) // before for weight in row[1:]]
    return [TOTAL - sum(said), *said]


def _share(rng: random.Random, found: Document) -> list[int]:
    """A simple share, or the largest there is, or one that is larger by the last bit of a float."""
    if rng.random() < 0.6:
        return rng.choice(([1, 1], [3, 4], [1, 2], [1, 10], [11, 10]))
    limit = _least_limit(found)
    if limit is None:
        return [1, 2]
    limit = rng.choice((limit, limit, math.nextafter(limit, 0.0), limit * (1 + 2.0**-30)))
    return [Fraction(limit).denominator, Fraction(limit).numerator]


def _least_limit(found: Document) -> float | None:
    """The least 1/μ, as a float, that a device shows to be enough with little work."""
    rate = float(found["guarantee"]["epsilon"])
    spoken = []
    try:
        for table in found["tables"]:
            sizes = [sum(abs(table[key][j]) for key in ("values", "inner", "outer") if key in table)
                     for j in range(len(table["values"]))]  # fmt: skip
            chances = chances_of(table["lattice"], table["weights"], sizes.index(min(sizes)), Fraction(rate))
            spoken.append(Spoken(read_sight(table["coordinate"], _axes(found["space"]), "it"), chances))
    except (InvalidDesign, ArithmeticError):
        return None
    low, high = 0.5, 8.0
    if not holds(tuple(spoken), rate, high, _WORK):
        return None
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if holds(tuple(spoken), rate, middle, _WORK) else (middle, high)
    return max(high, 1.0)
