"""Who is measured: real data from files where they are given, and made-up people that say so where they are not."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.commands.populations import (
    INCOME_MU,
    INCOME_SIGMA,
    income_quantiles,
    read_columns,
    synthetic_city,
)
from geopriv.spaces.checks import FloatArray, invalid
from geopriv_paper.settings import CITY, CORRELATION, DEBT_TO_INCOME

_QUANTILES = 50_000
_MADE_UP = 1_000_000  # people of the synthetic city
_NO_INCOME = 9_999_999  # IPUMS: group quarters


@dataclass(frozen=True, eq=False)
class Incomes:
    """A law of household incomes.

    Args:
        values: distinct and increasing, USD.
        weights: that sum to 1.
        source: a sentence for captions.
    """

    values: FloatArray
    weights: FloatArray
    source: str

    @property
    def fingerprint(self) -> str:
        """Changes with the data: part of what decides a result."""
        return _fingerprint(self.values, self.weights)

    def counts(self, people: int, rng: np.random.Generator) -> Any:
        """How many of so many people, drawn with replacement, have each value."""
        return rng.multinomial(people, self.weights)

    def draw(self, people: int, rng: np.random.Generator) -> FloatArray:
        """Incomes of so many people, drawn with replacement, in increasing order."""
        return np.repeat(self.values, self.counts(people, rng))


@dataclass(frozen=True)
class Households:
    """Income and debt, correlated log-normal: the paper's model, which is made up in the paper too."""

    mu: float = INCOME_MU
    sigma: float = INCOME_SIGMA
    ratio: float = DEBT_TO_INCOME
    correlation: float = CORRELATION
    source: str = "synthetic households: the paper's correlated log-normal income and debt"

    def draw(self, people: int, rng: np.random.Generator) -> FloatArray:
        """(income, debt) in USD, shape (people, 2)."""
        normal = rng.standard_normal((people, 2))
        normal[:, 1] = self.correlation * normal[:, 0] + math.sqrt(1 - self.correlation**2) * normal[:, 1]
        return np.asarray(np.exp(np.array([self.mu, self.mu + math.log(self.ratio)]) + self.sigma * normal))


@dataclass(frozen=True, eq=False)
class Places:
    """Positions in the paper's box.

    Args:
        values: (latitude, longitude) in degrees, shape (n, 2).
        source: a sentence for captions.
    """

    values: FloatArray
    source: str

    @property
    def fingerprint(self) -> str:
        """Changes with the data: part of what decides a result."""
        return _fingerprint(self.values)

    def draw(self, people: int, rng: np.random.Generator) -> FloatArray:
        """Positions of so many people: without replacement while there are enough, as the paper does."""
        chosen = rng.choice(len(self.values), people, replace=people > len(self.values))
        return np.asarray(self.values[chosen])


@dataclass(frozen=True, eq=False)
class Data:
    """Everything that the experiments measure."""

    incomes: Incomes
    households: Households
    places: Places


def load(incomes: Path | None = None, places: Path | None = None) -> Data:
    """The data of two files, or what stands for them.

    Args:
        incomes: see `read_incomes`.
        places: see `read_places`.
    """
    return Data(read_incomes(incomes), Households(), read_places(places))


def read_incomes(path: Path | None = None) -> Incomes:
    """Household incomes: Parquet (income, weight), an IPUMS extract as CSV, or the published log-normal fit.

    Args:
        path: of Parquet, or of CSV (also .csv.gz) with columns HHINCOME and HHWT. Of an extract one row a household is
            taken (PERNUM = 1 if there), of California if STATEFIP is there, without group quarters.

    Raises:
        InvalidParameter: where columns are missing or hold no numbers.
    """
    if path is None:
        weights = np.full(_QUANTILES, 1 / _QUANTILES)
        return Incomes(income_quantiles(_QUANTILES), weights, "synthetic incomes: the published log-normal fit")
    if _is_csv(path):
        return _counted(*_ipums(path), f"household incomes of {path.name}")
    income, weight = read_columns(path, ("income", "weight"))
    return _counted(income, weight, f"California household incomes ({path.name})")


def read_places(path: Path | None = None) -> Places:
    """Positions inside the paper's box: Parquet (lat, lon), the official CSV (LATITUDE, LONGITUDE), or a made-up city.

    Args:
        path: of Parquet or CSV.

    Raises:
        InvalidParameter: where columns are missing or hold no numbers, or nobody is inside.
    """
    if path is None:
        return Places(synthetic_city(_MADE_UP, np.random.default_rng(2012)), "a synthetic city")
    columns = _csv(path, ("LATITUDE", "LONGITUDE")) if _is_csv(path) else read_columns(path, ("lat", "lon"))
    spots = np.stack(columns, axis=-1)
    inside = ((spots >= (CITY.south, CITY.west)) & (spots <= (CITY.north, CITY.east))).all(axis=1)
    if not inside.any():
        raise invalid("read_places", "path", "a file with positions inside the paper's box", path.name)
    return Places(spots[inside], f"New York motor vehicle collisions ({path.name})")


def _fingerprint(*arrays: FloatArray) -> str:
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()[:16]


def _counted(x: FloatArray, weights: FloatArray, source: str) -> Incomes:
    """Every income once."""
    if not (weights >= 0).all() or not weights.sum() > 0:
        raise invalid("read_incomes", "path", "a file whose weights are not negative and not all 0", source)
    distinct, which = np.unique(x, return_inverse=True)
    return Incomes(distinct, np.asarray(np.bincount(which, weights)) / weights.sum(), source)


def _ipums(path: Path) -> tuple[FloatArray, FloatArray]:
    income, weight, person, state = _csv(path, ("HHINCOME", "HHWT"), ("PERNUM", "STATEFIP"))
    keep = (income < _NO_INCOME) & ~(person > 1) & ~((state > 0) & (state != 6))
    if not keep.any():
        raise invalid("read_incomes", "path", "an extract with households of California", path.name)
    return income[keep], weight[keep]


def _is_csv(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith(".csv")


def _csv(path: Path, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> list[FloatArray]:
    """Columns of numbers by name, in any case; rows that lack one of the first are left out, others become NaN."""
    from pyarrow import ArrowInvalid, csv, float64

    def columns(wanted: Callable[[str], bool]) -> dict[str, FloatArray]:
        with csv.open_csv(path) as reader:
            found = [name for name in reader.schema.names if wanted(name.upper())]
        types = dict.fromkeys(found, float64())
        options = csv.ConvertOptions(include_columns=found, column_types=types)
        table: Any = csv.read_csv(path, convert_options=options)
        return {name.upper(): np.asarray(table[name].to_numpy(), dtype=np.float64) for name in found}

    if not path.is_file():
        raise invalid("read_columns", "path", "a file", str(path))
    try:
        found = columns(lambda name: name in (*names, *optional))
    except ArrowInvalid:  # whose sentence may quote a row
        rule = f"a CSV file whose columns {', '.join(names)} hold numbers"
        raise invalid("read_columns", "path", rule, path.name) from None
    missing = [name for name in names if name not in found]
    if missing:
        raise invalid("read_columns", "path", f"a CSV file with columns {', '.join(names)}", f"no {', '.join(missing)}")
    whole = np.all([np.isfinite(found[name]) for name in names], axis=0)
    blank = np.full(whole.size, np.nan)
    return [found.get(name, blank)[whole] for name in (*names, *optional)]
