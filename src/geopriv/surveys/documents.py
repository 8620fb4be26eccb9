"""Spaces, queries, questions, guarantees, tables and lattices as plain documents: what JSON can hold, and back again.

A document is a dict with the key "type" and one key for each parameter. Integers stay integers, floats are the
shortest decimals that give the same float back, infinity is the text "inf", a fraction is its two integers, arrays are
lists, polygons are GeoJSON. The types are a closed set of classes of the package; nothing is imported because a
document names it.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import shapely
import shapely.geometry

from geopriv import queries, spaces
from geopriv.errors import GeoprivError, InvalidDesign
from geopriv.mechanisms import Lattice, Table
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.queries import LinearQuery, LipschitzQuery, RadialQuery, questions
from geopriv.queries.source import Source
from geopriv.shapes import profiles
from geopriv.shapes.profiles import Custom
from geopriv.spaces.checks import invalid

_FUNCTIONS = (Custom, LipschitzQuery)  # hold a function, which no document can
_ATTRIBUTE: dict[tuple[type[Any], str], str] = {
    (LinearQuery, "profile"): "profile_of_score",
    (RadialQuery, "profile"): "profile_of_distance",
}


def to_document(thing: Any) -> dict[str, Any]:
    """The document of a space, profile, query, guarantee, Table or Lattice.

    Raises:
        InvalidParameter: for anything else, and for what holds a function of its own (Custom, LipschitzQuery).

    >>> from geopriv import Line, Threshold
    >>> to_document(Threshold(at=100_000.0, width=16_000.0, space=Line("USD")))["space"]
    {'type': 'Line', 'unit': 'USD'}
    """
    if isinstance(thing, _FUNCTIONS):
        raise invalid("to_document", "thing", "without a function of its own, which no document can hold", thing)
    kind = _kinds().get(type(thing).__name__)
    if kind is not type(thing):
        raise invalid("to_document", "thing", f"one of {sorted(_kinds())}", type(thing).__name__)
    parameters = inspect.signature(kind).parameters
    return {"type": kind.__name__} | {name: _plain(getattr(thing, _attribute(kind, name))) for name in parameters}


def from_document(document: Any, verified: bool = True) -> Any:
    """What a document describes; a Table's integers and a Lattice's θ are verified in exact arithmetic.

    Args:
        document: that `to_document` made.
        verified: False to read a table for an audit only, whatever it promises.

    Raises:
        InvalidDesign: for a document that is malformed, of an unknown type, or of a mechanism that breaks its promise.

    >>> from_document({"type": "Ramp", "width": 2.0})
    Ramp(width=2.0, center=0.0, rising=True)
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("type"), str):
        raise InvalidDesign(f"A document must be an object with a 'type'. Got {type(document).__name__} instead.")
    kind = _kinds().get(document["type"])
    if kind is None:
        raise InvalidDesign(f"The 'type' of a document must be one of {sorted(_kinds())}. Got {document['type']!r}.")
    parameters, hints = inspect.signature(kind).parameters, typing.get_type_hints(kind)
    unknown = sorted(str(key) for key in document if key != "type" and key not in parameters)
    missing = [n for n, p in parameters.items() if n not in document and p.default is inspect.Parameter.empty]
    if unknown or missing:
        raise InvalidDesign(f"A {kind.__name__} lacks {missing or 'nothing'} and has no {unknown or 'other keys'}.")
    given = {
        name: _read(hints[_attribute(kind, name)], document[name], f"{kind.__name__}.{name}")
        for name in parameters
        if name in document
    }
    try:
        thing = kind(**given)
        worst = thing.worst_step[0] if isinstance(thing, Table) and verified else 0
    except (GeoprivError, TypeError, ValueError, ArithmeticError) as error:
        raise InvalidDesign(f"A {kind.__name__} cannot be made of the document: {error}") from None
    if worst > 1:
        raise InvalidDesign(f"The table breaks its promise: its worst step is {float(worst):.9g}·ε.")
    return thing


@lru_cache(maxsize=1)
def _kinds() -> dict[str, type[Any]]:
    """The closed set: every public value class of spaces, profiles and queries that holds no function."""
    named = [getattr(module, name) for module in (spaces, profiles, queries) for name in module.__all__]
    classes = [thing for thing in named if inspect.isclass(thing) and is_dataclass(thing)]
    closed = [thing for thing in classes if not inspect.isabstract(thing) and thing not in _FUNCTIONS]
    forms: tuple[type[Any], ...] = (questions.Share, questions.Distribution, questions.DensityMap)
    return {thing.__name__: thing for thing in (*closed, *forms, Source, Guarantee, Lattice, Table)}


def _attribute(kind: type[Any], parameter: str) -> str:
    return _ATTRIBUTE.get((kind, parameter), parameter)


def _plain(value: Any) -> Any:
    """What JSON can hold."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    elif isinstance(value, shapely.Geometry):
        value = shapely.geometry.mapping(value)
    elif isinstance(value, Fraction):
        value = value.as_integer_ratio()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value if value is None or isinstance(value, bool | int | float | str) else to_document(value)


def _read(hint: Any, value: Any, where: str) -> Any:
    """The value as the type hint of its parameter asks for it."""
    return _READERS.get(typing.get_origin(hint) or hint, _read_thing)(hint, value, where)


def _read_thing(hint: Any, value: Any, where: str) -> Any:
    thing = from_document(value)
    return _expect(isinstance(thing, hint), thing, where, f"a {hint.__name__}")


def _read_any(hint: Any, value: Any, where: str) -> Any:
    """The first of several types that fits."""
    parts = typing.get_args(hint)
    if value is None and type(None) in parts:
        return None
    for part in parts:
        if part is not type(None) and (typing.get_origin(part) is tuple) == isinstance(value, list):
            return _read(part, value, where)
    return _expect(False, value, where, "of another type")


def _read_choice(hint: Any, value: Any, where: str) -> Any:
    choices = typing.get_args(hint)
    return _expect(isinstance(value, str) and value in choices, value, where, f"one of {list(choices)}")


def _read_simple(hint: Any, value: Any, where: str) -> Any:
    return _expect(type(value) is hint, value, where, f"of type {hint.__name__}")


def _read_float(hint: Any, value: Any, where: str) -> float:
    if isinstance(value, str) and value in ("inf", "-inf"):
        return float(value)
    number = isinstance(value, float) or (type(value) is int and abs(value) < 1 << 1000)
    return float(_expect(number and math.isfinite(value), value, where, "a number"))


def _read_tuple(hint: Any, value: Any, where: str) -> tuple[Any, ...]:
    """A list of things of one type."""
    _expect(isinstance(value, list), value, where, "a list")
    return tuple(_read(typing.get_args(hint)[0], part, where) for part in value)


def _read_fraction(hint: Any, value: Any, where: str) -> Fraction:
    """Numerator and denominator."""
    whole = isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value)
    _expect(whole and value[1] > 0, value, where, "two integers, the second positive")
    return Fraction(*value)


def _read_array(hint: Any, value: Any, where: str) -> Any:
    """An array of one or two dimensions, of integers that fit or of floats."""
    dtype = np.dtype(typing.get_args(typing.get_args(hint)[1])[0])
    _expect(isinstance(value, list), value, where, "a list")
    rows = value if all(isinstance(row, list) for row in value) else [value]
    _expect(len({len(row) for row in rows}) == 1, value, where, "a list of rows of one length")
    for part in (part for row in rows for part in row):
        if dtype.kind == "i":
            _expect(type(part) is int and -(2**63) <= part < 2**63, part, where, "made of 64-bit integers")
        else:
            _read_float(float, part, where)
    return np.array(value, dtype=dtype)


def _read_geometry(hint: Any, value: Any, where: str) -> shapely.Geometry:
    try:
        return shapely.geometry.shape(value)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, shapely.errors.ShapelyError) as error:
        raise InvalidDesign(f"{where} must be a GeoJSON geometry ({error}).") from None


_READERS: dict[Any, Callable[[Any, Any, str], Any]] = {
    typing.Union: _read_any,
    types.UnionType: _read_any,
    Literal: _read_choice,
    tuple: _read_tuple,
    Fraction: _read_fraction,
    np.ndarray: _read_array,
    float: _read_float,
    int: _read_simple,
    str: _read_simple,
    bool: _read_simple,
    shapely.Geometry: _read_geometry,
}


def _expect(rule: bool, value: Any, where: str, what: str) -> Any:
    if not rule:
        raise InvalidDesign(f"{where} must be {what}. Got {str(value)[:60]!r} instead.")
    return value
