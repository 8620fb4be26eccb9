"""The worst privacy loss of a mechanism over pairs of inputs and all outputs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from geopriv.mechanisms import Mechanism
from geopriv.spaces.checks import invalid, positive
from geopriv.spaces.shown import Shown


@dataclass(frozen=True)
class Audit(Shown):
    """What an audit found.

    Args:
        passed: whether no pair broke the promise.
        worst_ratio: the largest loss/(ε·distance), rounding errors taken off; with δ > 0 the largest needed δ over the
            promised one.
        at: (input, input', output) where it was found, in coordinates of the audited line or points of the space.
        pairs: how many pairs were compared.
    """

    passed: bool
    worst_ratio: float
    at: tuple[Any, Any, Any]
    pairs: int

    def __str__(self) -> str:
        verdict = "holds" if self.passed else "BROKEN"
        return f"{verdict}: worst ratio {self.worst_ratio:.6g} at {self.at}, {self.pairs:,} pairs"


def audit_mechanism(mechanism: Mechanism, tolerance: float = 1e-9) -> Audit:
    """The worst privacy loss of a mechanism relative to what it promises.

    Only densities (of tables and grids, exact probabilities) are compared; no formula of the calibration is used. What
    is audited is the law that the mechanism states; that `simulate` follows it is for `audit_black_box` to say.

    Args:
        mechanism: any mechanism.
        tolerance: a ratio up to 1 + tolerance passes; an exact one only up to 1.
    """
    positive("audit", "tolerance", tolerance)
    if not isinstance(mechanism, Mechanism):
        raise invalid("audit", "mechanism", "a mechanism", type(mechanism).__name__)
    worst = mechanism.worst_loss()
    allowed = 1 if isinstance(worst.ratio, Fraction) else 1 + tolerance
    return Audit(bool(worst.ratio <= allowed), float(worst.ratio), worst.at, worst.pairs)
