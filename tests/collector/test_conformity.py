"""The service is asked all that its description allows, and more: no answer may be other than described.

Some of the requests of bench/hostile.py, by schemathesis.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from geopriv.collector.analyst import Analyst
from geopriv.surveys.design import Design
from tests.collector.conformity import conform, explore, line_of
from tests.collector.servers import running
from tests.designs import grouped_design
from tests.mechanisms.test_walking import design as walking_design

EXAMPLES = 8  # of each operation, besides those for each rule of the description
OPEN = ("--anybody", "--open-answers", "--target", "0.01")


@pytest.mark.parametrize(("design", "options"), [(grouped_design(), ()), (walking_design(), OPEN)])
def test_schemathesis_finds_no_answer_that_is_not_as_described(
    design: Design, options: tuple[str, ...], tmp_path: Path
) -> None:
    visited = conform(design, tmp_path, EXAMPLES, *options)
    assert visited.faults == ""
    assert visited.statuses.total() >= 250
    assert {200, 201, 204, 400, 401, 404, 405} <= set(visited.statuses)  # it came as far as each of these


def test_planted_faults_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = {"reason": "wrong number", "error": "words"}
    faults: tuple[Callable[[Request], Response], ...] = (
        lambda _: JSONResponse(refused, 418),
        lambda _: JSONResponse({"reports": 3}),
        lambda _: Response("3", media_type="text/plain"),
        lambda request: JSONResponse(refused, 400, {"X-Told": request.headers.get("x-mark", "")}),
        lambda _: JSONResponse(refused | {"error": "Traceback"}, 400),
        lambda _: JSONResponse({"error": "later"}, 503),
        lambda _: JSONResponse({"error": "wrong"}, 500),
    )
    ways = itertools.cycle(faults)

    async def overview(analyst: Analyst, request: Request) -> Response:
        return next(ways)(request)

    monkeypatch.setattr(Analyst, "overview", overview)
    design = grouped_design()
    (tmp_path / "line").write_bytes(line_of(design, 0))
    (tmp_path / "tokens").write_text("none")
    with running(design, f"sqlite:///{tmp_path}/survey.sqlite", open_answers=True) as (address, _):
        options = ["--include-path", "/v1/overview", "--max-examples", "30", "--seed", "0"]
        visited = explore(address.rstrip("/"), tmp_path, *options)
    for told in (
        "Received: 418",
        "Response violates schema",
        "Undocumented Content-Type",
        "an echo",
        "a traceback",
        "Missing required response headers",
        "Server error",
    ):
        assert told in visited.faults, visited.faults
