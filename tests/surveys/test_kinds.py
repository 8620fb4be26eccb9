"""Kinds of questions: each is a file of its own, and none is forgotten."""

from __future__ import annotations

import pkgutil
from typing import get_args

import pytest

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
