"""Answers as documents (estimates.json) and back again. A published JSON Schema says what is in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from geopriv.answers.answers import Answer, Answers, Band
from geopriv.answers.estimates import Estimates
from geopriv.errors import InvalidParameter
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, fraction
from geopriv.surveys.documents import from_document, to_document

VERSION = 1
_ANSWERS = ("type", "version", "survey", "design", "guarantee", "space", "n", "rejected", "answers")
_VALUES = ("values", "standard_errors", "low", "high")
_ANSWER = ("question", "n", "confidence", "bias", "unbiased", *_VALUES, "band", "finite", "consistent")


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
    }


def read_answers(document: Any) -> Answers:
    """The answers of a document. Ends of normal intervals are not read: they follow from values and errors.

    Raises:
        InvalidParameter: for a document that is none of this version.
        InvalidDesign: for a question, space or guarantee in it that is none.
    """
    found = _object(document, "estimates", _ANSWERS)
    _expect(found["type"] == "Answers" and found["version"] == VERSION, "version", str(VERSION))
    guarantee, space = from_document(found["guarantee"]), from_document(found["space"])
    _expect(isinstance(guarantee, Guarantee), "guarantee", "a Guarantee")
    _expect(isinstance(space, Space), "space", "a space")
    for name, kind in (("survey", str), ("design", str), ("rejected", dict), ("answers", list)):
        _expect(isinstance(found[name], kind), name, f"of type {kind.__name__}")
    rejected = {str(reason): _count(times, "rejected") for reason, times in found["rejected"].items()}
    answers = tuple(_read_answer(part) for part in found["answers"])
    return Answers(found["survey"], found["design"], guarantee, space, answers, _count(found["n"], "n"), rejected)


def _answer_document(answer: Answer) -> dict[str, Any]:
    found = answer.estimates
    ends = {
        name: None if band is None else {"low": _plain(band.low), "high": _plain(band.high)}
        for name, band in (("band", answer.band), ("finite", answer.finite))
    }
    arrays = {name: _plain(getattr(found, name)) for name in _VALUES}
    return {
        "question": to_document(answer.question),
        "n": found.n,
        "confidence": found.confidence,
        "bias": None if math.isnan(found.bias) else _plain(np.asarray(found.bias)),
        "unbiased": found.unbiased,
        **arrays,
        **ends,
        "consistent": None if answer.consistent is None else _plain(answer.consistent),
    }


def _read_answer(document: Any) -> Answer:
    found = _object(document, "answer", _ANSWER)
    question = from_document(found["question"])
    _expect(isinstance(question, Question), "question", "a Share, Distribution or DensityMap")
    shape = question.shape
    values, errors = (_array(found[name], shape, name) for name in ("values", "standard_errors"))
    _expect(not (errors < 0).any(), "standard_errors", "at least 0")
    bias = math.nan if found["bias"] is None else float(_array(found["bias"], (), "bias"))
    confidence = fraction("estimates", "confidence", found["confidence"])
    estimates = Estimates(values, errors, _count(found["n"], "n"), bias, confidence)
    band, finite = (_read_band(found[name], shape, name) for name in ("band", "finite"))
    nicer = None if found["consistent"] is None else _array(found["consistent"], shape, "consistent")
    return Answer(question, estimates, band, finite, nicer)


def _read_band(document: Any, shape: tuple[int, ...], where: str) -> Band | None:
    if document is None:
        return None
    ends = _object(document, where, ("low", "high"))
    return Band(*(_array(ends[end], shape, where) for end in ("low", "high")))


def _plain(value: Any) -> Any:
    """Lists of numbers; an infinite one is a text."""
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list):
        return [_plain(part) for part in value]
    _expect(not math.isnan(value), "values", "made of numbers")
    return value if math.isfinite(value) else str(value)


def _array(value: Any, shape: tuple[int, ...], where: str) -> FloatArray:
    """Nested lists of numbers, of that shape."""
    if shape:
        _expect(isinstance(value, list) and len(value) == shape[0], where, f"of shape {shape}")
        return np.stack([_array(part, shape[1:], where) for part in value])
    number = type(value) is float or (type(value) is int and abs(value) < 1 << 1000) or value in ("inf", "-inf")
    _expect(number and not math.isnan(float(value)), where, "made of numbers")
    return np.asarray(float(value))


def _object(value: Any, where: str, keys: tuple[str, ...]) -> Mapping[str, Any]:
    _expect(isinstance(value, dict) and set(value) == set(keys), where, f"an object with the keys {', '.join(keys)}")
    found: Mapping[str, Any] = value
    return found


def _count(value: Any, where: str) -> int:
    _expect(type(value) is int and value >= 0, where, "a whole number of at least 0")
    return int(value)


def _expect(rule: bool, where: str, what: str) -> None:
    if not rule:
        raise InvalidParameter(f"In estimates.json '{where}' must be {what}.")
