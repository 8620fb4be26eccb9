"""Answers as data frames of packages that are needed only when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from geopriv.answers.answers import Answers
from geopriv.answers.rows import shapes_of, table_of
from geopriv.errors import Unavailable
from geopriv.spaces.checks import invalid

if TYPE_CHECKING:
    import geopandas
    import pandas

DEGREES = "EPSG:4326"  # of longitudes and latitudes


def data_frame(answers: Answers, questions: Sequence[str] = ()) -> pandas.DataFrame:
    """The rows of `table_of`.

    Raises:
        KeyError: where there is no question of a name.
        Unavailable: without pandas.
    """
    _require("pandas", "pandas", "to_pandas")
    return table_of(answers, questions).to_pandas()


def geo_frame(answers: Answers, questions: Sequence[str] = ()) -> geopandas.GeoDataFrame:
    """The rows that have an area, with it.

    Raises:
        KeyError: where there is no question of a name.
        InvalidParameter: where no question is about an area.
        Unavailable: without GeoPandas.
    """
    _require("geopandas", "GeoPandas", "to_geopandas")
    import geopandas

    shapes = np.array(require_shapes(answers, questions, "to_geopandas"), dtype=object)
    there = np.array([shape is not None for shape in shapes])
    rows = data_frame(answers, questions)[there].reset_index(drop=True)
    return geopandas.GeoDataFrame(rows, geometry=shapes[there], crs=DEGREES if answers.space.geographic else None)


def require_shapes(answers: Answers, questions: Sequence[str], owner: str) -> list[object]:
    """The area of each row, of which one has one.

    Raises:
        InvalidParameter: where no question is about an area.
    """
    shapes = shapes_of(answers, questions)
    if all(shape is None for shape in shapes):
        names = [answer.question.name for answer in answers.answers]
        raise invalid(owner, "questions", "about an area or a map, and none of these is", list(questions) or names)
    return list(shapes)


def _require(package: str, name: str, owner: str) -> None:
    if find_spec(package) is None:
        raise Unavailable(f"{owner} needs {name}, which is not installed: pip install {package}.")
