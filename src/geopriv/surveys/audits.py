"""`audit`: does a promise hold? Of a mechanism, of a design, or of a design.json that may break it."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

from geopriv.device.designs import verify
from geopriv.device.files import read_few
from geopriv.errors import GeoprivError, InvalidDesign
from geopriv.mechanisms import Mechanism
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.sendable import Sendable
from geopriv.proofs.audits.analytic import Audit, audit_mechanism
from geopriv.spaces.checks import invalid
from geopriv.spaces.documents import from_document
from geopriv.surveys.contributions import Contribution
from geopriv.surveys.design import Design


@dataclass(frozen=True)
class DesignAudit:
    """What the audit of a design found.

    Args:
        passed: whether every mechanism keeps its promise, and the file is as geopriv writes it.
        reason: why it did not pass; empty if it did.
        audits: of the mechanisms that could be read, broken ones too.
        guarantee: of one person, if the audit passed.
        hash: of the design, if the audit passed.
        verified: whether devices accept the file. They look at what they run and not at what is asked, so they may
            where `passed` is False: then the promise holds, and nobody can estimate from the reports.
        contributions: how much one report can count for each answer, if the audit passed.
    """

    passed: bool
    reason: str
    audits: tuple[Audit, ...]
    guarantee: Guarantee | None = None
    hash: str = ""
    verified: bool = True
    contributions: tuple[Contribution, ...] = ()

    def __str__(self) -> str:
        verdict = f"holds: {self.guarantee}" if self.passed else f"does NOT pass: {self.reason}"
        return "\n".join([verdict, *(f"mechanism {k}: {found}" for k, found in enumerate(self.audits))])

    @property
    def worst(self) -> Audit | None:
        """The mechanism closest to its promise, or farthest beyond it."""
        return max(self.audits, key=lambda found: found.worst_ratio, default=None)


@overload
def audit(thing: Mechanism, tolerance: float = 1e-9) -> Audit: ...


@overload
def audit(thing: Design | str | os.PathLike[str], tolerance: float = 1e-9) -> DesignAudit: ...


def audit(thing: Mechanism | Design | str | os.PathLike[str], tolerance: float = 1e-9) -> Audit | DesignAudit:
    """Does the promise hold, how near is the worst privacy loss to it, and where?

    A mechanism is audited from the law that it states; only densities (of tables and grids, exact probabilities) are
    compared. A design.json is checked as devices do, and then each of its mechanisms is audited, broken ones too.

    Args:
        thing: a mechanism, a design, or the path of a design.json.
        tolerance: a ratio up to 1 + tolerance passes; an exact one only up to 1.

    Raises:
        OSError: where there is no file to read.

    Guarantee: a design that passes keeps its ε for one person and the whole survey: integers of tables (theory T5) and
    θ of lattices (T8) are compared exactly, and each person answers one mechanism (partition).

    >>> import geopriv as gp
    >>> m = gp.SmoothT.calibrate(gp.Threshold(at=100_000, width=16_000), epsilon=1 / 8000)
    >>> result = gp.audit(m)
    >>> result.passed, round(result.worst_ratio, 2)
    (True, 0.67)
    """
    if isinstance(thing, Design):
        return _of_design(thing, tolerance)
    if isinstance(thing, str | os.PathLike):
        return _of_file(thing, tolerance)
    if not isinstance(thing, Mechanism):
        raise invalid("audit", "thing", "a mechanism, a Design or the path of a design.json", type(thing).__name__)
    return audit_mechanism(thing, tolerance)


def _of_design(design: Design, tolerance: float) -> DesignAudit:
    audits = tuple(audit_mechanism(mechanism, tolerance) for mechanism in design.mechanisms)
    broken = [k for k, found in enumerate(audits) if not found.passed]
    reason = f"Mechanism {broken[0]} loses more than it promises." if broken else ""
    counts = () if broken else design.contributions
    return DesignAudit(not broken, reason, audits, design.guarantee, design.hash, contributions=counts)


def _of_file(path: str | os.PathLike[str], tolerance: float) -> DesignAudit:
    data = b""
    try:
        data = read_few(path)
        return _of_design(Design.parse(data), tolerance)
    except InvalidDesign as error:
        return DesignAudit(False, str(error), tuple(_readable(data)), verified=_verified(data))


def _verified(data: bytes) -> bool:
    try:
        return bool(verify(data).hash)
    except InvalidDesign:
        return False


def _readable(data: bytes) -> list[Audit]:
    """Audits of the mechanisms in a design that was refused, as far as they can be read at all."""
    try:
        documents = json.loads(data)["mechanisms"]
        return [found for document in documents if (found := _refused(document)) is not None]
    except (ValueError, RecursionError, TypeError, LookupError, ArithmeticError):
        return []


def _refused(document: Any) -> Audit | None:
    try:
        return audit_mechanism(from_document(Sendable, document))
    except GeoprivError:
        return _steep_lattice(document)


def _steep_lattice(document: Any) -> Audit | None:
    """A lattice whose θ is too large, which no Lattice can be made of: √d·θ over what a step promises."""
    try:
        numbers = (*document["theta"], document["step"], document["guarantee"]["epsilon"])
        if len(numbers) != 4 or not all(type(number) in (int, float) for number in numbers):
            return None  # a text such as "1e999999999" would be computed for hours
        theta, step = Fraction(*numbers[:2]), Fraction(numbers[2])
        promised = Fraction(numbers[3]) * step
        ratio = math.sqrt(len(document["origin"]) * (theta / promised) ** 2)
    except (ValueError, TypeError, KeyError, ZeroDivisionError, OverflowError):
        return None
    return Audit(ratio <= 1, ratio, ("cell 0", "cell 1", "any cell outside them"), 1)
