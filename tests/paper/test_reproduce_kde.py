"""Kernel density estimates: means over a crowd, errors by formula against surveys, and pictures."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.populations import synthetic_city
from geopriv_paper import kde, kernel_surveys
from geopriv_paper.compact import packed, unpacked
from geopriv_paper.crowds import Crowd, crowd
from geopriv_paper.datasets import (
    Data,
    Households,
    Incomes,
    Places,
    read_places,
)
from geopriv_paper.figures import kde as figures
from geopriv_paper.kernels import (
    ALL,
    ALONE,
    SPACE,
    Kernels,
)
from geopriv_paper.moments import ratio_check
from geopriv_paper.settings import CITY, KDE, KDE_GRID

DOCS = Path(__file__).parents[2] / "docs" / "reproduction" / "results" / "kde"
REAL = Path(__file__).parents[3] / "shared" / "data" / "nyc_collisions.parquet"


@lru_cache(maxsize=1)
def town() -> Crowd:
    """3,000 people and 11 × 9 places."""
    points = CITY.read(synthetic_city(3_000, np.random.default_rng(1)))
    return Crowd(points, np.linspace(-20_000, 30_000, 11), np.linspace(-20_000, 20_000, 9), "a synthetic city")


@lru_cache(maxsize=1)
def kernels() -> Kernels:
    return Kernels(town(), 1_000, 2_500.0, 1_000)


@pytest.mark.parametrize("curve", [lambda r: np.exp(-((r / 2_500) ** 2) / 2), lambda r: 1 / (1 + r / 2_000)])
def test_means_over_the_crowd_are_direct_sums(curve: Any) -> None:
    """Also of functions with a tip and long tails, as noise scales have."""
    distance = np.linalg.norm(town().points[:, None] - town().centers, axis=-1)
    np.testing.assert_allclose(town().means(curve), curve(distance).mean(axis=0), rtol=2e-3, atol=2e-5)


def test_the_moments_are_those_that_each_mechanism_states() -> None:
    place = 57
    x = town().points - town().centers[place]
    for name in ("M2", "M3", "LDP", "LeastScaleT", "Table"):
        mechanism = kernels().mechanism(name)
        assert not isinstance(mechanism, gp.CoordinateLaplace)
        assert kernels().moments(name).noise[place] == pytest.approx(mechanism.variance(x).mean(), rel=3e-3)
    for name, noisy in kernels().inputs.items():
        moments = kernels().moments(name)
        moved = gp.GaussianKernel(tuple(town().centers[place].tolist()), 2_500.0, SPACE)
        assert moments.noise[place] == pytest.approx(noisy.variance(town().points, moved).mean(), rel=5e-3)
        bias = noisy.bias(town().points, moved)
        assert moments.bias[place] == pytest.approx(bias.mean(), abs=1e-5)
        own = noisy.variance(town().points, moved) + (bias - bias.mean()) ** 2
        assert moments.squared_errors(100)[place] == pytest.approx(own.mean() / 100 + bias.mean() ** 2, rel=5e-3)
    plain = kernels().mechanism("M1")
    assert isinstance(plain, gp.CoordinateLaplace)
    assert kernels().moments("M1").bias[place] == pytest.approx(plain.bias(x).mean(), abs=1e-5)
    assert kernels().moments("M1").noise[place] == pytest.approx(plain.variance(x).mean(), rel=5e-3)


def test_surveys_agree_with_every_formula_and_not_with_wrong_ones() -> None:
    """At 5 standard errors; the planted fault is twice the rate."""
    rng = np.random.default_rng(2)
    checks = kernel_surveys.answer_checks(kernels(), ALONE, 400, 20, 10, rng)
    checks += kernel_surveys.split_checks(kernels(), 400, 30, 10, rng)
    checks += kernel_surveys.one_report_checks(kernels(), 400, 30, 8, rng)
    checks += kernel_surveys.map_checks(kernels(), 2_000, 8, rng)
    assert {one["mechanism"] for one in checks} == set(ALL)
    assert all(one["agrees"] for one in checks), [one for one in checks if not one["agrees"]]
    wrong = Kernels(town(), 1_000, 2_500.0, 1_000)
    object.__setattr__(wrong, "moments", Kernels(town(), 500, 2_500.0, 500).moments)
    found = [
        *kernel_surveys.answer_checks(wrong, ("M1", "M2", "M3", "LDP"), 400, 30, 10, rng),
        *kernel_surveys.one_report_checks(wrong, 2_000, 80, 8, rng),
    ]
    missed = {one["mechanism"] for one in found if one["agrees"]}
    assert missed == {"LDP"}  # its noise is 1/(ε·C), and C was halved with 1/ε


def test_one_report_beats_a_budget_for_every_place_and_no_floor() -> None:
    numbers = kde.expected(kernels(), 3_000)
    each, shared = numbers["expected"], numbers["shared"]
    assert list(each) == list(shared) == list(ALL)
    assert each["InputLaplace"]["error"] < each["Lattice"]["error"] < each["M3"]["error"] < each["M2"]["error"]
    assert all(shared[name]["error"] > 20 * shared["Lattice"]["error"] for name in ALONE if name != "M1")
    assert shared["InputLaplace"]["variance"] > numbers["floor_shared"]
    for name in ("M2", "M3", "LeastScaleT", "Table"):
        assert each[name]["variance"] > numbers["floor_each"]
    assert each["M0"]["squared_bias"] > 0.5 * each["M0"]["error"]


def test_a_map_with_one_query_a_person_is_unbiased_and_noisy() -> None:
    rng = np.random.default_rng(3)
    x = town().draw(3_000, rng)
    truth = kernel_surveys.true_map(kernels(), x)
    shared = kernel_surveys.shared_map(kernels(), "M2", x, rng)
    ratio = np.mean((shared - truth) ** 2) / kernels().moments("M2").squared_errors(3_000, 3_000 / 99).mean()
    assert 0.5 < ratio < 1.7  # 99 places, each with noise of its own: 5 standard errors
    answered = kernel_surveys.answer_maps(kernels(), truth, 3_000, rng)
    assert list(answered) == ["M1", "M2", "M3", "LDP"]
    assert all(np.isfinite(one).all() for one in answered.values())


def test_packed_maps_come_back() -> None:
    values = np.random.default_rng(4).normal(size=(4, 3))
    np.testing.assert_allclose(unpacked(packed(values, 0.01), 0.01, (4, 3)), values, atol=0.005 + 1e-12)
    assert packed(np.array([9.0, -9.0]), 0.5, -1.0, 2.0) == "4 -2"


def test_panels_are_the_papers_seven_and_one_in_its_unit() -> None:
    places = Places(synthetic_city(100, np.random.default_rng(5)), "a synthetic city")
    data = Data(Incomes(np.zeros(1), np.ones(1), ""), Households(), places)
    quick, full = kde.panels(data, False), kde.panels(data, True)
    assert [panel.name for panel in quick] == [*(kde.panel_name(*one) for one in KDE), kde.MERCATOR]
    assert len(full) == len({panel.name for panel in full}) == 8 + 7
    assert quick[-1].settings["unit"] == pytest.approx(1 / 1.318, abs=1e-3)  # E11


def test_pictures_are_drawn_from_results_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "KDE_MAPS", KDE[:1])  # the others are alike
    numbers = kde.expected(kernels(), 3_000)
    flat = packed(np.random.default_rng(6).random((KDE_GRID, KDE_GRID)), 1 / kde.UNIT)
    names = ("true", "M3 shared", *(name for name in ALL if name not in ("LeastScaleT", "Table")))
    made_up = {
        **numbers,
        "source": "made up",
        "inverse_rate": 1000.0,
        "factor": 1.0,
        "people": 3_000,
        "distance": 1000.0,
        "bandwidth": 2_500.0,
        "maps": dict.fromkeys(names, flat),
        "checks": [ratio_check(name, 500, np.array([0.9, 1.0, 1.1])) for name in ALL],
    }
    kept = json.loads(json.dumps(made_up, allow_nan=False))
    some = {kde.panel_name(*one): kept for one in KDE} | {kde.MERCATOR: kept}
    files = kde.draw(some, tmp_path)
    assert len(files) == 2
    assert all(file.stat().st_size > 10_000 for file in files)


@pytest.mark.skipif(not REAL.is_file(), reason="the real collisions are not here")
def test_published_errors_are_those_of_the_real_collisions() -> None:
    published = json.loads((DOCS / f"{kde.panel_name(*KDE[0])}.json").read_text(encoding="utf-8"))["result"]
    people = crowd(read_places(REAL))
    again = Kernels(people, 1_000, float(people.width), 1_000)
    for name in ("M2", "M3", "InputLaplace"):
        numbers = again.moments(name).numbers(KDE[0][2])
        assert numbers["error"] == pytest.approx(published["expected"][name]["error"], rel=1e-9)
    assert math.isclose(published["bandwidth"], people.width)
