"""A collector that schemathesis visits: does it answer as its own description says, whatever it is sent?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from geopriv.collector import tokens
from geopriv.collector.store import Store
from geopriv.collector.verdicts import Sent, read
from geopriv.surveys.design import Design
from tests.collector.conftest import KEY
from tests.collector.servers import free_port, serving

_ROOT = Path(__file__).parents[2]
_TOKENS, _BEFORE = 5_000, 10  # invitations, and reports that are there before
_UNSAID = ("Traceback", "zqmarkzq", "sqlalchemy", "ERROR")  # what no log of a visit may say
_SETTINGS = """
[auth.openapi.key]
bearer = "{key}"
[auth.openapi.token]
bearer = "given"
[[operations]]
include-path = "/v1/overview"  # how many reports there are is in no schema
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "429"]
[[operations]]
include-path = "/v1/batch"  # any text is a batch: each of its lines has a verdict
checks.negative_data_rejection.enabled = false
"""


_WALKS = """
[[operations]]
include-path = "/v1/reports"  # no schema says that no walk has taken more steps than there were rounds
checks.positive_data_acceptance.expected-statuses = ["2xx", "401", "409", "422"]
"""


@dataclass(frozen=True)
class Visited:
    """What schemathesis found.

    Args:
        statuses: how many requests were answered by each.
        faults: what it, and the log, say of answers that may not be; empty where there are none.
    """

    statuses: Counter[int]
    faults: str


def conform(design: Design, folder: Path, examples: int, *options: str, chosen: int = 0) -> Visited:
    """Visit `geopriv serve` with a design and a few reports.

    Args:
        design: that is handed out.
        folder: for its database and its log.
        examples: how many requests are made for each operation, besides those for each rule of the description.
        options: of `geopriv serve`.
        chosen: seed of the requests.
    """
    database, port, log = f"sqlite:///{folder}/survey.sqlite", free_port(), folder / "log"
    (folder / "design.json").write_bytes(design.to_bytes())
    issued, invited = list(tokens.issue(_TOKENS)), "--anybody" not in options
    with closing(Store(database)) as store:
        store.begin(design.hash, invited)
        store.invite(map(tokens.digest, issued))
        store.take([_report(design, k, tokens.digest(issued.pop()) if invited else None) for k in range(_BEFORE)])
        (folder / "line").write_bytes(line_of(design, _BEFORE))
        (folder / "tokens").write_text("\n".join(issued))
        with serving(folder / "design.json", database, port, "--key", KEY.words, *options, log=log):
            more = ["--max-examples", str(examples), "--seed", str(chosen)]
            found = explore(f"http://127.0.0.1:{port}", folder, *more, settings=_WALKS if design.walks else "")
        lost = ["a token without its report"] if invited and store.counted() != store.invitations()[1] else []
    said = log.read_text(encoding="utf-8", errors="replace")
    lost += [f"in the log: {what}" for what in (*_UNSAID, *issued) if what in said]
    return Visited(found.statuses, "\n".join([found.faults, *lost]).strip())


def explore(address: str, folder: Path, *options: str, settings: str = "") -> Visited:
    """Let schemathesis visit an address.

    Args:
        address: of a service.
        folder: has the files "line", a report that would be counted, and "tokens"; gets what is found.
        options: of schemathesis.
        settings: lines of its configuration.
    """
    (folder / "schemathesis.toml").write_text(_SETTINGS.format(key=KEY.words) + settings)
    (folder / "statuses").touch()
    fixed = ["--generation-database", "none", "--no-color", "--phases", "coverage,fuzzing", "--warnings", "off"]
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/v1/openapi.json", *fixed, *options]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.collector.schemathesis_hooks", "GEOPRIV_TRIAL": str(folder)}
    around = os.environ | hooks | {"PYTHONPATH": os.pathsep.join([str(_ROOT), str(_ROOT / "src")])}
    more = ["--no-shrink", "--continue-on-failure"]
    run = subprocess.run([*command, *more], cwd=folder, env=around, capture_output=True, text=True, check=False)
    statuses = Counter(map(int, (folder / "statuses").read_text().split()))
    return Visited(statuses, run.stdout + run.stderr if run.returncode else "")


def line_of(design: Design, number: int) -> bytes:
    """A report that would be counted."""
    *lows, (last, _) = [(max(low, 0), high) for low, high in design.mechanisms[0].ends]
    report = [*(low for low, _ in lows), last + number % 2]
    told = {} if design.groups is None else {"group": number % len(design.groups.names)}
    found = {"design": design.hash, **told, "id": f"{number:032x}", "mechanism": 0, "report": report}
    return json.dumps(found).encode()


def _report(design: Design, number: int, token: bytes | None) -> Sent:
    found = read(design, line_of(design, number), token)
    assert isinstance(found, Sent)
    return found
