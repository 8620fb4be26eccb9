"""Random bits for reports: a cryptographic generator behind a buffer, never seeded.

OpenSSL's generator, which the standard library reaches through `ssl`, makes some 5 GB/s in pieces of 64 KiB; the system
call makes 0.2 GB/s. Both are cryptographic, and where Python was built without `ssl` the system call is used.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import sys
import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BUFFER = 1 << 16
_PIECE = 1 << 13  # words
_WIPE_ON_FORK = 18  # MADV_WIPEONFORK, which the standard library does not name


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

    A child process does not use the buffer of its parent, however it was made (`Process`). Bytes are taken out of
    the count before they are read and overwritten once they are, so an error or a signal in between loses some and
    repeats none. There is nothing to seed, copy or store. When the generator fails its error is raised and no report is
    made.

    >>> entropy = Entropy()
    >>> len(entropy.bytes(5)), 0 <= entropy.below(10) < 10
    (5, True)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffer = bytearray(_BUFFER)
        self._left = 0
        self._filled: object = None  # by which process

    def bytes(self, n: int) -> bytes:
        """N random bytes that were never given out before."""
        # a lock that another thread holds, or this one under a signal, or one that a fork left behind: nobody waits
        if n > _BUFFER // 2 or not self._lock.acquire(blocking=False):
            return _fresh(n)
        try:
            here = PROCESS.token()
            if self._left < n or self._filled is not here:
                self._left = 0
                self._buffer[:] = _fresh(_BUFFER)
                self._filled, self._left = here, _BUFFER
            end = self._left
            self._left = end - n
            given = bytes(self._buffer[end - n : end])
            self._buffer[end - n : end] = bytes(n)
            # the handler of a signal may have forked since, and the parent gives these out
            return given if PROCESS.token() is here else _fresh(n)
        finally:
            self._lock.release()

    def __reduce__(self) -> NoReturn:
        raise TypeError("Entropy cannot be copied or stored: the same bytes would be given out twice.")


class Process:
    """Which process this is: a token that no child shares, whether Python, a library or the bare kernel made it.

    Linux clears a page of memory in every child that gets a copy of it. The number of the process tells elsewhere,
    where a child of a child might have been given the number of its grandparent.
    """

    def __init__(self) -> None:
        self._page = _cleared_in_children()
        self._number, self._token = 0, object()

    def token(self) -> object:
        """An object that is this process's own; the generator behind `ssl` is stirred before a new one is made."""
        if self._page[0] != 1 or self._number != os.getpid():
            _stir()
            self._token, self._number = object(), os.getpid()
            self._page[0] = 1  # last: with the mark the token is new
        return self._token


def _cleared_in_children() -> mmap.mmap | bytearray:
    """A page of zeros that is zeros again in a child; copied like any other where the system cannot do that."""
    if sys.platform != "linux":
        return bytearray(1)
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # before Linux 4.14
        page.madvise(_WIPE_ON_FORK)
    return page


def _stir() -> None:
    """Mix the system's randomness into OpenSSL's generator, which knows a child by the number of its process only."""
    with contextlib.suppress(ImportError):  # where Python was built without ssl
        from ssl import RAND_add

        RAND_add(os.urandom(48), 48.0)


def _generate(n: int) -> bytes:
    PROCESS.token()
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


PROCESS = Process()
ENTROPY = Entropy()
