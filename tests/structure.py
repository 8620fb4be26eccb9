"""A small reader of JSON Schema: the keywords that the published schemas use, and an error for every other."""

from __future__ import annotations

import re
from typing import Any

_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
_NOTES = {"$schema", "$id", "$defs", "title", "description", "examples", "default", "discriminator"}


def errors_of(schema: dict[str, Any], value: Any, root: dict[str, Any] | None = None, where: str = "$") -> list[str]:
    """Where the value does not fit the schema, and why."""
    root = schema if root is None else root
    found = []
    for keyword, rule in schema.items():
        if keyword in _NOTES:
            continue
        check = _CHECKS[keyword]  # an unknown keyword is an error here
        found += [f"{where}: {reason}" for reason in check(rule, value, schema, root)]
    return found


def _reference(rule: Any, value: Any, schema: Any, root: Any) -> list[str]:
    assert rule.startswith("#/$defs/")
    return errors_of(root["$defs"][rule.removeprefix("#/$defs/")], value, root, rule)


def _type(rule: Any, value: Any, schema: Any, root: Any) -> list[str]:
    return [] if any(_is(value, kind) for kind in ([rule] if isinstance(rule, str) else rule)) else [f"no {rule}"]


def _is(value: Any, kind: str) -> bool:
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else int | float) and not isinstance(value, bool)
    return isinstance(value, _TYPES[kind])


def _properties(rule: Any, value: Any, schema: Any, root: Any) -> list[str]:
    if not isinstance(value, dict):
        return []
    return [error for key, part in rule.items() if key in value for error in errors_of(part, value[key], root, key)]


def _additional(rule: Any, value: Any, schema: Any, root: Any) -> list[str]:
    assert rule is False
    return [f"unknown {key}" for key in value if key not in schema["properties"]] if isinstance(value, dict) else []


def _items(rule: Any, value: Any, schema: Any, root: Any) -> list[str]:
    return [e for part in value for e in errors_of(rule, part, root, "[]")] if isinstance(value, list) else []


def _one_of(rule: Any, value: Any, schema: Any, root: Any) -> list[str]:
    fits = [part for part in rule if not errors_of(part, value, root)]
    return [] if len(fits) == 1 else [f"fits {len(fits)} of {len(rule)} forms"]


def _any_of(rule: Any, value: Any, schema: Any, root: Any) -> list[str]:
    return [] if any(not errors_of(part, value, root) for part in rule) else ["fits no form"]


def _unless(broken: Any, reason: str) -> list[str]:
    return [reason] if broken else []


_CHECKS: dict[str, Any] = {
    "$ref": _reference,
    "type": _type,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "oneOf": _one_of,
    "anyOf": _any_of,
    "required": lambda r, v, s, _: _unless(isinstance(v, dict) and set(r) - set(v), f"lacks one of {r}"),
    "const": lambda r, v, s, _: _unless(v != r or isinstance(v, bool) != isinstance(r, bool), f"is not {r}"),
    "enum": lambda r, v, s, _: _unless(v not in r, f"none of {r}"),
    "pattern": lambda r, v, s, _: _unless(isinstance(v, str) and not re.search(r, v), f"not like {r}"),
    "minLength": lambda r, v, s, _: _unless(isinstance(v, str) and len(v) < r, "too short"),
    "maxLength": lambda r, v, s, _: _unless(isinstance(v, str) and len(v) > r, "too long"),
    "minItems": lambda r, v, s, _: _unless(isinstance(v, list) and len(v) < r, "too few"),
    "maxItems": lambda r, v, s, _: _unless(isinstance(v, list) and len(v) > r, "too many"),
    "minimum": lambda r, v, s, _: _unless(_is(v, "number") and v < r, f"below {r}"),
    "maximum": lambda r, v, s, _: _unless(_is(v, "number") and v > r, f"above {r}"),
    "exclusiveMinimum": lambda r, v, s, _: _unless(_is(v, "number") and v <= r, f"not above {r}"),
    "exclusiveMaximum": lambda r, v, s, _: _unless(_is(v, "number") and v >= r, f"not below {r}"),
}
