"""What every reader shares: how far it has come, what it left out, and errors without a single value in them."""

from __future__ import annotations

import difflib
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from geopriv.errors import InvalidParameter

RAGGED = "wrong number of values"  # the reason of a line that has more or fewer than the header
BATCH = 1 << 17  # rows at a time
# what Arrow, gzip and Python's own decoders raise; their messages quote the data, so they are never shown or chained
BROKEN = (pa.ArrowException, OSError, EOFError, ValueError, zlib.error)

_QUERY = "write it with commas, or read it with --query \"from read_csv('\u2026', delim = '{}')\""
_SEPARATORS = {
    ";": ("semicolons", _QUERY.format(";")),
    "\t": ("tabs", "let its name end in .tsv"),
    "|": ("bars", _QUERY.format("|")),
    ",": ("commas", "let its name end in .csv"),
}
_DIGITS = 4  # of a name: a year
_NOTHING = frozenset({"na", "n/a", "nan", "nil", "none", "null", "unknown", "missing", "inf", "infinity", "?"})
_SHOWN = 60  # characters of a name


@dataclass
class Reading:
    """One reading of people's rows.

    Args:
        columns: that are read; all others are left where they are.
        share: of the data that has been read, from 0 to 1; None where nobody knows.
        left_out: rows that no column could be read of, by reason.
        perhaps: columns that are read where they are there.
    """

    columns: tuple[str, ...]
    share: float | None = None
    left_out: Counter[str] = field(default_factory=Counter)
    perhaps: tuple[str, ...] = ()

    def require(self, what: str, found: Sequence[str]) -> None:
        """Refuse data without the columns, or with one of them twice.

        Raises:
            InvalidParameter: naming the columns that are there, but for names that may be values.
        """
        names = [name for name in found if not _like_a_value(name)]
        for column in self.columns:
            if column not in found:
                close = difflib.get_close_matches(column, names, n=1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                shown = ", ".join(repr(name[:_SHOWN]) for name in names[:20]) + (", …" if len(found) > 20 else "")
                hidden = f", and {len(found) - len(names)} not shown" if len(names) < len(found) else ""
                raise InvalidParameter(
                    f"{what} has no column {column!r}.{hint} Its columns are {shown or 'none'}{hidden}."
                )
            if found.count(column) > 1:
                raise InvalidParameter(f"{what} has {found.count(column)} columns of the name {column!r}.")

    def require_header(self, what: str, found: Sequence[str]) -> None:
        """The same where the names may be values, those of a file without a line of names: then they are not shown.

        Raises:
            InvalidParameter: naming the columns that are there, if they look like names.
        """
        if not set(self.columns) <= set(found):
            _require_separator(what, self.columns, found)
            rule = "must begin with a line of column names"
            # a first line of values has a number in it, or a word for none, since the survey reads numbers
            if any(_like_a_value(name) for name in found):
                raise InvalidParameter(f"{what} {rule}; it begins with values.")
            if not any(difflib.get_close_matches(column, found, n=1) for column in self.columns):
                # nothing is like a name that was expected, so these may be values too: names of people have no numbers
                missing = next(column for column in self.columns if column not in found)
                why = f"Its first line may hold values, and is not shown; a file {rule}."
                raise InvalidParameter(f"{what} has no column {missing!r}, nor one of a name like it. {why}")
        self.require(what, found)


def _require_separator(what: str, columns: Sequence[str], found: Sequence[str]) -> None:
    """Say so where a header is one long name that holds those of the columns, between other separators."""
    if len(found) != 1:
        return
    for mark, (words, advice) in _SEPARATORS.items():
        if set(columns) <= {part.strip("\"' \ufeff") for part in found[0].split(mark)}:
            this = f"{what[0].lower()}{what[1:]}"
            raise InvalidParameter(f"Nothing was written: the header of {this} has {words} between names; {advice}.")


def _like_a_value(name: str) -> bool:
    """Whether a name is empty or a word for that, begins as amounts do, has an @ or as many digits as values."""
    bare = name.strip()
    if not bare or bare.lower() in _NOTHING or bare[0] in "0123456789+-.$€£¥" or "@" in bare:
        return True
    return sum(map(str.isdigit, bare)) > _DIGITS


def guarded(
    what: str, batches: Iterable[pa.RecordBatch], why: str = "it is damaged, cut off or not what its name says"
) -> Iterator[pa.RecordBatch]:
    """The same batches, in slices of at most BATCH rows; what breaks off is one sentence that quotes no value.

    Raises:
        InvalidParameter: where the data cannot be read to its end.
    """
    iterator, batch = iter(batches), None
    while True:
        try:
            batch = next(iterator, None)
            broken = False
        except InvalidParameter:
            raise
        except BROKEN:
            broken = True
        if broken:  # raised here and not while the error, which quotes values, is being handled
            raise InvalidParameter(f"{what} cannot be read: {why}.")
        if batch is None:
            return
        for start in range(0, batch.num_rows, BATCH):
            yield batch.slice(start, BATCH)
