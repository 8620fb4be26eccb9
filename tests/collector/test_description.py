"""The service's description: it names all that is answered, for the design that is served."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from geopriv.collector.app import Service, application
from geopriv.collector.openapi import openapi
from geopriv.collector.verdicts import Verdict
from geopriv.reports.reader import EVERY_REASON
from geopriv.surveys.design import Design
from tests.designs import grouped_design, lattice_design, two_tables
from tests.mechanisms.test_walking import design as walking_design

GUIDE = Path(__file__).parents[2] / "docs" / "collector.md"


def test_every_address_and_method_is_described_or_a_part_of_a_page(service: Service) -> None:
    described = openapi(service.design)["paths"]
    routes = [route for route in application(service).routes if isinstance(route, Route)]
    answered = {(route.path, method.lower()) for route in routes for method in (route.methods or set()) - {"HEAD"}}
    parts = {each for each in answered if each[0].startswith(("/client/", "/page/"))}
    assert answered - parts == {(path, method) for path in described for method in described[path]}
    assert {method for _, method in parts} == {"get"}


def test_the_guide_names_every_address_that_is_described(service: Service) -> None:
    table = [line.split("|")[1] for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    named = {path for cell in table for path in re.findall(r"`(?:[A-Z]+ )?(/[^`?]*)`", cell)}
    assert named == set(openapi(service.design)["paths"])


@pytest.mark.parametrize("design", [grouped_design(), lattice_design(), two_tables(), walking_design()])
def test_whatever_the_description_refers_to_is_in_it(design: Design) -> None:
    found = openapi(design)
    names = {name.removeprefix("#/components/schemas/") for name in _references(found)}
    assert names
    assert names <= set(found["components"]["schemas"])
    schemes = set(found["components"]["securitySchemes"])
    operations = [one for path in found["paths"].values() for one in path.values()]
    assert {name for one in operations for way in one.get("security", []) for name in way} <= schemes


def test_only_surveys_in_rounds_have_rounds_in_their_description() -> None:
    def parameters(design: Design, path: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = openapi(design)["paths"][path]["get"]["parameters"]
        return [one for one in found if one["name"] == "round"]

    assert parameters(grouped_design(), "/v1/answers") == []
    (one,) = parameters(walking_design(), "/v1/answers")
    assert (one["required"], one["schema"]["minimum"], one["schema"]["maximum"]) == (True, 1, 3)
    assert parameters(walking_design(), "/v1/overview")[0]["required"] is False


def test_keys_and_tokens_are_described_where_they_are_asked_for() -> None:
    closed, opened = openapi(grouped_design()), openapi(grouped_design(), invited=False, everybody=True)
    assert closed["paths"]["/v1/reports"]["post"]["security"] == [{"token": []}]
    assert opened["paths"]["/v1/reports"]["post"]["security"] == []
    assert "401" in closed["paths"]["/v1/answers"]["get"]["responses"]
    assert "401" not in opened["paths"]["/v1/answers"]["get"]["responses"]
    assert "401" in opened["paths"]["/metrics"]["get"]["responses"]


def test_who_asks_in_a_wrong_way_hears_which_ways_there_are(client: TestClient) -> None:
    assert client.get("/v1/session").headers["allow"] == "DELETE, POST"
    assert client.request("TRACE", "/v1/design").headers["allow"] == "GET, HEAD"
    assert client.get("/v1/reports").headers["allow"] == "POST"


@pytest.mark.parametrize("words", ["0", "-1", "00", "1.0", "", "9" * 10])
def test_numbers_in_addresses_begin_with_one(client: TestClient, words: str) -> None:
    answer = client.get("/v1/overview", params={"made_up": words})
    assert (answer.status_code, answer.json()["reason"]) == (400, "wrong number")


def test_answers_of_a_collector_keep_to_the_schema_of_estimates() -> None:
    """Its reports are rejected for reasons that no reader of files has."""
    assert {verdict.words for verdict in Verdict if not verdict.kept} <= set(EVERY_REASON)
    counted = openapi(grouped_design())["components"]["schemas"]["Answers"]["properties"]["rejected"]
    assert {verdict.words for verdict in Verdict if not verdict.kept} <= set(counted["properties"])


def test_the_description_is_handed_out(client: TestClient, service: Service) -> None:
    assert client.get("/v1/openapi.json").json() == json.loads(json.dumps(openapi(service.design, True, True)))


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from ([part["$ref"]] if isinstance(part.get("$ref"), str) else [])
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _references(each)
