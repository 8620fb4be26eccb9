"""Invitations: single-use tokens of 128 random bits, of which the store keeps hashes only."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterator

_BYTES = 16
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")


def issue(number: int) -> Iterator[str]:
    """So many new tokens, of letters, digits, - and _.

    >>> token, other = issue(2)
    >>> len(token), token != other, read(token) == digest(token)
    (22, True, True)
    """
    return (secrets.token_urlsafe(_BYTES) for _ in range(number))


def digest(token: str) -> bytes:
    """What is stored of a token. It has 128 random bits, so nobody finds it from its hash, and no salt is needed.

    The store looks for hashes, not for tokens: how long that takes tells of a hash, whose bits nobody chooses.
    """
    return hashlib.sha256(token.encode("ascii")).digest()


def read(words: str | None) -> bytes | None:
    """The hash of a token; None for what is none.

    >>> read("not a token"), read(None)
    (None, None)
    """
    return digest(words) if words is not None and _TOKEN.fullmatch(words) else None
