"""The service described in OpenAPI, with the schema of a report that files of reports have."""

from __future__ import annotations

from typing import Any

from geopriv.collector.verdicts import Verdict
from geopriv.surveys.design import Design

_JSON = "application/json"
_REPORT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["design", "id", "mechanism", "report"],
    "properties": {
        "design": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "group": {"type": "integer", "minimum": 0},
        "id": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "mechanism": {"type": "integer", "minimum": 0},
        "report": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 64},
    },
}
_SAID = {"type": "object", "properties": {"verdict": {"enum": [verdict.words for verdict in Verdict]}}}
_COUNTED = {"type": "object", "properties": {"at_least": {"type": "integer", "minimum": 0}}}
_FAILED = {"type": "object", "properties": {"error": {"type": "string"}}}


def openapi(design: Design) -> dict[str, Any]:
    """The description of the service for a design."""
    return {
        "openapi": "3.1.0",
        "info": {"title": f"geopriv collector: {design.survey}", "version": "1"},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": {
            "/v1/design": {"get": _page("The design, as devices verify it.", {"200": _answer("design.json", {})})},
            "/v1/reports": {"post": _one()},
            "/v1/batch": {"post": _batch()},
            "/v1/answers": {
                "get": _page(
                    "Answers so far.",
                    {"200": _answer("estimates.json", {}), "404": _answer("Too few reports.", _FAILED), **_DOWN},
                )
            },
            "/v1/count": {"get": _page("About how many reports.", {"200": _answer("Coarse.", _COUNTED), **_DOWN})},
            "/v1/health": {"get": _page("Whether reports can be taken.", {"200": _answer("They can.", {}), **_DOWN})},
            "/metrics": {"get": _page("Counts for Prometheus.", {"200": {"description": "Text."}, **_DOWN})},
        },
    }


def _answer(about: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {_JSON: {"schema": schema}}}


_DOWN = {"503": _answer("The database cannot be used now; nothing was written.", _FAILED)}


def _page(about: str, responses: dict[str, Any]) -> dict[str, Any]:
    return {"summary": about, "responses": responses}


def _one() -> dict[str, Any]:
    statuses: dict[int, list[str]] = {}
    for verdict in Verdict:
        statuses.setdefault(verdict.status, []).append(verdict.words)
    responses = {str(status): _answer(", ".join(words), _SAID) for status, words in sorted(statuses.items())}
    body = {"required": True, "content": {_JSON: {"schema": _REPORT}}}
    about = "One report. The same again, under the same token, is counted once and answered with 200."
    return _page(about, responses | _DOWN) | {"requestBody": body, "security": [{"token": []}, {}]}


def _batch() -> dict[str, Any]:
    body = {"required": True, "content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
    found = {"type": "object", "properties": {"verdicts": {"type": "array", "items": _SAID["properties"]["verdict"]}}}  # type: ignore[index]
    about = "Up to 1,000 lines, each a report behind its token and a space: a verdict for each line."
    responses = {
        "200": _answer("Verdicts.", found),
        "413": _answer("Too large.", _SAID),
        "429": _answer("Too fast.", _SAID),
    }
    return _page(about, responses | _DOWN) | {"requestBody": body}
