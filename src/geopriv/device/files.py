"""Canonical JSON, its hash, and files that are there whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from geopriv.errors import InvalidDesign

if TYPE_CHECKING:
    from pathlib import Path


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


def parse(data: bytes) -> dict[str, Any]:
    """The document of a design file, if it is canonical and its hash is right.

    A file that is not canonical is refused even where its meaning is clear: two readers of a doubled key could
    otherwise see two different designs under one hash.

    Raises:
        InvalidDesign: for anything else.
    """
    try:
        document = json.loads(data)
        again = canonical(document)
    except (ValueError, RecursionError):
        raise InvalidDesign("A design must be a file of strict JSON in UTF-8.") from None
    if not isinstance(document, dict):
        raise InvalidDesign("A design must be a JSON object.")
    if data.removesuffix(b"\n") != again:
        raise InvalidDesign("A design must be canonical JSON: sorted keys, each once, no spaces, shortest decimals.")
    if document.get("hash") != digest(document):
        raise InvalidDesign("The hash of the design does not fit what is in it: it was changed after it was made.")
    return document


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
    """Wait until the file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
