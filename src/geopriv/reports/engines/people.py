"""Keys of rows: where a row stands in the output, and whether a person has been there before."""

from __future__ import annotations

from collections import Counter
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.sendable import Integers
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.queries import Groups
from geopriv.queries.source import Source as Columns
from geopriv.reports.engines.labels import read_groups
from geopriv.reports.engines.rows import (
    FINE,
    NO_PERSON,
    count_reasons,
    is_text,
    kind_of,
    read_rows,
)
from geopriv.reports.engines.suspicions import Suspicions
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.frames import WHOLE

Keys = npt.NDArray[np.uint64]


class Read(NamedTuple):
    """Rows that could be read.

    Args:
        values: clamped, of shape (n,) on a line and (n, d) elsewhere.
        names: of their people, as bytes; None for a person a row.
        unread: how many rows could not, by reason.
        groups: of their people, which are told openly; None where the design has none.
    """

    values: FloatArray
    names: pa.Array | None
    unread: Counter[str]
    groups: Integers | None = None


class People:
    """Keys of 128 bits, shape (n, 2): random, or of the person's name.

    The key of a name is its BLAKE2b under a secret, by default 32 random bytes, which are drawn here, never written,
    and gone with this object. To who does not have them, keys of different people look like independent random numbers,
    and nobody can try names. Names are compared in NFC (é is one letter, however it is written) and without the spaces
    around them; whole numbers of numeric columns are names in decimal. Texts that differ otherwise are other people.

    Args:
        column: that names people; "" for a person a row.
        source: of random bits.
        secret: of 16 to 64 bytes.
    """

    def __init__(self, column: str, source: Source = ENTROPY, secret: bytes | None = None) -> None:
        self._column, self._source = column, source
        self._secret = source.bytes(32) if secret is None else secret

    def read(
        self,
        batch: pa.RecordBatch,
        columns: Columns,
        space: Space,
        groups: Groups | None = None,
        suspicions: Suspicions | None = None,
    ) -> Read:
        """The rows of a batch that can be read, clamped, and how many cannot; suspicions see all as they are.

        Raises:
            InvalidParameter: for a column that holds something else than numbers, texts, names or groups.
        """
        values, status = read_rows(batch, columns.columns, space)
        names = self.names(batch)
        if names is not None and names.null_count:
            status[names.is_null().to_numpy(zero_copy_only=False) & (status == FINE)] = NO_PERSON
        if suspicions is not None:
            suspicions.see(batch, values, status)
        told = None if groups is None else read_groups(batch.column(groups.column), groups, status)
        unread = count_reasons(status)
        if unread:
            values = values[status == FINE]
            names = None if names is None else names.filter(pa.array(status == FINE))
            told = None if told is None else told[status == FINE]
        return Read(columns.clamped(values).reshape(-1, *space.point_shape), names, unread, told)

    def names(self, batch: pa.RecordBatch) -> pa.Array | None:
        """The names of a batch's people, as bytes; missing where a name is empty. None for a person a row.

        Raises:
            InvalidParameter: for a column of neither texts nor whole numbers.
        """
        if not self._column:
            return None
        found = batch.column(self._column)
        plain = found.dictionary_decode() if isinstance(found, pa.DictionaryArray) else found
        if is_text(plain.type):
            names = _texts(pc.cast(plain, pa.large_binary()))
        else:
            names = pc.cast(pc.cast(_whole(plain, self._column), pa.large_string()), pa.large_binary())
        return pc.if_else(pc.equal(pc.binary_length(names), 0), pa.scalar(None, names.type), names)

    def keys(self, names: pa.Array | None, n: int) -> Keys:
        """The keys of n people, by their names if they have any."""
        if names is None:
            return self._source.integers64(2 * n).reshape(n, 2)
        hashed = [blake2b(name, digest_size=16, key=self._secret).digest() for name in names.to_pylist()]
        return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64).reshape(n, 2)


def _texts(names: pa.Array) -> pa.Array:
    """Names as bytes, in NFC and without the spaces around them; bytes that are no text without plain spaces alone."""
    try:
        texts = pc.cast(names, pa.large_string())
    except pa.ArrowInvalid:  # not all of them are texts
        known = [_decoded(name) for name in names.to_pylist()]
        trimmed = _texts(pa.array([text and text.encode() for text in known], names.type))
        bare = pa.array([None if name is None else name.strip() for name in names.to_pylist()], names.type)
        return pc.if_else(pa.array([text is None for text in known]), bare, trimmed)
    if not pc.all(pc.string_is_ascii(texts)).as_py():
        texts = pc.utf8_normalize(texts, form="NFC")
    return pc.cast(pc.utf8_trim_whitespace(texts), names.type)


def _decoded(name: bytes | None) -> str | None:
    try:
        return None if name is None else name.decode()
    except UnicodeDecodeError:
        return None


def _whole(numbers: pa.Array, column: str) -> pa.Array:
    """Whole numbers, whatever kind of numbers a column has; what is missing may be not-a-number."""
    kind = numbers.type
    try:
        if pa.types.is_floating(kind):
            floats = pc.cast(numbers, pa.float64())
            floats = pc.if_else(pc.is_nan(floats), pa.scalar(None, pa.float64()), floats)
            reach = pc.less(pc.abs(floats), float(WHOLE))  # from there on two whole numbers may be one float
            return pc.cast(pc.if_else(reach, floats, pa.scalar(0.5)), pa.int64())
        if pa.types.is_decimal(kind):
            return pc.cast(numbers, pa.decimal256(76, 0))
    except pa.ArrowInvalid:
        got = "numbers that are not whole, or floats from 2^53 on"
    else:
        if pa.types.is_integer(kind) or pa.types.is_null(kind):
            return numbers
        got = kind_of(kind)
    raise InvalidParameter(
        f"The column {column!r} must hold texts or whole numbers, one for each person; it holds {got}."
    )
