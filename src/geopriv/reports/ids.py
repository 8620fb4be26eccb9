"""Ids of reports that were seen: an exact set in little more than the ids themselves."""

from __future__ import annotations

from binascii import unhexlify

import numpy as np
import numpy.typing as npt

from geopriv.spaces.threads import in_threads

Packed = npt.NDArray[np.bytes_]  # 16 bytes each, compared byte by byte

_PARTS = 16  # by the first bits of an id, so that only a part of the ids is copied at a time
_BOUNDS: Packed = np.frombuffer(bytes(b for i in range(1, _PARTS) for b in (256 // _PARTS * i, *bytes(15))), "S16")
_SHRINK = 2  # a run is at least so many times as long as the next


def packed(digits: bytes) -> Packed:
    """Ids from their hexadecimal digits, 32 each and nothing between them.

    >>> packed(b"41" * 32).tolist()
    [b'AAAAAAAAAAAAAAAA', b'AAAAAAAAAAAAAAAA']
    """
    return np.frombuffer(unhexlify(digits), "S16")


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
