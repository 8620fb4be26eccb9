"""The table [prior]: public knowledge of where people are. Each kind of prior is a table that builds itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from geopriv.queries.priors import Prior, even_points
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.part import Part
from geopriv.surveys.places import AreasPrior, PointsPrior
from geopriv.surveys.spaces import SpaceTable
from geopriv.surveys.tables import Table, Text

Above = Annotated[float, Field(gt=0)]
Spread = Annotated[float, Field(gt=0, le=20)]


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
    """A log-normal law of one number, or of one for each axis."""

    kind: Literal["lognormal"] = Field(description="'lognormal': a law of positive numbers")
    median: Above | list[Above] = Field(
        description="the median of the law, a number above 0 or a list of one for each axis"
    )
    sigma: Spread | list[Spread] = Field(
        description="the standard deviation of the logarithm, above 0, at most 20, or a list of one for each axis"
    )
    correlation: float | None = Field(
        None, gt=-1, lt=1, description="the correlation of the two logarithms, between -1 and 1; 0 if left out"
    )

    def build(self, table: SpaceTable, space: Space, part: Part, folder: Path) -> Prior:
        """The prior, clamped as people are."""
        axes = len(table.limits)
        if not axes:
            raise part.wrong("kind", f"'uniform', 'points' or 'areas' on a {table.kind}", self.kind)
        for key, given in (("median", self.median), ("sigma", self.sigma)):
            if np.size(given) != axes:
                raise part.wrong(key, f"a list of {axes} numbers, one for each axis" if axes > 1 else "a number", given)
        if self.correlation is not None and axes != 2:
            raise part.wrong("correlation", "left out where there are not two axes", self.correlation)
        low, high = np.transpose(table.limits)

        def quantiles(u: FloatArray) -> FloatArray:
            normal = _normal(u)
            if self.correlation is not None:
                along = np.sqrt(1 - self.correlation**2)
                normal = np.stack([normal[:, 0], self.correlation * normal[:, 0] + along * normal[:, 1]], axis=-1)
            with np.errstate(over="ignore"):  # what is out of range is clamped
                values = np.ravel(self.median) * np.exp(np.ravel(self.sigma) * normal)
                return np.asarray(np.clip(values, low, high))

        if not space.point_shape:
            return Prior.law(quantiles)
        return Prior.sample(quantiles(even_points(axes)))


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


PriorTable = Annotated[
    UniformPrior | BracketsPrior | LogNormalPrior | NormalPrior | PointsPrior | AreasPrior, Field(discriminator="kind")
]


def _ends(kind: str, table: SpaceTable, part: Part) -> list[float]:
    """The range of a space of one number; refuse others."""
    if len(table.limits) != 1 or table.kind == "euclidean":
        others = "'uniform', 'points' or 'areas'" if table.kind == "map" else "'uniform', 'points' or 'lognormal'"
        raise part.wrong("kind", f"{others} on a {table.kind}", kind)
    return table.limits[0]


def _normal(u: FloatArray) -> FloatArray:
    from scipy import special

    return np.asarray(special.ndtri(u))
