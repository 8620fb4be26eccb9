"""Checked tables of a survey file → the parts of a Survey."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from geopriv.device.far import TABLES
from geopriv.mechanisms.shared.colours import classes_of_discs
from geopriv.mechanisms.table.brackets import is_step
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.surveys.asking import Asking
from geopriv.surveys.kinds import Kind, asked_on
from geopriv.surveys.lengths import RATES, plain_length
from geopriv.surveys.part import Part, listed
from geopriv.surveys.reading import parse_survey
from geopriv.surveys.schema import SurveyTable

_Made = TypeVar("_Made")
MOST = 8  # areas, or classes of far ones, with a table each, as in geopriv.surveys.planning.plain_tables


def build(text: str, file: str, make: Callable[..., _Made]) -> _Made:
    """What is made of a survey file: by `make`, from its name, space, rate, questions, people and what else it says.

    Raises:
        InvalidParameter: one sentence that names the file, the line, the key, the rule and what was given; so does what
            `make` refuses.
    """
    tables, whole = parse_survey(text, file)
    folder, part = Path(whole.file).parent, whole.inside("space")
    with whole.explaining():
        with part.explaining():
            space = tables.space.build(part)
        rate = _rate(tables, whole, space)
        source = tables.space.source(part)
        prior = None
        if tables.prior is not None:
            prior = tables.prior.build(tables.space, space, whole.inside("prior"), folder)
        groups = None if tables.groups is None else tables.groups.build(whole.inside("groups"), source)
        questions = tuple(_questions(tables, whole, space, rate, folder))
        return make(tables.name, space, rate, questions, tables.people, source, prior, groups, tables.counted)


def _rate(tables: SurveyTable, whole: Part, space: Space) -> float:
    """ε per unit of distance."""
    rate = tables.epsilon / plain_length(whole, "per", tables.per, space)
    if not RATES[0] < rate < RATES[1]:
        raise whole.wrong("epsilon", f"such that epsilon over per is between {RATES[0]:g} and {RATES[1]:g}", rate)
    return rate


def _questions(tables: SurveyTable, whole: Part, space: Space, rate: float, folder: Path) -> list[Question]:
    """The questions of all queries: of a few areas with linear borders, which suit a table each, otherwise blurred."""
    on, columns = tables.space.kind, tuple(tables.space.columns or ())
    asking = Asking(on, space, rate, tables.space.limits, folder, len(tables.query) == 1, columns)
    found = _asked(tables, whole, asking)
    if space.dimension > 1 and len(found) <= TABLES and all(question.form == "share" for question in found):
        apart = _asked(tables, whole, replace(asking, apart=True))
        queries = [query for question in apart for query in question.queries]
        if all(question.plain for question in apart) and all(map(is_step, queries)) and _few(queries, rate):
            return apart
    return found


def _few(queries: Sequence[Query], rate: float) -> bool:
    """Whether people can be split among them, or among classes of far ones that share a report."""
    return len(queries) <= MOST or 0 < classes_of_discs(queries, rate) <= MOST


def _asked(tables: SurveyTable, whole: Part, asking: Asking) -> list[Question]:
    """The questions of all queries, each of a name of its own."""
    on = asking.kind
    tabled: Sequence[Kind] = tables.query
    found: list[Question] = []
    for number, table in enumerate(tabled):
        part = whole.inside("query", number)
        if on not in table.spaces:
            rule = f"{listed(f'{kind!r}' for kind in asked_on(on))} on a space of kind '{on}'"
            raise part.wrong("kind", rule, table.kind)
        for question in table.build(part, asking):
            if question.name in [other.name for other in found]:
                raise part.error(f"must be a name of its own, and {question.name!r} is taken", "name")
            found.append(question)
    return found
