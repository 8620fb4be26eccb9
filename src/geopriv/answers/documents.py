"""Answers as documents (estimates.json) and back again. A published JSON Schema says what is in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal, TypedDict, cast

import numpy as np

from geopriv.answers.answers import Answer, Answers, Band, Robust
from geopriv.answers.asked import Asked
from geopriv.answers.cells import places
from geopriv.answers.estimates import Estimates
from geopriv.answers.numbers import expect, numbers_document, read_array
from geopriv.answers.units import density_unit
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.queries.questions import DensityMap, Question
from geopriv.reports.reader import REASONS
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, fraction
from geopriv.spaces.documents import from_document, to_document
from geopriv.spaces.notes import Endless, Note

VERSION: Literal[3] = 3
_BEFORE = 2  # the version that is still read
_DIGITS, _ALL = 7, 300  # of degrees: a centimetre on the ground; and of what is not rounded
_VALUES = {"value": "values", "standard_error": "standard_errors", "low": "low", "high": "high"}
_SHAPES = "One number for a share, a list along a curve, a list of columns from west to east for a map."
Numbers = Annotated[Endless | list[Endless] | list[list[Endless]], Note(description=_SHAPES)]
_BOUND = Note(description="No value is off by more on average; null where no bound is known.")
_BAND = Note(description="Holds all values at once with the confidence; null for a share.")
_FINITE = Note(description="Holds each value with the confidence for every n; null where none is known.")
_NICER = Note(description="Monotone or non-negative values, biased; null unless asked for.")
_PLAIN = Note(description="Holds each plain answer with the confidence, whoever the people are; null where none is.")
_MOVED = Note(
    description="One made-up report moves no value by more, nor what holds plain answers; null where it is not told."
)
_OLDER: dict[str, Any] = dict.fromkeys(("leverage", "robust"))  # which documents did not have at first
_EDGE = Note(description="Who counts in part, in words.")
_DEGREES = Note(description="In degrees; null of a plane.")
_ACROSS = Note(description="In the unit of a plane; null of a map in degrees.")
_TIMES = Note(properties={why: {"type": "integer", "minimum": 1} for why in REASONS}, additionalProperties=False)


class EndsDocument(TypedDict):
    """Two ends of an interval for each value."""

    low: Numbers
    high: Numbers


class RobustDocument(TypedDict):
    """Intervals that hold for the honest people, whatever some reports say (theory T17), each for itself."""

    made_up: Annotated[int, Note(minimum=1, description="So many reports may be made up, wherever they are.")]
    soft: EndsDocument
    plain: Annotated[EndsDocument | None, Note(description="Null where there is no plain answer.")]


class SoftDocument(TypedDict):
    """The soft answer: people at the edge count in part.

    Its intervals are normal, each for itself, and too short where few reports count, as in empty corners of a map:
    bands and finite intervals hold there too.
    """

    value: Numbers
    standard_error: Numbers
    low: Numbers
    high: Numbers
    edge: Annotated[str, _EDGE]
    bias: Annotated[Endless | None, _BOUND]
    unbiased: Annotated[bool, Note(description="Whether the bias is at most 1e-6.")]
    band: Annotated[EndsDocument | None, _BAND]
    finite: Annotated[EndsDocument | None, _FINITE]
    consistent: Annotated[Numbers | None, _NICER]


class MapDocument(TypedDict):
    """A map as pages show it: where each point is, and the density there, its ends those of the band; all follows."""

    longitude: Annotated[Numbers | None, _DEGREES]
    latitude: Annotated[Numbers | None, _DEGREES]
    x: Annotated[Numbers | None, _ACROSS]
    y: Annotated[Numbers | None, _ACROSS]
    unit: Annotated[str, Note(minLength=1, description="Of the densities.")]
    value: Numbers
    standard_error: Numbers
    low: Numbers
    high: Numbers


class AskedDocument(TypedDict):
    """Questions that were asked after collecting."""

    so_far: Annotated[int, Note(minimum=1, description="Different ones, of the same reports, these included.")]
    of: Annotated[int | None, Note(minimum=1, description="How many hold at once; null where each is for itself.")]
    confidence: Annotated[float, Note(exclusiveMinimum=0, exclusiveMaximum=1, description="That they do.")]


class AnswerDocument(TypedDict):
    """What was learnt about one question: the plain answer, and the soft one."""

    question: Question
    n: Annotated[int, Note(minimum=1, description="The fewest reports that one of the values rests on.")]
    confidence: Annotated[float, Note(exclusiveMinimum=0, maximum=1)]
    plain: Annotated[EndsDocument | None, _PLAIN]
    leverage: Annotated[Endless | None, _MOVED]
    robust: Annotated[RobustDocument | None, Note(description="Null unless asked for, and of values.")]
    soft: SoftDocument
    map: Annotated[MapDocument | None, Note(description="Null where it is none.")]
    asked_after: Annotated[bool, Note(description="Whether it was asked of reports that existed.")]


class GroupDocument(TypedDict):
    """What was learnt about one group."""

    name: Annotated[str, Note(minLength=1)]
    n: Annotated[int, Note(minimum=0, description="Reports of the group.")]
    answers: Annotated[list[AnswerDocument], Note(description="Without those that fewer than two reports give.")]


class AnswersDocument(TypedDict):
    """What estimates.json holds."""

    type: Literal["Answers"]
    version: Literal[3]
    survey: Annotated[str, Note(minLength=1)]
    design: Annotated[str, Note(pattern="^[0-9a-f]{64}$", description="The hash of the design.")]
    guarantee: Guarantee
    space: Space
    n: Annotated[int, Note(minimum=0, description="Reports that were counted.")]
    rejected: Annotated[dict[str, int], _TIMES]
    answers: Annotated[list[AnswerDocument], Note(minItems=1)]
    counted: Annotated[str, Note(minLength=1, description="Who reported.")]
    weighted: Annotated[bool, Note(description="Whether answers for all are weighted by known sizes of groups.")]
    simultaneous: Annotated[bool, Note(description="Whether intervals of groups hold in all groups at once.")]
    groups: Annotated[list[GroupDocument] | None, Note(description="In the order of the design; null where none are.")]
    asked: Annotated[AskedDocument | None, Note(description="Null where the design's own questions were asked.")]


def answers_document(answers: Answers) -> dict[str, Any]:
    """What estimates.json holds."""
    return {
        "type": "Answers",
        "version": VERSION,
        "survey": answers.survey,
        "design": answers.design,
        "guarantee": to_document(answers.guarantee),
        "space": to_document(answers.space),
        "n": answers.n,
        "rejected": dict(answers.rejected),
        "answers": [_answer_document(answer) for answer in answers.answers],
        "counted": answers.counted,
        "weighted": answers.weighted,
        "simultaneous": answers.simultaneous,
        "groups": [_group_document(name, group) for name, group in answers.groups.items()] or None,
        "asked": None if answers.asked is None else asdict(answers.asked),
    }


def _group_document(name: str, group: Answers) -> dict[str, Any]:
    return {"name": name, "n": group.n, "answers": [_answer_document(answer) for answer in group.answers]}


def read_answers(document: Any) -> Answers:
    """The answers of a document. Ends of normal intervals and words are not read: they follow from the rest.

    Raises:
        InvalidParameter: for a document that is none of this version.
        InvalidDesign: for a question, space or guarantee in it that is none.
    """
    found = _object(_renewed(document), "estimates", AnswersDocument)
    expect(found["type"] == "Answers" and found["version"] == VERSION, "version", f"{VERSION}, or {_BEFORE}")
    guarantee, space = from_document(Guarantee, found["guarantee"]), from_document(Space, found["space"])
    kinds = {"survey": str, "design": str, "rejected": dict, "answers": list, "counted": str}
    for name, kind in (kinds | {"weighted": bool, "simultaneous": bool, "groups": list | None}).items():
        expect(isinstance(found[name], kind), name, f"of type {kind}")
    rejected = {str(reason): _count(times, "rejected") for reason, times in found["rejected"].items()}
    answers = tuple(_read_answer(part) for part in found["answers"])
    n = _count(found["n"], "n")
    whole = Answers(found["survey"], found["design"], guarantee, space, answers, n, rejected, found["counted"])
    groups = dict(_read_group(part, whole) for part in found["groups"] or ())
    expect(len(groups) == len(found["groups"] or ()), "groups", "each of a name of its own")
    said = {name: found[name] for name in ("weighted", "simultaneous")}
    return replace(whole, groups=groups, asked=_read_asked(found["asked"]), **said)


def _renewed(document: Any) -> Any:
    """A document of the version before, with what it lacks: nothing was asked after collecting then."""
    if not (isinstance(document, dict) and document.get("type") == "Answers" and document.get("version") == _BEFORE):
        return document

    def renewed(answers: Any) -> Any:
        new = {"map": None, "asked_after": False}
        return [_OLDER | part | new if isinstance(part, dict) else part for part in answers]

    try:
        groups = document["groups"] and [part | {"answers": renewed(part["answers"])} for part in document["groups"]]
        return document | {
            "version": VERSION,
            "answers": renewed(document["answers"]),
            "groups": groups,
            "asked": None,
        }
    except (KeyError, TypeError):
        return document  # which is refused


def _read_asked(document: Any) -> Asked | None:
    if document is None:
        return None
    found = _object(document, "asked", AskedDocument)
    confidence = fraction("estimates", "confidence", found["confidence"])
    of = None if found["of"] is None else _count(found["of"], "of")
    return Asked(_count(found["so_far"], "so_far"), of, confidence)


def _read_group(document: Any, whole: Answers) -> tuple[str, Answers]:
    found = _object(document, "groups", GroupDocument)
    expect(isinstance(found["name"], str) and isinstance(found["answers"], list), "groups", "names with answers")
    answers = tuple(_read_answer(part) for part in found["answers"])
    return found["name"], replace(whole, answers=answers, n=_count(found["n"], "n"), rejected={})


def _answer_document(answer: Answer) -> dict[str, Any]:
    found = answer.estimates
    soft = {
        **{key: numbers_document(getattr(found, name)) for key, name in _VALUES.items()},
        "edge": answer.edge_words,
        "bias": None if math.isnan(found.bias) else numbers_document(np.asarray(found.bias)),
        "unbiased": found.unbiased,
        "band": ends_document(answer.band),
        "finite": ends_document(answer.finite),
        "consistent": None if answer.consistent is None else numbers_document(answer.consistent),
    }
    return {
        "question": to_document(answer.question),
        "n": found.n,
        "confidence": found.confidence,
        "plain": ends_document(answer.plain),
        "leverage": None if answer.leverage is None else numbers_document(np.asarray(answer.leverage)),
        "robust": _robust_document(answer.robust),
        "soft": soft,
        "map": _map_document(answer),
        "asked_after": answer.asked_after,
    }


def _map_document(answer: Answer) -> dict[str, Any] | None:
    """The densities of a map, and where they are; None of all else."""
    question, found = answer.question, answer.estimates
    if question.product is None:
        return None
    scale, unit = density_unit(question, answer.who)
    band = answer.band or Band(found.low, found.high)
    ends = {"low": band.low, "high": band.high}
    whole = {"value": found.values, "standard_error": found.standard_errors, **ends}
    told: dict[str, FloatArray | None] = {key: scale * part for key, part in whole.items()}
    digits = _DIGITS if question.space.geographic else _ALL
    where = {name: along.round(digits) for name, along in places(cast("DensityMap", question)).items()}
    told |= dict.fromkeys(("longitude", "latitude", "x", "y"))
    return {
        "unit": unit,
        **{key: None if part is None else numbers_document(part) for key, part in (told | where).items()},
    }


def ends_document(band: Band | None) -> dict[str, Any] | None:
    """Two ends of intervals; null where there are none."""
    return None if band is None else {"low": numbers_document(band.low), "high": numbers_document(band.high)}


def _read_answer(document: Any) -> Answer:
    found = _object(_OLDER | document if isinstance(document, dict) else document, "answer", AnswerDocument)
    soft = _object(found["soft"], "soft", SoftDocument)
    question = from_document(Question, found["question"])
    shape = question.shape
    values, errors = (read_array(soft[name], shape, name) for name in ("value", "standard_error"))
    expect(not (errors < 0).any(), "standard_error", "at least 0")
    bias = math.nan if soft["bias"] is None else float(read_array(soft["bias"], (), "bias"))
    confidence = fraction("estimates", "confidence", found["confidence"])
    estimates = Estimates(values, errors, _count(found["n"], "n"), bias, confidence)
    band, finite = (_read_band(soft[name], shape, name) for name in ("band", "finite"))
    nicer = None if soft["consistent"] is None else read_array(soft["consistent"], shape, "consistent")
    plain = _read_band(found["plain"], shape, "plain")
    expect(
        plain is None or bool((plain.low <= plain.high).all()), "plain", "made of lower ends and upper ends above them"
    )
    after = found["asked_after"]
    expect(isinstance(after, bool), "asked_after", "true or false")
    leverage = None if found["leverage"] is None else float(read_array(found["leverage"], (), "leverage"))
    expect(leverage is None or leverage >= 0, "leverage", "at least 0")
    told = found["robust"] and _object(found["robust"], "robust", RobustDocument)
    ends = told and (_read_ends(told["soft"], shape, "robust"), _read_band(told["plain"], shape, "robust"))
    robust = Robust(_count(told["made_up"], "made_up"), *ends) if told else None
    return Answer(question, estimates, band, finite, nicer, plain, asked_after=after, leverage=leverage, robust=robust)


def _robust_document(one: Robust | None) -> dict[str, Any] | None:
    ends = {} if one is None else {"soft": ends_document(one.soft), "plain": ends_document(one.plain)}
    return None if one is None else {"made_up": one.made_up, **ends}


def _read_band(document: Any, shape: tuple[int, ...], where: str) -> Band | None:
    return None if document is None else _read_ends(document, shape, where)


def _read_ends(document: Any, shape: tuple[int, ...], where: str) -> Band:
    ends = _object(document, where, EndsDocument)
    return Band(*(read_array(ends[end], shape, where) for end in ("low", "high")))


def _object(value: Any, where: str, described: Any) -> Mapping[str, Any]:
    keys = described.__annotations__
    expect(isinstance(value, dict) and set(value) == set(keys), where, f"an object with the keys {', '.join(keys)}")
    found: Mapping[str, Any] = value
    return found


def _count(value: Any, where: str) -> int:
    expect(type(value) is int and value >= 0, where, "a whole number of at least 0")
    return int(value)
