"""Values of the package as plain documents, and back again.

A document is a dict with the key "type" and one key for each parameter of the class. Where a parameter is of a family
(a Space, a Query), the document says which of its classes: a closed set, those that are defined; nothing is imported
because a document names it. A parameter's own type hint says which form it has; `Annotated[hint, Note(...)]` adds
what a JSON Schema can say and a hint cannot.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
import shapely

from geopriv.errors import GeoprivError, InvalidDesign
from geopriv.spaces.checks import alike, invalid
from geopriv.spaces.forms import Choice, Form, Lists, Nothing, Number, Polygonal, Ratio, Schema, Simple, expect, keyed


@dataclass(frozen=True)
class Key:
    """A key of a document.

    Args:
        attribute: where an object has its value.
        form: how it is written.
        default: of the parameter; inspect.Parameter.empty where a document must have it.
    """

    attribute: str
    form: Form
    default: Any

    def written(self, thing: Any) -> bool:
        """Whether a document of the thing has the key."""
        return not self.form.spare or bool(getattr(thing, self.attribute) != self.default)


def to_document(thing: Any) -> dict[str, Any]:
    """The document of a value of the package.

    Raises:
        InvalidParameter: for anything else, and for what holds a function of its own (Custom, LipschitzQuery).

    >>> from geopriv import Line, Threshold
    >>> to_document(Threshold(at=100_000, width=16_000, space=Line("USD")))["space"]
    {'type': 'Line', 'unit': 'USD'}
    """
    kind = type(thing)
    if not is_dataclass(kind) or inspect.isabstract(kind):
        raise invalid("to_document", "thing", "a value of the package", kind.__name__)
    keys = keys_of(kind)
    if keys is None:
        raise invalid("to_document", "thing", "without a function of its own, which no document can hold", thing)
    written = {name: key.form.write(getattr(thing, key.attribute)) for name, key in keys.items() if key.written(thing)}
    return {"type": kind.__name__, **_derived_from(thing), **written}


def from_document(family: type[Any], document: Any, where: str = "A document") -> Any:
    """What a document describes; nothing is verified of what a mechanism promises.

    Args:
        family: the class, or one that it must be derived from.
        document: that `to_document` made.
        where: it stands, for errors.

    Raises:
        InvalidDesign: for a document that is malformed or of an unknown type.

    >>> from geopriv.shapes import Profile
    >>> from_document(Profile, {"type": "Ramp", "width": 2.0})
    Ramp(width=2.0, center=0.0, rising=True)
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("type"), str):
        raise InvalidDesign(f"{where} must be an object with a 'type'. Got {type(document).__name__} instead.")
    known = kinds_of(family)
    kind = known.get(document["type"])
    if kind is None:
        raise InvalidDesign(
            f"{where} must be a {family.__name__}, of the type {' or '.join(sorted(known))}. "
            f"Got {document['type'][:60]!r} instead."
        )
    thing, derived = _made(kind, document)
    for name, value in derived.items():
        expect(alike(document[name], value), document[name], f"{kind.__name__}.{name}", "what follows from the rest")
    return thing


def _made(kind: type[Any], document: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The thing of a document, and what its derived keys must be."""
    keys, derived = keys_of(kind) or {}, _derived_keys(kind)
    unknown = sorted(str(key) for key in document if key not in ("type", *keys, *derived))
    missing = [name for name, key in keys.items() if key.default is inspect.Parameter.empty and name not in document]
    missing += [name for name in derived if name not in document]
    if unknown or missing:
        raise InvalidDesign(f"A {kind.__name__} lacks {missing or 'nothing'} and has no {unknown or 'other keys'}.")
    given = {n: key.form.read(document[n], f"{kind.__name__}.{n}") for n, key in keys.items() if n in document}
    try:
        thing = kind(**given)
        return thing, _derived_from(thing)
    except (GeoprivError, TypeError, ValueError, ArithmeticError) as error:
        raise InvalidDesign(f"A {kind.__name__} cannot be made of the document: {error}") from None


class Thing(Form):
    """A value of a class of the package, or of one that is derived from it."""

    def __init__(self, hint: Any) -> None:
        super().__init__(hint)
        if is_dataclass(hint) and keys_of(hint) is None:
            raise TypeError(f"{hint} has no form in JSON")

    def write(self, value: Any) -> Any:
        return to_document(value)

    def read(self, value: Any, where: str) -> Any:
        return from_document(self.hint, value, where)

    def fits(self, value: Any) -> bool:
        named = isinstance(value, Mapping) and isinstance(value.get("type"), str)
        return value["type"] in kinds_of(self.hint) if named else isinstance(value, self.hint)

    def schema(self, defs: dict[str, Schema]) -> Schema:
        kinds, name = dict(sorted(kinds_of(self.hint).items())), self.hint.__name__
        if name not in defs:
            defs[name] = {}  # so that a class that holds its own kind comes to an end
            forms = [kind_schema(kind, defs) for kind in kinds.values()]
            refs = [{"$ref": f"#/$defs/{kind}"} for kind in kinds]
            alone = list(kinds.values()) == [self.hint]
            defs.update(zip(kinds, forms, strict=True))
            if not alone:
                defs[name] = {"oneOf": refs}
        return {"$ref": f"#/$defs/{name}"}


class Several(Form):
    """One of several types; the first that fits."""

    def __init__(self, hint: Any) -> None:
        super().__init__(hint)
        self.arms = [form_of(part) for part in typing.get_args(hint)]

    def write(self, value: Any) -> Any:
        return self._arm(value, type(value).__name__).write(value)

    def read(self, value: Any, where: str) -> Any:
        return self._arm(value, where).read(value, where)

    def _arm(self, value: Any, where: str) -> Form:
        for arm in self.arms:
            if arm.fits(value):
                return arm
        return expect(False, value, where, "of one of its types")  # type: ignore[no-any-return] # which raises

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return {"oneOf": [arm.schema(defs) for arm in self.arms]}


class Listed(Form):
    """A list of things of one type."""

    def __init__(self, hint: Any) -> None:
        super().__init__(hint)
        self.part = form_of(typing.get_args(hint)[0])

    def write(self, value: Any) -> Any:
        return [self.part.write(part) for part in value]

    def read(self, value: Any, where: str) -> tuple[Any, ...]:
        expect(isinstance(value, list), value, where, "a list")
        return tuple(self.part.read(part, where) for part in value)

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return {"type": "array", "items": self.part.schema(defs)}

    def fits(self, value: Any) -> bool:
        return isinstance(value, list | tuple)


class Named(Form):
    """An object whose keys are names and whose values are of one type."""

    def __init__(self, hint: Any) -> None:
        super().__init__(hint)
        self.part = form_of(typing.get_args(hint)[1])

    def write(self, value: Any) -> Any:
        return {str(name): self.part.write(part) for name, part in value.items()}

    def read(self, value: Any, where: str) -> dict[str, Any]:
        expect(isinstance(value, Mapping), value, where, "an object")
        return {str(name): self.part.read(part, where) for name, part in value.items()}

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return {"type": "object", "additionalProperties": self.part.schema(defs)}


class Record(Form):
    """An object with the keys of a TypedDict."""

    def __init__(self, hint: Any) -> None:
        super().__init__(hint)
        self.parts = {name: form_of(part) for name, part in typing.get_type_hints(hint, include_extras=True).items()}

    def write(self, value: Any) -> Any:
        return {name: form.write(value[name]) for name, form in self.parts.items()}

    def read(self, value: Any, where: str) -> dict[str, Any]:
        same = isinstance(value, Mapping) and set(value) == set(self.parts)
        expect(same, sorted(map(str, value)) if isinstance(value, Mapping) else value, where,
               f"made of the keys {', '.join(self.parts)}")  # fmt: skip
        return {name: form.read(value[name], f"{where}.{name}") for name, form in self.parts.items()}

    def schema(self, defs: dict[str, Schema]) -> Schema:
        return keyed(self.parts, defs)

    def fits(self, value: Any) -> bool:
        same = isinstance(value, Mapping) and set(value) == set(self.parts)
        return same and all(form.fits(value[name]) for name, form in self.parts.items() if form.constant)


class Noted(Form):
    """A form, and what else a JSON Schema can say of it."""

    def __init__(self, hint: Any) -> None:
        super().__init__(hint)
        inner, self.note = typing.get_args(hint)
        self.form, self.spare = form_of(inner), self.note.spare

    def write(self, value: Any) -> Any:
        return self.form.write(value)

    def read(self, value: Any, where: str) -> Any:
        return self.form.read(value, where)

    def fits(self, value: Any) -> bool:
        return self.form.fits(value)

    def schema(self, defs: dict[str, Schema]) -> Schema:
        schema: Schema = self.form.schema(defs) | self.note.schema
        return schema


def kind_schema(kind: type[Any], defs: dict[str, Schema]) -> Schema:
    """The schema of the documents of one class; all its keys are there."""
    keys = {name: key.form for name, key in (keys_of(kind) or {}).items()} | _derived_keys(kind)
    return keyed(keys, defs, {"type": {"const": kind.__name__}})


def kinds_of(family: type[Any]) -> dict[str, type[Any]]:
    """The classes of a family whose values a document can hold, by name; the first of a name.

    It is a closed set: a class that somebody else derives from one of the package is no type of a document.
    """
    found: dict[str, type[Any]] = {}
    for kind in _derived_classes(family):
        if is_dataclass(kind) and not inspect.isabstract(kind) and keys_of(kind) is not None:
            found.setdefault(kind.__name__, kind)
    return found


def _derived_classes(family: type[Any]) -> Iterator[type[Any]]:
    yield family
    package = family.__module__.partition(".")[0]
    for kind in family.__subclasses__():
        if kind.__module__.partition(".")[0] == package:
            yield from _derived_classes(kind)


def keys_of(kind: Any) -> dict[str, Key] | None:
    """The keys of a class's documents: its parameters; None if one of them is nothing that a document can hold.

    A class that is for Python alone says `in_documents = False`. A class with an `__init__` of its own takes its fields
    in their order, perhaps under other names.
    """
    return _keys(kind)


@cache
def _keys(kind: Any) -> dict[str, Key] | None:
    if not getattr(kind, "in_documents", True):
        return None
    parameters, hints = inspect.signature(kind).parameters, typing.get_type_hints(kind, include_extras=True)
    attributes = [field.name for field in fields(kind) if field.init]
    try:
        return {
            parameter.name: Key(name, form_of(hints[name]), parameter.default)
            for parameter, name in zip(parameters.values(), attributes, strict=True)
        }
    except TypeError:
        return None


def _derived_keys(kind: Any) -> dict[str, Form]:
    """The keys that follow from the parameters and are written beside them: those of a method `derived`, if any."""
    return _derived(kind)


@cache
def _derived(kind: Any) -> dict[str, Form]:
    if (method := getattr(kind, "derived", None)) is None:
        return {}
    hints = typing.get_type_hints(typing.get_type_hints(method)["return"], include_extras=True)
    return {name: form_of(hint) for name, hint in hints.items()}


def _derived_from(thing: Any) -> dict[str, Any]:
    forms = _derived_keys(type(thing))
    values = thing.derived() if forms else {}
    return {name: form.write(values[name]) for name, form in forms.items()}


_FORMS: dict[Any, Callable[[Any], Form]] = {
    typing.Union: Several,
    types.UnionType: Several,
    Annotated: Noted,
    Literal: Choice,
    tuple: Listed,
    list: Listed,
    dict: Named,
    Fraction: Ratio,
    np.ndarray: Lists,
    float: Number,
    int: Simple,
    str: Simple,
    bool: Simple,
    type(None): Nothing,
    shapely.Geometry: Polygonal,
}


def form_of(hint: Any) -> Form:
    """The form of a type hint.

    Raises:
        TypeError: for one that JSON cannot hold, such as a function.
    """
    origin = typing.get_origin(hint)
    if hasattr(origin or hint, "__value__"):  # a named type, as numpy's NDArray is from Python 3.12 on
        return form_of(origin.__value__[typing.get_args(hint)] if origin else hint.__value__)
    if typing.is_typeddict(hint):
        return Record(hint)
    if (make := _FORMS.get(origin or hint) or (Thing if isinstance(hint, type) else None)) is not None:
        return make(hint)
    raise TypeError(f"{hint} has no form in JSON")
