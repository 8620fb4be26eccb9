"""Grid reports of recorded points: positions are computed to rounding, and the rounding is paid for out of ε."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import geopriv as gp
from geopriv.charges import position_charge
from geopriv.checks import FloatArray
from tests.rows import CITY, RECORDED_CITY
from tests.test_resolution_map import FINE, positions, true_points

CENTS = gp.Line("USD", resolution=0.01)
CASES: list[tuple[gp.Space, float]] = [
    (CENTS, 1 / 8000),
    (gp.LogLine(2.0, resolution=1e-6), 1.0),
    (gp.Plane("m", resolution=0.001), 1e-3),
    (gp.Euclidean(6, resolution=0.5), 1e-2),
    (RECORDED_CITY, 1e-3),
    (FINE, 1e-3),
]
every_case = pytest.mark.parametrize(("space", "epsilon"), CASES, ids=[repr(space) for space, _ in CASES])


def unpaid(space: gp.Space, epsilon: float) -> gp.Lattice:
    """The planted fault: θ takes all of ε, as if positions were exact."""
    mechanism = gp.Lattice.calibrate(space.exact, epsilon)
    object.__setattr__(mechanism, "space", space)
    return mechanism


@every_case
def test_a_lattice_pays_for_rounding_out_of_its_epsilon(space: gp.Space, epsilon: float) -> None:
    mechanism, exact = gp.Lattice.calibrate(space, epsilon), gp.Lattice.calibrate(space.exact, epsilon)
    assert mechanism.guarantee.epsilon == epsilon
    assert mechanism.charge is not None
    assert exact.charge is None
    factor = mechanism.charge.factor
    assert 1 < factor < Fraction(11, 10)
    whole = Fraction(epsilon) * Fraction(mechanism.step)
    assert space.dimension * (factor * mechanism.theta) ** 2 <= whole**2
    assert 0.9999 < float(mechanism.spent) <= 1
    assert mechanism.theta < exact.theta
    result = gp.audit(mechanism)
    assert result.passed
    assert 0.9999 < result.worst_ratio <= 1


@every_case
def test_a_lattice_that_has_not_paid_cannot_be_made_and_does_not_pass_the_audit(
    space: gp.Space, epsilon: float
) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'theta'.*rounding"):
        replace(gp.Lattice.calibrate(space.exact, epsilon), space=space)
    assert not gp.audit(unpaid(space, epsilon)).passed


@every_case
def test_computed_positions_are_off_by_no_more_than_is_charged(space: gp.Space, epsilon: float) -> None:
    """Far out on flat spaces, everywhere on the globe on maps; the whole vector, in the unit of distance."""
    mechanism = gp.Lattice.on_grid(space, epsilon, 0.3 / epsilon, (1e3 / 7,) * space.dimension)
    assert mechanism.charge is not None
    if isinstance(space, gp.LocalPlane):
        values = positions(space, 30)
        truth = [[Fraction(x) for x in point] for point in true_points(space, values)]
        points = space.read(values)
    else:
        assert space.resolution is not None
        steps = np.random.default_rng(31).integers(-(2**40), 2**40, (200, space.dimension))
        truth = [[int(k) * Fraction(space.resolution) for k in row] for row in steps.tolist()]
        points = np.asarray(steps * space.resolution, dtype=np.float64).reshape(-1, *space.point_shape)
    lower, share = (part.reshape(len(truth), -1).tolist() for part in mechanism.place(points))
    worst = 0.0
    for low, up, x in zip(lower, share, truth, strict=True):
        start, step = Fraction(mechanism.origin[0]), Fraction(mechanism.step)
        off = [start + step * (Fraction(i) + Fraction(j)) - z for i, j, z in zip(low, up, x, strict=True)]
        worst = max(worst, math.hypot(*map(float, off)))
    assert worst <= mechanism.charge.error
    assert worst > mechanism.charge.error / 300


def losses(mechanism: gp.Lattice) -> FloatArray:
    """Loss/(ε·distance) between recorded neighbours just above far cells of the line, at reports above both.

    The law is the one of the positions that `place` computes, in fractions.
    """
    cells = np.random.default_rng(32).integers(2**38, 2**39, 2000) * 0.01 // mechanism.step
    steps = np.ceil((mechanism.origin[0] + cells * mechanism.step) / 0.01)
    here, there = (mechanism.place(CENTS.read((steps + k) * 0.01)) for k in (1, 2))
    a = 1 / (1 + mechanism.theta)
    found = []
    for i, j, low, up in zip(here[0], there[0], here[1], there[1], strict=True):
        if i == j:
            first, second = (a + (1 - a) * Fraction(share) for share in (low, up))
            found.append(math.log1p(float(second / first - 1)) / (mechanism.guarantee.epsilon * 0.01))
    assert len(found) > 1000
    return np.asarray(found)


def test_neighbours_far_out_are_told_apart_by_no_more_than_is_promised_once_rounding_is_paid() -> None:
    """The same check finds a Lattice that has not paid to lose more than ε per distance."""
    assert losses(gp.Lattice.calibrate(CENTS, 1 / 8000)).max() <= 1
    assert losses(unpaid(CENTS, 1 / 8000)).max() > 1 + 1e-5


def test_floats_on_spaces_without_a_resolution_are_placed_exactly_and_pay_nothing() -> None:
    for space, epsilon in CASES:
        assert gp.Lattice.calibrate(space.exact, epsilon).charge is None
    mechanism = gp.Lattice.calibrate(gp.Line(), 1.0, step=0.3)
    lower, share = mechanism.place_exactly(1e15 / 3)
    assert (lower + share) * Fraction(0.3) == Fraction(1e15 / 3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: gp.Lattice.calibrate(replace(CITY, resolution=360 / 2**40), 1e-3),
        lambda: replace(gp.Lattice.calibrate(CENTS, 1 / 8000), origin=(1e30,)),
        lambda: gp.Lattice.calibrate(gp.Line(resolution=1e-30), 1.0),
    ],
    ids=["map", "origin", "step"],
)
def test_a_resolution_too_fine_for_positions_is_refused_and_told_what_would_do(make: Callable[[], object]) -> None:
    with pytest.raises(gp.InvalidParameter, match=r"'resolution' parameter of Lattice.*would do"):
        make()


def test_the_charge_adds_the_axes_as_vectors() -> None:
    one, four = (position_charge("x", gp.Euclidean(d, resolution=1.0), 1.0, ()) for d in (1, 4))
    assert one is not None
    assert four is not None
    assert float(four.factor - 1) == pytest.approx(2 * float(one.factor - 1), rel=1e-12)
    assert float(one.factor - 1) == pytest.approx(6 * 2.0**-13, rel=1e-6)
