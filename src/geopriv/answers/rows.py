"""Answers as rows: a value each, with its place, its error and all of its intervals, in the unit that pages show.

One row is one value: of a share, a mean or a total one, along a curve one a threshold, on a map one a point. Columns
are tidy: what differs from row to row stands in a column, and every number has its unit beside it, in `unit`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import shapely

from geopriv.answers.answers import Answer, Answers, Band
from geopriv.answers.forms import form_of
from geopriv.spaces.checks import FloatArray

# where a value is: those of them that some question has, in this order
PLACES = ("longitude", "latitude", "x", "y", "threshold", "level")
MARK = b"geopriv.answers"
THIN = "thin"  # the one column of yes and no that differs from row to row
_INTERVALS = ("low", "high", "band_low", "band_high", "plain_low", "plain_high")


class Told(NamedTuple):
    """An answer of all people, or of one group."""

    group: str | None
    answer: Answer


def told(answers: Answers, questions: Sequence[str] = ()) -> list[Told]:
    """Answers of all people and then those of each group, to the questions that are named, or to all.

    Raises:
        KeyError: where there is no question of a name.
    """
    for name in questions:
        answers[name]  # raises, saying which there are
    whole: list[tuple[str | None, Answers]] = [(None, answers), *answers.groups.items()]
    return [
        Told(name, answer)
        for name, part in whole
        for answer in part.answers
        if not questions or answer.question.name in questions
    ]


def table_of(answers: Answers, questions: Sequence[str] = ()) -> pa.Table:
    """A row for each value; its metadata say of which survey, design and promise.

    Columns: question, kind, group (null for all people), places (longitude and latitude, x and y, threshold, level:
    those that some question has), value, standard_error, low and high (of the soft answer, by itself), band_low and
    band_high (of a curve or map at once), plain_low and plain_high, unit, n, confidence, unbiased, asked_after, thin
    (low and high rest on few reports, and are too short: see `Answer.thin`).

    Args:
        answers: of a survey.
        questions: names of those that are wanted; all if left out.

    Raises:
        KeyError: where there is no question of a name.
    """
    rows = told(answers, questions)
    named = {name for each in rows for name in form_of(each.answer.question).places(each.answer.question)}
    places = [name for name in PLACES if name in named]
    note = {
        "survey": answers.survey,
        "design": answers.design,
        "guarantee": str(answers.guarantee),
        "n": answers.n,
        "counted": answers.counted,
    }
    schema = _schema(places).with_metadata({MARK: json.dumps(note, ensure_ascii=False).encode()})
    return pa.concat_tables([_part(group, answer, schema) for group, answer in rows]).combine_chunks()


def table_of_answer(answer: Answer) -> pa.Table:
    """The rows of one answer, as those of `table_of`."""
    named = form_of(answer.question).places(answer.question)
    return _part(None, answer, _schema([name for name in PLACES if name in named]))


def shapes_of(answers: Answers, questions: Sequence[str] = ()) -> list[shapely.Geometry | None]:
    """The area of each row of `table_of`: in degrees, but on a Plane in its unit; None where it has none."""
    return [shape for _, answer in told(answers, questions) for shape in _shapes(answer)]


def _shapes(answer: Answer) -> Iterator[shapely.Geometry | None]:
    question = answer.question
    found = form_of(question).areas(question)
    if found is None:
        yield from [None] * answer.estimates.values.size
    else:
        yield from (question.space.in_degrees(shape) for shape in found)


def _schema(places: Sequence[str]) -> pa.Schema:
    texts, numbers = (pa.string(), pa.float64())
    return pa.schema(
        [
            *((name, texts) for name in ("question", "kind", "group")),
            *((name, numbers) for name in (*places, "value", "standard_error", *_INTERVALS)),
            ("unit", texts),
            ("n", pa.int64()),
            ("confidence", numbers),
            ("unbiased", pa.bool_()),
            ("asked_after", pa.bool_()),
            (THIN, pa.bool_()),
        ]
    )


def _part(group: str | None, answer: Answer, schema: pa.Schema) -> pa.Table:
    """The rows of one answer."""
    question, found = answer.question, answer.estimates
    form, size = form_of(question), found.values.size
    scale, unit = form.unit(question, answer.who)
    ends = [end for band in (Band(found.low, found.high), answer.band, answer.plain) for end in _ends(band, scale)]
    each: dict[str, FloatArray | None] = dict(form.places(question))
    each |= {"value": scale * found.values, "standard_error": scale * found.standard_errors}
    each |= dict(zip(_INTERVALS, ends, strict=True))
    same = {
        "question": question.name,
        "kind": question.form,
        "group": group,
        "unit": unit,
        "n": found.n,
        "confidence": found.confidence,
        "unbiased": found.unbiased,
        "asked_after": answer.asked_after,
    }
    columns = [
        pa.repeat(pa.scalar(same[field.name], field.type), size)
        if field.name in same
        else _numbers(each.get(field.name), size)
        for field in schema
        if field.name != THIN
    ]
    columns.append(pa.array(np.ravel(answer.thin) > 0, pa.bool_()))  # the last
    return pa.Table.from_arrays(columns, schema=schema)


def _ends(band: Band | None, scale: float) -> tuple[FloatArray | None, FloatArray | None]:
    return (None, None) if band is None else (scale * band.low, scale * band.high)


def _numbers(values: FloatArray | None, size: int) -> pa.Array:
    """A number for each value; nulls where there are none."""
    return pa.nulls(size, pa.float64()) if values is None else pa.array(np.ravel(values), pa.float64())
