"""The browser's device answers as the Python device does, bit for bit."""

from __future__ import annotations

import json
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import shapely

import geopriv as gp
from tests.designs import Given, Stream, document_of, rehashed, table_design
from tests.node_device import CLIENT, NODE, browser, differences, python, read

pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed: the browser's device was not compared")
VECTORS = Path(__file__).parents[2] / "docs" / "vectors"


def test_both_devices_take_and_answer_the_same_of_what_an_enemy_writes() -> None:
    """10^5 draws by `python bench/javascript.py`; here a few hundred."""
    designs, draws, found = differences(150, seed=5)
    assert not found
    assert designs == 150
    assert draws > 200


def test_the_published_vectors_hold_in_node() -> None:
    done = subprocess.run(["node", "--test"], cwd=CLIENT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout


def test_a_device_that_rounds_its_value_would_be_seen() -> None:
    """Planted: a value that is moved by 2^-50 of itself, where U falls just beside its place in a cell."""
    data = rehashed(document_of(table_design()))
    design = read(data)
    assert design is not None
    low, high = (Fraction(end) for end in design.document["mechanisms"][0]["lattice"][2:4])
    changed = 0
    with browser() as device:
        device.keep("it", data)
        for k in range(60):
            value = float(low + (high - low) * Fraction(2 * k + 1, 121))
            share = (Fraction(value) - low) / (high - low)
            given = bytes(16) + (int(share * 2**64) - 1).to_bytes(8, "little") + Stream(k)(256)
            lines = [
                device(name="it", value=moved, bytes=given.hex())["line"] for moved in (value, value * (1 - 2**-50))
            ]
            assert lines[0] == python(design, value, Given(given))["line"]
            changed += lines[0] != lines[1]
    assert changed > 5


def test_texts_are_looked_at_however_long_they_are() -> None:
    """A design may have 32 MiB of them; a pattern that keeps each place in mind breaks at some millions."""
    code = f"""
import {{ seen }} from {json.dumps((CLIENT / "src" / "texts.js").as_uri())};
const long = "\\u{{1f600}}".repeat(6_000_000);
console.log(seen(long), seen(long + "\\u200b"));
"""
    command = ["node", "--input-type=module", "--eval", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["true", "false"], done.stderr


@pytest.mark.parametrize(("corner", "taken"), [((180.0, 20.0), True), ((0.0, 0.0), False), ((400.0, 0.0), False)])
def test_both_devices_look_at_corners_that_have_no_edge(corner: tuple[float, float], taken: bool) -> None:
    """A ring that is one point adds no area; where it is too far, both refuse. Found by 10^5 draws of the bench."""
    earth = gp.Earth()
    around = shapely.box(170.0, -10.0, 179.0, 10.0)
    design = document_of(table_design(gp.Geofence(around, width=1e5, space=earth), epsilon=1e-5))
    for part in design["mechanisms"]:
        part["coordinate"]["rings"].append([list(corner)] * 4)
    data = rehashed(design)
    with browser() as device:
        assert device.keep("it", data)["ok"] is taken
    assert (read(data) is not None) is taken


@pytest.mark.parametrize("value", ["0.1", 10**30, "1e-7", "-3.25", 0.1])
def test_decimals_and_whole_numbers_are_taken_exactly(value: Any) -> None:
    from decimal import Decimal

    design = read((VECTORS / "threshold.design.json").read_bytes())
    assert design is not None
    given = Stream(3)(512)
    with browser() as device:
        device.keep("it", (VECTORS / "threshold.design.json").read_bytes())
        theirs = device(name="it", value=str(value) if isinstance(value, int) else value, bytes=given.hex())
    mine = python(design, Decimal(value) if isinstance(value, str) else value, Given(given))
    assert mine == theirs


@pytest.mark.parametrize("value", ["1,000", "", "0x10", "NaN", "1e999999", None, True, [1.0, 2.0], {"a": 1}])
def test_what_is_no_value_is_refused_without_an_echo(value: Any) -> None:
    with browser() as device:
        device.keep("it", (VECTORS / "threshold.design.json").read_bytes())
        found = device(name="it", value=value, bytes="00" * 64)
    assert found["error"] == "OutOfDomain"
    assert str(value) not in json.dumps(found) or value in ("", None)
