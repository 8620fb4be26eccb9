"""The service's description: it names all that is answered, for the design that is served."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from geopriv.collector.app import Service, application
from geopriv.collector.openapi import openapi
from geopriv.collector.verdicts import Verdict, read
from geopriv.reports.reader import EVERY_REASON
from geopriv.surveys.design import Design
from tests.collector.conformity import line_of
from tests.designs import grouped_design, lattice_design, two_tables
from tests.mechanisms.test_walking import design as walking_design

MARK = "number"
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


@pytest.mark.parametrize("design", [grouped_design(), lattice_design(), two_tables(), walking_design()])
def test_what_the_description_takes_for_a_report_the_service_does_and_nothing_else(design: Design) -> None:
    """Every number of a report as JSON lets it be written; beyond both ends, and as what is no number."""
    schema = openapi(design)["paths"]["/v1/reports"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    described = jsonschema_rs.validator_for(schema)
    forms = ["{}", "{}.0", "{}e0", "{}0E-1", "{}.5", '"{}"', "[{}]", "{}e400", "-{}", "-{}.0", "{}.0000000000001"]
    good, judged = json.loads(line_of(design, 0)), []
    ends = {n + more for low, high in design.mechanisms[0].ends for n in (low, high) for more in (-1, 0, 1)}
    for name, at in [(name, None) for name in ("mechanism", "group") if name in good] + [
        ("report", k) for k in range(len(good["report"]))
    ]:
        own = good[name] if at is None else good[name][at]
        for number in (own, 0, 1, -1, 2**53, 2**63, 10**30, *sorted(ends)):
            for form in (*forms, "true", "null", "NaN", "1e999"):
                changed = MARK if at is None else [MARK if k == at else n for k, n in enumerate(good[name])]
                text = json.dumps(good | {name: changed}).replace(json.dumps(MARK), form.format(number))
                try:
                    row = json.loads(text, parse_constant=str)
                except ValueError:
                    row = None
                taken = not isinstance(read(design, text.encode(), None), Verdict)
                if not design.walks or taken:  # that no walk is ahead of its round is in no schema
                    assert (taken, text) == (row is not None and described.is_valid(row), text)
                judged.append(taken)
    assert 20 < sum(judged) < len(judged) - 100


def test_the_description_is_handed_out(client: TestClient, service: Service) -> None:
    assert client.get("/v1/openapi.json").json() == json.loads(json.dumps(openapi(service.design, True, True)))


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from ([part["$ref"]] if isinstance(part.get("$ref"), str) else [])
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _references(each)
