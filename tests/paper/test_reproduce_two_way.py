"""Two-way thresholds: the law by quadrature, errors by formula against surveys, and pictures."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import geopriv as gp
from geopriv_paper import corner_surveys, corners, two_way
from geopriv_paper.corners import GRID, PAIRS, Corners
from geopriv_paper.datasets import (
    Data,
    Households,
    Incomes,
    Places,
)
from geopriv_paper.household_law import CornerLaw, GridLaw
from geopriv_paper.moments import Moments, ratio_check
from geopriv_paper.settings import TWO_WAY

DOCS = Path(__file__).parents[2] / "docs" / "reproduction" / "results" / "two-way"
LAW = Households()
NOBODY = Data(Incomes(np.zeros(1), np.ones(1), ""), LAW, Places(np.zeros((1, 2)), ""))


@lru_cache(maxsize=1)
def exact() -> Corners:
    return Corners(LAW, 12_000)


@lru_cache(maxsize=1)
def result() -> dict[str, Any]:
    return two_way.expected(LAW, 12_000, 1_600_000)


def normal_share(at: tuple[float, float]) -> float:
    """P[income > a, debt > b], from the bivariate normal law."""
    z = [(LAW.mu - math.log(at[0])) / LAW.sigma, (LAW.mu + math.log(LAW.ratio) - math.log(at[1])) / LAW.sigma]
    law = stats.multivariate_normal(cov=[[1, LAW.correlation], [LAW.correlation, 1]])
    return float(law.cdf(z))


@pytest.mark.parametrize("at", [(10_000.0, 10_000.0), (130_000.0, 250_000.0), (700_000.0, 40_000.0)])
def test_the_law_along_the_coordinate_and_on_the_grid_know_the_share_above(at: tuple[float, float]) -> None:
    law = CornerLaw.of(LAW, np.array([at]), 24_000.0, 12_000.0)
    assert law.above.sum() == pytest.approx(normal_share(at), rel=3e-5)
    grid = GridLaw.of(LAW, 5_000.0, 1_200_000.0)
    above = (grid.nodes > np.array(at)[:, None]).astype(float)
    assert grid.means(above[:1], above[1:]).item() == pytest.approx(normal_share(at), rel=3e-5)
    assert grid.masses.sum() == pytest.approx(1.0, abs=1e-6)


def test_means_along_the_coordinate_are_those_over_people() -> None:
    """A mean over 400,000 people, 5 standard errors; with a width 20 % larger it is further off."""
    at, width = (100_000.0, 190_000.0), 24_000.0
    law = CornerLaw.of(LAW, np.array([at]), width, 12_000.0)
    x = LAW.draw(400_000, np.random.default_rng(1))

    def off(query: gp.Orthant) -> float:
        values = query(x) * (1 + (x > np.array(at)).all(axis=1))
        f = gp.Orthant(at, width, corners.SPACE).profile(law.s)
        expected = (law.weights @ f + law.above @ f).item()
        return abs(float(values.mean()) - expected) / (float(values.std()) / math.sqrt(values.size))

    assert off(gp.Orthant(at, width, corners.SPACE)) < 5
    assert off(gp.Orthant((at[0] * 1.03, at[1] * 1.03), width, corners.SPACE)) > 5


def test_a_squared_error_counts_those_who_answer_among_all() -> None:
    one = np.ones(1)
    moments = Moments(0.1 * one, 0.5 * one, 2 * one, 0.3 * one, 0.4 * one)
    assert moments.squared_errors(100).item() == pytest.approx(0.01 + (2 - 0.6 + 0.4) / 100)
    assert moments.squared_errors(100, 5).item() == pytest.approx(0.01 + 2 / 5 + (0.4 - 0.6) / 100)
    numbers = moments.numbers(100)
    assert numbers["error"] == pytest.approx(numbers["squared_bias"] + numbers["variance"])


def test_shares_are_counted_as_the_hard_threshold_does() -> None:
    x = LAW.draw(2_000, np.random.default_rng(2))
    x[:3] = [[10_000.0, 1e9], [10_000.5, 10_000.5], [-5.0, 40_000.0]]  # on an edge, just above, and below everything
    direct = np.array([[(x > (a, b)).all(axis=1).mean() for b in GRID] for a in GRID])
    np.testing.assert_allclose(corner_surveys.shares_above(x), direct, atol=1e-15)


def test_surveys_agree_with_every_formula_and_not_with_wrong_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 5 standard errors; the planted fault is noise of half the variance."""
    rng = np.random.default_rng(3)
    names = "f_tau", *corners.ANSWERS
    small = corner_surveys.answer_checks(exact(), names, 2_400, 30, 8, rng)
    small += corner_surveys.split_checks(exact(), 2_400, 30, 8, rng)
    whole = corner_surveys.one_report_checks(exact(), 0.4, 20_000, 12, rng)
    assert {one["mechanism"] for one in (*small, *whole)} == {"f_tau", "M0", "Lattice", *corners.ANSWERS}
    assert all(one["agrees"] for one in (*small, *whole)), [one for one in (*small, *whole) if not one["agrees"]]
    lower = {name: corners.ANSWERS[name] for name in ("M2", "LDP")}
    monkeypatch.setattr(corner_surveys, "ANSWERS", {k: lambda q, e, f=f: f(q, 2 * e) for k, f in lower.items()})
    assert not any(one["agrees"] for one in corner_surveys.answer_checks(exact(), ("M2", "LDP"), 2_400, 30, 8, rng))
    assert not any(one["agrees"] for one in corner_surveys.split_checks(exact(), 2_400, 30, 8, rng))


def test_a_large_survey_in_blocks_is_one_survey(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its errors are those of all people together: three blocks as if one would be three times too large."""
    monkeypatch.setattr(corner_surveys, "_BLOCK", 1_000)
    rng = np.random.default_rng(6)
    checks = corner_surveys.answer_checks(exact(), ("LDP",), 2_500, 30, 8, rng)
    checks += corner_surveys.one_report_checks(exact(), 0.4, 2_500, 30, rng)
    assert all(one["agrees"] for one in checks)


def test_a_ratio_fails_five_standard_errors_from_one() -> None:
    rng = np.random.default_rng(4)
    fair = rng.chisquare(1, (50, 20))
    assert ratio_check("M2", 100, fair)["agrees"]
    assert not ratio_check("M2", 100, 1.4 * fair)["agrees"]


def test_ours_beats_the_papers_and_their_own_target(monkeypatch: pytest.MonkeyPatch) -> None:
    each, shared = result()["expected"], result()["shared"]
    assert each["Lattice"]["error"] < min(numbers["error"] for name, numbers in each.items() if name != "Lattice")
    assert each["LeastScaleT"]["error"] < each["M3"]["error"] < each["M2"]["error"] < each["LDP"]["error"]
    assert shared["M3"]["error"] > 1_000 * shared["Lattice"]["error"]
    assert each["M0"]["squared_bias"] > 0.9 * each["M0"]["error"]
    for name in ("M2", "M3", "LeastScaleT"):
        assert each[name]["variance"] > result()["floor_each"]  # no unbiased report is below


def test_noise_is_what_the_mechanisms_say() -> None:
    moments, k = exact().answers("M3"), 3 * GRID.size + 5
    at = tuple(PAIRS[k].tolist())
    query = gp.Orthant(at, min(0.2 * math.hypot(*at), 24_000.0), corners.SPACE)
    x = LAW.draw(200_000, np.random.default_rng(5))
    variance = gp.SmoothT.calibrate(query, 1 / 12_000).variance(x)
    assert moments.noise[k] == pytest.approx(variance.mean(), abs=5 * variance.std() / math.sqrt(x.shape[0]))


def test_panels_are_five_with_their_own_settings() -> None:
    quick, full = two_way.panels(NOBODY, False), two_way.panels(NOBODY, True)
    assert [panel.name for panel in quick] == [two_way.panel_name(*setting) for setting in TWO_WAY]
    assert len(quick) == 5
    assert len(full) == len({panel.name for panel in full}) == 5 + 25  # rounds of ten surveys


def test_pictures_are_drawn_from_results_alone(tmp_path: Path) -> None:
    checks = [ratio_check(name, 10_000, np.array([0.9, 1.0, 1.1])) for name in result()["expected"]]
    kept = json.loads(json.dumps({**result(), "source": "made up", "checks": checks}, allow_nan=False))
    files = two_way.draw({two_way.panel_name(*setting): kept for setting in TWO_WAY}, tmp_path)
    assert [file.name for file in files] == ["two-way.svg", "two-way-grid.svg"]
    assert all(file.stat().st_size > 10_000 for file in files)


def test_published_errors_are_what_the_code_computes_today() -> None:
    published = json.loads((DOCS / "e12000-n1600000.json").read_text(encoding="utf-8"))["result"]
    for budget in ("expected", "shared"):
        for name, numbers in result()[budget].items():
            assert numbers["error"] == pytest.approx(published[budget][name]["error"], rel=1e-6)
