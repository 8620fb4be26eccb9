"""`geopriv serve` as operators run it: by several processes, configured by the environment, with a discreet log."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from geopriv.collector import tokens
from geopriv.collector.store import Store
from tests.collector.conftest import DESIGN
from tests.collector.servers import COMMAND, free_port, serving, status
from tests.collector.test_collector import line


def invitations(database: str, number: int) -> list[str]:
    made = list(tokens.issue(number))
    with closing(Store(database)) as store:
        store.begin(DESIGN.hash, True)
        store.invite(map(tokens.digest, made))
    return made


def children(process: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_the_log_says_what_came_and_nothing_of_who_sent_what(tmp_path: Path) -> None:
    """JSON, a line each: no token, id, report, address, or time finer than a minute."""
    design, log, port = tmp_path / "design.json", tmp_path / "log", free_port()
    design.write_bytes(DESIGN.to_bytes())
    database = f"sqlite:///{tmp_path}/survey.sqlite"
    invited = invitations(database, 5)
    lines = [line(k) for k in range(5)]
    with serving(design, database, port, "--log", "json", log=log) as process:
        for token, one in zip(invited, lines, strict=True):
            assert status(port, "POST", "/v1/reports", token, one) == 201
        assert status(port, "POST", "/v1/reports", invited[0], '{"secret": 424242}') == 400
        assert status(port, "GET", "/v1/secret424242", "", "") == 404
        assert status(port, "GET", "/v1/answers", "secret424242-key", "") == 401
        process.terminate()
        assert process.wait(60) == 0
    text = log.read_text()
    told = [json.loads(each) for each in text.splitlines()]
    assert [each["event"] for each in told] == ["began", "reports", "wrong keys were tried", "ended"]
    assert told[1]["counted"] == 5
    assert told[1]["malformed"] == 1
    assert (told[2]["level"], told[2]["times"]) == ("warning", 1)
    assert all(each["time"].endswith("Z") and each["time"].count(":") == 1 for each in told)
    ids = [json.loads(one)["id"] for one in lines]
    assert not [word for word in (*invited, *ids, "424242", "127.0.0.1", str(port)) if word in text]


def test_an_error_is_logged_by_its_class_and_place_and_without_its_words(tmp_path: Path) -> None:
    code = """
import logging
from geopriv.collector import logs
logs.begin(logs.Log.JSON)
try:
    int("value 424242")
except ValueError:
    logging.getLogger("uvicorn.error").exception("It broke of %s\\nand more 424242", 424242)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    (said,) = map(json.loads, done.stderr.splitlines())
    assert (said["event"], said["error"], said["at"]) == ("It broke of %s", "ValueError", ["<string>:6"])
    assert "424242" not in done.stderr


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc")
def test_several_processes_answer_at_one_address_and_one_that_dies_is_begun_again(
    database: str, tmp_path: Path
) -> None:
    design, port = tmp_path / "design.json", free_port()
    design.write_bytes(DESIGN.to_bytes())
    invited = invitations(database, 40)
    with serving(design, database, port, "--workers", "2") as process:
        found = [one for one in children(process.pid) if "spawn_main" in Path(f"/proc/{one}/cmdline").read_text()]
        assert len(found) == 2
        heard = [status(port, "POST", "/v1/reports", token, line(k)) for k, token in enumerate(invited[:20])]
        os.kill(found[0], signal.SIGKILL)
        for k, token in enumerate(invited[20:], 20):
            while (said := status(port, "POST", "/v1/reports", token, line(k))) is None:
                time.sleep(0.05)
            heard.append(said)
        assert set(heard) <= {200, 201}
        process.terminate()
        assert process.wait(60) == 0
    with closing(Store(database)) as store:
        assert store.counted() == store.invitations()[1] == 40
    assert status(port, "GET", "/v1/ready", "", "") is None


def test_every_option_is_an_environment_variable_too(tmp_path: Path) -> None:
    told = subprocess.run(
        [*COMMAND, "-h"], capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "300"}
    )
    options = {
        part for part in told.stdout.split() if part.startswith("--") and part[2:].replace("-", "").isalpha()
    } - {"--help"}
    names = {option[2:].replace("-", "_").upper() for option in options} | {"DESIGN"}
    assert {"WORKERS", "LOG", "KEY"} < names
    assert [name for name in names if f"GEOPRIV_{name}" not in told.stdout] == []


def test_a_collector_is_configured_by_the_environment(tmp_path: Path) -> None:
    (tmp_path / "design.json").write_bytes(DESIGN.to_bytes())
    environment = {"GEOPRIV_DESIGN": f"{tmp_path}/design.json", "GEOPRIV_LOG": "xml"}
    done = subprocess.run(COMMAND, capture_output=True, text=True, env=os.environ | environment, check=False)
    assert done.returncode == 2
    assert "'log' parameter must be one of text and json. Got 'xml'" in done.stderr
