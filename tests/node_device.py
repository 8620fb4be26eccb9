"""The browser's device in Node, beside the Python device: the same designs, values and bytes."""

from __future__ import annotations

import base64
import json
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from geopriv.device.designs import VerifiedDesign, verify
from geopriv.errors import GeoprivError
from tests.crafted_values import places_to_try
from tests.crafting import Crafted
from tests.designs import Given, Stream

HERE = Path(__file__).parents[1]
CLIENT = HERE / "clients" / "js"
NODE = shutil.which("node") or shutil.which("nodejs")
_FLAT = ("Line", "LogLine", "Plane", "Euclidean", "LocalPlane")
_TABLES = ("Table", "Table with spare rows", "BracketTable", "VectorTable")
SORTS = frozenset(
    [f"{kind} on {space}" for kind in _TABLES for space in (*_FLAT, "Earth")]
    + [f"{kind} on {space}" for kind in ("Lattice", "SharedTables") for space in _FLAT]
    + [f"Lattice of round noise on {space}" for space in ("Plane", "Euclidean", "LocalPlane")]
    + ["several mechanisms", "groups", "a range"]
)
"""All that a design can be made of that the browser's device takes."""


@dataclass(frozen=True)
class Browser:
    """A process that answers as the browser's device would."""

    asked: IO[str]
    answered: IO[str]

    def __call__(self, **question: Any) -> dict[str, Any]:
        self.asked.write(json.dumps(question) + "\n")
        self.asked.flush()
        found: dict[str, Any] = json.loads(self.answered.readline())
        return found

    def keep(self, name: str, design: bytes) -> dict[str, Any]:
        """Read a design under a name: {ok: true}, or {error: why}."""
        return self(name=name, keep=base64.b64encode(design).decode())


@contextmanager
def browser(folder: Path = HERE) -> Iterator[Browser]:
    """A process of Node that lives as long as the context, with the device of a folder."""
    assert NODE is not None
    command = [NODE, str(folder / "tests" / "node_device.js")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as node:
        assert node.stdin is not None
        assert node.stdout is not None
        yield Browser(node.stdin, node.stdout)
        node.stdin.close()


def python(design: VerifiedDesign, value: Any, source: Any, told: str | None = None) -> dict[str, Any]:
    """What the Python device answers."""
    try:
        line = design._line(value, source, design.groups.index(told))
    except GeoprivError as error:
        return {"error": type(error).__name__}
    return {"line": line, "used": source.used}


def read(data: bytes) -> VerifiedDesign | None:
    """A design, if the Python device takes it."""
    try:
        return verify(data)
    except GeoprivError:
        return None


@dataclass
class Compared:
    """What both devices were asked.

    Args:
        designs: files.
        draws: from those that are accepted.
        found: where the devices differ, a sentence each.
        reached: draws by what a design is made of.
    """

    designs: int = 0
    draws: int = 0
    found: list[str] = field(default_factory=list)
    reached: Counter[str] = field(default_factory=Counter)

    def add(self, other: Compared) -> None:
        """Count what was asked elsewhere too."""
        self.designs += other.designs
        self.draws += other.draws
        self.found += other.found
        self.reached += other.reached


def differences(files: Iterable[Crafted], seed: int, folder: Path = HERE) -> Compared:
    """What differs between both devices; of designs that are accepted six values a mechanism are drawn.

    Args:
        files: designs.
        seed: of values and bytes.
        folder: in which the browser's device is found.
    """
    rng, told = random.Random(seed), Compared()
    with browser(folder) as device:
        for one in files:
            told.designs += 1
            design, taken = read(one.data), device.keep("it", one.data)
            if (design is not None) != taken["ok"]:
                told.found.append(f"{one.name}: Python {design is not None}, browser {taken}")
            elif design is not None:
                for value in _values(rng, design):
                    told.draws += 1
                    told.found += _drawn(device, design, value, rng.getrandbits(32))
                    told.reached.update(_made_of(design))
    return told


def _values(rng: random.Random, design: VerifiedDesign) -> list[list[Any]]:
    """Values at which the first two mechanisms may break, as floats, whole numbers or decimals of many digits."""
    found = []
    for mechanism in design.document["mechanisms"][:2]:
        for value in places_to_try(rng, mechanism["tables"][0] if "tables" in mechanism else mechanism):
            form = rng.choice((float, float, float, _longer, _whole))
            found.append([form(float(part)) for part in value])
    return found


def _longer(part: float) -> Decimal:
    """A decimal beside a float, of thirty digits more."""
    return (Decimal(part) * (1 + Decimal(10) ** -30)) if 1e-60 < abs(part) < 1e60 else Decimal(repr(part))


def _whole(part: float) -> float | int:
    return round(part) if abs(part) < 1e300 else part


def _made_of(design: VerifiedDesign) -> Iterator[str]:
    """What a design is made of, in words."""
    space = design.mechanisms[0].space.kind
    for one in design.document["mechanisms"]:
        noise = " with spare rows" if "spare" in one else " of round noise" if "core" in one else ""
        yield f"{one['type']}{noise} on {space}"
    if len(design.mechanisms) > 1:
        yield "several mechanisms"
    if design.groups.names:
        yield "groups"
    if design.limits.low:
        yield "a range"


def _drawn(device: Browser, design: VerifiedDesign, value: list[Any], seed: int) -> list[str]:
    names = design.groups.names
    told = names[seed % len(names)] if names else None
    given = _bordering(design, value, told, seed) if seed % 6 == 0 else Stream(seed)(1 << 12)
    try:
        mine = python(design, value, Given(given), told)
    except EOFError:  # once in a blue moon more is needed
        given += Stream(seed)(1 << 18)
        mine = python(design, value, Given(given), told)
    words = [part if isinstance(part, float) else str(part) for part in value]
    theirs = device(name="it", value=words, bytes=given.hex(), told=told)
    alike = all(mine.get(key) == theirs.get(key) for key in ("line", "used", "error"))
    return [] if alike else [f"{design}: {value}: Python {mine}, browser {theirs}"]


def _bordering(design: VerifiedDesign, value: list[Any], told: str | None, seed: int) -> bytes:
    """Bytes with a word that is the last before another report, or the first of that: 64 bits may not settle it."""
    rng, rest = random.Random(seed), Stream(seed)(1 << 13)
    places = [16 + 8 * k for k in range(2 * design.mechanisms[0].space.axes + 2)]  # after the id

    def given(at: int, word: int) -> bytes:
        return rest[:at] + word.to_bytes(8, "little") + rest[at + 8 :]

    def report(at: int, word: int) -> str | None:
        try:
            return python(design, value, Given(given(at, word)), told).get("line")
        except EOFError:
            return None

    for at in rng.sample(places, min(len(places), 8)):
        low, high = 0, (1 << 64) - 1
        first = report(at, low)
        if first == report(at, high):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if report(at, middle) == first else (low, middle)
        return given(at, rng.choice((low, high)))
    return rest
