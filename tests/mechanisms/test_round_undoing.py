"""Round noise undone: against sums over its law, which know nothing of spectra."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.answers.bands import band_reach
from geopriv.answers.plain import plain_ends
from geopriv.mechanisms.counts import Counts, merged
from geopriv.mechanisms.input.deconvolution import LaplaceSpectrum, RoundSpectrum, Spectrum
from geopriv.mechanisms.lattice.undoing import BySpectrum
from geopriv.mechanisms.roughness import Roughness
from geopriv.spaces.checks import FloatArray

PLANE = gp.Plane("m")
PARK = shapely.Polygon([(-6, -3), (5, -4), (6, 4), (0, 1), (-5, 5)])
LATTICE = gp.Lattice.calibrate(PLANE, 1.0, step=0.1)
QUERIES = {
    "kernel": gp.GaussianKernel((0.3, -0.2), 1.0, PLANE),
    "narrow kernel": gp.GaussianKernel((0.3, -0.2), 0.6, PLANE),
    "disc": gp.Blurred(gp.Ball((0.0, 0.0), 2.0, 0.1, PLANE), 1.0),
    "park": gp.Blurred(gp.Geofence(PARK, 0.5, PLANE), 1.0),
    "corner": gp.Blurred(gp.Orthant((0.0, 0.5), 0.5, PLANE), 1.0),
    "score": gp.Blurred(gp.Score((0.6, 0.8), 0.2, 0.1, PLANE), 1.0),
    "ridge": gp.LinearQuery((3.0, 4.0), gp.shapes.Gaussian(8.0), space=PLANE),
    "mean": gp.LinearQuery((1.0, 2.0), gp.shapes.Identity(), space=PLANE),
}


def undoing(lattice: gp.Lattice) -> BySpectrum:
    found = lattice.undoing
    assert isinstance(found, BySpectrum)
    return found


def law_of(lattice: gp.Lattice) -> tuple[FloatArray, FloatArray]:
    """All moves with a chance above e^-38, and their probabilities."""
    reach = np.arange(-400.0, 401.0)
    moved = np.stack(np.meshgrid(reach, reach, indexing="ij"), axis=-1).reshape(-1, 2)
    return moved, np.exp(lattice.cell_noise.log_law(moved))


@pytest.mark.parametrize("name", QUERIES)
def test_contributions_have_the_query_as_mean_and_the_stated_second_moment(name: str) -> None:
    query, (moved, law) = QUERIES[name], law_of(LATTICE)
    for cell in ((0.0, 0.0), (13.0, 4.0), (-31.0, 22.0)):
        point = LATTICE.grid.points(np.asarray([cell]))
        added = LATTICE.at_cells(moved + np.asarray(cell), query)
        truth = float(query.answer(point)[0])
        assert abs(law @ added - truth) <= LATTICE.undoing.leftover(query) + 1e-9
        square = float(LATTICE.variance_at(point, query)[0]) + truth**2
        assert square == pytest.approx(law @ added**2, rel=1e-6)


def test_a_core_that_is_twice_as_large_is_caught_as_bias() -> None:
    """The planted fault of the test before: what undoes other noise is far from unbiased."""
    query, wrong, (moved, law) = QUERIES["kernel"], replace(LATTICE, core=2 * (LATTICE.core or 0)), law_of(LATTICE)
    mean = law @ wrong.at_cells(moved, query)
    assert abs(mean - float(query.answer(np.zeros((1, 2)))[0])) > 1000 * LATTICE.undoing.leftover(query)


@pytest.mark.parametrize("name", [name for name in QUERIES if name != "mean"])
def test_no_contribution_is_beyond_its_bounds(name: str) -> None:
    bounds = LATTICE.undoing.bounds(QUERIES[name])
    assert bounds is not None
    cells = np.random.default_rng(0).integers(-120, 120, (40_000, 2)).astype(np.float64)
    values = LATTICE.at_cells(cells, QUERIES[name])
    assert bounds[0] <= values.min()
    assert values.max() <= bounds[1]
    assert np.ptp(values) > 0.7 * (bounds[1] - bounds[0])


def test_a_mean_has_no_bounds_and_the_variance_of_the_law() -> None:
    query = QUERIES["mean"]
    assert LATTICE.undoing.bounds(query) is None
    found = LATTICE.variance_at(np.zeros((1, 2)), query)[0]
    assert found == pytest.approx(5 * LATTICE.cell_noise.variance * LATTICE.step**2, rel=1e-3)


@pytest.mark.parametrize(
    "query",
    [gp.Ball((0.0, 0.0), 2.0, 1.0, PLANE), gp.Score((1.0, 0.0), 0.0, 1.0, PLANE), gp.Orthant((0.0, 0.0), 1.0, PLANE)],
    ids=lambda query: type(query).__name__,
)
def test_rough_queries_are_refused_by_round_noise_and_left_to_the_other(query: gp.queries.Query) -> None:
    with pytest.raises(gp.InvalidParameter, match="smooth enough"):
        LATTICE.contributions(np.zeros((3, 2)), query)
    with pytest.raises(gp.InvalidParameter, match="smooth enough"):
        gp.Lattice.calibrate(PLANE, 1.0, queries=[query], noise="round")
    assert gp.Lattice.calibrate(PLANE, 1.0, step=0.1, noise="product").contributions(np.zeros((3, 2)), query).size == 3


def whole(spectrum: Spectrum, bandwidth: float) -> float:
    """The variance of the noise of a whole map of Gaussians: the integral over waves of what undoing it adds."""
    length = np.linspace(0.0, 9 / bandwidth, 40_001)[1:]
    added = np.exp(-((bandwidth * length) ** 2)) * (spectrum(length) ** -2.0 - 1) * length
    return float(added.sum()) * float(length[0])


@pytest.mark.parametrize("bandwidth", [0.9, 1.2, 2.0, 4.0])
def test_whole_maps_cost_at_most_a_tenth_more_than_those_of_planar_laplace(bandwidth: float) -> None:
    kernel = gp.GaussianKernel((0.0, 0.0), bandwidth, PLANE)
    lattice = gp.Lattice.calibrate(PLANE, 1.0, queries=[kernel])
    best = whole(LaplaceSpectrum(1.0, 2), bandwidth)
    # E(1 + ω²)³ − 1 over the waves of a Gaussian
    exact = 3 / bandwidth**2 + 6 / bandwidth**4 + 6 / bandwidth**6
    assert best == pytest.approx(exact / (2 * bandwidth**2), rel=1e-3)
    assert 1 < whole(undoing(lattice).spectrum, bandwidth) / best < 1.10


def test_a_step_is_taken_that_costs_little_more_than_the_finest() -> None:
    kernels = [gp.GaussianKernel((0.0, 0.0), h, PLANE) for h in (0.5, 2.0, 8.0)]
    assert [gp.Lattice.calibrate(PLANE, 1.0, queries=[kernel]).step for kernel in kernels] == [0.01, 0.02, 0.02]
    assert gp.Lattice.calibrate(PLANE, 1.0).step == 0.02


PLAIN = {
    "ball": gp.Ball((0.0, 0.0), 5.0, 1.0, PLANE),
    "park": gp.Geofence(PARK, 1.0, PLANE),
    "corner": gp.Orthant((0.0, 0.5), 0.5, PLANE),
    "score": gp.Score((0.6, 0.8), 0.2, 0.1, PLANE),
}
FINE = gp.Lattice.calibrate(PLANE, 1.0, step=0.02)


@pytest.mark.parametrize("name", PLAIN)
def test_two_smooth_questions_hold_the_plain_one_wherever_somebody_is(name: str) -> None:
    query, found = PLAIN[name], FINE.bracket(PLAIN[name], 2.8)
    plain, rng = query.plain_set, np.random.default_rng(0)
    assert found is not None
    assert plain is not None
    points = rng.uniform(-9, 9, (20_000, 2))
    inside = plain(points) <= 0
    # at corners of the cell that somebody is in, and so between them
    corners = points + FINE.step * rng.choice([-1.0, 1.0], (20_000, 2))
    hair = max(FINE.undoing.leftover(part) for part in (found.inner, found.outer)) + 1e-6
    assert hair < 2e-3
    for places in (points, corners):
        inner, outer = (part.answer(places) for part in (found.inner, found.outer))
        assert (inner[~inside] <= hair).all()
        assert (inner <= 1 + hair).all()
        assert (outer[inside] >= 1 - hair).all()
        assert (outer >= -hair).all()


def test_a_region_that_is_larger_by_half_of_the_reach_is_not_held() -> None:
    """The planted fault of the test before."""
    found, turn = FINE.bracket(PLAIN["ball"], 2.0), np.linspace(0, 2 * math.pi, 200)
    assert found is not None
    edge = 5.5 * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    assert (found.outer.answer(edge) < 1 - 1e-3).any()


def counted(lattice: gp.Lattice, people: FloatArray, rng: np.random.Generator) -> Counts:
    cells = np.asarray(lattice.simulate(people, rng).values).astype(np.int64)
    return merged([Counts(cells, np.ones(len(cells), dtype=np.int64))])


def test_plain_answers_under_round_noise_hold_as_often_as_they_say() -> None:
    """100 surveys of 2,000 people: if 95 % hold, fewer than 87 do with a chance of 1e-3."""
    share, rng = gp.Share("park", PLAIN["park"]).with_reach(2.8), np.random.default_rng(7)
    held = 0
    for _ in range(100):
        crowd = rng.normal(0, 4, (2_000, 2))
        sums = FINE.bracket_sums(counted(FINE, crowd, rng), share, [0])
        assert sums is not None
        low, high = plain_ends(*sums, 0.95)
        held += bool(low[0] <= shapely.contains_xy(PARK, *crowd.T).mean() <= high[0])
    assert held >= 87


def test_errors_of_a_map_have_the_roughness_of_the_contributions() -> None:
    """The critical value for all places is at most 4 % above that for the points, drawn from the whole matrix."""
    lattice, rng = gp.Lattice.calibrate(PLANE, 1.0, step=0.05), np.random.default_rng(0)
    chart = gp.DensityMap("map", 2.0, (-2.0, -2.0), (2.0, 2.0), PLANE, 9, 9)
    counts = counted(lattice, rng.normal(0, 3, (20_000, 2)), rng)
    roughness = lattice.sums(counts, chart, range(len(chart.queries))).covariance
    assert isinstance(roughness, Roughness)
    added = np.stack([lattice.at_cells(counts.rows.astype(np.float64), query) for query in chart.queries], axis=1)
    mean = counts.times @ added / counts.n
    matrix = (added - mean).T @ ((added - mean) * counts.times[:, None]) / (counts.n - 1)
    assert roughness.steps == (0.5, 0.5)  # as the map's
    np.testing.assert_allclose(roughness.moments[0].ravel(), np.diag(matrix), rtol=0.03)
    everywhere, drawn, apart = (band_reach([part], 81, 0.95) for part in (roughness, matrix, np.eye(81)))
    assert drawn - 0.01 < everywhere < 1.04 * drawn
    assert everywhere < 0.97 * apart


def test_a_shrunk_map_is_inside_the_band_and_nearer_to_the_truth() -> None:
    chart = gp.DensityMap("map", 1.0, (-6.0, -6.0), (6.0, 6.0), PLANE, 21, 21)
    mechanism, rng = gp.Lattice.calibrate(PLANE, 1.0, step=0.05), np.random.default_rng(0)
    design = gp.Design("demo", (mechanism,), questions=(chart,))
    tally, people = gp.Tally(design), rng.normal(0, 2, (2_000, 2))
    tally.add(gp.reports.ReportBatch(0, np.asarray(mechanism.simulate(people, rng).values).astype(np.int64)))
    answer = gp.estimate(design, tally, shrink=True)["map"]
    assert answer.band is not None
    assert answer.consistent is not None
    assert (answer.consistent >= np.maximum(answer.band.low, 0.0) - 1e-12).all()
    assert (answer.consistent <= np.maximum(answer.band.high, 0.0) + 1e-12).all()
    truth = np.array([query.answer(people).mean() for query in chart.queries]).reshape(21, 21)
    errors = [float(np.mean((values - truth) ** 2)) for values in (answer.consistent, answer.estimates.values)]
    assert errors[0] < 0.8 * errors[1]


def test_shrinking_is_refused_without_a_map_and_without_round_noise() -> None:
    chart = gp.DensityMap("map", 1.0, (-6.0, -6.0), (6.0, 6.0), PLANE, 5, 5)
    product = gp.Lattice.calibrate(PLANE, 1.0, step=0.1, noise="product")
    for mechanism, question in ((product, chart), (LATTICE, gp.Share("disc", QUERIES["disc"], plain=False))):
        design = gp.Design("demo", (mechanism,), questions=(question,))
        tally = gp.Tally(design)
        tally.add(gp.reports.ReportBatch(0, np.zeros((50, 2), dtype=np.int64)))
        with pytest.raises(gp.InvalidParameter, match="shrink"):
            gp.estimate(design, tally, shrink=True)


@pytest.mark.parametrize(("theta", "core"), [(0.1, 6), (0.02, 26), (0.5, 2)])
def test_what_stands_for_a_spectrum_is_as_near_as_it_says(theta: float, core: int) -> None:
    spectrum = RoundSpectrum(theta, core, 1.0, 2)
    cells = np.arange(-int(40 / math.log1p(theta)), int(40 / math.log1p(theta)) + 1)
    law = (1 + theta) ** -np.sqrt(cells[:, None] ** 2 + cells**2 + core)
    alone = law.sum(axis=1) / law.sum()
    waves = np.array([0.05, 0.3, 1.0, 2.0])
    exact = np.cos(waves[:, None] * cells) @ alone
    assert (np.abs(exact / spectrum(waves) - 1) <= spectrum.leak(waves) + 1e-9).all()
    assert float(alone @ cells**2) == pytest.approx(spectrum.variance, rel=1e-4)
