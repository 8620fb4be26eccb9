"""The numbers behind a page's pictures, for the script that lets people look closer; the page is whole without them."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import pyarrow as pa

from geopriv.answers.answers import Answer, Band
from geopriv.answers.intervals import normal_reach
from geopriv.answers.rows import THIN, table_of_answer
from geopriv.pages.colours import ColourBar, hexadecimal
from geopriv.pages.density import Density
from geopriv.pages.frames import Frame
from geopriv.pages.numbers import decimals_for
from geopriv.pages.scales import Scale
from geopriv.pages.values import percent_words
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.units import METRES

DECIMALS = 6  # at most, of a density
_FINER = 2  # digits behind those that errors allow: far below what is shown
_MOST = 1 << 30  # steps: what fits in 32 bits with its differences


def map_data(
    answer: Answer, density: Density, frame: Frame, bars: dict[str, tuple[ColourBar, tuple[Scale, ...]]], label: str
) -> Any:
    """What a map's picture is drawn from.

    Args:
        answer: of the map.
        density: its values in the unit that is shown.
        frame: where it lies.
        bars: for "estimate" and "error" the colours, and all scales.
        label: how biased the estimate is; empty if it is not.
    """
    question, estimates = density.question, answer.estimates
    grids = {"estimate": density.values, "error": density.errors}
    if answer.consistent is not None:
        grids["consistent"] = density.percent * answer.consistent
    reach = _reach(density)
    if reach is None:
        grids |= {"low": density.band.low, "high": density.band.high}
    step = _step(density)
    return {
        "name": question.name,
        "columns": question.columns,
        "rows": question.rows,
        "low": question.low,
        "high": question.high,
        "globe": _globe(question.space),
        "limits": _limits(question.space),
        "metres": METRES.get(question.space.distance_unit or ""),
        "distance": question.space.distance_unit or "",
        "unit": f"% of {answer.who} per {density.square}",
        "level": percent_words(estimates.confidence),
        "together": density.together,
        "interval": normal_reach(estimates.confidence),
        "band": reach,
        "bias": density.bias,
        "thin": density.percent * answer.thin_below,
        "decimals": DECIMALS,
        "label": label,
        "nicer": nicer_words(answer),
        **row_of(answer),
        "fine": density.fine,
        "tall": frame.tall,
        "step": step,
        "grids": {name: packed(grid, step) for name, grid in grids.items()},
        "keys": {name: _key(bar, choices) for name, (bar, choices) in bars.items()},
    }


def nicer_words(answer: Answer) -> str:
    """How the values were made that are nicer to look at, and biased."""
    return "With less noise (shrunk)" if answer.shrunk else "Made consistent"


def row_of(answer: Answer) -> dict[str, Any]:
    """How a row of a file is made: its columns in their order, and what stands in all rows."""
    rows = table_of_answer(answer)
    (first,) = rows.slice(0, 1).to_pylist()
    return {
        "fields": rows.column_names,
        "row": {field.name: first[field.name] for field in rows.schema if not differs(field)},
        "confidence": answer.estimates.confidence,
    }


def differs(field: pa.Field) -> bool:
    """Whether a column is one whose rows differ."""
    return bool(field.name == THIN or pa.types.is_float64(field.type))


def packed(grid: FloatArray, step: float) -> str:
    """Numbers as whole steps, each less the one before, in 32 bits, the lowest byte first, deflated, in base64."""
    steps = np.rint(np.ravel(grid) / step).astype(np.int64)
    differences = np.diff(steps, prepend=0).astype("<i4")
    # all lowest bytes first, then all second ones, and so on: these are mostly alike
    planes = differences.view(np.uint8).reshape(-1, 4).T.tobytes()
    return base64.b64encode(zlib.compress(planes, 9)).decode()


def _step(density: Density) -> float:
    """A power of ten, far below every error that is shown."""
    errors = density.errors[density.errors > 0]
    largest = float(max(np.abs(density.values).max(), density.band.high.max(), density.errors.max(), 1e-300))
    wanted = 10.0 ** -(decimals_for(float(errors.min()), most=300) + _FINER) if errors.size else largest / _MOST
    return max(wanted, largest / _MOST)


def _reach(density: Density) -> float | None:
    """How many standard errors the band reaches to each side; None where that is not one number."""
    errors = density.errors
    if not (errors > 0).any():
        return None
    reach = float(np.median((density.band.high - density.values)[errors > 0] / errors[errors > 0]))
    even = Band(density.values - reach * errors, density.values + reach * errors)
    slack = 1e-6 * float(errors.max())
    alike = all(np.abs(getattr(even, end) - getattr(density.band, end)).max() <= slack for end in ("low", "high"))
    return reach if alike else None


def _globe(space: Any) -> dict[str, float] | None:
    """What takes points of a map back to degrees (`LocalPlane.values`)."""
    if not space.geographic:
        return None
    latitude, longitude = space.middle
    return {"latitude": latitude, "longitude": longitude, "radius": space.radius}


def _limits(space: Any) -> list[list[float]] | None:
    return [corner.tolist() for corner in space.rectangle] if space.geographic else None


def _key(bar: ColourBar, choices: tuple[Scale, ...]) -> dict[str, Any]:
    return {
        "chosen": bar.scale.name,
        "colours": hexadecimal(bar.colours),
        "scales": {
            scale.name: {
                "bottom": scale.bottom,
                "top": scale.top,
                "ticks": [[tick.at, tick.label, mark] for tick, mark in zip(scale.ticks, scale.marks, strict=True)],
            }
            for scale in choices
        },
    }
