"""What people send as whole numbers: the letter of a Table, the cell of a Lattice; and which mechanism they answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms import Lattice, Table
from geopriv.mechanisms.lattice.reports import OnLattice
from geopriv.mechanisms.reports import space_of
from geopriv.mechanisms.table.reports import draw_letters
from geopriv.noise.bulk import draw
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.spaces.checks import invalid

Integers = npt.NDArray[np.int64]


def report_integers(mechanism: Table | Lattice, x: Any, source: Source = ENTROPY) -> Integers:
    """One exact report for each value of x, as it is written to a file, shape (n, 1) or (n, axes).

    Guarantee: the mechanism's own, exactly, for every float x (theory T5 and T8).
    """
    rows, _ = space_of(mechanism).read_rows(x)
    if isinstance(mechanism, Table):
        return draw_letters(mechanism, rows, source).astype(np.int64)[:, None]
    return draw(OnLattice(mechanism), rows, source).astype(np.int64)  # cells are below 2^53: floats hold them


def draw_shares(shares: tuple[int, ...], n: int, source: Source = ENTROPY) -> npt.NDArray[np.int32]:
    """Which mechanism each of n people answers: the k-th with probability exactly proportional to its share.

    The rule is that of devices (`geopriv.device.draws.draw_share`): 64 bits, drawn again above the last multiple of the
    total, so that the remainder is uniform. It does not look at anybody's value.
    """
    if len(shares) == 1:
        return np.zeros(n, dtype=np.int32)
    total = sum(shares)
    if total >= 1 << 63:
        raise invalid("draw_shares", "shares", "of a sum below 2^63", total)
    words = source.words(n, 1)[:, 0]
    limit = (1 << 64) - (1 << 64) % total
    while limit < 1 << 64 and (again := np.flatnonzero(words >= np.uint64(limit))).size:
        words[again] = source.among(again).words(again.size, 1)[:, 0]
    ends = np.cumsum(np.array(shares, dtype=np.uint64))
    return np.searchsorted(ends, words % np.uint64(total), side="right").astype(np.int32)
