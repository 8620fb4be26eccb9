"""Surveys whose region is large beside 1/ε: each is planned, by looking only at cells where a question changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import geopriv as gp
from geopriv.commands.expectations import question_documents
from geopriv.shapes.coordinates import Region
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.planning.predictions import lattice
from geopriv.surveys.planning.targets import needs, sweep
from geopriv.surveys.planning.values import workload_of

BRITAIN = """name = "Britain"
epsilon = 1.0
per = "{per}"
people = 140_000
[space]
kind = "map"
region = {{ south = 49.8, west = -7.0, north = 59.0, east = 2.0 }}
"""
MAP = '[[query]]\nkind = "density map"\nbandwidth = "10 km"\ncells = 9\n'
LAND = {
    "type": "Polygon",
    "coordinates": [[[-3.5, 51.0], [0.5, 51.2], [0.2, 53.0], [-1.5, 54.9], [-3.0, 54.8], [-3.2, 53.0], [-3.5, 51.0]]],
}


def polygons(folder: Path, *places: dict[str, Any]) -> str:
    import json

    features = [
        {"type": "Feature", "properties": {"name": f"area {k}"}, "geometry": place} for k, place in enumerate(places)
    ]
    (folder / "areas.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}), "utf-8")
    return '[[query]]\nkind = "geofence"\nfile = "areas.geojson"\n'


def survey(folder: Path, text: str, per: str = "1 km") -> gp.Survey:
    (folder / "survey.toml").write_text(BRITAIN.format(per=per) + text, "utf-8")
    return gp.Survey.read(folder / "survey.toml")


def test_predictions_look_at_an_area_and_not_at_its_country(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell of the country was looked at for each area: 448 million of them, in minutes."""
    seen, look = [0], Region.__call__

    def counted(self: Region, points: FloatArray) -> FloatArray:
        seen[0] += points.size // 2
        return look(self, points)

    monkeypatch.setattr(Region, "__call__", counted)
    city = {"type": "Polygon", "coordinates": [[[-0.5, 51.3], [0.3, 51.3], [0.3, 51.7], [-0.5, 51.7], [-0.5, 51.3]]]}
    work = workload_of(survey(tmp_path, polygons(tmp_path, city) + "plain = false\nwidth = 2000\n"))
    grid = gp.Lattice.on_grid(work.space, work.rate, 0.1 / work.rate, noise="product")
    variance, bias = lattice(work, work.rate, grid)
    assert seen[0] < 2_000_000
    assert 0 < variance[0] < 20
    assert abs(bias[0]) < 1e-3


def test_reports_that_are_drawn_stand_for_a_box_of_too_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some per cent off, and four times off where the noise is forgotten, which is planted."""
    plane = gp.Plane()
    disc = gp.Ball((0.3, -0.2), 5.0, 1.0, plane)
    grid = gp.Lattice.on_grid(plane, 1.0, 0.1, noise="product")
    points = np.random.default_rng(3).normal(0, 6, (500, 2))
    crowd = grid.undoing.crowd(points, np.full(500, 1 / 500))
    whole = crowd.moments(disc)
    variance = whole.squares[0] - float((disc.answer(points) ** 2).mean())
    assert variance == pytest.approx(float(grid.variance_at(points, disc).mean()), rel=0.02)
    monkeypatch.setattr("geopriv.mechanisms.lattice.crowds._LARGE", 1)
    drawn = crowd.moments(disc)
    assert drawn.means == pytest.approx(whole.means)
    assert drawn.squares == pytest.approx(whole.squares, rel=0.03)
    monkeypatch.setattr(np.random, "default_rng", lambda _: _WithoutNoise(np.random.Generator(np.random.PCG64(0))))
    assert abs(crowd.moments(disc).squares[0] / whole.squares[0] - 1) > 0.1


class _WithoutNoise:
    def __init__(self, rng: np.random.Generator) -> None:
        self.choice, self.random = rng.choice, rng.random

    def geometric(self, p: float, size: Any) -> Any:
        return np.ones(size, dtype=np.int64)


def test_a_region_that_is_large_beside_its_blur_gets_the_sharpest_blur_that_can_be_computed(tmp_path: Path) -> None:
    """It was refused after 41 seconds by the name of a class that no survey knows."""
    asked = survey(tmp_path, polygons(tmp_path, LAND) + MAP)
    blurred = asked.questions[0].queries[0]
    assert isinstance(blurred, gp.Blurred)
    assert 1_000 < blurred.bandwidth < 2_500
    assert gp.Blurred(blurred.query, 1_000.0).least_bandwidth_for(1e-3) > 1_000
    inside, outside = blurred.grid(1e-3)(blurred.space.read([(52.0, -1.0), (58.0, -4.0)]))
    assert (inside, outside) == (pytest.approx(1.0), pytest.approx(0.0, abs=1e-9))
    assert "about 4" in blurred.in_part or "about 5" in blurred.in_part or "about 3" in blurred.in_part


def test_on_a_map_without_a_prior_no_number_is_foretold(tmp_path: Path) -> None:
    """± 0.025 points were foretold where ± 6.8 came: people live in cities, not evenly over land and sea."""
    city = {"type": "Polygon", "coordinates": [[[-0.2, 51.4], [0.1, 51.4], [0.1, 51.6], [-0.2, 51.6], [-0.2, 51.4]]]}
    asked = polygons(tmp_path, city)
    blind, told = gp.plan(survey(tmp_path, asked, "5 km")), survey(tmp_path, asked + PRIOR, "5 km")
    (row,) = question_documents(blind)
    assert row["standard_error_expected"] is None
    assert row["plain_half_width_expected"] is None
    assert row["standard_error_at_worst"] > 0
    assert "±" not in blind.why
    assert "add one" in str(blind)
    assert "at worst" in str(blind)
    for ask in (lambda: needs(blind, 0.01), lambda: sweep(blind)):
        with pytest.raises(gp.errors.InvalidParameter, match=r"add a \[prior\]"):
            ask()
    (row,) = question_documents(gp.plan(told))
    assert row["plain_half_width_expected"] > 0


PRIOR = '[prior]\nkind = "areas"\nfile = "areas.geojson"\n'
