"""One question, one population, every mechanism."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from geopriv.answers.estimate import estimate
from geopriv.answers.estimates import Estimate
from geopriv.commands.populations import synthetic_incomes
from geopriv.mechanisms import CoordinateLaplace, InputLaplace, Lattice, Mechanism, Table
from geopriv.proofs.floors import efficiency, has_floor
from geopriv.queries import Query, Threshold
from geopriv.smooth import (
    LeastScaleT,
    LipschitzLaplace,
    LocalLaplace,
    SmoothCauchy,
    SmoothLaplace,
    SmoothT,
    VectorSmoothCauchy,
)
from geopriv.spaces import Line
from geopriv.spaces.checks import FloatArray, count, positive

DELTA = 1e-6
_BLUE, _ORANGE = "#1f5fa8", "#c2571a"  # told apart with every kind of colour vision


@dataclass(frozen=True)
class Outcome:
    """What one mechanism made of the question.

    Args:
        name: of the mechanism.
        note: what to know about it in a few words.
        estimate: with its interval.
        bias: predicted, exact.
        predicted_error: root of predicted variance and squared bias, exact.
        error: estimate minus truth.
        efficiency: the floor under its variance over its variance; None where no floor is known.
    """

    name: str
    note: str
    estimate: Estimate
    bias: float
    predicted_error: float
    error: float
    efficiency: float | None


@dataclass(frozen=True)
class Comparison:
    """The question, the truth and what every mechanism answered."""

    query: Threshold
    epsilon: float
    people: int
    truth: float
    outcomes: tuple[Outcome, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain numbers, for machines."""
        return {
            "question": f"share of households above {self.query.at:g} USD, soft over {self.query.width:g} USD",
            "people": self.people,
            "epsilon_per_usd": self.epsilon,
            "truth": self.truth,
            "mechanisms": [_plain(outcome) for outcome in self.outcomes],
        }


def _plain(outcome: Outcome) -> dict[str, Any]:
    numbers = asdict(outcome)
    if math.isnan(outcome.estimate.bias):
        numbers["estimate"]["bias"] = None  # JSON has no not-a-number
    return numbers


def compare_mechanisms(people: int, at: float, width: float, epsilon: float | str, seed: int) -> Comparison:
    """The share of households above a threshold, by every mechanism, on the embedded population.

    Args:
        people: how many report.
        at: threshold in USD.
        width: of the soft threshold in USD.
        epsilon: per USD, as a number or a sentence.
        seed: of the population and of the simulated noise.
    """
    count("compare_mechanisms", "people", people, least=2)
    space = Line("USD")
    rate = space.rate(epsilon)
    query = Threshold(positive("compare_mechanisms", "at", at), width, space)
    rng = np.random.default_rng(seed)
    incomes = synthetic_incomes(people, rng)
    truth = float(query(incomes).mean())
    both = (query, Threshold(at / 2, min(width, at / 5), space))
    # a study draws with fast floats; only `simulate` exists for it, and its results cannot be submitted as reports
    mechanisms: list[tuple[str, str, Mechanism]] = [
        ("LipschitzLaplace", "the same noise for everyone (M2)", LipschitzLaplace.calibrate(query, rate)),
        ("SmoothT", "noise by smooth sensitivity (M3)", SmoothT.calibrate(query, rate)),
        ("LeastScaleT", "the least Student-t noise there is", LeastScaleT.calibrate(query, rate)),
        ("Table", "the best report of a few values", Table.calibrate(query, rate)),
        ("SmoothCauchy", "smooth sensitivity, other noise", SmoothCauchy.calibrate(query, rate)),
        ("SmoothLaplace", f"approximate, δ = {DELTA:g}", SmoothLaplace.calibrate(query, rate, DELTA)),
        ("VectorSmoothCauchy", f"two thresholds at once, also {at / 2:g}", VectorSmoothCauchy.calibrate(both, rate)),
        ("Lattice", "whole numbers; answers any question", Lattice.calibrate(space, rate, queries=[query])),
        ("InputLaplace", "plain noise on the income (M0)", InputLaplace.calibrate(space, rate, "plain")),
        ("CoordinateLaplace", "plain noise on the coordinate (M1)", CoordinateLaplace.calibrate(query, rate, "plain")),
        (
            "LocalLaplace",
            "another promise: LDP, ε' = 1.5",
            LocalLaplace.calibrate(query, rate, distance=1.5 / rate),
        ),
    ]
    outcomes = tuple(_outcome(name, note, m, query, incomes, truth, rng) for name, note, m in mechanisms)
    return Comparison(query, rate, people, truth, outcomes)


def _outcome(
    name: str, note: str, mechanism: Mechanism, query: Query, x: FloatArray, truth: float, rng: np.random.Generator
) -> Outcome:
    answer = estimate(mechanism, mechanism.simulate(x, rng), query)
    bias, variance = mechanism.moments(x, query)
    predicted = math.sqrt(variance.mean() / x.size + bias.mean() ** 2)
    return Outcome(
        name, note, answer, float(bias.mean()), predicted, answer.value - truth, _efficiency(mechanism, query, x)
    )


def _efficiency(mechanism: Mechanism, query: Query, x: FloatArray) -> float | None:
    """Over two thousand quantiles, which stand for everyone; of all its queries together for a vector."""
    if not has_floor(mechanism):
        return None
    few = np.quantile(x, (np.arange(2000) + 0.5) / 2000)
    return efficiency(mechanism, few, None if isinstance(mechanism, VectorSmoothCauchy) else query)


def draw_comparison(found: Comparison, path: Path) -> None:
    """A picture of the estimates with their intervals against the truth, and of the predicted errors."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(11, 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=[3, 2], sharey=True)
    rows = np.arange(len(found.outcomes))[::-1]
    for row, outcome in zip(rows, found.outcomes, strict=True):
        answer = outcome.estimate
        colour = _BLUE if answer.unbiased else _ORANGE
        left.plot([100 * answer.low, 100 * answer.high], [row, row], color=colour, lw=2.5, solid_capstyle="butt")
        left.plot([100 * answer.value], [row], "o", color=colour, ms=7)
        right.barh(row, 100 * outcome.predicted_error, color=colour, height=0.5)
        right.plot([100 * abs(outcome.error)], [row], "D", color="black", ms=5)
    left.axvline(100 * found.truth, color="black", lw=1, ls="--")
    left.set_yticks(rows, [f"{o.name}\n{o.note}" for o in found.outcomes], fontsize=8.5)
    left.set_xlabel("estimated share, % (dashed: the truth)")
    left.set_title("Estimates with 95 % intervals", fontsize=11)
    right.set_xlabel("percentage points")
    right.set_title("Error: predicted (bar), actual (diamond)", fontsize=11)
    keys = [Patch(color=_BLUE, label="unbiased"), Patch(color=_ORANGE, label="biased estimator")]
    figure.legend(handles=keys, fontsize=9, loc="outside lower left", ncols=2, frameon=False)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="x", alpha=0.3)
    figure.suptitle(
        f"Share of households above {found.query.at:,.0f} USD · {found.people:,} people · "
        f"ε = 1 per {1 / found.epsilon:,.0f} USD · synthetic population",
        fontsize=12,
    )
    figure.savefig(path, dpi=140, format="png")
