"""How often tables may be heard in one report: the largest μ that a device can verify."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from itertools import count

from geopriv.device.chances import chances_of
from geopriv.device.far import WORK, Box, Search, Spoken, holds
from geopriv.device.shared import idle_letter, rounded_down
from geopriv.device.sights import read_sight
from geopriv.errors import InvalidDesign
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.spaces.checks import invalid

_NEAR = 0.02  # of the largest μ, which is not worth looking for
_DENOMINATOR = 1 << 30
_FIRST = 1.001  # a limit that the space far from all sets is to be below


def idle_of(table: AnyTable) -> int | None:
    """The first letter that counts 0 for everything; None where there is none."""
    counted = [getattr(table, name).tolist() for name in ("values", "inner", "outer") if hasattr(table, name)]
    return idle_letter(counted)


def spoken_of(tables: Sequence[AnyTable]) -> tuple[Spoken, ...]:
    """The tables as a device looks at them together.

    Raises:
        InvalidParameter: for one that cannot share a report.
    """
    made = []
    for table in tables:
        idle, space = idle_of(table), table.query.space
        if idle is None or not space.flat:
            raise invalid("SharedTables", "tables", "on a flat space, with a letter that counts 0", str(table.query))
        try:
            sight = read_sight(table.query.geometry.document(), space.dimension, "SharedTables.tables")
        except InvalidDesign as reason:
            raise invalid("SharedTables", "tables", reason.rule, str(table.query)) from None
        rate = Fraction(table.guarantee.epsilon)
        made.append(Spoken(sight, chances_of(table.lattice.tolist(), table.weights.tolist(), idle, rate)))
    return tuple(made)


def keeps(tables: Sequence[AnyTable], share: Fraction) -> bool:
    """Whether a device finds that the tables may be heard so often."""
    return holds(spoken_of(tables), float(tables[0].guarantee.epsilon), rounded_down(1 / share))


def largest_share(tables: Sequence[AnyTable]) -> Fraction:
    """A μ, mostly within 2 % of the largest, that a device verifies in the time it takes for that.

    Boxes are cut in the order of their bounds, the largest first. So the first of them that is left is a bound
    everywhere, whenever one stops.
    """
    rate = float(tables[0].guarantee.epsilon)
    search, order = Search(spoken_of(tables), rate), count()
    first = search.first(_FIRST)
    if first is None:
        raise invalid("SharedTables", "tables", "such that nothing is said far from all sets", len(tables))
    most, box = search.bound(first)
    waiting, reached = [(-most, next(order), box)], _FIRST
    while waiting and -waiting[0][0] > reached * (1 + _NEAR) and search.work < WORK:
        for part in heapq.heappop(waiting)[2].parts():
            here, _ = search.bound(Box(part.middle, 0.0, part.heard, 0.0))
            reached = max(reached, here)
            most, left = search.bound(part, reached)
            heapq.heappush(waiting, (-most, next(order), left))
    bound = max(reached * (1 + _NEAR), -waiting[0][0]) * (1 + 2.0**-20)
    return Fraction(int(_DENOMINATOR / bound), _DENOMINATOR)
