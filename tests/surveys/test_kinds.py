"""Kinds of questions: each is a file of its own, and none is forgotten."""

from __future__ import annotations

import pkgutil
from typing import get_args

import pytest

import geopriv as gp
from geopriv.surveys import kinds
from geopriv.surveys.kinds import QueryTable, asked_on
from geopriv.surveys.reading import KINDS

SHARED = {"base", "borders"}


def test_every_file_of_the_folder_is_a_kind_that_a_survey_can_ask() -> None:
    files = {module.name for module in pkgutil.iter_modules(kinds.__path__)} - SHARED
    assert {word.replace(" ", "_") for word in KINDS["query"]} == files
    for model in get_args(get_args(QueryTable)[0]):
        (word,) = get_args(model.model_fields["kind"].annotation)
        assert model.__module__ == f"geopriv.surveys.kinds.{word.replace(' ', '_')}"


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ("line", ["threshold", "distribution", "range", "mean", "quantile", "total", "function"]),
        ("log", ["threshold", "distribution", "range", "mean", "quantile", "total"]),
        ("plane", ["mean", "total", "orthant", "score", "ball", "geofence", "function", "density map"]),
        ("map", ["orthant", "ball", "geofence", "function", "density map"]),
        ("euclidean", ["mean", "total", "orthant", "score", "ball", "function"]),
    ],
)
def test_each_space_offers_the_kinds_that_can_be_asked_on_it(space: str, words: list[str]) -> None:
    assert asked_on(space) == words


@pytest.mark.parametrize("radius", ["60 km", "1 km", "7 km"])
@pytest.mark.parametrize("epsilon", ["0.1", "0.2", "0.3", "0.7"])
def test_a_default_width_is_at_most_what_a_small_disc_takes(radius: str, epsilon: str) -> None:
    """Twice the radius, times ε and over it, was a hair more than twice the radius, and refused."""
    asked = f'''name = "survey"
epsilon = {epsilon}
per = "20 km"
people = 20_000
space = {{ kind = "map", region = {{ south = 49.8, west = -7.0, north = 59.0, east = 2.0 }} }}
[[query]]
kind = "ball"
center = [52.5, -1.5]
radius = "{radius}"
'''
    for survey in (asked, asked.replace('"20 km"', '"700 m"')):
        assert gp.Survey.parse(survey).questions[0].shape == ()


def test_a_linear_edge_that_no_grid_follows_beside_blurred_borders_is_refused_before_a_plan() -> None:
    """Tables do not take blurred borders and grids no hard edges: plan said so in ten lines of mechanisms."""
    space = 'space = { kind = "plane", unit = "km", range = [[0, 200], [0, 200]] }\n'
    head = f'name = "survey"\nepsilon = 5.0\nper = "1 km"\npeople = 20_000\n{space}'
    blurred = '[[query]]\nkind = "ball"\ncenter = [50, 50]\nradius = 5\nblur = "2 km"\n'
    linear = '[[query]]\nkind = "ball"\ncenter = [90, 90]\nradius = 5\nwidth = "WIDTH"\n'
    with pytest.raises(gp.InvalidParameter, match=r"line 15: query 2, 'width' must be left out, or much wider"):
        gp.Survey.parse(head + blurred + linear.replace("WIDTH", "20 m"))
    for accepted in (blurred + linear.replace("WIDTH", "4 km"), linear.replace("WIDTH", "20 m")):
        assert gp.Survey.parse(head + accepted).questions
