"""Standard input and output as files: `-`, pipes whose reader leaves, and bytes that are the same on every system."""

from __future__ import annotations

import errno
import io
import os
import select
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

PIPED = "-"  # standard input or output, as the name of a file
_PATIENCE = 60.0  # seconds for which a pipe may bring nothing


def piped_in() -> BinaryIO:
    """Standard input, as bytes.

    Raises:
        InvalidParameter: where nothing is piped in: somebody would wait in front of a terminal that says nothing.
    """
    from geopriv.errors import InvalidParameter

    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        raise InvalidParameter("Nothing is piped in: '-' reads standard input, as in cat design.json | geopriv … -.")
    try:
        handle = sys.stdin.fileno()
    except (AttributeError, OSError):  # no file of the system
        return sys.stdin.buffer
    return io.BufferedReader(_Arriving(handle))


class _Arriving(io.RawIOBase):
    """What comes through a pipe; one that brings nothing for a minute is an error, and no wait without end.

    Windows waits for sockets alone: there it is read as it is.
    """

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        from geopriv.errors import InvalidParameter

        if os.name != "nt" and not select.select([self._handle], [], [], _PATIENCE)[0]:
            raise InvalidParameter(
                f"Nothing came through the pipe for {_PATIENCE:g} seconds. Where it takes longer, write a file first."
            )
        data = os.read(self._handle, len(buffer))
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def at_hand(path: str | os.PathLike[str], name: str) -> Iterator[Path]:
    """A public file; of "-", and of a pipe with a name, what comes, kept in a folder of one's own while it is read.

    Args:
        path: that was given.
        name: of the copy, whose end says what is in it.
    """
    piped = os.fspath(path) == PIPED
    if not piped and not (os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode)):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="geopriv-") as folder:
        copy = Path(folder, name)
        # to open a pipe with a name waits for nobody; to read it does, for a while
        handle = None if piped else os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            with copy.open("wb") as file:
                shutil.copyfileobj(piped_in() if handle is None else io.BufferedReader(_Arriving(handle)), file)
        finally:
            if handle is not None:
                os.close(handle)
        yield copy


@contextmanager
def going_to(path: str | os.PathLike[str], name: str) -> Iterator[Path]:
    """Where a file is written: of "-" a place of one's own, from which it goes to standard output when it is whole."""
    if os.fspath(path) != PIPED:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="geopriv-") as folder:
        fresh = Path(folder, name)
        yield fresh
        sys.stdout.flush()
        sys.stdout.buffer.write(fresh.read_bytes())
        sys.stdout.flush()


class _Lasting(io.FileIO):
    """A pipe into which can be written when its reader has left: `geopriv plan … | head` ends as without `head`."""

    def write(self, data: Any) -> int:
        try:
            written = super().write(data)
        except OSError as error:
            if error.errno not in (errno.EPIPE, errno.EINVAL):  # the second is what Windows says
                raise
            written = None
        return memoryview(data).nbytes if written is None else written


def settle_output() -> None:
    """Let pipes and files have UTF-8 and plain ends of lines on every system, and pipes no reader; not terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper) or stream.isatty():
            continue
        try:
            stream.flush()
            raw = _Lasting(stream.fileno(), "w", closefd=False)
        except OSError:  # no file of the system, or one that is closed
            continue
        words = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", newline="\n")
        words.reconfigure(line_buffering=name == "stderr")  # an error is said when it happens
        setattr(sys, name, words)
