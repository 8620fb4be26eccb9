"""A map of corners by products over axes: the same numbers as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import geopriv as gp
from geopriv.mechanisms.lattice.moments import stencil
from geopriv_paper.corner_surveys import corner_sums


def test_a_map_of_corners_is_the_direct_sum_for_every_pair() -> None:
    rng = np.random.default_rng(7)
    mechanism = gp.Lattice.calibrate(gp.Plane("USD"), 1e-3, step=100.0, noise="product")
    reports = mechanism.simulate(rng.normal(scale=4000.0, size=(3000, 2)), rng)
    first, second = np.array([-3000.0, 0.0, 500.0]), np.array([-1000.0, 2000.0])
    sums = corner_sums(mechanism, reports, (first, second), bandwidth=700.0)
    values, errors = sums.means, np.sqrt(sums.variances / sums.n)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            corner = lambda cells, at=(a, b): special.ndtr((mechanism.step * cells - at) / 700.0).prod(axis=1)  # noqa: E731
            direct = stencil(corner, np.asarray(reports), mechanism.curvature)
            assert values[i, j] == pytest.approx(direct.mean(), abs=1e-10)
            assert errors[i, j] == pytest.approx(direct.std(ddof=1) / np.sqrt(direct.size), rel=1e-9)
