"""One-way thresholds: the mean squared error of every mechanism against the number of people (figures 4 and 7)."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.mechanisms import InputLaplace, Lattice, Table
from geopriv.proofs.floors import least_variance, lower_bound
from geopriv.queries import Threshold
from geopriv.queries.priors import Prior
from geopriv.smooth import LeastScaleT, LipschitzLaplace, LocalLaplace, SmoothT
from geopriv_paper.agreement import moments_of, squared_error_check
from geopriv_paper.datasets import Data, Incomes, read_incomes
from geopriv_paper.panel import Panel
from geopriv_paper.settings import (
    ONE_WAY_PEOPLE,
    ONE_WAY_REPETITIONS,
    OneWay,
    one_way_settings,
)
from geopriv_paper.simulation import Asked, survey_errors
from geopriv_paper.surveys import survey_rounds

NAME = "one-way"
PAPERS = ("LDP", "M0", "M2", "M3")
OURS = ("LeastScaleT", "Lattice", "InputLaplace", "Table")
_SMALL = 20_000  # people of the simulated surveys of our mechanisms; they add up to larger ones
_SURVEYS = {False: 200, True: 3_200}  # how many of them, quick and full
_QUICK = 10  # repetitions of the paper's, instead of 500
_SHOWN = 10  # repetitions, at least, of a size that is kept
_SEED = 6
_THEORY = ["T5″", "T12"]  # of tables and floors: a result of others is not kept
_AGAIN = ("T10000-800", "T100000-8000", "T100000-20000", "T1000000-48000")  # those of the theory's table


def contenders(setting: OneWay) -> dict[str, Asked]:
    """Every mechanism with the query that its reports answer.

    Noise on the input can be undone for smooth queries only, so InputLaplace is asked for a smoothstep that rises over
    √2·τ: its slope has the same mean and variance as that of the ramp. What is left of a difference is counted as bias.
    """
    query, rate = setting.query, setting.rate
    soft = Threshold(setting.at, math.sqrt(2) * query.width, edge="smooth")
    return {
        "LDP": (LocalLaplace.calibrate(query, rate, setting.distance), query),
        "M0": (InputLaplace.calibrate(query.space, rate, "plain"), query),
        "M2": (LipschitzLaplace.calibrate(query, rate), query),
        "M3": (SmoothT.calibrate(query, rate), query),
        "LeastScaleT": (LeastScaleT.calibrate(query, rate), query),
        "Table": (Table.calibrate(query, rate), query),
        "Lattice": (Lattice.calibrate(query.space, rate, queries=[query]), query),
        "InputLaplace": (InputLaplace.calibrate(query.space, rate), soft),
    }


def expected(setting: OneWay, incomes: Incomes) -> dict[str, Any]:
    """Exact bias and variance of one person's contribution, drawn at random, and the floor under each variance (T7).

    The error of n people, drawn anew for each survey, has the mean square bias² + variance/n: a person's own bias
    differs from the mean, which is part of the variance.
    """
    x, weights = incomes.values, incomes.weights
    found, query = {}, setting.query
    for name, (mechanism, answered) in contenders(setting).items():
        own, noise = mechanism.moments(x, answered)
        off = own + answered(x) - query(x)
        bias = float(weights @ off)
        found[name] = {"bias": bias, "variance": float(weights @ noise + weights @ (off - bias) ** 2)}
    return {"expected": found, "floor": float(weights @ lower_bound(query, setting.rate, x))}


def with_least(setting: OneWay, incomes: Incomes) -> dict[str, Any]:
    """The same, with the floor under the variance of a report for all of the people at once (theory T12)."""
    people = Prior(incomes.values, incomes.weights)
    return expected(setting, incomes) | {"least": least_variance(setting.query, setting.rate, people)}


def mean_squared_error(numbers: dict[str, float], people: int) -> float:
    """The value bias² + variance/n."""
    return numbers["bias"] ** 2 + numbers["variance"] / people


def panels(data: Data, full: bool) -> list[Panel]:
    """Twelve settings by formula, our mechanisms simulated in each; the paper's in rounds that all settings share."""
    settings, incomes, synthetic = one_way_settings(), data.incomes, read_incomes()
    plan = {"incomes": incomes.fingerprint, "people": _SMALL, "surveys": _SURVEYS[full], "seed": _SEED}
    plan |= {"theory": _THEORY}
    found = [Panel(NAME, one.name, plan, partial(_panel, one, incomes, _SURVEYS[full])) for one in settings]
    found += survey_rounds(incomes, settings, ONE_WAY_REPETITIONS if full else _QUICK, _SEED)
    some = [one for one in settings if one.name in _AGAIN]
    again = {"incomes": synthetic.fingerprint, "theory": _THEORY}
    found.append(Panel(NAME, "log-normal", again, partial(_again, some, synthetic)))
    return found


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """The paper's two figures, and our mechanisms on the same panels."""
    from geopriv_paper.figures.one_way import draw as pictures

    return pictures(results, folder)


def _panel(setting: OneWay, incomes: Incomes, surveys: int) -> dict[str, Any]:
    exact = with_least(setting, incomes)
    rng = np.random.default_rng([_SEED, setting.at, setting.inverse_rate])
    asked = contenders(setting)
    sizes = [_SMALL, *(size for size in ONE_WAY_PEOPLE if surveys * _SMALL >= _SHOWN * size)]
    simulated, checks = {}, []
    for name in OURS:
        errors = survey_errors(asked[name], setting.query, lambda: incomes.draw(_SMALL, rng), surveys, rng)
        simulated[name] = {str(size): moments_of(errors.reshape(-1, size // _SMALL).mean(axis=1)) for size in sizes}
        numbers = exact["expected"][name]
        checks.append(
            squared_error_check(
                f"{name}, n = {_SMALL:,}", numbers["bias"], numbers["variance"] / _SMALL, simulated[name][str(_SMALL)]
            )
        )
    return {
        "source": incomes.source,
        "at": setting.at,
        "inverse_rate": setting.inverse_rate,
        "distance": setting.distance,
        "width": setting.query.width,
        **exact,
        "simulated": simulated,
        "checks": checks,
    }


def _again(settings: list[OneWay], incomes: Incomes) -> dict[str, Any]:
    """The formulas on another law of incomes, which needs no file: what anyone can recompute."""
    return {"source": incomes.source, "settings": {one.name: with_least(one, incomes) for one in settings}}
