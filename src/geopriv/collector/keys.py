"""The analyst's key: who may read answers, and the pass that a browser is given for it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from geopriv.errors import InvalidParameter

_LEAST, _MOST = 16, 256  # letters of a key
_BITS = 128  # of a random one
_HOURS = 12  # that a pass is good for


@dataclass(frozen=True)
class Key:
    """What an analyst has to show.

    Args:
        words: letters, digits and signs of ASCII without spaces, at least 16 of them.

    >>> key = Key("a" * 16)
    >>> key.fits("a" * 16), key.fits("b" * 16), key.fits(None)
    (True, False, False)
    >>> one = key.new_pass(now=0.0)
    >>> key.admits(one, now=1.0), key.admits(one, now=1e9), key.admits("43200.forged", now=1.0)
    (True, False, False)
    """

    words: str = field(repr=False)

    def __post_init__(self) -> None:
        plain = self.words.isascii() and self.words.isprintable() and " " not in self.words
        if not plain or not _LEAST <= len(self.words) <= _MOST:
            rule = f"{_LEAST} to {_MOST} letters, digits and signs of ASCII, without spaces"
            raise InvalidParameter(f"The 'key' must be {rule}. It is not shown here.")

    @classmethod
    def random(cls) -> Key:
        """A new one, of 128 random bits."""
        return cls(secrets.token_urlsafe(_BITS // 8))

    def fits(self, told: str | None) -> bool:
        """Whether that is the key; how long this takes says nothing of how much of it is right."""
        # digests are of one length, so that not even this is told
        return told is not None and hmac.compare_digest(digest_of(told), digest_of(self.words))

    def new_pass(self, now: float) -> str:
        """What a browser shows instead of the key for some hours: whoever reads it has not read the key.

        Args:
            now: seconds since 1970.
        """
        until = f"{int(now) + self.lasting}-{secrets.token_hex(8)}"  # no two are the same, so that each ends alone
        return f"{until}.{self._seal(until)}"

    def admits(self, shown: str | None, now: float) -> bool:
        """Whether that is a pass that was made with this key, and is still good."""
        until, _, seal = (shown or "").partition(".")
        return hmac.compare_digest(seal.encode(), self._seal(until).encode()) and now < int(until.partition("-")[0])

    @property
    def lasting(self) -> int:
        """Seconds that a pass is good for."""
        return _HOURS * 3600

    def _seal(self, until: str) -> str:
        return hmac.new(self.words.encode(), f"pass until {until}".encode(), hashlib.sha256).hexdigest()


def digest_of(words: str) -> bytes:
    """What is compared of a key, and kept of a pass that has ended."""
    return hashlib.sha256(words.encode("utf-8", "replace")).digest()
