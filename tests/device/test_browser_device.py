"""The browser's device answers as the Python device does, bit for bit."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import shapely

import geopriv as gp
from geopriv.device.reading import CORNERS, LOOKS
from tests.crafted_kinds import of_further_kinds, of_kind
from tests.crafting import Crafted, crafted
from tests.designs import Given, Stream, document_of, rehashed, table_design
from tests.hostile import polygons, shared
from tests.node_device import CLIENT, HERE, NODE, SORTS, browser, differences, python, read
from tests.shared_by_hand import by_hand, design_of, hidden_in_a_wide_cell

pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed: the browser's device was not compared")
VECTORS = Path(__file__).parents[2] / "docs" / "vectors"


def test_both_devices_take_and_answer_the_same_of_what_an_enemy_writes() -> None:
    """10^5 draws by `python bench/javascript.py`; here a few hundred."""
    told = differences(crafted(150, 5), seed=5)
    assert not told.found
    assert told.designs == 150
    assert told.draws > 200


def test_both_devices_take_and_answer_the_same_of_all_further_kinds() -> None:
    """The same bench sees to it that each kind is drawn from on each space."""
    told = differences(of_further_kinds(150, 8), seed=5)
    assert not told.found
    assert {sort.split(" on ")[0] for sort in told.reached} == {sort.split(" on ")[0] for sort in SORTS}
    assert told.draws > 200


@pytest.mark.parametrize(
    ("kind", "file", "honest", "wrong"),
    [
        ("spare rows", "letters.js", "second & 15n", "second & 7n"),
        ("spare rows", "weights.js", "(3n * right - first - 2n * second)), 3n * right]", "0n), 1n]"),
        ("round noise", "rounds.js", "x.times(x).over(TWO)", "x.times(x)"),
        ("round noise", "uniform.js", "2 * (this.bits + 64) - 64", "2 * this.bits"),  # more bits, where 64 are too few
        ("several", "designs.js", "mechanisms[which]", "mechanisms[0]"),
        ("groups and ranges", "groups.js", "names.length < 2", "names.length < 3"),
        ("groups and ranges", "spaces.js", "part.less(low[k]) ?", "low[k].less(part) ?"),
        ("a vector", "table.js", "document.others.length", "document.vectors.length"),
    ],
)
def test_a_device_with_one_wrong_word_would_be_seen(
    kind: str, file: str, honest: str, wrong: str, tmp_path: Path
) -> None:
    """Planted."""
    folder = changed(tmp_path, file, honest, wrong)
    assert differences(of_kind(kind, 60, 4), seed=5, folder=folder).found


def test_a_device_that_settles_a_shared_report_too_early_would_be_seen(tmp_path: Path) -> None:
    """Planted: it takes the 64 bits that it has for the number itself, and does not draw more."""
    files = [Crafted("shared", (VECTORS / "shared.design.json").read_bytes())] * 8
    assert not differences(files, seed=5).found
    assert differences(
        files, seed=5, folder=changed(tmp_path, "shared.js", "at(numerator + 1n)", "at(numerator)")
    ).found


def changed(folder: Path, file: str, honest: str, wrong: str) -> Path:
    """A copy of the browser's device with other words in a file."""
    shutil.copytree(CLIENT / "src", folder / "clients" / "js" / "src")
    shutil.copy(CLIENT / "package.json", folder / "clients" / "js")
    (folder / "tests").mkdir()
    shutil.copy(HERE / "tests" / "node_device.js", folder / "tests")
    path = folder / "clients" / "js" / "src" / file
    words = path.read_text(encoding="utf-8")
    assert words.count(honest) == 1
    path.write_text(words.replace(honest, wrong), encoding="utf-8")
    return folder


@pytest.mark.parametrize("odd", [{}, [{}], [[{}, None], 1], {"toString": 1}, {"type": {}}, None])
def test_what_is_no_number_is_refused_as_a_design_whatever_it_is(odd: Any) -> None:
    """Where an error quotes it: objects of a document have no prototype, and so no words of their own."""
    document = document_of(table_design())
    (table,) = document["mechanisms"]
    lattice = table | {"lattice": [odd, *table["lattice"][1:]]}
    linear = table | {"coordinate": table["coordinate"] | {"direction": [odd]}}
    files = [document | {"mechanisms": [one]} for one in (lattice, linear)] + [
        document | {"shares": [odd], "version": 3}
    ]
    with browser() as device:
        for one in [*files, document | {"version": odd}]:
            answer = device.keep("it", rehashed(one))
            assert answer["error"] == "InvalidDesign"
            assert "Got " in answer["words"]


def times(name: str, folder: Path = HERE) -> list[float]:
    """The least of some times of a draw near and far, from a hostile polygon, the measurements taking turns."""
    one = polygons(4_000)[name]
    space = gp.Earth() if one.earth else gp.Plane()
    (table,) = document_of(table_design(gp.Ball((0.0, 0.0), 1.0, 1.0, space), 1.0))["mechanisms"]
    table["coordinate"] = {"type": "EarthRegion" if one.earth else "Region", "rings": [one.ring]}
    least = [math.inf, math.inf]
    with browser(folder) as device:
        document = document_of(table_design()) | {"mechanisms": [table], "guarantee": table["guarantee"]}
        assert device.keep("it", rehashed(document))["ok"]
        for k in range(60):
            value = [str(part) for part in (one.near, one.far)[k % 2]]
            began = time.perf_counter()
            device(name="it", value=value, bytes=bytes(range(64)).hex())
            least[k % 2] = min(least[k % 2], time.perf_counter() - began)
    return least


@pytest.mark.parametrize("name", ["Plane, one edge many times", "Earth, one edge many times", "Plane, fan"])
def test_a_draw_takes_about_as_long_wherever_somebody_is(name: str) -> None:
    """1.4 times as long at most, and three times where edges that are far away are left out."""
    near, far = times(name)
    assert max(near, far) < 2 * min(near, far)


def test_a_draw_that_leaves_out_far_edges_is_caught(tmp_path: Path) -> None:
    """Planted."""
    honest = "for (const { ay, by, dx, dy, inner, outer, size } of edges) {"
    wrong = "for (const { ax, ay, by, dx, dy, inner, outer, size } of edges) { if ((px - ax) >> 164n > 0n) continue;"
    near, far = times("Plane, one edge many times", changed(tmp_path, "regions.js", honest, wrong))
    assert max(near, far) > 2 * min(near, far)


def test_both_devices_take_as_many_letters_and_corners_that_share_a_report() -> None:
    ring = polygons(90)["Plane, fan"].ring
    whole = [*ring, *[ring[-1]] * (CORNERS - len(ring))]
    rings = [whole] * (LOOKS // CORNERS)
    with browser() as device:
        for left_out, taken in ((len(rings), True), (len(rings) - 1, False)):
            data = shared([whole[:-left_out], *rings[1:]])
            assert (read(data) is not None) is device.keep("it", data)["ok"] is taken


Said = tuple[list[float], list[int]]  # a lattice, and in 64ths how often something is said there


def sharing(said: list[Said], share: list[int], away: tuple[float, float] = (0.0, 0.0)) -> bytes:
    """A design of tables that share a report, each around a disc at the origin, but for the last."""
    (table,) = document_of(table_design(gp.Ball((0.0, 0.0), 1.0, 1.0, gp.Plane()), 1.0))["mechanisms"]
    unit = 1 << 54
    tables = [
        table | {"lattice": lattice, "values": [0.0, 1.0], "weights": [[(64 - k) * unit, k * unit] for k in often]}
        for lattice, often in said
    ]
    tables[-1]["coordinate"] = table["coordinate"] | {"center": list(away)}
    shared = {"type": "SharedTables", "space": table["space"], "guarantee": table["guarantee"]}
    shared |= {"tables": tables, "share": share}
    return rehashed(document_of(table_design()) | {"mechanisms": [shared], "guarantee": table["guarantee"]})


WIDE = [-1.7e308, 1.7e308]
NEAR = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [57, 50, 36, 18, 9, 5]


@pytest.mark.parametrize(
    ("data", "taken"),
    [
        (sharing([(WIDE, [1, 58]), NEAR], [19, 20]), False),  # they are heard 1.3 times in all: the promise is broken
        (sharing([(WIDE, [58, 1]), (WIDE, [58, 1])], [3, 4]), True),  # each is heard half of the time, wherever one is
    ],
)
def test_a_cell_wider_than_all_floats_hides_nothing_and_adds_nothing(data: bytes, taken: bool, tmp_path: Path) -> None:
    """Where its width overflows, a table is taken to be heard as often everywhere as at the cell's left end."""
    assert (read(data) is not None) is taken
    with browser() as device:
        assert device.keep("it", data)["ok"] is taken
    with browser(changed(tmp_path, "far.js", "(s / 2 - a / 2) / (b / 2 - a / 2)", "(s - a) / (b - a)")) as device:
        assert device.keep("it", data)["ok"] is not taken


@pytest.mark.parametrize(
    ("away", "share", "taken"),
    [
        ((3.17, -2.94), [2251799813685248, 3725413795771113], False),
        ((5.27, -1.43), [2251799813685248, 3140585767718059], True),
    ],
)
def test_both_devices_agree_on_the_largest_share_to_its_last_bit(
    away: tuple[float, float], share: list[int], taken: bool, tmp_path: Path
) -> None:
    """A share that is the largest there is, or larger by one bit; `hypot` of either language gives another."""
    data = sharing([NEAR, NEAR], share, away)
    assert (read(data) is not None) is taken
    with browser() as device:
        assert device.keep("it", data)["ok"] is taken
    with browser(
        changed(tmp_path, "far.js", "return [way, length(way)]", "return [way, Math.hypot(...way)]")
    ) as device:
        assert device.keep("it", data)["ok"] is not taken


@pytest.mark.parametrize(("other", "taken"), [({}, True), ({"base": 2}, False), ({"floor": 1}, False)])
def test_one_space_is_written_in_one_way(other: dict[str, Any], taken: bool) -> None:
    """2 and 2.0 are one number to some readers and two to others: both devices refuse. Found by the bench."""
    document = document_of(table_design(gp.Threshold(1000.0, 0.5, gp.LogLine(2.0)), 2.0))
    (table,) = document["mechanisms"]
    again = table | {"space": table["space"] | other}
    data = rehashed(document | {"mechanisms": [table, again], "shares": [1, 1]})
    with browser() as device:
        assert device.keep("it", data)["ok"] is taken
    assert (read(data) is not None) is taken


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


PLANE, LINE = {"type": "Plane", "unit": "m"}, {"type": "Line", "unit": "m"}
SHARED = {
    "far": by_hand(PLANE, "m", 1.0, [[0.0, 0.0], [80.0, 0.0]]),
    "near": by_hand(PLANE, "m", 1.0, [[0.0, 0.0], [0.0, 0.0]]),
    "near, and one whose squares overflow": by_hand(PLANE, "m", 1.0, [[0.0, 0.0], [0.0, 0.0], [1e200, 0.0]]),
    "on a line, and one far beyond": by_hand(LINE, "m", 1.0, [[0.0], [0.0], [1e155]]),
    "on Earth": by_hand({"type": "Earth", "radius": 6371008.8}, "m", 1.0, [[0.0, 0.0], [0.0, 90.0]]),
    "of an epsilon beyond all measure": by_hand(PLANE, "m", 1e-160, [[0.0, 0.0], [0.0, 0.0]]),
    "in a cell wider than all floats": hidden_in_a_wide_cell(),
}


def test_both_devices_refuse_shared_reports_that_break_their_promise() -> None:
    with browser() as device:
        for name, mechanism in SHARED.items():
            data = rehashed(design_of(mechanism))
            assert device.keep("it", data)["ok"] is (name == "far"), name
            assert (read(data) is not None) is (name == "far"), name
