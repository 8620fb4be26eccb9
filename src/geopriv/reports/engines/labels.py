"""People's groups, read from a column: a label that the design names, or none that counts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from geopriv.errors import InvalidParameter
from geopriv.mechanisms.sendable import Integers
from geopriv.queries import Groups
from geopriv.reports.engines.rows import FINE, NO_GROUP, Status, is_text, kind_of


def read_groups(column: pa.Array, groups: Groups, status: Status) -> Integers:
    """The index of each row's group; in `status` which rows have none that the design names.

    Texts are compared byte by byte, without the spaces around them; whole numbers are texts in decimal.

    Raises:
        InvalidParameter: for a column of neither texts nor whole numbers.
    """
    plain = column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
    kind = plain.type
    if not (is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)):
        rule = f"The column {groups.column!r} must hold texts or whole numbers, each the name of a group"
        raise InvalidParameter(f"{rule}; it holds {kind_of(kind)}.")
    # bytes that are no text are no group's name either, and need not be one to be compared
    texts = pc.cast(plain, options=pc.CastOptions(pa.large_string(), allow_invalid_utf8=True))
    known = pa.array(groups.names, pa.large_string())
    found = pc.index_in(pc.ascii_trim_whitespace(texts), value_set=known).fill_null(-1)
    indices = np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)
    status[(indices < 0) & (status == FINE)] = NO_GROUP
    return indices
