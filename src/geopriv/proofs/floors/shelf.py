"""Floors that were proven, kept in memory and on disk by what they depend on.

A file holds multipliers and nothing else. They are checked whenever they are read, so one that was damaged or planted
costs time and never makes a floor too high.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from geopriv.mechanisms.table.cache import cache_folder, name_of, write_whole
from geopriv.proofs.floors.chains import Certificate, Chain, Refuted
from geopriv.proofs.floors.duals import best_certificate, certified
from geopriv.spaces.checks import FloatArray

_KEPT = 256  # floors in memory
_LARGEST = 1 << 20  # bytes of a file
_SEARCH = 2.0  # grows when a better search is there, so that what an older one left is not taken for its result
_floors: dict[str, float] = {}


def kept_floor(chain: Chain, values: FloatArray, inner: tuple[float, float]) -> float:
    """The floor of the best certificate for a chain, computed once for each set of arguments; 0 where there is none.

    Args:
        chain: places, people, answers.
        values: increasing, that reports may take in a first program.
        inner: between which they must be dense.
    """
    name = name_of(chain.places, chain.shares, chain.heights, values, np.asarray([*inner, chain.off, _SEARCH]))
    if name not in _floors:
        _floors[name] = _proven(name, chain, values, inner)
        for oldest in list(_floors)[:-_KEPT]:
            _floors.pop(oldest, None)
    return _floors[name]


def _proven(name: str, chain: Chain, values: FloatArray, inner: tuple[float, float]) -> float:
    folder = cache_folder()
    path = None if folder is None else folder / f"{name}.floor"
    kept = None if path is None else _loaded(path, chain)
    try:
        if kept is not None:
            return kept.floor
        found = best_certificate(chain, values, inner)
        floor = 0.0 if found is None else found.floor
    except Refuted:
        return 0.0
    if found is not None and path is not None and floor > 0:
        write_whole(path, np.concatenate([found.levels, found.slopes, found.values]).astype("<f8").tobytes())
    return floor


def _loaded(path: Path, chain: Chain) -> Certificate | None:
    """The certificate of the multipliers in a file; None if they are not what they should be, or prove nothing."""
    places = chain.places.size
    try:
        content = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
    except OSError:
        return None
    numbers = np.frombuffer(content, dtype="<f8") if len(content) % 8 == 0 else np.empty(0)
    if numbers.size < 2 * places + 2 or not np.isfinite(numbers).all():
        return None
    levels, slopes, values = np.split(numbers, [places, 2 * places])
    if not ((np.diff(values) > 0).all() and np.abs(numbers).max() < 1e12):
        return None
    found = certified(chain, levels, slopes, values)
    try:
        return found if found.floor > 0 else None
    except Refuted:
        return None
