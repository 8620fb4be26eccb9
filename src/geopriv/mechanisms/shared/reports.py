"""Reports that tables share: one uniform number against the running sums of all that they could say.

With U uniform the report is the first (j, y), in the order of tables and letters, whose running sum μ·(P_1 + … + P_k)
is above U, and nothing where none is. The sums are balls around their true values, at the exact coordinates of x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.mechanisms.shared import kernels
from geopriv.mechanisms.shared.kernels import Codes
from geopriv.mechanisms.shared.law import SharedLaw
from geopriv.mechanisms.simulation import simulate
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.noise.entropy import Source
from geopriv.noise.exact import Undecided, Uniform, dyadic, refine
from geopriv.noise.filters import UNKNOWN, Words
from geopriv.noise.plans import CHUNK, FEW
from geopriv.spaces.balls import arb, cells_of, clip
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.threads import in_threads


@dataclass(frozen=True)
class Said:
    """What several tables say in one report, by its number.

    Guarantee: that of the tables, exactly, for every float x (theory T13).
    """

    shared: SharedLaw
    steps: tuple[float, ...] = ()

    def draw(self, rows: FloatArray, source: Source) -> FloatArray:
        """The number that each person reports, shape (n, 1)."""
        return self.codes(rows, source).astype(np.float64)[:, None]

    def codes(self, rows: FloatArray, source: Source) -> Codes:
        """The same as whole numbers, shape (n,).

        Raises:
            InvalidParameter: for tables that may not share a report so often.
        """
        if self.shared.spent > 1:
            raise invalid("report", "mechanism", "one that keeps its promise", f"{float(self.shared.spent):.9g}·ε")
        codes = np.empty(len(rows), dtype=np.uint16)

        def work(start: int) -> None:
            part = slice(start, start + CHUNK)
            mine = source.among(part)
            words = mine.words(len(rows[part]), 1)
            codes[part] = chunk_codes(self.shared, rows[part], words, mine, filtered=len(rows[part]) >= FEW)

        in_threads(work, range(0, len(rows), CHUNK))
        return codes


def chunk_codes(shared: SharedLaw, rows: FloatArray, words: Words, source: Source, filtered: bool) -> Codes:
    """The reports of one chunk from given words, with or without the float filter: the same either way."""
    codes, status = np.empty(len(rows), dtype=np.uint16), np.full(len(rows), UNKNOWN, dtype=np.uint8)
    seen = [table.query.geometry.bounded(rows) for table in shared.tables] if filtered else [None]
    known = [bounded for bounded in seen if bounded is not None]
    if len(known) == len(shared.tables):
        s, off = (np.stack([getattr(each, name) for each in known], axis=1) for name in ("value", "off"))
        kernels.codes(words, s, off, shared.lookup, codes, status)
    for i in np.flatnonzero(status == UNKNOWN).tolist():
        codes[i] = _code(shared, rows[i].tolist(), int(words[i, 0]), source.among(slice(i, i + 1)))
    return codes


def _code(shared: SharedLaw, row: Sequence[float], word: int, source: Source) -> int:
    u = Uniform(word, source)
    return refine(lambda: _said(shared, row, u), [u])


def _said(shared: SharedLaw, row: Sequence[float], u: Uniform) -> int:
    """The report that U selects at exact coordinates.

    Every table is looked at, whatever is found: the time it takes tells no more than tables for themselves do.

    Raises:
        Undecided: while the bits of U, or the precision of the coordinates, do not tell.
    """
    before, passed, found = arb(0), 0, None
    times = arb(shared.share.numerator) / (arb(shared.share.denominator) * TOTAL)
    for table, idle in zip(shared.tables, shared.idle, strict=True):
        sums = _sums(table, idle, row)
        if found is None:
            here = next((k for k, part in enumerate(sums) if _below(u, times * (before + part))), None)
            found = None if here is None else passed + here + 1
        before, passed = before + sums[-1], passed + len(sums)
    return found or 0


def _sums(table: AnyTable, idle: int, row: Sequence[float]) -> list[arb]:
    """Running sums of the weights of all letters but the idle one, at the exact coordinate of a row."""
    s = table.query.geometry.enclose(row)
    weights = np.cumsum(np.delete(table.weights, idle, axis=1), axis=1)
    result: list[arb] | None = None
    for cell in cells_of(table.lattice, s):
        a, b = (arb(float(end)) for end in table.lattice[cell : cell + 2])
        share = clip((s - a) / (b - a))
        here, there = weights[cell].tolist(), weights[cell + 1].tolist()
        mixed = [low + (high - low) * share for low, high in zip(here, there, strict=True)]
        result = mixed if result is None else [p.union(q) for p, q in zip(result, mixed, strict=True)]
    return result or []


def _below(u: Uniform, limit: arb) -> bool:
    """Whether U is below a number."""
    least, beyond = map(dyadic, u.ends())
    if limit >= beyond:
        return True
    if limit <= least:
        return False
    raise Undecided


def simulated_codes(shared: SharedLaw, x: Any, rng: np.random.Generator) -> FloatArray:
    """Reports for studies, at float coordinates and from a seeded generator, by the same kernel."""

    def release(points: FloatArray, rng: np.random.Generator) -> FloatArray:
        s = np.stack([np.asarray(table.query.geometry(points)).reshape(-1) for table in shared.tables], axis=1)
        words = rng.integers(0, 1 << 64, (len(s), 1), dtype=np.uint64)
        codes, status = np.zeros(len(s), dtype=np.uint16), np.empty(len(s), dtype=np.uint8)
        kernels.codes(words, s, np.zeros(s.shape), shared.lookup, codes, status)
        return codes.astype(np.float64)

    return simulate(shared.space, x, rng, release)
