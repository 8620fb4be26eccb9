"""Ten thousand designs of an enemy: each is refused with a sentence, or its law is shown to be the promised one.

Nothing of what is compared with comes from the device: coordinates, distances, interpolated weights, the closed law of
a lattice and the rule from bytes to a report are computed from the document in balls (`tests.independent`).
"""

from __future__ import annotations

import copy
import json
import math
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pytest
from flint import arb

import geopriv as gp
from geopriv.device.designs import VerifiedDesign, verify
from geopriv.device.files import canonical
from geopriv.device.mechanisms import DeviceMechanism, read_mechanism
from geopriv.device.texts import seen
from geopriv.device.values import read_value
from tests import independent, independent_draws, independent_rounds
from tests.crafted_parts import Document
from tests.crafted_values import places_to_try
from tests.crafting import Crafted, crafted
from tests.designs import (
    Given,
    Stream,
    document_of,
    lattice_design,
    rehashed,
    table_design,
)
from tests.independent_coordinates import coordinate_of

N, SEED = 10_000, 13
SLOWEST = 3.0  # seconds that a device may look at one of these files, on a busy machine
ROOM = Fraction(1, 1 << 150)  # of what balls leave open


@lru_cache(maxsize=1)
def judged() -> tuple[list[tuple[Crafted, VerifiedDesign]], list[tuple[Crafted, gp.InvalidDesign]], float]:
    """Which are accepted, which refused and how, and the longest time that one took; other errors are failures."""
    accepted, refused, slowest = [], [], 0.0
    for one in crafted(N, SEED):
        start = time.perf_counter()
        try:
            accepted.append((one, verify(one.data)))
        except gp.InvalidDesign as error:
            refused.append((one, error))
        slowest = max(slowest, time.perf_counter() - start)
    return accepted, refused, slowest


def test_crafted_designs_are_refused_with_a_printable_sentence_in_little_time() -> None:
    accepted, refused, slowest = judged()
    assert len(accepted) + len(refused) == N
    assert len(accepted) > N / 5
    assert len(refused) > N / 5
    for one, error in refused:
        words = str(error)
        assert seen(words), one.name
        assert words.replace("80°", "").isascii(), one.name
        assert words.endswith("."), one.name
        assert len(words) < 320, one.name
    assert slowest < SLOWEST


def test_crafted_designs_reach_every_space_and_query_and_every_rule() -> None:
    accepted, refused, _ = judged()
    found = [(design.mechanisms[0].space.kind, json.loads(one.data)["mechanisms"][0]) for one, design in accepted]
    asked = Counter((kind, str(document.get("query", {}).get("type"))) for kind, document in found)
    assert sum(times >= 3 for times in asked.values()) >= 35
    kinds = Counter((kind, document.get("coordinate", {}).get("type")) for kind, document in found)
    assert len(kinds) == 5 + 2 + 3 * 5 + 3  # lattices, on Earth, on other spaces, polygons
    assert min(kinds.values()) >= 2
    assert len({str(error)[:25] for _, error in refused}) >= 60


def test_the_library_accepts_no_other_designs_and_refuses_by_name() -> None:
    """It may be stricter: in shapes of profiles and polygons, places, questions, references, types of numbers."""
    accepted, _, _ = judged()
    stricter = Counter[str]()
    for one, _ in accepted[::3]:
        try:
            gp.Design.parse(one.data)
            stricter["accepted"] += 1
        except gp.InvalidDesign as error:
            stricter[str(error)[:20]] += 1
    assert stricter["accepted"] > sum(stricter.values()) / 2


def test_the_library_takes_the_coordinate_of_the_question_and_no_other() -> None:
    """By two computations apart, to the last bit; whatever else a device runs, the library does not answer from."""
    taken, refused = 0, 0
    for one, _ in judged()[0]:
        if "made" not in one.name or "Lattice" in one.name:
            continue
        document = json.loads(one.data)["mechanisms"][0]
        own = "its own coordinate" in one.name
        words = ""
        try:
            gp.Design.parse(one.data)
        except gp.InvalidDesign as error:
            words = str(error)
        if words:
            assert not own or "Table.coordinate" not in words, one.name
            refused += not own and "Table.coordinate" in words
        else:
            assert canonical(coordinate_of(document["query"])) == canonical(document["coordinate"]), one.name
            taken += own
    assert taken > 600
    assert refused > 100


def bits_of(*things: Any) -> int:
    """Digits with which numbers of very different sizes can be added up: from the largest to the smallest of them."""
    text = json.dumps(things, default=lambda number: float(number) if abs(number) < 1e308 else 1e308)
    sizes = [abs(number) for number in _numbers(json.loads(text)) if number]
    exponents = [0, *(math.frexp(float(min(size, 10**308)))[1] for size in sizes)]
    return 400 + 2 * (max(exponents) - min(exponents))


def _numbers(tree: Any) -> Iterator[float]:
    if isinstance(tree, list | dict):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _numbers(part)
    elif isinstance(tree, int | float) and not isinstance(tree, bool):
        yield tree


def losses(document: Document, values: Sequence[independent.Value]) -> Iterator[tuple[arb, arb]]:
    """The loss between every value and the next one, and what is promised for them; both in balls."""
    rate = independent.ball(document["guarantee"]["epsilon"])
    if document["type"] == "Table":
        space = document["space"]
        found = [independent.table_law(document, independent.coordinate(document, x)) for x in values]
        used = [j for j, column in enumerate(zip(*document["weights"], strict=True)) if any(column)]
        logs = [[law[j].log() for j in used] for law in found]
        for (x, here), (y, there) in pairwise(zip(values, logs, strict=True)):
            loss = independent.greatest([abs(a - b) for a, b in zip(here, there, strict=True)])
            yield loss, rate * independent.distance(space, x, y)
        return
    places = [independent.positions(document, x) for x in values]
    for (x, here), (y, there) in pairwise(zip(values, places, strict=True)):
        if "core" in document:
            yield independent_rounds.loss(document, here, there), rate * independent.distance(document["space"], x, y)
            continue
        loss = sum((independent.axis_loss(document, a, b) for a, b in zip(here, there, strict=True)), arb(0))
        yield loss, rate * independent.distance(document["space"], x, y)


def broken(document: Document, values: Sequence[independent.Value]) -> bool:
    """Whether some loss is not certainly within the promise."""
    with independent.digits(bits_of(document, values)):
        return any(not loss <= promised + independent.ball(ROOM) for loss, promised in losses(document, values))


def differs(document: Document, device: DeviceMechanism, value: independent.Value, seed: int) -> int:
    """How many of three reports, from zeros, ones and random bytes first, are not what the rule gives."""
    axes = len(document["origin"]) if document["type"] == "Lattice" else 1
    numbers, words = (2 * axes, 2 * axes) if document["type"] == "Lattice" else (1, 2)
    rule = independent_draws.grid_report if document["type"] == "Lattice" else independent_draws.table_report
    precise = bits_of(document, value) + independent_draws.BITS
    with independent.digits(precise):
        at = independent_draws.places(document, value)
    wrong = 0
    for first in (bytes(8), b"\xff" * 8, None):
        tail = Stream(seed)(independent_draws.length(numbers, words))
        start = b"".join((first or tail[16 * k : 16 * k + 8]) + tail[16 * k + 8 : 16 * k + 16] for k in range(axes))
        data = start + tail[len(start) :]
        made = device.draw(read_value(device.space, list(value)), Given(data + Stream(seed + 1)(1 << 14)))
        with independent.digits(precise):
            if "core" in document:
                found = independent_rounds.round_report(document, at, data + Stream(seed + 1)(1 << 14))
                expected = None if found is None else found[0]
            else:
                expected = rule(document, at, data)
        wrong += expected is not None and made != expected
    return wrong


@lru_cache(maxsize=1)
def looked_at() -> list[tuple[Crafted, Document, DeviceMechanism, list[independent.Value]]]:
    """Every mechanism of every accepted design, where it is worst."""
    found = []
    for k, (one, design) in enumerate(judged()[0]):
        for document, device in zip(json.loads(one.data)["mechanisms"], design.mechanisms, strict=True):
            found.append((one, document, device, places_to_try(random.Random(k), document)))
    return found


def test_what_is_accepted_keeps_its_promise_between_the_worst_values() -> None:
    for one, document, _, values in looked_at():
        assert not broken(document, values), one.name


def test_what_is_accepted_is_drawn_as_the_rule_says_from_the_worst_words() -> None:
    for k, (one, document, device, values) in enumerate(looked_at()):
        assert not differs(document, device, values[k % len(values)], k), one.name


def planted(change: Callable[[Document], None], times: int = 40) -> tuple[int, int]:
    """How often a changed table is seen to break its promise, and to be drawn otherwise than its document says."""
    honest = document_of(table_design())["mechanisms"][0]
    changed = copy.deepcopy(honest)
    change(changed)
    seen_breaking, drawn_otherwise = 0, 0
    for k in range(times):
        values = places_to_try(random.Random(k), changed)
        seen_breaking += broken(changed, values)
        drawn_otherwise += differs(changed, read_mechanism(honest, "it"), values[k % 3], k) > 0
    return seen_breaking, drawn_otherwise


def test_a_table_that_promises_less_than_it_loses_is_caught() -> None:
    """Planted: the honest table loses up to a third of ε per unit; half of that is promised."""
    assert planted(lambda table: None) == (0, 0)
    assert planted(lambda table: table["guarantee"].update(epsilon=0.15))[0] > 10


def test_a_lattice_with_noise_one_percent_too_small_is_caught() -> None:
    honest = document_of(lattice_design(gp.Line(), 1e-3, 150.0))["mechanisms"][0]
    values = [places_to_try(random.Random(k), honest) for k in range(40)]
    assert not any(broken(honest, some) for some in values)
    top, bottom = honest["theta"]
    assert sum(broken(honest | {"theta": [101 * top, 100 * bottom]}, some) for some in values) > 10


def test_a_round_lattice_with_noise_two_percent_too_small_is_caught() -> None:
    honest = document_of(lattice_design(gp.Plane(), 1e-3, 50.0))["mechanisms"][0]
    values = [places_to_try(random.Random(k), honest) for k in range(40)]
    assert honest["core"] > 1
    assert not any(broken(honest, some) for some in values)
    top, bottom = honest["theta"]
    assert sum(broken(honest | {"theta": [102 * top, 100 * bottom]}, some) for some in values) > 5


def broken_at_corner(document: Document, rng: random.Random) -> bool:
    """Whether somebody on a lattice point and somebody a little along its diagonal are told apart by too much.

    There the loss of round noise is largest, for cells a few steps away: pairs that lie anyhow rarely see it.
    """
    step, axes = Fraction(document["step"]), len(document["origin"])
    corner = [Fraction(part) + step * rng.randrange(-50, 50) for part in document["origin"]]
    way = [step / 1000 * rng.choice((-1, 1)) for _ in range(axes)]
    x, y = tuple(corner), tuple(a + b for a, b in zip(corner, way, strict=True))
    with independent.digits(bits_of(document, x, y)):
        here, there = (independent.positions(document, value) for value in (x, y))
        promised = independent.ball(document["guarantee"]["epsilon"]) * independent.distance(document["space"], x, y)
        return not independent_rounds.corner_loss(document, here, there, range(-4, 5)) <= promised


def test_a_round_lattice_with_a_tenth_of_its_core_is_caught_by_random_pairs_at_corners() -> None:
    honest = document_of(lattice_design(gp.Plane(), 1e-3, 50.0))["mechanisms"][0]
    fewer = honest | {"core": honest["core"] // 10}
    assert fewer["core"] >= 1
    assert not any(broken_at_corner(honest, random.Random(k)) for k in range(20))
    assert sum(broken_at_corner(fewer, random.Random(k)) for k in range(20)) > 5


def test_round_lattices_that_are_accepted_keep_their_promise_at_corners() -> None:
    looked = [
        (one, document, k)
        for k, (one, document, _, _) in enumerate(looked_at())
        if "core" in document and document["space"]["type"] == "Plane"
    ]
    assert looked
    for one, document, k in looked[:40]:
        assert not broken_at_corner(document, random.Random(k)), one.name


def test_a_device_that_draws_from_another_table_is_caught() -> None:
    """Planted: the device has every lattice point half a cell elsewhere."""
    shifted = planted(lambda table: table.update(lattice=[place + 0.5 for place in table["lattice"]]), times=200)
    assert shifted[1] > 3


@pytest.mark.parametrize(
    "bad", [math.nan, math.inf, 10**400, "91.2345", True, None, [91.2345] * 70, {}, Decimal("1e999")]
)
def test_no_message_shows_a_value(bad: Any) -> None:
    for one, design in judged()[0][::100]:
        with pytest.raises(gp.OutOfDomain) as error:
            read_value(design.mechanisms[0].space, bad)
        assert not {"91", "999", "nan", "inf", "True"} & set(re.split(r"[^0-9a-zA-Z]+", str(error.value))), one.name


def test_many_large_polygons_are_refused_before_they_are_read() -> None:
    """Each is small enough; all of them would take minutes on a map."""
    ring = [[math.cos(k / 1500), math.sin(k / 1500)] for k in range(9_424)]
    fence = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    document = document_of(table_design(gp.Geofence(fence, 0.1, gp.Plane("m")), 1.0))
    verify(rehashed(document))
    several = document | {"mechanisms": document["mechanisms"] * 11, "shares": [1] * 11}
    with pytest.raises(gp.InvalidDesign, match="100,000 corners"):
        verify(rehashed(several))
