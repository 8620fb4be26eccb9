"""One way to run a survey, and what error it would have."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from geopriv.spaces.checks import FloatArray, invalid

Arrangement = Literal["one report", "ε split", "people split", "shared report", "shared reports"]


Told = Callable[..., None]
"""Told what is done next and, where that is known, which share of the whole was done."""


def untold(doing: str, share: float | None = None) -> None:
    """For nobody who wants to be told."""


def asked_for(mechanisms: Sequence[str], known: Sequence[str]) -> list[str]:
    """Those that were asked for, in the order of all that are known.

    Raises:
        InvalidParameter: for none, and for one that is not known.
    """
    unknown = set(mechanisms) - set(known)
    if unknown or not mechanisms:
        raise invalid("plan", "mechanisms", f"names among {', '.join(known)}", sorted(unknown))
    return [name for name in known if name in mechanisms]


@dataclass(frozen=True, eq=False)
class Option:
    """A mechanism, and how K queries share one person's ε.

    Args:
        mechanism: its name.
        arrangement: "one report" (noise on the input answers everything), "ε split" (everyone answers everything, with
            ε/K each), "people split" (everyone answers one query, drawn before and independently of x), "shared report"
            (everyone answers all of them, which are far apart, in one report) or "shared reports" (everyone answers all
            of one class of far queries, drawn before and independently of x).
        variances: of each estimate around the mean over the people, of shape (K,).
        biases: of each estimate; a bound where only that is known.
        labelled_biased: whether the estimator is biased by its nature.
        bound_only: whether `variances` are only a floor under what it could reach; then it was not worth compiling.
    """

    mechanism: str
    arrangement: Arrangement
    variances: FloatArray = field(repr=False)
    biases: FloatArray = field(repr=False)
    labelled_biased: bool = False
    bound_only: bool = False

    @property
    def standard_errors(self) -> FloatArray:
        """Of each query."""
        return np.sqrt(self.variances)

    @property
    def error(self) -> float:
        """Root mean square error over the queries, biases included."""
        return math.sqrt(float(np.mean(self.variances + self.biases**2)))

    @property
    def worst_error(self) -> float:
        """The largest root mean square error of a query."""
        return math.sqrt(float(np.max(self.variances + self.biases**2)))

    @property
    def name(self) -> str:
        """Mechanism and arrangement."""
        return f"{self.mechanism}, {self.arrangement}"
