"""Any function of R^d that a person can write down: in floats, on boxes with its slope, and in balls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.queries.base import Query
from geopriv.shapes.coordinates import Box, Coordinate
from geopriv.shapes.profiles import Profile
from geopriv.shapes.slopes import Refusals, Slopes
from geopriv.spaces import Space
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, finite, invalid

_MOST_AXES = 3
_BOXES, _PIECE = {1: 100_000, 2: 600, 3: 60}, 1 << 15  # along each axis, on which slopes are looked at; at a time
_SHARE = 1e-9  # by which an enclosure of what lies between 0 and 1 may reach beyond
Bounds = tuple[FloatArray, FloatArray, FloatArray]  # lowest and highest value, and steepest slope


class OnBoxes(Query):
    """A query that is no profile of a coordinate, and says of boxes how steep it is there."""

    def bounds_on(self, low: FloatArray, high: FloatArray) -> Bounds:
        """Its least and its largest value, and its steepest slope, on boxes with corners of shape (d, n).

        Guarantee: theory G8.

        Raises:
            InvalidParameter: for an operation without a rule, and for what may hide a jump.
        """
        with np.errstate(all="ignore"):
            made = self.slopes_on(Slopes.axes(low, high))
        return *made.value, made.norm

    @property
    def has_profile(self) -> bool:
        return False

    @property
    def geometry(self) -> Coordinate:
        raise invalid(type(self).__name__, "query", "asked of a mechanism of geopriv.smooth", "another mechanism")

    @property
    def profile(self) -> Profile:
        raise invalid(type(self).__name__, "query", "asked of a mechanism of geopriv.smooth", "another mechanism")

    @property
    def bounds(self) -> tuple[float, float]:
        return self._extremes[:2]

    @property
    def lipschitz(self) -> float:
        return self._extremes[2]

    @cached_property
    def _extremes(self) -> tuple[float, float, float]:
        """Its least and its largest value and its steepest slope, on boxes of a 64th of the whole."""
        low, high = self.corners
        ends = [np.linspace(a, b, 65) for a, b in zip(low, high, strict=True)]
        starts, stops = (
            np.stack([part.ravel() for part in np.meshgrid(*(axis[cut] for axis in ends), indexing="ij")])
            for cut in (slice(None, -1), slice(1, None))
        )
        least, most, steepest = self.bounds_on(starts, stops)
        return float(least.min()), float(most.max()), float(steepest.max())

    def interpolation_bias(self, step: float) -> float:
        """A bound on |interpolant − f| over all points, for a grid of a step: step/4 times the most that ∇f can vary.

        Rounding at random within a cell moves a point by ξ with mean 0 and E|ξ_j| ≤ step/2, so that no constant part of
        the gradient counts: E[f(x + ξ)] − f(x) = E∫(∇f(x + tξ) − c)·ξ dt, with c in the middle of its range there.
        """
        low, high = self.corners
        apart = np.maximum(step, (high - low) / _BOXES[len(low)])
        counts = np.ceil((high - low) / apart).astype(int)
        worst, boxes = 0.0, int(np.prod(counts))
        for first in range(0, boxes, _PIECE):
            index = np.array(np.unravel_index(np.arange(first, min(boxes, first + _PIECE)), tuple(counts.tolist())))
            start = low[:, None] + apart[:, None] * (index - 0.5)  # two steps wide, so each cell lies inside of one
            with np.errstate(all="ignore"):
                made = self.slopes_on(Slopes.axes(start, start + 2 * apart[:, None]))
            worst = max(worst, float(np.sum([part[1] - part[0] for part in made.partials], axis=0).max()))
        return min(step / 4 * worst, super().interpolation_bias(step))

    @property
    def is_share(self) -> bool:
        low, high = self.bounds
        return low >= -_SHARE and high <= 1 + _SHARE

    @property
    def moved(self) -> object:
        return self

    @property
    def place(self) -> FloatArray:
        low, high = self.corners
        return ((low + high) / 2).reshape(self.space.point_shape)

    def box(self, margin: float) -> Box:
        low, high = self.corners
        return low - margin, high + margin

    def box_of_change(self, margin: float) -> Box | None:
        return self.box(margin)


@dataclass(frozen=True)
class Function(OnBoxes):
    """A function of one, two or three axes, and how steep it can be on any box.

    Where it is made of what has a rule (+, −, ·, /, powers, abs, sqrt, exp, log, tanh, sin, cos, hypot, minimum,
    maximum, clip) its slope is certified by running it on intervals that carry their derivatives (theory G8). Of
    anything else `gradient` and `bend` say it, and their author vouches for them. Outside the box it is f at the
    nearest point of the box, which changes no distance for the longer (theory T1).

    Args:
        function: of numpy arrays, one an axis, in the unit of distance, which does the same for every value; or a
            query, of which only what is in the box counts.
        space: a line, a plane, a LocalPlane (metres east and north of its middle) or Euclidean space of three axes.
        box: its lowest and its highest corner, two values of the space; a LocalPlane has its region.
        gradient: of the function, likewise one array for each axis; only together with `bend`.
        bend: a bound on the norm of the second derivative, a number or a function of boxes (low, high).

    Raises:
        InvalidParameter: for a box of no size, and for a function without finite values at its corners.

    >>> import numpy as np
    >>> from geopriv import Plane
    >>> f = Function(lambda x, y: 0.5 * (1 + np.tanh(x)) * np.exp(-y**2 / 8), Plane("km"), ((-20, -20), (20, 20)))
    >>> f([(0.0, 0.0), (30.0, 0.0)])
    array([0.5, 1. ])
    """

    function: Callable[..., Any]
    space: Space
    box_corners: Any = None
    gradient: Callable[..., Sequence[FloatArray]] | None = None
    bend_bound: float | Callable[[FloatArray, FloatArray], FloatArray] | None = None

    def __init__(
        self,
        function: Any,
        space: Any = None,
        box: Any = None,
        gradient: Any = None,
        bend: Any = None,
    ) -> None:
        if space is None:
            space = getattr(function, "space", None)
        for name, value in (
            ("function", function),
            ("space", space),
            ("box_corners", None if box is None else _frozen(box)),
            ("gradient", gradient),
            ("bend_bound", bend),
        ):
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise invalid("Function", "function", "a function of numpy arrays, one for each axis", self.function)
        space = self.space
        known: Any = space  # people pass anything
        if not isinstance(known, Space) or not space.flat or space.ratios or not space.dimension <= _MOST_AXES:
            rule = f"a line, a plane, a LocalPlane or Euclidean space of at most {_MOST_AXES} axes"
            raise invalid("Function", "space", f"{rule} (on Earth, take the LocalPlane of a region)", space)
        if (self.gradient is None) != (self.bend_bound is None):
            raise invalid("Function", "bend", "given together with gradient, or neither", self.bend_bound)
        low, high = self.corners
        if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
            raise invalid("Function", "box", "two finite corners, the lower one first on every axis", self.box_corners)
        self._at(np.stack([low, high, (low + high) / 2]))

    @cached_property
    def corners(self) -> Box:
        """The lowest and the highest corner of the box, as points, shape (d,)."""
        if self.box_corners is None:
            if not np.isfinite(self.space.limits).all():
                raise invalid("Function", "box", "given: its lowest and its highest corner", None)
            return self.space.limits
        try:
            low, high = self.box_corners
        except (TypeError, ValueError):
            raise invalid("Function", "box", "two corners", self.box_corners) from None
        first, last = (np.reshape(self.space.public_point("Function", "box", end), -1) for end in (low, high))
        return (np.minimum(first, last), np.maximum(first, last)) if self.space.geographic else (first, last)

    @property
    def _query(self) -> Query | None:
        """The query that stands for a function, if one does."""
        return self.function if isinstance(self.function, Query) else None

    @property
    def certified(self) -> bool:
        """Whether its slope is proven by its own operations, and not by its author's word."""
        return self.gradient is None

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points that the space has read."""
        flat = points.reshape(-1, self.space.dimension)
        return self._at(flat).reshape(points.shape[: points.ndim - len(self.space.point_shape)])

    def _at(self, rows: FloatArray) -> FloatArray:
        """F at the nearest points of the box, shape (n,)."""
        low, high = self.corners
        inside = np.clip(rows, low, high)
        if self._query is not None:
            return self._query.answer(inside.reshape(-1, *self.space.point_shape))
        with np.errstate(all="ignore"):
            given = self.function(*(np.ascontiguousarray(axis) for axis in inside.T))
        values = np.asarray(given)
        if values.dtype != np.float64 or values.shape not in ((), (len(rows),)):
            rule = "one float64 number for each value: an array of the shape and the type of its arguments"
            raise invalid("Function", "function", rule, f"{values.dtype} of shape {values.shape}")
        if not np.isfinite(values).all():
            raise InvalidParameter("The 'function' parameter of Function must be finite everywhere in the box.")
        return np.broadcast_to(values, len(rows)).copy()

    def bounds_on(self, low: FloatArray, high: FloatArray) -> Bounds:
        """Its least and its largest value, and its steepest slope, on boxes with corners of shape (d, n).

        Guarantee: theory G8; with `gradient` and `bend` |∇f(middle)| + H·(half a diagonal), as their author says.

        Raises:
            InvalidParameter: for an operation without a rule, and for what may hide a jump.
        """
        if self.gradient is not None:
            return self._by_bend(low, high)
        least, most, steepest = super().bounds_on(low, high)
        somewhere = low + (high - low) * np.random.default_rng(low.size).random(low.shape)
        for places in ((low + high) / 2, somewhere):
            values = self._at(places.T)
            if not ((least <= values) & (values <= most)).all():
                Refusals().refuse("must do the same for every value: it does something else for intervals")
        return least, most, steepest

    def slopes_on(self, axes: Sequence[Slopes]) -> Slopes:
        """The function itself, on intervals that are taken into its box."""
        if self.gradient is not None:
            axes[0].refusals.refuse("must be certified by its own operations to be part of another query")
        ends = zip(axes, *(corner.tolist() for corner in self.corners), strict=True)
        inside = [axis.clip(low, high) for axis, low, high in ends]
        if self._query is not None:
            return _slopes_of(self._query, inside)
        try:
            made = self.function(*inside)
        except (TypeError, AttributeError) as error:
            axes[0].refusals.refuse(f"must do for intervals what it does for arrays ({error})")
        if axes[0].refusals.said:  # it may have caught what it was told
            axes[0].refusals.refuse(axes[0].refusals.said[0])
        return made if isinstance(made, Slopes) else axes[0].constant(made)

    def _by_bend(self, low: FloatArray, high: FloatArray) -> Bounds:
        middle, half = (low + high) / 2, np.sqrt(np.sum(((high - low) / 2) ** 2, axis=0))
        assert self.gradient is not None
        slopes = np.stack([np.broadcast_to(part, half.shape) for part in self.gradient(*middle)])
        bend = self.bend_bound(low, high) if callable(self.bend_bound) else self.bend_bound
        steep = np.sqrt(np.sum(slopes**2, axis=0)) * (1 + 1e-12) + np.asarray(bend, dtype=np.float64) * half
        if slopes.shape != low.shape or not np.isfinite(steep).all() or not (np.asarray(bend) >= 0).all():
            raise invalid("Function", "bend", "finite and at least 0, with a finite gradient", "something else")
        value, reach = self._at(middle.T), steep * half
        return value - reach, value + reach, steep

    def interpolation_bias(self, step: float) -> float:
        if self.gradient is None:
            return super().interpolation_bias(step)
        return Query.interpolation_bias(self, step)

    def enclose_answer(self, row: Sequence[float]) -> arb:
        """F at the point of one row of exact numbers, in balls.

        Raises:
            InvalidParameter: for a function that is given by its gradient, whose own rounding is not known.
        """
        if self.gradient is not None:
            rule = (
                "one that is made of what has a rule: of this one floats alone are known, which tell near values apart"
            )
            raise invalid("report", "query", rule, "a Function with gradient= and bend=")
        low, high = self.corners
        if self._query is not None and not self.space.irrational:
            return self._query.enclose_answer(np.clip(row, low, high).tolist())
        if self._query is not None:
            if not np.array_equal(self.corners, self.space.limits):
                raise invalid("report", "box", "left out for a query on a map, whose region is its box", "another box")
            return self._query.enclose_answer(row)
        axes = [
            Exact(x.max(arb(float(a))).min(arb(float(b))))
            for x, a, b in zip(self.space.enclose(row), low, high, strict=True)
        ]
        made = self.function(*axes)
        return made.ball if isinstance(made, Exact) else arb(float(made))


def _frozen(box: Any) -> Any:
    """Corners as numbers or tuples of them, so that a function can be compared and kept."""
    try:
        return tuple(float(end) if np.ndim(end) == 0 else tuple(float(part) for part in end) for end in box)
    except (TypeError, ValueError):
        return box


@dataclass(frozen=True)
class Calculated(OnBoxes):
    """Queries on one space, added, multiplied, or the smaller or the larger of them.

    Of a profile of a coordinate a box says how steep it is by the coordinate in its middle, which is 1-Lipschitz.

    Args:
        operation: "sum", "product", "minimum" or "maximum".
        parts: queries and numbers, a query at least.

    >>> from geopriv import Ball, Plane
    >>> both = Ball((0, 0), 3.0, 1.0, Plane("km")) * Ball((2, 0), 3.0, 1.0, Plane("km"))
    >>> both([(1.0, 0.0), (-2.0, 0.0)])
    array([1., 0.])
    """

    operation: str
    parts: tuple[Query | float, ...]

    def __post_init__(self) -> None:
        if not self.queries:
            raise invalid("Calculated", "queries", "at least one query", self.parts)
        space = self.space
        if any(query.space != space for query in self.queries):
            raise invalid("Calculated", "queries", "on one space", sorted({str(query.space) for query in self.queries}))
        if not space.flat or space.ratios or not space.dimension <= _MOST_AXES:
            rule = f"on a line, a plane, a LocalPlane or Euclidean space of at most {_MOST_AXES} axes, to be calculated"
            raise invalid("Calculated", "queries", f"{rule} (on Earth, take the LocalPlane of a region)", space)

    @property
    def queries(self) -> tuple[Query, ...]:
        """The parts that are no numbers."""
        return tuple(part for part in self.parts if not isinstance(part, float))

    @property
    def space(self) -> Space:  # type: ignore[override] # that of its parts
        return self.queries[0].space

    @property
    def certified(self) -> bool:
        return True

    @cached_property
    def corners(self) -> Box:
        """A box that holds all places where a part changes."""
        boxes = [part.box_of_change(0.0) for part in self.queries]
        if any(box is None for box in boxes):
            rule = "wrapped as gp.Function(query, box=…), since a part of it changes without end"
            raise invalid(
                "Calculated", "query", rule, next(q for q, box in zip(self.queries, boxes, strict=True) if box is None)
            )
        low, high = zip(*(box for box in boxes if box is not None), strict=True)
        return np.minimum.reduce(low).reshape(-1), np.maximum.reduce(high).reshape(-1)

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points that the space has read."""
        return np.asarray(
            reduce(_OPERATIONS[self.operation], [_each(part, lambda q: q.answer(points)) for part in self.parts])
        )

    def slopes_on(self, axes: Sequence[Slopes]) -> Slopes:
        made = [_each(part, lambda q: _slopes_of(q, axes)) for part in self.parts]
        found: Slopes = reduce(_OPERATIONS[self.operation], made)
        return found

    def enclose_answer(self, row: Sequence[float]) -> arb:
        made = reduce(
            _OPERATIONS[self.operation], [_each(part, lambda q: Exact(q.enclose_answer(row))) for part in self.parts]
        )
        ball: arb = made.ball
        return ball


def _each(part: Query | float, ask: Callable[[Query], Any]) -> Any:
    return part if isinstance(part, float) else ask(part)


def _slopes_of(query: Query, axes: Sequence[Slopes]) -> Slopes:
    """A query on boxes; a profile by how far its coordinate can be from that of the middle."""
    if not query.has_profile:
        return query.slopes_on(axes)
    low, high = (np.stack([axis.value[end] for axis in axes]) for end in (0, 1))
    middle, half = (low + high) / 2, (high - low) / 2
    s = query.geometry(middle.T.reshape(-1, *query.space.point_shape))
    off = query.geometry.float_error(middle.T, s)
    if off is None:
        axes[0].refusals.refuse("must be made of queries whose coordinate has an enclosure")
    along = query.geometry.axis  # of a linear coordinate: how fast it changes along each axis
    reach = np.sqrt((half**2).sum(axis=0)) if along is None else np.abs(along) @ half
    reach = reach * (1 + 1e-12) + off
    least, most, steepest = query.profile.on_intervals(s - reach, s + reach)
    shares = [1.0] * len(axes) if along is None else [abs(part) * (1 + 1e-14) for part in along]
    return Slopes((least, most), [(-part * steepest, part * steepest) for part in shares], steepest, axes[0].refusals)


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "minimum": np.minimum,
    "maximum": np.maximum,
}


def calculated(operation: str, *parts: Any) -> Calculated:
    """A query made of queries and numbers.

    Raises:
        InvalidParameter: for anything else.
    """
    known = [part if isinstance(part, Query) else finite("Calculated", "number", part) for part in parts]
    return Calculated(operation, tuple(known))


def minimum(first: Any, *others: Any) -> Calculated:
    """The smallest of queries on one space: who counts for all of them, as far as the least of them goes.

    >>> from geopriv import Ball, Plane
    >>> plane = Plane("km")
    >>> minimum(Ball((0, 0), 3.0, 1.0, plane), Ball((2, 0), 3.0, 1.0, plane))([(1.0, 0.0)])
    array([1.])
    """
    return calculated("minimum", first, *others)


def maximum(first: Any, *others: Any) -> Calculated:
    """The largest of queries on one space: who counts for any of them."""
    return calculated("maximum", first, *others)


class Exact:
    """A ball that a function takes for one of its arrays; only what `Slopes` has let pass is ever called with it."""

    __hash__ = None  # type: ignore[assignment] # nobody may compare it
    __slots__ = ("ball",)

    def __init__(self, ball: arb) -> None:
        self.ball = ball

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **_: Any) -> Any:
        made = _EXACT[ufunc.__name__](*map(_ball, inputs))
        return made if isinstance(made, Chosen) else Exact(made)

    def __array_function__(self, called: Any, types: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if called is np.clip:
            ends = [*inputs[1:], *(options[key] for key in ("a_min", "min", "a_max", "max") if key in options)]
            return self.clip(*ends)
        if called is np.where:
            return inputs[0].where(*map(_ball, inputs[1:]))
        if called is np.full_like:
            return Exact(_ball(inputs[1]))
        return Exact(arb(_EVEN[called]))

    def clip(self, low: Any = None, high: Any = None) -> Exact:
        """Between two numbers, as `numpy.clip`."""
        made = self.ball if low is None else self.ball.max(_ball(low))
        return Exact(made if high is None else made.min(_ball(high)))

    def __add__(self, other: Any) -> Exact:
        return Exact(self.ball + _ball(other))

    def __sub__(self, other: Any) -> Exact:
        return Exact(self.ball - _ball(other))

    def __rsub__(self, other: Any) -> Exact:
        return Exact(_ball(other) - self.ball)

    def __mul__(self, other: Any) -> Exact:
        return Exact(self.ball * _ball(other))

    def __truediv__(self, other: Any) -> Exact:
        return Exact(self.ball / _ball(other))

    def __rtruediv__(self, other: Any) -> Exact:
        return Exact(_ball(other) / self.ball)

    def __pow__(self, other: Any) -> Exact:
        return Exact(_raised(self.ball, _ball(other)))

    def __rpow__(self, other: Any) -> Exact:
        return Exact(_raised(_ball(other), self.ball))

    def __neg__(self) -> Exact:
        return Exact(-self.ball)

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return Exact(abs(self.ball))

    def __lt__(self, other: Any) -> Chosen:
        return _less(self.ball, _ball(other))

    def __gt__(self, other: Any) -> Chosen:
        return _less(_ball(other), self.ball)

    __radd__, __rmul__, __le__, __ge__ = __add__, __mul__, __lt__, __gt__


class Chosen:
    """A comparison of balls: yes, no, or None while it is open."""

    __slots__ = ("yes",)

    def __init__(self, yes: bool | None) -> None:
        self.yes = yes

    def where(self, first: arb, second: arb) -> Exact:
        """The one or the other; what holds both while it is open."""
        return Exact(first.union(second) if self.yes is None else (first if self.yes else second))

    def __and__(self, other: Chosen) -> Chosen:
        both = self.yes, other.yes
        return Chosen(False if False in both else (None if None in both else True))

    def __or__(self, other: Chosen) -> Chosen:
        return ~(~self & ~other)

    def __invert__(self) -> Chosen:
        return Chosen(None if self.yes is None else not self.yes)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **_: Any) -> Chosen:
        first, other = inputs[0], inputs[-1]
        made: Chosen = (
            ~first if len(inputs) == 1 else first & other if ufunc.__name__.endswith("and") else first | other
        )
        return made


def _less(first: arb, second: arb) -> Chosen:
    return Chosen(True if first < second else (False if first > second else None))


def _ball(other: Any) -> Any:
    return other.ball if isinstance(other, Exact) else (other if isinstance(other, Chosen) else arb(float(other)))


def _raised(base: arb, exponent: arb) -> arb:
    """Whole powers of any number, others of positive ones."""
    whole = exponent.unique_fmpz() if exponent.is_integer() else None
    made: arb = base ** int(whole) if whole is not None else base**exponent
    return base.max(arb(0)).sqrt() if exponent == arb(0.5) else made


_EVEN = {np.zeros_like: 0, np.ones_like: 1}
_EXACT: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "true_divide": lambda a, b: a / b,
    "power": _raised,
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "absolute": abs,
    "fabs": abs,
    "sqrt": lambda a: a.max(arb(0)).sqrt(),
    "square": lambda a: a**2,
    "reciprocal": lambda a: 1 / a,
    "exp": lambda a: a.exp(),
    "log": lambda a: a.log(),
    "tanh": lambda a: a.tanh(),
    "sin": lambda a: a.sin(),
    "cos": lambda a: a.cos(),
    "hypot": lambda a, b: (a**2 + b**2).max(arb(0)).sqrt(),
    "minimum": lambda a, b: a.min(b),
    "maximum": lambda a, b: a.max(b),
    "clip": lambda a, low, high: a.max(low).min(high),
    "less": _less,
    "less_equal": _less,
    "greater": lambda a, b: _less(b, a),
    "greater_equal": lambda a, b: _less(b, a),
}
