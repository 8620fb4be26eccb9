"""Surveys that were answered, for tests of what is made of answers: synthetic people, simulated reports."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import shapely

import geopriv as gp
from geopriv.commands.populations import synthetic_city, synthetic_incomes

HASH = "3f9c" * 16
USD = gp.Line("USD")
CITY = gp.LocalPlane(40.5, -74.3, 40.95, -73.65)
FENCES = {
    "Old town": [(-73.99, 40.68), (-73.92, 40.67), (-73.90, 40.72), (-73.95, 40.74), (-74.0, 40.72)],
    "Harbour": [(-73.86, 40.73), (-73.80, 40.74), (-73.81, 40.79), (-73.87, 40.78)],
    "Far marsh": [(-74.22, 40.86), (-74.17, 40.86), (-74.17, 40.90), (-74.22, 40.90)],
}


def answer(
    question: gp.queries.Question, values: Any, errors: Any, n: int, bias: float = 0.0, reach: float = 3.5
) -> gp.answers.Answer:
    """With a band of so many standard errors for curves and maps."""
    value, error = np.asarray(values, dtype=float), np.asarray(errors, dtype=float)
    estimates = gp.answers.Estimates(value, error, n, bias, 0.95)
    band = gp.answers.Band(value - reach * error, value + reach * error) if question.shape else None
    return gp.answers.Answer(question, estimates, band)


@cache
def incomes(people: int = 200_000, seed: int = 0) -> gp.Answers:
    """Three shares and a curve of 60 thresholds from one lattice report a person."""
    shares = [
        gp.Share("Above 100,000 USD", gp.Threshold(100_000, 16_000, USD, "smooth")),
        gp.Share("Middle: 50,000 to 150,000 USD", gp.Range(50_000, 150_000, 16_000, space=USD, edge="smooth")),
        gp.Share("Above 2 million USD", gp.Threshold(2_000_000, 16_000, USD, "smooth")),
    ]
    curve = gp.Distribution("Distribution of household income", tuple(np.linspace(5_000, 300_000, 60)), 32_000, USD)
    lattice = gp.Lattice.calibrate(USD, "1 per 8,000 USD", step=700.0)
    reports = lattice.simulate(synthetic_incomes(people, np.random.default_rng(seed)), np.random.default_rng(seed + 1))
    answers = []
    for question in (*shares, curve):
        found = gp.estimate(lattice, reports, question)
        answers.append(answer(question, found.values, found.standard_errors, people, found.bias, 2.9))
    rejected = {"repeated id": 12, "wrong design": 3}
    return gp.Answers("Household incomes", HASH, lattice.guarantee, USD, tuple(answers), people, rejected)


@cache
def city(people: int = 300_000, seed: int = 0, side: int = 61) -> gp.Answers:
    """A map and three geofences from one lattice report a person."""
    shares = [
        gp.Share(name, gp.Blurred(gp.Geofence(shapely.Polygon(corners), 200.0, CITY), 800.0))
        for name, corners in FENCES.items()
    ]
    chart = gp.DensityMap(
        "Where people were", 1_500.0, (-22_000, -21_000), (22_000, 21_000), CITY, columns=side, rows=side
    )
    lattice = gp.Lattice.calibrate(CITY, "1 per 1 km", step=100.0)
    reports = lattice.simulate(synthetic_city(people, np.random.default_rng(seed)), np.random.default_rng(seed + 1))
    answers = []
    for question in (*shares, chart):
        found = gp.estimate(lattice, reports, question)
        answers.append(answer(question, found.values, found.standard_errors, people, found.bias, 4.2))
    return gp.Answers("A made-up city", HASH, lattice.guarantee, CITY, tuple(answers), people)
