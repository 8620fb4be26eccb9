"""Round noise on Z^d (theory T8′): its law against direct sums, its promise in balls, and faults that must show."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import arb

import geopriv as gp
from geopriv.errors import InvalidDesign, InvalidParameter
from geopriv.mechanisms.lattice.noises.product import ProductNoise
from geopriv.mechanisms.lattice.noises.proposals import proposal
from geopriv.mechanisms.lattice.noises.round import RoundNoise
from geopriv.noise.exact import precision
from geopriv.spaces.checks import FloatArray

PLANE = gp.Plane("m")
NOISES = [
    RoundNoise(Fraction(1, 10), 2, 6),
    RoundNoise(Fraction(1), 2, 1),
    RoundNoise(Fraction(4), 2, 1),
    RoundNoise(Fraction(1, 2), 3, 3),
    RoundNoise(Fraction(3, 2), 3, 1),
]


def box(noise: RoundNoise | ProductNoise, reach: int) -> FloatArray:
    line = np.arange(-reach, reach + 1.0)
    return np.stack(np.meshgrid(*[line] * noise.axes, indexing="ij"), axis=-1)


@pytest.mark.parametrize("noise", [*NOISES, ProductNoise(Fraction(1, 2), 2)])
def test_the_law_adds_up_to_one_and_has_the_stated_variance(noise: RoundNoise | ProductNoise) -> None:
    cells = box(noise, math.ceil(44 / math.log1p(float(noise.theta))))
    law = np.exp(noise.log_law(cells))
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert (law * cells[..., 0] ** 2).sum() == pytest.approx(noise.variance, rel=1e-12)


@pytest.mark.parametrize("noise", NOISES)
def test_no_axis_of_many_reports_is_beyond_the_reach_but_for_the_chance(noise: RoundNoise) -> None:
    cells = box(noise, math.ceil(44 / noise.rate))
    law, n, chance = np.exp(noise.log_law(cells)), 1000, 0.005
    far = noise.reach(n, chance)
    assert n * noise.axes * law[np.abs(cells[..., 0]) > far].sum() <= chance
    assert n * noise.axes * law[np.abs(cells[..., 0]) > 0.7 * far].sum() > chance  # and it is not much too far


@pytest.mark.parametrize("noise", NOISES)
def test_random_rounding_mixes_the_laws_of_all_corners(noise: RoundNoise) -> None:
    rng, d = np.random.default_rng(0), noise.axes
    moved, share = rng.integers(-9, 9, (50, d)).astype(float), rng.random((50, d))
    share[0] = 0.0
    mixed = np.zeros(50)
    for up in product((0, 1), repeat=d):
        weight = np.where(np.asarray(up) > 0, share, 1 - share).prod(axis=1)
        mixed += weight * np.exp(noise.log_law(moved - np.asarray(up)))
    np.testing.assert_allclose(noise.log_rounded(moved, share), np.log(mixed), atol=1e-13)


@pytest.mark.parametrize("noise", NOISES)
def test_samples_follow_the_law(noise: RoundNoise) -> None:
    """Variances of 40,000 samples within 5 standard errors: a wrong alarm in 10^6 runs; one of 1.2 times is caught."""
    sample, n = noise.sample(np.random.default_rng(3), 40_000), 40_000
    fourth = (sample**4).mean()
    error = 5 * math.sqrt((fourth - noise.variance**2) / (n * noise.axes))
    assert abs((sample**2).mean() - noise.variance) < error < 0.2 * noise.variance


def worst_corner(noise: RoundNoise, reach: int) -> arb:
    """The largest Σ_j max_±(p(k ± e_j)/p(k) − 1)² over a box, in balls: its upper end."""
    worst = arb(0)
    with precision(128):
        rate = (1 + arb(noise.theta.numerator) / noise.theta.denominator).log()

        def length(k: tuple[int, ...]) -> arb:
            return arb(sum(j * j for j in k) + noise.core).sqrt()

        for k in product(range(reach + 1), repeat=noise.axes):
            if list(k) != sorted(k):
                continue  # axes are alike, and so are signs
            total = arb(0)
            for j in range(noise.axes):
                near = [(*k[:j], k[j] + side, *k[j + 1 :]) for side in (-1, 1)]
                total += arb.max(*[((rate * (length(k) - length(other))).exp() - 1) ** 2 for other in near])
            worst = worst.max(total)
    return worst


LEAST = [(theta, axes) for theta in (Fraction(1, 64), Fraction(1, 10), Fraction(1), Fraction(4)) for axes in (2, 3)]


@pytest.mark.parametrize(("theta", "axes"), LEAST)
def test_the_least_core_meets_the_corner_condition_and_a_tenth_does_not(theta: Fraction, axes: int) -> None:
    core, allowed = math.ceil(RoundNoise.least_core(theta, axes)), arb(theta.numerator) / theta.denominator
    noise = RoundNoise(theta, axes, core)
    reach = min(math.ceil(6 * core**0.5) + 6, 60 if axes == 2 else 24)
    assert worst_corner(noise, reach) < allowed**2
    assert noise.spent(theta) <= 1
    assert noise.spent(theta / Fraction(102, 100)) > 1  # θ 2 % high
    if core >= 10:
        wrong = RoundNoise(theta, axes, core // 10)
        assert worst_corner(wrong, reach) > allowed**2
        assert wrong.spent(theta) > 1


@pytest.mark.parametrize("axes", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("theta", [Fraction(1, 1 << 14), Fraction(1, 10), Fraction(1), Fraction(4)])
def test_proposals_fall_more_slowly_than_round_noise(theta: Fraction, axes: int) -> None:
    beta = proposal(theta, axes)
    with precision(128):
        slower, faster = (arb(1 + n.numerator / arb(n.denominator)).log() for n in (beta, theta))
        assert slower * arb(axes).sqrt() < faster
    assert float(slower) * math.sqrt(axes) > (0.99 if theta < 0.5 else 0.7) * float(faster)


def round_lattice(space: gp.spaces.Space = PLANE, rate: float = 1e-3, step: float = 150.0) -> gp.Lattice:
    return gp.Lattice.on_grid(space, rate, step, noise="round")


def test_a_document_of_round_noise_is_verified_when_read() -> None:
    document = round_lattice().to_document()
    assert gp.Lattice.from_document(document) == round_lattice()
    top, bottom = document["theta"]
    faults: list[dict[str, Any]] = [
        {"core": 1},
        {"core": None},
        {"core": 0},
        {"core": 4.0},
        {"core": 10**30},
        {"core": True},
    ]
    for fault in (*faults, {"theta": [top * 102, bottom * 100]}):
        with pytest.raises(InvalidDesign):
            gp.Lattice.from_document(document | fault)


def test_a_document_without_a_core_says_nothing_of_it() -> None:
    assert "core" not in gp.Lattice.on_grid(gp.Plane("m"), 1e-3, 150.0).to_document()
    assert round_lattice(gp.Line("m")) == gp.Lattice.on_grid(gp.Line("m"), 1e-3, 150.0)


def test_steps_beyond_what_rejection_can_draw_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="between"):
        round_lattice(step=4100.0)
    with pytest.raises(InvalidParameter, match="on a line"):
        gp.Lattice(gp.Line("m"), round_lattice().guarantee, 150.0, Fraction(1, 10), (0.0,), 4)


def test_what_needs_independent_axes_is_refused() -> None:
    lattice = round_lattice()
    for ask in (lambda: lattice.ratio, lambda: lattice.curvature, lambda: lattice.noise_probability(1)):
        with pytest.raises(InvalidParameter, match="core"):
            ask()


@pytest.mark.parametrize(
    "lattice",
    [round_lattice(), round_lattice(step=2000.0), round_lattice(gp.Euclidean(3), 0.1, 4.0)],
    ids=["plane", "coarse plane", "space"],
)
def test_laws_of_kinds_are_what_samples_are_and_what_cells_add_up_to(lattice: gp.Lattice) -> None:
    """Chi-square of 20,000 samples below its mean plus 6 standard deviations; those of a θ 10 % low are above."""
    axes, n = lattice.space.dimension, 20_000
    place = tuple(lattice.step * x for x in (0.3, -2.6, 1.5)[:axes])
    slower = lattice.theta * Fraction(9, 10)
    faulty = gp.Lattice(lattice.space, lattice.guarantee, lattice.step, slower, (), (lattice.core or 0) + 2)
    rows, moved = (
        np.asarray(one.simulate(np.tile(place, (n, 1)), np.random.default_rng(5))).astype(np.int64)
        for one in (lattice, faulty)
    )
    kinds = lattice.kinds_near([place, (0.0,) * axes], n)
    assert len(kinds) > axes
    worst = 0.0
    for kind in kinds:
        law = kind.law(place)
        assert law.sum() == pytest.approx(1.0, abs=1e-12)
        scores = []
        for sample in (rows, moved):
            expected, seen = n * law, np.bincount(kind.labels(sample), minlength=kind.size)
            common = expected > 5
            score = ((seen - expected)[common] ** 2 / expected[common]).sum()
            scores.append((score - common.sum()) / math.sqrt(2 * common.sum()))
        assert scores[0] < 6
        worst = max(worst, scores[1])
    assert worst > 6
