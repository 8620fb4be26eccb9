"""Each law of noise brings its own float filter: an unknown one is drawn in balls, never as another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from flint import arb

import geopriv as gp
from geopriv.noise import Laplace, StudentT
from geopriv.noise import plans as bulk
from geopriv.noise.base import Distribution
from geopriv.noise.exact import Uniform
from geopriv.noise.laplace import LaplaceLaw
from geopriv.noise.laws import Law
from geopriv.noise.plans import Shifted
from geopriv.noise.student_t import StudentLaw
from geopriv.spaces.bounded import Bounded
from tests.sources import Seeded

N = 200


@dataclass(frozen=True)
class UniformLaw(Law):
    """Uniform on [−1, 1]: a law that no list of laws knows."""

    @property
    def words(self) -> int:
        return 1

    def __call__(self, u: Sequence[Uniform]) -> list[arb]:
        return [2 * u[0].ball() - 1]

    def kernel(self) -> None:
        """None: balls only."""


def shifted(noise: Law) -> Shifted:
    """Noise added to 0, with a filter for centre and spread."""
    return Shifted(
        noise,
        (2.0**-10,),
        lambda row: ([arb(row[0])], arb(1)),
        lambda rows: (Bounded(rows, np.zeros_like(rows)), Bounded(np.ones(len(rows)), np.zeros(len(rows)))),
    )


def test_a_law_without_a_filter_is_drawn_in_bulk_as_what_it_is() -> None:
    plan, rows = shifted(UniformLaw()), np.zeros((N, 1))
    many = plan.draw(rows, Seeded(1))
    np.testing.assert_array_equal(many, bulk.draw_chunk(plan, rows, None, Seeded(1)))
    assert (np.abs(many) <= 1).all()  # which no other law keeps
    assert plan.screen(rows) is None


def test_a_law_with_a_filter_is_filtered() -> None:
    assert shifted(LaplaceLaw()).screen(np.zeros((N, 1))) is not None


def test_a_law_that_is_drawn_in_a_new_way_does_not_inherit_a_filter() -> None:
    with pytest.raises(TypeError, match="must say which kernel"):

        class Doubled(StudentLaw):
            def __call__(self, u: Sequence[Uniform]) -> list[arb]:
                return [2 * z for z in super().__call__(u)]


def test_noise_made_from_known_noise_is_refused_and_not_drawn_as_that() -> None:
    class Wider(Laplace):
        pass

    class Heavier(StudentT):
        pass

    for noise in (Wider(), Heavier(3.0), Distribution()):
        with pytest.raises(gp.InvalidParameter, match="whose samples have an enclosure"):
            noise.law()
    assert StudentT(3.0).law() == StudentLaw(3.0)
