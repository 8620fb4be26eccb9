"""Writes the test vectors of docs/client.md: designs, values, bytes, and the reports that come of them.

python docs/vectors/make.py [folder]
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.device.designs import verify
from geopriv.mechanisms.table.spare import SpareRows

PARK = {
    "type": "Polygon",
    "coordinates": [
        [[-74.02, 40.70], [-73.97, 40.70], [-73.97, 40.75], [-74.0, 40.73], [-74.02, 40.76], [-74.02, 40.70]],
        [[-74.0, 40.71], [-73.98, 40.71], [-73.98, 40.72], [-74.0, 40.71]],
    ],
}
COUNTIES = gp.queries.Groups("county", ("Kings", "Queens", "New York"), (2_736_074, 2_405_464, 1_694_251))
ABOUT = (
    "For each case: the design in the file, the value, and the bytes from which random ones are taken in order. "
    "'mechanism', 'report' and 'id' are what a device sends, 'used' is how many bytes that took. Where the design "
    "names groups, 'told' is the one that is told, and 'group' its number, which is sent too."
)
WALKS = (
    "A report of a walk a case: the round, the value, the bytes, and the state so far, which the device made before. "
    "'next' is the state after it. A state is round, steps, cell, and the exact value as numerator and denominator."
)


def table(query: gp.queries.Query, epsilon: float) -> gp.Table:
    """Four values on five points, with odd integers."""
    shares = np.array([[16, 8, 4, 4], [14, 8, 5, 5], [10, 8, 7, 7], [8, 8, 9, 7], [6, 10, 9, 7]]) * (1 << 55)
    weights = (shares + np.array([1, -1, 3, -3])).astype(np.int64)
    promise = gp.Guarantee(epsilon, unit=query.space.distance_unit, reference="theory T5")
    return gp.Table(
        query, promise, np.array([-2.0, -0.9, 0.1, 1.0, 2.5]) / epsilon, np.array([-0.5, 0, 1, 1.5]), weights
    )


def with_spare(query: gp.queries.Query, epsilon: float) -> gp.Table:
    """The same with spare rows, to which three cells look, each with another chance."""
    plain = table(query, epsilon)
    shares = np.array([[4, 4, 12, 12], [12, 12, 4, 4], [5, 6, 10, 11], [9, 7, 8, 8], [4, 4, 12, 12]]) * (1 << 55)
    rows = (shares + np.array([-7, 5, 1, 1])).astype(np.int64)
    spare = SpareRows(rows, np.array([1 << 40, (1 << 39) + 1, 1 << 40, 0], dtype=np.int64))
    return replace(plain, spare=spare)


def table_of_discs(query: gp.queries.Query) -> gp.Table:
    """Four values on seven points, idle far from the disc, with odd integers."""
    said = np.array([[6, 4, 4], [6, 4, 4], [4, 4, 4], [3, 3, 3], [2, 2, 2], [1, 1, 1], [1, 1, 1]]) * (1 << 55)
    said += np.array([1, 5, 3])
    weights = np.insert(said, 1, (1 << 60) - said.sum(axis=1), axis=1).astype(np.int64)
    promise = gp.Guarantee(1.0, unit=query.space.distance_unit, reference="theory T5")
    lattice = np.array([-3.0, -1.5, 0.2, 1.3, 2.9, 5.0, 7.0])
    return gp.Table(query, promise, lattice, np.array([-0.5, 0.0, 1.0, 1.5]), weights)


def designs() -> dict[str, tuple[gp.Design, list[Any]]]:
    """Designs and values, by name."""
    usd, earth = gp.Line("USD"), gp.Earth()
    line, plane = gp.Line(), gp.Plane("m")
    city = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
    incomes = (table(gp.Threshold(100_000.0, 16_000.0, usd), 1 / 8000),)
    asked = tuple(table(gp.Threshold(at, 2.0, line), 1.0) for at in (0.0, 1.0, 2.0))
    discs = tuple(table_of_discs(gp.Ball((x, 0.0), 2.0, 1.0, plane)) for x in (0.0, 31.0))
    shared = gp.mechanisms.SharedTables(discs[0].guarantee, discs, Fraction(3, 4))
    return {
        "threshold": (gp.Design("income", incomes), [0.0, 52_000.0, 99_999.99, 101_234.56, 1e12]),
        "partition": (gp.Design("three questions", asked, (1, 2, 5)), [-1.0, 0.1, 1.7]),
        "ball": (gp.Design("disc", (table(gp.Ball((0.0, 0.0), 2.0, 1.0, plane), 1.0),)), [[0.1, 0.2], [3.0, -1.0]]),
        "geofence": (
            gp.Design("park", (table(gp.Geofence(PARK, 500.0, earth), 1e-3),)),
            [[40.72, -74.0], [40.74, -73.99], [40.7, 286.0]],
        ),
        "shared": (
            gp.Design("far discs", (shared,)),
            [[0.1, 0.2], [3.0, -1.0], [15.5, 0.0], [60.0, 1.0]],
        ),
        "lattice": (
            gp.Design("map", (gp.Lattice.calibrate(plane, 1e-3, step=150.0, noise="product"),)),
            [[0.0, 0.0], [12_345.6, -78.9], [1e30, -1e30]],
        ),
        "spare": (
            gp.Design("spare rows", (with_spare(gp.Threshold(0.0, 2.0, line), 1.0),)),
            [-1.5, -0.4, 0.7, 1.9, 3.0],
        ),
        "round": (
            gp.Design("round map", (gp.Lattice.on_grid(plane, 1e-3, 20.0, (5.0, -3.0), noise="round"),)),
            [[0.0, 0.0], [12_345.6, -78.9], [1e30, -1e30]],
        ),
        "round-city": (
            gp.Design("round map of a city", (gp.Lattice.on_grid(city, 1e-3, 150.0, noise="round"),)),
            [[40.72, -74.0], [40.5, -74.3], [-33.9, 18.4]],
        ),
        "groups": (
            gp.Design("income by county", incomes, (), (), None, COUNTIES, "households"),
            [52_000.0, 101_234.56],
        ),
    }


class Bytes:
    """SHA-256 of a name and a count, 32 bytes at a time, after a beginning that may be given."""

    def __init__(self, name: str, begin: bytes = b"") -> None:
        more = (hashlib.sha256(f"{name}/{i}".encode()).digest() for i in range(8))
        self.given, self.used = begin + b"".join(more), 0

    def __call__(self, n: int) -> bytes:
        self.used += n
        return self.given[self.used - n : self.used]


def case(name: str, design: gp.Design, value: Any, source: Bytes) -> dict[str, Any]:
    """One value, its bytes and its report; of groups each in turn, by the bytes."""
    device = verify(design.to_bytes())
    names = device.groups.names
    told = names[source.given[0] % len(names)] if names else None
    line = json.loads(device._line(value, source, device.groups.index(told)))
    found = {"design": f"{name}.design.json", "value": value, "bytes": source.given[: source.used].hex()}
    openly = {"told": told, "group": line["group"]} if names else {}
    return found | {"used": source.used} | openly | {key: line[key] for key in ("mechanism", "report", "id")}


def cases() -> list[dict[str, Any]]:
    """Every value of every design four times, and shares that 64 bits do not settle (after 16 bytes of the id)."""
    made = designs()
    found = [
        case(name, design, value, Bytes(f"{name} {value} {i}"))
        for name, (design, values) in made.items()
        for value in values
        for i in range(4)
    ]
    found += [
        case("spare", made["spare"][0], value, Bytes(f"coins {value} {i}", _tossing(f"{value} {i}")))
        for value in made["spare"][1]
        for i in range(6)
    ]
    # about a third of the way from one lattice point to the next
    design, step = made["partition"][0], Fraction(0.1) - Fraction(-0.9)
    value = float(Fraction(-0.9) + step / 3)
    exact = (Fraction(value) - Fraction(-0.9)) / step
    tie = bytes(24) + int(exact * 2**64).to_bytes(8, "little") + (12 << 59).to_bytes(8, "little")
    return [*found, *(case("partition", design, value, Bytes("tie", tie + bytes([end] * 16))) for end in (0, 255))]


def _tossing(name: str) -> bytes:
    """An id and two words, of which the second has four last bits of 0: further coins may be tossed."""
    begin = bytearray(hashlib.sha256(name.encode()).digest())
    begin[24] &= 0xF0
    return bytes(begin)


def walk_design() -> gp.Design:
    """Noise that walks on a log space, of a coarse grid whose origin is no cell of its range."""
    walk = gp.mechanisms.WalkingLattice.on_grid(gp.LogLine(base=2.0, floor=1.0), 1.0, 0.3, 5, origin=9.5)
    return gp.Design("walk", (walk,), source=gp.Source((), (1.0,), (1e6,)))


def walks(design: gp.Design) -> list[dict[str, Any]]:
    """Walks that stay, move, go back, begin late, skip a round and leave the range, a report a case."""
    device, found = verify(design.to_bytes()), []
    values: list[list[float | None]] = [
        [3.0, 3.0, 3.0, 3.0, 3.0],
        [50_000.0, 61_000.5, 50_000.0, None, 1e9],
        [None, 7.25, None, 0.5, 2.0],
    ]
    for k, way in enumerate(values):
        last = None
        for round_, value in enumerate(way, 1):
            if value is None:
                continue
            source = Bytes(f"walk {k} {round_}")
            line, walked = device._walked_line(value, source, round_, last)
            told = {key: json.loads(line)[key] for key in ("mechanism", "report", "id")}
            begun = {"round": round_, "value": value, "last": None if last is None else last.text}
            state = {"bytes": source.given[: source.used].hex(), "used": source.used, "next": walked.text}
            found.append(begun | state | told)
            last = walked
    return found


def main(folder: Path) -> None:
    """Write all files."""
    for name, (design, _) in designs().items():
        design.write(folder / f"{name}.design.json")
    text = json.dumps({"about": ABOUT, "cases": cases()}, indent=1)
    (folder / "client.json").write_text(text + "\n", encoding="utf-8")
    walk_design().write(folder / "walk.design.json")
    text = json.dumps({"about": WALKS, "design": "walk.design.json", "cases": walks(walk_design())}, indent=1)
    (folder / "walk.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
