"""Examples that are ready: a survey, made-up people to run it on, and what else it names."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from geopriv.commands.populations import synthetic_city, synthetic_debts, synthetic_incomes

PEOPLE = 20_000
_SURVEYS = {"incomes": "incomes.toml", "map": "city.toml", "two-way": "two-way.toml"}


def example_files(name: str) -> dict[str, bytes]:
    """The files of an example by name: survey.toml, people.csv, and the areas of the map."""
    folder = Path(__file__).parent
    text = (folder / _SURVEYS[name]).read_text(encoding="utf-8")
    text = re.sub(r"^people = \S+", f"people = {PEOPLE:_}", text, flags=re.MULTILINE)
    found = {"survey.toml": text.encode(), "people.csv": _people(name)}
    if name == "map":
        found["districts.geojson"] = (folder / "districts.geojson").read_bytes()
    return found


def _people(name: str) -> bytes:
    rng = np.random.default_rng(1)
    if name == "map":
        places = synthetic_city(PEOPLE, rng).round(5)
        columns = {"lat": places[:, 0], "lon": places[:, 1]}
    else:
        columns = {"income": synthetic_incomes(PEOPLE, rng).round()}
        if name == "two-way":
            columns["debt"] = synthetic_debts(columns["income"], rng).round()
    file = io.BytesIO()
    csv.write_csv(pa.table(columns), file)
    return file.getvalue()
