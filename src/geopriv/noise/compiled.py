"""Functions as machine code, kept on disk for the next process in a folder that nobody else can write.

What numba keeps is unpickled when it is read, so whoever can write it can run code here and see what people answer. By
default numba reads it wherever NUMBA_CACHE_DIR points, or beside the source. This module names the folder instead.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

import numba
from numba.misc.appdirs import AppDirs

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

_Function = TypeVar("_Function", bound=Callable[..., object])


def compiled(function: _Function) -> _Function:
    """The function as machine code, free of the interpreter's lock; compiled again each time if it cannot be kept."""
    folder = private_folder()
    if folder is not None:
        with _kept_in(folder):
            try:
                made = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
            except RuntimeError:  # there is no place to keep it
                made = None
        if made is not None and Path(made.stats.cache_path).parent == folder:
            return cast("_Function", made)
    return cast("_Function", numba.njit(nogil=True, error_model="numpy")(function))


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Numba chooses the place when a function is decorated: by these settings, which variables of any user may set."""
    wanted = {"CACHE_DIR": str(folder), "CACHE_LOCATOR_CLASSES": ""}
    before = {name: getattr(numba.config, name) for name in wanted if hasattr(numba.config, name)}
    try:
        for name in before:
            setattr(numba.config, name, wanted[name])
        yield
    finally:
        for name, value in before.items():
            setattr(numba.config, name, value)


@cache
def private_folder() -> Path | None:
    """The folder "compiled" in the user's own cache; None where others could write it, or that cannot be known.

    Guarantee: it belongs to this user and no one else may read or write it; every folder above belongs to the user or
    the administrator, and nobody else can rename what is in it. So what is read there was written by this user.
    """
    if not hasattr(os, "geteuid"):  # without owners and modes nothing can be checked
        return None
    try:
        folder = Path(os.path.realpath(AppDirs(appname="geopriv", appauthor=False).user_cache_dir)) / "compiled"
        for made in (folder.parent, folder):  # each closed, whatever the user's mask
            made.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_private(folder) else None
    except (OSError, RuntimeError):
        return None


def _is_private(folder: Path) -> bool:
    status, user = folder.lstat(), os.geteuid()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != user or status.st_mode & _OTHERS:
        return False
    return all(_is_guarded(above.lstat(), user) for above in folder.parents)


def _is_guarded(status: os.stat_result, user: int) -> bool:
    """Whether nobody but the user and the administrator can rename their things there: theirs, and closed or sticky."""
    return status.st_uid in (0, user) and (not status.st_mode & _OTHERS_WRITE or bool(status.st_mode & stat.S_ISVTX))
