"""The outline of a map: from the survey's file into the design and onto the page, and refused where it is none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import shapely

import geopriv as gp
from geopriv.device.designs import verify
from geopriv.errors import InvalidParameter
from geopriv.pages import page_html
from tests.answered import answer

SURVEY = """
name = "A town"
epsilon = 1.0
per = "1 km"
people = 1000
[space]
kind = "map"
columns = ["lat", "lon"]
region = { south = 40.5, west = -74.3, north = 40.9, east = -73.7 }
[[query]]
kind = "density map"
name = "where"
cells = 8
outline = "river.geojson"
"""
RIVER = {"type": "LineString", "coordinates": [[-74.2, 40.6, 3.0], [-74.0, 40.7, 2.0], [-71.0, 40.8, 1.0]]}


def _chart(folder: Path, river: object) -> gp.DensityMap:
    (folder / "river.geojson").write_text(river if isinstance(river, str) else json.dumps(river), encoding="utf-8")
    (folder / "survey.toml").write_text(SURVEY, encoding="utf-8")
    (chart,) = gp.Survey.read(folder / "survey.toml").questions
    assert isinstance(chart, gp.DensityMap)
    return chart


def test_an_outline_is_cut_at_the_map_and_drawn_on_the_page(tmp_path: Path) -> None:
    chart = _chart(tmp_path, RIVER)
    (line,) = chart.outline
    assert line[0] == pytest.approx((-74.2, 40.6), abs=1e-4)
    assert line[-1][0] == pytest.approx(-73.7, abs=2e-3)
    promise = gp.Guarantee(1e-3, unit="m", reference="theory T8")
    found = answer(chart, np.full((8, 8), 0.1), np.full((8, 8), 0.01), 100)
    answers = gp.Answers("A town", "3f9c" * 16, promise, chart.space, (found,), 100)
    again = gp.Answers.from_document(json.loads(json.dumps(answers.to_document())))
    assert again.answers[0].question == chart
    assert page_html(again).count('class="casing"') == 2  # a picture each
    assert "Natural Earth" not in page_html(again)


def test_a_device_takes_a_design_with_an_outline_and_others_are_as_they_were(tmp_path: Path) -> None:
    chart = _chart(tmp_path, RIVER)
    lattice = gp.Lattice.calibrate(chart.space, "1 per 1 km", step=100.0)
    design = gp.Design("A town", (lattice,), questions=(chart,))
    assert verify(design.to_bytes()).hash == design.hash
    assert gp.Design.parse(design.to_bytes()).questions == (chart,)
    plain = gp.DensityMap("where", 2000.0, chart.low, chart.high, chart.space, columns=8, rows=8)
    assert "outline" not in gp.Design("A town", (lattice,), questions=(plain,)).document["questions"][0]


@pytest.mark.parametrize(
    ("river", "said"),
    [
        ("no json", "a GeoJSON file"),
        ({"type": "Point", "coordinates": [-74.0, 40.7]}, "polygons or lines near the map"),
        ({"type": "LineString", "coordinates": [[10, 40], [11, 41]]}, "polygons or lines near the map"),
        ({"type": "LineString", "coordinates": [[-80, 40], [-81, 41]]}, "that cross the map"),
    ],
)
def test_what_is_no_outline_is_refused_with_its_line(tmp_path: Path, river: object, said: str) -> None:
    with pytest.raises(InvalidParameter, match=rf"line 14: query 1, 'outline' must .*{said}"):
        _chart(tmp_path, river)


def test_lines_that_are_none_are_refused() -> None:
    plane = gp.Plane("m")
    for lines in ([[(0.0, 0.0)]], [[(0.0, 0.0), (np.nan, 1.0)]], [[(0.0, 0.0), (1.0, 1.0)]] * 10_001):
        with pytest.raises(InvalidParameter, match="outline"):
            gp.DensityMap("where", 1.0, (0, 0), (9, 9), plane, columns=3, rows=3, outline=tuple(lines))  # type: ignore[arg-type]
    assert shapely.MultiLineString(gp.DensityMap("where", 1.0, (0, 0), (9, 9), plane).outline).is_empty
