"""What a coordinate is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from geopriv.shapes.coordinates.documents import CoordinateDocument
from geopriv.spaces import Space
from geopriv.spaces.balls import arb
from geopriv.spaces.bounded import Bounded, Enclosed
from geopriv.spaces.checks import FloatArray, invalid

if TYPE_CHECKING:
    from geopriv.shapes.profiles import LinearPieces

Box = tuple[FloatArray, FloatArray]  # the lowest and the highest corner


class Coordinate(Enclosed, ABC):
    """A 1-Lipschitz map from points of a space (already read) to the line.

    What a coordinate does not know of itself it refuses or calls None; nobody guesses it from outside.
    """

    space: Space

    @abstractmethod
    def __call__(self, points: FloatArray) -> FloatArray:
        """S at points of shape (...) on a line or (..., d) elsewhere."""

    @property
    @abstractmethod
    def anchor(self) -> FloatArray:
        """A public point near which s takes the values a profile cares about."""

    @abstractmethod
    def reachable(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """An interval of values s' that from a point at s are found at distance exactly |s − s'|."""

    def enclose(self, row: Sequence[float]) -> arb:
        """S at one row of exact numbers, in balls.

        A float is an exact number here, so what is enclosed is s as it is stated, at exactly the x that the person
        holds: no rounding error is left that could break the Lipschitz bound between two close x. A ball gets narrower
        as the precision of the arithmetic grows.

        Raises:
            InvalidParameter: for a coordinate that has no enclosure.
        """
        raise invalid("report", "query", "one whose coordinate has an enclosure", type(self).__name__)

    def bounded(self, rows: FloatArray) -> Bounded | None:
        """S at rows of exact numbers in floats, shape (n,), and how far it may be off; None where nothing is claimed.

        These are the numbers that `simulate` computes.
        """
        start = self.space.bounded(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            s = self(start.value if self.space.point_shape else start.value[:, 0])
            off = self.float_error(start.value, s)
            if off is None:
                return None
            if start.off.any():  # a 1-Lipschitz coordinate is off by no more than its point
                off = off + math.sqrt(self.space.dimension) * start.off.max(axis=1)
            finite = np.isfinite(s.sum())  # quicker than asking each
        if not finite:  # what overflows is not certain, and goes to the balls
            clear = np.isfinite(s)
            s, off = np.where(clear, s, 0.0), np.where(clear, off, np.inf)
        return Bounded(s, off)

    def steepest_pair(self) -> tuple[float, FloatArray, FloatArray] | None:
        """The largest |s − s'|/dist that a search finds, and the points; None of one whose slope is proven."""
        return None

    def float_error(self, points: FloatArray, s: FloatArray) -> FloatArray | None:
        """How far s may be off in floats at exact points of shape (n, d); None where that is not known.

        The bounds are several times what counting roundings gives.
        """
        return None

    def gradient(self, points: FloatArray) -> FloatArray:
        """∇s at points of shape (n, ...): unit vectors of shape (n, d), zero where there is none.

        On Earth they are tangent vectors in metres, (north, east).

        Raises:
            InvalidParameter: for a coordinate of which only a Lipschitz bound is known.
        """
        raise invalid("lower_bound_many", "queries", "of known shape, not LipschitzQuery", type(self).__name__)

    def box(self, marks: Iterable[float], margin: float) -> Box:
        """A box around the points where s takes the values `marks`, with a margin."""
        low, high, here = self._core
        return self.space.around(low, high, max(abs(mark - here) for mark in marks) + margin)

    @property
    def _core(self) -> tuple[FloatArray, FloatArray, float]:
        """A box in the middle of all others, and s there."""
        middle = np.atleast_1d(self.anchor)
        return middle, middle, float(self(np.reshape(self.anchor, self.space.point_shape)))

    def outline(self, end: float) -> Box | None:
        """A box from which what is level in s below 0 and beyond `end` is constant along every axis that leads away.

        None where there is none.
        """
        return None

    @property
    def compact(self) -> bool:
        """Whether s is below a number in a bounded part of the space only, whatever the number."""
        return False

    @property
    def known(self) -> bool:
        """Whether more is known of s than that it is 1-Lipschitz."""
        return True

    @property
    def axis(self) -> tuple[float, ...] | None:
        """The unit vector along which s is linear; None where it is not."""
        return None

    @property
    def apex(self) -> float | None:
        """The value of s at the anchor if s is the distance to it and a constant; else None."""
        return None

    @property
    def reach(self) -> tuple[float, float] | None:
        """All values that s takes, if each is `reachable` from everywhere; else None."""
        return None

    def points_at(self, s: FloatArray) -> list[FloatArray] | None:
        """The points of a line at which s takes given values, side by side; None where that is not known."""
        return None

    def knots(self, pieces: LinearPieces) -> FloatArray | None:
        """The points of a line at which straight pieces of s bend; None where that is not known."""
        return None

    @property
    def moved(self) -> object | None:
        """What is left of s when its anchor is moved to the origin; None where that is not known.

        Coordinates of one `moved` are one function of x − anchor.
        """
        return None

    @property
    def alike(self) -> object:
        """What a function of s depends on besides a profile; by default the coordinate itself, which is like no other.

        Coordinates of one `alike` reach the same values, and noise on the input that is the same in all directions
        moves them by one law, where a law is known.
        """
        return self

    def document(self) -> CoordinateDocument:
        """The exact numbers that define s, for devices, which know coordinates and no queries.

        Raises:
            InvalidParameter: for one that devices do not know.
        """
        raise invalid("Design", "query", "one whose coordinate devices know", type(self).__name__)
