"""Random bits for reports: a stream cipher keyed by the operating system, never seeded.

The system call makes 0.4 GB/s. AES-256 in counter mode makes 8, of the library `cryptography`, which lets other threads
go on meanwhile; its key comes from the system call, anew after every GiB, in every thread and in every process.
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

_PIECE = 1 << 16  # bytes that stay in a core's cache
_ZEROS = memoryview(bytes(_PIECE))  # encrypted, they are the stream
_MOST = 1 << 30  # bytes of one key
_KEY, _COUNTER = 32, 16  # bytes
_WIPE_ON_FORK = 18  # MADV_WIPEONFORK, which the standard library does not name


class Source(ABC):
    """Independent fair bits, as bytes and as whole numbers."""

    @abstractmethod
    def bytes(self, n: int) -> bytes:
        """N random bytes."""

    def integers64(self, n: int) -> npt.NDArray[np.uint64]:
        """N numbers, uniform on [0, 2^64); the first byte of each is its lowest."""
        import numpy as np

        return np.frombuffer(self.bytes(8 * n), dtype="<u8").astype(np.uint64)

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


class Stream:
    """Bytes of one key, which one thread of one process draws, each once."""

    def __init__(self, process: object) -> None:
        # imported when it is first needed: it takes longer than the rest of this file
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        drawn = os.urandom(_KEY + _COUNTER)
        if len(drawn) != _KEY + _COUNTER:
            raise OSError("The random number generator gave fewer bytes than it was asked for.")
        self._encryptor = Cipher(algorithms.AES(drawn[:_KEY]), modes.CTR(drawn[_KEY:])).encryptor()
        self.process, self.left = process, _MOST

    def fill(self, place: memoryview) -> None:
        """The next bytes, as many as there is place for."""
        self.left -= len(place)
        for start in range(0, len(place), _PIECE):
            piece = place[start : start + _PIECE]
            self._encryptor.update_into(_ZEROS[: len(piece)], piece)


class Entropy(Source):
    """The generator that reports are made with: a stream a thread, and safe to fork.

    A child process never draws from a stream of its parent, however it was made (`Process`). Bytes are taken out of the
    stream before they are given out, so an error or a signal in between loses some and repeats none. There is nothing
    to seed, copy or store. When the system gives no key its error is raised and no report is made.

    >>> entropy = Entropy()
    >>> len(entropy.bytes(5)), 0 <= entropy.below(10) < 10
    (5, True)
    """

    def __init__(self) -> None:
        self._own = threading.local()

    def bytes(self, n: int) -> bytes:
        """N random bytes that were never given out before."""
        drawn = bytearray(n)
        self._fill(memoryview(drawn))
        return bytes(drawn)

    def integers64(self, n: int) -> npt.NDArray[np.uint64]:
        import numpy as np

        drawn = np.empty(n, dtype="<u8")
        self._fill(drawn.data.cast("B"))
        return drawn.astype(np.uint64, copy=False)

    def _fill(self, place: memoryview) -> None:
        while True:
            here = PROCESS.token()
            stream: Stream | None = getattr(self._own, "stream", None)
            if stream is None or stream.process is not here or stream.left < len(place):
                stream = self._own.stream = Stream(here)
            stream.fill(place)
            if PROCESS.token() is here:  # the handler of a signal may have forked since, and the parent gives these out
                return

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
        """An object that is this process's own."""
        if self._page[0] != 1 or self._number != os.getpid():
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


PROCESS = Process()
ENTROPY = Entropy()
