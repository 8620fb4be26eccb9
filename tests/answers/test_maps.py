"""Maps by Fourier transforms against direct sums over the reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import shapely
import shapely.affinity

import geopriv as gp
from geopriv.mechanisms.input import fine_grids
from geopriv.mechanisms.input.deconvolution import undo
from geopriv.spaces.checks import FloatArray

PLANE = gp.Plane("m")
ROWS, COLUMNS = np.linspace(-12.0, 10.0, 12), np.linspace(-8.0, 9.0, 9)
HOOK = shapely.Polygon([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)])  # looks different from every side


def people(n: int, seed: int = 1) -> FloatArray:
    rng = np.random.default_rng(seed)
    town, village = rng.normal(size=(n // 2, 2)) * [5, 3], rng.normal([4, -3], size=(n - n // 2, 2))
    return np.concatenate([town, village])


def moved(query: gp.queries.Query, to: tuple[float, float]) -> gp.queries.Query:
    if isinstance(query, gp.GaussianKernel):
        return gp.GaussianKernel(to, query.bandwidth, query.space)
    assert isinstance(query, gp.Blurred)
    fence = query.query
    assert isinstance(fence, gp.Geofence)
    shifted = shapely.affinity.translate(fence.polygon, *(np.asarray(to) - query.middle))
    return gp.Blurred(gp.Geofence(shifted, fence.width, fence.space), query.bandwidth)


KERNEL = gp.GaussianKernel((0.0, 0.0), 1.2, PLANE)
FENCE = gp.Blurred(gp.Geofence(HOOK, 0.5, PLANE), 1.0)


@pytest.mark.parametrize("query", [KERNEL, FENCE], ids=["kernel", "hook"])
@pytest.mark.parametrize("rate", [0.4, 1.0, 4.0])
@pytest.mark.parametrize("estimator", ["unbiased", "plain"])
def test_a_map_is_the_direct_sum_to_a_millionth(query: gp.queries.Query, rate: float, estimator: str) -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, rate, estimator)  # type: ignore[arg-type]
    # a polygon's direct sum takes some milliseconds a report
    reports = mechanism.simulate(people(3000 if query is KERNEL else 600), np.random.default_rng(2))
    found = gp.estimate(mechanism, reports, query, at=(ROWS, COLUMNS))
    assert found.values.shape == (12, 9)
    for i, j in ((0, 0), (6, 4), (8, 2), (11, 8)):
        direct = gp.estimate(mechanism, reports, moved(query, (ROWS[i], COLUMNS[j])))
        assert abs(found.values[i, j] - direct.value) <= min(1e-6, found.binning_error)
        assert found.standard_errors[i, j] == pytest.approx(direct.standard_error, rel=1e-5)
        assert found[i, j].low == pytest.approx(direct.low, abs=2e-6)


def test_a_question_of_a_map_is_its_kernel_moved() -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    chart = gp.DensityMap("chart", 1.2, (-12.0, -8.0), (10.0, 9.0), PLANE, columns=12, rows=9)
    reports = mechanism.simulate(people(500), np.random.default_rng(2))
    asked, moved = gp.estimate(mechanism, reports, chart), gp.estimate(mechanism, reports, KERNEL, at=(ROWS, COLUMNS))
    np.testing.assert_allclose(asked.values, moved.values, atol=1e-9)
    np.testing.assert_allclose(asked.standard_errors, moved.standard_errors, rtol=1e-6)
    assert not gp.estimate(mechanism, reports, chart, shrink=True).unbiased


def test_reports_put_into_the_nearest_cell_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def nearest(points: FloatArray, times: FloatArray, origin: FloatArray, step: float, mass: FloatArray) -> None:
        np.add.at(mass, tuple(np.rint((points - origin) / step).astype(int).T), times)

    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    reports = mechanism.simulate(people(3000), np.random.default_rng(2))
    honest = gp.estimate(mechanism, reports, KERNEL, at=(ROWS, COLUMNS))
    monkeypatch.setattr(fine_grids, "spread_plane", nearest)
    assert np.abs(gp.estimate(mechanism, reports, KERNEL, at=(ROWS, COLUMNS)).values - honest.values).max() > 1e-5


def test_reports_far_from_the_map_count_as_people_without_mass() -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    near = np.zeros((50, 2))
    far = np.concatenate([near, np.full((50, 2), 1e9), np.full((50, 2), -1e9)])
    alone, together = (gp.estimate(mechanism, r, KERNEL, at=([0.0], [0.0])) for r in (near, far))
    assert together.values[0, 0] == pytest.approx(alone.values[0, 0] / 3, rel=1e-9)


def test_intervals_of_a_map_cover_the_truth() -> None:
    """Error rate: of 200 intervals of 95 % fewer than 173 cover with probability 1e-6. Half as wide they must fail."""
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    x = people(400)
    truth = gp.GaussianKernel((1.0, -1.0), 1.2, PLANE)(x).mean()
    rng = np.random.default_rng(8)
    hits, narrow = 0, 0
    for _ in range(200):
        pixel = gp.estimate(mechanism, mechanism.simulate(x, rng), KERNEL, at=([1.0], [-1.0]))
        # the people are fixed, so the interval, which also allows for who was asked, is a little wide
        hits += bool(pixel.low[0, 0] <= truth <= pixel.high[0, 0])
        narrow += bool(abs(pixel.values[0, 0] - truth) <= pixel.standard_errors[0, 0] * 0.98)
    assert hits >= 173
    assert narrow < 173


def test_shrinkage_halves_the_error_where_noise_dominates_and_is_labelled_biased() -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 0.6)
    x = people(2000)
    rows, columns = np.linspace(-10, 10, 15), np.linspace(-8, 8, 15)
    truth = np.array([[gp.GaussianKernel((a, b), 1.2, PLANE)(x).mean() for b in columns] for a in rows])
    rng, plain, shrunk = np.random.default_rng(5), 0.0, 0.0
    for _ in range(6):
        reports = mechanism.simulate(x, rng)
        raw = gp.estimate(mechanism, reports, KERNEL, at=(rows, columns))
        tamed = gp.estimate(mechanism, reports, KERNEL, at=(rows, columns), shrink=True)
        assert raw.unbiased
        assert not tamed.unbiased
        plain += ((raw.values - truth) ** 2).mean()
        shrunk += ((tamed.values - truth) ** 2).mean()
    assert shrunk < 0.8 * plain


def test_one_report_has_an_infinite_interval() -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    single = gp.estimate(mechanism, [(0.0, 0.0)], KERNEL, at=([0.0, 1.0], [0.0]))
    assert np.isinf(single.standard_errors).all()
    assert len(single) == 2


@pytest.mark.parametrize("reports", [[], [(np.nan, 0.0)], [1.0, 2.0], [(1.0, 2.0, 3.0)], ["a"]])
def test_bad_reports_are_rejected(reports: object) -> None:
    with pytest.raises(gp.ReportRejected):
        gp.estimate(gp.InputLaplace.calibrate(PLANE, 1.0), reports, KERNEL, at=([0.0], [0.0]))


def test_a_map_of_what_cannot_be_moved_is_refused() -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    with pytest.raises(gp.InvalidParameter, match="query"):
        gp.estimate(mechanism, np.zeros((2, 2)), gp.Orthant((0.0, 0.0), 1.0, PLANE), at=([0.0], [0.0]))
    with pytest.raises(gp.InvalidParameter, match="'at'"):
        gp.estimate(mechanism, np.zeros((2, 2)), KERNEL, at=([1.0, 0.0], [0.0]))
    with pytest.raises(gp.InvalidParameter, match="'at'"):
        gp.estimate(mechanism, np.zeros((2, 2)), KERNEL, at=("north", [0.0]))
    with pytest.raises(gp.InvalidParameter, match=r"'query' .* bandwidth so wide"):
        gp.estimate(mechanism, np.zeros((2, 2)), KERNEL, at=([0.0, 1e6], [0.0, 1e6]))


@pytest.mark.parametrize("estimator", ["unbiased", "plain"])
def test_a_query_of_another_space_is_refused(estimator: Any) -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0, estimator)
    with pytest.raises(gp.InvalidParameter, match="space of the reports"):
        gp.estimate(mechanism, np.zeros((2, 2)), gp.GaussianKernel((0.0, 0.0), 1.0, gp.Plane("km")), at=([0.0], [0.0]))


@pytest.mark.parametrize(
    "query",
    [
        gp.Blurred(gp.Orthant((0.0, 0.0), 1.0, PLANE), 1.0),
        gp.Blurred(gp.RadialQuery((0.0, 0.0), gp.shapes.Ramp(1.0, center=3.0), PLANE), 1.0),
    ],
    ids=["corner", "outside of a disc"],
)
def test_a_region_without_end_is_refused(query: gp.queries.Query) -> None:
    with pytest.raises(gp.InvalidParameter, match="infinity"):
        gp.estimate(gp.InputLaplace.calibrate(PLANE, 1.0), np.zeros((2, 2)), query, at=([0.0], [0.0]))


@pytest.mark.parametrize("turn", [0.0, 22.5, 40.0])
def test_a_long_thin_region_is_seen_to_its_ends_in_every_direction(turn: float) -> None:
    strip = shapely.affinity.rotate(shapely.box(-15.0, -0.5, 15.0, 0.5), turn)
    query = gp.Blurred(gp.Geofence(strip, 0.3, PLANE), 0.6)
    mechanism = gp.InputLaplace.calibrate(PLANE, 4.0)
    reports = np.random.default_rng(6).uniform(-15, 15, (2000, 2))
    found = gp.estimate(mechanism, reports, query, at=(query.middle[:1], query.middle[1:]))
    direct = gp.estimate(mechanism, reports, query)
    assert abs(found.values[0, 0] - direct.value) <= found.binning_error < 2e-6


@pytest.mark.parametrize("rate", [0.2, 1.0, 20.0])
def test_the_stated_binning_error_is_not_passed_by_single_reports_wherever_they_lie(rate: float) -> None:
    """A single report has all of its error; places between grid points are tried evenly, and the corners of cells."""
    mechanism = gp.InputLaplace.calibrate(PLANE, rate)
    step, worst = KERNEL.bandwidth / 16, 0.0
    inverse = undo(KERNEL, rate)
    for a, b in [(0.0, 0.0), (0.5, 0.5), (0.25, 0.75), (0.5, 0.0), (0.13, 0.41)]:
        for away in (0.0, 1.3, 4.7):
            report = np.array([[away + a * step, b * step]])
            found = gp.estimate(mechanism, report, KERNEL, at=([0.0, 0.37 * step], [0.0, 0.61 * step]))
            places = np.array([[(x, y) for y in (0.0, 0.61 * step)] for x in (0.0, 0.37 * step)])
            worst = max(worst, float(np.abs(found.values - inverse(report - places)).max()))
    assert worst <= found.binning_error
    assert worst > 1e-3 * found.binning_error  # a bound that says something


def test_a_map_of_a_city_is_made_in_metres_from_places_in_degrees() -> None:
    """Error rate: |z| ≤ 5 at three places, 2e-6. Reports are points of the map and may lie outside its rectangle."""
    city = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)
    mechanism = gp.InputLaplace.calibrate(city, "1 per 1 km")
    rng = np.random.default_rng(9)
    people = np.concatenate([rng.normal([40.7, -74.0], 0.03, (4000, 2)), np.full((200, 2), (40.5, -74.3))])
    reports = mechanism.simulate(people, rng)
    assert not ((reports.values >= city.rectangle[0]) & (reports.values <= city.rectangle[1])).all()
    kernels = [gp.GaussianKernel(at, 2000.0, city) for at in ((40.7, -74.0), (40.75, -73.95), (40.52, -74.28))]
    for kernel in kernels:
        x, y = city.read(kernel.center)
        found = gp.estimate(mechanism, reports, kernels[0], at=([x], [y]))
        direct = gp.estimate(mechanism, reports, kernel)
        assert abs(found.values[0, 0] - direct.value) <= found.binning_error
        assert abs(direct.value - float(kernel(people).mean())) < 5 * direct.standard_error


def test_an_index_picks_one_estimate_or_is_refused() -> None:
    mechanism = gp.InputLaplace.calibrate(PLANE, 1.0)
    found = gp.estimate(mechanism, people(50), KERNEL, at=([0.0, 1.0], [0.0, 1.0, 2.0]))
    assert found[-1, -1].value == found.values[1, 2]
    assert found[np.int64(0), 1].low == pytest.approx(float(found.low[0, 1]))
    for index in (0, slice(None), (0, slice(1, 3))):
        with pytest.raises(TypeError, match="pick a single one"):
            found[index]
    with pytest.raises(IndexError):
        found[5, 0]
