"""A file that is there whole or not at all, with room for what is needed on the way."""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geopriv.device.files import sync
from geopriv.errors import InvalidParameter


@contextmanager
def parts(output: Path) -> Iterator[Path]:
    """A folder beside the output, ".name.….parts", that is gone afterwards, whatever happens in between.

    Only a process that is killed leaves one. The folder is locked as long as its process lives, so the next run tells
    what is left over from what is in use: the first is removed.

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
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


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


def _locked(output: Path) -> tuple[Path, int]:
    """A new folder and its lock. Another run may remove it in the moment before it is locked: then it is made again."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".parts", dir=output.parent))
        handle = _opened(folder)
        if handle is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if folder.exists():
                return folder, handle
            os.close(handle)


def _remove(left: Path, output: Path) -> None:
    handle = _opened(left)
    if handle is None:
        return  # its own process, or another one, was faster
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(left, ignore_errors=True)
    except BlockingIOError:
        raise InvalidParameter(f"Another run is writing {str(output)!r} now.") from None
    finally:
        os.close(handle)


def _opened(folder: Path) -> int | None:
    """A handle of the folder; None where it is gone."""
    try:
        return os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
