"""A panel: one part of a figure or table, computed once and kept as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Panel:
    """What is computed, and how.

    A result is plain JSON. Its keys, as far as it has them:

    * source: a sentence about the data; people: how many reported; inverse_rate: 1/ε.
    * expected: mechanism → {"error": the exact mean or average squared error, …}, with ε for each query as in the
      paper; one-way panels hold bias and variance of one person instead, since their error is a curve.
    * shared: the same at one ε a person for all queries together.
    * simulated: mechanism → what simulated surveys gave, with their repetitions.
    * floor: what no unbiased report could beat.
    * checks: formulas beside simulations, each made by `agreement.check`; the run fails where they disagree.

    Args:
        experiment: "one-way", "two-way", "kde" or "table1".
        name: short, unique in the experiment, safe as a file name.
        settings: plain JSON that decides the result; it is kept beside it, and its hash is part of the file's name.
        run: computes the result, plain JSON.
    """

    experiment: str
    name: str
    settings: dict[str, Any]
    run: Callable[[], dict[str, Any]]
