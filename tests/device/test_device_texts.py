"""What a device reads of a design and prints of it: every text is seen as it is, and nothing is too large."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import geopriv as gp
from geopriv.client import load, main
from geopriv.device import files, reading
from geopriv.device.designs import verify
from geopriv.device.texts import (
    NAME,
    QUOTED,
    SHORT,
    UNIT,
    plain,
    quoted,
    seen,
    unit_like,
)
from tests.designs import (
    Given,
    document_of,
    rehashed,
    table_design,
)

ROOT = Path(__file__).parents[2]

# what a terminal would not show as it is, by what it does there
UNSEEN = {
    "carriage return": "USD\r0.000001 per USD",
    "line feed": "USD\nverified: design 0",
    "escape": "USD\x1b[2K\x1b[1G0.000001 per USD",
    "eight-bit escape": "USD\x9b2K",
    "backspace": "USD\b\b\bkm",
    "null": "USD\x00",
    "delete": "USD\x7f",
    "right to left": "\u202e0.1",
    "isolate": "USD\u2066 0.1\u2069",
    "right-to-left mark": "USD\u200f",
    "zero width": "USD\u200b",
    "joiner": "USD\u200d",
    "byte order mark": "\ufeffUSD",
    "word joiner": "US\u2060D",
    "soft hyphen": "US\u00adD",
    "tags": "USD\U000e0055\U000e0053",
    "variation selector": "USD\ufe0f",
    "variation selector of the supplement": "USD\U000e0100",
    "grapheme joiner": "USD\u034f",
    "Hangul filler": "USD\u3164",
    "braille blank": "USD\u2800",
    "no-break space": "US\u00a0D",
    "line separator": "USD\u2028",
    "no character": "USD\uffff",
    "private use": "USD\ue000",
    "object replacement": "USD\ufffc",
    "struck through": "U\u0336S\u0336D\u0336",
    "enclosed": "USD\u20dd",
}
UNFIT = {
    "decomposed": "re\u0301sume\u0301",
    "mark on a digit": "USD 1\u0300",
    "marks without end": "U" + "\u0f74\u0f71\u0f72\u0f7a" * 4,
    "space before": " USD",
    "space after": "USD ",
    "long": "m" * 1_000_000,
    "empty": "",
}
SENTENCES = {
    "another rate": "8000 USD",
    "another verdict": "km, verified; design 00",
    "a hash": "m (" + "0" * 64 + ")",
    "a quote": 'm" or "km',
    "a number behind it": "USD/8000",
    "no year": "USD (8000)",
    "a number above it": "USD\u2078\u2070\u2070\u2070",
    "a fraction": "USD \u215b\u2070\u2070\u2070",
    "a number in a circle": "USD \u2467",
    "a Roman number": "USD \u2167",
    "digits of another script": "USD\u0668",
    "a digit behind a square": "m\u00b23",
    "a second rate": "m per day (1.0 per km)",
    "another script": "F\u0430ctor",
    "ratios": "factor 2",
    "ratios, differently": "Factor 2",
}
FINE = ["USD", "€", "km²", "人", "années", "₹", "m/s", "рубль", "रुपये", "บาท", "°C", "% of income", "m[/]", "USD (2020)"]
FINE += ["CO2", "µm", "人民元", "USD (1999)", "m³", "kg CO2"]


def line_design(unit: str) -> bytes:
    """A design on a line whose unit was named afterwards."""
    document = document_of(table_design(gp.Threshold(0.0, 2.0, gp.Line("USD"))))
    table = document["mechanisms"][0]
    for place in (table["space"], table["guarantee"], document["guarantee"]):
        place["unit"] = unit
    return rehashed(document)


def refused(data: bytes) -> str:
    with pytest.raises(gp.InvalidDesign) as caught:
        verify(data)
    message = str(caught.value)
    assert seen(message)
    assert len(message) < 400
    return message


@pytest.mark.parametrize("unit", [*UNSEEN.values(), *UNFIT.values()], ids=[*UNSEEN, *UNFIT])
def test_no_unit_is_accepted_that_a_terminal_would_show_as_another(unit: str) -> None:
    refused(line_design(unit))


@pytest.mark.parametrize("unit", SENTENCES.values(), ids=list(SENTENCES))
def test_no_unit_goes_on_as_a_sentence_or_as_a_number(unit: str) -> None:
    assert "Line.unit" in refused(line_design(unit))


@pytest.mark.parametrize("unit", FINE)
def test_units_of_other_scripts_are_accepted_and_come_last_in_the_verdict(unit: str) -> None:
    design = verify(line_design(unit))
    assert str(design) == f"verified: design {design.hash}: 1.0 per {unit}"
    assert plain(unit, SHORT)


@pytest.mark.parametrize("words", [*UNSEEN.values(), *UNFIT.values()], ids=[*UNSEEN, *UNFIT])
def test_no_survey_has_a_name_that_is_not_seen(words: str) -> None:
    refused(rehashed(document_of(table_design()) | {"survey": words}))


def test_a_survey_has_a_longer_name_than_a_unit() -> None:
    document = document_of(table_design())
    assert verify(rehashed(document | {"survey": "s" * NAME})).survey == "s" * NAME
    refused(rehashed(document | {"survey": "s" * (NAME + 1)}))


@pytest.mark.parametrize("words", [*UNSEEN.values(), "m" * 1_000_000], ids=[*UNSEEN, "long"])
@pytest.mark.parametrize("place", ["reference", "question", "key", "kind"])
def test_no_other_text_of_a_design_is_unseen_either(words: str, place: str) -> None:
    document: dict[str, Any] = document_of(table_design())
    match place:
        case "reference":
            document["guarantee"]["reference"] = words
        case "question":
            document["questions"] = [{"type": "Share", "name": words}]
        case "key":
            document[words] = 1
        case _:
            document["mechanisms"][0]["type"] = words
    refused(rehashed(document))


def test_a_backslash_is_no_control_character() -> None:
    """The file is looked at as text, in which a control character is written with a backslash too."""
    document = document_of(table_design())
    for words in ("a\\nb", 'a "quoted" \\', "\\u001b", '\\"'):
        assert verify(rehashed(document | {"survey": words})).survey == words
        refused(rehashed(document | {"survey": words + "\n"}))


@given(st.text(st.characters(), max_size=90))
def test_whatever_is_quoted_is_short_printable_ascii(words: str) -> None:
    shown = quoted(words)
    assert shown.isascii()
    assert shown == "" or shown.isprintable()
    assert len(shown) <= QUOTED


@given(st.text(st.characters(), max_size=90))
def test_a_text_that_passes_holds_nothing_but_ink_and_spaces(words: str) -> None:
    import unicodedata

    if plain(words, SHORT):
        assert {unicodedata.category(character)[0] for character in words} <= set("LMNPSZ")
        assert set(words) & {c for c in words if unicodedata.category(c)[0] == "Z"} <= {" "}
        assert unicodedata.normalize("NFC", words) == words == words.strip()
        assert 0 < len(words) <= SHORT
    if unit_like(words):
        assert plain(words, UNIT)


def test_a_verdict_is_printed_where_the_terminal_knows_ascii_only(tmp_path: Path) -> None:
    (tmp_path / "design.json").write_bytes(line_design("€"))
    command = [sys.executable, "-m", "geopriv.client", str(tmp_path / "design.json"), "--verify"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, timeout=60, check=True, env=environment)
    assert done.stdout.endswith(b": 1.0 per \\u20ac\n")


def test_the_name_of_a_file_cannot_write_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["none\x1b[2J.json", "--verify"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_file_larger_than_a_design_is_refused_before_all_of_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "design.json").open("wb") as file:
        file.truncate(1 << 40)  # a hole: nothing of it is on the disk
    began = time.process_time()
    with pytest.raises(gp.InvalidDesign, match="bytes"):
        load(tmp_path / "design.json")
    assert time.process_time() - began < 2
    with pytest.raises(gp.InvalidDesign, match="bytes"):
        load("/dev/zero")


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b'{"a":' + b"[]," * (files.ITEMS + 1), "parts"),
        (b'{"a":' + b"7" * 10_000_000 + b"}", "digits"),
        (b'{"a":-' + b"7" * (files.DIGITS + 1) + b"}", "digits"),
        (b'{"a":1e' + b"9" * 5000 + b"}", "digits"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "too deep"),
        (b'{"a":' * 100_000, "JSON"),
        (b"[" * 500 + b"]" * 500, "object"),
        ('{"a":1}'.encode("utf-16"), "JSON"),
        (b'{"a":"\\ud800"}', "JSON"),
    ],
    ids=["items", "digits", "401 digits", "exponent", "deep", "deeper", "list", "utf-16", "surrogate"],
)
def test_json_that_would_take_long_is_refused_soon(data: bytes, match: str) -> None:
    began = time.process_time()
    assert match in refused(data)
    assert time.process_time() - began < 2


def test_numbers_without_end_are_refused_soon_where_python_has_no_limit_of_its_own() -> None:
    program = "import sys; from geopriv.device.files import parse\nparse(b'{\"a\":' + b'7' * 20_000_000 + b'}')"
    environment = os.environ | {"PYTHONINTMAXSTRDIGITS": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=20, env=environment, check=False
    )
    assert b"InvalidDesign" in done.stderr


def test_a_design_has_few_mechanisms_axes_and_points() -> None:
    document = document_of(table_design())
    (table,) = document["mechanisms"]
    many = document | {"mechanisms": [table] * (reading.MECHANISMS + 1), "shares": [1] * (reading.MECHANISMS + 1)}
    assert "design.mechanisms" in refused(rehashed(many))
    space = {"type": "Euclidean", "axes": reading.AXES + 1, "unit": None}
    middle = {"type": "Radial", "center": [0.0] * (reading.AXES + 1), "offset": 0.0}
    wide = table | {"space": space, "coordinate": middle}
    assert "Euclidean.axes" in refused(rehashed(document | {"mechanisms": [wide]}))
    corners = [[0.0, 0.0]] * (reading.CORNERS + 1)
    polygon = {"space": {"type": "Plane", "unit": None}, "coordinate": {"type": "Region", "rings": [corners]}}
    assert "corners" in refused(rehashed(document | {"mechanisms": [table | polygon]}))
    n = reading.NUMBERS + 1
    rows = {"lattice": list(map(float, range(n))), "weights": [[1 << 60]] * n, "values": [0.0]}
    assert ".lattice" in refused(rehashed(document | {"mechanisms": [table | rows]}))
    columns = {"values": [0.0] * n, "weights": [[0] * n] * 5}
    assert ".values" in refused(rehashed(document | {"mechanisms": [table | columns]}))


def test_a_published_hash_is_shown_whole_where_another_design_is_refused() -> None:
    design = table_design()
    with pytest.raises(gp.InvalidDesign, match=design.hash):
        verify(design.to_bytes(), "0" * 64)


def test_an_id_does_not_depend_on_how_many_bytes_a_draw_takes() -> None:
    """The same bytes, for a value whose row is settled at once and for one whose row takes more bits."""
    design = verify(table_design().to_bytes())
    share = (Fraction(-1.5) + 2) / (Fraction(-0.9) + 2)
    words = bytes(range(16)) + int(share * 2**64).to_bytes(8, "little") + bytes(200)
    names, used = set(), set()
    for value in (-1.5, -1e9):
        source = Given(words)
        names.add(json.loads(design._line(value, source))["id"])
        used.add(source.used)
    assert names == {bytes(range(16)).hex()}
    assert len(used) == 2
