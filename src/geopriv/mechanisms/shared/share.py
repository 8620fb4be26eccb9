"""How often tables may be heard in one report: the largest μ that a device can verify."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from geopriv.device.chances import chances_of
from geopriv.device.far import Spoken, holds
from geopriv.device.shared import idle_letter, rounded_down
from geopriv.device.sights import read_sight
from geopriv.errors import InvalidDesign
from geopriv.mechanisms.shared.places import places
from geopriv.mechanisms.table.any_table import AnyTable
from geopriv.mechanisms.table.integers import TOTAL
from geopriv.spaces.checks import invalid

_NEAR = (0.02, 0.03, 0.08, 0.2)  # by which 1/μ is above what was reached
_DENOMINATOR = 1 << 30


def idle_of(table: AnyTable) -> int:
    """The letter that is not said: the one that counts least."""
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
        if not space.flat:
            raise invalid("SharedTables", "tables", "on a flat space", str(space))
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


def largest_share(tables: Sequence[AnyTable]) -> Fraction | None:
    """A μ near the largest, that a device verifies; None where sets are so near that none is found.

    What A + |∇A|/ε reaches at many places is a limit that has to be exceeded: by a little where that is enough for
    bounds in boxes to hold, and by more where these would be too many.
    """
    least = max(reached(tables), 1.0)
    for near in _NEAR:
        share = Fraction(int(_DENOMINATOR / (least * (1 + near))), _DENOMINATOR)
        if keeps(tables, share):
            return share
    return None


def reached(tables: Sequence[AnyTable], times: float = 1.0, borders: Sequence[float] = ()) -> float:
    """The largest A + |∇A|/ε at places along lines through neighbouring sets, and beside them.

    Args:
        tables: that share a report.
        times: as large an ε as that of the tables is looked at, with the same tables in units of 1/ε.
        borders: coordinates around which these are the same; 0 by default.
    """
    points = places(tables, 1 / (times * tables[0].guarantee.epsilon))[0]
    heard, slope = np.zeros(len(points)), np.zeros((len(points), tables[0].query.space.dimension))
    for table, border in zip(tables, borders or [0.0] * len(tables), strict=True):
        s = border + times * (np.asarray(table.query.geometry(points)).reshape(-1) - border)
        spoken = 1 - table.weights[:, idle_of(table)] / TOTAL
        cell = np.searchsorted(table.lattice, s, side="right")
        rises = np.diff(spoken) / (np.diff(table.lattice) * table.guarantee.epsilon)
        heard += np.interp(s, table.lattice, spoken)
        slope += np.concatenate([[0.0], rises, [0.0]])[cell][:, None] * table.query.geometry.gradient(points)
    return float((heard + np.linalg.norm(slope, axis=1)).max())
