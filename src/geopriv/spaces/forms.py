"""How each simple type of a parameter is written in JSON, read from it, and described in a JSON Schema.

Integers stay integers, floats are written as floats, infinity is the text "inf", a fraction is its two integers, arrays
are lists, polygons are GeoJSON.
"""

from __future__ import annotations

import math
import typing
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import shapely
import shapely.geometry

from geopriv.errors import InvalidDesign

Schema = dict[str, Any]


def expect(rule: bool, value: Any, where: str, what: str) -> Any:
    """The value, or an error that names where it stands and what it must be."""
    if not rule:
        raise InvalidDesign(f"{where} must be {what}. Got {str(value)[:60]!r} instead.")
    return value


class Form(ABC):
    """The form of one type hint.

    Args:
        hint: the type.
    """

    constant: ClassVar[bool] = False  # whether it tells records apart that have the same keys
    spare: bool = False  # whether documents leave it out where it is the default

    def __init__(self, hint: Any) -> None:
        self.hint = hint

    @abstractmethod
    def write(self, value: Any) -> Any:
        """What JSON can hold."""

    @abstractmethod
    def read(self, value: Any, where: str) -> Any:
        """The value that was written; an InvalidDesign that names `where` for anything else."""

    def fits(self, value: Any) -> bool:
        """Whether it is this form, of several, that a value has; the rest is checked when it is read."""
        return value is not None and not isinstance(value, list | tuple)

    @abstractmethod
    def schema(self, defs: dict[str, Schema]) -> Schema:
        """The JSON Schema; what is described once and referred to goes to `defs`."""


class Simple(Form):
    """A whole number, a text, or true and false."""

    _NAMES: ClassVar = {int: "integer", str: "string", bool: "boolean"}

    def write(self, value: Any) -> Any:
        return self.hint(value)

    def read(self, value: Any, where: str) -> Any:
        return expect(type(value) is self.hint, value, where, f"of type {self.hint.__name__}")

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return {"type": self._NAMES[self.hint]}


class Nothing(Form):
    """Nothing at all."""

    def write(self, value: Any) -> Any:
        return None

    def read(self, value: Any, where: str) -> Any:
        return expect(value is None, value, where, "null")

    def fits(self, value: Any) -> bool:
        return value is None

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return {"type": "null"}


class Number(Form):
    """A float; whole numbers are read as floats too, and zero is written without a sign."""

    def write(self, value: Any) -> Any:
        number = float(value) + 0.0
        return number if math.isfinite(number) else "inf" if number > 0 else "-inf"

    def read(self, value: Any, where: str) -> float:
        if isinstance(value, str) and value in ("inf", "-inf"):
            return float(value)
        number = isinstance(value, float) or (type(value) is int and abs(value) < 1 << 1000)
        return float(expect(number and math.isfinite(value), value, where, "a number"))

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return {"type": "number"}


class Choice(Form):
    """One of a few constants."""

    constant = True

    def write(self, value: Any) -> Any:
        return value

    def read(self, value: Any, where: str) -> Any:
        return expect(self.fits(value), value, where, f"one of {list(typing.get_args(self.hint))}")

    def fits(self, value: Any) -> bool:
        return any(type(value) is type(choice) and value == choice for choice in typing.get_args(self.hint))

    def schema(self, defs: dict[str, Schema]) -> Schema:
        choices = typing.get_args(self.hint)
        return {"const": choices[0]} if len(choices) == 1 else {"enum": list(choices)}


class Ratio(Form):
    """A fraction: numerator and denominator."""

    def write(self, value: Any) -> Any:
        return list(value.as_integer_ratio())

    def read(self, value: Any, where: str) -> Fraction:
        whole = isinstance(value, list) and len(value) == 2 and all(type(part) is int for part in value)
        expect(whole and value[1] > 0, value, where, "two integers, the second positive")
        return Fraction(*value)

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 2}


class Lists(Form):
    """An array of one or two dimensions, of 64-bit integers or of floats."""

    def __init__(self, hint: Any) -> None:
        super().__init__(hint)
        self.dtype: np.dtype[Any] = np.dtype(typing.get_args(typing.get_args(hint)[1])[0])
        self.whole = self.dtype.kind == "i"

    def write(self, value: Any) -> Any:
        return (value + self.dtype.type(0)).tolist()  # zeros without a sign

    def read(self, value: Any, where: str) -> Any:
        expect(isinstance(value, list), value, where, "a list")
        rows = value if all(isinstance(row, list) for row in value) else [value]
        expect(len({len(row) for row in rows}) == 1, value, where, "a list of rows of one length")
        for row in rows:
            if self.whole:
                same = all(type(part) is int and -(2**63) <= part < 2**63 for part in row)
                expect(same, row, where, "made of 64-bit integers")
            elif not all(type(part) is float and math.isfinite(part) for part in row):
                for part in row:
                    Number(float).read(part, where)
        return np.array(value, dtype=self.dtype)

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return {"type": "array", "items": {"type": "integer" if self.whole else "number"}}


class Polygonal(Form):
    """A polygon as GeoJSON."""

    def write(self, value: Any) -> Any:
        return _lists(shapely.geometry.mapping(value))

    def read(self, value: Any, where: str) -> shapely.Geometry:
        try:
            return shapely.geometry.shape(value)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, shapely.errors.ShapelyError) as error:
            raise InvalidDesign(f"{where} must be a GeoJSON geometry ({error}).") from None

    def schema(self, defs: dict[str, Schema]) -> Schema:
        corner = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
        part = {"type": "array", "items": {"type": "array", "items": corner, "minItems": 4}, "minItems": 1}
        many = {"type": "array", "items": part, "minItems": 1}
        kinds = (("Polygon", part), ("MultiPolygon", many))
        forms = [closed({"type": {"const": kind}, "coordinates": lists}) for kind, lists in kinds]
        defs["Geometry"] = {"oneOf": forms}
        return {"$ref": "#/$defs/Geometry"}


def closed(properties: dict[str, Schema], spare: Collection[str] = ()) -> Schema:
    """The schema of an object with exactly these keys, of which some may be left out."""
    required = [name for name in properties if name not in spare]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def keyed(forms: Mapping[str, Form], defs: dict[str, Schema], kind: dict[str, Schema] | None = None) -> Schema:
    """The schema of an object with keys of these forms, after those that name its kind."""
    spare = [name for name, form in forms.items() if form.spare]
    return closed((kind or {}) | {name: form.schema(defs) for name, form in forms.items()}, spare)


def _lists(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_lists(part) for part in value]
    if isinstance(value, float):
        return value + 0.0
    return {key: _lists(part) for key, part in value.items()} if isinstance(value, Mapping) else value
