"""Sources of known bytes, so that tests can say which report comes of which bits. They exist in tests only."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopriv.mechanisms import Mechanism
from geopriv.mechanisms.reports import Reports
from geopriv.mechanisms.sendable import Integers, Sendable
from geopriv.noise.entropy import Source
from geopriv.noise.plans import Plan


class Given(Source):
    """The given bytes, in order; afterwards an error."""

    def __init__(self, given: bytes) -> None:
        self.given, self.used = given, 0

    def bytes(self, n: int) -> bytes:
        if self.used + n > len(self.given):
            raise EOFError("no bytes left")
        self.used += n
        return self.given[self.used - n : self.used]


class Seeded(Source):
    """Bytes of a seeded generator, so that a statistical test of the exact samplers has a fixed outcome."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def bytes(self, n: int) -> bytes:
        return self._rng.bytes(n)


def report(mechanism: Mechanism, x: Any, source: Source) -> Reports:
    """One exact report for each value, from a source."""
    return mechanism.report_from(source, x)


def report_integers(mechanism: Sendable, x: Any, source: Source) -> Integers:
    """One exact report for each value as it is written to a file, from a source."""
    return mechanism.draw(mechanism.space.read_rows(x)[0], source)


def plans(mechanism: Any) -> list[Plan]:
    """How a mechanism's report is made, where that is a plan."""
    return list(mechanism.releases())
