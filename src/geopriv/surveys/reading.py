"""The text of a survey.toml → its checked tables, or one sentence about the first thing that is wrong."""

from __future__ import annotations

import os
import re
import tomllib
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from geopriv.device.texts import NAME, plain, quoted, seen
from geopriv.errors import InvalidParameter
from geopriv.surveys.groups import UNPROTECTED, GroupsTable
from geopriv.surveys.kinds import QueryTable
from geopriv.surveys.lines import key_lines, line_of
from geopriv.surveys.part import (
    Part,
    listed,
    nearest,
    shown,
)
from geopriv.surveys.priors import PriorTable
from geopriv.surveys.schema import QuestionsTable, SurveyTable
from geopriv.surveys.spaces import SpaceTable
from geopriv.surveys.tables import Region, Table

_Tables = TypeVar("_Tables", bound=Table)
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_QUERY = re.compile(r"[ \t]*(\[\[?)[ \t]*query[ \t]*\]")
_DOUBLE = "written with double brackets, [[query]] and not [query], since there may be several"
# keys of earlier surveys: more is said of them than that there is no such key
_GONE: dict[tuple[str | int, ...], str] = {
    ("space", "resolution"): "is no longer asked for: values are not recorded in steps, so leave it out",
}
_WEIGHTS = ("weight", "weights", "weight_column", "weights_column")
# words of earlier surveys for a kind of query
_RENAMED = {"cdf": "distribution", "map": "density map"}
# words that people write for a kind of query, which are like the word for another or like none
_ASKED_BY = {
    "median": "quantile",
    "average": "mean",
    "count": "total",
    "number": "total",
    "share": "threshold",
}


def _by_kind(union: Any) -> dict[str, type[Table]]:
    """The models of a union by their kind."""
    models = typing.get_args(typing.get_args(union)[0])
    return {kind: model for model in models for kind in typing.get_args(model.model_fields["kind"].annotation)}


KINDS = {
    "space": _by_kind(SpaceTable),
    "prior": _by_kind(PriorTable),
    "query": _by_kind(QueryTable),
}


def parse_survey(text: str, file: str) -> tuple[SurveyTable, Part]:
    """The tables of the text of a file, and where everything in it stands.

    Raises:
        InvalidParameter: naming file, line, key, rule and what was given.
    """
    empty = "the survey is empty; it needs a name, epsilon, per, people, a space and queries"
    return _read(SurveyTable, text, file, empty)


def parse_questions(text: str, file: str) -> tuple[QuestionsTable, Part]:
    """The tables [[query]] of a file of questions, and where everything in it stands.

    Raises:
        InvalidParameter: as `parse_survey`.
    """
    return _read(QuestionsTable, text, file, "there is no question; it needs tables [[query]], as a survey has them")


def _read(model: type[_Tables], text: str, file: str, empty: str) -> tuple[_Tables, Part]:
    """The tables of a text; `empty` says what it needs where it has none."""
    data = _parsed(text, file)
    if not data:
        raise InvalidParameter(f"{file}, line 1: {empty}.")
    whole = Part(file, key_lines(text))
    try:
        tables = model.model_validate(data)
        _require_seen(data, whole)
        return tables, whole
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)
    # a misspelt key is also a missing one, and its own line says more
    spots = [(error["type"], _Spot.of(error["loc"], model)) for error in found]
    kind, spot = min(spots, key=lambda s: (s[0] != "extra_forbidden", line_of(whole.lines, s[1].path)))
    raise _explained(kind, spot, data, whole)


def _require_seen(value: Any, part: Part) -> None:
    """Refuse text that no device would show: characters without ink, and a name that is not as it looks."""
    if isinstance(value, str) and not seen(value):
        raise part.error(f"must be a text whose characters can all be printed and seen, not {quoted(value)}")
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            _require_seen(inner, part.inside(key))
    if not part.path and "name" in value and not plain(value["name"], NAME):
        raise part.wrong("name", f"a text of 1 to {NAME} characters, in NFC, without spaces at its ends", value["name"])


_LARGEST = 1 << 24  # bytes of a survey


def read_text(file: str) -> str:
    """The text of a file, or one sentence about why there is none."""
    if os.path.isdir(file):
        raise InvalidParameter(f"{file} is a folder; name the survey.toml in it.")
    try:
        with Path(file).open("rb") as opened:
            data = opened.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "no name of a file"
        raise InvalidParameter(f"{file} cannot be read: {reason}.") from None
    if len(data) > _LARGEST:
        raise InvalidParameter(f"{file} is no survey: it has more than {_LARGEST:,} bytes.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidParameter(
            f"{file}, line {line}: a survey must be a text in UTF-8; save it in that encoding."
        ) from None


def _parsed(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InvalidParameter(f"{file}, line 1: lists and tables in it are nested too deep.") from None
    except ValueError as error:
        reason = str(error)
    match = _WHERE.search(reason)
    line, column = (match[1], match[2]) if match and match[1] else (str(text.count("\n") + 1), "1")
    if single := _single_brackets(text, int(line)):
        raise InvalidParameter(f"{file}, line {single}: 'query' must be {_DOUBLE}.")
    words = _WHERE.sub("", reason)
    hint = ""
    if words.startswith(("Expected newline", "Invalid value")):
        hint = "; texts stand in quotes, and 200,000 is written 200_000"
    words = f"this is no TOML ({words[:1].lower()}{words[1:]}){hint}"
    raise InvalidParameter(f"{file}, line {line}, column {column}: {words}.")


def _single_brackets(text: str, wrong: int) -> int:
    """The first line that is [query], where that is why a header of a query is refused on line `wrong`; else 0."""
    headers = {k: match[1] for k, row in enumerate(text.split("\n"), 1) if (match := _QUERY.match(row))}
    single = [k for k, bracket in headers.items() if bracket == "["]
    return single[0] if wrong in headers and single else 0


@dataclass(frozen=True)
class _Spot:
    """Where in the file an error is, from where pydantic says it is (which names kinds and branches of unions too).

    Args:
        table: path of the table.
        model: of the table.
        keys: of the value in the table.
    """

    table: tuple[str | int, ...]
    model: type[Table]
    keys: tuple[str | int, ...]

    @classmethod
    def of(cls, loc: tuple[str | int, ...], whole: type[Table]) -> _Spot:
        depth = 2 if loc[0] == "query" else 1
        if loc[0] == "groups" and len(loc) > 1:
            return cls(loc[:1], GroupsTable, loc[1:2])
        if loc[0] not in KINDS or len(loc) < depth + 2:
            return cls((), whole, loc[:2] if loc[0] == "query" else loc[:1])
        table, keys = loc[:depth], loc[depth + 1 :]
        if keys[0] == "region" and len(keys) > 1:
            return cls((*table, "region"), Region, keys[1:2])
        return cls(table, KINDS[str(loc[0])][str(loc[depth])], keys[:1])

    @property
    def path(self) -> tuple[str | int, ...]:
        return (*self.table, *self.keys)


def _explained(error: str, spot: _Spot, data: dict[str, Any], whole: Part) -> InvalidParameter:
    """The sentence for an error of pydantic's."""
    table, key = whole.inside(*spot.table), str(spot.keys[0])
    if error.startswith("union_tag"):
        kinds, kind = KINDS[key], _value(data, spot.path).get("kind")
        rule = listed(f"'{name}'" for name in kinds)
        missing = error == "union_tag_not_found"
        hint = (_other_word(kind) if key == "query" else "") or nearest(kind, kinds)
        words = f"lacks 'kind': {rule}" if missing else f"must be {rule}, not {shown(kind)}{hint}"
        return whole.error(words, *spot.keys, *([] if missing else ["kind"]))
    fields = {field.alias or name: field for name, field in spot.model.model_fields.items()}
    if error == "extra_forbidden" and spot.path in _GONE:
        return table.error(_GONE[spot.path], key)
    if key in _WEIGHTS and (error == "extra_forbidden" or (spot.table == ("groups",) and _is_text(data, spot.path))):
        return table.error(f"cannot be asked for: {UNPROTECTED}", key)
    if error == "extra_forbidden":
        return table.error(_no_key(spot, key, fields), key)
    rule, *_ = str(fields[key].description).split(";")  # what follows is about leaving the key out
    if spot.path == ("query",) and isinstance(data.get("query"), dict):
        rule = _DOUBLE
    if error == "missing":
        return table.error(f"lacks '{key}': {rule}")
    hint = "; counted = '…' says who they are" if spot.path == ("people",) and _is_text(data, spot.path) else ""
    return table.error(f"must be {rule}, not {shown(_value(data, spot.path))}{hint}", *spot.keys)


def _no_key(spot: _Spot, key: str, fields: Iterable[str]) -> str:
    """That there is no such key, and which was likely meant."""
    if spot.model is QuestionsTable and key in SurveyTable.model_fields:
        return "belongs to the survey, whose design has it already: leave it out of the questions"
    there = nearest(key, fields) or f", which has {listed(fields, last='and')}"
    return f"is no key of {_title(spot)}{there}"


def _other_word(kind: Any) -> str:
    """What a kind of query is called, where another word for it was given; else empty."""
    if not isinstance(kind, str):
        return ""
    if kind in _RENAMED:
        return f"; it is called '{_RENAMED[kind]}' now"
    return f"; it is asked by kind = '{_ASKED_BY[kind]}'" if kind in _ASKED_BY else ""


def _is_text(data: Any, path: tuple[str | int, ...]) -> bool:
    return isinstance(_value(data, path), str)


def _title(spot: _Spot) -> str:
    """What a table is called."""
    if not spot.table or spot.model is Region:
        return "a region" if spot.table else "the questions" if spot.model is QuestionsTable else "the survey"
    return "the table [groups]" if spot.model is GroupsTable else f"this kind of {spot.table[0]}"


def _value(data: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        data = data[key]
    return data
