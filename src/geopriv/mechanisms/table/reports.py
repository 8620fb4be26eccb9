"""Reports of a Table: two comparisons of whole numbers with random bits, and seldom a few more.

With U uniform the row above s is taken if U is below the share of the cell that lies before s, else the row below.
With spare rows, and the chance of the cell, two more coins are tossed like that, and the row's spare row takes its
place unless both fall like the first. Then a number out of 2^60 falls on one value of the row, whose integer weights
sum to 2^60. The share is a ball around its true value, so the law is the table's own at the exact coordinate, for every
float x: nothing is lost to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.simulation import simulate
from geopriv.mechanisms.table import kernels
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.mechanisms.table.kernels import Drawn, LetterArray, Lookup
from geopriv.mechanisms.table.rows import Rows
from geopriv.noise.entropy import Source
from geopriv.noise.exact import (
    Undecided,
    Uniform,
    dyadic,
    refine,
)
from geopriv.noise.filters import UNKNOWN, Status, Words
from geopriv.noise.plans import CHUNK, FEW
from geopriv.spaces.balls import arb, cells_of
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.threads import in_threads

_FINER, _BITS = 16, 8  # of the tables in which cells and letters are looked up; _BITS as in kernels.py


@dataclass(frozen=True)
class Letters:
    """One of a table's values, drawn by its letter.

    Guarantee: the table's own, exactly, for every float x (theory T5).
    """

    table: Rows
    steps: tuple[float, ...] = ()

    def draw(self, rows: FloatArray, source: Source) -> FloatArray:
        """The value that each person reports, shape (n, 1).

        Raises:
            InvalidParameter: for a table whose integers break its promise.
        """
        values = np.empty(len(rows))

        def keep(part: slice, drawn: LetterArray) -> None:
            values[part] = self.table.values.take(drawn)

        self._draw(rows, source, keep)
        return values[:, None]

    def letters(self, rows: FloatArray, source: Source) -> LetterArray:
        """The index of the value that each person reports, shape (n,).

        Raises:
            InvalidParameter: for a table whose integers break its promise.
        """
        letters = np.empty(len(rows), dtype=np.uint16)

        def keep(part: slice, drawn: LetterArray) -> None:
            letters[part] = drawn

        self._draw(rows, source, keep)
        return letters

    def _draw(self, rows: FloatArray, source: Source, keep: Callable[[slice, LetterArray], None]) -> None:
        """Letters chunk by chunk, on every core."""
        table = self.table
        if table.worst_step[0] > 1:
            worst = f"{float(table.worst_step[0]):.9g}·ε"
            raise invalid("report", "mechanism", "a table that keeps its promise", worst)
        ready = lookup(table)

        def work(start: int) -> None:
            part = slice(start, start + CHUNK)
            mine = source.among(part)
            words = mine.words(len(rows[part]), 2)
            keep(part, chunk_letters(table, ready, rows[part], words, mine, filtered=len(rows[part]) >= FEW))

        in_threads(work, range(0, len(rows), CHUNK))


def chunk_letters(
    table: Rows, ready: Lookup, rows: FloatArray, words: Words, source: Source, filtered: bool
) -> LetterArray:
    """The letters of one chunk from given words, with or without the float filter: the same letters either way."""
    letters, status = np.empty(len(rows), dtype=np.uint16), np.full(len(rows), UNKNOWN, dtype=np.uint8)
    later, further = _further(table, words, source)
    s = table.query.geometry.bounded(rows) if filtered else None
    if s is not None:
        _screened(table, ready, s, (words, later, further), letters, status)
    for i in np.flatnonzero(status == UNKNOWN).tolist():
        place = np.searchsorted(later, i)
        more = further[place].tolist() if i in later[place : place + 1] else []
        one = source.among(slice(i, i + 1))
        letters[i] = _letter(table, ready, rows[i].tolist(), [*words[i].tolist(), *more], one)
    return letters


def _further(table: Rows, words: Words, source: Source) -> tuple[npt.NDArray[np.intp], Words]:
    """For whom further coins may be tossed, and the words of these: those of a word whose last four bits are 0."""
    if table.spare_rows is None:
        return np.zeros(0, dtype=np.intp), np.zeros((0, 3), dtype=np.uint64)
    later = np.empty(len(words), dtype=np.intp)
    later = later[: kernels.tossers(words, later)]
    return later, source.among(later).words(later.size, 3)


def _screened(table: Rows, ready: Lookup, s: Bounded, drawn: Drawn, letters: LetterArray, status: Status) -> None:
    """What the float filter says, first without further coins, then of those who may toss them."""
    kernels.letters(drawn[0], s.value, s.off, ready, letters, status)
    if table.spare_rows is not None:
        kernels.spare_letters(drawn, s.value, s.off, ready, table.spare_rows.shares, letters, status)


def _letter(table: Rows, ready: Lookup, row: Sequence[float], words: Sequence[int], source: Source) -> int:
    """The letter of two words, or of five where further coins may be tossed."""
    coins = [Uniform(word, source) for word in (words[0], *words[3:])]
    spare, chance = table.spare_rows, words[2] >> 24 if len(words) > 2 else None

    def attempt() -> int:
        s = table.query.geometry.enclose(row)
        lines = [_line(table.lattice, s, coin) for coin in coins]
        if spare is None or chance is None or lines.count(lines[0]) == len(lines):
            return lines[0]
        tossed = {bool(chance < int(spare.shares[cell])) for cell in _possible(table.lattice, s)}
        if len(tossed) > 1:
            raise Undecided
        return lines[0] + table.lattice.size * tossed.pop()

    line = refine(attempt, coins)
    return int(np.searchsorted(ready[2][line], words[1] >> 4, side="right"))


def _possible(lattice: FloatArray, s: arb) -> list[int]:
    """The cells in which s can lie, where it is not known to be beyond a lattice point; the nearest outside."""
    last = lattice.size - 2
    return [
        cell
        for cell in cells_of(lattice, s)
        if not (cell > 0 and s < arb(float(lattice[cell]))) and not (cell < last and s > arb(float(lattice[cell + 1])))
    ]


def _line(lattice: FloatArray, s: arb, u: Uniform) -> int:
    """The row of the table that U selects: the number of cells with s > t(cell), t(cell) = a + U·(b − a).

    A cell below all those in which s can lie counts, because U < 1, and one above them does not; the others are
    compared. The bits of U drawn so far put t(cell) between two fractions, which are exact numbers here: only the ball
    around s has a width.

    It ends with probability 1. As bits and precision grow, the interval of t(cell) and the ball shrink to the numbers
    themselves, so a comparison stays open for ever only if s = t(cell): for one U in each cell (0 and 1 where s is a
    lattice point), hence with probability 0. It is open after k bits only if U is within some 2^-k of that one, or the
    ball is wider than that. `refine` gives up at 2^17 bits, and then nothing is released.

    Raises:
        Undecided: while the bits of U, or the precision of s, do not tell.
    """
    cells = cells_of(lattice, s)
    return cells.start + sum(_above(s, float(lattice[cell]), float(lattice[cell + 1]), u) for cell in cells)


def _above(s: arb, a: float, b: float, u: Uniform) -> bool:
    """Whether s > a + U·(b − a), which is at least that of the least U with these bits and below that of the next."""
    start, width = Fraction(a), Fraction(b) - Fraction(a)
    least, beyond = (dyadic(start + end * width) for end in u.ends())
    if s >= beyond:
        return True
    if s <= least:
        return False
    raise Undecided


@lru_cache(maxsize=16)
def lookup(table: Rows) -> Lookup:
    """What kernels.letters looks things up in."""
    if table.values.size > 65_535:
        raise invalid("report", "mechanism", "a table of at most 65,535 values", table.values.size)
    lattice, sums = table.lattice, np.cumsum(table.all_weights, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):  # pieces say where to begin to look: any will do
        pieces = np.linspace(lattice[0], lattice[-1], _FINER * lattice.size + 1)[:-1]
    cells = np.clip(np.searchsorted(lattice, pieces, side="right") - 1, 0, lattice.size - 2)
    starts = [np.searchsorted(row, np.arange(1 << _BITS) * (TOTAL >> _BITS), side="right") for row in sums]
    return lattice, cells.astype(np.int32), sums, np.asarray(starts, dtype=np.uint16)


def simulated_values(table: Rows, x: Any, rng: np.random.Generator) -> FloatArray:
    """Values for studies, at float coordinates and from a seeded generator, by the same kernel."""
    ready = lookup(table)

    def release(points: FloatArray, rng: np.random.Generator) -> FloatArray:
        s = np.ascontiguousarray(table.query.geometry(points))
        words = rng.integers(0, 1 << 64, (s.size, 2), dtype=np.uint64)
        letters, status = np.zeros(s.size, dtype=np.uint16), np.empty(s.size, dtype=np.uint8)
        certain = Bounded(s, np.full(s.size, -np.inf))  # floats decide: nothing is to be left to the balls
        later = np.flatnonzero((words[:, 1] & np.uint64(15)) == 0)
        further = rng.integers(0, 1 << 64, (later.size, 3), dtype=np.uint64)
        _screened(table, ready, certain, (words, later, further), letters, status)
        return np.asarray(table.values[letters])

    return simulate(table.query.space, x, rng, release)
