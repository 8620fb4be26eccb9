"""Answers as GeoJSON: a feature for each value that is about an area, in degrees (RFC 7946)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from typing import Any

import shapely
from shapely.geometry.polygon import orient

from geopriv.answers.answers import Answers
from geopriv.answers.frames import require_shapes
from geopriv.answers.rows import table_of
from geopriv.spaces.checks import FloatArray, invalid

_DIGITS = 7  # of degrees: a centimetre on the ground


def geojson(answers: Answers, questions: Sequence[str] = ()) -> dict[str, Any]:
    """A FeatureCollection: areas counterclockwise, cut at the antimeridian, and each value's row as its properties.

    JSON has no infinite numbers: an infinite error is null, for there is no error bar.

    Args:
        answers: of a survey on a map.
        questions: names of those that are wanted; all if left out.

    Raises:
        KeyError: where there is no question of a name.
        InvalidParameter: where no question is about an area, and on a plane, which has no degrees.
    """
    shapes = require_shapes(answers, questions, "geojson")
    if not answers.space.geographic:
        rule = "on a map: GeoJSON is in degrees (RFC 7946). Of a plane take Parquet, with areas in its unit"
        raise invalid("geojson", "answers", rule, answers.space)
    table = table_of(answers, questions)
    features = [
        {"type": "Feature", "geometry": _geometry(shape), "properties": {k: _plain(v) for k, v in row.items()}}
        for row, shape in zip(table.to_pylist(), shapes, strict=True)
        if shape is not None
    ]
    return {"type": "FeatureCollection", "features": features}


def _geometry(shape: Any) -> Any:
    def rounded(points: FloatArray) -> FloatArray:
        return points.round(_DIGITS)

    parts = [orient(shapely.transform(part, rounded)) for part in shapely.get_parts(shape)]
    whole = parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)
    return json.loads(shapely.to_geojson(whole))


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value
