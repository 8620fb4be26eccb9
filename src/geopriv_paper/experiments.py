"""The experiments of the paper by name. A new one is one more line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from geopriv_paper import (
    kde,
    one_way,
    table1,
    two_way,
)
from geopriv_paper.datasets import Data
from geopriv_paper.panel import Panel


class Experiment(Protocol):
    """What a module of an experiment offers."""

    def panels(self, data: Data, full: bool) -> list[Panel]:
        """What is computed."""

    def draw(self, results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
        """Pictures of the results, as SVG and PNG files."""


EXPERIMENTS: dict[str, Experiment] = {
    "one-way": one_way,
    "two-way": two_way,
    "kde": kde,
    "table1": table1,
}
