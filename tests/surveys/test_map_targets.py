"""Targets of surveys with a map: plain areas beside it are judged by the noise that the design takes."""

from __future__ import annotations

import geopriv as gp
from geopriv.surveys.planning.widths import half_widths

SURVEY = """
name = "Areas and a map"
epsilon = 1.0
per = "1 km"
people = 40_000
space = { kind = "map", region = { south = 40.5, west = -74.3, north = 40.95, east = -73.65 } }
[[query]]
kind = "ball"
name = "area"
center = [40.7, -73.95]
radius = 4000
[[query]]
kind = "density map"
cells = 9
"""


def test_beside_a_map_a_target_looks_at_the_noise_of_the_design() -> None:
    found = gp.plan(gp.Survey.parse(SURVEY))
    assert found.grid is not None
    assert found.grid.core is not None  # round noise, which suits maps
    rate, people = found.survey.epsilon, found.survey.people
    here = half_widths(found.survey, "Lattice", rate, like=found.grid)["area"](people)
    assert abs(here / found.plain["area"] - 1) < 0.01
    # the planted fault: independent noise on each axis, by which it was judged before
    assert half_widths(found.survey, "Lattice", rate)["area"](people) > 1.1 * here
