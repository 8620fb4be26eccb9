"""One table of a survey file, and sentences about what is wrong in it."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from geopriv.errors import GeoprivError, InvalidParameter
from geopriv.surveys.lines import Path, line_of

_LONGEST = 60  # characters of a value that are shown


class _Explained(InvalidParameter):
    """An error that has its place already."""


@dataclass(frozen=True)
class Part:
    """Where a table of a survey file stands.

    Args:
        file: as the user named it.
        lines: of every key of the file.
        path: of the table in the file: () for the whole, ("query", 0) for the first query.
    """

    file: str
    lines: Mapping[Path, int]
    path: Path = ()

    def inside(self, *keys: str | int) -> Part:
        """A table in this one."""
        return replace(self, path=(*self.path, *keys))

    def wrong(self, key: str, rule: str, given: object) -> InvalidParameter:
        """The error of a key whose value breaks a rule."""
        error = self.error(f"must be {rule}, not {shown(given)}", key)
        error.owner, error.parameter, error.rule, error.value = place(self.path), key, rule, shown(given)
        return error

    def error(self, words: str, *keys: str | int) -> InvalidParameter:
        """The error of a key: file, line, key, and words that complete the sentence."""
        path = (*self.path, *keys)
        end = "" if words.endswith(("?", ".")) else "."
        error = _Explained(f"{self.file}, line {line_of(self.lines, path)}: {place(path)} {words}{end}")
        error.owner, error.parameter, error.rule = place(self.path), ".".join(map(str, keys)), words
        return error

    @contextmanager
    def explaining(self, **named: str) -> Iterator[None]:
        """Give errors of the geopriv objects that are made of this table its place.

        Args:
            named: the key for a parameter that is called something else here.
        """
        try:
            yield
        except _Explained:
            raise
        except GeoprivError as error:
            name = named.get(error.parameter, error.parameter)
            explained = self.error(half_a_sentence(error), *([name] if name else []))
            explained.owner, explained.parameter = place(self.path), name
            explained.rule, explained.value = error.rule, error.value
            raise explained from None

    @contextmanager
    def reading(self, key: str, what: str, name: str) -> Iterator[None]:
        """Explain why a file that a key names cannot be read.

        Args:
            key: that names it.
            what: should be there.
            name: as it is written.
        """
        try:
            yield
        except GeoprivError:
            raise
        except (OSError, ValueError, csv.Error, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            why = f"{reason or 'it is malformed'}; paths start at the folder of the survey"
            raise self.error(f"must be {what}, not {shown(name)} ({why})", key) from None


def place(path: Path) -> str:
    """A key in words.

    >>> place(("query", 1, "width")), place(("space",)), place(("space", "region", "south"))
    ("query 2, 'width'", "'space'", "space, 'region.south'")
    """
    if not path:
        return "the survey"
    numbered = len(path) > 1 and isinstance(path[1], int)
    table = f"{path[0]} {int(path[1]) + 1}" if numbered else str(path[0])
    keys = ".".join(key for key in path[1:] if isinstance(key, str))
    if not keys:
        return table if numbered else f"'{table}'"
    return f"{table}, '{keys}'"


def half_a_sentence(error: GeoprivError) -> str:
    """What an error of the package says, without the parameter that it names.

    >>> from geopriv.spaces.checks import invalid
    >>> half_a_sentence(invalid("Range", "width", "at most 5", 7))
    'must be at most 5, not 7'
    """
    if not error.rule:
        return f"cannot be asked: {error}"
    return f"must be {error.rule}" + (f", not {error.value}" if error.value != "None" else "")


def shown(value: object) -> str:
    """A value of the file about as it is written there, cut short.

    >>> shown([2000000.0, True, "a"])
    "[2000000, true, 'a']"
    """
    text = _written(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _written(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value[:_LONGEST]))}]"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return f"{value:.15g}" if isinstance(value, float) else repr(value)
    except ValueError:  # Python writes no integers of more than some thousand digits
        return "a number of thousands of digits"


def listed(names: Iterable[str], last: str = "or") -> str:
    """Names in a row.

    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    *most, end = names
    return f"{', '.join(most)} {last} {end}" if most else end


def nearest(name: object, names: Iterable[str]) -> str:
    """A question that offers the most similar name; empty if none is similar."""
    close = difflib.get_close_matches(str(name), list(names), n=1, cutoff=0.6)
    return f"; did you mean '{close[0]}'?" if close else ""
