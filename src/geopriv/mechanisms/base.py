"""What a mechanism says of itself."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.loss.worst import WorstLoss
from geopriv.mechanisms.reports import Reports, Simulated
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.queries import Query
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid


class Sampler(Protocol):
    """How a part of a report is made from rows of exact numbers."""

    @property
    def steps(self) -> tuple[float, ...]:
        """Of the public grid, one for each component; none where values are not on a grid."""

    def draw(self, rows: FloatArray, source: Source) -> FloatArray:
        """One exact report a row, shape (n, components)."""


class Mechanism(ABC):
    """A randomised release of one person's value with a guarantee."""

    guarantee: Guarantee
    space: Space

    @property
    @abstractmethod
    def unbiased(self) -> bool:
        """Whether the estimate from its reports is unbiased."""

    @property
    def asked(self) -> tuple[Query, ...]:
        """The queries that it was made for; none where a report can answer any."""
        return ()

    @property
    def has_target(self) -> bool:
        """Whether its reports estimate something without bias: the query itself, or what is near it."""
        return self.unbiased

    def target_of(self, query: Query) -> Query:
        """What its reports estimate without bias, if `has_target`, where a query is asked for."""
        return query

    def largest_bias(self, query: Query | None = None) -> float:
        """A bound on the bias of the estimate over all values, or the largest found; not-a-number where unknown."""
        return 0.0 if self.unbiased else math.nan

    @abstractmethod
    def moments(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        """Bias and variance of the estimate of a query, for each value.

        Raises:
            InvalidParameter: for a query that the reports do not answer.
        """

    @abstractmethod
    def simulate(self, x: Any, rng: np.random.Generator) -> Simulated:
        """One release for each value of x, from a seeded generator: the same on any number of cores."""

    @property
    @abstractmethod
    def report_shape(self) -> tuple[int, ...]:
        """Of one report."""

    @abstractmethod
    def releases(self) -> Sequence[Sampler]:
        """How a report is made; several parts are drawn one after the other, with their own noise.

        Raises:
            InvalidParameter: for a query whose answer or noise scale has no enclosure.
        """

    def report(self, x: Any) -> Reports:
        """What each person sends: exact, from a cryptographic generator, on a public grid.

        Guarantee: `guarantee`, for every float x: a report is the exact rounding of the ideal release.

        Raises:
            InvalidParameter: for a query whose answer or noise scale has no enclosure.

        Reference: docs/exactness.md.
        """
        return self.report_from(ENTROPY, x)

    def report_from(self, source: Source, x: Any) -> Reports:
        """`report` from a given source of random bits, for samplers that are checked."""
        rows, shape = self.space.read_rows(x)
        parts = self.releases()
        drawn = [part.draw(rows, source) for part in parts]
        values = drawn[0] if len(drawn) == 1 else np.concatenate(drawn, axis=1)
        return Reports(values.reshape((*shape, *self.report_shape)), sum((part.steps for part in parts), ()))

    @abstractmethod
    def worst_loss(self) -> WorstLoss:
        """The largest privacy loss of the law that it states, relative to what it promises."""

    @abstractmethod
    def contributions(self, reports: FloatArray, query: Query | None) -> FloatArray:
        """What each report adds to the mean that estimates the query."""

    def distinct(self, reports: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same reports with how often each came, where many are alike; else all of them, each once."""
        return reports, np.ones(1)


class OfOneQuery(Mechanism):
    """A mechanism whose reports answer the one query that it was made for."""

    query: Query

    @property
    def space(self) -> Space:  # type: ignore[override] # nobody may set it
        """Where values live."""
        return self.query.space

    @property
    def asked(self) -> tuple[Query, ...]:
        return (self.query,)

    @property
    def report_shape(self) -> tuple[int, ...]:
        return ()

    @abstractmethod
    def bias(self, x: Any) -> FloatArray:
        """E[estimate] − f(x) for each value."""

    @abstractmethod
    def variance(self, x: Any) -> FloatArray:
        """The variance of what a report adds, for each value."""

    def moments(self, x: Any, query: Query) -> tuple[FloatArray, FloatArray]:
        if query != self.query:
            raise invalid(type(self).__name__, "query", "one that was asked", query)
        return self.bias(x), self.variance(x)

    def _require(self, query: Query | None) -> None:
        """Refuse to estimate another query than the one that was asked."""
        if query is not None and query != self.query:
            raise invalid("estimate", "query", f"the one that was asked, {self.query}", query)
