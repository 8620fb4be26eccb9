"""Many answers from one count: the same numbers as one by one, and fast."""

from __future__ import annotations

import time
from typing import Any, Literal

import numpy as np
import pytest

import geopriv as gp

PLANE = gp.Plane("m")
KERNEL = gp.GaussianKernel((0.0, 0.0), 2400.0, PLANE)
CITY = gp.LocalPlane(south=40.5, west=-74.3, north=40.95, east=-73.65)


@pytest.mark.parametrize("space", [PLANE, CITY], ids=repr)
@pytest.mark.parametrize("noise", ["product", "round"])
def test_a_map_is_the_direct_sum_for_every_centre(space: gp.spaces.Space, noise: Literal["product", "round"]) -> None:
    rng = np.random.default_rng(1)
    mechanism = gp.Lattice.calibrate(space, 1e-3, noise=noise)
    people = space.values(rng.normal(scale=4000.0, size=(3000, 2)))
    reports = mechanism.simulate(people, rng)
    east, north = np.linspace(-9000, 9000, 7), np.linspace(-5000, 8000, 5)
    middle = tuple(space.values(np.zeros(2)).tolist())
    found = gp.estimate(mechanism, reports, gp.GaussianKernel(middle, 2400.0, space), at=(east, north))
    values, errors = found.values, found.standard_errors
    assert values.shape == errors.shape == (7, 5)
    for i, x in enumerate(east):
        for j, y in enumerate(north):
            center = tuple(space.values(np.array([x, y])).tolist())
            answer = gp.estimate(mechanism, reports, gp.GaussianKernel(center, 2400.0, space))
            assert values[i, j] == pytest.approx(answer.value, abs=found.binning_error + 1e-10)
            assert errors[i, j] == pytest.approx(answer.standard_error, abs=1e-4 * answer.standard_error + 1e-10)


def test_a_map_covers_the_truth_as_often_as_its_errors_say() -> None:
    """3,600 centres, correlated: at most 1 % beyond 4 standard errors, and with a third of the errors far more."""
    rng = np.random.default_rng(2)
    mechanism = gp.Lattice.calibrate(PLANE, 1e-3)
    people = rng.normal(scale=6000.0, size=(200_000, 2))
    grid = np.linspace(-12_000, 12_000, 60)
    found = gp.estimate(mechanism, mechanism.simulate(people, rng), KERNEL, at=(grid, grid))
    values, errors = found.values, found.standard_errors
    bells = [np.exp(-((people[:, [axis]] - grid) ** 2) / (2 * 2400.0**2)) for axis in (0, 1)]
    truth = bells[0].T @ bells[1] / len(people)
    score = np.abs(values - truth) / errors
    assert (score > 4).mean() < 0.01
    assert (3 * score > 4).mean() > 0.01


def test_a_map_of_a_million_reports_takes_seconds_and_not_minutes() -> None:
    rng = np.random.default_rng(3)
    mechanism = gp.Lattice.calibrate(PLANE, 1e-3)
    reports = mechanism.simulate(rng.normal(scale=8000.0, size=(1_000_000, 2)), rng)
    grid = np.linspace(-24_000, 24_000, 60)
    start = time.perf_counter()
    gp.estimate(mechanism, reports, KERNEL, at=(grid, grid))
    assert time.perf_counter() - start < 20  # a direct sum takes an hour


def test_many_estimates_at_once_are_those_one_by_one() -> None:
    queries = [gp.Threshold(float(at), 4000.0) for at in range(20_000, 200_000, 20_000)]
    mechanism = gp.Lattice.calibrate(gp.Line(), 1 / 2000, queries=queries)
    rng = np.random.default_rng(4)
    reports = mechanism.simulate(rng.lognormal(11.49, 0.83, 20_000), rng)
    together = gp.estimate(mechanism, reports, queries, confidence=0.9)
    assert together.bias == max(mechanism.largest_bias(query) for query in queries)
    for query, answer in zip(queries, [together[k] for k in range(len(queries))], strict=True):
        single = gp.estimate(mechanism, reports, query, confidence=0.9)
        assert (answer.n, answer.unbiased) == (single.n, together.unbiased)
        for name in ("value", "standard_error", "low", "high"):
            assert getattr(answer, name) == pytest.approx(getattr(single, name), abs=1e-12)


def test_one_report_answers_with_an_infinite_interval() -> None:
    query = gp.Threshold(0.0, 2.0)
    answers = gp.estimate(gp.Lattice.calibrate(gp.Line(), 1.0), [3.0], [query])
    assert answers[0].standard_error == np.inf


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"query": gp.Orthant((0.0, 0.0), 1.0, PLANE)}, gp.InvalidParameter),
        ({"query": gp.GaussianKernel((40.7, -74.0), 1.0, CITY)}, gp.InvalidParameter),
        ({"at": ([], [0.0])}, gp.InvalidParameter),
        ({"at": ([0.0], [np.nan])}, gp.InvalidParameter),
        ({"at": [0.0, 1.0, 2.0]}, gp.InvalidParameter),
        ({"shrink": True, "asked": gp.Lattice.calibrate(PLANE, 1.0, noise="product")}, gp.InvalidParameter),
        ({"asked": gp.Lattice.calibrate(gp.Line(), 1.0)}, gp.InvalidParameter),
        ({"reports": [[1.0, 2.0]]}, gp.ReportRejected),
        ({"reports": []}, gp.ReportRejected),
        ({"reports": [[1.0, 2.5], [0.0, 1.0]]}, gp.ReportRejected),
        ({"reports": [["secret-42", "x"], ["a", "b"]]}, gp.ReportRejected),
    ],
)
def test_a_map_refuses_bad_arguments(arguments: dict[str, Any], error: type[Exception]) -> None:
    good: dict[str, Any] = {
        "asked": gp.Lattice.calibrate(PLANE, 1.0),
        "reports": [[1.0, 2.0], [0.0, 1.0]],
        "query": gp.GaussianKernel((0.0, 0.0), 1.0, PLANE),
        "at": ([0.0], [0.0]),
    }
    with pytest.raises(error) as caught:
        gp.estimate(**(good | arguments))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("far", [2.0**52 + 1, 2.0**53 - 1])
def test_reports_far_on_both_sides_do_not_mix_up_the_cells_between_them(far: float) -> None:
    query = gp.Threshold(0.0, 4.0)
    mechanism = gp.Lattice.calibrate(gp.Line(), 1.0, queries=[query])
    cells = np.arange(-50.0, 51.0)
    near, ends = (mechanism.contributions(part, query) for part in (cells, np.array([-far, far])))
    np.testing.assert_array_equal(mechanism.contributions(np.concatenate([cells, [-far, far]]), query)[:101], near)
    np.testing.assert_allclose(ends, [0.0, 1.0], atol=1e-9)
