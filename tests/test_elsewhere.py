"""The flow and the device where Python has no more than on Windows (`tests.elsewhere`), in a folder of an odd name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import geopriv as gp
from tests.elsewhere import PREAMBLE

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs Linux's list of open files")

DEVICE = """
import geopriv.client
arguments = ["design.json", "--trust-this-file", "--unit", "USD", "--most-epsilon", "1", "--total", "1"]
arguments += ["--ledger", "le dger", "--after", "0", "--value", "52000"]
first, second = geopriv.client.main(arguments), geopriv.client.main(arguments)
raise SystemExit(first or second)
"""
FLOW = """
import geopriv as gp
from geopriv.reports.engines.parts import parts
from pathlib import Path

people = Path("people.csv")
people.write_bytes(b"income\\n" + b"".join(b"%d\\n" % (300 * k) for k in range(2_000)))
design = gp.Design.read("design.json")
for again in (False, True):
    gp.privatize(design, people, "reports.ndjson", overwrite=again, again=again, register="register.sqlite")
with parts(Path("reports.ndjson")):
    try:
        gp.privatize(design, people, "reports.ndjson", overwrite=True, again=True, register="register.sqlite")
    except gp.InvalidParameter as error:
        print(error)
answers = gp.estimate(design, gp.tally(design, "reports.ndjson"))
for _ in range(2):
    answers.write("estimates.json")
    answers.write_page("report.html")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With the design of one threshold."""
    made = tmp_path / "a folder é 人"
    made.mkdir()
    table = gp.Lattice.calibrate(gp.Line("USD"), "1 per 8,000 USD")
    threshold = gp.Threshold(100_000, 32_000, gp.Line("USD"), edge="smooth")
    source = gp.Source(("income",), low=(0.0,), high=(600_000.0,))
    design = gp.Design("incomes", (table,), questions=(gp.queries.questions.Share("above", threshold),), source=source)
    design.write(made / "design.json")
    return made


def run(program: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-X", "warn_default_encoding", "-c", PREAMBLE + program]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=300)


def test_a_device_needs_no_more(folder: Path) -> None:
    done = run(DEVICE, folder)
    assert done.returncode == 0, done.stderr.decode()
    first, second = done.stdout.decode().splitlines()
    assert first == second
    assert json.loads(first)["report"]


def test_reports_counts_and_pages_need_no_more(folder: Path) -> None:
    done = run(FLOW, folder)
    assert done.returncode == 0, done.stderr.decode()
    assert b"Another run is writing" in done.stdout
    assert not list(folder.glob(".*"))  # nothing is left over
    assert gp.Answers.read(folder / "estimates.json").n == 2_000
    for name in ("design.json", "reports.ndjson", "estimates.json", "report.html"):
        assert b"\r" not in (folder / name).read_bytes()


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import fcntl", "fcntl"),
        ("os.getuid()", "getuid"),
        ("os.open('.', os.O_RDONLY)", "Permission denied"),
        ("os.fsync(os.open('design.json', os.O_RDONLY))", "Bad file descriptor"),
        ("open_file = open('design.json', 'rb'); os.unlink('design.json')", "being used"),
    ],
)
def test_what_windows_lacks_would_be_noticed(program: str, words: str, folder: Path) -> None:
    done = run(program, folder)
    assert done.returncode == 1
    assert words in done.stderr.decode()


def test_no_module_imports_what_one_system_has_alone() -> None:
    alone = re.compile(r"^\s*(?:import|from) (?:fcntl|resource|msvcrt|winreg|termios|posix|nt)\b", re.MULTILINE)
    assert alone.search("    import fcntl\n")
    sources = Path(gp.__file__).parent.parent
    assert [str(path) for path in sources.rglob("*.py") if alone.search(path.read_text(encoding="utf-8"))] == []


def test_text_is_written_with_its_encoding_and_its_ends_of_lines() -> None:
    """Python's defaults differ from system to system: no file that we write may depend on them."""
    written = re.compile(r"\.write_text\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
    sources = Path(gp.__file__).parent.parent
    calls = [
        call
        for room in ("geopriv", "geopriv_paper")
        for path in (sources / room).rglob("*.py")
        for call in written.findall(path.read_text(encoding="utf-8"))
    ]
    assert calls
    assert [call for call in calls if "encoding=" not in call or "newline=" not in call] == []
