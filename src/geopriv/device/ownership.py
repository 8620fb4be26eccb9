"""Whether a file, and the folder it is in, are the user's own: nobody else can read, write, move or feign them."""

from __future__ import annotations

import errno
import os
import stat

from geopriv.errors import InvalidParameter

_BESIDE = ("-journal", "-wal", "-shm")  # what SQLite believes if it is there


def own_path(path: str | os.PathLike[str]) -> str:
    """The absolute path of a file, in a folder in which only the user may put files.

    Folders may be symbolic links, the file may not. A folder in which others may put files is refused, with a sticky
    bit too: SQLite would take over what stands in a journal that somebody else laid there.

    Raises:
        InvalidParameter: naming what is wrong.
    """
    folder, name = os.path.split(os.path.abspath(os.fspath(path)))
    folder = os.path.realpath(folder)
    known = os.stat(folder)
    if _posix() and (known.st_uid not in (os.getuid(), 0) or known.st_mode & 0o022):
        rule = "in a folder of your own into which nobody else may write (chmod go-w)"
        raise InvalidParameter(f"The ledger must be {rule}. Got {folder!a} instead.")
    return os.path.join(folder, name)


def own_file(path: str) -> tuple[int, int]:
    """Device and inode of a file that is the user's own, and nobody else's to read.

    Looks at it without opening it: closing a file takes away the locks that SQLite holds on it in the same process.

    Raises:
        InvalidParameter: for a symbolic link, what is no regular file, one with a second name (hard link), one of
            another user, and one that others may read or write; for the files that SQLite keeps beside it, too.
    """
    for beside in _BESIDE:
        _check(path + beside)
    known = _check(path)
    if known is None:
        raise FileNotFoundError(errno.ENOENT, "There is no such ledger", path)
    return known.st_dev, known.st_ino


def create(path: str) -> None:
    """Make an empty file that only its owner may read, if there is none; nothing is followed and nothing replaced."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return


def _check(path: str) -> os.stat_result | None:
    """What is known of a file that passes; None where there is none."""
    try:
        known = os.lstat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(known.st_mode):
        raise _refused(path, "a regular file", "a symbolic link" if stat.S_ISLNK(known.st_mode) else "something else")
    if known.st_nlink > 1:
        raise _refused(path, "a file of one name", f"one with {known.st_nlink} hard links")
    if _posix() and known.st_uid != os.getuid():
        raise _refused(path, "your own file", "one of another user")
    if _posix() and known.st_mode & 0o077:
        raise _refused(path, "readable and writable by you alone (chmod 600)", oct(stat.S_IMODE(known.st_mode)))
    return known


def _refused(path: str, rule: str, got: str) -> InvalidParameter:
    return InvalidParameter(f"The ledger {path!a} must be {rule}. Got {got} instead.")


def _posix() -> bool:
    """Elsewhere the system's own lists say who may read a file."""
    return os.name == "posix"
