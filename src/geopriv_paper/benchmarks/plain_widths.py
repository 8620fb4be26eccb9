"""Half of the 95 % intervals of plain answers, beside those of the soft ones, from exact moments over real people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from geopriv.commands.populations import INCOME_MU, INCOME_SIGMA
from geopriv.mechanisms import Lattice
from geopriv.queries import Threshold
from geopriv.queries.priors import Prior
from geopriv.queries.questions import Share
from geopriv.spaces import Line
from geopriv.spaces.checks import FloatArray
from geopriv.surveys import Survey
from geopriv.surveys.planning import plan
from geopriv.surveys.planning.brackets import plain_half_width
from geopriv.surveys.planning.needs import REACH
from geopriv_paper.datasets import Incomes

USD = Line("USD")
AT, INVERSE_RATES, PEOPLE = (50_000, 100_000, 200_000), (8_000, 2_000), (2_000, 20_000, 141_199)


@dataclass(frozen=True)
class WidthPanel:
    """One threshold, 1/ε and number of people; shares, not percent.

    Args:
        at: the threshold.
        inverse_rate: 1/ε.
        people: who report.
        reach: over which the bracket fades, in units of 1/ε, as a plan chooses it under the published log-normal fit.
        plain: half of the plain interval.
        soft: half of the soft one, of an edge of 4/ε.
    """

    at: int
    inverse_rate: int
    people: int
    reach: float
    plain: float
    soft: float


def plain_widths(incomes: Incomes, each: Callable[[], None] = lambda: None) -> list[WidthPanel]:
    """Every threshold, rate and number of people, for a law of incomes."""
    values = np.clip(incomes.values, 0.0, 2e6)
    return [
        panel for length in INVERSE_RATES for n in PEOPLE for panel in _panels(values, incomes.weights, length, n, each)
    ]


def _panels(
    values: FloatArray, weights: FloatArray, length: int, people: int, each: Callable[[], None]
) -> Iterator[WidthPanel]:
    from scipy import special

    prior = Prior.law(lambda u: np.exp(INCOME_MU + INCOME_SIGMA * special.ndtri(u)))
    asked = tuple(Share(f"above {at}", Threshold(at, 4 * length, USD, "smooth")) for at in AT)
    found = plan(Survey("incomes", USD, 1 / length, asked, people, prior=prior))
    lattice = found.design.mechanisms[0]
    assert isinstance(lattice, Lattice)  # plain questions are answered by one
    for at, question in zip(AT, found.design.questions, strict=True):
        (query,) = question.queries
        plain = plain_half_width(lattice, query, question.reach, lattice.undoing.crowd(values, weights), people)
        mean = query(values)
        variance = float(weights @ (lattice.variance_at(values, query) + mean**2) - (weights @ mean) ** 2)
        soft = REACH * math.sqrt(variance / people)
        yield WidthPanel(at, length, people, question.reach / length, plain, soft)
    each()
