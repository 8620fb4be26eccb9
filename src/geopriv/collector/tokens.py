"""Invitations: single-use tokens of 128 random bits, of which the store keeps hashes only."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from geopriv.errors import Unavailable

if TYPE_CHECKING:
    from geopriv.collector.store import Store

_BYTES = 16
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")
_TOGETHER = 1_000  # tokens in a transaction, for which reports wait


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


def hand_out(store: Store, number: int, output: BinaryIO, tell: Callable[[int], None]) -> None:
    """New tokens, one a line, some at a time: each part is written out before the database knows it.

    So the database knows none that nobody has, and between two parts others write reports.

    Args:
        store: that will know them.
        number: how many.
        output: of no buffer; a file that grows.
        tell: is told how many are done.

    Raises:
        Unavailable: where the output or the database takes no more, or somebody stops it (Ctrl-C). Of a file, what is
            not good is taken back.
    """
    whole = stat.S_ISREG(os.fstat(output.fileno()).st_mode)
    for done in range(0, number, _TOGETHER):
        made = list(issue(min(_TOGETHER, number - done)))
        before, began = os.fstat(output.fileno()).st_size, time.monotonic()
        try:
            _write(output, "".join(f"{token}\n" for token in made).encode("ascii"), whole)
            store.invite(map(digest, made))
        except Unavailable as error:
            why = str(error)
        except OSError as error:
            why = f"The output takes no more: {error.strerror}."
        except KeyboardInterrupt:
            why = "It was stopped."
        else:
            tell(done + len(made))
            time.sleep(time.monotonic() - began)  # reports that wait take their turn
            continue
        if whole:
            os.ftruncate(output.fileno(), before)
        good = f"The first {done:,} invitations are good, and no others" if done else "No invitation was made"
        raise Unavailable(f"{why} {good}.")


def _write(output: BinaryIO, lines: bytes, whole: bool) -> None:
    while lines:
        lines = lines[output.write(lines) :]
    if whole:
        os.fsync(output.fileno())
