"""Floors over all reports (theory T12): near what tables reach, never above, and certificates that are checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import geopriv as gp
from geopriv.mechanisms.table.program import default_values, solve
from geopriv.proofs.floors import interior, shelf
from geopriv.proofs.floors.chains import Certificate, Chain, Refuted
from geopriv.proofs.floors.duals import best_certificate
from geopriv.proofs.floors.least import crowd_floor

RAMP = gp.Threshold(0.0, 2.0)
EVEN = np.linspace(-5.0, 5.0, 51)


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    chain = Chain(EVEN, np.full(EVEN.size, 1 / EVEN.size), RAMP.profile(EVEN))
    found = best_certificate(chain, default_values(RAMP.profile), (-0.65, 1.65))
    assert found is not None
    return found


def test_a_certificate_proves_its_floor(certificate: Certificate) -> None:
    variance = gp.Table.calibrate(RAMP, 1.0, prior=EVEN).variance(EVEN).mean()
    assert 0.9 * variance < certificate.floor < variance


@pytest.mark.parametrize("fault", ["levels", "slopes", "slack", "values"])
def test_a_dual_that_is_infeasible_by_a_millionth_is_refused(certificate: Certificate, fault: str) -> None:
    """Each raises the floor by some 1e-6 of the sizes of its terms, and the slack has a margin of 1e-9."""
    size = float(np.abs(certificate.levels).max())
    planted = {
        "levels": replace(certificate, levels=certificate.levels + 1e-6 * np.abs(certificate.levels) + 1e-7 * size),
        "slopes": replace(certificate, slopes=certificate.slopes * (1 + 1e-4)),
        "slack": replace(certificate, slack=certificate.slack - 1e-6),
        "values": replace(certificate, values=certificate.values[::3]),
    }[fault]
    with pytest.raises(Refuted):
        _ = planted.floor


def test_values_that_do_not_reach_far_enough_are_refused(certificate: Certificate) -> None:
    y = certificate.values
    with pytest.raises(Refuted):
        _ = replace(certificate, values=y[(y > -0.2) & (y < 1.2)]).floor


def test_the_worth_of_a_likelihood_is_what_brute_force_finds() -> None:
    """Corners of the cone of likelihoods: up or down from place to place, all 2⁷ of them."""
    rng = np.random.default_rng(1)
    places = np.cumsum(rng.uniform(0.1, 1.0, 8))
    chain = Chain(places, rng.dirichlet(np.ones(8)), rng.uniform(0, 1, 8))
    levels, slopes = rng.normal(size=(2, 8))
    y, price = np.linspace(-2, 2, 9), rng.uniform(0, 2, 9)
    signs = np.array(np.meshgrid(*[[-1, 1]] * 7)).reshape(7, -1).T
    likelihoods = np.exp(np.cumsum(np.column_stack([np.zeros(len(signs)), signs * np.diff(places)]), axis=1))
    brute = [
        (likelihoods @ (one * slopes + levels - cost * chain.shares)).max() for one, cost in zip(y, price, strict=True)
    ]
    found = chain.worth(levels, slopes, y, price)
    np.testing.assert_allclose(found, brute, rtol=1e-9)
    assert (found >= np.array(brute) * (1 - 1e-13)).all()
    least = chain.priced(levels, slopes, y, price)
    np.testing.assert_allclose(
        least, [((likelihoods @ (one * slopes + levels)) / (likelihoods @ chain.shares)).max() for one in y], rtol=1e-9
    )


@pytest.mark.parametrize("width", [0.5, 2.0])
def test_no_table_is_below_the_floor_and_all_are_near_it(width: float) -> None:
    """A floor that is a tenth higher would be false: tables are at 0.9 of it and above."""
    query = gp.Threshold(0.0, width)
    table = gp.Table.calibrate(query, 1.0)
    share = gp.efficiency(table, np.linspace(-width / 2 - 4, width / 2 + 4, 101))
    assert 0.9 < share < 1


def test_a_report_for_these_places_alone_reaches_the_floor_to_a_percent(certificate: Certificate) -> None:
    """The solution of the relaxed program is a report on these 51 places, so a floor that is 1.5 % higher is false."""
    chain, values = certificate.chain, np.linspace(-0.75, 1.75, 51)
    reached = solve(chain.places, chain.heights, values, chain.shares, relaxed=True).expected_variance
    assert certificate.floor < reached < 1.015 * certificate.floor


@pytest.mark.parametrize(
    "query",
    [
        gp.Range(-1.0, 1.5, 1.0),
        gp.GaussianKernel(0.3, 0.8, space=gp.Line()),
        gp.Threshold(100.0, 3.0, gp.LogLine(base=np.e, floor=50.0)),
        gp.Threshold(0.0, 2.0, edge="smooth"),
    ],
    ids=["range", "kernel", "log line", "smooth"],
)
def test_other_shapes_on_lines_have_floors_that_reports_are_above(query: gp.queries.Query) -> None:
    rate = 1.0
    points = np.asarray(query.place).ravel()[0] + np.linspace(-4, 4, 61)
    low = float(np.ravel(query.space.limits[0])[0])
    x = query.space.values(points[points > low])
    assert 0.02 < gp.efficiency(gp.LeastScaleT.calibrate(query, rate), x) < 1
    assert gp.proofs.least_variance(query, rate, x) >= 1.2 * gp.lower_bound(query, rate, x).mean()


def test_crowds_beyond_the_reach_count_with_their_own_floors() -> None:
    """Adding people where nothing is asked divides the floor by how many there are, and no more."""
    near = np.linspace(-4, 4, 41)
    both = np.concatenate([near, np.full(41, 60.0)])
    assert gp.proofs.least_variance(RAMP, 1.0, both) == pytest.approx(
        gp.proofs.least_variance(RAMP, 1.0, near) / 2, rel=0.01
    )


def test_moving_people_to_places_costs_little() -> None:
    """More than 120 values are moved to a grid, by which the floor may only fall."""
    x = np.linspace(-4, 4, 101)
    many = (x[:, None] + np.linspace(-0.039, 0.039, 5)).ravel()
    exact, moved = gp.proofs.least_variance(RAMP, 1.0, x), gp.proofs.least_variance(RAMP, 1.0, many)
    assert 0.96 * exact < moved < 1.01 * exact


def test_in_the_plane_only_the_floor_of_each_value_is_known_for_a_given_prior() -> None:
    query = gp.Score((1.0, 0.0), 0.0, 2.0)
    x = np.column_stack([np.linspace(-4, 4, 41), np.zeros(41)])
    assert gp.proofs.least_variance(query, 1.0, x) == pytest.approx(gp.lower_bound(query, 1.0, x).mean())
    assert gp.proofs.least_variance(query, 1.0) == pytest.approx(gp.proofs.least_variance(RAMP, 1.0), rel=1e-6)


def test_a_file_with_other_multipliers_never_raises_a_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEOPRIV_CACHE", str(tmp_path))
    monkeypatch.setattr(shelf, "_floors", {})
    x = np.linspace(-3, 3, 31)
    first = gp.proofs.least_variance(RAMP, 1.0, x)
    (path,) = tmp_path.glob("*.floor")
    shelf._floors.clear()
    assert gp.proofs.least_variance(RAMP, 1.0, x) == pytest.approx(first, rel=1e-3)
    numbers = np.frombuffer(path.read_bytes()).copy()
    for planted in (numbers * 1.01, numbers[:-1], np.full_like(numbers, np.nan), -numbers):
        path.write_bytes(planted.tobytes())
        shelf._floors.clear()
        assert gp.proofs.least_variance(RAMP, 1.0, x) <= first * (1 + 1e-3)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(gp.InvalidParameter, match="known shape"):
        gp.proofs.least_variance(gp.LipschitzQuery(np.sin, 1.0), 1.0)


def test_the_multipliers_are_as_good_as_asked_for_where_people_thin_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """After 30 steps the bound of these people was lower: the method was cut off on its way."""
    places, values = np.linspace(-6.0, 6.0, 161), np.linspace(-3.5, 4.5, 65)
    shares = np.exp(-0.9 * places)
    program = interior.Relaxed(
        np.diff(places), 0.04 * shares / shares.sum(), np.clip(2 * places + 0.5, 0.0, 1.0), values
    )
    found = interior.relaxed_duals(program)
    monkeypatch.setattr(interior, "_ROUNDS", 30)
    early = interior.relaxed_duals(program)
    assert found is not None
    assert early is not None
    assert early.bound < found.bound * (1 - 1e-4)


@pytest.mark.parametrize(("end", "least"), [(0.5, 0.9), (1.0, 0.9), (3.0, 0.6)])
def test_a_floor_of_people_in_a_range_is_below_a_report_that_is_unbiased_there_only(end: float, least: float) -> None:
    """Devices clamp values. The range ends within the ramp, at its end, or beyond; tables have straight lines."""
    lattice = np.concatenate([np.arange(-120, -10) / 10, np.arange(-20, round(20 * end) + 1) / 20])
    points = lattice[lattice > end - 0.6][-13:]
    shares = np.isin(lattice, points) / points.size
    reached = solve(lattice, RAMP.profile(lattice), np.linspace(-1.5, 2.5, 33), shares).expected_variance
    within = np.array([-12.0]), np.array([end])
    floor = crowd_floor(RAMP, RAMP, 1.0, points, np.full(points.size, 1 / points.size), within)
    anywhere = crowd_floor(RAMP, RAMP, 1.0, points, np.full(points.size, 1 / points.size))
    assert least * reached < floor < reached
    if end < 1:
        assert anywhere > 1.02 * reached  # of reports that are unbiased beyond the range too


def test_what_does_not_change_within_the_range_has_no_floor() -> None:
    points, shares, within = np.linspace(-3.0, -1.0, 9), np.full(9, 1 / 9), (np.array([-9.0]), np.array([-1.0]))
    assert crowd_floor(RAMP, RAMP, 1.0, points, shares, within) == 0
    assert crowd_floor(RAMP, RAMP, 1.0, points, shares) > 0.1
    assert (gp.lower_bound_many([RAMP, RAMP], 1.0, points, within) == 0).all()  # the last one is at the kink
    assert (gp.lower_bound_many([RAMP] * 300, 1.0, points, within) == 0).all()  # of which floors are read from a table


def test_people_who_are_nearly_at_one_place_have_a_floor() -> None:
    """Rounding ends the search for multipliers early; what was found until then is proven as ever."""
    query = gp.Threshold(0.1, 1.6, edge="smooth")
    people = np.linspace(0.0, 0.2, 40)
    alone, reached = gp.lower_bound(query, 1.0, people), gp.Table.calibrate(query, 1.0).variance(people)
    assert alone.mean() <= gp.proofs.least_variance(query, 1.0, people) < reached.mean()
