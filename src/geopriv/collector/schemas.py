"""What is sent to the service and what it answers, as JSON Schemas for its description."""

from __future__ import annotations

import json
from collections.abc import Iterable

from geopriv.answers.documents import AnswersDocument
from geopriv.collector.verdicts import Verdict
from geopriv.spaces.documents import form_of
from geopriv.spaces.forms import Schema
from geopriv.surveys.design import Design

_TEXT, _TRUTH, _COUNT = {"type": "string"}, {"type": "boolean"}, {"type": "integer", "minimum": 0}
_CHANCE = {"type": ["number", "null"], "minimum": 0}


def answered(properties: Schema) -> Schema:
    """An object with these keys, all of them, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(schema: Schema) -> Schema:
    return {"oneOf": [schema, {"type": "null"}]}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


VERDICTS = answered({"verdicts": _list({"enum": [verdict.words for verdict in Verdict]})})
COUNTED = answered({"at_least": _COUNT})
FAILED = answered({"error": _TEXT})
AREAS = {"type": "object", "required": ["type", "features"], "properties": {"type": {"const": "FeatureCollection"}}}
DESCRIBED = {"type": "object", "required": ["openapi", "info", "paths"]}


def said(verdicts: Iterable[str]) -> Schema:
    """What became of a report, one of these."""
    return answered({"verdict": {"enum": list(verdicts)}})


def refused(reasons: Iterable[str]) -> Schema:
    """Why a question is not answered, for programs and for people."""
    return answered({"reason": {"enum": list(reasons)}, "error": _TEXT})


def report(design: Design) -> Schema:
    """A report to a design. What a schema cannot say is that no walk has taken more steps than there were rounds."""
    kinds: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for number, mechanism in enumerate(design.mechanisms):
        kinds.setdefault(mechanism.ends, []).append(number)
    forms = [{"mechanism": {"enum": numbers}, "report": _numbers(ends)} for ends, numbers in kinds.items()]
    told = {} if design.groups is None else {"group": {"enum": list(range(len(design.groups.names)))}}
    named = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
    found = answered({"design": {"const": design.hash}, **told, "id": named, **forms[0]})
    if len(forms) > 1:
        found["properties"] |= {"mechanism": {"enum": list(range(len(design.mechanisms)))}, "report": {"type": "array"}}
        found["oneOf"] = [{"properties": form} for form in forms]
    return found


def _numbers(ends: tuple[tuple[int, int], ...]) -> Schema:
    parts = [{"type": "integer", "minimum": low, "maximum": high - 1} for low, high in ends]
    alike = all(part == parts[0] for part in parts)
    return {
        "type": "array",
        **({"items": parts[0]} if alike else {"prefixItems": parts}),
        "minItems": len(parts),
        "maxItems": len(parts),
    }


def served(design: Design) -> Schema:
    """Whose reports are taken."""
    return answered({"design": {"const": design.hash}})


def handed_out(design: Design) -> Schema:
    """The design: this one and no other; docs/schemas has the form of all."""
    fixed = {"survey": {"const": design.survey}, "hash": {"const": design.hash}}
    return {"type": "object", "required": ["mechanisms", *fixed], "properties": fixed}


def named(design: Design) -> dict[str, Schema]:
    """What others refer to, by name: answers as estimates.json has them, and how far a survey is."""
    defs: dict[str, Schema] = {}
    answers = form_of(AnswersDocument).schema(defs)
    found = json.dumps({**defs, "Answers": answers, "Shifts": _shifts(), "Overview": _overview(design)})
    # where files have what they refer to within themselves, a description has it in one place
    moved: dict[str, Schema] = json.loads(found.replace('"#/$defs/', '"#/components/schemas/'))
    return moved


def reference(name: str) -> Schema:
    """What stands for a schema that has a name."""
    return {"$ref": f"#/components/schemas/{name}"}


def _shifts() -> Schema:
    number = {"type": "number"}
    moved = answered(
        {
            **dict.fromkeys(("question", "place"), _TEXT),
            **dict.fromkeys(("there", "elsewhere", "error"), number),
            **dict.fromkeys(("unit", "words"), _TEXT),
        }
    )
    return answered(
        {
            "words": _TEXT,
            "differ": _TRUTH,
            "p_value": _CHANCE,
            "level": number,
            "oddest": _or_null(_TEXT),
            "moved": _or_null(moved),
            "days": _list(answered({"name": _TEXT, "reports": _COUNT, "p_value": _CHANCE})),
        }
    )


def _overview(design: Design) -> Schema:
    questions = _list(answered({"name": _TEXT, "words": _TEXT}))
    near = {"name": _TEXT, "done": {"type": "number", "minimum": 0, "maximum": 1}, "words": _TEXT, "plain": _TEXT}
    return answered(
        {
            "survey": {"const": design.survey},
            "design": {"const": design.hash},
            "reports": _COUNT,
            "said": _TEXT,
            "rounds": _list(answered({"round": _COUNT, "reports": _COUNT})),
            "invitations": _or_null(answered({"issued": _COUNT, "spent": _COUNT})),
            "rejected": _list(answered({"reason": _TEXT, "words": _TEXT, "times": _COUNT})),
            "answered": _TRUTH,
            "problem": _or_null(answered({"reason": _TEXT, "error": _TEXT})),
            "places": _TRUTH,
            "made_up": _or_null(answered({"some": _COUNT, "of": _COUNT, "questions": questions})),
            "shifts": _or_null(reference("Shifts")),
            "progress": _or_null(answered({"target": {"type": "number"}, "questions": _list(answered(near))})),
        }
    )


def last_round(design: Design) -> int | None:
    """The last round of a walk; None of what is asked once."""
    return design.mechanisms[0].ends[0][1] - 1 if design.walks else None
