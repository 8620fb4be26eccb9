"""Whether a whole table looks wrong, from counts that decide this one thing and are thrown away.

A file in thousands, with latitude and longitude swapped or with commas in its numbers would give reports that look fine
and answers that are false. So rows are also counted by what would tell such a mistake. These are statistics of values:
they stay in the memory of the run (on Spark: in one small row a partition, from workers to the driver), they are in
nothing that is written or sent, and of them the operator, who holds the table, is told at most that all, nearly all or
most values are so. Single rows are never judged by their values: they are clamped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from geopriv.noise.entropy import ENTROPY
from geopriv.queries.source import Source as Columns
from geopriv.reports.engines.forms import count_dotted, count_forms
from geopriv.reports.engines.rows import FINE, NOT_A_NUMBER, NOT_ON_MAP, Status, is_text, on_map
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray

STRIP = 500  # a range has so many strips; nearly all values in the first or in the last one are odd
FACTORS = (1000.0, 0.01, 0.001)  # by which a wrong unit may be off: thousands, hundredths, thousandths
_LOOKED_AT = 1000  # texts of a batch: enough to tell how they are written
_SAME = "same "


@dataclass
class Suspicions:
    """Counts of rows by what would tell a mistake in the whole table.

    The names of counts are texts, so that a worker can send them: "below 0" is about the first column. Whether all
    values are one is told from a keyed hash of those batches that hold one value, so no value is kept.

    Args:
        columns: where values are found, and their public range.
        space: where they live.
        secret: of the hash, the same wherever counts are added up.
        counts: so far.
    """

    columns: Columns
    space: Space
    secret: bytes = field(default_factory=lambda: ENTROPY.bytes(32), repr=False)
    counts: Counter[str] = field(default_factory=Counter)

    def see(self, batch: pa.RecordBatch, values: FloatArray, status: Status) -> None:
        """Take the rows of a batch: their numbers (n, columns), not clamped, and what is wrong with each."""
        self._see_texts(batch, status)
        told = values[(status == FINE) | (status == NOT_ON_MAP)]
        self.counts["numbers"] += len(told)
        fits = self._fits(told)
        fitting = int(fits.sum())
        self.counts["fitting"] += fitting
        if self.space.geographic:
            self.counts["lost"] += int(((told == 0).all(axis=1) & ~fits).sum())
        if self.space.dimension == 2 and 2 * fitting < len(told):
            self.counts["swapped"] += int(self._fits(told[:, ::-1]).sum())
        fine = values[status == FINE]
        self.counts["fine"] += len(fine)
        if len(fine):
            self._see_sides(fine)
            self._see_same(fine)

    @property
    def ranges(self) -> Iterator[tuple[int, str, float, float]]:
        """The columns that have a public range: index, name, low and high. On a map it is the region that counts."""
        low, high = self.columns.low, self.columns.high
        if self.space.ratios:  # values below the floor are read as the floor
            floor = float(self.space.values(self.space.limits[0])[0])
            low, high = (max((*low, floor)),), high or (np.inf,)
        for axis, (name, *ends) in enumerate(zip(self.columns.columns, low, high, strict=False)):
            yield axis, name, ends[0], ends[1]

    @property
    def is_one_value(self) -> bool:
        """Whether all values are one and the same."""
        same = [count for name, count in self.counts.items() if name.startswith(_SAME)]
        return same == [self.counts["fine"]]

    def _fits(self, values: FloatArray) -> npt.NDArray[np.bool_]:
        """Which rows lie in the public range, or in the region of a map."""
        fits = np.ones(len(values), dtype=np.bool_)
        if self.space.geographic:
            fits = on_map(values)
            if self.space.flat:  # a map of a region reads all others at its border
                points, (first, last) = self.space.read(values[fits]), self.space.limits
                fits[fits] = ((points > first) & (points < last)).all(axis=1)
            return fits
        for axis, _, low, high in self.ranges:
            fits &= (values[:, axis] >= low) & (values[:, axis] <= high)
        return fits

    def _see_sides(self, values: FloatArray) -> None:
        for axis, _, low, high in self.ranges:
            mine, strip = values[:, axis], 0.0 if self.space.ratios else high / STRIP - low / STRIP
            seen = {
                "below": mine < low,
                "above": mine > high,
                "lowest": mine <= low + strip,
                "highest": mine >= high - strip,
            }
            for name, rows in seen.items():
                self.counts[f"{name} {axis}"] += int(rows.sum())
            if (seen["lowest"] | seen["highest"]).mean() > 0.5:
                for factor in FACTORS:
                    scaled = mine * factor
                    self.counts[f"times {factor} {axis}"] += int(((scaled >= low) & (scaled <= high)).sum())

    def _see_same(self, values: FloatArray) -> None:
        if (values == values[0]).all():
            # +0.0 makes one of both zeros
            digest = blake2b((values[0] + 0.0).tobytes(), key=self.secret, digest_size=16).hexdigest()
            known = sum(name.startswith(_SAME) for name in self.counts)
            if known < 2 or _SAME + digest in self.counts:  # two are as good as many
                self.counts[_SAME + digest] += len(values)

    def _see_texts(self, batch: pa.RecordBatch, status: Status) -> None:
        for axis, name in enumerate(self.columns.columns):
            column = batch.column(name)
            texts = column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
            if not is_text(texts.type):
                continue
            wrong = pa.array(np.flatnonzero(status == NOT_A_NUMBER)[:_LOOKED_AT])
            for form, count in count_forms(_bytes(texts.take(wrong))).items():
                self.counts[f"form {axis} {form}"] += count
            right = pa.array(np.flatnonzero(status == FINE)[:_LOOKED_AT])
            self.counts[f"texts {axis}"] += len(right)
            self.counts[f"dotted {axis}"] += count_dotted(_bytes(texts.take(right)))

    def forms(self, axis: int) -> Counter[str]:
        """How texts of a column that are no numbers were written."""
        start = f"form {axis} "
        return Counter({name.removeprefix(start): n for name, n in self.counts.items() if name.startswith(start)})


def _bytes(texts: pa.Array) -> list[bytes]:
    return [text for text in pc.cast(texts, pa.large_binary()).to_pylist() if text is not None]
