"""Embedded people, as the files that a survey is run on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from geopriv.commands.populations import synthetic_city, synthetic_incomes


def write_incomes(path: Path, people: int, seed: int) -> None:
    """A Parquet file of synthetic household incomes."""
    incomes = synthetic_incomes(people, np.random.default_rng(seed))
    pq.write_table(pa.table({"income": incomes}), path)


def write_city(path: Path, people: int, seed: int) -> None:
    """A Parquet file of positions in a synthetic city."""
    places = synthetic_city(people, np.random.default_rng(seed))
    pq.write_table(pa.table({"lat": places[:, 0], "lon": places[:, 1]}), path)
