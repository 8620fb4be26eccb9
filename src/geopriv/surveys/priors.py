"""The table [prior]: public knowledge of where people are. Each kind of prior is a table that builds itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from geopriv.queries.priors import Prior
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.part import Part
from geopriv.surveys.spaces import SpaceTable
from geopriv.surveys.tables import Table, Text


class UniformPrior(Table):
    """People are everywhere alike."""

    kind: Literal["uniform"] = Field(description="'uniform': evenly over the range or region")

    def build(self, table: SpaceTable, space: Space, part: Part, folder: Path) -> Prior:
        """The prior on a space, of which there is the table too."""
        return table.uniform(space)


class BracketsPrior(Table):
    """A published table of brackets."""

    kind: Literal["brackets"] = Field(description="'brackets': a published table")
    file: Text = Field(description="the path of a CSV file with a header, relative to the survey")
    shares: Text = Field(description="the column of counts or shares")
    low: Text = Field("bracket_min", description="the column of the brackets' lower ends")
    high: Text = Field("bracket_max", description="the column of the brackets' upper ends")
    end: float | None = Field(None, description="the number where an open-ended last bracket is taken to end")

    def build(self, table: SpaceTable, space: Space, part: Part, folder: Path) -> Prior:
        """The prior, clamped as people are."""
        low, high = _ends(self.kind, table, part)
        with part.explaining(path="file", edges="file"), part.reading("file", "a CSV file of brackets", self.file):
            prior = Prior.brackets(folder / self.file, self.shares, self.end, self.low, self.high)
            return Prior(np.clip(prior.values, low, high), prior.weights)


class LogNormalPrior(Table):
    """A log-normal law."""

    kind: Literal["lognormal"] = Field(description="'lognormal': a law of positive numbers")
    median: float = Field(gt=0, description="the median of the law, a number above 0")
    sigma: float = Field(gt=0, le=20, description="the standard deviation of the logarithm, above 0, at most 20")

    def build(self, table: SpaceTable, space: Space, part: Part, folder: Path) -> Prior:
        """The prior, clamped as people are."""
        low, high = _ends(self.kind, table, part)

        def quantile(u: FloatArray) -> FloatArray:
            with np.errstate(over="ignore"):  # what is out of range is clamped
                return np.clip(self.median * np.exp(self.sigma * _normal(u)), low, high)

        return Prior.law(quantile)


class NormalPrior(Table):
    """A normal law."""

    kind: Literal["normal"] = Field(description="'normal': the bell curve")
    mean: float = Field(description="the mean of the law, a number")
    sd: float = Field(gt=0, description="the standard deviation of the law, a number above 0")

    def build(self, table: SpaceTable, space: Space, part: Part, folder: Path) -> Prior:
        """The prior, clamped as people are."""
        low, high = _ends(self.kind, table, part)

        def quantile(u: FloatArray) -> FloatArray:
            with np.errstate(over="ignore"):  # what is out of range is clamped
                return np.clip(self.mean + self.sd * _normal(u), low, high)

        return Prior.law(quantile)


PriorTable = Annotated[UniformPrior | BracketsPrior | LogNormalPrior | NormalPrior, Field(discriminator="kind")]


def _ends(kind: str, table: SpaceTable, part: Part) -> list[float]:
    """The range of a space of one number; refuse others."""
    if len(table.limits) != 1 or table.kind == "euclidean":
        raise part.wrong("kind", f"'uniform' on a {table.kind}", kind)
    return table.limits[0]


def _normal(u: FloatArray) -> FloatArray:
    from scipy import special

    return np.asarray(special.ndtri(u))
