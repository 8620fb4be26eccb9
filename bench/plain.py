"""How often plain answers hold the plain truth, and how long they are beside the soft ones.

Run it:  python bench/plain.py ca_income.parquet nyc_collisions.parquet [--surveys 2000] [--json]

Counts of reports are drawn from the exact law of a report of a person drawn at random from the file; each plan has seen
nothing of it. Without files the people are quantiles of the published log-normal fit, and a synthetic city.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.commands.populations import INCOME_MU, INCOME_SIGMA, income_quantiles, read_columns, synthetic_city
from geopriv.spaces.checks import FloatArray
from geopriv_paper.benchmarks.plain_coverage import CellLaw, plain_coverage, soft_coverage

USD = gp.Line("USD")
CITY = gp.LocalPlane(south=40.49, west=-74.27, north=40.93, east=-73.68)
PLACES = Path(__file__).parents[1] / "examples" / "crashes" / "places.geojson"
ATOM = 0.01  # of the people, put on the threshold
SOFT = 400  # surveys at most for the soft answers, whose laws have many more kinds of reports
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


def crashes(points: FloatArray, surveys: int) -> Iterator[Row]:
    """Four areas, even people being all that a plan knows."""
    weights = np.full(len(points), 1 / len(points))
    features = json.loads(PLACES.read_text(encoding="utf-8"))["features"]
    for length in (500.0, 2_000.0):
        for n in (2_000, 20_000, len(points)):
            asked = tuple(
                gp.Share(place["properties"]["name"], gp.Blurred(gp.Geofence(place, length, CITY), length))
                for place in features
            )
            plan = gp.plan(gp.Survey("crashes", CITY, 1 / length, asked, n))
            yield from rows(f"crashes, 1/ε = {length:,.0f} m", plan, points, weights, surveys)


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
            "plain_by_soft": _plain_by_soft(law, query, truth, n, surveys, rng),
        }


def _plain_by_soft(law: CellLaw, query: Any, truth: float, n: int, surveys: int, rng: Any) -> float:
    """How often the soft interval holds the plain truth: what was said before."""
    return soft_coverage(law, query, truth, n, min(surveys, SOFT), rng).covered


def _normal(u: FloatArray) -> FloatArray:
    from scipy import special

    return np.asarray(special.ndtri(u))


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--surveys", type=int, default=2_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    values, weights = income_quantiles(50_000), np.full(50_000, 1 / 50_000)
    places = synthetic_city(200_000, np.random.default_rng(0))
    if given.files:
        values, counts = read_columns(given.files[0], ("income", "weight"))
        values, weights = np.clip(values, 0.0, 2e6), counts / counts.sum()
    if len(given.files) > 1:
        places = np.stack(read_columns(given.files[1], ("lat", "lon")), axis=1)
    points = CITY.read(places)
    found = [*incomes(values, weights, given.surveys), *crashes(points, given.surveys)]
    if given.json:
        print(json.dumps(found))
        return
    print(f"{given.surveys:,} surveys each; 95 % nominal. Half lengths in percentage points.")
    head = f"{'':34}{'':32}{'n':>10}{'truth':>8}{'reach·ε':>8}{'plain held':>11}{'± plain':>9}{'predicted':>10}"
    print(f"{head}{'soft held':>10}{'± soft':>8}{'plain by soft':>15}")
    for row in found:
        print(
            f"{row['what']:34}{row['question']:32}{row['n']:>10,}{100 * row['truth']:>8.2f}{row['reach']:>8.2f}"
            f"{row['plain_covered']:>11.4f}{100 * row['plain_half']:>9.2f}{100 * row['plain_predicted']:>10.2f}"
            f"{row['soft_covered']:>10.3f}{100 * row['soft_half']:>8.2f}{row['plain_by_soft']:>15.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
