"""An answer with its error bar: one, and many from the same reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.answers.intervals import normal_reach
from geopriv.errors import OutOfDomain, ReportRejected
from geopriv.mechanisms.reports import Simulated
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.frames import as_array
from geopriv.spaces.shown import Shown


@dataclass(frozen=True)
class Estimate(Shown):
    """A mean with its uncertainty. There is no point estimate without an interval.

    Args:
        value: the estimate.
        standard_error: from the spread of the reports; infinite for a single report.
        low: lower end of the interval.
        high: upper end of the interval.
        n: reports.
        unbiased: False when the mechanism's estimate is biased: the interval then surrounds the wrong value.
        confidence: of the interval.
        bias: how large the bias can be, for whatever people hold; not-a-number where it is unknown.
    """

    value: float
    standard_error: float
    low: float
    high: float
    n: int
    unbiased: bool
    confidence: float
    bias: float = math.nan

    def __str__(self) -> str:
        known = f" (bias at most {self.bias:.1g})" if math.isfinite(self.bias) else " (biased estimator)"
        label = "" if self.unbiased else known
        return f"{self.value:.6g} ± {self.standard_error:.2g}, [{self.low:.6g}, {self.high:.6g}], n = {self.n:,}{label}"


@dataclass(frozen=True, eq=False)
class Estimates(Shown):
    """Many means from the same reports (a map, a curve), each with its uncertainty; index it for single ones.

    Args:
        values: the estimates, of any shape.
        standard_errors: from the spread of the reports, of the same shape.
        n: reports; where each estimate has its own (people were split), the fewest.
        bias: a bound on |bias|; not-a-number when none is known.
        confidence: of the intervals, each for itself.
        binning_error: how far values may be from the sum over single reports.
    """

    values: FloatArray
    standard_errors: FloatArray
    n: int
    bias: float
    confidence: float
    binning_error: float = 0.0

    @property
    def unbiased(self) -> bool:
        """Whether no bias above 1e-6 is possible."""
        return self.bias <= 1e-6

    @property
    def low(self) -> FloatArray:
        """Lower ends of the intervals."""
        return self.values - normal_reach(self.confidence) * self.standard_errors

    @property
    def high(self) -> FloatArray:
        """Upper ends of the intervals."""
        return self.values + normal_reach(self.confidence) * self.standard_errors

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Estimate:
        """One of them.

        Raises:
            IndexError: for an index that is out of range.
            TypeError: for one that leaves more than one of them.
        """
        if np.shape(self.values[index]):
            raise TypeError(f"An index into estimates of shape {self.values.shape} must pick a single one.")
        value, error = float(self.values[index]), float(self.standard_errors[index])
        reach = normal_reach(self.confidence) * error
        return Estimate(value, error, value - reach, value + reach, self.n, self.unbiased, self.confidence, self.bias)


def read_reports(reports: Any) -> FloatArray:
    """Finite numbers, at least one.

    Raises:
        ReportRejected: for anything else.
    """
    try:
        values = np.asarray(reports.values if isinstance(reports, Simulated) else as_array(reports), dtype=np.float64)
    except OutOfDomain as error:
        raise ReportRejected(f"Reports cannot be read. {error}") from None
    except (TypeError, ValueError):
        raise ReportRejected("Reports must be numbers.") from None
    if values.ndim == 0 or values.size == 0:
        raise ReportRejected("There must be at least one report.")
    if not np.isfinite(values).all():
        raise ReportRejected("Reports must be finite numbers.")
    return values


def summary(shares: FloatArray, times: FloatArray, bias: float, confidence: float) -> Estimate:
    """The estimate from what reports add to the mean, each of them so many times.

    Args:
        shares: contributions.
        times: how often each was reported, or a single 1.
        bias: of the mechanism for the query.
        confidence: of the interval.
    """
    weights = np.broadcast_to(times, shares.shape)
    n = int(weights.sum())
    mean = float((weights * shares).sum()) / n
    spread = float((weights * (shares - mean) ** 2).sum())
    error = math.sqrt(spread / (n - 1) / n) if n > 1 else math.inf
    reach = normal_reach(confidence) * error
    return Estimate(mean, error, mean - reach, mean + reach, n, bias <= 1e-6, confidence, bias)
