"""What schemathesis does besides, as it visits a collector (`SCHEMATHESIS_HOOKS`; see conformity.py).

Each request carries a mark: in a header, beside the parameters, and in the texts of what is wrong anyhow. No answer may
hold it, or a traceback. Each report comes with a token that was not spent, and batches are made of lines.
"""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import strategies as st

FOLDER = Path(os.environ["GEOPRIV_TRIAL"])
LINE = (FOLDER / "line").read_bytes()
TOKENS = itertools.cycle((FOLDER / "tokens").read_text().split())
NUMBERS = itertools.count(1 << 64)
MARK = "zqmarkzq"


def lines() -> st.SearchStrategy[bytes]:
    """Batches: tokens, true and false, before a report, a part of one, or anything."""
    whole = json.loads(LINE)
    ids = st.binary(min_size=16, max_size=16).map(bytes.hex)
    true = ids.map(lambda one: json.dumps(whole | {"id": one}).encode())
    wrong = st.sampled_from(sorted(whole)).map(lambda name: json.dumps(whole | {name: MARK}).encode())
    reports = st.one_of(true, wrong, st.binary(max_size=60), st.just(MARK.encode()))
    tokens = st.one_of(st.builds(lambda: next(TOKENS).encode()), st.just(MARK.encode()), st.just(b"A" * 22))
    return st.lists(st.tuples(tokens, reports).map(b" ".join), max_size=5).map(b"\n".join)


schemathesis.openapi.media_type("application/x-ndjson", lines())


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    case.headers["X-Mark"] = MARK
    if isinstance(case.query, dict):
        case.query[MARK] = MARK
    if case.meta is not None and case.meta.generation.mode.is_negative:
        case.body = marked(case.body)
    else:
        if case.operation.path == "/v1/reports" and isinstance(case.body, dict):
            case.body["id"] = f"{next(NUMBERS):032x}"  # else most have one id, and one of them counts
    if case.operation.path == "/v1/reports" and case.headers.get("Authorization") == "Bearer given":
        case.headers["Authorization"] = f"Bearer {next(TOKENS)}"


def marked(value: Any) -> Any:
    """The same with the mark in each text and beside each key."""
    if isinstance(value, str):
        return value + MARK
    if isinstance(value, list):
        return [marked(part) for part in value]
    if isinstance(value, dict):
        return {key: marked(part) for key, part in value.items()} | {MARK: MARK}
    return value


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    with (FOLDER / "statuses").open("a") as file:
        file.write(f"{response.status_code}\n")


@schemathesis.check
def no_echo(ctx: Any, response: Any, case: Any) -> None:
    told = repr(dict(response.headers)).encode() + response.content
    assert MARK.encode() not in told, "an echo"
    assert b"Traceback" not in told, "a traceback"
