"""Which mechanism was answered, and by which group, in one number: a stratum.

A stratum is mechanism · G + group, where G is how many groups the design has, and 1 where it has none: there it is the
mechanism. Its order is that of mechanisms, then groups.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.sendable import Integers
from geopriv.surveys.design import Design


def groups_of(design: Design) -> int:
    """How many groups the design has; 1 where it has none, so that all are in one."""
    return 1 if design.groups is None else len(design.groups)


def strata_of(design: Design, mechanisms: npt.NDArray[Any], groups: Integers | None = None) -> Integers:
    """The strata of people who answered these mechanisms and told these groups."""
    joined = mechanisms.astype(np.int64) * groups_of(design)
    return joined if groups is None else joined + groups


def told_group(design: Design, group: int | None) -> bool:
    """Whether a report that carries this group, or None for none, can be one to the design."""
    return group is None if design.groups is None else group is not None and 0 <= group < len(design.groups)
