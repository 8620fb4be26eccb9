"""Checked tables of a survey file → the parts of a Survey."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from geopriv.device.far import TABLES
from geopriv.errors import InvalidParameter
from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.shared.colours import classes_of_discs
from geopriv.mechanisms.table.brackets import is_step
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.queries.source import Source
from geopriv.spaces import Space
from geopriv.surveys.asking import Asking
from geopriv.surveys.kinds import Kind, asked_on
from geopriv.surveys.kinds.base import ON_LINES
from geopriv.surveys.lengths import RATES, plain_length
from geopriv.surveys.part import Part, listed
from geopriv.surveys.reading import parse_questions, parse_survey
from geopriv.surveys.schema import SurveyTable

_Made = TypeVar("_Made")
WALKED = "threshold", "mean", "total"  # kinds that walking noise tells: no Gaussian blur is known of the others
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
        rounds = 1 if tables.walk is None else tables.walk.rounds
        if rounds > 1 and tables.space.kind not in ON_LINES:
            raise whole.inside("space").wrong("kind", "'line' or 'log' where noise walks", tables.space.kind)
        questions = tuple(_questions(tables, whole, space, rate, folder))
        return make(tables.name, space, rate, questions, tables.people, source, prior, groups, tables.counted, rounds)


def build_questions(text: str, file: str, space: Space, rate: float, source: Source | None) -> list[Question]:
    """The questions of a file that has nothing but tables [[query]], for reports that exist.

    Borders and kernels that are left open are those of a survey whose questions share a report.

    Args:
        text: TOML.
        file: where it is from, for errors; paths in the text start at its folder.
        space: on which the reports are.
        rate: ε of the reports, per unit of distance.
        source: their public range, and what columns are called; None where neither is known.

    Raises:
        InvalidParameter: as `build`.
    """
    tables, whole = parse_questions(text, file)
    columns, low, high = ((), (), ()) if source is None else (source.columns, source.low, source.high)
    anywhere = [] if space.geographic else [[-math.inf, math.inf]] * space.dimension
    limits = [[a, b] for a, b in zip(low, high, strict=True)] or anywhere
    asking = Asking(space.word, space, rate, limits, Path(whole.file).parent, False, columns)
    with whole.explaining():
        return _asked(tables.query, whole, asking)


def _rate(tables: SurveyTable, whole: Part, space: Space) -> float:
    """ε per unit of distance."""
    rate = tables.epsilon / plain_length(whole, "per", tables.per, space)
    if not RATES[0] < rate < RATES[1]:
        raise whole.wrong("epsilon", f"such that epsilon over per is between {RATES[0]:g} and {RATES[1]:g}", rate)
    return rate


def _questions(tables: SurveyTable, whole: Part, space: Space, rate: float, folder: Path) -> list[Question]:
    """The questions of all queries: of a few areas with linear borders, which suit a table each, otherwise blurred."""
    on, columns = tables.space.kind, tuple(tables.space.columns or ())
    rounds = 1 if tables.walk is None else tables.walk.rounds
    asking = Asking(on, space, rate, tables.space.limits, folder, len(tables.query) == 1, columns, rounds=rounds)
    found = _asked(tables.query, whole, asking)
    if space.dimension > 1 and len(found) <= TABLES and all(question.form == "share" for question in found):
        apart = _asked(tables.query, whole, replace(asking, apart=True))
        queries = [query for question in apart for query in question.queries]
        if all(question.plain for question in apart) and all(map(is_step, queries)) and _few(queries, rate):
            return apart
    _require_one_grid(tables.query, found, whole, asking)
    return found


def _require_one_grid(tabled: Sequence[Kind], found: Sequence[Question], whole: Part, asking: Asking) -> None:
    """Refuse a linear edge that no grid follows beside borders that are blurred, which no table answers.

    Only the narrowest is tried: a grid that follows it follows the others.
    """
    blurred = [each for one in found if one.form == "share" for each in one.queries if not is_step(each)]
    if asking.space.dimension != 2 or not blurred:
        return
    linear: list[tuple[float, Any, Part, Query]] = []
    for number, table in enumerate(tabled):
        width, part = getattr(table, "width", None), whole.inside("query", number)
        query = table.build(part, asking)[0].queries[0] if width is not None else blurred[0]
        if is_step(query):
            linear.append((query.half_edge, width, part, query))
    if not linear:
        return
    _, width, part, query = min(linear, key=itemgetter(0))
    try:
        Lattice.calibrate(asking.space, asking.rate, queries=[query])
    except InvalidParameter:
        rule = "left out, or much wider: its linear edge is too hard for the one report that blurred borders need"
        raise part.wrong("width", rule, width) from None


def _few(queries: Sequence[Query], rate: float) -> bool:
    """Whether people can be split among them, or among classes of far ones that share a report."""
    return len(queries) <= MOST or 0 < classes_of_discs(queries, rate) <= MOST


def _asked(tabled: Sequence[Kind], whole: Part, asking: Asking) -> list[Question]:
    """The questions of all queries, each of a name of its own."""
    on = asking.kind
    found: list[Question] = []
    for number, table in enumerate(tabled):
        part = whole.inside("query", number)
        if on not in table.spaces:
            rule = f"{listed(f'{kind!r}' for kind in asked_on(on))} on a space of kind '{on}'"
            raise part.wrong("kind", rule, table.kind)
        if asking.rounds > 1 and table.kind not in WALKED:
            raise part.wrong("kind", f"one of {listed(map(repr, WALKED))} where noise walks", table.kind)
        for question in table.build(part, asking):
            if question.name in [other.name for other in found]:
                raise part.error(f"must be a name of its own, and {question.name!r} is taken", "name")
            found.append(question)
    return found
