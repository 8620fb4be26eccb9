"""Simulated surveys of a map, person by person, beside the formulas; and one map of each mechanism to look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopriv.answers.estimate import estimate
from geopriv.mechanisms import InputLaplace, Lattice
from geopriv.queries import GaussianKernel
from geopriv.spaces.checks import FloatArray
from geopriv_paper.kernels import SPACE, Kernels
from geopriv_paper.moments import ratio_check

_SPLIT = ("M2", "LDP")  # see corner_surveys
_SPARSE = 0.01


def answer_checks(
    kernels: Kernels, names: tuple[str, ...], people: int, surveys: int, places: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Mechanisms that answer one query a report, each survey for a few places drawn at random; everyone answers all.

    Args:
        kernels: the formulas.
        names: of the mechanisms.
        people: of a survey.
        surveys: how many.
        places: in each survey.
        rng: of people, places and noise.
    """
    chosen = _near(kernels, (surveys, places), rng)
    errors = {name: np.empty((surveys, places)) for name in names}
    for k, own in enumerate(chosen):
        x = kernels.crowd.draw(people, rng)
        for j, place in enumerate(own):
            moved = x - kernels.crowd.centers[place]  # instead of the query
            truth = float(kernels.query(moved).mean())
            for name in names:
                errors[name][k, j] = _mean_report(kernels, name, moved, rng) - truth
    return [
        ratio_check(name, people, seen**2 / kernels.moments(name).squared_errors(people)[chosen])
        for name, seen in errors.items()
    ]


def split_checks(
    kernels: Kernels, people: int, surveys: int, places: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """The same where every person answers for one of all places."""
    chosen = _near(kernels, (surveys, places), rng)
    answering = people // len(kernels.crowd.centers)
    errors = {name: np.empty((surveys, places)) for name in _SPLIT}
    for k, own in enumerate(chosen):
        x = kernels.crowd.draw(people, rng)
        for j, place in enumerate(own):
            moved = x - kernels.crowd.centers[place]
            few = moved[j * answering : (j + 1) * answering]  # people are in no order
            for name in _SPLIT:
                errors[name][k, j] = _mean_report(kernels, name, few, rng) - float(kernels.query(moved).mean())
    return [
        ratio_check(name, people, seen**2 / kernels.moments(name).squared_errors(people, answering)[chosen], answering)
        for name, seen in errors.items()
    ]


def one_report_checks(
    kernels: Kernels, people: int, surveys: int, places: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Mechanisms where one report answers every place: the error at places drawn once, by direct sums.

    Args:
        kernels: the formulas.
        people: of a survey.
        surveys: how many.
        places: at which errors are averaged in every survey.
        rng: of people, places and noise.
    """
    chosen = _near(kernels, places, rng)
    queries = [GaussianKernel(tuple(center), kernels.bandwidth, SPACE) for center in kernels.crowd.centers[chosen]]
    mechanisms = kernels.inputs
    errors = {name: np.empty((surveys, places)) for name in mechanisms}
    for k in range(surveys):
        x = kernels.crowd.draw(people, rng)
        truth = np.array([query(x).mean() for query in queries])
        for name, mechanism in mechanisms.items():
            reports = np.asarray(mechanism.simulate(x, rng))
            errors[name][k] = [mechanism.contributions(reports, query).mean() for query in queries] - truth
    return [
        ratio_check(
            name,
            people,
            (seen**2).mean(axis=1) / float(kernels.moments(name).squared_errors(people)[chosen].mean()),
        )
        for name, seen in errors.items()
    ]


def map_checks(kernels: Kernels, people: int, surveys: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """The same for whole maps."""
    errors: dict[str, list[float]] = {name: [] for name in kernels.inputs}
    for _ in range(surveys):
        x = kernels.crowd.draw(people, rng)
        truth = true_map(kernels, x)
        for name, seen in input_maps(kernels, x, rng).items():
            errors[name].append(float(np.mean((seen - truth) ** 2)))
    return [
        ratio_check(name, people, np.array(seen) / float(kernels.moments(name).squared_errors(people).mean()))
        for name, seen in errors.items()
    ]


def true_map(kernels: Kernels, x: FloatArray) -> FloatArray:
    """The mean kernel of these people at every place, shape (rows, columns)."""
    plain = kernels.inputs["M0"]  # without noise, its estimate is the truth
    return _estimated(kernels, plain, x)


def input_maps(kernels: Kernels, x: FloatArray, rng: np.random.Generator) -> dict[str, FloatArray]:
    """One simulated map of each mechanism where one report answers every place."""
    return {name: input_map(kernels, name, x, rng) for name in kernels.inputs}


def input_map(kernels: Kernels, name: str, x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """One of them."""
    mechanism = kernels.inputs[name]
    return _estimated(kernels, mechanism, mechanism.simulate(x, rng))


def _estimated(kernels: Kernels, mechanism: InputLaplace | Lattice, reports: Any) -> FloatArray:
    crowd = kernels.crowd
    return estimate(mechanism, reports, kernels.query, at=(crowd.rows, crowd.columns)).values


def answer_maps(kernels: Kernels, truth: FloatArray, people: int, rng: np.random.Generator) -> dict[str, FloatArray]:
    """One map of each mechanism that answers one query a report, drawn by the normal law of a mean of so many reports.

    Simulating them takes 3,721 reports a person.
    """
    found = {}
    for name in ("M1", "M2", "M3", "LDP"):
        moments = kernels.moments(name)
        # far from everyone nothing is left but rounding errors
        spread = np.sqrt(np.maximum(moments.squared_errors(people) - moments.bias**2, 0.0))
        noise = moments.bias + spread * rng.standard_normal(spread.size)
        found[name] = truth + noise.reshape(truth.shape)
    return found


def shared_map(kernels: Kernels, name: str, x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """A simulated map where each person answers for one place with all of ε."""
    centers, crowd = kernels.crowd.centers, kernels.crowd
    place = rng.permutation(np.arange(len(x)) % len(centers))
    mechanism = kernels.mechanism(name)
    reports = mechanism.contributions(np.asarray(mechanism.simulate(x - centers[place], rng)), None)
    means = np.bincount(place, reports, len(centers)) / np.bincount(place, minlength=len(centers))
    return np.asarray(means.reshape(crowd.rows.size, crowd.columns.size))


def _near(kernels: Kernels, size: int | tuple[int, int], rng: np.random.Generator) -> Any:
    """Places drawn where the density is at least 1 % of the largest: elsewhere few surveys err, and then by much."""
    density = kernels.density
    return rng.choice(np.flatnonzero(density >= _SPARSE * density.max()), size)


def _mean_report(kernels: Kernels, name: str, x: FloatArray, rng: np.random.Generator) -> float:
    mechanism = kernels.mechanism(name)
    return float(mechanism.contributions(np.asarray(mechanism.simulate(x, rng)), None).mean())
