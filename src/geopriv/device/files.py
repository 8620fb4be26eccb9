"""Canonical JSON, its hash, and files that are there whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from geopriv.device.texts import FREE, seen
from geopriv.errors import InvalidDesign

if TYPE_CHECKING:
    from pathlib import Path

_Made = TypeVar("_Made")

BYTES = 32 << 20  # of a design file; a table of 600 points and 16 values takes 200 kB
ITEMS = 1 << 21  # commas and brackets in it
DIGITS = 400  # of one number; the largest that any rule accepts has 302
DEPTH = 32  # of its nesting; what geopriv writes is at most 12 deep


def canonical(document: Any) -> bytes:
    """JSON in one form only: keys sorted, no spaces, UTF-8, integers as integers, floats as their shortest decimals.

    >>> canonical({"b": 1, "a": [0.1, "é"]}).decode()
    '{"a":[0.1,"é"],"b":1}'
    """
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical form without the key "hash", in hexadecimal."""
    from hashlib import sha256  # takes longer to import than the rest of this file

    return sha256(canonical({key: value for key, value in document.items() if key != "hash"})).hexdigest()


def read_few(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a design file, of which no more are read than a design may have.

    Raises:
        InvalidDesign: for a larger one.
    """
    with open(path, "rb") as file:
        data = file.read(BYTES + 1)
    return _small(data)


def parse(data: bytes) -> dict[str, Any]:
    """The document of a design file, if it is small and canonical, all its text is printable, and its hash is right.

    A file that is not canonical is refused even where its meaning is clear: two readers of a doubled key could
    otherwise see two different designs under one hash.

    Raises:
        InvalidDesign: for anything else.
    """
    words = _printable(_small(data).removesuffix(b"\n"))
    document = _strictly(json.loads, words)
    if not isinstance(document, dict):
        raise InvalidDesign("A design must be a JSON object.")
    _measure(document)
    if words.encode() != _strictly(canonical, document):
        raise InvalidDesign("A design must be canonical JSON: sorted keys, each once, no spaces, shortest decimals.")
    if document.get("hash") != digest(document):
        raise InvalidDesign("The hash of the design does not fit what is in it: it was changed after it was made.")
    return document


def _strictly(step: Callable[[Any], _Made], given: Any) -> _Made:
    try:
        return step(given)
    except (ValueError, RecursionError):
        raise InvalidDesign("A design must be a file of strict JSON in UTF-8.") from None


def _small(data: bytes) -> bytes:
    """The same bytes, if parsing them takes little memory and time."""
    import re  # which json imports too

    if len(data) > BYTES:
        raise InvalidDesign(f"A design must be a file of at most {BYTES:,} bytes.")
    if sum(map(data.count, (b",", b"[", b"{"))) > ITEMS:
        raise InvalidDesign(f"A design must be JSON of at most {ITEMS:,} parts.")
    # else int() could take time that grows with their square; looked for from the first digit of a number only
    if re.search(rb"(?<![0-9])[0-9]{%d}" % (DIGITS + 1), data):
        raise InvalidDesign(f"A design must be JSON whose numbers have at most {DIGITS} digits.")
    return data


def _printable(data: bytes) -> str:
    """The text of a file, if every character in it is seen, those that JSON would escape included.

    Canonical JSON escapes control characters, quotes and backslashes, and nothing else; so a backslash that is left
    after pairs and quotes were taken away stands before a control character.
    """
    words = _strictly(bytes.decode, data)
    if not seen(words) or "\\" in words.replace("\\\\", "").replace('\\"', ""):
        raise InvalidDesign(
            "A design must be one line of JSON, as plan writes it, whose characters can all be printed and seen."
        )
    return words


def _measure(document: dict[str, Any]) -> None:
    """Refuse a document that is nested deep or holds a long text."""
    level: list[Any] = [document]
    for _ in range(DEPTH):
        inner = [part for whole in level for part in (whole.values() if isinstance(whole, dict) else whole)]
        keys = [key for whole in level if isinstance(whole, dict) for key in whole]
        if any(isinstance(part, str) and len(part) > FREE for part in (*keys, *inner)):
            raise InvalidDesign(f"A design must be made of texts of at most {FREE} characters.")
        level = [part for part in inner if isinstance(part, dict | list)]
        if not level:
            return
    raise InvalidDesign(f"A design must not be nested too deep: at most {DEPTH} levels.")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside the old one, which takes its place when all went well; readers see one or the other.

    It may be read by whoever may read the old one, or else by whom the system's settings (umask) let.
    """
    from pathlib import Path  # not on a device

    target = Path(path)
    fresh = target.with_name(f".{target.name}.{os.urandom(8).hex()}")
    os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield fresh
        sync(fresh)
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o777)
        fresh.replace(target)
        sync(target.parent)
    finally:
        fresh.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Wait until a file of one's own is on the disk, or the names in a folder, where a system lets that be asked.

    Windows opens no folders, and waits only for files that may be written.
    """
    if path.is_dir():
        if not hasattr(os, "O_DIRECTORY"):
            return
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    else:
        handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
