"""Functions as machine code, kept on disk for the next process in a folder that nobody else can write.

What numba keeps is unpickled when it is read, so whoever can write it can run code here and see what people answer. By
default numba reads it wherever NUMBA_CACHE_DIR points, or beside the source. This module names the folder instead.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any, TypeVar, cast

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

_Function = TypeVar("_Function", bound=Callable[..., object])


def compiled(function: _Function) -> _Function:
    """The function as machine code, free of the interpreter's lock; compiled again each time if it cannot be kept.

    The compiler is loaded when the function is first called, so a law can stand beside its filter.
    """
    return cast("_Function", _Compiled(function))


class _Compiled:
    """A function that becomes machine code when it is called, or when machine code that calls it is made."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self._made: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        return self.machine(*arguments)

    @property
    def machine(self) -> Any:
        """What numba makes of the function.

        There is one lock for this and for compiling: code that calls other code asks for it in the middle.
        """
        if self._made is None:
            from numba.core.compiler_lock import global_compiler_lock

            with global_compiler_lock:  # the settings below belong to the whole process
                if self._made is None:
                    self._made = _machine(self._function)
        return self._made

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of a name in the code that it compiles."""
        return self.machine._numba_type_


def _machine(function: Callable[..., object]) -> Any:
    import numba

    folder = private_folder()
    if folder is not None:
        with _kept_in(folder):
            try:
                made = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
            except RuntimeError:  # there is no place to keep it
                made = None
        if made is not None and Path(made.stats.cache_path).parent == folder:
            return made
    return numba.njit(nogil=True, error_model="numpy")(function)


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Numba chooses the place when a function is decorated: by these settings, which variables of any user may set."""
    import numba

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
        folder = Path(os.path.realpath(_home())) / "compiled"
        for made in (folder.parent, folder):  # each closed, whatever the user's mask
            made.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_private(folder) else None
    except (OSError, RuntimeError):
        return None


def _home() -> str:
    """Where this user's caches are kept."""
    from numba.misc.appdirs import AppDirs

    return str(AppDirs(appname="geopriv", appauthor=False).user_cache_dir)


def _is_private(folder: Path) -> bool:
    status, user = folder.lstat(), os.geteuid()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != user or status.st_mode & _OTHERS:
        return False
    return all(_is_guarded(above.lstat(), user) for above in folder.parents)


def _is_guarded(status: os.stat_result, user: int) -> bool:
    """Whether nobody but the user and the administrator can rename their things there: theirs, and closed or sticky."""
    return status.st_uid in (0, user) and (not status.st_mode & _OTHERS_WRITE or bool(status.st_mode & stat.S_ISVTX))
