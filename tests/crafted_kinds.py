"""Designs of the further kinds that a browser's device takes, as an enemy writes them: from nothing, and bent.

Tables with spare rows, tables whose letters count for other things too, lattices of round noise, tables that share a
report, several mechanisms, groups, and public ranges: each with numbers at the ends of what its promise allows.
"""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from geopriv.device.tables import MOST_SHARE, SpareRows, worst_step
from tests.crafted_parts import Document, any_space, lattice_on, next_row, table_on
from tests.crafted_shared import FLAT, shared_on
from tests.crafting import EDGES, JUNK, Crafted, bent, broken, rehashed

VECTORS = Path(__file__).parents[1] / "docs" / "vectors"
_LABELS = ("Kings", "Queens", "Île", "a" * 60, "a" * 61, "", "x y", ' "', "\u202e", "e\u0301", "\ud800", "😀", "Kings")
_MOST_CORE = 1 << 40


def of_further_kinds(n: int, seed: int) -> list[Crafted]:
    """So many files: one in five bent, the others from nothing."""
    rng = random.Random(f"further {seed}")
    return [_bent(rng) if k % 5 == 0 else _made(rng, rng.choice(_OFTEN)) for k in range(n)]


def of_kind(kind: str, n: int, seed: int) -> list[Crafted]:
    """So many files of one kind, from nothing."""
    rng = random.Random(f"{kind} {seed}")
    return [_made(rng, kind) for _ in range(n)]


def _made(rng: random.Random, kind: str) -> Crafted:
    """A design of one kind, with groups and a range now and then."""
    often = 0.8 if kind == "groups and ranges" else 0.2
    name, parts = _KINDS[kind](rng)
    weakest = max((part["guarantee"] for part in parts), key=lambda promise: promise["epsilon"])
    shares = [rng.choice((1, 1, 7, 1 << 32)) for _ in parts]
    document = {"type": "Design", "version": 3, "survey": "crafted", "mechanisms": parts, "questions": [],
                "shares": shares, "source": None, "guarantee": weakest}  # fmt: skip
    if rng.random() < often:
        document |= _openly(rng)
        name += ", with groups"
    if rng.random() < often:
        document["source"] = _source(rng, parts[0])
        name += ", in a range"
    return Crafted(f"made: {name}", rehashed(document))


def _bent(rng: random.Random) -> Crafted:
    return rng.choice((bent, bent, broken))(rng, [copy.deepcopy(rng.choice(_valid()))])


@lru_cache(maxsize=1)
def _valid() -> list[Document]:
    """The designs of the published vectors, but walks, and the same table with letters that count for more."""
    files = [path for path in sorted(VECTORS.glob("*.design.json")) if not path.name.startswith("walk")]
    found = [json.loads(path.read_bytes()) for path in files]
    (table,) = json.loads((VECTORS / "threshold.design.json").read_bytes())["mechanisms"]
    values = table["values"]
    bracket = table | {"type": "BracketTable", "inner": values, "outer": values}
    vector = table | {"type": "VectorTable", "others": [table["query"]], "vectors": [values]}
    return [*found, *(found[0] | {"mechanisms": [one], "guarantee": table["guarantee"]} for one in (bracket, vector))]


def _table(rng: random.Random) -> Document:
    return table_on(rng, any_space(rng))[1]


def _spare(rng: random.Random) -> tuple[str, list[Document]]:
    """Spare rows that differ from the rows by much, a chance for each cell, and the least ε that a device takes."""
    table = _table(rng)
    rows = [next_row(rng, row, Fraction(rng.choice((0, 1, 3)))) for row in table["weights"]]
    shares = [rng.choice((MOST_SHARE, MOST_SHARE, 0, 1, MOST_SHARE // 2 + 1, MOST_SHARE + 1)) for _ in rows[1:]]
    if rng.random() < 0.9:
        shares = [min(share, MOST_SHARE) for share in shares]
    spare = {"type": "SpareRows", "rows": rows, "shares": shares}
    table |= {"spare": spare, "guarantee": dict(table["guarantee"])}
    table["guarantee"]["epsilon"] = _least_epsilon(rng, table)
    return f"spare rows on {table['space']['type']}", [table]


def _least_epsilon(rng: random.Random, table: Document) -> float:
    """The least float that the table keeps, mostly; else the next one below it."""
    lattice, epsilon = table["lattice"], table["guarantee"]["epsilon"]
    try:
        spare = SpareRows(table["spare"]["rows"], table["spare"]["shares"])
        least = worst_step(lattice, table["weights"], Fraction(1), spare)[0]
        found = float(least)
    except ArithmeticError:
        return float(epsilon)
    if not 1e-300 < found < 1e9 / 2:
        return float(epsilon)
    if Fraction(found) < least:
        found = math.nextafter(found, math.inf)
    return found if rng.random() < 0.8 else math.nextafter(found, 0.0)


def _bracket(rng: random.Random) -> tuple[str, list[Document]]:
    table = _table(rng)
    table |= {"type": "BracketTable", "inner": _counted(rng, table), "outer": _counted(rng, table)}
    return f"brackets on {table['space']['type']}", [table]


def _vector(rng: random.Random) -> tuple[str, list[Document]]:
    table = _table(rng)
    others = [rng.choice((table["query"], {}, {"type": "Threshold"})) for _ in range(rng.choice((0, 1, 2, 3)))]
    vectors = [_counted(rng, table) for _ in others]
    if rng.random() < 0.2:  # one that has no letters, or is none
        others = [*others, rng.choice((table["query"], rng.choice(JUNK)))]
    table |= {"type": "VectorTable", "others": others, "vectors": vectors}
    return f"a vector on {table['space']['type']}", [table]


def _counted(rng: random.Random, table: Document) -> list[Any]:
    """A number for each letter."""
    size = len(table["values"]) + (rng.choice((-1, 1)) if rng.random() < 0.05 else 0)
    return [rng.choice(EDGES) if rng.random() < 0.05 else rng.choice((0.0, 1, -0.5)) for _ in range(size)]


def _round(rng: random.Random) -> tuple[str, list[Document]]:
    """θ at ε·step and the least core or the largest, give or take one unit."""
    space = rng.choice((any_space(rng), {"type": "Euclidean", "axes": rng.randrange(2, 8), "unit": None}))
    if space["type"] == "Earth":
        space = {"type": "Plane", "unit": "m"}
    lattice = lattice_on(rng, space)
    axes, parts = len(lattice["origin"]), 10**30
    allowed = Fraction(lattice["guarantee"]["epsilon"]) * Fraction(lattice["step"])
    theta = Fraction(max(math.floor(allowed * parts) + rng.choice((0, 0, 0, -1, 1)), 1), parts)
    least, most = math.ceil(axes * (2 + theta) ** 2 / (4 * theta * (4 + 3 * theta))), math.floor(16 / theta**2)
    core = rng.choice((least, least, least + 1, most, least - 1, most + 1))
    lattice |= {"theta": [theta.numerator, theta.denominator], "core": min(core, _MOST_CORE + rng.choice((0, 1)))}
    return f"round noise on {space['type']}", [lattice]


def _shared(rng: random.Random) -> tuple[str, list[Document]]:
    space = any_space(rng)
    while space["type"] not in FLAT and rng.random() < 0.95:
        space = any_space(rng)
    found = shared_on(rng, space)
    if rng.random() < 0.05:
        found["tables"][0]["spare"] = {"type": "SpareRows", "rows": found["tables"][0]["weights"], "shares": []}
    return f"a shared report on {space['type']}", [_retyped(rng, found)]


def _several(rng: random.Random) -> tuple[str, list[Document]]:
    """Two or three mechanisms of any kinds on one space, whose numbers may be of another type."""
    space = any_space(rng)
    found = [table_on(rng, space)[1] for _ in range(rng.choice((1, 2)))]
    found.append(table_on(rng, space)[1] if space["type"] == "Earth" else lattice_on(rng, space))
    for table in found[:1]:
        table |= {"type": "BracketTable", "inner": table["values"], "outer": table["values"]}
    rng.shuffle(found)
    return f"several on {space['type']}", [_retyped(rng, part) for part in found]


def _plain(rng: random.Random) -> tuple[str, list[Document]]:
    space = rng.choice(({"type": "Line", "unit": "USD"}, {"type": "LogLine", "base": 2.0, "floor": 1.0, "unit": None},
                        {"type": "Plane", "unit": "m"}, any_space(rng)))  # fmt: skip
    made = lattice_on(rng, space) if space["type"] != "Earth" and rng.random() < 0.7 else table_on(rng, space)[1]
    return f"a {made['type']} on {space['type']}", [made]


def _retyped(rng: random.Random, document: Document) -> Document:
    """The same with its space's numbers as whole numbers, or 0 as -0, now and then: a device may take it or not."""
    if rng.random() < 0.8:
        return document
    other = {key: _other_type(part) for key, part in document["space"].items()}
    return document | {"space": other}


def _other_type(part: Any) -> Any:
    if isinstance(part, float) and part.is_integer():
        return int(part) if part else -part
    return part


def _openly(rng: random.Random) -> Document:
    """Groups of which a report tells one, and who is counted; mostly as they should be."""
    names: Iterable[str] = ("Kings", "Queens", "New York")[: rng.choice((2, 3))]
    if rng.random() < 0.3:
        names = rng.choices(_LABELS, k=rng.randrange(1, 4))
    weights = rng.choice(([], [], [], [], [1.0] * len(list(names)), [1, 2.5, 3], [0.0, 1.0], None))
    groups = {"type": "Groups", "column": rng.choice(("county", "county", "", "a" * 201)), "names": list(names),
              "weights": weights}  # fmt: skip
    counted = rng.choice(("households", "households", "people", "a" * 61, 1, "km²"))
    return rng.choice(({"groups": groups}, {"groups": groups, "counted": counted}, {"counted": counted}))


def _source(rng: random.Random, mechanism: Document) -> Document:
    """A public range to which values are clamped, mostly one that the space can have."""
    axes = {"Line": 1, "LogLine": 1}.get(mechanism["space"]["type"]) or int(mechanism["space"].get("axes", 2))
    axes += rng.choice((0,) * 12 + (1, -1))
    size = rng.choice((1.0, float(mechanism.get("step", 1.0)), *mechanism.get("lattice", [])[-1:]))
    low = [rng.choice((0.0, 0.0, -abs(size), 1, -1e300)) for _ in range(axes)]
    high = [end + rng.choice((abs(size), abs(size), 1e-9, 0.0 if rng.random() < 0.1 else 2.0)) for end in low]
    if rng.random() < (0.8 if mechanism["space"]["type"] in ("Earth", "LocalPlane") else 0.1):
        low = high = []
    return {"type": "Source", "columns": [], "low": low, "high": high, "person": rng.choice(("", None, "id"))}


_KINDS: dict[str, Callable[[random.Random], tuple[str, list[Document]]]] = {
    "spare rows": _spare,
    "brackets": _bracket,
    "a vector": _vector,
    "round noise": _round,
    "several": _several,
    "groups and ranges": _plain,
    "a shared report": _shared,
}
_OFTEN = [*_KINDS, "spare rows", "round noise", "several", "several"]  # shared reports take long to verify
