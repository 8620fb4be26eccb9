"""Random bits for reports: a cryptographic generator behind a buffer, never seeded.

OpenSSL's generator, which the standard library reaches through `ssl`, makes some 5 GB/s in pieces of 64 KiB; the system
call makes 0.2 GB/s. Both are cryptographic, and where Python was built without `ssl` the system call is used.
"""

from __future__ import annotations

import os
import threading
import weakref
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BUFFER = 1 << 16
_PIECE = 1 << 13  # words


class Source(ABC):
    """Independent fair bits, as bytes and as whole numbers."""

    @abstractmethod
    def bytes(self, n: int) -> bytes:
        """N random bytes."""

    def integers64(self, n: int) -> npt.NDArray[np.uint64]:
        """N numbers, uniform on [0, 2^64); the first byte of each is its lowest."""
        import numpy as np

        drawn = np.empty(n, dtype=np.uint64)
        for start in range(0, n, _PIECE):  # pieces that stay in a core's cache
            part = drawn[start : start + _PIECE]
            part[:] = np.frombuffer(self.bytes(8 * part.size), dtype="<u8")
        return drawn

    def words(self, people: int, count: int) -> npt.NDArray[np.uint64]:
        """So many numbers for each of so many people, uniform on [0, 2^64), shape (people, count)."""
        return self.integers64(people * count).reshape(people, count)

    def among(self, who: slice | npt.NDArray[np.intp]) -> Source:
        """The source for some of the people it serves: itself, unless everybody has bits of their own."""
        return self

    def bits(self, n: int) -> int:
        """A number that is uniform on [0, 2^n)."""
        return int.from_bytes(self.bytes((n + 7) // 8), "little") >> (-n % 8)

    def below(self, n: int) -> int:
        """A number that is exactly uniform on [0, n), n ≥ 1: what is not below n is drawn again."""
        if n < 1:
            raise ValueError("There is no whole number from 0 to below n unless n is at least 1.")
        while True:
            drawn = self.bits((n - 1).bit_length())
            if drawn < n:
                return drawn


class Entropy(Source):
    """The generator that reports are made with: buffered, for any number of threads, and safe to fork.

    A child process starts with an empty buffer, bytes are overwritten once they are given out, and there is nothing to
    seed, copy or store. When the generator fails its error is raised and no report is made.

    >>> entropy = Entropy()
    >>> len(entropy.bytes(5)), 0 <= entropy.below(10) < 10
    (5, True)
    """

    _left: int

    def __init__(self) -> None:
        self._forget()
        _ALIVE.add(self)

    def bytes(self, n: int) -> bytes:
        """N random bytes that were never given out before."""
        if n > _BUFFER // 2:
            return _fresh(n)
        with self._lock:
            if self._left < n:
                self._buffer[:] = _fresh(_BUFFER)
                self._left = _BUFFER
            end = self._left
            given = bytes(self._buffer[end - n : end])
            self._buffer[end - n : end] = bytes(n)
            self._left = end - n
            return given

    def _forget(self) -> None:
        """An empty buffer, and a lock that no other thread of a parent process can be holding."""
        self._lock = threading.Lock()
        self._buffer = bytearray(_BUFFER)
        self._left = 0

    def __reduce__(self) -> NoReturn:
        raise TypeError("Entropy cannot be copied or stored: the same bytes would be given out twice.")


def _generate(n: int) -> bytes:
    # imported when it is first needed: it takes longer than the rest of this file
    try:
        from ssl import RAND_bytes
    except ImportError:  # pragma: no cover # only where Python was built without ssl
        return os.urandom(n)
    return RAND_bytes(n)


def _fresh(n: int) -> bytes:
    drawn = _generate(n)
    if len(drawn) != n:
        raise OSError("The random number generator gave fewer bytes than it was asked for.")
    return drawn


_ALIVE: weakref.WeakSet[Entropy] = weakref.WeakSet()


def _after_fork() -> None:
    for entropy in _ALIVE:
        entropy._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

ENTROPY = Entropy()
