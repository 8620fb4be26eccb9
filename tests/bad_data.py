"""Tables that are wrong as a whole, as people hand them in: one file each, and what is to be said of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import geopriv as gp
from geopriv.reports.register import Register
from geopriv.surveys.design import Design
from tests.designs import lattice_design, small_table
from tests.rows import CITY

N = 300
_RNG = np.random.default_rng(7)
_DIGITS = np.array([2, 3, 4, 6, 7, 8, 9])  # no number of the sentences is made of these alone
INCOMES = [int("".join(map(str, _RNG.choice(_DIGITS, 5)))) for _ in range(N)]
PLACES = [(40.6 + a, -74.1 + b) for a, b in _RNG.uniform(0.0, 0.2, (N, 2)).tolist()]

_TABLE = small_table(gp.Threshold(100_000, 16_000, gp.Line("USD")), 1 / 8000)
INCOME = Design("incomes", (_TABLE,), source=gp.Source(("income",), (0.0,), (1e6,)))
WAGES = Design("wages", (_TABLE,), source=gp.Source(("income",), (10_000.0,), (1e6,)))
MAP = Design("map", lattice_design(CITY, 1e-3, 150.0).mechanisms, source=gp.Source(("lat", "lon")))


@dataclass(frozen=True)
class Bad:
    """A file that must stop a run.

    Args:
        design: of the survey.
        text: of the CSV.
        words: a pattern of what is said.
    """

    design: Design
    text: str
    words: str


def lines(rows: Iterable[str], header: str = "who,income") -> str:
    return "\n".join([header, *rows]) + "\n"


def incomes(write: Callable[[int], str]) -> str:
    return lines(f"p,{write(x)}" for x in INCOMES)


NONE = f"none of the {N} rows could be read"
BAD = {
    "commas": Bad(INCOME, incomes(lambda x: f'"{x:,}"'), rf"{NONE} \({N} not a number\).*thousands separators"),
    "most commas": Bad(
        INCOME,
        lines([*(f'p,"{x:,}"' for x in INCOMES[:-60]), *(f"p,{x}" for x in INCOMES[-60:])]),
        rf"240 of the {N} rows could not be read \(240 not a number\), more than the 1 %.*thousands separators",
    ),
    "bare commas": Bad(INCOME, incomes(lambda x: f"{x:,}"), "commas between thousands|commas inside|in thousands of"),
    "spaces": Bad(INCOME, incomes(lambda x: f"{x:,}".replace(",", " ")), "spaces or apostrophes as thousands"),
    "narrow spaces": Bad(INCOME, incomes(lambda x: f"{x:,}".replace(",", "\u202f")), "spaces or apostrophes as"),
    "dots": Bad(INCOME, incomes(lambda x: f"{x:,}".replace(",", ".")), "meant as a thousands separator"),
    "many dots": Bad(INCOME, incomes(lambda x: f"{100 * x + 62:,}".replace(",", ".")), "dots as thousands"),
    "decimal commas": Bad(INCOME, incomes(lambda x: f'"{x},26"'), "decimal commas"),
    "currency": Bad(INCOME, incomes(lambda x: f"${x}"), "currency signs"),
    "units": Bad(INCOME, incomes(lambda x: f"{x} USD"), "units or words beside its digits"),
    "semicolons": Bad(INCOME, incomes(str).replace(",", ";"), "semicolons between names"),
    "tabs": Bad(INCOME, incomes(str).replace(",", "\t"), r"tabs between names; let its name end in \.tsv"),
    "words": Bad(INCOME, incomes(lambda x: "rich" if x > 50_000 else "poor"), "seems to have words"),
    "dates": Bad(INCOME, incomes(lambda x: f"2023-0{1 + x % 9}-24"), "dates or times"),
    "not a number": Bad(INCOME, incomes(lambda _: "NaN"), "holds NaN or infinity"),
    "empty": Bad(INCOME, incomes(lambda _: ""), "is empty"),
    "in thousands": Bad(INCOME, incomes(lambda x: f"{x / 1000:.1f}"), "lowest 1/500 of the .*in thousands of USD"),
    "all below": Bad(WAGES, incomes(lambda x: f"{x / 1000:.2f}"), "all values .*lie below .*in thousands of USD"),
    "all above": Bad(INCOME, incomes(lambda x: f"{x}87"), "all values .*lie above .*in hundredths of USD"),
    "nearly all above": Bad(
        INCOME,
        lines([f"p,{INCOMES[0]}", *(f"p,{x}87" for x in INCOMES[1:])]),
        "nearly all values .*lie above .*in hundredths of USD",
    ),
    "zeros among thousandths": Bad(
        INCOME,
        lines([*["p,0"] * 9, *(f"p,{x}000" for x in INCOMES[9:])]),
        "most values .*lie above .*in hundredths of USD",
    ),
    "most above": Bad(
        INCOME,
        lines([*(f"p,{x}" for x in INCOMES[:140]), *(f"p,{x}87" for x in INCOMES[140:])]),
        "most values .*lie above the public range",
    ),
    "one among thousands": Bad(
        INCOME,
        lines(["p,150000", *(f"p,{x / 1000:.1f}" for x in INCOMES[1:])]),
        "nearly all values .*in the lowest 1/500 of the .*in thousands of USD",
    ),
    "both sides": Bad(INCOME, incomes(lambda x: f"{x if x % 2 else -x}7777"), "all values .*lie outside the public"),
    "one value": Bad(INCOME, incomes(lambda _: "77777"), "one and the same"),
    "swapped": Bad(MAP, lines((f"{b},{a},p" for a, b in PLACES), "lat,lon,who"), "only when they are swapped"),
    "mostly elsewhere": Bad(
        MAP,
        lines((f"{a + 9 * (i < 160)},{b},p" for i, (a, b) in enumerate(PLACES)), "lat,lon,who"),
        "most values lie outside the region",
    ),
    "lost": Bad(
        MAP,
        lines((f"{a * (i > 30)},{b * (i > 30)},p" for i, (a, b) in enumerate(PLACES)), "lat,lon,who"),
        "latitude 0 and longitude 0, outside the region: places that could not be found are often written as 0, 0",
    ),
    "elsewhere": Bad(MAP, lines((f"{a + 9},{b},p" for a, b in PLACES), "lat,lon,who"), "lie outside the region"),
}


def require_stopped(bad: Bad, told: tuple[int, str, str], before: list[Path]) -> None:
    """The command ended with exit code 2 and one sentence without a value, and nothing was written."""
    code, out, err = told
    assert code == 2
    assert out == ""
    assert re.search(bad.words, err), err
    assert len(err.splitlines()) == 1
    assert ". " not in err
    numbers = set(re.findall(r"[2346789]{2,}", bad.text))
    assert not numbers & set(re.findall(r"\d+", err)), err
    assert sorted(Path().iterdir()) == before
    assert Register.of().require_new(bad.design, again=False) == ()  # no budget is spent
