"""People to measure: embedded synthetic ones, and real ones from a file."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.spaces.checks import FloatArray, count, invalid

# The paper's log-normal fit of California household incomes (mean and standard deviation of ln USD).
INCOME_MU, INCOME_SIGMA = 11.49399503122476, 0.8290709468895202


def synthetic_incomes(people: int, rng: np.random.Generator) -> FloatArray:
    """Household incomes in USD, log-normal with the published fit, rounded to cents.

    >>> float(np.median(synthetic_incomes(100_001, np.random.default_rng(0))).round(-3))
    98000.0
    """
    size = count("synthetic_incomes", "people", people)
    return np.round(rng.lognormal(INCOME_MU, INCOME_SIGMA, size), 2)


def synthetic_debts(incomes: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Debts of the same households: log-normal, 1.791 times as high, with a correlation of 0.4 of the logarithms."""
    share, size = 0.4, len(incomes)
    known = (np.log(np.maximum(incomes, 1.0)) - INCOME_MU) / INCOME_SIGMA
    mixed = share * known + math.sqrt(1 - share**2) * rng.standard_normal(size)
    return np.round(1.791 * np.exp(INCOME_MU + INCOME_SIGMA * mixed), 2)


def income_quantiles(people: int) -> FloatArray:
    """The same law by its quantiles: a population without chance."""
    from scipy import special

    u = (np.arange(count("income_quantiles", "people", people)) + 0.5) / people
    return np.asarray(np.exp(INCOME_MU + INCOME_SIGMA * special.ndtri(u)))


def synthetic_city(people: int, rng: np.random.Generator) -> FloatArray:
    """Positions (latitude, longitude) in a made-up city about as large as New York; nobody lives there.

    Districts are Gaussian, and two in three people stand on a street of a turned grid.
    """
    n = count("synthetic_city", "people", people)
    districts = np.array([(0, 0, 3.0), (6, 9, 2.0), (-7, 4, 4.0), (3, -11, 3.0), (-12, -8, 5.0), (12, -3, 2.5)])  # km
    home = districts[rng.choice(len(districts), n, p=[0.28, 0.2, 0.18, 0.14, 0.12, 0.08])]
    spot = home[:, :2] + home[:, 2:] * rng.standard_normal((n, 2))
    turn = math.radians(29.0)
    turned = spot @ np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    street, axis = rng.random(n) < 2 / 3, rng.integers(0, 2, n)
    block = np.where(axis == 0, 0.27, 0.08)
    chosen = turned[np.arange(n), axis]
    turned[np.arange(n), axis] = np.where(street, np.round(chosen / block) * block, chosen)
    spot = turned @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    return np.stack([40.7 + spot[:, 1] / 111.2, -73.95 + spot[:, 0] / (111.2 * math.cos(math.radians(40.7)))], axis=-1)


def read_columns(path: str | Path, names: tuple[str, ...]) -> list[FloatArray]:
    """Columns of numbers of a Parquet file.

    Raises:
        InvalidParameter: where a column is missing or holds no numbers.
    """
    from pyarrow import ArrowInvalid, parquet

    if not Path(path).is_file():
        raise invalid("read_columns", "path", "a file", str(path))
    try:
        missing = [name for name in names if name not in parquet.read_schema(path).names]
    except ArrowInvalid as error:
        raise invalid("read_columns", "path", f"a Parquet file ({error})", str(path)) from None
    if missing:
        raise invalid("read_columns", "path", f"a file with columns {', '.join(names)}", f"no {', '.join(missing)}")
    table: Any = parquet.read_table(path, columns=list(names))
    try:
        columns = [np.asarray(table[name].to_numpy(), dtype=np.float64) for name in names]
    except (TypeError, ValueError):
        raise invalid(
            "read_columns", "path", f"a file whose columns {', '.join(names)} hold numbers", str(path)
        ) from None
    if any(not np.isfinite(column).all() for column in columns):
        raise invalid("read_columns", "path", "a file of finite numbers", str(path))
    return columns
