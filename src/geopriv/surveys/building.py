"""Checked tables of a survey file → the Survey."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.surveys import in_planes, on_lines, schema
from geopriv.surveys.asking import Asking
from geopriv.surveys.model import Survey
from geopriv.surveys.part import Part, listed
from geopriv.surveys.reading import parse_survey, read_text
from geopriv.surveys.spaces import build_prior, build_source, build_space

_ASKED_ON = {
    "line": ("threshold", "distribution", "range"),
    "log": ("threshold", "distribution", "range"),
    "plane": ("orthant", "score", "ball", "geofence", "density map"),
    "map": ("orthant", "ball", "geofence", "density map"),
    "euclidean": ("orthant", "score", "ball"),
}
_BUILDERS: dict[str, Callable[[Any, Part, Asking], list[Question]]] = {
    "threshold": on_lines.thresholds,
    "distribution": on_lines.curve,
    "range": on_lines.range_,
    "orthant": in_planes.orthants,
    "score": in_planes.score,
    "ball": in_planes.ball,
    "geofence": in_planes.fences,
    "density map": in_planes.density,
}


def load_survey(path: str | os.PathLike[str]) -> Survey:
    """The survey of a survey.toml.

    Args:
        path: of the file; paths in it start at its folder.

    Raises:
        InvalidParameter: one sentence that names the file, the line, the key, the rule and what was given.
    """
    file = os.fspath(path)
    return survey_from_text(read_text(file), file)


def survey_from_text(text: str, file: str = "survey.toml") -> Survey:
    """The survey of a text.

    Args:
        text: TOML.
        file: where it is from, for errors; paths in the text start at its folder.

    Raises:
        InvalidParameter: as `load_survey`.

    >>> survey = survey_from_text('''
    ... name = "Incomes"
    ... epsilon = 1.0
    ... per = "8,000 USD"
    ... people = 200_000
    ... space = { kind = "line", unit = "USD", range = [0, 2_000_000] }
    ... query = [{ kind = "threshold", at = 100_000 }]
    ... ''')
    >>> survey.questions[0].name, survey.epsilon, survey.space
    ('above 100,000 USD', 0.000125, Line(unit='USD'))
    """
    return _built(*parse_survey(text, file))


def _built(tables: schema.SurveyTable, whole: Part) -> Survey:
    folder = Path(whole.file).parent
    with whole.explaining():
        space, rate = build_space(tables, whole)
        source = build_source(tables.space, whole.inside("space"))
        prior = build_prior(tables, whole, space, folder)
        questions = _questions(tables, whole, space, rate, folder)
        return Survey(tables.name, space, rate, tuple(questions), tables.people, source, prior)


def _questions(tables: schema.SurveyTable, whole: Part, space: Space, rate: float, folder: Path) -> list[Question]:
    """The questions of all queries, each of a name of its own."""
    limits = [] if isinstance(tables.space, schema.MapSpace) else np.reshape(tables.space.range, (-1, 2)).tolist()
    columns = tuple(tables.space.columns or ())
    asking = Asking(tables.space.kind, space, rate, limits, folder, len(tables.query) == 1, columns)
    found: list[Question] = []
    for number, table in enumerate(tables.query):
        part = whole.inside("query", number)
        offered = _ASKED_ON[asking.kind]
        if table.kind not in offered:
            rule = f"{listed(f'{kind!r}' for kind in offered)} on a space of kind '{asking.kind}'"
            raise part.wrong("kind", rule, table.kind)
        for question in _BUILDERS[table.kind](table, part, asking):
            if question.name in [other.name for other in found]:
                raise part.error(f"must be a name of its own, and {question.name!r} is taken", "name")
            found.append(question)
    return found
