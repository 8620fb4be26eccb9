"""A file that is there whole or not at all, with room for what is needed on the way."""

from __future__ import annotations

import errno
import glob
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from geopriv.device.files import sync
from geopriv.errors import InvalidParameter

_LOCK = "lock"
_SECONDS = 60.0  # that another process may take to see that a folder is in use


@contextmanager
def parts(output: Path) -> Iterator[Path]:
    """A folder beside the output, ".name.….parts", that is gone afterwards, whatever happens in between.

    Only a process that is killed leaves one. The folder is locked as long as its process lives, so the next run tells
    what is left over from what is in use: the first is removed. The lock is a transaction of SQLite on an empty file,
    which every system ends with its process, however that ends.

    Raises:
        InvalidParameter: where another process is writing the same output.
    """
    if not output.parent.is_dir():
        raise InvalidParameter(f"There is no folder {str(output.parent)!r} to write to.")
    for left in output.parent.glob(f".{glob.escape(output.name)}.*.parts"):
        _remove(left, output)
    folder, lock = _locked(output)
    try:
        yield folder
    finally:
        _emptied(folder, lock)


def publish(fresh: Path, output: Path, overwrite: bool) -> None:
    """Give a finished file its name, once it is on the disk; who may read it is left to the umask.

    Raises:
        FileExistsError: where there is a file of that name by now, and it is not to be replaced.
    """
    sync(fresh)
    if overwrite:
        fresh.replace(output)
    else:
        _link(fresh, output)
    sync(output.parent)


def _link(fresh: Path, output: Path) -> None:
    """A second name, which unlike a renaming fails where the name is taken."""
    try:
        os.link(fresh, output)
    except FileExistsError:
        raise
    except OSError as error:  # there are disks without second names
        if output.exists():
            raise FileExistsError(output) from error
        fresh.replace(output)


def _locked(output: Path) -> tuple[Path, sqlite3.Connection]:
    """A new folder and its lock. Another run may remove it in the moment before it is locked: then it is made again."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".parts", dir=output.parent))
        try:
            lock = _lock(folder, _SECONDS)
        except sqlite3.OperationalError as error:
            if folder.exists():
                raise OSError(errno.EIO, f"no lock can be had ({error})", str(folder)) from None
            continue
        if folder.exists():
            return folder, lock
        lock.close()


def _remove(left: Path, output: Path) -> None:
    try:
        lock = _lock(left, 0.0)
    except sqlite3.DatabaseError as error:
        if not left.exists():
            return  # its own process, or another one, was faster
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_BUSY:
            raise InvalidParameter(f"Another run is writing {str(output)!r} now.") from None
        raise OSError(errno.EIO, f"no lock can be had ({error})", str(left)) from None
    _emptied(left, lock)


def _lock(folder: Path, seconds: float) -> sqlite3.Connection:
    """The folder's lock, which is let go when it is closed."""
    lock = sqlite3.connect(folder / _LOCK, timeout=seconds, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except BaseException:
        lock.close()
        raise
    return lock


def _emptied(folder: Path, lock: sqlite3.Connection) -> None:
    """Remove a folder that is locked; where a file that is open cannot be removed, the lock goes last."""
    shutil.rmtree(folder, ignore_errors=True)
    lock.close()
    with suppress(OSError):  # it is gone already, or another process has it by now
        (folder / _LOCK).unlink()
        folder.rmdir()
