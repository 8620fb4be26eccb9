"""What a person, or the app that asks for them, allows: fixed before a design is read, and never by it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from geopriv.device.texts import UNIT, plain
from geopriv.errors import InvalidParameter, Refused

if TYPE_CHECKING:
    from geopriv.device.designs import VerifiedDesign

AFTER = 1.0  # seconds: a report takes some 20 ms, nearly all of it for the disk, and 0.05 s more for the worst design
SURVEYS = 100
_LONGEST = 3600.0


@dataclass(frozen=True)
class Policy:
    """The unit, the most ε, and the design that a device answers.

    The value has **one** unit, and a design in any other is refused; so what was spent by surveys of any names is a sum
    in one unit, and `total` bounds it. By composition the reports together are total·dist(x, x')-indistinguishable.
    Surveys of different spaces in one unit (a line in m, a map in m) are added up all the same: where they are about
    different values of a person, that counts too much and never too little.

    Args:
        unit: what one unit of distance is called, "factor 2" for ratios; None for designs without a unit.
        most_epsilon: that one survey may cost, per unit.
        total: that all surveys together may cost a person, per unit.
        hash: of the design, as it was published; None only with `trust`.
        trust: answer whatever design is in the file. Said aloud where it is used.
        degrees: the value is a latitude and a longitude; otherwise it is made of numbers in the unit. A design that
            reads the other is refused: 1 m, taken for 1°, would be protected as 111 km are.
        after: seconds after which a report leaves (`geopriv.device.timing`), or 2, 4, 8, … times that on a device on
            which four draws may take longer; 0 for as soon as it is made.
        most_rounds: over which noise may walk; 1 for no walks. A walk costs ε once, but per unit of D, of how a person
            moves: where all reports together say so, a move costs as much as the distance itself, each time.
        most_surveys: that a person answers. However small ε is, each report tells when it left, and whatever else
            nobody thought of; so there are not millions of them.

    Raises:
        InvalidParameter: naming the parameter and the rule.
    """

    unit: str | None
    most_epsilon: float | Fraction
    total: float | Fraction
    hash: str | None = None
    trust: bool = False
    degrees: bool = False
    after: float = AFTER
    most_rounds: int = 1
    most_surveys: int = SURVEYS

    def __post_init__(self) -> None:
        if self.unit is not None and not plain(self.unit, UNIT):
            raise _wrong("unit", f"None or a text of 1 to {UNIT} printable characters", ascii(self.unit)[:UNIT])
        for name, value in (("most_epsilon", self.most_epsilon), ("total", self.total)):
            if not _real(value) or not 0 < value < math.inf:
                raise _wrong(name, "a positive number", repr(value))
        if not _real(self.after) or not 0 <= self.after <= _LONGEST:
            raise _wrong("after", f"seconds from 0 to {_LONGEST:.0f}", repr(self.after))
        for name, number in (("most_rounds", self.most_rounds), ("most_surveys", self.most_surveys)):
            if type(number) is not int or number < 1:
                raise _wrong(name, "a whole number of at least 1", repr(number))
        if (self.hash is None) != bool(self.trust):
            raise _wrong("hash", "given, or else trust=True", f"hash={self.hash!r}, trust={self.trust!r}")
        if self.hash is not None:
            object.__setattr__(self, "hash", require_hash(self.hash))

    def require(self, design: VerifiedDesign) -> None:
        """Check what a verified design asks.

        Guarantee: a design that passes costs at most `most_epsilon` per unit of the person's own value; one whose noise
        walks, over at most `most_rounds` rounds, per unit of D (theory T15).

        Raises:
            Refused: for another design than the published one, another unit, another reading of values, a larger ε, and
                a walk of more rounds.
        """
        if self.hash is not None and design.hash != self.hash:
            raise Refused(f"The hash of the design must be the published one. Got {design.hash} instead.")
        if design.unit != self.unit:
            raise Refused(f"The unit of the design must be {_named(self.unit)}. Got {_named(design.unit)} instead.")
        if design.degrees != self.degrees:
            wanted, got = ("a latitude and a longitude", "numbers in the unit")[:: 1 if self.degrees else -1]
            said = f"{'with' if self.degrees else 'without'} --degrees (degrees={self.degrees})"
            raise Refused(f"The design must read {wanted}, as the value is said to be {said}. It reads {got}.")
        if design.walk is not None and design.walk.rounds > self.most_rounds:
            most = f"at most {self.most_rounds}" if self.most_rounds > 1 else "1, since no walk was allowed"
            said = f"(--most-rounds, most_rounds={self.most_rounds})"
            raise Refused(f"The rounds of the design must be {most} {said}. Got {design.walk.rounds} instead.")
        if Fraction(design.epsilon) > Fraction(self.most_epsilon):
            most = f"at most {float(self.most_epsilon)!r} per {self.unit or 'unit'}"
            raise Refused(f"The epsilon of the design must be {most}. Got {design.epsilon!r} instead.")


def _real(value: object) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def require_hash(words: object) -> str:
    """A hash as designs write it.

    Raises:
        InvalidParameter: for a text that is none.
    """
    if not isinstance(words, str) or len(words) != 64 or set(words) - set("0123456789abcdefABCDEF"):
        raise _wrong("hash", "64 hexadecimal digits", ascii(words)[:UNIT])
    return words.lower()


def _named(unit: str | None) -> str:
    return "none" if unit is None else ascii(unit)


def _wrong(parameter: str, rule: str, got: str) -> InvalidParameter:
    return InvalidParameter(f"The '{parameter}' parameter of Policy must be {rule}. Got {got} instead.")
