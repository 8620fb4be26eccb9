"""The service described in OpenAPI: each address, how it is asked, and every status and form of what it answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geopriv.collector import schemas
from geopriv.collector.analyst import cookie_of
from geopriv.collector.problems import Problem
from geopriv.collector.verdicts import Verdict
from geopriv.spaces.forms import Schema
from geopriv.surveys.design import Design

Described = dict[str, Any]

_JSON, _HTML = "application/json", "text/html"
_LINES = "application/x-ndjson"
_KEY = (Problem.NO_KEY, Problem.WRONG_KEY, Problem.TOO_FAST)
_WHOLE = (Verdict.OTHER_SITE, Verdict.TOO_SLOW, Verdict.TOO_LARGE, Verdict.TOO_FAST)  # what becomes of a whole batch
_LATER = {"Retry-After": {"required": True, "description": "Seconds.", "schema": {"type": "integer", "minimum": 1}}}
_WHO = {"WWW-Authenticate": {"required": True, "schema": {"const": "Bearer"}}}
_HEADERS = {401: _WHO, 429: _LATER, 503: _LATER}
_MADE_UP = {
    "name": "made_up",
    "in": "query",
    "schema": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
    "description": "How many reports are taken to be made up, of all there are; one in a hundred if left out.",
}


def openapi(design: Design, invited: bool = True, everybody: bool = False) -> Described:
    """The description of the service for a design.

    Args:
        design: that is handed out.
        invited: whether a report needs a token.
        everybody: whether answers are for everybody.
    """
    about, able = schemas.handed_out(design), schemas.served(design)
    return {
        "openapi": "3.1.0",
        "info": {"title": f"geopriv collector: {design.survey}", "version": "1"},
        "components": {"securitySchemes": _schemes(design), "schemas": schemas.named(design)},
        "paths": {
            "/": {"get": _page("The participant's page.", _text(_HTML))},
            "/analyst": {"get": _page("The analyst's page.", _text(_HTML))},
            "/v1/design": {"get": _page("The design, as devices verify it.", _answer("design.json", about))},
            "/v1/reports": {"post": _one(design, invited)},
            "/v1/batch": {"post": _batch()},
            "/v1/count": {"get": _page("About how many reports.", _answer("Coarse.", schemas.COUNTED), _DOWN)},
            **_reads(design, everybody),
            **_analyst(),
            "/v1/live": {"get": _page("That this process answers.", _answer("It does.", able))},
            "/v1/ready": {"get": _page("Whether reports are being written.", _answer("They are.", able), _DOWN)},
            "/v1/openapi.json": {"get": _page("This description.", _answer("OpenAPI 3.1.", schemas.DESCRIBED))},
        },
    }


def _schemes(design: Design) -> Described:
    """How one shows who one is: a participant by a token, an analyst by the key, or in a browser by a pass."""
    return {
        "token": {"type": "http", "scheme": "bearer", "description": "An invitation, for one report."},
        "key": {"type": "http", "scheme": "bearer", "description": "The analyst's key."},
        "pass": {"type": "apiKey", "in": "cookie", "name": cookie_of(design)},
    }


def _analyst() -> Described:
    """What takes the key even where answers are open."""
    entered = _page("A pass for a browser, against the key.", _done("In a cookie."), _refusals(_KEY))
    left = _page("The pass of the browser is good no more.", _done("Done."), _DOWN)
    counts = _page("Counts for Prometheus; never open.", _text("text/plain"), _refusals(_KEY), _DOWN)
    return {
        "/v1/session": {"post": entered | {"security": [{"key": []}]}, "delete": left},
        "/metrics": {"get": counts | _LOCKED},
    }


def _reads(design: Design, everybody: bool) -> Described:
    """What is answered to who has the key, or to everybody where answers are open."""
    few = (Problem.TOO_FEW, Problem.NO_ROUND, Problem.WRONG_ROUND)
    rounds, asked = _rounds(design, required=True), _rounds(design, required=False)

    def read(about: str, answer: Described, problems: Iterable[Problem], parameters: list[Described]) -> Described:
        refused = _refusals([*((Problem.TOO_FAST,) if everybody else _KEY), *problems, Problem.NOT_ANSWERED])
        found = _page(about, answer, refused, _DOWN) | {"parameters": parameters}
        return {"get": found if everybody else found | _LOCKED}

    whole, far, days = (_answer(f"{name}.", schemas.reference(name)) for name in ("Answers", "Overview", "Shifts"))
    areas = _answer("GeoJSON.", schemas.AREAS, "application/geo+json")
    unfit, odd = (*few, Problem.NO_FORM), (Problem.WRONG_ROUND, Problem.WRONG_NUMBER)
    return {
        "/v1/answers": read("Answers so far, as estimates.json.", whole, few, rounds),
        "/v1/answers.csv": read("The same as a table.", _text("text/csv"), unfit, rounds),
        "/v1/answers.geojson": read("The same as areas.", areas, unfit, rounds),
        "/v1/report.html": read("The same as a page.", _text(_HTML), few, rounds),
        "/v1/overview": read("How far the survey is.", far, odd, [*asked, _MADE_UP]),
        "/v1/shifts": read("Whether raw reports are alike on all days.", days, [Problem.NO_DAYS], []),
    }


def _rounds(design: Design, *, required: bool) -> list[Described]:
    """The parameter that says which round; surveys in rounds have it, and no others."""
    last = schemas.last_round(design)
    whole = {"type": "integer", "minimum": 1, "maximum": last}
    return [] if last is None else [{"name": "round", "in": "query", "required": required, "schema": whole}]


def _one(design: Design, invited: bool) -> Described:
    statuses: dict[int, list[str]] = {}
    for verdict in Verdict:
        statuses.setdefault(verdict.status, []).append(verdict.words)
    verdicts = [_answer(", ".join(words), schemas.said(words), status=at) for at, words in sorted(statuses.items())]
    body = {"required": True, "content": {_JSON: {"schema": schemas.report(design)}}}
    about = "One report. Whatever comes with a token that was spent is not counted, and answered with 200."
    return _page(about, *verdicts, _ENDLESS, _DOWN) | {
        "requestBody": body,
        "security": [{"token": []}] if invited else [],
    }


def _batch() -> Described:
    refused = [_answer(one.words, schemas.said([one.words]), status=one.status) for one in _WHOLE]
    about = "Up to 1,000 lines, each a report behind its token and a space: a verdict for each line."
    found = _page(about, _answer("Verdicts, in the order of the lines.", schemas.VERDICTS), *refused, _ENDLESS, _DOWN)
    return found | {"requestBody": {"content": {_LINES: {"schema": {"type": "string"}}}}}


def _refusals(problems: Iterable[Problem]) -> Described:
    reasons: dict[int, list[str]] = {}
    for problem in problems:
        reasons.setdefault(problem.status, []).append(problem.reason)
    found: Described = {}
    for status, names in sorted(reasons.items()):
        found |= _answer(", ".join(names), schemas.refused(names), status=status)
    return found


def _page(about: str, *responses: Described) -> Described:
    found: Described = {}
    for each in responses:
        found |= each
    return {"summary": about, "responses": found}


def _answer(about: str, schema: Schema, media: str = _JSON, *, status: int = 200) -> Described:
    headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
    return {str(status): {"description": about, **headers, "content": {media: {"schema": schema}}}}


def _text(media: str) -> Described:
    return _answer("Text.", {"type": "string"}, media)


def _done(about: str) -> Described:
    return {"204": {"description": about}}


_LOCKED: Described = {"security": [{"key": []}, {"pass": []}]}
_ENDLESS = _answer("A request that does not say how long it is.", schemas.FAILED, status=411)
_DOWN = _answer("The database cannot be used now; nothing was written.", schemas.FAILED, status=503)
