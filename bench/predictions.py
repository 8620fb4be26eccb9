"""Standard errors that `plan` predicts from public priors, beside those that real people would give.

Run it:  python bench/predictions.py [ca_income.parquet [nyc_collisions.parquet]] [--json]

Nothing is simulated: the realised error is that of the exact law of one report, averaged over the real people (noise at
each person's own value, and that the people are a sample), for the mechanism that the design holds. 20,000 crashes
stand for all. Debts are made up for real incomes with the paper's law.
Without files the people are those of examples/make_data.py, who follow the priors more closely than real ones do.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import geopriv as gp
from geopriv.commands.populations import income_quantiles, read_columns, synthetic_city
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.planning.predictions import lattice

EXAMPLES = Path(__file__).parents[1] / "examples"
HELD = 0.8, 1.25  # what predicted over realised must lie between
_MOST = 20_000  # people who stand for all on a map
Row = dict[str, Any]
People = tuple[FloatArray, FloatArray]


def realised(plan: gp.surveys.SurveyPlan, question: Question, people: People) -> FloatArray:
    """Standard errors of a question's estimates from people of these values and weights, as many as were planned."""
    if question.product is None:
        return np.array([_realised(plan, query, people) for query in question.queries])
    # thousands of kernels: all of them by products over the axes, on the grid of predictions, and the largest exactly
    points = plan.survey.space.read(people[0])
    work = replace(plan.plan.work, queries=tuple(question.queries), points=points, weights=people[1])
    noise, _ = lattice(work, work.rate)
    errors = np.asarray(np.sqrt((noise + work.answers[1]) / plan.survey.people))
    largest = int(errors.argmax())
    errors[largest] = _realised(plan, question.queries[largest], people)
    return errors


def _realised(plan: gp.surveys.SurveyPlan, query: gp.queries.Query, people: People) -> float:
    """By the mechanism that the design holds, at each person's own value."""
    values, weights = people
    bias, variance = plan.design.mechanisms[plan.design.answering(query)].moments(values, query)
    mean = query(values) + bias
    second = float(weights @ (variance + mean**2))
    return math.sqrt((second - float(weights @ mean) ** 2) / plan.survey.people)


def rows_of(name: str, people: People) -> list[Row]:
    """Predicted, realised and at worst for every question of an example: of many estimates the largest of each.

    The second ratio is that of the root mean squares over a question's estimates.
    """
    plan = gp.plan(gp.Survey.read(EXAMPLES / name / "survey.toml"))
    rows, stop = [], 0
    for question in plan.survey.questions:
        own = realised(plan, question, people)
        predicted, largest, start = plan.expected(question), float(own.max()), stop
        stop += len(own)
        squares = float(np.mean(plan.standard_errors()[start:stop] ** 2) / np.mean(own**2))
        row = {"example": name, "question": question.name, "estimates": len(own), "predicted": predicted}
        row |= {"realised": largest, "ratio": predicted / largest, "mean_ratio": math.sqrt(squares)}
        rows.append(row | {"worst": plan.worst(question)})
    return rows


def incomes(path: Path | None) -> People:
    """Households and their weights."""
    if path is None:
        return income_quantiles(20_001), np.full(20_001, 1 / 20_001)
    values, weights = read_columns(path, ("income", "weight"))
    return np.clip(values, 0.0, 2e6), weights / weights.sum()


def with_debts(people: People) -> People:
    """Households with debts of the paper's law, given their incomes: ten for each, evenly over what they may owe."""
    from scipy import special

    values, weights = people
    mu, sigma = 11.49399503122476, 0.8290709468895202
    z = (np.log(np.maximum(values, 1.0)) - mu) / sigma
    rest = special.ndtri((np.arange(10) + 0.5) / 10)
    logs = mu + math.log(1.791) + sigma * (0.4 * z[:, None] + math.sqrt(1 - 0.4**2) * rest)
    both = np.stack([np.repeat(values, 10), np.clip(np.exp(logs), 0.0, 4e6).ravel()], axis=-1)
    return both, np.repeat(weights / 10, 10)


def crashes(path: Path | None) -> People:
    """Places of crashes, some of them drawn without their dates."""
    if path is None:
        places = synthetic_city(_MOST, np.random.default_rng(1))
    else:
        every = np.stack(read_columns(path, ("lat", "lon")), axis=-1)
        places = every[np.random.default_rng(1).choice(len(every), _MOST, replace=False)]
    return places, np.full(len(places), 1 / len(places))


def main() -> None:
    """Predict, compute and print one table."""
    files = [Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    households = incomes(files[0] if files else None)
    people = {
        "incomes": households,
        "crashes": crashes(files[1] if len(files) > 1 else None),
        "income-debt": with_debts(households),
    }
    rows = [row for name, those in people.items() for row in rows_of(name, those)]
    if "--json" in sys.argv:
        print(json.dumps(rows, indent=2))
        return
    names = ("predicted", "realised", "ratio", "mean", "at worst")
    print(f"{'standard errors, percentage points':<64}" + "".join(f"{name:>10}" for name in names))
    for row in rows:
        errors = {name: f"{100 * row[name]:.4f}" for name in ("predicted", "realised", "worst")}
        ratios = (f"{row['ratio']:.2f}", f"{row['mean_ratio']:.2f}")
        cells = (errors["predicted"], errors["realised"], *ratios, errors["worst"])
        print(f"{row['example'] + ': ' + row['question']:<64}" + "".join(f"{cell:>10}" for cell in cells))
    every = [row["ratio"] for row in rows]
    held = sum(HELD[0] <= ratio <= HELD[1] for ratio in every)
    within = f"{held} of {len(every)} within {HELD[0]}–{HELD[1]}"
    print(f"\nPredicted over realised: {min(every):.2f} to {max(every):.2f}; {within}.")


if __name__ == "__main__":
    main()
