"""The browser's device in Node, beside the Python device: the same designs, values and bytes."""

from __future__ import annotations

import base64
import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from geopriv.device.designs import VerifiedDesign, verify
from geopriv.errors import GeoprivError
from tests.crafted_values import places_to_try
from tests.crafting import crafted
from tests.designs import Given, Stream

CLIENT = Path(__file__).parents[1] / "clients" / "js"
NODE = shutil.which("node") or shutil.which("nodejs")


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
def browser() -> Iterator[Browser]:
    """A process of Node that lives as long as the context."""
    assert NODE is not None
    command = [NODE, str(Path(__file__).with_name("node_device.js"))]
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


def differences(designs: int, seed: int) -> tuple[int, int, list[str]]:
    """How many designs and draws were compared, and what differs.

    Args:
        designs: crafted files; of those that are accepted six values each are drawn.
        seed: of the files, values and bytes.
    """
    rng, found, draws = random.Random(seed), [], 0
    with browser() as device:
        for one in crafted(designs, seed):
            design, told = read(one.data), device.keep("it", one.data)
            if (design is not None) != told["ok"]:
                found.append(f"{one.name}: Python {design is not None}, browser {told}")
                continue
            if design is None:
                continue
            for mechanism in design.document["mechanisms"][:2]:
                values = places_to_try(rng, mechanism["tables"][0] if "tables" in mechanism else mechanism)
                for value in values:
                    draws += 1
                    found += _drawn(device, design, list(map(float, value)), rng.getrandbits(32))
    return designs, draws, found


def _drawn(device: Browser, design: VerifiedDesign, value: list[float], seed: int) -> list[str]:
    names = design.groups.names
    told = names[seed % len(names)] if names else None
    given = Stream(seed)(1 << 12)
    try:
        mine = python(design, value, Given(given), told)
    except EOFError:  # once in a blue moon more is needed
        given = Stream(seed)(1 << 18)
        mine = python(design, value, Given(given), told)
    theirs = device(name="it", value=value, bytes=given.hex(), told=told)
    alike = all(mine.get(key) == theirs.get(key) for key in ("line", "used", "error"))
    return [] if alike else [f"{design}: {value}: Python {mine}, browser {theirs}"]
