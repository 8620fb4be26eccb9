"""Round noise: the same bytes give the same report on a device, in the exact sampler, and through the float filter.

Words are random, all zeros or ones, or begin as the numbers do with which they are compared: shares of cells, limits of
proposals, and chances of acceptance. After them each person has a stream of bytes, from which longer numbers and
further attempts are taken, in the same order everywhere. Everything is fixed by seeds.
"""

from __future__ import annotations

import json
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from flint import arb

import geopriv as gp
from geopriv.device import rounds
from geopriv.device.functions import exponential
from geopriv.device.lattices import DeviceLattice
from geopriv.device.mechanisms import read_mechanism
from geopriv.device.values import read_value
from geopriv.mechanisms.lattice.noises import round_law
from geopriv.mechanisms.lattice.noises.geometric import moved
from geopriv.mechanisms.lattice.noises.round_law import RoundLaw
from geopriv.mechanisms.lattice.reports import OnLattice
from geopriv.noise import plans as bulk
from geopriv.noise.entropy import Source
from geopriv.noise.exact import Uniform, precision, refine
from geopriv.spaces.checks import FloatArray
from tests.agreement_cases import ONES, Words, grid_cases
from tests.designs import Stream
from tests.rows import CITY

EACH = 600
BOX: Any = ((-1e4, -1e4), (1e4, 1e4))
GRIDS: dict[str, tuple[gp.spaces.Space, float, float, Any]] = {
    "plane": (gp.Plane("m"), 1e-3, 150.0, BOX),
    "fine plane": (gp.Plane("m"), 1e-3, 10.0, BOX),
    "coarse plane": (gp.Plane("m"), 1e-3, 3900.0, BOX),
    "space": (gp.Euclidean(3), 0.1, 1.7, ((-20.0,) * 3, (20.0,) * 3)),
    "city": (CITY, 1e-3, 150.0, ((40.4, -74.4), (41.0, -73.6))),
}


class Given(Source):
    """Each person's own bytes: given words, then a stream. For tests only."""

    def __init__(self, words: Words) -> None:
        self._streams = [_after(row.astype("<u8").tobytes(), k) for k, row in enumerate(words)]
        self._who = np.arange(len(words))

    def words(self, people: int, count: int) -> Words:
        assert people == self._who.size
        drawn = b"".join(self._streams[k](8 * count) for k in self._who.tolist())
        return np.frombuffer(drawn, "<u8").reshape(people, count).astype(np.uint64)

    def among(self, who: slice | npt.NDArray[np.intp]) -> Given:
        some = copy(self)
        some._who = self._who[who]
        return some

    def bytes(self, n: int) -> bytes:
        (person,) = self._who.tolist()
        return self._streams[person](n)


def _after(first: bytes, seed: int) -> Stream:
    stream = Stream(seed)
    stream._left = first
    return stream


@dataclass(frozen=True, eq=False)
class Setting:
    mechanism: gp.Lattice
    device: DeviceLattice
    rows: FloatArray
    words: Words


@cache
def setting(name: str) -> Setting:
    space, rate, step, box = GRIDS[name]
    grid = gp.Lattice.on_grid(space, rate, step, noise="round")
    device = read_mechanism(json.loads(json.dumps(grid.to_document())), name)
    assert isinstance(device, DeviceLattice)
    law = grid.cell_noise.law
    assert isinstance(law, RoundLaw)
    # limits of V are those of proposals
    cases = grid_cases(replace(grid, theta=law.beta, core=None), device, box, EACH, EACH, 7)
    rng = np.random.default_rng(8)
    last = rng.integers(0, 1 << 64, EACH, dtype=np.uint64)
    last[::4] = rng.choice(np.array([0, 1, ONES - 1, ONES], dtype=np.uint64), last[::4].size)
    for k in range(1, EACH, 2):
        last[k] = min(max(_chance(law, cases.words[k]) + int(rng.integers(-1, 2)), 0), ONES)
    return Setting(grid, device, cases.rows, np.column_stack([cases.words, last]))


def _chance(law: RoundLaw, words: Words) -> int:
    """The first bits of the number with which W is compared."""
    one = Given(np.asarray([words]))
    numbers = [Uniform(word, one.among(slice(0, 1))) for word in one.words(1, words.size)[0].tolist()]
    numbers.append(Uniform(0, one.among(slice(0, 1))))

    def moves() -> list[int]:
        return [moved(v, arb(law.beta.numerator) / law.beta.denominator) for v in numbers[1::2]]

    steps = refine(moves, numbers)
    with precision(256):
        theta, beta = (arb(part.numerator) / part.denominator for part in (law.theta, law.beta))
        length = arb(sum(step * step for step in steps) + law.core).sqrt()
        chance = (sum(map(abs, steps)) * beta.log1p() - length * theta.log1p()).exp()
        return int((chance * arb(2) ** 64).floor().unique_fmpz() or 0)


def by_sampler(one: Setting, filtered: bool) -> FloatArray:
    people, _ = one.mechanism.space.read_rows(one.rows)
    plan = OnLattice(one.mechanism)
    return bulk.draw_chunk(plan, people, plan.screen(people) if filtered else None, Given(one.words))


def by_device(one: Setting) -> FloatArray:
    source = Given(one.words)
    values = (read_value(one.device.space, row.tolist()) for row in one.rows)
    drawn = [one.device.draw(value, source.among(slice(k, k + 1)).bytes) for k, value in enumerate(values)]
    return np.asarray(drawn, dtype=np.float64)


@pytest.mark.parametrize("name", GRIDS)
def test_a_device_the_sampler_and_the_filter_report_alike(name: str) -> None:
    one = setting(name)
    expected = by_sampler(one, filtered=False)
    np.testing.assert_array_equal(by_device(one), expected)
    np.testing.assert_array_equal(by_sampler(one, filtered=True), expected)


def test_a_device_whose_chance_is_off_by_little_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    one, honest = setting("plane"), exponential

    def wrong(power: Any) -> Any:
        found = honest(power)
        return type(found)(found.low + (found.low >> 62), found.high + (found.high >> 62), found.bits)

    monkeypatch.setattr(rounds, "exponential", wrong)
    assert (by_device(one) != by_sampler(one, filtered=False)).any(axis=1).sum() > 5


def test_a_filter_that_keeps_half_of_the_bits_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    one, honest = setting("plane"), round_law.round_filter

    def careless(words: Words, *rest: Any) -> None:
        cut = words.copy()
        cut[:, -1] = (words[:, -1] >> np.uint64(30) << np.uint64(30)) + np.uint64(1 << 29)
        honest(cut, *rest)

    expected = by_sampler(one, filtered=False)
    monkeypatch.setattr(round_law, "round_filter", careless)
    assert (by_sampler(one, filtered=True) != expected).any(axis=1).sum() > 5
