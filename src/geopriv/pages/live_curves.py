"""The numbers behind a curve's picture, for the script that tells them where somebody points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.answers.answers import Answer
from geopriv.answers.rows import table_of_answer
from geopriv.pages.live import differs, row_of
from geopriv.pages.numbers import picked
from geopriv.spaces.checks import FloatArray


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    at: str
    plain: str
    share: str
    each: str
    together: str


def curve_data(answer: Answer, at: FloatArray, rows: Sequence[Row], level: str) -> dict[str, Any]:
    """What the script tells of a curve: where its values are in percent of the width, and each in words.

    Args:
        answer: of the curve.
        at: its values.
        rows: those of them that are told, as `picked` takes them.
        level: the confidence, in words.
    """
    along = np.log(at) if answer.question.space.ratios else at
    kept = picked(at.size, len(rows))
    soft = "soft share" if answer.plain is not None else "share"
    said = []
    for row in rows:
        parts = [f"{soft} {row.share}" if row.plain else "", f"{level} interval {row.each}"]
        parts += [f"band {row.together}"] if row.together else []
        figure = f"between {row.plain}" if row.plain else row.share
        said.append([f"At or above {row.at}:", figure, "; ".join(part for part in parts if part) + "."])
    table = table_of_answer(answer).take(kept)
    numbers = {field.name: table[field.name].to_pylist() for field in table.schema if differs(field)}
    return {
        "name": answer.question.name,
        "at": (100 * (along[kept] - along[0]) / (along[-1] - along[0])).round(2).tolist(),
        "said": said,
        **row_of(answer),
        "numbers": numbers,
    }
