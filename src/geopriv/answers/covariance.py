"""A covariance of two axes: that of the reported cells, since their noise is independent."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from geopriv.answers import nowhere
from geopriv.answers.answers import Answer, Band
from geopriv.answers.estimates import Estimates
from geopriv.answers.pools import Pool
from geopriv.answers.units import of_values
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.lattice.cells import Cells
from geopriv.queries.covariance import Covariance
from geopriv.spaces.checks import FloatArray, invalid

areas, places = nowhere.areas, nowhere.places


def consistent(question: Covariance, estimates: Estimates) -> FloatArray:
    """As it is: a covariance may be any number."""
    return np.asarray(estimates.values)


def at_once(mechanism: Mechanism, reports: object, question: Covariance, confidence: float, shrink: bool) -> Estimates:
    """Refused, since a covariance is no mean of contributions."""
    raise invalid("estimate", "query", "asked in a design", question.name)


def unit(question: Covariance, who: str) -> tuple[float, str]:
    """In the square of the unit of values."""
    return 1.0, f"{of_values(question)}²"


def answer(question: Covariance, pool: Pool, confidence: float, usual: Callable[[], Answer]) -> Answer:
    """The sample covariance of reported positions, unbiased, with the interval of the delta method.

    With u and v the reported positions, E[(u − E u)(v − E v)] = Cov(x, y): given (x, y) both are unbiased and
    independent. The error is that of the mean of the products (u − ū)(v − v̄).

    Args:
        question: what is asked.
        pool: of the reports, unweighted.
        confidence: of the interval.
        usual: the answer as that of any query, which is not used.

    Raises:
        ReportRejected: where there are fewer than two reports.
    """
    index = pool.design.answering(question.queries[0])
    lattice = cast("Cells", pool.design.mechanisms[index])  # tables answer shares only
    if pool.weighted:
        rule = "False (--unweighted) with a covariance, which is no mean that could be weighted"
        raise invalid("estimate", "weighted", rule, question.name)
    ((_, counts),) = pool.parts(index, question)
    n, times = counts.n, counts.times
    cells = counts.rows[:, list(question.axes)].astype(np.float64)
    centred = lattice.step * (cells - times @ cells / n)
    products = centred.prod(axis=1)
    value = float(times @ products) / (n - 1)
    spread = float(times @ (products - times @ products / n) ** 2) / (n - 1)
    estimates = Estimates(np.asarray(value), np.asarray(np.sqrt(spread / n)), n, 0.0, confidence)
    return Answer(question, estimates, plain=Band(estimates.low, estimates.high))
