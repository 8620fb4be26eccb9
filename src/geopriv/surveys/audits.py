"""The audit of a design.json: what a device checks, and how far from its promise a design is that breaks it."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from geopriv.device.designs import verify
from geopriv.device.files import read_few
from geopriv.errors import GeoprivError, InvalidDesign
from geopriv.mechanisms import Table
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.proofs.audits.analytic import Audit, audit
from geopriv.spaces.documents import from_document
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
    """

    passed: bool
    reason: str
    audits: tuple[Audit, ...]
    guarantee: Guarantee | None = None
    hash: str = ""
    verified: bool = True

    @property
    def worst(self) -> Audit | None:
        """The mechanism closest to its promise, or farthest beyond it."""
        return max(self.audits, key=lambda found: found.worst_ratio, default=None)


def audit_design(path: str | os.PathLike[str]) -> DesignAudit:
    """Check a design as devices do, then audit each of its mechanisms from the law that it states.

    Args:
        path: of a design.json.

    Raises:
        OSError: where there is no file to read.

    Guarantee: what passes keeps its ε for one person and the whole survey: integers of tables (theory T5) and θ of
    lattices (T8) are compared exactly, and each person answers one mechanism (partition).
    """
    data = b""
    try:
        data = read_few(path)
        design = Design.parse(data)
    except InvalidDesign as error:
        return DesignAudit(False, str(error), tuple(_readable(data)), verified=_verified(data))
    audits = tuple(audit(mechanism) for mechanism in design.mechanisms)
    broken = [k for k, found in enumerate(audits) if not found.passed]
    reason = f"Mechanism {broken[0]} loses more than it promises." if broken else ""
    return DesignAudit(not broken, reason, audits, design.guarantee, design.hash)


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
        return audit(from_document(Table, document))
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
