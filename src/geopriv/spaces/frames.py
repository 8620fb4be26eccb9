"""Tables where an array is: columns of pandas, polars, GeoPandas and Arrow, read as numbers.

Nothing here imports any of them until one of their objects is given: it is known by the package that it comes from. All
but points on a map go through Arrow, which knows numbers from categories, dates and text, and gaps from zeros.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geopriv.errors import InvalidParameter, OutOfDomain
from geopriv.spaces.units import convert

if TYPE_CHECKING:
    from geopriv.spaces.base import Space
    from geopriv.spaces.checks import FloatArray

WHOLE = 1 << 53  # the largest whole number up to which floats hold all
_PACKAGES = frozenset({"geopandas", "pandas", "polars", "pyarrow"})
_PLACES = ({"lat", "latitude"}, {"lon", "lng", "long", "longitude"})
_AXES = ({"x"}, {"y"})
_MAP = (_PLACES[0] | {"y"}, _PLACES[1] | {"x"})  # in the usual sense of x and y on a map
_DEGREES = 4326  # EPSG: longitude and latitude of WGS 84


def as_array(values: Any, space: Space | None = None) -> Any:
    """Columns of a table as float64, a gap as not-a-number; anything that is no table as it is.

    In a frame for a map the columns called lat or latitude (or y) and lon, lng, long or longitude (or x) are found by
    name, whatever their order; in another frame of two axes so are x and y. Other columns are taken in their order.
    Points of GeoPandas are turned to longitudes and latitudes first and become (latitude, longitude) on a map; on a
    Plane they stay (x, y), in their own unit.

    Args:
        values: a Series, DataFrame, GeoSeries, GeoDataFrame, Array, ChunkedArray, RecordBatch or Table, or an array.
        space: where the values live; without one a frame is taken for what its columns or coordinates are called.

    Returns:
        For a table an array of shape (n,) on a line, (n, d) elsewhere; without a space (n,) or, for k columns, (n, k).

    Raises:
        OutOfDomain: for columns that hold no numbers, for too many or too few of them, for geometries that are no
            points or whose coordinates do not fit, and for a table that is not read yet. No message holds a value.

    >>> import pyarrow as pa
    >>> from geopriv import Earth
    >>> as_array(pa.table({"lon": [-74.0], "lat": [40.7]}), Earth())
    array([[ 40.7, -74. ]])
    """
    packages = _packages(values)
    if hasattr(values, "collect") or hasattr(values, "read_all"):  # a stream would be empty when read again
        raise OutOfDomain("A lazy frame or a stream must be read before it is given, as collect() or read_all() do.")
    if not hasattr(values, "__len__") or not (packages or hasattr(values, "__arrow_c_stream__")):
        return values
    if "geopandas" in packages and hasattr(values, "geometry"):
        return _points(values.geometry, space)
    names, columns = _columns(values, packages)
    order = _order(names, space)
    arrays = [_floats(columns[k]) for k in order]
    flat = len(arrays) == 1 if space is None else not space.point_shape
    return arrays[0] if flat else np.stack(arrays, axis=-1)


def _packages(values: Any) -> set[str]:
    """Which of the known packages made the object's class or one that it derives from."""
    if isinstance(values, np.ndarray | list | tuple | float | int):  # most of what is given
        return set()
    return {parent.__module__.partition(".")[0] for parent in type(values).__mro__} & _PACKAGES


def _columns(values: Any, packages: set[str]) -> tuple[list[str], list[Any]]:
    """Names and columns of a frame; one column without a name for a series."""
    import pyarrow as pa

    if "pandas" in packages:  # by position, since names need not be unique, and without the index
        if hasattr(values, "columns"):
            return [str(name) for name in values.columns], [values.iloc[:, k] for k in range(values.shape[1])]
        return [""], [values]
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return [""], [values]
    if "polars" in packages and not hasattr(values, "columns"):
        return [""], [values]
    table = pa.table(values)
    return list(table.column_names), list(table.columns)


def _floats(column: Any) -> FloatArray:
    """A column of numbers; gaps as not-a-number."""
    numbers = _numbers(column)
    # raised here and not while an error that quotes a value is being handled
    if numbers is None:
        raise OutOfDomain("Columns of values must hold numbers: no text, categories, dates, truth values or lists.")
    return numbers


def _numbers(column: Any) -> FloatArray | None:
    import pyarrow as pa
    from pyarrow import types

    try:
        array = column
        if not isinstance(column, pa.Array | pa.ChunkedArray):
            shared = "polars" in _packages(column)  # whose memory Arrow can read as it is
            array = pa.chunked_array(column) if shared else pa.array(column, from_pandas=True)
        kind = array.type
        known = (types.is_integer, types.is_floating, types.is_decimal, types.is_null)
        if not any(test(kind) for test in known):
            return None
        floats = floats_of(array)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    return np.asarray(floats.to_numpy(zero_copy_only=False) if isinstance(floats, pa.Array) else floats.to_numpy())


def floats_of(column: Any) -> Any:
    """A column of numbers of Arrow as float64, gaps kept.

    Whole numbers and decimals beyond 2^53 become ±2^53, as spaces read them: rounded to floats two of them could move
    apart, clamped they cannot.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    floats = pc.cast(column, pa.float64(), safe=False)
    if not (pa.types.is_integer(column.type) or pa.types.is_decimal(column.type)):
        return floats
    low, high = (pa.scalar(float(end)) for end in (-WHOLE, WHOLE))
    return pc.max_element_wise(pc.min_element_wise(floats, high, skip_nulls=False), low, skip_nulls=False)


def _order(names: list[str], space: Space | None) -> list[int]:
    """Which columns to take, one for each axis."""
    in_turn, found = list(range(len(names))), _found(names, space)
    by_name = [places[0] for places in found] if all(len(places) == 1 for places in found) else None
    if space is None:
        return by_name if by_name and len(names) == 2 else in_turn
    if len(names) == space.dimension:
        if by_name and len(names) == 2:
            return by_name
        # neither has a known name, or one has, and stands where it should
        if len(names) != 2 or found in ([[], []], [[0], []], [[], [1]]):
            return in_turn
    raise OutOfDomain(_advice(names, space, by_name))


def _found(names: list[str], space: Space | None) -> list[list[int]]:
    """Where columns of the known names of two axes are."""
    axes = {None: _PLACES, True: _MAP, False: _AXES}[None if space is None else space.geographic]
    plain = [name.strip().lower() for name in names]
    return [[k for k, name in enumerate(plain) if name in spellings] for spellings in axes]


def _advice(names: list[str], space: Space, by_name: list[int] | None) -> str:
    kind = type(space).__name__
    if space.dimension == 2 and by_name:
        first, second = (names[k] for k in by_name)
        return f'Values of {kind} are two columns: select them as frame[["{first}", "{second}"]].'
    if space.geographic:
        return f"Values of {kind} are two columns: select the latitude and the longitude and call them lat and lon."
    if space.dimension == 1:
        return f"Values of {kind} are one column: select it."
    return f"Values of {kind} are {space.dimension} columns, one for each axis: select them in the order of the axes."


def _points(geometry: Any, space: Space | None) -> FloatArray:
    """Points of a GeoSeries; missing and empty ones as not-a-number."""
    import shapely

    if not np.isin(shapely.get_type_id(np.asarray(geometry.array)), (-1, 0)).all():  # missing, or a point
        raise OutOfDomain("Geometries of values must be points; take the centroid or another point of each.")
    if space is not None and space.dimension != 2:
        raise OutOfDomain(f"Values of {type(space).__name__} are no points on a map: select columns of numbers.")
    crs = geometry.crs
    on_map = crs is not None and crs.is_geographic if space is None else space.geographic
    if on_map or space is None:
        if crs is None:
            raise OutOfDomain("Points on a map must say where they are: set their CRS, as set_crs(4326) does.")
        geometry = geometry.to_crs(_DEGREES) if on_map else geometry
    else:
        _require_ground(crs, space.distance_unit)
    shapes = np.array(geometry.array, dtype=object)
    shapes[np.asarray(geometry.is_empty)] = None
    x, y = shapely.get_x(shapes), shapely.get_y(shapes)
    return np.stack([y, x] if on_map else [x, y], axis=-1)


def _require_ground(crs: Any, unit: str | None) -> None:
    """Refuse coordinates on a plane that are not in its unit of length on the ground."""
    if crs is None or unit is None or not crs.axis_info:
        return
    axis = crs.axis_info[0]
    try:
        metres = convert(1.0, unit, to="m")
    except InvalidParameter:
        return  # no length, as on a plane of income and debt
    if crs.is_geographic or abs(axis.unit_conversion_factor - metres) > 1e-5 * metres:
        raise OutOfDomain(
            f"Points of a Plane must be in its unit, {unit}; the unit of their CRS is the {axis.unit_name}."
        )
    if crs.to_epsg() == 3857:  # 1/cos(latitude) metres there are one on the ground (theory E11)
        raise OutOfDomain("Metres of Web Mercator are no metres on the ground: use a LocalPlane or a local projection.")
