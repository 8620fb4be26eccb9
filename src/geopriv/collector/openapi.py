"""The service described in OpenAPI, with the schema of a report that files of reports have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geopriv.collector.analyst import cookie_of
from geopriv.collector.problems import Problem
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
_REFUSED = {
    "type": "object",
    "required": ["reason", "error"],
    "properties": {"reason": {"enum": [problem.reason for problem in Problem]}, "error": {"type": "string"}},
}
_ROUND = {"name": "round", "in": "query", "schema": {"type": "integer"}, "description": "Of a survey in rounds: which."}
_MADE_UP = {
    "name": "made_up",
    "in": "query",
    "schema": {"type": "integer", "minimum": 1},
    "description": "How many reports are taken to be made up; one in a hundred if left out.",
}


def openapi(design: Design) -> dict[str, Any]:
    """The description of the service for a design."""
    return {
        "openapi": "3.1.0",
        "info": {"title": f"geopriv collector: {design.survey}", "version": "1"},
        "components": {"securitySchemes": _schemes(design)},
        "paths": {
            "/v1/design": {"get": _page("The design, as devices verify it.", {"200": _answer("design.json", {})})},
            "/v1/reports": {"post": _one()},
            "/v1/batch": {"post": _batch()},
            "/v1/count": {"get": _page("About how many reports.", {"200": _answer("Coarse.", _COUNTED), **_DOWN})},
            **_analyst(),
            "/v1/health": {"get": _page("Whether reports can be taken.", {"200": _answer("They can.", {}), **_DOWN})},
        },
    }


def _schemes(design: Design) -> dict[str, Any]:
    """How one shows who one is: a participant by a token, an analyst by the key, or in a browser by a pass."""
    return {
        "token": {"type": "http", "scheme": "bearer", "description": "An invitation, for one report."},
        "key": {"type": "http", "scheme": "bearer", "description": "The analyst's key."},
        "pass": {"type": "apiKey", "in": "cookie", "name": cookie_of(design)},
    }


def _analyst() -> dict[str, Any]:
    """What is answered to who has the key, or to everybody where answers are open."""
    entered = _key("A pass for a browser, against the key.", {"204": {"description": "In a cookie."}})
    left = _page("The browser forgets its pass.", {"204": {"description": "Done."}})
    counts = _key("Counts for Prometheus; never open.", {"200": {"description": "Text."}, **_DOWN})
    return {
        "/v1/session": {"post": entered, "delete": left},
        "/v1/answers": {"get": _read("Answers so far.", _answer("estimates.json", {}))},
        "/v1/answers.csv": {"get": _read("The same as a table.", {"description": "CSV."})},
        "/v1/answers.geojson": {"get": _read("The same as areas.", {"description": "GeoJSON."})},
        "/v1/report.html": {"get": _read("The same as a page.", {"description": "HTML."})},
        "/v1/overview": {"get": _read("How far the survey is.", _answer("An overview.", {}), [_MADE_UP])},
        "/v1/shifts": {"get": _read("Whether raw reports are alike on all days.", _answer("Days, in words too.", {}))},
        "/metrics": {"get": counts},
    }


def _key(about: str, responses: dict[str, Any]) -> dict[str, Any]:
    refused = {"401": _answer("no key, wrong key", _REFUSED), "429": _answer("too fast", _REFUSED)}
    return _page(about, responses | refused) | {"security": [{"key": []}, {"pass": []}]}


def _read(about: str, answer: dict[str, Any], parameters: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    problems: dict[int, list[str]] = {}
    for problem in Problem:
        problems.setdefault(problem.status, []).append(problem.reason)
    refused = {str(status): _answer(", ".join(reasons), _REFUSED) for status, reasons in problems.items()}
    return _key(about, {"200": answer, **refused, **_DOWN}) | {"parameters": [_ROUND, *parameters]}


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
        "408": _answer("Too slow.", _SAID),
        "413": _answer("Too large.", _SAID),
        "429": _answer("Too fast.", _SAID),
    }
    return _page(about, responses | _DOWN) | {"requestBody": body}
