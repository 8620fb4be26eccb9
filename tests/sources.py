"""A source of given bytes, so that tests can say which report comes of which bits. It exists in tests only."""

from __future__ import annotations

from geopriv.sampling.entropy import Source


class Given(Source):
    """The given bytes, in order; afterwards an error."""

    def __init__(self, given: bytes) -> None:
        self.given, self.used = given, 0

    def bytes(self, n: int) -> bytes:
        if self.used + n > len(self.given):
            raise EOFError("no bytes left")
        self.used += n
        return self.given[self.used - n : self.used]
