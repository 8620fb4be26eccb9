"""A map as a GeoTIFF: its densities themselves, not their colours, on the map's own projection.

A picture with a world file would hold colours and no numbers, and its .prj is not read by all; so this is a TIFF of
floats with the keys of OGC 19-008r4, written by Pillow, which matplotlib brings. Four pages: the estimate, its standard
error, and the lower and the upper end of the band. A LocalPlane is an orthographic projection of a sphere, so nothing
is resampled: a pixel is a point of the grid.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any, cast

import numpy as np

from geopriv.answers.answers import Answers, Band
from geopriv.answers.units import density_unit
from geopriv.queries.questions import DensityMap
from geopriv.spaces import LocalPlane
from geopriv.spaces.checks import invalid
from geopriv.spaces.units import METRES

_SHORT, _TEXT, _DOUBLE = 3, 2, 12  # types of tags
_SCALE, _TIE, _KEYS, _DOUBLES, _TEXTS, _DESCRIPTION = 33550, 33922, 34735, 34736, 34737, 270
_OWN = 32767  # "user-defined"
_ORTHOGRAPHIC, _DEGREE, _METRE = 21, 9102, 9001


def geotiff(answers: Answers, name: str) -> bytes:
    """The file of one map of all people.

    Args:
        answers: of a survey.
        name: of the map.

    Raises:
        KeyError: where there is no question of the name.
        InvalidParameter: where it is no map.
    """
    from PIL import Image, TiffImagePlugin

    answer = answers[name]
    if answer.question.product is None:
        raise invalid("geotiff", "name", "that of a map", name)
    question, found = cast("DensityMap", answer.question), answer.estimates
    scale, unit = density_unit(question, answer.who)
    band = answer.band or Band(found.low, found.high)
    pages = [
        # columns from west to east, rows from north to south
        Image.fromarray(np.ascontiguousarray((scale * values).T[::-1], dtype=np.float32))
        for values in (found.values, found.standard_errors, band.low, band.high)
    ]
    tags: Any = TiffImagePlugin.ImageFileDirectory_v2()
    ends = "the band" if answer.band is not None else "each interval"
    said = f"{name}, {unit}. Pages: estimate, standard error, lower end of {ends}, upper end of it."
    for number, kind, value in (*_tags(question), (_DESCRIPTION, _TEXT, _ascii(said))):
        tags[number] = value
        tags.tagtype[number] = kind
    file = BytesIO()
    pages[0].save(file, format="TIFF", save_all=True, append_images=pages[1:], tiffinfo=tags)
    return file.getvalue()


def _tags(question: DensityMap) -> list[tuple[int, int, Any]]:
    """Where pixels are, and on which map."""
    x, y = question.axes
    to_metres = METRES.get(question.space.distance_unit or "", 1.0)
    step = (to_metres * (x[1] - x[0]), to_metres * (y[1] - y[0]), 0.0)
    tie = (0.0, 0.0, 0.0, to_metres * x[0], to_metres * y[-1], 0.0)
    keys, doubles, texts = _keys(question.space)
    return [
        (_SCALE, _DOUBLE, tuple(map(float, step))),
        (_TIE, _DOUBLE, tuple(map(float, tie))),
        (_KEYS, _SHORT, keys),
        *([(_DOUBLES, _DOUBLE, doubles), (_TEXTS, _TEXT, texts)] if doubles else []),
    ]


def _keys(space: Any) -> tuple[tuple[int, ...], tuple[float, ...], str]:
    """The directory of keys, and the numbers and texts that they point at; a plane of its own has no projection."""
    as_points = (1025, 0, 1, 2)  # a pixel is a point
    if not space.geographic:
        return (1, 1, 0, 1, *as_points), (), ""
    place = cast("LocalPlane", space)  # the only map of the globe that has axes
    latitude, longitude = place.middle
    doubles = (place.radius, place.radius, longitude, latitude, 0.0, 0.0)
    texts = "Orthographic map of a region on a sphere|Sphere|"
    rows = [
        (1024, 0, 1, 1),  # a projected map
        as_points,
        (1026, _TEXTS, texts.index("|") + 1, 0),
        (2048, 0, 1, _OWN),
        (2049, _TEXTS, len(texts) - texts.index("|") - 1, texts.index("|") + 1),
        (2050, 0, 1, _OWN),
        (2054, 0, 1, _DEGREE),
        (2056, 0, 1, _OWN),
        (2057, _DOUBLES, 1, 0),
        (2058, _DOUBLES, 1, 1),
        (3072, 0, 1, _OWN),
        (3074, 0, 1, _OWN),
        (3075, 0, 1, _ORTHOGRAPHIC),
        (3076, 0, 1, _METRE),
        (3082, _DOUBLES, 1, 4),  # false easting
        (3083, _DOUBLES, 1, 5),
        (3088, _DOUBLES, 1, 2),
        (3089, _DOUBLES, 1, 3),
    ]
    return (1, 1, 0, len(rows), *(number for row in rows for number in row)), doubles, texts


def _ascii(text: str) -> str:
    """Text as TIFF holds it."""
    return text.replace("²", "2").encode("ascii", "replace").decode()
