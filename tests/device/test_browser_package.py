"""What the package of the browser's device holds, what it says of itself, and how much of it a browser loads."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.surveys.design import Design
from tests.browser import Browser
from tests.node_device import CLIENT, NODE

SOURCES = sorted((CLIENT / "src").glob("*.js"))
GUIDE = Path(__file__).parents[2] / "docs" / "client.md"
MOST = 60_000  # bytes that an ordinary design loads
INCOME = gp.Threshold(at=100_000, width=16_000, space=gp.Line("USD"))
CITY = gp.LocalPlane(40.5, -74.3, 40.95, -73.7)
ORDINARY: dict[str, tuple[Design, Any]] = {
    "table on a line": (
        Design("income", (gp.Table.calibrate(INCOME, "1 per 8,000 USD"),), (), (), gp.Source(("usd",), (0.0,), (1e6,))),
        52_000,
    ),
    "lattice on a plane": (Design("plane", (gp.Lattice.calibrate(gp.Plane("m"), 1e-3),)), [1.0, 2.0]),
    "lattice on a map": (
        Design("map", (gp.Lattice.calibrate(CITY, 1e-3),), (), (), gp.Source(("lat", "lon"))),
        [40.7, -74.0],
    ),
}
OPEN = """
const gp = await import("/clients/js/src/index.js");
const parts = () => performance.getEntriesByType("resource").map((part) => [part.name, part.decodedBodySize]);
const client = await gp.Client.open(new TextEncoder().encode(design), policy, "sizes of " + design.length);
const before = parts().length;
const { mechanism } = JSON.parse(await client.report(value));
return [parts().filter(([name]) => name.endsWith(".js")), parts().length - before, mechanism];
"""


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_design_loads_at_most_60_kb_and_nothing_once_there_is_a_value(
    name: str, browser: Browser, site: str
) -> None:
    design, value = ORDINARY[name]
    policy = {"unit": design.space.distance_unit, "mostEpsilon": 1, "total": 1, "hash": design.hash, "after": 0}
    given = {"design": design.to_bytes().decode(), "value": value, "policy": policy | {"degrees": "map" in name}}
    constants = "".join(f"const {key} = {json.dumps(each)};\n" for key, each in given.items())
    with browser.tab(site) as tab:
        parts, later, mechanism = tab.run(f"(async () => {{ {constants}{OPEN} }})()")
    assert mechanism == 0
    assert later == 0
    files = {part.rpartition("/")[2]: size for part, size in parts}
    assert files == {file: (CLIENT / "src" / file).stat().st_size for file in files}
    assert not {"far.js", "globe.js", "shared.js", "groups.js"} & set(files)
    loaded = sum(files.values())
    assert 20_000 < loaded <= MOST
    assert f"| {name} | {loaded / 1000:.1f} kB |" in (CLIENT / "README.md").read_text(encoding="utf-8")
    assert f"{loaded / 1000:.1f}" in GUIDE.read_text(encoding="utf-8")


def test_the_readme_says_how_much_there_is_in_all() -> None:
    whole = sum(path.stat().st_size for path in SOURCES)
    assert f"| everything | {whole / 1000:.1f} kB |" in (CLIENT / "README.md").read_text(encoding="utf-8")
    assert f"{whole / 1000:.1f} kB" in GUIDE.read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed: the package was not packed")
def test_the_package_holds_the_device_its_types_its_words_and_nothing_else() -> None:
    command = ["npm", "pack", "--dry-run", "--json", "--offline", "--ignore-scripts"]
    done = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, timeout=120, check=True)
    (packed,) = json.loads(done.stdout)
    wanted = {"LICENSE", "README.md", "package.json", "src/index.d.ts"} | {f"src/{path.name}" for path in SOURCES}
    assert {file["path"] for file in packed["files"]} == wanted
    assert not list(CLIENT.glob("*.tgz"))


def test_the_package_needs_no_other_and_is_of_the_version_of_the_library() -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert package["version"] == project["project"]["version"]
    assert not [key for key in package if "ependencies" in key]


def declared(text: str) -> dict[str, set[str]]:
    """The classes and functions of a declaration file, and the methods of each class."""
    found: dict[str, set[str]] = {}
    for kind, name, rest in re.findall(r"^export (class|function) (\w+)(.*(?:\n  .*)*)", text, re.MULTILINE):
        methods = re.findall(r"^  (?:static )?(\w+)\(", rest, re.MULTILINE) if kind == "class" else []
        found[name] = set(methods) - {"constructor", "private"}
    return found


def exported() -> dict[str, set[str]]:
    """What the module exports, and the methods of each class."""
    code = """
    const all = await import("./src/index.js");
    const methods = (one) => Object.getOwnPropertyNames(one).filter((n) => typeof one[n] === "function");
    const own = (one) => [...methods(one.prototype ?? {}), ...methods(one)].filter((n) => n !== "constructor");
    console.log(JSON.stringify(Object.fromEntries(Object.entries(all).map(([n, one]) => [n, own(one)]))));
    """
    assert NODE is not None
    command = [NODE, "--input-type=module", "-e", code]
    done = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, timeout=60, check=True)
    return {name: set(methods) for name, methods in json.loads(done.stdout).items()}


@pytest.mark.skipif(NODE is None, reason="Node is not installed: exports were not compared")
def test_the_declarations_name_what_the_module_exports_and_every_name_that_is_missing_is_seen() -> None:
    text = (CLIENT / "src" / "index.d.ts").read_text(encoding="utf-8")
    names = exported()
    assert declared(text) == names
    assert names["Client"] == {"open", "report", "close"}
    for planted in ("export class Refused", "export function verify", "  close(): void;"):
        assert planted in text
        assert declared(text.replace(planted, "// gone")) != names
    assert declared(text + "export function more(): void;\n") != names
