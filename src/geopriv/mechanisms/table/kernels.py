"""The float filter of tables: which row, from a float coordinate and a bound on its error, and which letter of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from geopriv.noise.filters import CERTAIN, MORE, UNKNOWN, Status, Words
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.compiled import compiled

LetterArray = npt.NDArray[np.uint16]
Drawn = tuple[Words, npt.NDArray[np.intp], Words]  # two words of everybody, who has more, and three more of these
Lookup = tuple[FloatArray, npt.NDArray[np.int32], npt.NDArray[np.int64], LetterArray]


@compiled
def _threshold(lattice: FloatArray, cell: int, u: float) -> tuple[float, float]:
    """The number t = a + U·(b − a) in the cell from a to b, and its error.

    U is right to 2^-52, so the product is right to 4.1·2^-53·(b − a) and the sum to 2^-53·|t| more: together less than
    2^-50·(|a| + |b|), and what underflows is less than 2^-1000. A cell wider than all floats has an infinite error.
    """
    a, b = lattice[cell], lattice[cell + 1]
    return a + u * (b - a), (abs(a) + abs(b)) * 2.0**-50 + 2.0**-1000


@compiled
def _next_is_clear(lattice: FloatArray, cell: int, above: bool, u: float, s: float, off: float) -> bool:
    """Whether s cannot have passed the threshold of the cell above, or below; there is none at the lattice's ends."""
    beyond = cell + 1 if above else cell - 1
    if not 0 <= beyond <= lattice.size - 2:
        return True
    far, wrong = _threshold(lattice, beyond, u)
    return (far - s if above else s - far) > MORE * (off + wrong)


@compiled
def _cell(lattice: FloatArray, cells: npt.NDArray[np.int32], pace: float, place: float) -> int:
    """The cell of a float, or the nearest one; -1 of what is not a number."""
    at = min(max((place - lattice[0]) * pace, 0.0), cells.size - 1.0)
    if not at >= 0:
        return -1
    cell = cells[int(at)]  # where to begin: s itself is compared with the points
    while cell < lattice.size - 2 and lattice[cell + 1] <= place:
        cell += 1
    while cell > 0 and lattice[cell] > place:
        cell -= 1
    return int(cell)


@compiled
def _row(lattice: FloatArray, cell: int, word: int, place: float, off: float) -> int:
    """The row that a word selects, if every s within `off` and every U with these 64 bits have it; else -1."""
    u = (float(word) + 0.5) * 2.0**-64
    near, wrong = _threshold(lattice, cell, u)
    above = place > near
    row, clear = cell + above, abs(place - near) > MORE * (off + wrong)
    if clear and not abs(place - lattice[row]) > MORE * off:  # seldom
        clear = _next_is_clear(lattice, cell, above, u, place, off)
    return row if clear else -1


@compiled
def letters(words: Words, s: FloatArray, off: FloatArray, table: Lookup, letter: LetterArray, status: Status) -> None:
    """Table: the row above or below s by its share of the cell, then the letter by an integer out of 2^60.

    The table holds its lattice, the cell in which each even piece of the lattice begins, each row's running sums, and
    the letter from which on to look, by the first eight bits of the integer. `off` bounds the error of s.

    Guarantee: a row is certain only if every s within `off` and every U with these 64 bits have it. The row is the
    number of cells with s > t(cell), t(cell) = a + U·(b − a): a cell below that of s counts because U < 1, one above it
    does not, and in that of s this says U < (s − a)/(b − a). t grows from cell to cell, and the row with s. So row r
    belongs to all s from t(r − 1) to t(r) and to no other, wherever the lattice points lie: s must be clear of both.
    The one beyond a lattice point is clear if the point is. What is infinite or not a number is clear of nothing.
    """
    lattice, cells, sums, starts = table
    last, low = lattice.size - 2, lattice[0]
    pace = cells.size / (lattice[-1] - low)
    for i in range(s.size):
        status[i], place = UNKNOWN, s[i]
        at = min(max((place - low) * pace, 0.0), cells.size - 1.0)
        if not at >= 0:  # not a number
            continue
        cell = cells[int(at)]  # where to begin: s itself is compared with the points
        while cell < last and lattice[cell + 1] <= place:
            cell += 1
        while cell > 0 and lattice[cell] > place:
            cell -= 1
        u = (float(words[i, 0]) + 0.5) * 2.0**-64
        near, wrong = _threshold(lattice, cell, u)
        above = place > near
        row, clear = cell + above, abs(place - near) > MORE * (off[i] + wrong)
        if clear and not abs(place - lattice[row]) > MORE * off[i]:  # seldom
            clear = _next_is_clear(lattice, cell, above, u, place, off[i])
        if not clear:
            continue
        number = np.int64(words[i, 1] >> np.uint64(4))
        j = starts[row, words[i, 1] >> np.uint64(56)]
        while sums[row, j] <= number:
            j += 1
        letter[i] = j
        status[i] = CERTAIN


@compiled
def tossers(words: Words, found: npt.NDArray[np.intp]) -> int:
    """For whom further coins may be tossed: the last four bits of the second word are 0; and how many these are."""
    count = 0
    for i in range(len(words)):
        found[count] = i  # overwritten by the next one unless it counts
        count += (words[i, 1] & np.uint64(15)) == 0
    return count


@compiled
def spare_letters(
    drawn: Drawn,
    s: FloatArray,
    off: FloatArray,
    table: Lookup,
    shares: npt.NDArray[np.int64],
    letter: LetterArray,
    status: Status,
) -> None:
    """The letters of those who toss further coins, in place of what `letters` said.

    Spare rows come after all rows in the table's sums. `shares` are the cells' chances out of 2^44, of which four bits
    have been looked at.

    Guarantee: a row is certain only if all s and all coins that are possible have it. Where the first coin says row r,
    s is beyond the other end of the cell, so the cell is certain unless s may lie on either side of the lattice point
    of its row. There it is certain only if no cell around the point tosses, or all coins say the same row, which then
    is the report's whatever the cell.
    """
    words, later, further = drawn
    lattice, cells, sums, starts = table
    pace, most = cells.size / (lattice[-1] - lattice[0]), shares.max()
    for k in range(later.size):
        i, chance = later[k], np.int64(further[k, 0] >> np.uint64(24))
        if chance >= most:
            continue
        cell = _cell(lattice, cells, pace, s[i])
        if cell < 0:
            continue  # not a number
        inside = chance < shares[cell]
        around = chance < shares[max(cell - 1, 0)] or chance < shares[min(cell + 1, shares.size - 1)]
        if not inside and not around:
            continue
        status[i] = UNKNOWN
        row = _row(lattice, cell, words[i, 0], s[i], off[i])
        if row < 0:
            continue
        known = abs(s[i] - lattice[row]) > MORE * off[i]
        if inside or not known:
            one = _row(lattice, cell, further[k, 1], s[i], off[i])
            two = _row(lattice, cell, further[k, 2], s[i], off[i])
            if one != row or two != row:
                # one coin that falls otherwise is enough, where it is certain that it was tossed
                if not known or ((one < 0 or one == row) and (two < 0 or two == row)):
                    continue
                row += lattice.size
        letter[i] = _letter(sums, starts, row, words[i, 1])
        status[i] = CERTAIN


@compiled
def _letter(sums: npt.NDArray[np.int64], starts: LetterArray, row: int, word: int) -> int:
    """The letter of a row on which a word over 16 falls."""
    number = np.int64(word >> np.uint64(4))
    j = starts[row, word >> np.uint64(56)]
    while sums[row, j] <= number:
        j += 1
    return int(j)
