"""The bounds by which compiled floats may stand in for balls."""

from __future__ import annotations

import math

import numpy as np
import pytest

from geopriv.noise.exact import Uniform, precision
from geopriv.noise.filters import REJECTED, UNKNOWN, Status, Words
from geopriv.noise.generalized_cauchy import CauchyLaw
from geopriv.noise.laplace import LaplaceLaw
from geopriv.noise.laws import Law
from geopriv.noise.planar_laplace import PlanarLaw
from geopriv.noise.student_t import StudentLaw
from geopriv.spaces.checks import FloatArray
from tests.sources import Given

LAWS: dict[str, Law] = {
    "Laplace": LaplaceLaw(),
    "Student": StudentLaw(3.0),
    "Student, heavy tails": StudentLaw(0.5),
    "Student, nearly normal": StudentLaw(200.0),
    "Cauchy": CauchyLaw(4.0, 1.0),
    "Cauchy, light": CauchyLaw(2.0, 12.0),
    "Cauchy, heavy": CauchyLaw(1.0, 1.05),
    "planar": PlanarLaw(2),
    "in space": PlanarLaw(3),
    "in many dimensions": PlanarLaw(7),
}


def screened(noise: Law, words: Words) -> tuple[FloatArray, FloatArray, Status]:
    size = getattr(noise, "dimension", 1)
    z, error = np.zeros((len(words), size)), np.zeros((len(words), size))
    status = np.zeros(len(words), dtype=np.uint8)
    kernel = noise.kernel()
    assert kernel is not None
    kernel(words, z, error, status)
    return z, error, status


@pytest.mark.parametrize("name", LAWS)
def test_the_filters_error_bounds_hold_with_room_to_spare(name: str) -> None:
    """Random bits, and bits near the ends of [0, 1), where functions are steep."""
    noise, rng = LAWS[name], np.random.default_rng(7)
    words = rng.integers(0, 2**64, (3000, noise.words), dtype=np.uint64)
    words[:1000] >>= rng.integers(0, 60, (1000, noise.words), dtype=np.uint64)
    words[1000:1500] |= ~(np.uint64(2**64 - 1) >> rng.integers(1, 40, (500, noise.words), dtype=np.uint64))
    z, error, status = screened(noise, words)
    known = 0
    with precision(300):
        for i in range(len(words)):
            if status[i] == UNKNOWN:
                continue
            balls = noise([Uniform(word, Given(b"")) for word in words[i].tolist()])
            assert (balls is None) == (status[i] == REJECTED)
            for ball, value, bound in zip(balls or [], z[i].tolist(), error[i].tolist(), strict=False):
                if bound == math.inf:  # beyond the range of floats: no rounding will be certain
                    continue
                known += 1
                assert abs(ball - value) < bound  # for every number that has these bits
                # without the bits that are not drawn yet, the bound is several times what floats need
                assert abs(ball.mid() - value) < bound / 4 + ball.rad()
    assert known > 500


@pytest.mark.parametrize("name", LAWS)
def test_the_filter_is_seldom_at_a_loss(name: str) -> None:
    words = np.random.default_rng(8).integers(0, 2**64, (20_000, LAWS[name].words), dtype=np.uint64)
    assert (screened(LAWS[name], words)[2] == UNKNOWN).mean() < 2e-3
