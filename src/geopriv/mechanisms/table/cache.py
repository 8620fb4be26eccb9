"""Compiled tables, kept in memory and on disk by what they depend on.

A file holds the integers of one program and nothing else: they follow from public parameters. Whatever is read is
verified in exact arithmetic before it is used, so a file that was damaged or planted costs time and never privacy.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from geopriv.mechanisms.table.integers import (
    LESS,
    TOTAL,
    integers,
    spare_integers,
    worst_step,
)
from geopriv.mechanisms.table.program import Program, best, solve
from geopriv.mechanisms.table.spare import Integers, SpareRows
from geopriv.mechanisms.table.spare_program import SpareTask
from geopriv.spaces.checks import FloatArray

_FORMAT = 2  # of the files and of what they are computed by
_KEPT = 64  # tables in memory
_tables: dict[str, Integers] = {}
_bounds: dict[str, float] = {}


def compiled(lattice: FloatArray, heights: FloatArray, values: FloatArray, prior: FloatArray) -> Integers:
    """The integer weights of the best table, in units of 1/ε; computed once for each set of arguments.

    Args:
        lattice: increasing coordinates.
        heights: f0 there.
        values: what may be reported.
        prior: shares of the lattice points.
    """

    def solved() -> Integers:
        # the lattice a little shorter, so that the program is solved for a little less than ε
        program = best(lattice * (1 - LESS), heights, values, prior)
        return integers(Program(lattice, values, program.probabilities, program.expected_variance))

    def follows(weights: Integers) -> bool:
        return bool(np.abs((weights / TOTAL) @ values - heights).max() <= 1e-6 * np.ptp(values))

    return kept(name_of(lattice, heights, values, prior), lattice, values.size, solved, follows)


def spare_compiled(task: SpareTask, values: FloatArray, shares: Integers) -> Integers:
    """The integer weights of the best table with spare rows, in units of 1/ε, shape (2·points, values).

    Its rows come first, then its spare rows.

    Args:
        task: what is solved; for a little less than ε.
        values: what may be reported.
        shares: of the cells, out of 2^44.
    """
    # the lattice a little shorter, so that the program is solved for a little less than ε
    shorter = replace(task, lattice=task.lattice * (1 - LESS))

    def solved() -> Integers:
        return spare_integers(task.lattice, shorter.best(values), shares).reshape(-1, values.size)

    def follows(weights: Integers) -> bool:
        means, spare = ((weights / TOTAL) @ values).reshape(2, -1)
        low, high = (np.minimum(task.heights, task.means), np.maximum(task.heights, task.means))
        off = max(np.abs(means - task.heights).max(), (low - spare).max(), (spare - high).max())
        return bool(off <= 1e-6 * np.ptp(values))

    name = name_of(task.lattice, task.heights, task.means, task.uses, values, shares)
    return kept(name, task.lattice, values.size, solved, follows, shares)


def kept(
    name: str,
    lattice: FloatArray,
    letters: int,
    solved: Callable[[], Integers],
    follows: Callable[[Integers], bool],
    shares: Integers | None = None,
) -> Integers:
    """The integer weights of a program: from memory, from a file, or else solved now.

    Args:
        name: of all that they depend on.
        lattice: increasing coordinates in units of 1/ε.
        letters: how many there are, used or not.
        solved: the weights, after some seconds.
        follows: whether weights from a file, which keep the promise, are of use.
        shares: of the cells, where spare rows come after the rows.
    """
    path = _path(name)
    weights = _tables.pop(name, None)
    if weights is None and path is not None:
        weights = _loaded(path, lattice, letters, follows, shares)
    if weights is None:
        weights = solved()
        if path is not None:
            write_whole(path, weights.astype("<i8").tobytes())
    _keep(_tables, name, weights)
    return weights


def relaxed_variance(lattice: FloatArray, heights: FloatArray, values: FloatArray, prior: FloatArray) -> float:
    """The optimum of the relaxed program: no unbiased ε-GP report with these values has less expected variance."""
    name = name_of(lattice, heights, values, prior)
    bound = _bounds.pop(name, None)
    if bound is None:
        bound = solve(lattice, heights, values, prior, relaxed=True).expected_variance
    _keep(_bounds, name, bound)
    return bound


def _keep(shelf: dict[str, Any], name: str, thing: Any) -> None:
    """Put the thing last, and drop the first if there are too many: what is taken out and put back stays longest."""
    shelf[name] = thing
    for oldest in list(shelf)[:-_KEPT]:
        shelf.pop(oldest, None)


def cache_folder() -> Path | None:
    """Where tables are kept: $GEOPRIV_CACHE, or the user's cache folder; None if it is "off" or there is none."""
    chosen = os.environ.get("GEOPRIV_CACHE")
    if chosen:
        return None if chosen.lower() == "off" else Path(chosen)
    try:
        if sys.platform == "win32":
            home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            home = Path.home() / "Library" / "Caches"
        else:
            home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # no home
        return None
    return Path(home) / "geopriv"


def name_of(*arrays: FloatArray | Integers) -> str:
    """The name of what depends on some arrays, and on the solver."""
    digest = hashlib.sha256(f"geopriv table {_FORMAT}, scipy {scipy.__version__}".encode())
    for array in arrays:
        digest.update(f"{array.shape}".encode())
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()


def _path(name: str) -> Path | None:
    folder = cache_folder()
    return None if folder is None else folder / f"{name}.table"


def _loaded(
    path: Path, lattice: FloatArray, letters: int, follows: Callable[[Integers], bool], shares: Integers | None
) -> Integers | None:
    """The integers in the file, if they keep the promise and follow the query; None if anything is wrong with them."""
    points = lattice.size
    size = 8 * points * letters * (1 if shares is None else 2)
    try:
        content = path.read_bytes() if path.stat().st_size == size else b""
    except OSError:
        return None
    if len(content) != size:
        return None
    weights = np.frombuffer(content, dtype="<i8").astype(np.int64).reshape(-1, letters)
    spare = None if shares is None else SpareRows(weights[points:], shares)
    if not follows(weights) or worst_step(lattice, weights[:points], Fraction(1), spare)[0] > 1:
        return None
    return weights


def write_whole(path: Path, content: bytes) -> None:
    """Write the file whole or not at all; a disk that is full or read-only is no reason to fail."""
    temporary = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            temporary = Path(file.name)
            file.write(content)
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            if temporary is not None:
                temporary.unlink()
