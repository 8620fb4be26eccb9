"""Whether a file, and the folder it is in, are the user's own: nobody else can read, write, move or feign them."""

from __future__ import annotations

import errno
import os
import stat

from geopriv.errors import InvalidParameter

_BESIDE = ("-journal", "-wal", "-shm")  # what SQLite believes if it is there
_LINKS = 40  # on the way to a folder, as many as Linux follows


def own_path(path: str | os.PathLike[str], what: str = "ledger") -> str:
    """The absolute path of a file, in a folder in which only the user may put files and which nobody else can replace.

    Folders may be symbolic links, the file may not. A folder in which others may put files is refused, with a sticky
    bit too: SQLite would take over what stands in a journal that somebody else laid there. So is one on the way to
    which somebody else can rename a folder or a link: another folder of the user could then stand in its place, and in
    it an empty ledger.

    Raises:
        InvalidParameter: naming what is wrong.
    """
    folder, name = os.path.split(os.path.abspath(os.fspath(path)))
    *above, last = _passed(folder) if _posix() else [os.path.realpath(folder)]
    for passed in above:
        known = os.stat(passed)
        if known.st_uid not in (os.getuid(), 0) or (_shared(known) and not known.st_mode & stat.S_ISVTX):
            rule = "reached by folders in which nobody else may rename yours (chmod go-w)"
            raise InvalidParameter(f"The {what} must be {rule}. Got {passed!a} instead.")
    known = os.stat(last)
    if _posix() and (known.st_uid not in (os.getuid(), 0) or _shared(known)):
        rule = "in a folder of your own into which nobody else may write (chmod go-w)"
        raise InvalidParameter(f"The {what} must be {rule}. Got {last!a} instead.")
    return os.path.join(last, name)


def _shared(known: os.stat_result) -> bool:
    """Whether somebody else may put files into a folder: everybody, or a group that has other members."""
    return bool(known.st_mode & 0o002 or (known.st_mode & 0o020 and not _alone(known.st_gid)))


def _alone(group: int) -> bool:
    """Whether a group is the user's own, as many systems make one of the same name for each user and nobody else."""
    import grp
    import pwd

    try:
        user, named = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return group == user.pw_gid and named.gr_name == user.pw_name and set(named.gr_mem) <= {user.pw_name}


def _passed(folder: str) -> list[str]:
    """Every folder on the way to one, links followed one by one: who can rename in any of them can lead elsewhere."""
    at, links = "/", 0
    passed, waiting = [at], folder.split("/")[::-1]
    while waiting:
        name = waiting.pop()
        if name in ("", "."):
            continue
        here = os.path.dirname(at) if name == ".." else os.path.join(at, name)
        if os.path.islink(here):
            links += 1
            if links > _LINKS:
                raise OSError(errno.ELOOP, "Too many symbolic links", folder)
            target = os.readlink(here)
            at = "/" if target.startswith("/") else at
            waiting += target.split("/")[::-1]
        else:
            at = here
            passed.append(at)
    # the last one is where the way ends, not what was passed last: a link may lead back to a folder above
    return [*(known for known in dict.fromkeys(passed) if known != at), at]


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
    """Whether files have an owner and modes; elsewhere the system's own lists say who may read one."""
    return hasattr(os, "getuid")
