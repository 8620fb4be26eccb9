"""A panel: one part of a figure or table, computed once and kept as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Panel:
    """What is computed, and how.

    A result that holds both formulas and simulations lists what must agree under the key "checks", each made by
    `agreement.check`; the run fails where one does not.

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
