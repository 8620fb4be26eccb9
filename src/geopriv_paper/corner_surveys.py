"""Simulated surveys of two-way thresholds, person by person, beside the formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from geopriv.mechanisms import InputLaplace, Lattice
from geopriv.mechanisms.lattice.sums import ProductSums, product_sums
from geopriv.queries import Orthant
from geopriv.spaces.checks import FloatArray
from geopriv_paper.corners import (
    ANSWERS,
    GRID,
    PAIRS,
    SPACE,
    Corners,
    lattice,
    width_of,
)
from geopriv_paper.moments import Moments, ratio_check

_SPLIT = ("M2", "LDP")  # the others err rarely and much when a few people answer: surveys would say little
_BLOCK = 800_000
_RARE = 0.01


def shares_above(points: FloatArray) -> FloatArray:
    """The share of points above each pair of thresholds, shape (income thresholds, debt thresholds)."""
    passed = np.clip(np.ceil((points - GRID[0]) / (GRID[1] - GRID[0])), 0, GRID.size).astype(np.int64)
    counts = np.bincount(passed[:, 0] * (GRID.size + 1) + passed[:, 1], minlength=(GRID.size + 1) ** 2)
    table = counts.reshape(GRID.size + 1, GRID.size + 1)
    beyond = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    return np.asarray(beyond[1:, 1:] / len(points))


def corner_sums(mechanism: Lattice, reports: Any, at: tuple[FloatArray, FloatArray], bandwidth: float) -> ProductSums:
    """The share of people above two thresholds at once, for every pair of them, from one report a person.

    The corner is blurred by a Gaussian, which makes it a product: the mean of Φ((x₁ − a)/h)·Φ((x₂ − b)/h).
    """
    cells = mechanism.cells(np.asarray(reports))
    return product_sums(mechanism, cells, np.ones(len(cells)), at, lambda way: special.ndtr(way / bandwidth))


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
    squares: dict[str, list[float]] = {"M0": [], "Lattice": []}
    for _ in range(surveys):
        errors = {name: np.zeros((GRID.size, GRID.size)) for name in squares}
        for block in _blocks(people):
            x = corners.law.draw(block, rng)
            truth = shares_above(x)
            errors["M0"] += block / people * (shares_above(np.asarray(plain.simulate(x, rng))) - truth)
            found = corner_sums(grid, grid.simulate(x, rng), (GRID, GRID), blur * corners.inverse_rate).means
            errors["Lattice"] += block / people * (found - truth)
        for name, error in errors.items():
            squares[name].append(float(np.mean(error**2)))
    exact = {"M0": corners.plain, "Lattice": corners.lattice(blur)}
    return [
        ratio_check(name, people, np.array(seen) / float(exact[name].squared_errors(people).mean()))
        for name, seen in squares.items()
    ]


def answer_checks(
    corners: Corners, names: tuple[str, ...], people: int, surveys: int, pairs: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Mechanisms that answer one query a report, each survey for a few pairs drawn at random; everyone answers all.

    Args:
        corners: the formulas.
        names: of the mechanisms.
        people: of a survey.
        surveys: how many.
        pairs: of thresholds in each survey.
        rng: of people, pairs and noise.
    """
    chosen = _common(corners, (surveys, pairs), rng)
    errors = {name: np.zeros((surveys, pairs)) for name in names}
    simulators = {name: _simulator(corners, name, rng) for name in names}
    for k, own in enumerate(chosen):
        for block in _blocks(people):
            x = corners.law.draw(block, rng)
            truth = shares_above(x).ravel()
            for j, pair in enumerate(own):
                for name, simulate in simulators.items():
                    errors[name][k, j] += block / people * (simulate(pair, x) - truth[pair])
    return [
        ratio_check(name, people, seen**2 / _moments(corners, name).squared_errors(people)[chosen])
        for name, seen in errors.items()
    ]


def split_checks(
    corners: Corners, people: int, surveys: int, pairs: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """The same where every person answers for one of all 1,156 pairs."""
    chosen = _common(corners, (surveys, pairs), rng)
    answering = people // len(PAIRS)
    errors = {name: np.empty((surveys, pairs)) for name in _SPLIT}
    simulators = {name: _simulator(corners, name, rng) for name in _SPLIT}
    for k, own in enumerate(chosen):
        x = corners.law.draw(people, rng)
        truth = shares_above(x).ravel()
        for j, pair in enumerate(own):
            few = x[j * answering : (j + 1) * answering]  # people are in no order
            for name, simulate in simulators.items():
                errors[name][k, j] = simulate(pair, few) - truth[pair]
    return [
        ratio_check(
            name, people, seen**2 / _moments(corners, name).squared_errors(people, answering)[chosen], answering
        )
        for name, seen in errors.items()
    ]


def _common(corners: Corners, size: tuple[int, int], rng: np.random.Generator) -> Any:
    """Pairs drawn among those with enough people above: about others few surveys err, and then by much."""
    return rng.choice(np.flatnonzero(corners.share >= _RARE), size)


def _blocks(people: int) -> list[int]:
    """A survey in parts that fit memory: a mean over everyone is the mean of the parts' means."""
    return [min(_BLOCK, people - start) for start in range(0, people, _BLOCK)]


def _moments(corners: Corners, name: str) -> Moments:
    return corners.soft if name == "f_tau" else corners.answers(name)


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
