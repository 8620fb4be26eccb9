"""Two-way thresholds: the average squared error over 34 × 34 pairs of thresholds (the paper's figure 5)."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from geopriv_paper.compact import packed
from geopriv_paper.corner_surveys import answer_checks, one_report_checks, split_checks
from geopriv_paper.corners import ANSWERS, PAIRS, Corners
from geopriv_paper.datasets import Data, Households
from geopriv_paper.moments import Moments
from geopriv_paper.panel import Panel
from geopriv_paper.settings import TWO_WAY, TWO_WAY_DISTANCE, TWO_WAY_REPETITIONS

NAME = "two-way"
_SMALL, _SURVEYS, _PAIRS = 10_000, 40, 16  # people of a small survey, surveys, and pairs in each
_ROUND, _PAIRS_FULL = 10, 4  # surveys of the paper's size that are kept as one result, and pairs in each
_PAPERS = ("f_tau", "M2", "M3", "LDP")
_SEED = 9
LOG_UNIT = 0.01


def panels(data: Data, full: bool) -> list[Panel]:
    """Five settings, each exact and with small surveys; in full also surveys of the paper's n and repetitions."""
    found = []
    law = data.households
    for inverse, people in TWO_WAY:
        name = panel_name(inverse, people)
        plan = {
            "law": [law.mu, law.sigma, law.ratio, law.correlation],
            "inverse_rate": inverse,
            "people": people,
            "seed": _SEED,
        }
        # the theory of the Table: a result of another is not kept
        small, large = {"small": [_SMALL, _SURVEYS, _PAIRS], "theory": ["T5″"]}, {"large": [_ROUND, _PAIRS_FULL]}
        found.append(Panel(NAME, name, plan | small, partial(_panel, law, inverse, people)))
        if full:
            found += [
                Panel(NAME, f"{name}-surveys-{k:02d}", plan | large, partial(_round, law, inverse, people, k))
                for k in range(TWO_WAY_REPETITIONS // _ROUND)
            ]
    return found


def panel_name(inverse_rate: int, people: int) -> str:
    """Short, and safe as a file name."""
    return f"e{inverse_rate}-n{people}"


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Errors by mechanism for the five settings, and where on the grid they come from."""
    from geopriv_paper.figures.two_way import draw as pictures

    return pictures(results, folder)


def expected(law: Households, inverse_rate: int, people: int) -> dict[str, Any]:
    """Average squared errors by formula: with ε for each query, and with one ε a person."""
    corners = _corners(law, inverse_rate)
    blur, lattice = corners.best_lattice(people)
    answers = {name: corners.answers(name) for name in ANSWERS}
    once = {"M0": corners.plain, "Lattice": lattice}  # one report answers every pair
    each = {"f_tau": corners.soft, **answers, **once}
    shared = {name: one.numbers(people, people / len(PAIRS)) for name, one in answers.items()}
    return {
        "expected": {name: one.numbers(people) for name, one in each.items()},
        "shared": shared | {name: one.numbers(people) for name, one in once.items()},
        "floor_each": float(corners.floor.mean()) / people,
        "blur": blur,
        "grid": {name: _logs(each[name], people) for name in ("f_tau", "M0", "M2", "M3", "Lattice")},
    }


def _panel(law: Households, inverse_rate: int, people: int) -> dict[str, Any]:
    exact = expected(law, inverse_rate, people)
    corners = _corners(law, inverse_rate)
    rng = np.random.default_rng([_SEED, inverse_rate, people])
    checks = answer_checks(corners, ("f_tau", *ANSWERS), _SMALL, _SURVEYS, _PAIRS, rng)
    checks += split_checks(corners, _SMALL, _SURVEYS, _PAIRS, rng)
    checks += one_report_checks(corners, exact["blur"], _SMALL, _SURVEYS, rng)
    return {
        "source": law.source,
        "inverse_rate": inverse_rate,
        "people": people,
        "distance": TWO_WAY_DISTANCE,
        "queries": len(PAIRS),
        **exact,
        "checks": checks,
    }


def _round(law: Households, inverse_rate: int, people: int, number: int) -> dict[str, Any]:
    """Surveys of the paper's size: its mechanisms and the Lattice."""
    corners = _corners(law, inverse_rate)
    rng = np.random.default_rng([_SEED, inverse_rate, people, number + 1])
    blur, _ = corners.best_lattice(people)
    checks = answer_checks(corners, _PAPERS, people, _ROUND, _PAIRS_FULL, rng)
    return {"source": law.source, "checks": checks + one_report_checks(corners, blur, people, _ROUND, rng)}


def _logs(moments: Moments, people: int) -> str:
    """The logarithm to base 10 of each pair's squared error, for a picture."""
    return packed(np.log10(np.maximum(moments.squared_errors(people), 1e-300)), LOG_UNIT)


@lru_cache(maxsize=4)
def _corners(law: Households, inverse_rate: int) -> Corners:
    return Corners(law, inverse_rate)
