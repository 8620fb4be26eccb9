"""Sources of known bytes, so that tests can say which report comes of which bits. They exist in tests only."""

from __future__ import annotations

import numpy as np

from geopriv.noise.entropy import Source


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
