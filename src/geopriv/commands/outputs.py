"""What a command may write over: files of the kind that it writes, and no people, reports or surveys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from geopriv.errors import InvalidParameter
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    from geopriv.surveys import Design

_LOOKED_AT = 4096  # bytes at either end of a file


def require_replaceable(path: Path, what: str) -> None:
    """Refuse to replace a file that is something else, which nobody could make again.

    Args:
        path: where a file is to be written.
        what: it will be: "design", "estimates", "export", "page", "picture" or "tally".

    Raises:
        InvalidParameter: where there is another kind of file, or no folder to write to.
    """
    if not path.parent.is_dir():
        raise InvalidParameter(f"There is no folder {str(path.parent)!r} to write the {what} to.")
    if path.is_dir():
        raise InvalidParameter(f"The {what} cannot be written to {str(path)!r}: that is a folder.")
    if path.is_file() and path.stat().st_size and not _OWN[what](path):
        raise InvalidParameter(
            f"The {what} would replace {str(path)!r}, which is something else: name another file, or remove that one."
        )


def require_one_output(command: str, as_json: bool, piped: bool) -> None:
    """Refuse to print two documents, which no program could tell apart.

    Raises:
        InvalidParameter: for --json beside an output that goes to `-`.
    """
    if as_json and piped:
        raise invalid(command, "output", "a file where --json is given: both go to standard output", "-")


def require_same_design(path: Path, design: Design) -> None:
    """Refuse to replace a design by another: reports that were made with it could no longer be counted.

    Args:
        path: where the design is to be written.
        design: that is to be written.

    Raises:
        InvalidParameter: where there is a design of another hash.
    """
    if path.is_file() and path.stat().st_size and path.read_bytes() != design.to_bytes():
        raise InvalidParameter(
            f"{str(path)!r} is another design, and reports that were made with it can only be counted with it: name "
            "another file (-o), or say --replace if no report depends on it."
        )


def _ends(path: Path) -> tuple[bytes, bytes]:
    """The first and the last bytes."""
    with path.open("rb") as file:
        first = file.read(_LOOKED_AT)
        file.seek(max(0, path.stat().st_size - _LOOKED_AT))
        return first, file.read()


def _is_document(name: bytes) -> Callable[[Path], bool]:
    """Whether a file ends as canonical JSON of this type does, in which "type" and "version" are the last keys."""
    return lambda path: b'"type":"' + name + b'","version":' in _ends(path)[1]


def _is_page(path: Path) -> bool:
    return b"<!doctype html>" in _ends(path)[0][:64].lower()


def _is_tally(path: Path) -> bool:
    from geopriv.reports.tallies import MARK

    return _has_mark(path, MARK.decode())


def _has_mark(path: Path, mark: str) -> bool:
    """Whether a Parquet file's own words have a key."""
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        return mark.encode() in (pq.read_metadata(path).metadata or {})
    except (ArrowException, OSError):
        return False


def _is_export(path: Path) -> bool:
    """Whether a file is one that `geopriv export` wrote, or a picture."""
    first, _ = _ends(path)
    starts = (b'"question","kind"', b'{"type": "FeatureCollection"', b"\x89PNG\r\n", b"II*\0")
    return first.startswith(starts) or (first.startswith(b"PAR1") and _has_mark(path, "geopriv.answers"))


_OWN: dict[str, Callable[[Path], bool]] = {
    "design": _is_document(b"Design"),
    "estimates": _is_document(b"Answers"),
    "export": _is_export,
    "page": _is_page,
    "picture": lambda path: _ends(path)[0].startswith(b"\x89PNG\r\n"),
    "tally": _is_tally,
}
