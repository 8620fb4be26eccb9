"""What a survey asks, by the form of its answer: one share, a curve over a range, or a map."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np

from geopriv.queries.base import Query, in_part
from geopriv.queries.gaussian_kernel import GaussianKernel
from geopriv.queries.kernels import MOST, Kernels, even_grid, evenly
from geopriv.queries.outlines import Outline, outline
from geopriv.queries.parameters import UNSET, Edge
from geopriv.queries.threshold import Threshold
from geopriv.shapes.profiles import Gaussian, Profile
from geopriv.spaces import Space
from geopriv.spaces.checks import (
    FloatArray,
    count,
    finite,
    invalid,
    numbers,
    positive,
)
from geopriv.spaces.notes import Note, NotNegative, Positive

NAME = re.compile(r"[^\W_][\w .,:;()/%+≥≤<>$€£-]{0,79}")
_MOST = 1 << 14  # values of a distribution
_LOOKED_AT = 32  # points along each axis by which the errors of a map are predicted
Name = Annotated[str, Note(minLength=1, maxLength=80)]
Along = Annotated[int, Note(minimum=2)]  # points of a grid


@dataclass(frozen=True)
class Product:
    """What all queries of a map are: f(x) = f0(x₁ − a)·f0(x₂ − b), for every a and b of two axes.

    Args:
        axes: coordinates a and b, as points of the space.
        profile: f0.
        query: one of them.
    """

    axes: tuple[FloatArray, FloatArray]
    profile: Profile
    query: Query


class Question(ABC):
    """A named set of queries on one space."""

    name: Name
    space: Space
    form: ClassVar[str]  # of its answers
    plain: bool = False  # whether the plain question is answered beside the soft one
    reach: NotNegative = 0.0  # over which the two questions fade that hold the plain one between them; 0 for none

    @property
    @abstractmethod
    def queries(self) -> Sequence[Query]:
        """What is estimated, one after the other."""

    @property
    def unlike(self) -> Sequence[Query]:
        """The first of the queries, among which are all shapes: the others are these, moved."""
        return self.queries

    @property
    def looked_at(self) -> Sequence[Query]:
        """Queries by which the errors of all are predicted: of a large map some, evenly among them."""
        return self.queries

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """How the estimates are laid out: () for one, (k,) along a curve, (columns, rows) on a map."""

    @property
    def valued(self) -> bool:
        """Whether its answers are values in the unit of values, and no shares or numbers of people."""
        return False

    @property
    def limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The least and the largest values on each axis, to which everybody is clamped; empty where it needs none."""
        return (), ()

    @property
    def times(self) -> float:
        """What a mean of its queries is multiplied with to be its answer."""
        return 1.0

    @property
    def in_part(self) -> str:
        """Which people count in part in its soft answers; empty where nobody does, or nothing is known of that."""
        return ""

    @property
    def edge_words(self) -> str:
        """What is soft about its answers, in words."""
        return f"people {self.in_part} count in part" if self.in_part else ""

    @property
    def product(self) -> Product | None:
        """How its queries are products over axes, where they are."""
        return None

    def of_group(self, share: float | None) -> Question | None:
        """What is asked of a group of people; None where that cannot be told.

        Args:
            share: of all people who are in the group; None where it is not known.
        """
        return self

    def with_reach(self, reach: float) -> Self:
        """The same question, whose plain answer is held between two that fade over a distance."""
        made: Self = replace(self, reach=reach)  # type: ignore[type-var] # every question is a dataclass
        return made


@dataclass(frozen=True)
class Share(Question):
    """One number: the mean of a query over the people.

    Args:
        name: what it is called in tables and pages.
        query: what is asked, softly.
        plain: whether the plain question behind it is answered too.
        reach: over which two questions fade that hold the plain one between them, in the unit of distance; a plan
            chooses it. 0 where there is no plain answer.

    >>> Share("above 100,000 USD", Threshold(at=100_000, width=16_000)).shape
    ()
    """

    form: ClassVar[str] = "share"

    name: Name
    query: Query
    plain: bool = True
    reach: NotNegative = 0.0

    def __post_init__(self) -> None:
        require_name(self)
        if not isinstance(self.query, Query):
            raise invalid("Share", "query", "a query", type(self.query).__name__)
        require_reach(self)

    @property
    def space(self) -> Space:  # type: ignore[override] # the space of the query
        return self.query.space

    @property
    def queries(self) -> tuple[Query, ...]:
        return (self.query,)

    @property
    def in_part(self) -> str:
        return self.query.in_part

    @property
    def shape(self) -> tuple[int, ...]:
        return ()


@dataclass(frozen=True)
class Distribution(Question):
    """The share of people at or above each of many values: 1 minus the distribution function.

    Args:
        name: what it is called in tables and pages.
        at: increasing values.
        width: over which counting fades at each, in the unit of distance.
        space: a Line or LogLine.
        edge: of every threshold; smooth ones need no grid that hits their kinks.
        plain: whether the plain distribution behind it is answered too.
        reach: as of a Share.
    """

    form: ClassVar[str] = "distribution"

    name: Name
    at: tuple[float, ...]
    width: Positive
    space: Space
    edge: Edge = "smooth"
    plain: bool = True
    reach: NotNegative = 0.0

    def __post_init__(self) -> None:
        require_name(self)
        require_reach(self)
        at = numbers("Distribution", "at", self.at, least=2)
        if not (np.diff(at) > 0).all() or len(at) > _MOST:
            raise invalid("Distribution", "at", f"at most {_MOST:,} increasing values", f"{len(at)} values")
        object.__setattr__(self, "at", at)
        assert self.queries  # checks the rest

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        return tuple(Threshold(at, self.width, self.space, self.edge) for at in self.at)

    @property
    def in_part(self) -> str:
        return in_part(self.space.distance_words(self.width / 2), "each value")

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.at),)


@dataclass(frozen=True)
class DensityMap(Question):
    """A density map: the Gaussian kernel of every point of a grid, averaged over the people.

    Divided by 2πh² an estimate is the share of people per unit of area, seen through a Gaussian of bandwidth h.

    Args:
        name: what it is called in tables and pages.
        bandwidth: h, in the unit of distance.
        low: the lowest corner of the grid, as a point of the space (on a LocalPlane metres east and north).
        high: the highest corner.
        space: a Plane or LocalPlane.
        columns: grid points along the first axis, at least 2; as the bandwidth and the shape of the map ask for
            (`queries.kernels.even_grid`) if left out.
        rows: grid points along the second; there are at most 512 × 512 of both.
        outline: lines behind it on pages, in degrees (longitude, latitude), on a Plane in its unit.
    """

    form: ClassVar[str] = "density map"

    name: Name
    bandwidth: Positive
    low: tuple[float, ...]
    high: tuple[float, ...]
    space: Space
    columns: Along = UNSET
    rows: Along = UNSET
    outline: Outline = ()

    def __post_init__(self) -> None:
        require_name(self)
        positive("DensityMap", "bandwidth", self.bandwidth)
        if not (getattr(self.space, "flat", False) and self.space.dimension == 2):
            raise invalid("DensityMap", "space", "a Plane or a LocalPlane", self.space)
        for name in ("low", "high"):
            object.__setattr__(self, name, numbers("DensityMap", name, getattr(self, name), least=2))
        if len(self.low) != 2 or len(self.high) != 2 or not (np.asarray(self.low) < np.asarray(self.high)).all():
            raise invalid("DensityMap", "high", f"above {self.low} on both axes", self.high)
        for name, points in zip(("columns", "rows"), even_grid(self.low, self.high, self.bandwidth), strict=True):
            if getattr(self, name) is None:
                object.__setattr__(self, name, points)
        size = count("DensityMap", "columns", self.columns, least=2) * count("DensityMap", "rows", self.rows, least=2)
        if size > MOST**2:
            raise invalid("DensityMap", "rows", f"such that the grid has at most {MOST**2:,} points", size)
        object.__setattr__(self, "outline", outline("DensityMap", self.outline))
        for corner in (self.low, self.high):  # where they are places, all between them are
            GaussianKernel(tuple(self.space.values(np.asarray(corner)).tolist()), self.bandwidth, self.space)

    @property
    def axes(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates of the columns and of the rows, as points of the space."""
        (west, south), (east, north) = self.low, self.high
        return np.linspace(west, east, self.columns), np.linspace(south, north, self.rows)

    @property
    def edge_words(self) -> str:
        return f"seen through a Gaussian of {self.space.distance_words(self.bandwidth)}"

    @property
    def product(self) -> Product:
        """Of two bells."""
        return Product(self.axes, Gaussian(self.bandwidth), self.queries[0])

    @property
    def area(self) -> float:
        """2πh², by which a mean kernel is divided to be a density."""
        return float(2 * np.pi * self.bandwidth**2)

    @cached_property
    def queries(self) -> Kernels:
        return Kernels(self.axes, self.bandwidth, self.space)

    @property
    def unlike(self) -> Sequence[Query]:
        return self.queries[:1]

    @cached_property
    def looked_at(self) -> Sequence[Query]:
        first, second = (evenly(axis, _LOOKED_AT) for axis in self.axes)
        return tuple(Kernels((first, second), self.bandwidth, self.space))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.columns, self.rows


def require_name(question: Question) -> None:
    """Refuse a name that could not be shown."""
    if not NAME.fullmatch(str(question.name)):
        rule = "1 to 80 letters, digits, spaces and common signs, starting with a letter or digit"
        raise invalid(type(question).__name__, "name", rule, question.name)


def require_reach(question: Question) -> None:
    """Refuse a reach below 0, and one without a plain question."""
    if not finite(type(question).__name__, "reach", question.reach) >= 0:
        raise invalid(type(question).__name__, "reach", "at least 0", question.reach)
    if question.reach and not question.plain:
        raise invalid(type(question).__name__, "reach", "0 where no plain answer is asked for", question.reach)
