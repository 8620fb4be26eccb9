"""The worst privacy loss of a mechanism over pairs of inputs and all outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from geopriv.mechanisms import Mechanism
from geopriv.mechanisms.loss.worst import plain
from geopriv.spaces.checks import invalid, positive
from geopriv.spaces.shown import Shown

_FLOATS = 1e-9  # by which a slope in floats may seem steeper than it is


@dataclass(frozen=True)
class Audit(Shown):
    """What an audit found.

    Args:
        passed: whether no pair broke the promise.
        worst_ratio: the largest loss/(ε·distance), rounding errors taken off; with δ > 0 the largest needed δ over the
            promised one.
        at: (input, input', output) where it was found, in coordinates of the audited line or points of the space.
        pairs: how many pairs were compared.
        word: what no audit can prove, and is its author's word; empty where there is nothing of the kind.
    """

    passed: bool
    worst_ratio: float
    at: tuple[Any, Any, Any]
    pairs: int
    word: str = ""

    def __str__(self) -> str:
        verdict = "holds" if self.passed else "BROKEN"
        said = f"{verdict}: worst ratio {self.worst_ratio:.6g} at {self.at}, {self.pairs:,} pairs"
        return f"{said}. {self.word}" if self.word else said


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
    word = ""
    for query in (each for each in mechanism.asked if each.has_profile):
        if (found := query.geometry.steepest_pair()) is not None:
            ratio, first, second = found
            said = "no search could be made" if math.isnan(ratio) else "a search found no pair that breaks it"
            word = f"The Lipschitz constant is its author's word; {said}."
            if ratio > 1 + _FLOATS:
                word = "The Lipschitz constant is broken: the function is steeper."
                return Audit(False, ratio, (plain(first), plain(second), None), 1, word)
    if any(not query.has_profile and not query.certified for query in mechanism.asked):
        word = "The gradient and the bend of the function are their author's word."
    worst = mechanism.worst_loss()
    allowed = 1 if isinstance(worst.ratio, Fraction) else 1 + tolerance
    return Audit(bool(worst.ratio <= allowed), float(worst.ratio), worst.at, worst.pairs, word)
