"""The device as a whole: one report a person, whatever crashes or races, and nothing private left behind."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.client import Client, main
from geopriv.device import ledger as ledgers
from geopriv.device.ledger import Ledger
from tests.designs import (
    document_of,
    lattice_design,
    rehashed,
    table_design,
    two_tables,
)
from tests.policies import allowed, arguments_of
from tests.structure import errors_of

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schemas" / "reports.schema.json").read_text("utf-8"))
SECRET = 0.7318205946  # no other file holds these digits
ANY = allowed()
FREE = arguments_of(ANY)
IN_METRES = arguments_of(allowed(unit="m"))


@pytest.fixture
def design(tmp_path: Path) -> Path:
    table_design().write(tmp_path / "design.json")
    return tmp_path / "design.json"


def run(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "geopriv.client", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, input=stdin)


def rows(ledger: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(ledger)
    try:
        return connection.execute("SELECT * FROM spent").fetchall()
    finally:
        connection.close()


def test_importing_the_client_imports_only_the_standard_library_and_is_quick() -> None:
    program = """
import sys, time
began = time.process_time()
import geopriv.client
spent = time.process_time() - began
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    geopriv.client.main([*sys.argv[1:], "--value=40.7,-74", "--ledger", os.path.join(folder, "ledger")])
known = sys.stdlib_module_names
print(spent, *sorted({m for m in sys.modules if m.split(".")[0] not in known and m != "__main__"}))
"""
    path = ROOT / "docs" / "vectors" / "geofence.design.json"
    command = [sys.executable, "-c", program, str(path), *arguments_of(allowed(unit="m", degrees=True))]
    subprocess.run(command, capture_output=True, check=True, timeout=60)  # compiled once
    outputs = [
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()[1].split()
        for _ in range(3)
    ]
    assert min(float(output[0]) for output in outputs) < 0.05
    loaded = [name for name in outputs[0][1:] if not name.startswith(("geopriv", "_distutils", "distutils"))]
    assert [name for name in loaded if not name.startswith(("_editable", "__editable", "sitecustomize"))] == []
    ours = {name for name in outputs[0] if name.startswith("geopriv")}
    assert {name for name in ours if not name.startswith("geopriv.device")} == {
        "geopriv",
        "geopriv.client",
        "geopriv.errors",
    }


def test_a_report_is_a_line_that_fits_the_schema(design: Path, tmp_path: Path) -> None:
    client = Client(design, tmp_path / "ledger", ANY)
    line = json.loads(client.report(0.3))
    assert errors_of(SCHEMA, line) == []
    assert line["design"] == client.design.hash
    assert 0 <= line["report"][0] < 4
    other = json.loads(client.report(0.3, person="another"))
    assert other["id"] != line["id"]


def test_a_lattice_and_a_partition_report_too(tmp_path: Path) -> None:
    for made, unit, value, size in ((lattice_design(), "m", [20.0, -50.0], 2), (two_tables(), None, 1.5, 1)):
        made.write(tmp_path / "design.json")
        device = Client(tmp_path / "design.json", tmp_path / f"ledger {unit}", allowed(unit=unit))
        line = json.loads(device.report(value))
        assert errors_of(SCHEMA, line) == []
        assert len(line["report"]) == size
        assert line["mechanism"] < len(made.mechanisms)


def test_a_repeated_question_gets_the_same_report_whatever_the_value(design: Path, tmp_path: Path) -> None:
    client = Client(design, tmp_path / "ledger", ANY)
    first = client.report(-5.0)
    assert [client.report(value) for value in (5.0, 0.0, -5.0)] == [first] * 3
    assert Client(design, tmp_path / "ledger", ANY).report(9.0) == first
    assert len(rows(tmp_path / "ledger")) == 1


def test_reports_of_different_people_differ_somewhere(design: Path, tmp_path: Path) -> None:
    client = Client(design, tmp_path / "ledger", ANY)
    lines = [json.loads(client.report(0.0, person=str(i))) for i in range(40)]
    assert len({line["id"] for line in lines}) == 40
    assert len({line["report"][0] for line in lines}) > 1


def test_a_survey_that_was_answered_is_not_answered_by_another_design(design: Path, tmp_path: Path) -> None:
    Client(design, tmp_path / "ledger", ANY).report(0.0)
    table_design(epsilon=2.0).write(tmp_path / "second.json")
    with pytest.raises(gp.BudgetExhausted, match="another design"):
        Client(tmp_path / "second.json", tmp_path / "ledger", ANY).report(0.0)
    assert len(rows(tmp_path / "ledger")) == 1


def test_a_person_cannot_spend_more_than_the_total_over_all_surveys(tmp_path: Path) -> None:
    two = allowed(total=2.0)
    for i in range(3):
        table_design(survey=f"survey {i}").write(tmp_path / f"{i}.json")
    for i in range(2):
        Client(tmp_path / f"{i}.json", tmp_path / "ledger", two).report(0.0)
    third = Client(tmp_path / "2.json", tmp_path / "ledger", two)
    with pytest.raises(gp.BudgetExhausted, match="total"):
        third.report(0.0)
    Client(tmp_path / "1.json", tmp_path / "ledger", two).report(0.0)  # memoised, hence free
    third.report(0.0, person="another")
    assert Ledger(tmp_path / "ledger", None, 2.0).spent("me") == 2


def test_a_value_that_cannot_be_read_spends_nothing(design: Path, tmp_path: Path) -> None:
    client = Client(design, tmp_path / "ledger", ANY)
    with pytest.raises(gp.OutOfDomain):
        client.report("many")
    assert rows(tmp_path / "ledger") == []
    client.report(1.0)


def test_a_generator_that_fails_makes_no_report_and_spends_nothing(
    design: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(design, tmp_path / "ledger", ANY)
    for broken in (lambda n: b"", lambda n: bytes(n - 1)):
        monkeypatch.setattr(os, "urandom", broken)
        with pytest.raises(OSError, match="fewer bytes"):
            client.report(0.0)
    assert rows(tmp_path / "ledger") == []


def test_a_tampered_design_makes_no_client_and_no_ledger(tmp_path: Path) -> None:
    document = document_of(table_design())
    document["mechanisms"][0]["weights"][1][1] += 1
    (tmp_path / "design.json").write_bytes(rehashed(document))
    with pytest.raises(gp.InvalidDesign, match="promise"):
        Client(tmp_path / "design.json", tmp_path / "ledger", ANY)
    assert not (tmp_path / "ledger").exists()


def test_the_ledger_is_its_owners_alone(design: Path, tmp_path: Path) -> None:
    Client(design, tmp_path / "ledger", ANY)
    assert stat.S_IMODE((tmp_path / "ledger").stat().st_mode) == 0o600


def test_the_client_takes_no_seed(design: Path, tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        Client(design, tmp_path / "ledger", ANY, seed=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Client(design, tmp_path / "ledger", ANY).report(0.0, source=bytes)  # type: ignore[call-arg]


KILLED = """
import sys, time
from pathlib import Path
from geopriv import client
from geopriv.device import designs, ledger

def wait(*_):
    Path(sys.argv[1]).touch()
    time.sleep(300)

where = sys.argv[2]
if where == "after":  # spent, not yet sent
    once = ledger.Ledger.once
    ledger.Ledger.once = lambda *arguments: (once(*arguments), wait())
elif where == "before":  # made, not yet spent
    line = designs.VerifiedDesign._line
    designs.VerifiedDesign._line = lambda *arguments: (line(*arguments), wait())
client.main(sys.argv[3:])
"""


def killed(where: str, design: Path, folder: Path) -> str:
    """Run the client, and kill it with SIGKILL where it is told to wait; what it has printed."""
    barrier = folder / f"barrier {where}"
    arguments = [barrier, where, design, "--value", "0.4", "--ledger", folder / "ledger", *FREE]
    process = subprocess.Popen([sys.executable, "-c", KILLED, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    for _ in range(1200):
        if barrier.exists():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    return printed


def test_a_kill_between_spending_and_sending_loses_no_budget(design: Path, tmp_path: Path) -> None:
    assert killed("after", design, tmp_path) == ""
    ((person, survey, _, epsilon, _, report),) = rows(tmp_path / "ledger")
    assert (person, survey, epsilon) == ("me", "survey", 1.0)
    again = run(design, "--value", "-3.0", "--ledger", tmp_path / "ledger", *FREE)
    assert again.stdout.strip() == report  # the same report, so nothing is spent twice
    assert len(rows(tmp_path / "ledger")) == 1


def test_a_kill_before_spending_has_sent_and_spent_nothing(design: Path, tmp_path: Path) -> None:
    assert killed("before", design, tmp_path) == ""
    assert rows(tmp_path / "ledger") == []
    assert run(design, "--value", "0.4", "--ledger", tmp_path / "ledger", *FREE).returncode == 0
    assert len(rows(tmp_path / "ledger")) == 1


RACE = """
import sys, time
from pathlib import Path
from geopriv.client import Client
from geopriv.device.policy import Policy
client = Client(sys.argv[1], sys.argv[2], Policy(None, 1.0, 1.0, trust=True, after=0.0))
Path(sys.argv[3]).touch()
while not Path(sys.argv[4]).exists():
    time.sleep(0.001)
for person in range(30):
    print(client.report(float(person), str(person)))
"""


def race(program: str, design: Path, folder: Path) -> list[list[str]]:
    """Two processes that begin at once; the lines of each."""
    go = folder / "go"
    starts = [folder / f"ready {i}" for i in range(2)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(design), str(folder / "ledger"), str(ready), str(go)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for ready in starts
    ]
    while not all(ready.exists() for ready in starts):
        assert all(process.poll() is None for process in processes)
        time.sleep(0.01)
    go.touch()
    outputs = [process.communicate(timeout=120)[0].splitlines() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    return outputs


def test_two_processes_on_one_ledger_give_one_report_a_person(design: Path, tmp_path: Path) -> None:
    first, second = race(RACE, design, tmp_path)
    assert first == second
    assert len(first) == len(set(first)) == 30
    assert len(rows(tmp_path / "ledger")) == 30


def test_the_race_would_show_a_ledger_that_does_not_wait(design: Path, tmp_path: Path) -> None:
    """A planted fault: look first, write later, and no transaction around both."""
    faulty = """
import sqlite3, time
import geopriv.device.ledger as ledger
def once(self, person, survey, design, epsilon, make):
    with self._connected() as connection:
        report = self._known(connection, person, survey, design)
        if report is None:
            report = make()
            time.sleep(0.01)
            row = (person, survey, design, epsilon, None, report)
            connection.execute("INSERT OR REPLACE INTO spent VALUES (?, ?, ?, ?, ?, ?)", row)
    return report
ledger.Ledger.once = once
"""
    first, second = race(faulty + RACE, design, tmp_path)
    assert first != second


def test_a_ledger_that_is_not_one_is_refused(design: Path, tmp_path: Path) -> None:
    (tmp_path / "ledger").write_text("not a database, but long enough to be seen as none" * 100)
    (tmp_path / "ledger").chmod(0o600)
    done = run(design, "--value", SECRET, "--ledger", tmp_path / "ledger", *FREE)
    assert done.returncode == 2
    assert "ledger cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_shell_prints_one_line(design: Path, tmp_path: Path) -> None:
    known = arguments_of(allowed(hash=table_design().hash, trust=False))
    done = run(design, "--value", "0.5", "--ledger", tmp_path / "ledger", *known)
    assert done.returncode == 0
    assert done.stderr == ""
    assert errors_of(SCHEMA, json.loads(done.stdout)) == []
    assert done.stdout.count("\n") == 1
    piped = run(design, "--value", "-", "--ledger", tmp_path / "ledger", "--person", "me", *known, stdin="0.9\n")
    assert piped.stdout == done.stdout


def test_the_shell_takes_places_and_negative_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lattice_design().write(tmp_path / "design.json")
    arguments = [str(tmp_path / "design.json"), "--ledger", str(tmp_path / "ledger")]
    assert main([*arguments, "--value=-20.5,40", "--person", "a", *IN_METRES]) == 0
    assert len(json.loads(capsys.readouterr().out)["report"]) == 2
    table_design().write(tmp_path / "line.json")
    line = [str(tmp_path / "line.json"), "--ledger", str(tmp_path / "another")]
    assert main([*line, "--value", "-3", "--person", "a", *FREE]) == 0


@pytest.mark.parametrize("place", ["-33.9,151.2", "-.5,40", "-1e1,-2E0", "-5.,-7"])
def test_a_value_that_begins_with_a_minus_is_no_option(place: str, tmp_path: Path) -> None:
    """Whoever lives south of the equator would be refused, at once and for all to see."""
    lattice_design().write(tmp_path / "design.json")
    arguments = [str(tmp_path / "design.json"), "--ledger", str(tmp_path / "ledger"), *IN_METRES]
    assert main([*arguments, "--value", place]) == 0


@pytest.mark.parametrize("value", ["52 417", "52,417", "52'417", "52.417,5", "52417 USD"])
def test_a_value_with_separators_is_refused_with_how_to_write_it_and_not_shown(
    value: str, design: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(design), "--value", value, "--ledger", str(tmp_path / "ledger"), *FREE]) == 2
    told = capsys.readouterr().err
    assert "a point before decimals" in told
    assert "nothing between thousands" in told
    assert not any(part in told for part in ("52", "417"))


def test_a_value_in_bytes_that_are_no_text_is_bad_input_and_not_shown(design: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "geopriv.client", *asked(design, tmp_path / "ledger", "-")]
    strict = os.environ | {"PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(words, capture_output=True, timeout=120, check=False, input=b"52\xff\n", env=strict)
    assert done.returncode == 2
    assert b"must be a number" in done.stderr
    assert b"Traceback" not in done.stderr
    assert b"xff" not in done.stderr


@pytest.mark.parametrize("value", ["1_000", "٥٢", "5 2", "", "1,", "nan", "inf", "0x10", "9" * 5000])
def test_what_is_no_plain_number_is_bad_input_and_not_shown(value: str, design: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "geopriv.client", *asked(design, tmp_path / "ledger", "-")]
    done = subprocess.run(words, capture_output=True, timeout=120, check=False, input=f"{value}\n".encode())
    assert done.returncode == 2
    assert b"must be a number" in done.stderr
    assert not value or value.encode() not in done.stderr


@pytest.mark.parametrize(
    "value", ["1e99999999999999999999", "-1e-99999999999999999999", "0e99999999999999999999", "1e999999999", "9" * 400]
)
def test_a_number_that_is_too_long_to_compute_with_is_bad_input_and_not_shown(
    value: str, design: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(map(str, asked(design, tmp_path / "ledger", value)))) == 2
    said = capsys.readouterr().err
    assert "finite real numbers of fewer than 400 digits" in said
    assert value.lstrip("-") not in said


def test_a_closed_standard_input_is_bad_input(design: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "geopriv.client", *asked(design, tmp_path / "ledger", "-")]
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *words], capture_output=True, timeout=120, check=False)
    assert done.returncode == 2
    assert b"Standard input is closed" in done.stderr


def test_an_interrupted_device_ends_without_a_traceback(design: Path, tmp_path: Path) -> None:
    waiting = [*asked(design, tmp_path / "ledger", "0.3"), "--after", "60"]
    process = subprocess.Popen([sys.executable, "-m", "geopriv.client", *waiting], stderr=subprocess.PIPE)
    while not (tmp_path / "ledger").exists():  # it has read its options
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in said


@pytest.mark.parametrize("option", ["--most-epsilon", "--total", "--after"])
def test_an_option_that_cannot_be_read_is_named(option: str, design: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(design), "--value", "52000", option, "1/8000"])
    said = capsys.readouterr().err
    assert f"{option} cannot be read" in said
    assert "52000" not in said
    assert "8000" not in said


def test_what_a_report_lacks_is_named(design: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(design), "--value", "1", "--ledger", "ledger", "--unit", "", "--total", "1"])
    said = capsys.readouterr().err
    assert "needs --most-epsilon" in said
    assert "--hash" in said
    assert "--ledger" not in said


def test_the_shell_verifies_without_a_value(design: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(design), "--verify"]) == 0
    assert capsys.readouterr().out == f"verified: design {table_design().hash}: 1.0 per unit\n"
    assert main([str(design), "--verify", "--hash", "0" * 64]) == 1
    assert main([str(design), "--verify", "--hash", table_design().hash[:16]]) == 2


def test_the_exit_code_is_1_where_a_check_fails(design: Path, tmp_path: Path, capsys: Any) -> None:
    arguments = ["--value", str(SECRET), "--ledger", str(tmp_path / "ledger")]
    design.with_name("tampered.json").write_bytes(design.read_bytes().replace(b"-2.0", b"-3.0", 1))
    assert main([str(design.with_name("tampered.json")), *arguments, *FREE]) == 1
    assert main([str(design), *arguments, *arguments_of(allowed(total=0.5))]) == 1
    assert main([str(design), *arguments, *arguments_of(allowed(most_epsilon=0.5))]) == 1
    assert main([str(design), *arguments, *IN_METRES]) == 1
    assert main([str(design), *arguments, *arguments_of(allowed(hash="0" * 64, trust=False))]) == 1
    assert str(SECRET) not in capsys.readouterr().err


def asked(design: Path, ledger: Path, value: object = SECRET) -> list[str]:
    return [str(design), "--value", str(value), "--ledger", str(ledger), *FREE]


BAD_INPUT: list[Callable[[Path, Path], list[str]]] = [
    lambda design, ledger: [str(design)],
    lambda design, ledger: [str(design), "--value", str(SECRET)],
    lambda design, ledger: [str(design), "--value", str(SECRET), "--ledger", str(ledger)],
    lambda design, ledger: asked(design, ledger, f"{SECRET}x"),
    lambda design, ledger: asked(design, ledger, f"{SECRET},2"),
    lambda design, ledger: [*asked(design, ledger, 1), str(SECRET)],
    lambda design, ledger: asked(design, ledger, "nan"),
    lambda design, ledger: [*asked(design, ledger), "--total", "nan"],
    lambda design, ledger: [*asked(design, ledger), "--total", "0"],
    lambda design, ledger: [*asked(design, ledger), "--most-epsilon", "-1"],
    lambda design, ledger: [*asked(design, ledger), "--after", "nan"],
    lambda design, ledger: [*asked(design, ledger), "--hash", "0" * 64],
    lambda design, ledger: [word for word in asked(design, ledger) if word != "--trust-this-file"],
    lambda design, ledger: [word for word in asked(design, ledger) if word not in ("--unit", "")],
    lambda design, ledger: [*asked(design, ledger), "--verify"],
    lambda design, ledger: [*asked(design, ledger), "--person", "\x1b[2J"],
    lambda design, ledger: [*asked(design, ledger), "--person", "\udcff"],
    lambda design, ledger: [str(design) + ".none", *asked(design, ledger)[1:]],
    lambda design, ledger: asked(design, ledger / "none" / "ledger"),
]


@pytest.mark.parametrize("arguments", BAD_INPUT)
def test_the_exit_code_is_2_for_bad_input_and_the_value_is_not_shown(
    arguments: Callable[[Path, Path], list[str]], design: Path, tmp_path: Path, capsys: Any
) -> None:
    try:
        code = main(arguments(design, tmp_path / "ledger"))
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    assert code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err
    assert str(SECRET) not in printed.err


def test_the_private_value_is_in_no_file(design: Path, tmp_path: Path) -> None:
    import struct

    done = run(*asked(design, tmp_path / "ledger"))
    assert done.returncode == 0
    traces = [str(SECRET).encode(), str(SECRET)[2:].encode(), struct.pack("<d", SECRET), struct.pack(">d", SECRET)]
    contents = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(contents) >= 2
    for content in (*contents, done.stdout.encode(), done.stderr.encode()):
        assert not any(trace in content for trace in traces)
    columns = ["person", "survey", "design", "epsilon", "unit", "report"]
    assert [column.split()[0] for column in ledgers._TABLE.split("(", 1)[1].split(",")[:6]] == columns
