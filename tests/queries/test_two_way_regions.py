"""The paper's two-way threshold, transcribed region by region, against the one formula of the package.

Paper, subsection "Two-Way Threshold Functions": the ten regions S, the function f_τ and the lemma on B* with g_E.
Nothing here uses the signed distance from which the package computes the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

import geopriv as gp
from geopriv.spaces.checks import FloatArray

Mask = npt.NDArray[np.bool_]
POINTS = 25_000
LEAST = 1_000


@dataclass(frozen=True)
class TwoWay:
    """The paper's symbols T1, T2, τ, γ and what it derives from them."""

    t1: float
    t2: float
    tau: float
    gamma: float

    @property
    def r1(self) -> float:
        return self.tau / 2**0.5

    @property
    def r2(self) -> float:
        return (1 / 2**0.5 + 1) * self.tau

    @property
    def c0(self) -> tuple[float, float]:
        return self.t1 + self.tau / 2 + self.r1, self.t2 + self.tau / 2 + self.r1

    def radius(self, p1: FloatArray, p2: FloatArray) -> FloatArray:
        """‖p − c0‖."""
        return np.asarray(np.sqrt((p1 - self.c0[0]) ** 2 + (p2 - self.c0[1]) ** 2))


# the paper's 100,000 points are spread over these; the third and fourth break 0 < τ < 2 min(T1, T2) (theory E6)
CASES = [
    TwoWay(t1=100_000.0, t2=50_000.0, tau=16_000.0, gamma=1 / 24_000),
    TwoWay(t1=3.0, t2=4.0, tau=1.0, gamma=0.05),
    TwoWay(t1=0.2, t2=-7.0, tau=2.0, gamma=3.0),
    TwoWay(t1=-1.0, t2=0.0, tau=0.01, gamma=40.0),
]


def regions(case: TwoWay, p1: FloatArray, p2: FloatArray) -> dict[str, Mask]:
    """Membership in the ten regions, as the paper lists them."""
    t1, t2, half, r1, r2 = case.t1, case.t2, case.tau / 2, case.r1, case.r2
    r = case.radius(p1, p2)
    below = (p1 <= t1 + half + r1) & (p2 <= t2 + half + r1)
    return {
        "1,alpha": (t1 + half + r1 > p1) & (p1 > t1 + half) & (t2 + half + r1 > p2) & (p2 > t2 + half) & (r < r1),
        "1,1": (t1 + half + r1 > p1) & (p1 > t1 + half) & (p2 > t2 + half + r1),
        "1,2": (t2 + half + r1 > p2) & (p2 > t2 + half) & (p1 > t1 + half + r1),
        "1,3": (p1 > t1 + half + r1) & (p2 > t2 + half + r1),
        "0,alpha": below & (r > r2),
        "0,1": (p1 <= t1 - half) & (p2 > t2 + half + r1),
        "0,2": (p2 <= t2 - half) & (p1 > t1 + half + r1),
        "tau,alpha": below & (r1 <= r) & (r <= r2),
        "tau,1": (t1 - half <= p1) & (p1 <= t1 + half) & (p2 > t2 + half + r1),
        "tau,2": (t2 - half <= p2) & (p2 <= t2 + half) & (p1 > t1 + half + r1),
    }


def f_tau(case: TwoWay, region: str, p1: FloatArray, p2: FloatArray) -> FloatArray:
    """The approximation f_τ on one region."""
    if region in ("1,alpha", "1,1", "1,2", "1,3"):
        return np.ones_like(p1)
    if region in ("0,alpha", "0,1", "0,2"):
        return np.zeros_like(p1)
    if region == "tau,alpha":
        return (case.r2 - case.radius(p1, p2)) / case.tau
    if region == "tau,1":
        return (p1 - (case.t1 - case.tau / 2)) / case.tau
    return (p2 - (case.t2 - case.tau / 2)) / case.tau


def b_star(case: TwoWay, region: str, z1: FloatArray, z2: FloatArray) -> FloatArray:
    """The lemma's smooth sensitivity B* for g_E on one region."""
    t1, t2, tau, half, gamma = case.t1, case.t2, case.tau, case.tau / 2, case.gamma
    r = case.radius(z1, z2)
    if region == "0,1":
        return np.maximum(1 / (t1 + half - z1), np.exp(-gamma * (t1 - half - z1)) / tau)
    if region == "0,2":
        return np.maximum(1 / (t2 + half - z2), np.exp(-gamma * (t2 - half - z2)) / tau)
    if region == "0,alpha":
        return np.maximum(1 / (r - case.r1), np.exp(-gamma * (r - case.r2)) / tau)
    first = np.maximum(1 / (z1 - (t1 - half)), np.exp(-gamma * (z1 - (t1 + half))) / tau)
    second = np.maximum(1 / (z2 - (t2 - half)), np.exp(-gamma * (z2 - (t2 + half))) / tau)
    if region == "1,1":
        return np.asarray(first)
    if region == "1,2":
        return np.asarray(second)
    if region == "1,3":
        return np.maximum(first, second)
    if region == "1,alpha":
        return np.maximum(1 / (case.r2 - r), np.exp(-gamma * (case.r1 - r)) / tau)
    return np.full_like(z1, 1 / tau)


def spread(case: TwoWay, seed: int) -> FloatArray:
    """Random points: some about the round corner, some about the band, some far away."""
    rng = np.random.default_rng(seed)
    n = POINTS // 5
    corner, band, far = (2 * n, 0.3, 1.4), (2 * n, -2.0, 3.0), (POINTS - 4 * n, -50.0, 50.0)
    offsets = np.concatenate([rng.uniform(low, high, (size, 2)) for size, low, high in (corner, band, far)])
    return np.asarray((case.t1, case.t2) + case.tau * offsets)


@pytest.mark.parametrize("case", CASES)
def test_every_point_is_in_one_region_and_every_region_has_a_thousand(case: TwoWay) -> None:
    masks = regions(case, *spread(case, seed=51).T)
    assert (np.sum(list(masks.values()), axis=0) == 1).all()
    assert min(int(mask.sum()) for mask in masks.values()) >= LEAST


def test_the_cases_together_have_a_hundred_thousand_points() -> None:
    assert sum(len(spread(case, seed=51)) for case in CASES) == 100_000


@pytest.mark.parametrize("case", CASES)
def test_the_orthant_is_the_papers_function_on_each_of_its_ten_regions(case: TwoWay) -> None:
    x = spread(case, seed=51)
    query = gp.Orthant(at=(case.t1, case.t2), width=case.tau)
    for region, mask in regions(case, *x.T).items():
        expected = f_tau(case, region, *x[mask].T)
        # the absolute part is rounding of coordinates at the foot of the ramp, where f is nearly 0
        np.testing.assert_allclose(query(x[mask]), expected, rtol=1e-9, atol=1e-12, err_msg=region)


@pytest.mark.parametrize("case", CASES)
def test_the_smooth_sensitivity_is_the_papers_on_each_of_its_ten_regions(case: TwoWay) -> None:
    x = spread(case, seed=51)
    query = gp.Orthant(at=(case.t1, case.t2), width=case.tau)
    found = gp.smooth.smooth_sensitivity(query.profile, gp.smooth.ExponentialGrowth(case.gamma), query.coordinate(x))
    for region, mask in regions(case, *x.T).items():
        expected = b_star(case, region, *x[mask].T)
        np.testing.assert_allclose(found[mask], expected, rtol=1e-9, err_msg=region)


@pytest.mark.parametrize("case", CASES)
def test_a_width_one_percent_off_is_told_apart_on_every_sloping_region(case: TwoWay) -> None:
    # the planted fault: the comparison above must be able to fail
    x = spread(case, seed=51)
    query = gp.Orthant(at=(case.t1, case.t2), width=1.01 * case.tau)
    masks = regions(case, *x.T)
    for region in ("tau,alpha", "tau,1", "tau,2"):
        difference = np.abs(query(x[masks[region]]) - f_tau(case, region, *x[masks[region]].T))
        assert difference.max() > 1e-3
    found = gp.smooth.smooth_sensitivity(query.profile, gp.smooth.ExponentialGrowth(case.gamma), query.coordinate(x))
    for region, mask in masks.items():
        assert np.abs(found[mask] / b_star(case, region, *x[mask].T) - 1).max() > 1e-3, region
