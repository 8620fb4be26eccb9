"""Simulated surveys of two-way thresholds, person by person, beside the formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from geopriv.checks import FloatArray
from geopriv.lattice_maps import lattice_corner_map
from geopriv.mechanisms import InputLaplace
from geopriv.paper.corners import ANSWERS, GRID, PAIRS, SPACE, Corners, lattice, width_of
from geopriv.paper.moments import ratio_check
from geopriv.queries import Orthant

_SPLIT = ("M2", "LDP")  # the others err rarely and much when a few people answer: surveys would say little


def shares_above(points: FloatArray) -> FloatArray:
    """The share of points above each pair of thresholds, shape (income thresholds, debt thresholds)."""
    passed = np.clip(np.ceil((points - GRID[0]) / (GRID[1] - GRID[0])), 0, GRID.size).astype(np.int64)
    counts = np.bincount(passed[:, 0] * (GRID.size + 1) + passed[:, 1], minlength=(GRID.size + 1) ** 2)
    table = counts.reshape(GRID.size + 1, GRID.size + 1)
    beyond = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    return np.asarray(beyond[1:, 1:] / len(points))


def one_report_checks(
    corners: Corners, blur: float, people: int, surveys: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """M0 and the Lattice, where one report answers every pair: whole surveys against their expected error.

    Args:
        corners: the formulas.
        blur: of the Lattice, in units of 1/ε.
        people: of a survey.
        surveys: how many.
        rng: of people and noise.
    """
    plain, grid = InputLaplace.calibrate(SPACE, corners.rate, "plain"), lattice(corners.inverse_rate)
    errors: dict[str, list[float]] = {"M0": [], "Lattice": []}
    for _ in range(surveys):
        x = corners.law.draw(people, rng)
        truth = shares_above(x)
        seen = shares_above(np.asarray(plain.simulate(x, rng)))
        found, _ = lattice_corner_map(grid, grid.simulate(x, rng), GRID, GRID, blur * corners.inverse_rate)
        for name, estimate in (("M0", seen), ("Lattice", found)):
            errors[name].append(float(np.mean((estimate - truth) ** 2)))
    exact = {"M0": corners.plain, "Lattice": corners.lattice(blur)}
    return [
        ratio_check(name, people, np.array(seen) / float(exact[name].squared_errors(people).mean()))
        for name, seen in errors.items()
    ]


def answer_checks(
    corners: Corners, people: int, surveys: int, pairs: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Mechanisms that answer one query a report, each survey for a few pairs drawn at random.

    Everyone answers every query; of some mechanisms it is checked too that every person answers one of all 1,156.

    Args:
        corners: the formulas.
        people: of a survey.
        surveys: how many.
        pairs: of thresholds in each survey.
        rng: of people, pairs and noise.
    """
    chosen = rng.integers(0, len(PAIRS), (surveys, pairs))
    answering = people // len(PAIRS)
    errors = {name: np.empty((2, surveys, pairs)) for name in ("f_tau", *ANSWERS)}
    simulators = {name: _simulator(corners, name, rng) for name in errors}
    for k, own in enumerate(chosen):
        x = corners.law.draw(people, rng)
        truth = shares_above(x).ravel()
        for j, pair in enumerate(own):
            few = x[j * answering : (j + 1) * answering]  # people are in no order
            for name, simulate in simulators.items():
                errors[name][0, k, j] = simulate(pair, x) - truth[pair]
                errors[name][1, k, j] = simulate(pair, few) - truth[pair] if answering else np.nan
    found = []
    for name, seen in errors.items():
        moments = corners.soft if name == "f_tau" else corners.answers(name)
        found.append(ratio_check(name, people, seen[0] ** 2 / moments.squared_errors(people)[chosen]))
        if answering and name in _SPLIT:
            exact = moments.squared_errors(people, answering)[chosen]
            found.append(ratio_check(name, people, seen[1] ** 2 / exact, answering))
    return found


def _simulator(corners: Corners, name: str, rng: np.random.Generator) -> Callable[[Any, FloatArray], float]:
    """The mean report about one pair, from mechanisms at the origin: people are moved instead of queries."""
    widths = width_of(name, PAIRS, corners.inverse_rate)
    queries = {width: Orthant((0.0, 0.0), width, SPACE) for width in np.unique(widths).tolist()}
    if name == "f_tau":
        return lambda pair, x: float(queries[widths[pair]](x - PAIRS[pair]).mean())
    mechanisms = {width: ANSWERS[name](query, corners.rate) for width, query in queries.items()}

    def mean(pair: Any, x: FloatArray) -> float:
        mechanism = mechanisms[widths[pair]]
        reports = np.asarray(mechanism.simulate(x - PAIRS[pair], rng))
        return float(mechanism.contributions(reports, None).mean())

    return mean
