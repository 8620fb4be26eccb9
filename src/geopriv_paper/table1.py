"""Table 1 with measured entries: what each approach promises, what an audit finds, its bias and its variance."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.mechanisms import CoordinateLaplace, InputLaplace, Lattice, Mechanism, Table
from geopriv.proofs.audits import audit_black_box, audit_mechanism
from geopriv.queries import GaussianKernel, Query
from geopriv.smooth import LeastScaleT, LipschitzLaplace, LocalLaplace, SmoothT
from geopriv.spaces.checks import FloatArray
from geopriv_paper.agreement import moments_of, squared_error_check
from geopriv_paper.datasets import Data, Incomes, Places
from geopriv_paper.lemma import against_truth
from geopriv_paper.one_way import contenders
from geopriv_paper.panel import Panel
from geopriv_paper.settings import (
    CITY,
    KDE_DISTANCE,
    KDE_GRID,
    OneWay,
)
from geopriv_paper.simulation import Asked, survey_errors

NAME = "table1"
_THRESHOLD = OneWay(100_000, 8_000, 12_000)
_CENTER = (40.75, -73.98)  # the kernel's: midtown Manhattan
_INVERSE = 1_000  # 1/ε of the kernel, metres
_INVERSES = [500, 1_000, 2_000]  # those of the lemma
_PEOPLE = 4_000  # positions over which exact moments are averaged
_SMALL, _SURVEYS, _SAMPLES, _SEED = 2_000, 200, 100_000, 1


def panels(data: Data, full: bool) -> list[Panel]:
    """A threshold on incomes and a kernel on the map; the same quick or full, since the table has no repetitions."""
    numbers = {"people": _SMALL, "surveys": _SURVEYS, "samples": _SAMPLES, "seed": _SEED, "theory": ["T5″", "T8′"]}
    return [
        Panel(NAME, "threshold", numbers | {"incomes": data.incomes.fingerprint}, partial(_threshold, data.incomes)),
        Panel(NAME, "kernel", numbers | {"places": data.places.fingerprint}, partial(_kernel, data.places)),
        Panel(NAME, "lemma", {"inverse_rates": _INVERSES, "bandwidth": _bandwidth()}, _lemma),
    ]


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Bias and variance of every approach, on both queries."""
    from geopriv_paper.figures.table1 import draw as pictures

    return pictures(results, folder)


def _threshold(incomes: Incomes) -> dict[str, Any]:
    rng = np.random.default_rng([_SEED, 0])
    half = _THRESHOLD.inverse_rate / 2
    return {
        "source": incomes.source,
        "query": f"a threshold at T = {_THRESHOLD.at:,} USD, 1/ε = {_THRESHOLD.inverse_rate:,} USD, "
        f"C = {_THRESHOLD.distance:,} USD",
        **_measured(
            contenders(_THRESHOLD),
            _THRESHOLD.query,
            (incomes.values, incomes.weights),
            lambda: incomes.draw(_SMALL, rng),
            (np.array(_THRESHOLD.at - half), np.array(_THRESHOLD.at + half), 2 * half),
            rng,
        ),
    }


def _kernel(places: Places) -> dict[str, Any]:
    rng = np.random.default_rng([_SEED, 1])
    bandwidth = _bandwidth()
    query, rate = GaussianKernel(_CENTER, bandwidth, CITY), 1 / _INVERSE
    asked: dict[str, Asked] = {
        "LDP": (LocalLaplace.calibrate(query, rate, KDE_DISTANCE), query),
        "M0": (InputLaplace.calibrate(CITY, rate, "plain"), query),
        "M1": (CoordinateLaplace.calibrate(query, rate, "plain"), query),
        "M2": (LipschitzLaplace.calibrate(query, rate), query),
        "M3": (SmoothT.calibrate(query, rate), query),
        "LeastScaleT": (LeastScaleT.calibrate(query, rate), query),
        "Table": (Table.calibrate(query, rate), query),
        "Lattice": (Lattice.calibrate(CITY, rate, queries=[query]), query),
        "InputLaplace": (InputLaplace.calibrate(CITY, rate), query),
    }
    some = places.draw(min(_PEOPLE, len(places.values)), rng)
    # a pair where the kernel is steepest, 1/ε apart to the north
    north = np.degrees(1 / CITY.radius) * np.array([bandwidth - _INVERSE / 2, bandwidth + _INVERSE / 2])
    first, second = (np.array([_CENTER[0] + up, _CENTER[1]]) for up in north)
    distance = float(np.linalg.norm(CITY.read(first) - CITY.read(second)))
    return {
        "source": places.source,
        "query": f"a Gaussian kernel at ({_CENTER[0]}, {_CENTER[1]}), h = {bandwidth:,} m, 1/ε = {_INVERSE:,} m, "
        f"C = {KDE_DISTANCE:,} m",
        **_measured(
            asked,
            query,
            (some, np.full(len(some), 1 / len(some))),
            lambda: some[rng.integers(0, len(some), _SMALL)],
            (first, second, distance),
            rng,
        ),
    }


def _lemma() -> dict[str, Any]:
    return {"scales": [against_truth(_bandwidth(), inverse) for inverse in _INVERSES]}


def _bandwidth() -> float:
    """The paper's h: the diagonal of a cell of its grid, here in whole metres on the ground."""
    low, high = CITY.rectangle
    return math.floor(math.hypot(*((b - a) / (KDE_GRID - 1) for a, b in zip(low, high, strict=True))))


def _measured(
    asked: dict[str, Asked],
    query: Query,
    law: tuple[FloatArray, FloatArray],
    draw_people: Callable[[], FloatArray],
    pair: tuple[FloatArray, FloatArray, float],
    rng: np.random.Generator,
) -> dict[str, Any]:
    """The rows of the table, formulas checked by simulation."""
    x, weights = law
    rows, checks = {}, []
    for name, (mechanism, answered) in asked.items():
        own, noise = mechanism.moments(x, answered)
        off = own + answered(x) - query(x)
        bias = float(weights @ off)
        variance = float(weights @ noise + weights @ (off - bias) ** 2)
        simulated = moments_of(survey_errors((mechanism, answered), query, draw_people, _SURVEYS, rng))
        checks.append(squared_error_check(f"{name}, n = {_SMALL:,}", bias, variance / _SMALL, simulated))
        found = audit_mechanism(mechanism)
        discrete = mechanism.guarantee.metric == "discrete"
        first, second, distance = pair
        seen = audit_black_box(
            partial(_one_number, mechanism, rng),
            first,
            second,
            mechanism.guarantee.epsilon,
            _SAMPLES,
            distance=1.0 if discrete else distance,
        )
        rows[name] = {
            "promise": "ε·C, however far apart" if discrete else "ε·dist",
            "audited": found.worst_ratio,
            "passed": found.passed and seen.passed,
            "seen": seen.ratio,
            "bias": bias,
            "largest_bias": float(np.abs(off).max()),
            "variance": variance,
            "entry": _entry(name, mechanism, query, off, x, weights),
            "simulated": simulated,
        }
    return {"people": _SMALL, "samples": _SAMPLES, "rows": rows, "checks": checks}


def _one_number(mechanism: Mechanism, rng: np.random.Generator, x: Any) -> FloatArray:
    """Reports as one number each: of a point its last axis (north), which can only show less."""
    values = np.asarray(mechanism.simulate(x, rng))
    return values if values.ndim == 1 else values[:, -1]


def _entry(
    name: str, mechanism: Mechanism, query: Query, off: FloatArray, x: FloatArray, weights: FloatArray
) -> float | None:
    """The paper's entry for n times the variance, as its Table 1 states it; None for what it does not list."""
    low, high = query.profile.bounds
    match name, mechanism:
        case "LDP", _:
            return ((high - low) / mechanism.guarantee.epsilon) ** 2
        case "M0", _:
            return float(weights @ off**2)
        case "M2", _:
            return (query.profile.lipschitz / mechanism.guarantee.epsilon) ** 2
        case "M3", SmoothT():
            sensitivity = mechanism.scale(query.coordinate(x)) * mechanism.eta
            return float(weights @ sensitivity**2) / mechanism.guarantee.epsilon**2
    return None
