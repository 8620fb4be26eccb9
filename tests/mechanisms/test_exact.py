"""The exact samplers: their laws and their bits.

Statistical checks: 10^6 draws of fixed bits into 20 cells of equal probability; p > 1e-6 at the truth, p < 1e-6 for a
scale that is 1 % wrong.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy import special

import geopriv as gp
from geopriv.noise import PlanarLaplace, SphericalLaplace
from geopriv.noise import plans as bulk
from geopriv.noise.base import Distribution
from geopriv.noise.exact import (
    Undecided,
    Uniform,
    less,
    precision,
    refine,
    settle,
)
from geopriv.noise.laplace import LaplaceLaw
from geopriv.noise.plans import grid
from geopriv.noise.spherical_laplace import SphericalLaw
from geopriv.smooth import Additive
from geopriv.spaces.checks import FloatArray
from tests.sources import Given, Seeded, report

N = 1_000_000
QUERY = gp.Threshold(0.0, 2.0)
Inverse = Callable[[FloatArray], FloatArray]


def chi_square(draws: FloatArray, ppf: Inverse) -> float:
    """The p-value of draws in 20 cells of equal probability."""
    edges = ppf(np.arange(1, 20) / 20)
    counts = np.bincount(np.searchsorted(edges, draws), minlength=20)
    expected = draws.size / 20
    return float(special.chdtrc(19, ((counts - expected) ** 2 / expected).sum()))


ADDITIVE: dict[str, Additive] = {
    "LipschitzLaplace": gp.LipschitzLaplace.calibrate(QUERY, 1.0),
    "SmoothT": gp.SmoothT.calibrate(QUERY, 1.0),
    "SmoothT with few degrees of freedom": gp.SmoothT.calibrate(QUERY, 1.0, df=0.7),
    "LeastScaleT": gp.LeastScaleT.calibrate(QUERY, 1.0),
    "SmoothCauchy": gp.SmoothCauchy.calibrate(QUERY, 1.0),
    "SmoothCauchy with other powers": gp.SmoothCauchy.calibrate(QUERY, 1.0, p=1.5, theta=3.0),
    "SmoothLaplace": gp.SmoothLaplace.calibrate(QUERY, 1.0, delta=1e-3),
    "LocalLaplace": gp.LocalLaplace.calibrate(QUERY, 1.0, distance=1.5),
}


@pytest.mark.parametrize("name", ADDITIVE)
@pytest.mark.parametrize("x", [0.2, 2.5])
def test_reports_follow_the_law_and_one_of_another_scale_is_rejected(name: str, x: float) -> None:
    mechanism = ADDITIVE[name]
    draws = report(mechanism, np.full(N, x), Seeded(11)).values - float(QUERY(x))
    scale = float(mechanism.scale(np.asarray([x]))[0])
    assert chi_square(draws / scale, mechanism.noise.ppf) > 1e-6
    # Student-t noise with 0.7 degrees of freedom says a third as much about its scale as the others do
    fault = 0.03 if mechanism.noise == gp.noise.StudentT(0.7) else 0.01
    for wrong in (scale * (1 - fault), scale * (1 + fault)):
        assert chi_square(draws / wrong, mechanism.noise.ppf) < 1e-6


def test_noisy_coordinates_and_points_follow_their_laws() -> None:
    laplace = gp.noise.Laplace().ppf
    plane = gp.InputLaplace.calibrate(gp.Plane(), 0.5)
    for draws, ppf in (
        (
            report(gp.CoordinateLaplace.calibrate(QUERY, 0.5, estimator="plain"), np.full(N, 0.3), Seeded(1)).values
            - 0.3,
            laplace,
        ),
        (report(gp.InputLaplace.calibrate(gp.Line(), 0.5), np.full(N, 0.3), Seeded(2)).values - 0.3, laplace),
        (np.hypot(*(report(plane, np.full((N, 2), 0.3), Seeded(3)).values - 0.3).T), PlanarLaplace(2).ppf),
    ):
        assert chi_square(draws / 2, ppf) > 1e-6
        assert chi_square(draws / 2.02, ppf) < 1e-6


@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_directions_of_noise_are_uniform(dimension: int) -> None:
    """Along each axis Z/‖Z‖ has the density ∝ (1 − t²)^((d−3)/2): (1 + t)/2 is Beta((d−1)/2, (d−1)/2)."""
    n = 200_000
    mechanism = gp.InputLaplace.calibrate(gp.Euclidean(dimension), 1.0)
    noise = report(mechanism, np.zeros((n, dimension)), Seeded(4)).values
    half = (dimension - 1) / 2
    assert chi_square(np.linalg.norm(noise, axis=1), PlanarLaplace(dimension).ppf) > 1e-6
    for axis in range(dimension):
        cosine = noise[:, axis] / np.linalg.norm(noise, axis=1)
        assert chi_square(cosine, lambda u: 2 * special.betaincinv(half, half, u) - 1) > 1e-6
        assert chi_square(cosine * 0.97, lambda u: 2 * special.betaincinv(half, half, u) - 1) < 1e-6


@pytest.mark.parametrize("at", [(40.7, -74.0), (0.0, 179.999), (89.99, 10.0)])
def test_places_on_earth_are_moved_by_the_law_of_the_sphere(at: tuple[float, float]) -> None:
    earth, n = gp.Earth(), 50_000
    mechanism = gp.InputLaplace.calibrate(earth, "1 per 1 km")
    places = report(mechanism, np.full((n, 2), at), Seeded(5)).values
    assert (np.abs(places[:, 0]) <= 90).all()
    assert (places[:, 1] >= -180).all()
    assert (places[:, 1] < 180).all()
    angle = earth.distance(places, at) / earth.radius
    assert chi_square(angle, SphericalLaplace(earth.radius / 1000).ppf) > 1e-6
    assert chi_square(angle, SphericalLaplace(earth.radius / 950).ppf) < 1e-6


def test_a_table_follows_its_interpolated_weights_and_other_ones_are_rejected() -> None:
    table = gp.Table.calibrate(QUERY, 1.0)
    k = table.lattice.size // 2  # on the ramp
    s = float(0.3 * table.lattice[k] + 0.7 * table.lattice[k + 1])
    draws = report(table, np.full(N, s), Seeded(6)).values
    counts = np.bincount(np.searchsorted(table.values, draws), minlength=table.values.size)
    p_values = []
    for place in (s, s + 0.01):
        expected = N * table.probabilities(np.asarray(place))
        kept = expected > 10
        p_values.append(special.chdtrc(kept.sum() - 1, ((counts - expected)[kept] ** 2 / expected[kept]).sum()))
    assert p_values[0] > 1e-6
    assert p_values[1] < 1e-6


def test_a_number_that_begins_with_many_zeros_is_settled_by_the_bits_that_follow() -> None:
    """The tail beyond 2^-64 exists: the first 64 bits of U are 0 and the rest decide."""
    source = Given(bytes([0] * 20 + [17] * 44))
    uniform = Uniform(0, source)
    cells = settle(LaplaceLaw(), [uniform], [2.0**-20])
    assert source.used > 0
    with precision(4000):
        (ideal,) = LaplaceLaw()([uniform])
        assert cells is not None
        assert (ideal * 2**20 + 0.5).floor() == cells[0]
    assert cells[0] / 2**20 < -64 * math.log(2)


def test_a_release_on_the_edge_of_two_cells_is_settled_by_more_precision() -> None:
    """y = 1/2 step ± something tiny: only the sign of the tiny part decides, however small it is."""
    for sign in (1, -1):
        tiny = sign * arb(2) ** -900
        assert settle(lambda u, tiny=tiny: [arb(0.5) + tiny], [], [1.0]) == ((1,) if sign > 0 else (0,))  # type: ignore[misc]


def test_what_can_never_be_settled_releases_nothing() -> None:
    with pytest.raises(ArithmeticError, match="nothing was released"):
        settle(lambda u: [arb(0.5, 0.1)], [], [1.0])


def test_comparisons_of_overlapping_balls_are_not_guessed() -> None:
    assert less(arb(1), arb(2))
    assert not less(arb(2), arb(2))
    with pytest.raises(Undecided):
        less(arb(1, 0.1), arb(1))


def test_precision_is_what_it_was_after_an_error() -> None:
    from flint import ctx

    before = ctx.prec

    def fails() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        refine(fails, [])
    assert ctx.prec == before


def test_a_uniform_number_keeps_its_first_bits() -> None:
    source = Given(bytes(range(1, 60)))
    uniform = Uniform(0xF000_0000_0000_0001, source)
    wide = uniform.ball()
    uniform.extend(200)
    assert wide.contains(uniform.ball())
    assert uniform.upper
    assert uniform.rest().rad() < 2.0**-190
    uniform.extend(100)  # it never forgets
    assert source.used == 17


def test_the_grid_is_a_power_of_two_near_a_millionth_of_the_unit() -> None:
    for unit in (1e-9, 0.3, 1.0, 8000.0, 1e12):
        assert 2.0**-21 < grid(unit) / unit <= 2.0**-20
        assert math.frexp(grid(unit))[0] == 0.5


def test_a_noise_without_a_law_is_refused() -> None:
    with pytest.raises(gp.InvalidParameter, match="noise"):
        Distribution().law()


def test_a_law_for_half_the_globe_is_right_too() -> None:
    """Rates below 1 per radian propose places on the whole sphere; 20,000 draws in balls."""
    noise, source = SphericalLaw(0.4), Seeded(9)
    draws: list[float] = []
    while len(draws) < 20_000:
        cells = settle(noise, [Uniform(word, source) for word in source.integers64(4).tolist()], [2.0**-30] * 2)
        if cells is not None:
            draws.append(cells[0] * 2.0**-30)
    assert chi_square(np.asarray(draws), SphericalLaplace(0.4).ppf) > 1e-6
    assert chi_square(np.asarray(draws), SphericalLaplace(0.5).ppf) < 1e-6


def test_the_size_of_chunks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, x = ADDITIVE["LeastScaleT"], np.linspace(-3, 3, 5000)
    made: list[Any] = []
    for size in (1 << 15, 700):
        monkeypatch.setattr(bulk, "CHUNK", size)
        monkeypatch.setattr(bulk, "in_threads", lambda work, starts: [work(start) for start in starts])
        made.append(report(mechanism, x, Seeded(10)).values)
    np.testing.assert_array_equal(*made)


def test_an_error_in_a_thread_is_raised() -> None:
    with pytest.raises(EOFError):
        report(ADDITIVE["SmoothT"], np.zeros(100_000), Given(b"1234"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_makes_its_own_reports() -> None:
    program = """
import os, geopriv as gp, numpy as np
from geopriv.noise import exact
m = gp.LipschitzLaplace.calibrate(gp.Threshold(0.0, 1.0), 1.0)
x = np.zeros(50)
m.report(x)
exact._LOCK.acquire()
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, np.concatenate([m.report(x).values, m.report(x[:3]).values]).tobytes())
    os._exit(0)
theirs = os.read(read, 1000)
print(len(theirs) == 53 * 8 and theirs[:400] != m.report(x).values.tobytes())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "True"


def test_a_budget_that_leaves_nothing_to_the_noise_is_refused() -> None:
    mechanism = gp.SmoothT.calibrate(QUERY, 1.0, gamma_share=0.999)
    with pytest.raises(gp.InvalidParameter, match="gamma_share"):
        mechanism.report([0.0])
