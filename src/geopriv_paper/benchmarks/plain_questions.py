"""How often plain answers hold the plain truth, and how long they are beside the soft ones, over many surveys.

Counts of reports are drawn from the exact law of a report of a person drawn at random; no plan has seen these people.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.commands.populations import INCOME_MU, INCOME_SIGMA
from geopriv.mechanisms.table.bracket_table import BracketTable
from geopriv.spaces.checks import FloatArray
from geopriv_paper.benchmarks.plain_coverage import CellLaw, plain_coverage, soft_coverage, table_coverage

USD = gp.Line("USD")
CITY = gp.LocalPlane(south=40.49, west=-74.27, north=40.93, east=-73.68)
ATOM = 0.01  # of the people, put on the threshold
SOFT = 2_000  # surveys at most for the soft answers, whose laws have many more kinds of reports
Row = dict[str, Any]


def incomes(values: FloatArray, weights: FloatArray, surveys: int) -> Iterator[Row]:
    """Three thresholds, of the people as they are and with one in a hundred on the middle one."""
    heaped = np.append(values, 100_000.0), np.append((1 - ATOM) * weights, ATOM)
    prior = gp.Prior.law(lambda u: np.exp(INCOME_MU + INCOME_SIGMA * _normal(u)))
    for who, (x, w) in {"incomes": (values, weights), "incomes, 1 % at 100,000": heaped}.items():
        for length in (8_000.0, 2_000.0):
            for n in (2_000, 20_000, len(values)):
                asked = tuple(
                    gp.Share(f"above {at:,}", gp.Threshold(at, 4 * length, USD, "smooth"))
                    for at in (50_000, 100_000, 200_000)
                )
                plan = gp.plan(gp.Survey("incomes", USD, 1 / length, asked, n, prior=prior))
                yield from rows(f"{who}, 1/ε = {length:,.0f} USD", plan, x, w, surveys)


def crashes(points: FloatArray, areas: Path, surveys: int) -> Iterator[Row]:
    """The areas of a GeoJSON file, even people being all that a plan knows."""
    weights = np.full(len(points), 1 / len(points))
    features = json.loads(areas.read_text(encoding="utf-8"))["features"]
    for length in (500.0, 2_000.0):
        for n in (2_000, 20_000, len(points)):
            asked = tuple(
                gp.Share(place["properties"]["name"], gp.Blurred(gp.Geofence(place, length, CITY), length))
                for place in features
            )
            plan = gp.plan(gp.Survey("crashes", CITY, 1 / length, asked, n))
            yield from rows(f"crashes, 1/ε = {length:,.0f} m", plan, points, weights, surveys)


def by_tables(values: FloatArray, weights: FloatArray, points: FloatArray, areas: Path, surveys: int) -> Iterator[Row]:
    """One threshold, and the areas with a table each, as a survey of nothing else is planned."""
    features = json.loads(areas.read_text(encoding="utf-8"))["features"]
    even = np.full(len(points), 1 / len(points))
    for n in (2_000, 20_000, len(values)):
        asked: tuple[gp.Share, ...] = (gp.Share("above 100,000", gp.Threshold(100_000, 32_000, USD)),)
        yield from _table_rows("incomes, 1/ε = 8,000 USD", USD, 1 / 8_000, asked, values, weights, n, surveys)
    for length in (500.0, 2_000.0):
        asked = tuple(gp.Share(f["properties"]["name"], gp.Geofence(f, 4 * length, CITY)) for f in features)
        for n in (2_000, 20_000, len(points)):
            what = f"crashes, 1/ε = {length:,.0f} m"
            yield from _table_rows(what, CITY, 1 / length, asked, points, even, n, surveys)


def _table_rows(
    what: str,
    space: gp.spaces.Space,
    rate: float,
    asked: tuple[gp.Share, ...],
    points: FloatArray,
    weights: FloatArray,
    n: int,
    surveys: int,
) -> Iterator[Row]:
    rng, each = np.random.default_rng(n), n // len(asked)
    for question in asked:
        table = BracketTable.for_plain(question.query, rate, each)
        assert question.query.plain_set is not None
        truth = float(weights @ (question.query.plain_set(points) <= 0))
        held = table_coverage(table, points, weights, truth, each, surveys, rng)
        numbers = {"truth": truth, "plain_covered": held.covered, "plain_half": held.half}
        yield {"what": what, "question": question.name, "n": n, **numbers}


def rows(
    what: str, plan: gp.surveys.SurveyPlan, points: FloatArray, weights: FloatArray, surveys: int
) -> Iterator[Row]:
    """A row for each question of a plan."""
    lattice, n, rng = plan.design.mechanisms[0], plan.survey.people, np.random.default_rng(plan.survey.people)
    assert isinstance(lattice, gp.Lattice)  # plain questions are answered by one
    law = CellLaw.of(lattice, points, weights)
    for question in plan.design.questions:
        (query,) = question.queries
        assert query.plain_set is not None
        truth = float(weights @ (query.plain_set(points) <= 0))
        held = plain_coverage(law, query, question.reach, truth, n, surveys, rng)
        soft = soft_coverage(law, query, float(weights @ query.answer(points)), n, min(surveys, SOFT), rng)
        yield {
            "what": what,
            "question": question.name,
            "n": n,
            "truth": truth,
            "reach": question.reach * plan.survey.epsilon,
            "plain_covered": held.covered,
            "plain_half": held.half,
            "plain_predicted": plan.plain[question.name],
            "soft_covered": soft.covered,
            "soft_half": soft.half,
            # how often the soft interval holds the plain truth, which it is not about
            "plain_by_soft": soft_coverage(law, query, truth, n, min(surveys, SOFT), rng).covered,
        }


def _normal(u: FloatArray) -> FloatArray:
    from scipy import special

    return np.asarray(special.ndtri(u))
