"""The numbers behind a curve's picture, for the script that tells them where somebody points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.answers.answers import Answer
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
    question, found = answer.question, answer.estimates
    along = np.log(at) if question.space.ratios else at
    kept = picked(at.size, len(rows))
    soft = "soft share" if answer.plain is not None else "share"
    said = []
    for row in rows:
        parts = [f"{soft} {row.share}" if row.plain else "", f"{level} interval {row.each}"]
        parts += [f"band {row.together}"] if row.together else []
        figure = f"between {row.plain}" if row.plain else row.share
        said.append([f"At or above {row.at}:", figure, "; ".join(part for part in parts if part) + "."])
    columns: dict[str, FloatArray] = {"at": at, "value": found.values, "standard_error": found.standard_errors}
    columns |= {"low": found.low, "high": found.high}
    for name, band in (("band", answer.band), ("plain", answer.plain)):
        columns |= {f"{name}_low": band.low, f"{name}_high": band.high} if band is not None else {}
    columns |= {"consistent": answer.consistent} if answer.consistent is not None else {}
    return {
        "name": question.name,
        "at": (100 * (along[kept] - along[0]) / (along[-1] - along[0])).round(2).tolist(),
        "said": said,
        "columns": ["question", *columns],
        "table": [[question.name, *(float(f"{numbers[k]:.9g}") for numbers in columns.values())] for k in kept],
    }
