"""The published test vectors: what a device makes of the same design and the same bytes, in any language."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from geopriv.device.designs import verify
from geopriv.device.draws import draw_letter, rows_of
from geopriv.device.intervals import exact
from geopriv.device.walks import Walked
from tests.designs import Given, Stream

FOLDER = Path(__file__).parents[2] / "docs" / "vectors"
WALKS: dict[str, Any] = json.loads((FOLDER / "walk.json").read_text("utf-8"))
CASES: list[dict[str, Any]] = json.loads((FOLDER / "client.json").read_text("utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['design']} {case['bytes'][:8]}" for case in CASES])
def test_a_device_makes_the_published_reports(case: dict[str, Any]) -> None:
    source, device = Given(bytes.fromhex(case["bytes"])), verify((FOLDER / case["design"]).read_bytes())
    line = json.loads(device._line(case["value"], source, device.groups.index(case.get("told"))))
    sent = line.keys() - {"design"}
    assert {key: line[key] for key in sent} == {key: case[key] for key in sent}
    assert ("group" in line) == (case["design"] == "groups.design.json")
    assert source.used == case["used"]


def test_a_device_walks_the_published_walks() -> None:
    device = verify((FOLDER / WALKS["design"]).read_bytes())
    for case in WALKS["cases"]:
        source = Given(bytes.fromhex(case["bytes"]))
        last = None if case["last"] is None else Walked.parse(case["last"])
        line, walked = device._walked_line(case["value"], source, case["round"], last)
        assert {key: json.loads(line)[key] for key in ("report", "id")} == {key: case[key] for key in ("report", "id")}
        assert (walked.text, source.used) == (case["next"], case["used"])
    assert {case["report"][0] - case["report"][1] for case in WALKS["cases"]} == {0, 1, 2}


def test_the_vectors_reach_every_kind_of_answer() -> None:
    letters = {(case["design"], case["mechanism"], *case["report"]) for case in CASES}
    assert len({letter for letter in letters if letter[0] == "threshold.design.json"}) == 4
    assert len({letter[1] for letter in letters if letter[0] == "partition.design.json"}) == 3
    assert {case["group"] for case in CASES if "group" in case} == {0, 1, 2}
    assert len({letter for letter in letters if letter[0] == "spare.design.json"}) == 4
    assert sum(case["used"] == 16 + 16 + 24 for case in CASES if case["design"] == "spare.design.json") > 20
    last = [case["report"] for case in CASES[-2:]]
    assert last[0] != last[1]  # the same first 64 bits, settled by later ones
    assert CASES[-1]["used"] == CASES[-2]["used"] == 8 + 16 + 16 + 16
    known = {*(case["design"] for case in CASES), WALKS["design"]}
    assert known == {path.name for path in FOLDER.glob("*.design.json")}


def test_a_report_of_one_other_bit_is_found_out() -> None:
    """Planted: the highest bit of the last word that is drawn is turned; some report must change."""
    changed = 0
    for case in CASES:
        given = bytearray.fromhex(case["bytes"])
        given[case["used"] - 1] ^= 0x80
        source = Given(bytes(given) + Stream(0)(1 << 10))  # for further attempts, where the turned bit rejects one
        line = json.loads(verify((FOLDER / case["design"]).read_bytes())._line(case["value"], source))
        changed += line["report"] != case["report"]
    assert changed > len(CASES) / 2


def test_the_vectors_of_the_librarys_sampler_hold_on_a_device() -> None:
    known = json.loads((FOLDER / "table.json").read_text("utf-8"))
    rows = rows_of(known["lattice"], tuple(tuple(accumulate(row)) for row in known["weights"]))
    for case in known["cases"]:
        source = Given(bytes.fromhex(case["bytes"]))
        letter = draw_letter(rows, partial(exact, Fraction(case["x"])), source)
        assert known["values"][letter] == case["report"]


def test_the_script_makes_the_published_files(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-W", "error", str(FOLDER / "make.py"), str(tmp_path)], check=True, timeout=120)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    published = {name: (FOLDER / name).read_bytes() for name in made}
    assert made == published
    assert len(made) == 13
