"""Standard input and output as files: `-`, pipes whose reader leaves, and bytes that are the same on every system."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

PIPED = "-"  # standard input or output, as the name of a file


def piped_in() -> BinaryIO:
    """Standard input, as bytes.

    Raises:
        InvalidParameter: where nothing is piped in: somebody would wait in front of a terminal that says nothing.
    """
    from geopriv.errors import InvalidParameter

    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        raise InvalidParameter("Nothing is piped in: '-' reads standard input, as in cat design.json | geopriv … -.")
    return sys.stdin.buffer


@contextmanager
def at_hand(path: str | os.PathLike[str], name: str) -> Iterator[Path]:
    """A public file; of "-" what is piped in, which is kept in a folder of one's own as long as it is read.

    Args:
        path: that was given.
        name: of the copy, whose end says what is in it.
    """
    if os.fspath(path) != PIPED:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="geopriv-") as folder:
        copy = Path(folder, name)
        copy.write_bytes(piped_in().read())
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
