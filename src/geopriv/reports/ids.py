"""Ids of reports that were seen: an exact set in little more than the ids themselves, and a sketch of a few of them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import unhexlify
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.spaces.threads import in_threads

Packed = npt.NDArray[np.bytes_]  # 16 bytes each, compared byte by byte

Words = npt.NDArray[np.uint64]

LEAST = 4096  # ids of a sketch
_PARTS = 16  # by the first bits of an id, so that only a part of the ids is copied at a time
_BOUNDS: Packed = np.frombuffer(bytes(b for i in range(1, _PARTS) for b in (256 // _PARTS * i, *bytes(15))), "S16")
_SHRINK = 2  # a run is at least so many times as long as the next


def packed(digits: bytes) -> Packed:
    """Ids from their hexadecimal digits, 32 each and nothing between them.

    >>> packed(b"41" * 32).tolist()
    [b'AAAAAAAAAAAAAAAA', b'AAAAAAAAAAAAAAAA']
    """
    return np.frombuffer(unhexlify(digits), "S16")


def words(ids: Packed) -> Words:
    """The first half of each id as a number."""
    return np.frombuffer(ids.tobytes(), ">u8")[::2].astype(np.uint64)


@dataclass(frozen=True, eq=False)
class Sketch:
    """The least ids of many reports, by which two tallies are known to count some of the same.

    An id is 128 random bits, so which are least says nothing but which ids there are, and a report that is in both
    tallies and among the least of one is mostly among the least of the other: of two tallies that share 0.1 % of their
    reports the sketches share one with 98 %. That they do by chance, for 64 bits are kept of an id, has one of 10^-9
    for a million reports in each. It finds mistakes: who chooses the ids of his reports can hide from it.

    Args:
        of: how many reports it was made of.
        least: the first halves of the least ids, in order, each once.

    >>> some, others = (Sketch().and_of(np.arange(k, k + 10, dtype=np.uint64)) for k in (0, 10))
    >>> some.shares(others), (some + others).shares(others), (some + others).of
    (False, True, 20)
    """

    of: int = 0
    least: Words = field(default_factory=lambda: np.zeros(0, np.uint64))

    def and_of(self, found: Words) -> Sketch:
        """Of these ids too."""
        few = found[found < self.least[-1]] if len(self.least) == LEAST else found
        least = np.unique(np.concatenate([self.least, few]))[:LEAST] if len(few) else self.least
        return Sketch(self.of + len(found), least)

    def __add__(self, other: Sketch) -> Sketch:
        return Sketch(self.of + other.of, self.and_of(other.least).least)

    def shares(self, other: Sketch) -> bool:
        """Whether some id is in both."""
        return bool(np.isin(self.least, other.least).any())

    def to_note(self) -> dict[str, Any]:
        """As JSON."""
        return {"of": self.of, "least": b64encode(self.least.astype("<u8").tobytes()).decode()}

    @classmethod
    def of_note(cls, note: dict[str, Any] | None, most: int) -> Sketch:
        """The sketch of JSON, of a tally of so many reports; one that knows no id where there is none.

        Raises:
            ValueError, TypeError, KeyError: for what is no sketch.
        """
        if note is None:
            return cls()
        least = np.frombuffer(b64decode(note["least"], validate=True), "<u8").astype(np.uint64)
        in_order = bool((least[1:] > least[:-1]).all())
        if type(note["of"]) is not int or not len(least) <= min(note["of"], LEAST) or note["of"] > most or not in_order:
            raise ValueError
        return cls(note["of"], least)


class SeenIds:
    """A set of ids to which many are added at once.

    Each part holds sorted runs, every one at least twice as long as the next, so that an id is looked for in few of
    them and copied a few times in all. Memory is 16 bytes an id and a tenth for the copying.

    >>> seen = SeenIds()
    >>> seen.add(packed(b"aa" * 16 + b"bb" * 16 + b"aa" * 16)).tolist()
    [True, True, False]
    >>> seen.add(packed(b"bb" * 16)).tolist(), len(seen)
    ([False], 2)
    """

    def __init__(self) -> None:
        self._parts: list[list[Packed]] = [[] for _ in range(_PARTS)]

    def __len__(self) -> int:
        return sum(run.size for runs in self._parts for run in runs)

    def add(self, ids: Packed) -> npt.NDArray[np.bool_]:
        """Which of the ids are new: seen neither before nor earlier among these."""
        different, first = np.unique(ids, return_index=True)  # sorted, each with its first place
        fresh = np.zeros(ids.size, dtype=np.bool_)
        edges = [0, *np.searchsorted(different, _BOUNDS).tolist(), different.size]

        def work(i: int) -> None:
            runs, mine = self._parts[i], slice(edges[i], edges[i + 1])
            part, unseen = different[mine], np.ones(edges[i + 1] - edges[i], dtype=np.bool_)
            for run in runs:
                at = np.minimum(np.searchsorted(run, part), run.size - 1)
                unseen &= run[at] != part
            fresh[first[mine][unseen]] = True
            _push(runs, part[unseen])

        in_threads(work, range(_PARTS))
        return fresh


def _push(runs: list[Packed], run: Packed) -> None:
    """One more sorted run, merged with those that are not long enough beside it."""
    if run.size:
        runs.append(run)
    while len(runs) > 1 and runs[-2].size < _SHRINK * runs[-1].size:
        merged = np.concatenate((runs.pop(), runs.pop()))
        merged.sort(kind="stable")  # which takes advantage of the two sorted halves
        runs.append(merged)
