"""Where the values of a map are: its points, and the cell around each of them."""

from __future__ import annotations

import numpy as np
import shapely

from geopriv.queries.questions import DensityMap
from geopriv.spaces.checks import FloatArray


def places(question: DensityMap) -> dict[str, FloatArray]:
    """Where each value of a map is: in degrees on a LocalPlane, else as the axes have it; of the map's shape."""
    points = np.stack(np.meshgrid(*question.axes, indexing="ij"), axis=-1)
    if not question.space.geographic:
        return {"x": points[..., 0], "y": points[..., 1]}
    latitude, longitude = np.moveaxis(question.space.values(points), -1, 0)
    return {"longitude": longitude, "latitude": latitude}


def cells_of(question: DensityMap) -> FloatArray:
    """The corners of the rectangle around each value of a map that is nearer to no other, as points of the space.

    Returns:
        Of shape (columns, rows, 4, 2), counterclockwise from the lowest corner; those at the border reach half a step
        beyond the grid.
    """
    x, y = (np.concatenate([[1.5 * a[0] - 0.5 * a[1]], (a[1:] + a[:-1]) / 2, [1.5 * a[-1] - 0.5 * a[-2]]])
            for a in question.axes)  # fmt: skip
    corners = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    return np.stack([corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:], corners[:-1, 1:]], axis=-2)


def areas(question: DensityMap) -> list[shapely.Geometry]:
    """The cell of each value of a map, as points of the space, in the order of its values."""
    return list(shapely.polygons(cells_of(question).reshape(-1, 4, 2)))
