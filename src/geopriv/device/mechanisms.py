"""Mechanisms as a device runs them: read from a document, verified exactly, then drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Protocol

from geopriv.device.coordinates import DeviceCoordinate, read_coordinate
from geopriv.device.draws import (
    Rows,
    Source,
    draw_letter,
    rows_of,
)
from geopriv.device.far import TABLES
from geopriv.device.files import canonical
from geopriv.device.lattices import read_lattice
from geopriv.device.reading import (
    ASKED,
    Document,
    numbers,
    parts,
    ratio_of,
    read_epsilon,
    refuse,
    thing,
    whole,
)
from geopriv.device.shared import DeviceShared, Shared, shared_of
from geopriv.device.spaces import read_space
from geopriv.device.tables import MOST_SHARE, SpareRows, narrow, worst_step
from geopriv.device.values import DeviceSpace, Value
from geopriv.device.walks import read_walk
from geopriv.errors import InvalidDesign


class DeviceMechanism(Protocol):
    """What a device asks of a mechanism."""

    @property
    def epsilon(self) -> float:
        """Per unit of distance."""

    @property
    def space(self) -> DeviceSpace:
        """Where values live."""

    @property
    def spent(self) -> Fraction:
        """The largest loss per distance over what is promised, or its square: the promise holds if it is at most 1."""

    def draw(self, value: Value, source: Source) -> tuple[int, ...]:
        """The report at a value that the space has read."""


@dataclass(frozen=True)
class DeviceTable:
    """A table: its coordinate and its rows, and what is asked, in the words of the design's author."""

    epsilon: float
    coordinate: DeviceCoordinate
    rows: Rows
    spent: Fraction
    query: Document

    @property
    def space(self) -> DeviceSpace:
        return self.coordinate.space

    def draw(self, value: Value, source: Source) -> tuple[int, ...]:
        """The index of a value of the table.

        Guarantee: the table's own (theory T1, T5), verified on its integers, at the exact coordinate of the person's
        own value.
        """
        return (draw_letter(self.rows, partial(self.coordinate.enclose, value), source),)


def read_mechanism(document: Any, where: str) -> DeviceMechanism:
    """The mechanism of a document, its promise verified in exact arithmetic.

    Raises:
        InvalidDesign: for a document that is none, and for a promise that does not hold.
    """
    kind, found = thing(document, where, KINDS, _spare(document))
    try:
        mechanism = _READERS[kind][1](found, where)
    except ArithmeticError:  # a bound that is infinite, or a distance that is 0
        raise InvalidDesign(f"{where}, a {kind}, must be made of numbers that floats can compute with.") from None
    if mechanism.spent > 1:
        spent = float(min(mechanism.spent, Fraction(10**9)))
        raise InvalidDesign(f"{where}, a {kind}, breaks its promise: {spent:.9g} of what it allows.")
    return mechanism


def _spare(document: Any) -> tuple[str, ...]:
    """The keys that documents of this kind may leave out."""
    kind = document.get("type") if isinstance(document, dict) else None
    return SPARE.get(kind, ()) if isinstance(kind, str) else ()


def _table(found: Document, where: str) -> DeviceTable:
    coordinate, query = _asked(found, where)
    lattice = numbers(found["lattice"], f"{where}.lattice")
    values = numbers(found["values"], f"{where}.values")
    if len(lattice) < 2 or any(not a < b for a, b in pairwise(lattice)):
        raise refuse(f"{where}.lattice", "at least two increasing coordinates", len(lattice))
    rows = _whole_rows(found["weights"], f"{where}.weights", len(lattice), len(values))
    spare = _spare_rows(found["spare"], where, len(lattice), len(values)) if "spare" in found else None
    epsilon = read_epsilon(found["guarantee"], where, coordinate.space.unit)
    if narrow(lattice, epsilon):
        raise refuse(
            f"{where}.lattice", "made of cells of at least 2^-40, in the unit and in 1/epsilon", "narrower ones"
        )
    spent = worst_step(lattice, rows, Fraction(epsilon), spare)[0]
    every = (*rows, *spare.rows) if spare else rows
    sums = tuple(tuple(accumulate(row)) for row in every)
    return DeviceTable(epsilon, coordinate, rows_of(lattice, sums, tuple(spare.shares) if spare else ()), spent, query)


def _whole_rows(rows: Any, where: str, points: int, letters: int) -> list[list[int]]:
    """One row of whole numbers for each lattice point."""
    if not isinstance(rows, list) or len(rows) != points:
        raise refuse(where, f"{points} rows", type(rows).__name__)
    for row in rows:
        if not isinstance(row, list) or len(row) != letters or any(type(weight) is not int for weight in row):
            raise refuse(where, f"made of rows of {letters} whole numbers", type(row).__name__)
    return rows


def _spare_rows(document: Any, where: str, points: int, letters: int) -> SpareRows:
    """Spare rows, one for each lattice point, and a share for each cell."""
    place = f"{where}.spare"
    _, found = thing(document, place, {"SpareRows": ("rows", "shares")})
    shares = found["shares"]
    if not isinstance(shares, list) or len(shares) != points - 1:
        raise refuse(f"{place}.shares", f"{points - 1} whole numbers", type(shares).__name__)
    chances = [whole(share, f"{place}.shares", 0, MOST_SHARE) for share in shares]
    return SpareRows(_whole_rows(found["rows"], f"{place}.rows", points, letters), chances)


def _bracket_table(found: Document, where: str) -> DeviceTable:
    """A table whose letters count for the two ends of a sharp share too: that is for analysts and changes no report."""
    table, letters = _table(found, where), len(found["values"])
    for key in ("inner", "outer"):
        if len(numbers(found[key], f"{where}.{key}")) != letters:
            raise refuse(f"{where}.{key}", f"made of {letters} numbers", len(found[key]))
    return table


def _vector_table(found: Document, where: str) -> DeviceTable:
    """A table whose letters count for other queries too, which are shown and never read: that changes no report."""
    table, letters = _table(found, where), len(found["values"])
    others, vectors = found["others"], found["vectors"]
    if not isinstance(others, list) or not all(isinstance(other, dict) for other in others):
        raise refuse(f"{where}.others", "a list of objects", type(others).__name__)
    if len(canonical(others)) > ASKED:
        raise refuse(f"{where}.others", f"at most {ASKED:,} bytes", len(canonical(others)))
    if not isinstance(vectors, list) or len(vectors) != len(others):
        raise refuse(f"{where}.vectors", f"{len(others)} lists", type(vectors).__name__)
    for counted in vectors:
        if len(numbers(counted, f"{where}.vectors")) != letters:
            raise refuse(f"{where}.vectors", f"made of lists of {letters} numbers", len(counted))
    return table


def _shared(found: Document, where: str) -> DeviceShared:
    """Tables that share a report, each verified by itself, and then how often they may be heard together."""
    space, documents = read_space(found["space"]), parts(found["tables"], f"{where}.tables", TABLES)
    if space.flat is None:  # on Earth no box of degrees is one of metres
        raise refuse(f"{where}.space", "flat, for tables to share a report", found["space"]["type"])
    epsilon = read_epsilon(found["guarantee"], where, space.unit)
    tables = []
    for k, document in enumerate(documents):
        kind, one = thing(document, f"{where}.tables[{k}]", {name: KINDS[name] for name in ("Table", "BracketTable")})
        table = _READERS[kind][1](one, f"{where}.tables[{k}]")
        elsewhere = canonical(one["space"]) != canonical(found["space"])  # as it is written, as in other languages
        if elsewhere or table.epsilon != epsilon or table.spent > 1:
            raise refuse(f"{where}.tables[{k}]", "on the space of all, and keep the same promise", kind)
        tables.append(Shared(table.coordinate, one))  # type: ignore[attr-defined] # a table has one
    return shared_of(epsilon, space, tables, ratio_of(found["share"], f"{where}.share"), where)


def _asked(found: Document, where: str) -> tuple[DeviceCoordinate, Document]:
    """The coordinate of a mechanism of one query, and what is asked, which is shown and never read."""
    coordinate, query = read_coordinate(found["coordinate"], read_space(found["space"])), found["query"]
    if not isinstance(query, dict) or len(canonical(query)) > ASKED:
        raise refuse(f"{where}.query", f"an object of at most {ASKED:,} bytes", type(query).__name__)
    return coordinate, query


_LATTICE = "space", "guarantee", "step", "theta", "origin"
_TABLE = "space", "coordinate", "query", "guarantee", "lattice", "values", "weights"
_READERS: dict[str, tuple[tuple[str, ...], Callable[[Document, str], DeviceMechanism]]] = {
    "Table": (_TABLE, _table),
    "BracketTable": ((*_TABLE, "inner", "outer"), _bracket_table),
    "VectorTable": ((*_TABLE, "others", "vectors"), _vector_table),
    "Lattice": (_LATTICE, read_lattice),
    "WalkingLattice": ((*_LATTICE, "rounds"), read_walk),
    "SharedTables": (("space", "guarantee", "tables", "share"), _shared),
}
SPARE = {"Lattice": ("core",), "Table": ("spare",)}
KINDS = {kind: keys for kind, (keys, _) in _READERS.items()}  # all that there are: what is not here is refused
