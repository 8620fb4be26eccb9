"""Means under input noise in closed form, against quadrature by QUADPACK and Fourier integrals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special

import geopriv as gp


def laplace_mean(function: Any, s: float, rate: float, breaks: list[float]) -> float:
    """E f(s + Z) by QUADPACK on both sides of every kink."""
    cuts = sorted({-60 / rate, 0.0, 60 / rate, *(b - s for b in breaks if abs(b - s) < 60 / rate)})  # and bumps
    return sum(
        float(
            integrate.quad(
                lambda z: rate / 2 * np.exp(-rate * abs(z)) * float(function(np.asarray(s + z))), a, b, epsabs=1e-13
            )[0]
        )
        for a, b in pairwise(cuts)
    )


@pytest.mark.parametrize("rate", [0.01, 0.3, 1.0, 40.0])
@pytest.mark.parametrize(
    "profile",
    [
        gp.shapes.Ramp(1.0),
        gp.shapes.Trapezoid(2.0, 0.5, center=1.0),
        gp.shapes.PiecewiseLinear((-2, -1, 0, 3), (0, 1, 0.25, 0.5)),
        gp.shapes.Gaussian(0.7),
    ],
)
def test_noise_on_a_line_has_the_exact_moments(profile: gp.shapes.Profile, rate: float) -> None:
    query = gp.LinearQuery((1.0,), profile)
    mechanism = gp.InputLaplace.calibrate(query.space, rate, "plain")
    marks = [mark + step for mark in profile.landmarks for step in (-5.0, 0.0, 5.0)]
    x = np.array([-3.0, -1.0, -0.5, 0.0, 0.2, 1.0, 5.0, profile.landmarks[0], profile.landmarks[-1]])
    mean = mechanism.bias(x[:, None], query) + profile(x)
    variance = mechanism.variance(x[:, None], query)
    for i, s in enumerate(x):
        first = laplace_mean(profile, s, rate, marks)
        second = laplace_mean(lambda v: profile(v) ** 2, s, rate, marks)
        assert mean[i] == pytest.approx(first, abs=2e-9)
        assert variance[i] == pytest.approx(second - first**2, abs=5e-9)
    coordinate = gp.CoordinateLaplace.calibrate(query, rate, "plain")
    np.testing.assert_allclose(coordinate.bias(x[:, None]), mechanism.bias(x[:, None], query), atol=1e-12)


def test_the_papers_bias_of_a_hard_threshold_is_approached() -> None:
    """Paper, section 4.1: the bias of noise a priori is ½·exp(−ε|x − T|) for a hard threshold."""
    query = gp.Threshold(0.0, 1e-6)
    mechanism = gp.InputLaplace.calibrate(gp.Line(), 1.0, "plain")
    x = np.array([-3.0, -1.0, -0.2, 0.5])
    expected = np.where(x < 0, 0.5, -0.5) * np.exp(-np.abs(x))
    np.testing.assert_allclose(mechanism.bias(x, query), expected, atol=1e-6)


@pytest.mark.parametrize("width", [1e-8, 1e-6, 1e-4])
def test_a_very_narrow_ramp_is_a_coin_at_its_centre(width: float) -> None:
    """P[Z > 0] = ½, so the variance is ¼ less a term of the order of the width."""
    line, plane = (
        gp.InputLaplace.calibrate(gp.Line(), 1.0, "plain"),
        gp.InputLaplace.calibrate(gp.Plane(), 1.0, "plain"),
    )
    assert float(line.variance([0.0], gp.Threshold(0.0, width))[0]) == pytest.approx(0.25 - width / 12, abs=1e-9)
    edge = gp.Score((1.0, 2.0), 0.0, width, gp.Plane())
    assert float(plane.variance([(0.0, 0.0)], edge)[0]) == pytest.approx(0.25, abs=width)


def test_a_profile_that_is_constant_where_it_matters_has_neither_bias_nor_variance() -> None:
    mechanism, x = gp.InputLaplace.calibrate(gp.Line(), 1.0, "plain"), np.array([0.0, 1.0, -2.0])
    constant = gp.RadialQuery(0.0, gp.shapes.Ramp(1.0, center=-5.0))
    np.testing.assert_array_equal(mechanism.bias(x, constant), 0.0)
    np.testing.assert_array_equal(mechanism.variance(x, constant), 0.0)


def bessel_mean(r: float, h: float, rate: float) -> float:
    """E of a Gaussian kernel under planar Laplace noise, by the Fourier transform on the plane."""

    def integrand(w: float) -> float:
        return float(w * special.j0(w * r) * h**2 * np.exp(-((h * w) ** 2) / 2) * (1 + (w / rate) ** 2) ** -1.5)

    return float(integrate.quad(integrand, 0, 12 / h, limit=2000, epsabs=1e-12)[0])


@pytest.mark.parametrize(("h", "rate"), [(1.0, 1.0), (0.2, 1.0), (3.0, 1.0), (1.0, 0.05), (2.0, 10.0)])
def test_a_kernel_in_the_plane_agrees_with_its_fourier_integral(h: float, rate: float) -> None:
    query = gp.GaussianKernel((0.0, 0.0), h)
    mechanism = gp.InputLaplace.calibrate(query.space, rate, "plain")
    for r in (0.0, 0.5 * h, 2.0 * h, 4.0 * h):
        mean = float((mechanism.bias([(r, 0.0)], query) + query([(r, 0.0)]))[0])
        assert mean == pytest.approx(bessel_mean(r, h, rate), abs=1e-9)


def test_plain_moments_without_a_closed_form_are_refused_with_the_name_of_what_has_them() -> None:
    ball = gp.Ball((0.0, 0.0), 2.0, 1.0)
    with pytest.raises(gp.InvalidParameter, match=r"InputLaplace.*geopriv_paper\.plain\.plain_moments"):
        gp.InputLaplace.calibrate(ball.space, 1.0, "plain").bias([(0.0, 0.0)], ball)
    smooth = gp.Threshold(0.0, 1.0, edge="smooth")
    with pytest.raises(gp.InvalidParameter, match=r"CoordinateLaplace.*geopriv_paper\.plain\.plain_moments"):
        gp.CoordinateLaplace.calibrate(smooth, 1.0, "plain").variance([0.0])
