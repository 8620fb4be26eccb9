"""Round noise on a device against the published rule, written apart: reports, bytes, and losses of the worst pairs."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import geopriv as gp
from geopriv.device.mechanisms import read_mechanism
from geopriv.device.values import read_value
from tests import independent, independent_rounds
from tests.designs import Given, Stream
from tests.rows import CITY

VECTORS = Path(__file__).parents[2] / "docs" / "vectors"
GRIDS: dict[str, tuple[gp.spaces.Space, float, float]] = {
    "plane": (gp.Plane("m"), 1e-3, 20.0),
    "coarse plane": (gp.Plane("m"), 1e-3, 4000.0),
    "space": (gp.Euclidean(4), 1.0, 0.3),
    "city": (CITY, 1e-3, 150.0),
}


def document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(gp.Lattice.on_grid(*GRIDS[name], noise="round").to_document()))
    return found


def values_of(name: str, rng: random.Random, n: int) -> list[list[float]]:
    if name == "city":
        return [[rng.uniform(40.5, 40.9), rng.uniform(-74.2, -73.7)] for _ in range(n)]
    return [[rng.uniform(-5, 5) / GRIDS[name][1] for _ in document(name)["origin"]] for _ in range(n)]


@pytest.mark.parametrize("name", GRIDS)
def test_a_device_follows_the_published_rule(name: str) -> None:
    grid, rng = document(name), random.Random(1)
    device, axes = read_mechanism(grid, "it"), len(grid["origin"])
    for k, value in enumerate(values_of(name, rng, 40)):
        words = [rng.choice([bytes(8), b"\xff" * 8, bytes(7) + b"\x80", None]) for _ in range(2 * axes + 1)]
        first = b"".join(word or rng.randbytes(8) for word in words) if k % 2 else b""
        data = first + Stream(k)(1 << 13)
        source = Given(data)
        made = device.draw(read_value(device.space, value), source)
        with independent.digits(1200):
            exact = tuple(Fraction(number) for number in value)
            expected = independent_rounds.round_report(grid, independent.positions(grid, exact), data)
        assert expected == (made, source.used), (value, k)


def test_the_published_vectors_follow_the_rule() -> None:
    looked_at = 0
    for case in json.loads((VECTORS / "client.json").read_text("utf-8"))["cases"]:
        if not case["design"].startswith("round"):
            continue
        grid = json.loads((VECTORS / case["design"]).read_text("utf-8"))["mechanisms"][0]
        with independent.digits(1200):
            at = independent.positions(grid, tuple(map(Fraction, case["value"])))
            expected = independent_rounds.round_report(grid, at, bytes.fromhex(case["bytes"])[16:])
        assert expected == (tuple(case["report"]), case["used"] - 16)
        looked_at += 1
    assert looked_at == 24


def worst_loss(grid: dict[str, Any], rng: random.Random) -> float:
    """The largest loss over what is promised between places in one cell, in balls."""
    worst, axes = 0.0, len(grid["origin"])
    allowed = grid["guarantee"]["epsilon"] * grid["step"]
    far = [0, 1, -1, 3, round(1 / (2 * math.log1p(grid["theta"][0] / grid["theta"][1]))), 400]
    with independent.digits(300):
        for cell in product(far, repeat=axes):
            start = [rng.choice((0.0, 1.0)) if rng.random() < 0.8 else 0.5 for _ in range(axes)]
            way = [
                rng.choice((1, 0.2)) * (1 if side < 1 else -1) * (1 + abs(k))
                for side, k in zip(start, cell, strict=True)
            ]
            size = math.hypot(*way)
            end = [a + 1e-6 * b / size for a, b in zip(start, way, strict=True)]
            laws = [
                independent_rounds.law(grid, [(0, independent.ball(part)) for part in place], cell)
                for place in (start, end)
            ]
            distance = math.dist(start, end)
            worst = max(worst, float(abs((laws[0] / laws[1]).log())) / (allowed * distance))
    return worst


@pytest.mark.parametrize("name", ["plane", "coarse plane"])
def test_losses_are_within_the_promise_and_a_larger_theta_is_not(name: str) -> None:
    grid = document(name)
    assert 0.98 < worst_loss(grid, random.Random(2)) <= 1 + 1e-9
    top, bottom = grid["theta"]
    assert worst_loss(grid | {"theta": [102 * top, 100 * bottom]}, random.Random(2)) > 1


def test_the_number_of_attempts_does_not_depend_on_the_value() -> None:
    """200 streams at two places that share no digits: equally many bytes are read at both, one attempt or several."""
    device, used = read_mechanism(document("plane"), "it"), set()
    for k in range(200):
        sources = [Given(Stream(k)(1 << 11)) for _ in range(2)]
        for source, value in zip(sources, ([0.1, 7.7], [-1e5 / 3, 1e6 / 7]), strict=True):
            device.draw(read_value(device.space, value), source)
        assert sources[0].used == sources[1].used
        used.add(sources[0].used // 40)
    assert len(used) > 2
