"""Far questions in one report, as a device draws it: one number U against all that several tables could say."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import accumulate

from geopriv.device.chances import chances_of
from geopriv.device.coordinates import DeviceCoordinate
from geopriv.device.draws import Enclose, Rows, Source, Uniform, rows_of
from geopriv.device.far import Spoken, holds
from geopriv.device.intervals import Interval
from geopriv.device.reading import LOOKS, Document, refuse
from geopriv.device.sights import MEASURED, Sight, read_sight
from geopriv.device.tables import TOTAL
from geopriv.device.values import DeviceSpace, Value

_BROKEN = Fraction(10**9)


@dataclass(frozen=True)
class Shared:
    """One of the tables: its coordinate, and its document, which was read and verified."""

    coordinate: DeviceCoordinate
    document: Document


@dataclass(frozen=True)
class DeviceShared:
    """Tables that share a report.

    Args:
        epsilon: per unit of distance.
        space: of all tables.
        coordinates: of each.
        rows: of each, with the running sums of all letters but the idle one.
        share: μ.
        spent: 1 if the promise was verified, else far more.
    """

    epsilon: float
    space: DeviceSpace
    coordinates: tuple[DeviceCoordinate, ...]
    rows: tuple[Rows, ...] = field(repr=False)
    share: Fraction
    spent: Fraction

    def draw(self, value: Value, source: Source) -> tuple[int, ...]:
        """0 for nothing, else the number of a letter, counted through all tables without their idle ones.

        Guarantee: theory T13, with μ·(A + |∇A|/ε) ≤ 1 verified everywhere, at the exact coordinates of the person's own
        value. Every table is looked at whoever asks, so that time tells no more than that of each table for itself.
        """
        return (draw_said(self.rows, [partial(c.enclose, value) for c in self.coordinates], self.share, source),)


def shared_of(
    epsilon: float, space: DeviceSpace, tables: Sequence[Shared], share: Fraction, where: str
) -> DeviceShared:
    """The report that verified tables share, and whether it keeps their promise.

    Raises:
        InvalidDesign: for tables that cannot share one: around what is no disc or polygon, or with too many letters.
    """
    if not share <= 1:
        raise refuse(f"{where}.share", "at most 1", float(share))
    if not MEASURED**-1 <= epsilon <= MEASURED:
        raise refuse(f"{where}.guarantee.epsilon", "between 2^-200 and 2^200, for tables to share a report", epsilon)
    spoken, rows = [], []
    for k, table in enumerate(tables):
        found, here = table.document, f"{where}.tables[{k}]"
        if len(found["values"]) < 2:
            raise refuse(here, "of two letters or more", len(found["values"]))
        idle = idle_letter([tuple(map(float, found[key])) for key in ("values", "inner", "outer") if key in found])
        lattice, weights = tuple(map(float, found["lattice"])), found["weights"]
        spoken.append(
            Spoken(
                read_sight(found["coordinate"], space.axes, here), chances_of(lattice, weights, idle, Fraction(epsilon))
            )
        )
        rows.append(rows_of(lattice, tuple(tuple(accumulate((*row[:idle], *row[idle + 1 :]))) for row in weights)))
    looks = looked_at([(len(table.document["values"]), one.sight) for table, one in zip(tables, spoken, strict=True)])
    if looks > LOOKS:
        raise refuse(f"{where}.tables", f"of at most {LOOKS:,} letters and corners in all", f"{looks:,}")
    kept = holds(tuple(spoken), epsilon, rounded_down(1 / share))
    coordinates = tuple(table.coordinate for table in tables)
    return DeviceShared(epsilon, space, coordinates, tuple(rows), share, Fraction(1) if kept else _BROKEN)


def looked_at(tables: Iterable[tuple[int, Sight]]) -> int:
    """How much a draw looks at: the letters of all tables, but for idle ones, and the corners of their polygons."""
    return sum(letters - 1 + sight.corners for letters, sight in tables)


def idle_letter(counted: Sequence[Sequence[float]]) -> int:
    """The letter that is not said: the first of those that count least, over all that letters count for, exactly.

    >>> idle_letter([[1.0, 0.0, 0.0], [1.0, 0.5, 0.0]])
    2
    """
    sizes = [sum(map(abs, map(Fraction, each))) for each in zip(*counted, strict=True)]
    return sizes.index(min(sizes))


def rounded_down(number: Fraction) -> float:
    """A float that is not above."""
    near = float(number)
    return near if Fraction(near) <= number else near * (1 - 2.0**-52)


def draw_said(tables: Sequence[Rows], enclose: Sequence[Enclose], share: Fraction, source: Source) -> int:
    """What is said: 0 for nothing, else one more than how many numbers μ·(P_1 + … + P_k) are not above U.

    Guarantee: exactly the law of theory T13 at the coordinates. It ends with probability 1: as bits and precision grow
    the intervals of the sums shrink to the numbers themselves, and U is none of these with probability 1.

    Args:
        tables: with the running sums of their letters.
        enclose: their coordinates, between whole numbers out of 2^bits.
        share: μ.
        source: of 8 bytes, and of more where they do not settle it.
    """
    uniform = Uniform(source(8), source)
    while (found := _said(tables, enclose, share, uniform)) is None:
        uniform.extend()
    return found


def _said(tables: Sequence[Rows], enclose: Sequence[Enclose], share: Fraction, uniform: Uniform) -> int | None:
    """The report, if it is the same one for all numbers that the coordinates and U can still be."""
    lows, highs, low, high = [], [], 0, 0
    for rows, coordinate in zip(tables, enclose, strict=True):
        least, most = _sums(rows, coordinate(rows.bits + uniform.bits - 64), uniform.bits)
        lows += [low + part for part in least]
        highs += [high + part for part in most]
        low, high = lows[-1], highs[-1]
    # U < T for sure if (n + 1)/2^b ≤ μ·low, and U ≥ T if n/2^b ≥ μ·high
    here = Fraction(uniform.numerator * TOTAL) / share
    there = Fraction((uniform.numerator + 1) * TOTAL) / share
    passed, open_ = bisect_right(highs, here), bisect_left(lows, there)
    if passed != open_:
        return None
    return 0 if passed == len(lows) else passed + 1


def _sums(rows: Rows, s: Interval, bits: int) -> tuple[list[int], list[int]]:
    """Bounds on the running sums at a coordinate, in whole numbers out of 2^bits of a weight.

    Sums are straight between lattice points, so they are least and largest at both ends of s or at a point between.
    """
    s = s.to(max(s.bits, rows.scale))
    shift, last = s.bits - rows.scale, len(rows.lattice) - 2
    first, final = (min(max(bisect_right(rows.lattice, end >> shift) - 1, 0), last) for end in (s.low, s.high))
    least, most = [], []
    for cell, end in ((first, s.low), (final, s.high)):
        start, width = rows.lattice[cell] << shift, (rows.lattice[cell + 1] - rows.lattice[cell]) << shift
        along = min(max(end - start, 0), width)
        mixed = [a * (width - along) + b * along for a, b in zip(rows.sums[cell], rows.sums[cell + 1], strict=True)]
        least.append([(part << bits) // width for part in mixed])
        most.append([-((-part << bits) // width) for part in mixed])
    # a row is looked at where there is no point between, too, so that time does not tell of one
    between = [[part << bits for part in row] for row in rows.sums[min(first + 1, final) : final + 1]]
    within = (between, least[:1])[first == final]
    return (
        [min(sums) for sums in zip(*least, *within, strict=True)],
        [max(sums) for sums in zip(*most, *within, strict=True)],
    )
