"""Simulations of many people: the seed alone decides them, whatever the threads, and chunks have noise of their own."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms import simulation
from geopriv.spaces import threads
from geopriv.spaces.checks import FloatArray
from tests.rows import Row, rows

FIRST = {(row.name.split(" / ")[0], type(row.asked.query.space)): row for row in reversed(rows())}
every_mechanism_and_space = pytest.mark.parametrize("row", FIRST.values(), ids=[row.name for row in FIRST.values()])
LAPLACE = gp.LipschitzLaplace.calibrate(gp.Threshold(0.0, 1.0), 1.0)


def use(monkeypatch: pytest.MonkeyPatch, cores: int, chunk: int = 100) -> None:
    monkeypatch.setattr(threads, "cores", lambda: cores)
    monkeypatch.setattr(simulation, "CHUNK", chunk)


@every_mechanism_and_space
def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    people = np.resize(row.values, (1050, *row.values.shape[1:]))
    made = []
    for cores, seed in ((1, 0), (2, 0), (7, 0), (2, 1)):
        use(monkeypatch, cores)
        made.append(row.mechanism.simulate(people, np.random.default_rng(seed)).values)
    np.testing.assert_array_equal(made[0], made[1])
    np.testing.assert_array_equal(made[0], made[2])
    assert len(made[0]) == len(people)
    assert not np.array_equal(made[0], made[3])


class Stuck(np.random.Generator):
    """The planted fault: every chunk is given the same seed."""

    def integers(self, *arguments: Any, **options: Any) -> Any:
        return np.zeros_like(super().integers(*arguments, **options))


def likeness(rng: np.random.Generator) -> float:
    """The largest z-score of a correlation between two of 50 chunks of 1000 people each."""
    chunks = LAPLACE.simulate(np.zeros(50_000), rng).values.reshape(50, 1000)
    return float(np.abs(np.corrcoef(np.sign(chunks - 0.5))[np.triu_indices(50, 1)]).max() * np.sqrt(1000))


def test_chunks_are_not_alike_and_chunks_of_one_seed_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """1225 pairs: independent ones exceed 5.5 with probability 5e-5, and the seed is fixed."""
    use(monkeypatch, 2, 1000)
    assert likeness(np.random.default_rng(4)) < 5.5
    assert likeness(Stuck(np.random.PCG64(4))) > 5.5


GENERATORS: list[Callable[[], np.random.Generator]] = [
    lambda: np.random.Generator(np.random.MT19937(2)),
    lambda: np.random.Generator(np.random.SFC64(2)),
    lambda: np.random.Generator(np.random.RandomState(2)._bit_generator),  # cannot spawn
]


@pytest.mark.parametrize("make", GENERATORS)
def test_any_generator_will_do_and_moves_on(
    make: Callable[[], np.random.Generator], monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, 2)
    rng = make()
    first, second = (LAPLACE.simulate(np.zeros(1000), rng).values for _ in range(2))
    assert not np.isin(first, second).any()
    np.testing.assert_array_equal(LAPLACE.simulate(np.zeros(1000), make()).values, first)


def test_few_people_are_drawn_from_the_generator_itself() -> None:
    x = np.linspace(-1, 1, 1000)
    noise = np.random.default_rng(6).laplace(size=1000)
    expected = LAPLACE.query(x) + LAPLACE.scale(x) * noise
    np.testing.assert_array_equal(LAPLACE.simulate(x, np.random.default_rng(6)).values, expected)


def test_one_bad_value_among_many_is_refused_before_anything_is_drawn() -> None:
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    with pytest.raises(gp.OutOfDomain, match="finite"):
        LAPLACE.simulate(np.append(np.zeros(200_000), np.nan), rng)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(
    ("query", "shape"),
    [(gp.GaussianKernel(0.0, 1.0), (7, 150)), (gp.GaussianKernel((0.0, 0.0), 1.0), (7, 150, 2))],
)
def test_people_come_in_any_shape(
    query: gp.queries.Query, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, 2)
    x = np.random.default_rng(1).normal(size=shape)
    point = query.space.point_shape
    for mechanism, form in (
        (gp.SmoothT.calibrate(query, 1.0), ()),
        (gp.Lattice.calibrate(query.space, 1.0), point),
        (gp.VectorSmoothCauchy.calibrate((query, query, query), 1.0), (3,)),
    ):
        drawn = mechanism.simulate(x, np.random.default_rng(2)).values
        assert drawn.shape == (7, 150, *form)
        flat = mechanism.simulate(x.reshape(-1, *point).tolist(), np.random.default_rng(2)).values
        np.testing.assert_array_equal(drawn, flat.reshape(drawn.shape))


def peak(mechanism: gp.mechanisms.Mechanism, x: FloatArray) -> int:
    mechanism.simulate(x[:10], np.random.default_rng(0))
    tracemalloc.start()
    try:
        mechanism.simulate(x, np.random.default_rng(0))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_beside_points_and_releases_a_few_chunks_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    n, chunk = 1 << 18, 1 << 12
    mechanism, x = gp.LeastScaleT.calibrate(gp.GaussianKernel((0.0, 0.0), 1.0), 1.0), np.zeros((n, 2))
    use(monkeypatch, 2, chunk)
    limit = 8 * (3 * n + 2 * 30 * chunk)
    assert peak(mechanism, x) < limit
    use(monkeypatch, 2, n)
    assert peak(mechanism, x) > limit


def test_threads_do_about_overflows_what_the_caller_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(values: FloatArray) -> FloatArray:
        return np.asarray(np.minimum(1 / np.abs(values), 1.0))

    mechanism = gp.LipschitzLaplace.calibrate(gp.LipschitzQuery(function, 1.0), 1.0)
    use(monkeypatch, 2)
    with np.errstate(divide="ignore"):
        assert np.isfinite(mechanism.simulate(np.zeros(1000), np.random.default_rng(0)).values).all()
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        mechanism.simulate(np.append(np.ones(999), 0.0), np.random.default_rng(0))
