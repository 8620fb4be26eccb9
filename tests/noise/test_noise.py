"""Noise distributions against independent formulas; samplers against their own cdf."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import geopriv as gp
from geopriv.noise import Noise
from geopriv.spaces.checks import FloatArray

NOISES = {
    "Laplace": gp.noise.Laplace(),
    "t 0.5": gp.noise.StudentT(0.5),
    "t 1": gp.noise.StudentT(1.0),
    "t 3": gp.noise.StudentT(3.0),
    "t 7.3": gp.noise.StudentT(7.3),
    "Cauchy 4,1": gp.noise.GeneralizedCauchy(4.0, 1.0),
    "Cauchy 2,1": gp.noise.GeneralizedCauchy(2.0, 1.0),
    "Cauchy 1,2.5": gp.noise.GeneralizedCauchy(1.0, 2.5),
    "Cauchy 0.5,9": gp.noise.GeneralizedCauchy(0.5, 9.0),
    "Cauchy 8,0.2": gp.noise.GeneralizedCauchy(8.0, 0.2),
}
every_noise = pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES.keys())


@every_noise
def test_the_density_integrates_to_the_cdf(noise: Noise) -> None:
    for a, b in ((-3.0, -1.0), (-1.0, -0.1), (0.1, 2.0), (2.0, 40.0)):
        mass = integrate.quad(lambda z: float(noise.pdf(np.asarray(z))), a, b, epsabs=1e-13, epsrel=1e-12)[0]
        cdf = noise.cdf(np.array([a, b]))
        assert cdf[1] - cdf[0] == pytest.approx(mass, abs=1e-9)


@every_noise
def test_the_cdf_is_symmetric_and_inverted_by_ppf(noise: Noise) -> None:
    z = np.array([0.0, 0.2, 1.0, 5.0, 50.0])
    np.testing.assert_allclose(noise.cdf(-z), 1 - noise.cdf(z), atol=1e-14)
    u = np.array([1e-6, 0.01, 0.3, 0.5, 0.7, 0.99])
    np.testing.assert_allclose(noise.cdf(noise.ppf(u)), u, rtol=1e-9)


@every_noise
def test_the_variance_is_the_second_moment_or_infinite(noise: Noise) -> None:
    if noise.moments <= 2:
        assert noise.variance == np.inf
        return
    # z = e^t turns the heavy tail into an exponential one
    integral = integrate.quad(lambda t: 2 * float(noise.pdf(np.exp(np.asarray(t)))) * np.exp(3 * t), -60, 60, limit=500)
    assert noise.variance == pytest.approx(integral[0], rel=1e-6)


def kolmogorov_smirnov(noise: Noise, draws: FloatArray) -> float:
    return float(stats.kstest(draws, noise.cdf).pvalue)


@every_noise
def test_samples_follow_the_cdf_and_a_scale_off_by_a_tenth_would_show(noise: Noise) -> None:
    """Kolmogorov–Smirnov on 100,000 draws; rejects a true sampler with probability 1e-4."""
    draws = noise.sample(np.random.default_rng(11), 100_000)
    assert kolmogorov_smirnov(noise, draws) > 1e-4
    assert kolmogorov_smirnov(noise, draws * 1.1) < 1e-4


def test_generalized_cauchy_4_has_variance_one_and_the_papers_cdf() -> None:
    noise = gp.noise.GeneralizedCauchy(4.0, 1.0)
    assert noise.variance == pytest.approx(1.0, abs=1e-14)
    q = np.concatenate([np.linspace(0, 3, 200), np.geomspace(3, 1e3, 50)])
    root = np.sqrt(2.0)
    area = (np.log((q**2 + root * q + 1) / (q**2 - root * q + 1)) + 2 * np.arctan(1 + root * q)) / (4 * root)
    area -= 2 * np.arctan(1 - root * q) / (4 * root)
    np.testing.assert_allclose(noise.cdf(q), 0.5 + root / np.pi * area, atol=1e-12)
    np.testing.assert_allclose(noise.cdf(-q), 0.5 - root / np.pi * area, atol=1e-12)


def test_large_exponents_keep_their_variance() -> None:
    """(1 + z⁴)^(−θ) is close to exp(−θz⁴) for large θ, whose variance is Γ(¾)/Γ(¼)/√θ."""
    limit = math.gamma(0.75) / math.gamma(0.25)
    for theta in (50.0, 172.0, 5000.0):
        assert gp.noise.GeneralizedCauchy(4.0, theta).variance * np.sqrt(theta) == pytest.approx(limit, rel=2 / theta)


@pytest.mark.parametrize("df", [0.5, 1.0, 2.5, 3.0, 10.0])
def test_student_t_is_a_generalized_cauchy_rescaled(df: float) -> None:
    t, cauchy = gp.noise.StudentT(df), gp.noise.GeneralizedCauchy(2.0, (df + 1) / 2)
    z = np.concatenate([-np.geomspace(1e-3, 1e4, 40), [0.0], np.geomspace(1e-3, 1e4, 40)])
    np.testing.assert_allclose(t.cdf(z), cauchy.cdf(z / np.sqrt(df)), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(t.log_pdf(z), cauchy.log_pdf(z / np.sqrt(df)) - np.log(df) / 2, rtol=1e-12, atol=1e-12)
    if df > 2:
        assert t.variance == pytest.approx(cauchy.variance * df)
    assert t.budget(0.2, 0.3) == pytest.approx(cauchy.budget(0.2, 0.3 / np.sqrt(df)))


def test_the_papers_remark_on_budgets() -> None:
    assert gp.noise.GeneralizedCauchy(4.0, 1.0).budget(0.1, 0.5) == pytest.approx(1.44, abs=5e-3)
    assert gp.noise.StudentT(4.0).budget(0.1, 0.5) == pytest.approx(1.025, abs=1e-12)


@pytest.mark.parametrize("noise", [n for n in NOISES.values() if not isinstance(n, gp.noise.Laplace)])
def test_budgets_bound_the_loss_of_a_shift_and_of_a_stretch(
    noise: gp.noise.StudentT | gp.noise.GeneralizedCauchy,
) -> None:
    """The two terms of a budget, each against raw densities; they are attained."""
    z = np.concatenate([-np.geomspace(1e-6, 1e9, 4000)[::-1], np.geomspace(1e-6, 1e9, 4000)])
    shift = np.abs(np.diff(noise.log_pdf(z)) / np.diff(z))[np.diff(z) < 0.1].max()
    if isinstance(noise, gp.noise.GeneralizedCauchy) and noise.p < 1:
        assert noise.budget(0.0, 1.0) == np.inf
        assert shift > 100
        return
    stretch = np.abs(noise.log_pdf(z / np.exp(1e-6)) - 1e-6 - noise.log_pdf(z)).max() / 1e-6
    assert stretch == pytest.approx(noise.budget(1.0, 0.0), rel=1e-3)
    assert shift <= noise.budget(0.0, 1.0) * (1 + 1e-6)
    assert shift >= noise.budget(0.0, 1.0) * 0.99


def test_laplace_needs_delta_when_its_scale_depends_on_x() -> None:
    noise = gp.noise.Laplace()
    assert noise.budget(0.0, 0.5) == 0.5
    assert noise.budget(0.1, 0.5, delta=np.exp(-3)) == pytest.approx(0.8)
    assert noise.budget(0.1, 0.5, delta=0.9) == pytest.approx(0.6)  # the maximum that the paper omits (theory E5)
    with pytest.raises(gp.InvalidParameter, match="delta"):
        noise.budget(0.1, 0.5)


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_planar_laplace_has_its_length_direction_and_density(dimension: int) -> None:
    """KS on the length, moments of the direction; true samplers fail with probability below 1e-4."""
    noise = gp.noise.PlanarLaplace(dimension)
    draws = noise.sample(np.random.default_rng(2), 100_000)
    length = np.linalg.norm(draws, axis=1)
    assert stats.kstest(length, noise.cdf).pvalue > 1e-4
    assert stats.kstest(length * 1.03, noise.cdf).pvalue < 1e-4
    np.testing.assert_allclose(draws.mean(axis=0), 0.0, atol=5 * np.sqrt(noise.variance / 100_000))
    np.testing.assert_allclose(draws.var(axis=0), noise.variance, rtol=0.05)
    np.testing.assert_allclose(noise.cdf(noise.ppf(np.array([0.1, 0.9]))), [0.1, 0.9])
    sphere = 2 * np.pi ** (dimension / 2) / math.gamma(dimension / 2)  # area of the unit sphere
    axis = np.eye(dimension)[0]
    shells = integrate.quad(lambda r: sphere * r ** (dimension - 1) * float(noise.pdf(axis * r)), 0, 80)
    assert shells[0] == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("rate", [0.3, 2.0, 50.0, 6371.0])
def test_spherical_laplace_has_its_angle_and_density(rate: float) -> None:
    noise = gp.noise.SphericalLaplace(rate)
    angle, bearing = noise.sample(np.random.default_rng(2), 50_000)
    assert stats.kstest(angle, noise.cdf).pvalue > 1e-4
    assert stats.kstest(np.minimum(angle * 1.04, np.pi), noise.cdf).pvalue < 1e-4
    assert stats.kstest(bearing / (2 * np.pi), "uniform").pvalue > 1e-4
    edge = float(noise.ppf(np.asarray(0.8)))
    mass = integrate.quad(lambda t: 2 * np.pi * np.sin(t) * np.exp(float(noise.log_pdf(np.asarray(t)))), 0, edge)[0]
    assert mass == pytest.approx(0.8, abs=1e-9)
    assert float(noise.cdf(np.asarray(np.pi))) == pytest.approx(1.0)
    assert noise.budget(0.0, 1.0) == rate


@pytest.mark.parametrize(
    "make",
    [
        lambda: gp.noise.StudentT(0.0),
        lambda: gp.noise.StudentT(np.nan),
        lambda: gp.noise.GeneralizedCauchy(1.0, 1.0),
        lambda: gp.noise.GeneralizedCauchy(-1.0, 1.0),
        lambda: gp.noise.PlanarLaplace(0),
        lambda: gp.noise.PlanarLaplace(2.5),  # type: ignore[arg-type]
        lambda: gp.noise.SphericalLaplace(-1.0),
    ],
)
def test_bad_parameters_are_refused(make: object) -> None:
    with pytest.raises(gp.InvalidParameter):
        make()  # type: ignore[operator]
