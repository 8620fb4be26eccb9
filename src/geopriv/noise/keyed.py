"""Random bits that can be had again: a stream of one's own for each person, from a secret key.

Where a machine may fail half-way and start again, the second attempt must send what the first one sent, or a person
has two reports that can be averaged. So bits are a function of a key and of the person, and never of the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from geopriv.noise.entropy import Source

_WORDS = 8  # in a block of BLAKE2b
_PURPOSE = b"geopriv bits"


class Keyed(Source):
    """Endless words of 64 bits for each person, read once and in order.

    Block j of a person is the keyed BLAKE2b of the person's name with salt j. To anyone without the key, streams of
    different names look like independent fair bits (BLAKE2b as a pseudorandom function). Who reads how many words does
    not change anybody else's, so neither the order of the people nor the batch they are in matters.

    Args:
        people: their names, each once: two of one name would have the same bits.
        key: 16 to 64 secret bytes.

    >>> alone, together = Keyed([b"Ada"], bytes(32)), Keyed([b"Bob", b"Ada"], bytes(32))
    >>> bool((alone.words(1, 5)[0] == together.words(2, 5)[1]).all())
    True
    """

    def __init__(self, people: Sequence[bytes], key: bytes) -> None:
        self._people, self._key = people, key
        first = self._start(0)
        self._first = np.frombuffer(b"".join([_block(first, name) for name in people]), "<u8").reshape(-1, _WORDS)
        self._used = np.zeros(len(people), dtype=np.int64)  # words that each person has had, in every view
        self._who = np.arange(len(people))

    def words(self, people: int, count: int) -> npt.NDArray[np.uint64]:
        """The next words of each person, shape (people, count); there must be so many people."""
        if people != self._who.size:
            raise ValueError("Everybody has bits of their own, and there is another number of people.")
        start = self._used[self._who]
        self._used[self._who] = start + count
        if start.max(initial=0) + count > _WORDS:  # rare: a draw was repeated, or a comparison was close
            pairs = zip(self._who.tolist(), start.tolist(), strict=True)
            return np.array([self._further(i, at, count) for i, at in pairs], dtype=np.uint64).reshape(people, count)
        return np.asarray(self._first[self._who[:, None], start[:, None] + np.arange(count)], dtype=np.uint64)

    def bytes(self, n: int) -> bytes:
        """The next bytes of the only person, in whole words."""
        return self.words(1, -(-n // 8)).astype("<u8").tobytes()[:n]

    def among(self, who: slice | npt.NDArray[np.intp]) -> Keyed:
        """The same streams, of some people: what is read here is not read again elsewhere."""
        some = copy(self)
        some._who = self._who[who]
        return some

    def _further(self, i: int, start: int, count: int) -> npt.NDArray[np.uint64]:
        first, last = start // _WORDS, (start + count - 1) // _WORDS
        blocks = b"".join(_block(self._start(j), self._people[i]) for j in range(first, last + 1))
        return np.frombuffer(blocks, "<u8")[start - first * _WORDS :][:count].astype(np.uint64)

    def _start(self, block: int) -> blake2b:
        return blake2b(key=self._key, salt=block.to_bytes(16, "little"), person=_PURPOSE)


def _block(start: blake2b, name: bytes) -> bytes:
    # a copy saves reading the key again, which takes as long as reading the name
    own = start.copy()
    own.update(name)
    return own.digest()
