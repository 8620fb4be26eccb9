"""The black box: rare faults are seen, honest samplers pass, and what cannot be seen is not claimed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import geopriv as gp
from geopriv.spaces.checks import FloatArray

Sampler = Callable[[FloatArray, np.random.Generator], FloatArray]
N = 1_000_000


def honest(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    return x + rng.laplace(size=x.shape)


def truth_once_in_a_hundred(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.where(rng.random(x.shape) < 0.01, x, honest(x, rng))


def truth_once_in_ten_thousand(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.where(rng.random(x.shape) < 1e-4, x, honest(x, rng))


def almost_the_truth(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """No output comes twice, and still one in a hundred betrays its input."""
    return np.where(rng.random(x.shape) < 0.01, x + rng.uniform(-1e-6, 1e-6, x.shape), honest(x, rng))


def truth_on_a_grid(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.rint(10 * truth_once_in_a_hundred(x, rng))


def a_far_output(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    return np.where(rng.random(x.shape) < 1e-4, 1e9 + x, honest(x, rng))


def many_rare_outputs(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The parity of the last digits tells x, once in a hundred: two thousand outputs, none of them frequent."""
    secret = 40 + (2 * rng.integers(0, 1000, x.shape) + x) / 1e3
    return np.where(rng.random(x.shape) < 0.01, secret, honest(x, rng))


FAULTS = [
    truth_once_in_a_hundred,
    truth_once_in_ten_thousand,
    almost_the_truth,
    truth_on_a_grid,
    a_far_output,
    many_rare_outputs,
]


@pytest.mark.parametrize("sampler", FAULTS, ids=lambda f: f.__name__)
def test_a_rare_betrayal_is_seen_in_a_million_draws(sampler: Sampler) -> None:
    """Seed 3, confidence 99 %, inputs 1/ε apart."""
    rng = np.random.default_rng(3)
    found = gp.audit_black_box(lambda x: sampler(x, rng), 0.0, 1.0, epsilon=1.0, n=N)
    assert not found.passed
    assert found.ratio > 1


@pytest.mark.parametrize("rounded", [False, True], ids=["continuous", "on a grid"])
@pytest.mark.parametrize("n", [2000, N])
def test_an_honest_sampler_passes(rounded: bool, n: int) -> None:
    """Seed 4; a false alarm has probability at most 1 %."""
    rng = np.random.default_rng(4)

    def report(x: FloatArray) -> FloatArray:
        return np.rint(10 * honest(x, rng)) if rounded else honest(x, rng)

    assert gp.audit_black_box(report, 0.0, 1.0, epsilon=1.0, n=n).passed


@pytest.mark.parametrize("rounded", [False, True], ids=["continuous", "on a grid"])
def test_the_bound_of_honest_samplers_is_rarely_above_the_truth(rounded: bool) -> None:
    """300 audits at confidence 80 %: at most 20 % and four standard errors raise a false alarm."""
    rng = np.random.default_rng(5)

    def report(x: FloatArray) -> FloatArray:
        return np.rint(3 * honest(x, rng)) if rounded else honest(x, rng)

    alarms = sum(
        not gp.audit_black_box(report, 0.0, 1.0, epsilon=1.0, n=1000, confidence=0.8).passed for _ in range(300)
    )
    assert alarms <= 300 * 0.2 + 4 * np.sqrt(300 * 0.2 * 0.8)


def test_a_generator_of_32_bits_passes_as_no_sampling_can_see_it() -> None:
    """Whoever knows the generator tries its 2^32 states; to who only counts outputs it is an honest sampler."""
    rng = np.random.default_rng(6)

    def report(x: FloatArray) -> FloatArray:
        u = (rng.integers(0, 1 << 32, x.shape) + 0.5) / (1 << 32)
        return np.asarray(x + np.sign(u - 0.5) * -np.log1p(-2 * np.abs(u - 0.5)))

    assert gp.audit_black_box(lambda x: np.round(report(x), 3), 0.0, 1.0, epsilon=1.0, n=N).passed
