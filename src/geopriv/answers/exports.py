"""Answers as files of other programs, one function a form: each gives the bytes of the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from io import BytesIO

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import shapely

from geopriv.answers.answers import Answers
from geopriv.answers.features import geojson
from geopriv.answers.geotiff import geotiff
from geopriv.answers.rows import shapes_of, table_of
from geopriv.errors import InvalidParameter
from geopriv.spaces.shown import pages


def csv(answers: Answers, questions: Sequence[str] = ()) -> bytes:
    """Comma-separated values in UTF-8, a header first; what is not there is empty."""
    file = BytesIO()
    pacsv.write_csv(table_of(answers, questions), file)
    return file.getvalue()


def geojson_text(answers: Answers, questions: Sequence[str] = ()) -> bytes:
    """GeoJSON (RFC 7946) in UTF-8."""
    return (json.dumps(geojson(answers, questions), ensure_ascii=False, allow_nan=False) + "\n").encode()


def parquet(answers: Answers, questions: Sequence[str] = ()) -> bytes:
    """Parquet; GeoParquet 1.0 where some rows have an area, which needs no further package."""
    table, shapes = table_of(answers, questions), shapes_of(answers, questions)
    if any(shape is not None for shape in shapes):
        kinds = sorted({shape.geom_type for shape in shapes if shape is not None})
        column: dict[str, object] = {"encoding": "WKB", "geometry_types": kinds}
        # without a "crs" it is longitude and latitude (OGC:CRS84); null is one that nobody knows
        column |= {} if answers.space.geographic else {"crs": None}
        geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": column}}
        areas = pa.array([None if shape is None else shapely.to_wkb(shape) for shape in shapes], pa.binary())
        table = table.append_column("geometry", areas)
        table = table.replace_schema_metadata(table.schema.metadata | {b"geo": json.dumps(geo).encode()})
    file = BytesIO()
    pq.write_table(table, file, compression="zstd")
    return file.getvalue()


def tiff(answers: Answers, questions: Sequence[str] = ()) -> bytes:
    """A GeoTIFF of the one map among the answers, or of the one that is named."""
    maps = [answer.question.name for answer in answers.answers if answer.question.product is not None]
    names = list(questions) or maps
    if not names:
        raise InvalidParameter("A GeoTIFF holds one map, and none of these answers is one.")
    if len(names) != 1:
        there = f"There are: {', '.join(map(repr, maps)) or 'none'}"
        raise InvalidParameter(f"A GeoTIFF holds one map: name it with --question. {there}.")
    return geotiff(answers, names[0])


def png(answers: Answers, questions: Sequence[str] = ()) -> bytes:
    """A picture of all answers, or of those that are named, as `plot` draws them."""
    data: bytes = pages().picture_of(answers, questions)
    return data


EXPORTS: dict[str, Callable[[Answers, Sequence[str]], bytes]] = {
    ".csv": csv,
    ".geojson": geojson_text,
    ".parquet": parquet,
    ".tif": tiff,
    ".png": png,
}
TEXTS = (".csv", ".geojson")  # that can go to a terminal or a pipe


def exported(answers: Answers, suffix: str, questions: Sequence[str] = ()) -> bytes:
    """The bytes of a file of answers.

    Args:
        answers: of a survey.
        suffix: of the file's name, which says its form.
        questions: names of those that are wanted; all if left out.

    Raises:
        InvalidParameter: for another form, for a question that is not there, and for what has no such form.
    """
    if suffix not in EXPORTS:
        raise InvalidParameter(f"Answers are exported to files of {', '.join(EXPORTS)}, not of {suffix or 'no form'}.")
    try:
        return EXPORTS[suffix](answers, questions)
    except KeyError as error:
        raise InvalidParameter(str(error.args[0])) from None
