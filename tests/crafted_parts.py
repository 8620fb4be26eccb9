"""Spaces, queries, tables and lattices with hostile parameters, many of which keep their promise by one unit."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

from tests.independent_coordinates import coordinate_of

Document = dict[str, Any]
TOTAL = 1 << 60
RADIUS = 6_371_008.8
PLACES = ((90.0, 0.0), (-90.0, 77.0), (10.0, 180.0), (0.0, -180.0), (5.0, 360.0))
SIZES = (1.0, 1e-3, 1e3, 1e-12, 1e12, 1e-150, 1e150, 1e-300, 5e-324, 1e-9, 1e15, 0.1)


def guarantee(epsilon: float, unit: str | None) -> Document:
    return {"type": "Guarantee", "epsilon": epsilon, "delta": 0.0, "radius": "inf", "unit": unit, "metric": "distance",
            "reference": "by hand"}  # fmt: skip


def mechanism(rng: random.Random) -> tuple[str, Document]:
    """A table or a lattice, and what it is."""
    space = any_space(rng)
    if space["type"] != "Earth" and rng.random() < 0.25:
        return f"Lattice on {space['type']}", lattice_on(rng, space)
    return table_on(rng, space)


def table_on(rng: random.Random, space: Document) -> tuple[str, Document]:
    """A table on a space, and what it is."""
    query, size = _query(rng, space)
    named, coordinate = _coordinate(rng, query, space, size)
    table = _table(rng, query, unit_of(space), size) | {"space": space, "coordinate": coordinate}
    return f"{query['type']} on {space['type']}, {named}", table


def _coordinate(rng: random.Random, query: Document, space: Document, size: float) -> tuple[str, Document]:
    """The coordinate of the query mostly, and else one that has nothing to do with it."""
    try:
        if rng.random() < 0.85:
            return "its own coordinate", coordinate_of(query)
    except (ArithmeticError, ValueError):  # a query that has none
        pass
    kinds = ("Linear", "Radial", "Radial", "Quadrant", "Region", "EarthRegion")
    kind = rng.choice(kinds if space["type"] != "Earth" else ("Radial", "EarthRegion", "EarthRegion", "Quadrant"))
    return f"a {kind}", _hostile(rng, kind, space, size)


def _hostile(rng: random.Random, kind: str, space: Document, size: float) -> Document:
    """Numbers of a coordinate of which nothing is to be believed."""
    axes = {"Line": 1, "LogLine": 1, "Plane": 2, "LocalPlane": 2, "Earth": 2}.get(space["type"]) or space["axes"]
    axes += rng.choice((0,) * 20 + (1, -1))
    middle = [rng.choice((0.0, size, -size, 3.0, 1e15, -1e308, 5e-324)) for _ in range(axes)]
    if space["type"] == "Earth" and kind != "Quadrant":
        middle = place(rng, space)
    offset = rng.choice((0.0, size, -size, 3 * size, 1e308, -5e-324))
    match kind:
        case "Linear":
            length = rng.choice((1.0, 1.0, 1.0, 0.5, 1.9, 0.0, 5e-324, 1e-200, 1e308, -1.0))
            parts = [rng.choice((1.0, -1.0, 0.0, 0.3, 1e-300)) for _ in range(axes)]
            return {
                "type": kind,
                "direction": [length * part / math.sqrt(axes or 1) for part in parts],
                "shift": offset,
            }
        case "Radial":
            return {"type": kind, "center": middle, "offset": offset}
        case "Quadrant":
            return {"type": kind, "corner": middle}
    flat = space if kind == "EarthRegion" and space["type"] == "Earth" else {"type": "Plane"}
    shape = polygon(rng, flat, [*middle, 0.0, 0.0][:2], size)
    polygons = [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]
    return {"type": kind, "rings": [ring for rings in polygons for ring in rings]}


def unit_of(space: Document) -> str | None:
    if space["type"] == "LogLine":
        return f"factor {float(space['base'])!r}".removesuffix(".0")
    return "m" if space["type"] in ("Earth", "LocalPlane") else space["unit"]


def any_space(rng: random.Random) -> Document:
    kind = rng.choice(("Line", "LogLine", "Plane", "Euclidean", "Earth", "Earth", "LocalPlane", "LocalPlane"))
    match kind:
        case "LogLine":
            base = rng.choice((2.0, 10.0, 1.5, 1 + 2.0**-52, 1.0001, 1e308, 2, 1.0))
            return {"type": kind, "base": base, "floor": rng.choice((1.0, 1e-3, 5e-324, 1e300, 1)), "unit": None}
        case "Euclidean":
            return {"type": kind, "axes": rng.choice((1, 2, 3, 5, 64, 65)), "unit": rng.choice((None, "m"))}
        case "Earth":
            return {"type": kind, "radius": rng.choice((RADIUS, RADIUS, 6.4e6, 1.0, 1e-9, 5e-324, 6.5e6))}
        case "LocalPlane":
            return _map(rng)
    return {"type": kind, "unit": rng.choice((None, "m", "USD"))}


def _map(rng: random.Random) -> Document:
    south, west = rng.choice(((40.5, -74.3), (-90.0, -180.0), (-0.1, 179.9), (89.0, 10.0), (-30.5, 359.5), (0.0, 0.0)))
    high, wide = rng.choice((0.5, 1.0, 1e-9, 90.0, 5e-13)), rng.choice((0.6, 1.0, 1e-9, 179.0, 179.99999999999997))
    east = west + wide if west + wide <= 360 else west + wide - 360
    return {"type": "LocalPlane", "south": south, "west": west, "north": south + high, "east": east,
            "radius": rng.choice((RADIUS, RADIUS, 6.4e6, 1.0, 1e-300))}  # fmt: skip


def place(rng: random.Random, space: Document) -> list[float]:
    """A public place: near the middle of things mostly, at the ends of the globe, or far away."""
    match space["type"]:
        case "Earth":
            anywhere = (rng.uniform(-90, 90), rng.uniform(-180, 180))
            return list(rng.choice(((40.7, -74.0), *PLACES, anywhere)))
        case "LocalPlane":
            height, width = space["north"] - space["south"], (space["east"] - space["west"]) % 360
            return [space["south"] + rng.random() * height, (space["west"] + rng.random() * width + 180) % 360 - 180]
        case "LogLine":
            return [rng.choice((1000.0, 1.0, 3.0, 1e300, 1e-5))]
    axes = {"Line": 1, "Plane": 2}.get(space["type"]) or space["axes"]
    size = rng.choice((0.0, 1.0, 1.0, 1e5, 8e20, 1e308, 5e-324, 2.0**53 + 2))
    return [size * rng.choice((1, -1, 0.5)) for _ in range(axes)]


def _query(rng: random.Random, space: Document) -> tuple[Document, float]:
    """A query on a space, and a distance that suits it."""
    kind, size = space["type"], rng.choice(SIZES)
    if kind in ("Earth", "LocalPlane"):
        size = rng.choice((1e3, 1e3, 1e-6, 1.0, 1e6)) * space["radius"] / RADIUS or 5e-324
    if kind == "LogLine":
        size = rng.choice((0.5, 1.0, 1e-9, 1e15))
    centered = ("Ball", "GaussianKernel", "RadialQuery")
    flat = ("Orthant", "Score", "LinearQuery")
    fenced = ("Geofence",) * 4 if kind in ("Plane", "Earth", "LocalPlane") else ()
    if kind in ("Line", "LogLine"):
        asked = rng.choice(("Threshold", "Range", "Blurred", *centered))
    else:
        asked = rng.choice((*centered, *fenced, *(() if kind == "Earth" else flat)))
    return _asked(rng, asked, space, size), size


def _asked(rng: random.Random, kind: str, space: Document, size: float) -> Document:
    at = place(rng, space)
    ramp = {"type": "Ramp", "width": size, "center": 0.0, "rising": True}
    match kind:
        case "Threshold":
            return {"type": kind, "at": at[0], "width": size, "space": space, "edge": "linear"}
        case "Blurred":
            return {"type": kind, "query": _asked(rng, "Threshold", space, size), "bandwidth": size}
        case "Range":
            high = at[0] * rng.choice((1.0, 2.0)) + size
            return {"type": kind, "low": at[0], "high": high, "width": size, "shape": "trapezoid", "space": space,
                    "edge": "linear"}  # fmt: skip
        case "Orthant":
            return {"type": kind, "at": at, "width": size, "space": space}
        case "Score":
            return {"type": kind, "weights": _direction(rng, len(at)), "at": size, "width": size, "space": space}
        case "LinearQuery":
            weights, start = _direction(rng, len(at)), rng.choice((0.0, size))
            return {"type": kind, "weights": weights, "profile": ramp, "intercept": start, "space": space}
        case "Ball":
            return {"type": kind, "center": at, "radius": size * rng.choice((1.0, 3.0)), "width": size, "space": space}
        case "GaussianKernel":
            return {"type": kind, "center": at, "bandwidth": size, "space": space}
        case "RadialQuery":
            return {"type": kind, "center": at, "profile": ramp, "space": space}
    return {"type": "Geofence", "polygon": polygon(rng, space, at, size), "width": size, "space": space}


def _direction(rng: random.Random, axes: int) -> list[float]:
    size = rng.choice((1.0, 1.0, 5e-324, 1e-200, 1e200, 1e308))
    return [size * rng.choice((1.0, -1.0, 0.5, 0.3, 0.0, 1e-9)) for _ in range(axes)]


def polygon(rng: random.Random, space: Document, at: list[float], size: float) -> Document:
    """A polygon about a place: whole, or degenerate in one of the ways there are."""
    x, y, wide = at[0], at[1], size
    if space["type"] != "Plane":
        x, y, wide = at[1], max(min(at[0], 90.0), -90.0), math.degrees(size / space["radius"])
    wide = rng.choice((1.0, 1.0, 1.0, 1e-9, 1e-3)) * wide
    if rng.random() < 0.15 and space["type"] == "Earth":
        wide = rng.choice((79.0, 75.0, 85.0, 1e-12))
    turns = sorted(rng.random() for _ in range(rng.choice((3, 4, 5, 9))))
    ring = [_degree(space, x + wide * math.sin(2 * math.pi * t), y + wide * math.cos(2 * math.pi * t)) for t in turns]
    shape = rng.choice(
        ("plain", "plain", "hole", "repeat", "twice", "crossed", "line", "names", "pole", "far", "islands")
    )
    match shape:
        case "repeat":
            ring = [corner for corner in ring for _ in range(rng.choice((1, 2)))]
        case "twice":  # the same corner again later on: the ring touches itself
            ring = [*ring, ring[1], *ring[:1]]
        case "crossed":
            rng.shuffle(ring)
        case "line":
            ring = [ring[0], ring[1], ring[0], ring[1]]
        case "names" if space["type"] != "Plane":  # one place by two names
            ring = [[180.0, y], [-180.0, y], *ring[:1], [180.0, max(y - wide, -90.0)]]
        case "pole" if space["type"] != "Plane":
            ring = [[0.0, 90.0], [90.0, 90.0], [45.0, 90.0 - min(wide, 60.0)], [100.0, 90.0 - min(wide, 60.0)]]
        case "far":
            ring = [*ring, [1e15, y] if space["type"] == "Plane" else [x, -y]]
    hole = [_degree(space, x + wide * a / 4, y + wide * b / 4) for a, b in ((1, 0), (0, 1), (-1, -1))]
    away = [_degree(space, x + 3 * wide + a, y + b) for a, b in hole]
    if shape == "islands":
        return {"type": "MultiPolygon", "coordinates": [[_closed(ring)], [_closed(hole)]]}
    rings = [ring, hole] if shape == "hole" else [ring, away] if shape == "far" else [ring]
    return {"type": "Polygon", "coordinates": [_closed(one) for one in rings]}


def _degree(space: Document, x: float, y: float) -> list[float]:
    return [x, y] if space["type"] == "Plane" else [max(min(x, 360.0), -360.0), max(min(y, 90.0), -90.0)]


def _closed(ring: list[list[float]]) -> list[list[float]]:
    return [*ring, ring[0]]


def _table(rng: random.Random, query: Document, unit: str | None, size: float) -> Document:
    """A table whose every step is the largest that the promise allows, and in one of eight larger by one unit."""
    epsilon = rng.choice((1.0, 0.3, 1e-6, 2.0)) / size if size > 1e-307 else 1e300
    points = rng.choice((2, 3, 4, 7))
    start = rng.choice((-1.5, 0.0, -0.3, 1e6, -1e9)) * size
    floor = 2.0**-40 * max(1.0, 1.0 / epsilon) if rng.random() < 0.9 else 0.0  # of cells, below which they are refused
    steps = [max(rng.choice((0.5, 1.0, 1e-3, 1e-9, 3.0)) * size, floor) for _ in range(points - 1)]
    lattice = [start]
    for step in steps:
        lattice.append(max(lattice[-1] + step, math.nextafter(lattice[-1], math.inf)) if rng.random() < 0.99 else start)
    letters = rng.choice((1, 2, 2, 3, 5))
    cuts = sorted(rng.choice((rng.randrange(TOTAL), rng.randrange(1000), TOTAL - 1)) for _ in range(letters - 1))
    row = [b - a for a, b in zip([0, *cuts], [*cuts, TOTAL], strict=True)]
    rows = [row]
    for a, b in pairwise(lattice):
        rows.append(next_row(rng, rows[-1], Fraction(epsilon) * abs(Fraction(b) - Fraction(a))))
    if rng.random() < 1 / 8 and letters > 1:  # one unit too much, one way or another
        hit, (i, j) = rng.randrange(points), rng.sample(range(letters), 2)
        rows[hit][i] += 1
        rows[hit][j] -= rng.choice((0, 1))
    promise, values = guarantee(epsilon, unit), [float(k) for k in range(letters)]
    return {
        "type": "Table",
        "query": query,
        "guarantee": promise,
        "lattice": lattice,
        "values": values,
        "weights": rows,
    }


def next_row(rng: random.Random, row: list[int], rate: Fraction) -> list[int]:
    """The row after a cell of ε·δ = rate: as much moved from one letter to another as it may be."""
    found = list(row)
    if len(row) > 1:
        down, up = rng.sample(range(len(row)), 2)
        most = min(rate * row[down] / (1 + rate), rate * row[up])
        if most < TOTAL:
            moved = math.floor(most)
            found[down], found[up] = row[down] - moved, row[up] + moved
    return found


def lattice_on(rng: random.Random, space: Document) -> Document:
    """A grid with θ at the largest that is allowed to 30 digits, below it, and sometimes above."""
    size = rng.choice(SIZES)
    axes = {"Line": 1, "LogLine": 1, "Plane": 2, "LocalPlane": 2}.get(space["type"]) or space["axes"]
    epsilon, step = rng.choice((1.0, 0.01, 1e-3)) / size if size > 1e-300 else 1e300, size * rng.choice((0.1, 1.0, 3.0))
    parts = 10**30
    square = (Fraction(epsilon) * Fraction(step)) ** 2 / axes
    top = isqrt(math.floor(square * parts**2)) + rng.choice((0, 0, 0, 0, -1, 1))
    origin = [rng.choice((0.0, 1e-3, 1e12, -1e300, 5e-324)) for _ in range(axes)]
    return {"type": "Lattice", "space": space, "guarantee": guarantee(epsilon, unit_of(space)), "step": step,
            "theta": [max(top, 1), parts], "origin": origin}  # fmt: skip
