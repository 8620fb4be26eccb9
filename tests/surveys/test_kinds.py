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
