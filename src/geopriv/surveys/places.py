"""Priors from files of public places: points with weights, and areas with people in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import shapely
from pydantic import Field

from geopriv.errors import InvalidParameter
from geopriv.queries.priors import Prior, even_points
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.polygons import read_polygon
from geopriv.surveys.geojson import property_of, read_features
from geopriv.surveys.part import Part, half_a_sentence, shown
from geopriv.surveys.spaces import SpaceTable
from geopriv.surveys.tables import Columns, Table, Text

_POINTS = 1 << 14  # that stand for all areas
_FEWEST = 16  # that stand for one area
_STILL = 1e-6  # degrees: a place that was moved by less was not clamped


class PointsPrior(Table):
    """Public values, each as likely as its weight says."""

    kind: Literal["points"] = Field(description="'points': a file of public values")
    file: Text = Field(description="the path of a CSV, Parquet or GeoJSON file of points, relative to the survey")
    columns: Columns | None = Field(
        None,
        description="the list of the file's columns, one for each axis (on a map latitude first); those of the space "
        "if left out, and not needed for GeoJSON",
    )
    weight: Text | None = Field(None, description="the column or property of weights; all alike if left out")

    def build(self, table: SpaceTable, space: Space, part: Part, folder: Path) -> Prior:
        """The prior, clamped as people are."""
        path = folder / self.file
        if path.suffix.lower() in (".geojson", ".json"):
            values, weights = self._of_features(path, space, part)
        else:
            values, weights = self._of_columns(path, table, space, part)
        if not np.isfinite(values).all():
            raise part.error(f"must be a file whose values are all finite numbers, unlike {shown(self.file)}", "file")
        if not ((weights >= 0).all() and 0 < weights.sum() < np.inf):
            raise part.error("must be a column of numbers of at least 0, some of them above 0", "weight")
        return _placed(values, weights, table, space, part)

    def _of_columns(self, path: Path, table: SpaceTable, space: Space, part: Part) -> tuple[FloatArray, FloatArray]:
        names = self.columns or table.columns
        if names is None or len(names) != space.dimension:
            rule = f"a list of {space.dimension} columns, one for each axis"
            raise part.wrong("columns", rule, names) if names else part.error(f"lacks 'columns': {rule}")
        with part.reading("file", "a CSV or Parquet file of public points", self.file):
            columns = _read_columns(path)
        wanted = [*names, *([self.weight] if self.weight else [])]
        for name in wanted:
            if name not in columns:
                key = "weight" if name == self.weight else "columns"
                raise part.wrong(key, f"of the file {shown(self.file)}, which has {', '.join(columns)}", name)
        numbers = [_numbers(columns[name]) for name in wanted]
        if not len(numbers[0]):
            raise part.error(f"must be a file of at least one point; {shown(self.file)} is empty", "file")
        weights = numbers[-1] if self.weight else np.ones(len(numbers[0]))
        return np.stack(numbers[: space.dimension], axis=-1), weights

    def _of_features(self, path: Path, space: Space, part: Part) -> tuple[FloatArray, FloatArray]:
        if space.dimension != 2:
            raise part.wrong("file", "a CSV or Parquet file, since GeoJSON has two axes", self.file)
        features, _ = read_features(path, self.file, part, "point")
        places, weights = [], []
        for number, feature in enumerate(features, 1):
            geometry = feature.get("geometry", feature) if isinstance(feature, dict) else None
            place = geometry.get("coordinates") if isinstance(geometry, dict) else None
            kind = geometry.get("type") if isinstance(geometry, dict) else None
            if kind != "Point" or not isinstance(place, list) or len(place) < 2:
                raise part.error(f"must be a GeoJSON file of points, and feature {number} is none", "file")
            places.append(place[:2])
            weights.append(property_of(feature, self.weight) if self.weight else 1.0)
        points = np.stack([_numbers(column) for column in zip(*places, strict=True)], axis=-1)
        return points[:, ::-1] if space.geographic else points, _numbers(weights)


class AreasPrior(Table):
    """Polygons with people in them, evenly inside each."""

    kind: Literal["areas"] = Field(description="'areas': a file of polygons, people evenly inside each")
    file: Text = Field(description="the path of a GeoJSON file of polygons, relative to the survey")
    people: Text | None = Field(
        None,
        description="the property of the file's features that counts people; evenly over all polygons if left out",
    )

    def build(self, table: SpaceTable, space: Space, part: Part, folder: Path) -> Prior:
        """The prior on a map or a plane."""
        if not (space.flat and space.dimension == 2):
            raise part.wrong("kind", f"another one on a {table.kind}: areas are on a plane or a map", self.kind)
        features, _ = read_features(folder / self.file, self.file, part)
        regions = [_region(number, feature, space, part) for number, feature in enumerate(features, 1)]
        if self.people is None:
            counts = np.array([region.area for region in regions])
        else:
            counts = _numbers([property_of(feature, self.people) for feature in features])
        if not ((counts >= 0).all() and 0 < counts.sum() < np.inf):
            raise part.error("must be a property of every feature, a number of at least 0, some above 0", "people")
        shares = counts / counts.sum()
        sizes = np.maximum(_FEWEST, np.rint(_POINTS * shares)).astype(np.int64)
        inside = [points_inside(region, int(size)) for region, size in zip(regions, sizes, strict=True)]
        return _placed(space.values(np.concatenate(inside)), np.repeat(shares / sizes, sizes), table, space, part)


def points_inside(region: shapely.Geometry, size: int) -> FloatArray:
    """So many points evenly inside a region of the plane, shape (size, 2), always the same."""
    west, south, east, north = shapely.bounds(region)
    shapely.prepare(region)
    share = region.area / ((east - west) * (north - south))
    tried = even_points(2, int(1.2 * size / max(share, 1e-4)) + 64)
    points = np.array([west, south]) + tried * [east - west, north - south]
    inside = points[shapely.contains_xy(region, points)]
    if not len(inside):  # far thinner than its box
        inside = shapely.get_coordinates(region.representative_point())
    return np.asarray(inside[np.arange(size) % len(inside)])


def _region(number: int, feature: Any, space: Space, part: Part) -> shapely.Geometry:
    """A polygon as a region of the map or plane."""
    try:
        region = space.on_map(read_polygon(feature, on_earth=space.geographic))
    except InvalidParameter as error:
        raise part.error(f"holds feature {number}, which {half_a_sentence(error)}", "file") from None
    if region is None or not region.area > 0:
        raise part.error(f"must hold polygons in the region of the space, unlike feature {number}", "file")
    return region


def _placed(values: FloatArray, weights: FloatArray, table: SpaceTable, space: Space, part: Part) -> Prior:
    """The prior of public values: those in the region of a map, elsewhere all of them, clamped as people are."""
    if not space.geographic:
        if table.limits:
            values = np.clip(values, *np.transpose(table.limits))
        return Prior.sample(values.reshape(-1, *space.point_shape), weights)
    inside = _inside(values, space)
    if not weights[inside].sum() > 0:
        swapped = _inside(values[:, ::-1], space).any()
        hint = "; they would if latitudes and longitudes were swapped" if swapped else ""
        raise part.error(f"must hold people in the region of the space, and none of these lie there{hint}", "file")
    return Prior.sample(values[inside], weights[inside])


def _inside(values: FloatArray, space: Space) -> npt.NDArray[np.bool_]:
    """Which places (latitude, longitude), perhaps no places at all, lie in the region: others are moved when read."""
    earthly = (np.abs(values[:, 0]) <= 90) & (values[:, 1] >= -180) & (values[:, 1] <= 360)
    safe = np.where(earthly[:, None], values, 0.0)
    moved = space.values(space.read(safe)) - safe
    moved[:, 1] = (moved[:, 1] + 180) % 360 - 180
    return np.asarray(earthly & (np.abs(moved) < _STILL).all(axis=1))


def _read_columns(path: Path) -> dict[str, Any]:
    """The columns of a CSV or Parquet file, by name."""
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow.parquet as pq

        table = pq.read_table(path)
    else:
        from pyarrow import csv

        table = csv.read_csv(path)
    return {name: table.column(name) for name in table.column_names}


def _numbers(column: Any) -> FloatArray:
    """A column as floats: not-a-number for what is none."""
    if not isinstance(column, Sequence):
        column = column.to_pylist()
    try:
        return np.array([np.nan if value is None else value for value in column], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.full(len(column), np.nan)
