"""Made-up people for the example surveys, as CSV files in the current folder.

Run it:  python ../make_data.py incomes     (or crashes, or income-debt; all three if none is named)
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from geopriv.commands.populations import (
    INCOME_MU,
    INCOME_SIGMA,
    synthetic_city,
    synthetic_incomes,
)

PEOPLE = 200_000


def incomes(rng: np.random.Generator) -> tuple[list[str], Iterable[Sequence[object]]]:
    """Log-normal household incomes in USD."""
    return ["household", "income"], enumerate(synthetic_incomes(PEOPLE, rng).tolist(), 1)


def crashes(rng: np.random.Generator) -> tuple[list[str], Iterable[Sequence[object]]]:
    """Places in a city that does not exist, about where New York is."""
    return ["lat", "lon"], synthetic_city(PEOPLE, rng).round(6).tolist()


def income_debt(rng: np.random.Generator) -> tuple[list[str], Iterable[Sequence[object]]]:
    """Incomes, and debts 1.8 times as high, log-normal too, whose logarithms have a correlation of 0.4."""
    first, second = rng.standard_normal((2, PEOPLE))
    both = np.stack([first, 0.4 * first + math.sqrt(1 - 0.4**2) * second], axis=1)
    values = np.exp(np.array([INCOME_MU, INCOME_MU + math.log(1.791)]) + INCOME_SIGMA * both).round(2)
    return ["household", "income", "debt"], ([number, *pair] for number, pair in enumerate(values.tolist(), 1))


MAKERS = {"incomes": incomes, "crashes": crashes, "income-debt": income_debt}


def main() -> None:
    """Write the files that are asked for."""
    parser = argparse.ArgumentParser(description="Made-up people for the example surveys.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"of an example: {', '.join(MAKERS)}")
    names = parser.parse_args().names or list(MAKERS)
    if not set(names) <= set(MAKERS):
        parser.error(f"names are {', '.join(MAKERS)}")
    for name in names:
        header, rows = MAKERS[name](np.random.default_rng(1))
        with Path(f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(header)
            writer.writerows(rows)
        print(f"{name}.csv: {PEOPLE:,} made-up people")


if __name__ == "__main__":
    main()
