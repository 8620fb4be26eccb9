"""Keys of rows: where a row stands in the output, and whether a person has been there before."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from geopriv.engines.rows import is_text
from geopriv.errors import InvalidParameter
from geopriv.sampling.entropy import ENTROPY, Source

Keys = npt.NDArray[np.uint64]


class People:
    """Keys of 128 bits, shape (n, 2): random, or of the person's name.

    The key of a name is its BLAKE2b under 32 random bytes, which are drawn here, never written, and gone with this
    object. To who does not have them, keys of different people look like independent random numbers, and nobody can
    try names. Names are compared byte by byte; whole numbers are names in decimal.

    Args:
        column: that names people; "" for a person a row.
        source: of random bits.
    """

    def __init__(self, column: str, source: Source = ENTROPY) -> None:
        self._column, self._source, self._secret = column, source, source.bytes(32)

    def names(self, batch: pa.RecordBatch) -> pa.Array | None:
        """The names of a batch's people, as bytes; missing where a name is empty. None for a person a row.

        Raises:
            InvalidParameter: for a column of neither texts nor whole numbers.
        """
        if not self._column:
            return None
        found = batch.column(self._column)
        plain = found.dictionary_decode() if isinstance(found, pa.DictionaryArray) else found
        if not (is_text(plain.type) or pa.types.is_integer(plain.type) or pa.types.is_null(plain.type)):
            kind = f"The column {self._column!r} must hold texts or whole numbers, one for each person"
            raise InvalidParameter(f"{kind}; it holds {plain.type}.")
        texts = plain if is_text(plain.type) else pc.cast(plain, pa.string())
        names = pc.cast(texts, pa.large_binary())
        return pc.if_else(pc.equal(pc.binary_length(names), 0), pa.scalar(None, names.type), names)

    def keys(self, names: pa.Array | None, n: int) -> Keys:
        """The keys of n people, by their names if they have any."""
        if names is None:
            return self._source.integers64(2 * n).reshape(n, 2)
        hashed = [blake2b(name, digest_size=16, key=self._secret).digest() for name in names.to_pylist()]
        return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64).reshape(n, 2)
