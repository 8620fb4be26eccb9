"""Rows as numbers: read strictly, never guessed at, and what cannot be read counted by reason."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from geopriv.errors import InvalidParameter
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.frames import floats_of

REASONS = ("", "missing", "not a number", "not finite", "not on the map", "no person", "unknown group")
FINE, MISSING, NOT_A_NUMBER, NOT_FINITE, NOT_ON_MAP, NO_PERSON, NO_GROUP = range(len(REASONS))
Status = npt.NDArray[np.uint8]

EMPTY = r"^[ \t]*$"
_WORDS = r"(?i:nan(\(\w*\))?|inf|infinity)"
NUMBER = rf"^[ \t]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*$|^[ \t]*[+-]?{_WORDS}[ \t]*$"


def read_rows(batch: pa.RecordBatch, columns: tuple[str, ...], space: Space) -> tuple[FloatArray, Status]:
    """Numbers of shape (n, columns), and what is wrong with each row: an index into REASONS, 0 if nothing.

    Raises:
        InvalidParameter: for a column that holds something else than numbers and texts.
    """
    read = [read_numbers(batch.column(name), name) for name in columns]
    values = np.stack([numbers for numbers, _ in read], axis=1)
    status = read[0][1]
    for _, other in read[1:]:
        status = np.where(status == FINE, other, status)
    if space.geographic:
        status = np.where((status == FINE) & ~on_map(values), np.uint8(NOT_ON_MAP), status)
    return values, status


def on_map(values: FloatArray) -> npt.NDArray[np.bool_]:
    """Which rows, shape (n, 2), are a latitude and a longitude."""
    latitude, longitude = values.T
    return np.asarray((np.abs(latitude) <= 90) & (longitude >= -180) & (longitude <= 360))


def read_numbers(column: pa.Array, name: str) -> tuple[FloatArray, Status]:
    """Numbers of one column, and what is wrong with each."""
    plain = column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
    kind = plain.type
    status = np.zeros(len(plain), dtype=np.uint8)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        numbers = floats_of(plain)
    elif is_text(kind):
        numbers = _parsed(plain, status)
    else:
        raise InvalidParameter(f"The column {name!r} must hold numbers; it holds {kind_of(kind)}.")
    if numbers.null_count:
        status[numbers.is_null().to_numpy(zero_copy_only=False) & (status == FINE)] = MISSING
    values = np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)  # what is missing is not-a-number
    status[~np.isfinite(values) & (status == FINE)] = NOT_FINITE
    return values, status


def kind_of(kind: pa.DataType) -> str:
    """What an Arrow type is called, without the names of its parts: in JSON these may be values.

    >>> kind_of(pa.struct([("271828", pa.int64())])), kind_of(pa.timestamp("us", "UTC")), kind_of(pa.bool_())
    ('struct', 'timestamp', 'bool')
    """
    return re.split(r"[<\[]", str(kind))[0]


def is_text(kind: pa.DataType) -> bool:
    """Whether values of an Arrow type are texts, or the bytes of some."""
    checks = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    binary = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    return any(check(kind) for check in (*checks, *binary))


def count_reasons(status: Status) -> Counter[str]:
    """How many rows could not be read, by reason."""
    counts = np.bincount(status, minlength=len(REASONS)).tolist()
    return +Counter(dict(zip(REASONS[1:], counts[1:], strict=True)))


def _parsed(texts: pa.Array, status: Status) -> pa.Array:
    """Decimal numbers; in `status` what is none. Thousands separators, other digits and other bases are not numbers."""
    whole = pc.cast(texts, pa.large_binary())
    try:
        return pc.cast(whole, pa.float64())
    except pa.ArrowInvalid:
        pass  # some text is no number: below they are told apart
    good = pc.match_substring_regex(whole, NUMBER).fill_null(False)
    empty = pc.match_substring_regex(whole, EMPTY).fill_null(True)
    status[empty.to_numpy(zero_copy_only=False)] = MISSING
    status[pc.invert(pc.or_(good, empty)).to_numpy(zero_copy_only=False)] = NOT_A_NUMBER
    kept = pc.cast(pc.if_else(good, whole, pa.scalar(None, whole.type)), pa.large_string())
    return pc.cast(pc.utf8_trim(kept, " \t"), pa.float64())
