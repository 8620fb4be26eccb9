"""How steep an ordinary function of numpy arrays can be on a box: intervals that carry their derivatives.

A function is called with one `Slopes` for each axis. Every operation encloses the values on many boxes at once, each
partial derivative, and the norm of the gradient; what is built from locally Lipschitz operations is locally Lipschitz,
so it is differentiable almost everywhere, and there its gradient is no longer than the bound (theory G8). Whatever
could hide a jump, or lose an error, is refused: comparisons that a box leaves open, `==`, truth, arrays, in-place
operations, and every operation that has no rule here.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from geopriv.errors import InvalidParameter
from geopriv.spaces.checks import FloatArray

BoolArray = npt.NDArray[np.bool_]
Ends = tuple[FloatArray, FloatArray]  # lowest and highest

_ROUNDING = (
    2e-15  # of a number, outwards after each operation: nine roundings, and numpy's functions err by at most four
)
_LEAST = 1e-300
_KNOWN = (
    "+, -, *, /, **, abs, sqrt, exp, log, tanh, sin, cos, square, hypot, minimum, maximum, clip, and where on what "
    "each box decides"
)


@dataclass
class Refusals:
    """What one call of a function was refused: kept, so that a function that catches errors is refused too."""

    said: list[str] = field(default_factory=list)

    def refuse(self, rule: str) -> NoReturn:
        """Note a sentence and raise it."""
        self.said.append(rule)
        raise InvalidParameter(f"The 'function' parameter of Function {rule}.")


class Slopes:
    """A number on each of n boxes: an interval, one for each partial derivative, and a bound on the gradient's norm.

    Args:
        value: lowest and highest, each of shape (n,).
        partials: for each axis the lowest and the highest partial derivative.
        norm: a bound on the norm of the gradient that may be less than that of the box of partials.
        refusals: of the call that it belongs to.
    """

    __hash__ = None  # type: ignore[assignment] # nobody may compare it
    __slots__ = ("norm", "partials", "refusals", "value")

    def __init__(
        self, value: Ends, partials: Sequence[Ends], norm: FloatArray | float | None, refusals: Refusals
    ) -> None:
        self.value, self.partials, self.refusals = value, list(partials), refusals
        box = np.sqrt(sum(_size(part) ** 2 for part in self.partials)) * (1 + 1e-14)
        self.norm = _sure(box if norm is None else np.minimum(box, np.asarray(norm) * (1 + 1e-14)))

    @classmethod
    def axes(cls, low: FloatArray, high: FloatArray) -> list[Slopes]:
        """The coordinates themselves on boxes with corners of shape (d, n): what a function is called with."""
        refusals, zero, one = Refusals(), np.zeros(low.shape[1]), np.ones(low.shape[1])
        made = []
        for axis in range(len(low)):
            partials = [(one, one) if other == axis else (zero, zero) for other in range(len(low))]
            made.append(cls((low[axis], high[axis]), partials, one, refusals))
        return made

    def constant(self, number: Any) -> Slopes:
        """A number that is the same everywhere, beside this one."""
        zero = np.zeros_like(self.value[0])
        value = zero + self._number(number)
        return Slopes((value, value), [(zero, zero)] * len(self.partials), zero, self.refusals)

    def _number(self, number: Any) -> float:
        """A float64, or a whole number that is one."""
        if isinstance(number, np.ndarray) and number.ndim == 0 and number.dtype == np.float64:
            number = float(number)
        whole = isinstance(number, numbers.Integral) and not isinstance(number, bool | np.bool_)
        if not (whole or isinstance(number, float)):
            self.refusals.refuse(f"must calculate with its arguments and float64 numbers, not {type(number).__name__}")
        if whole and abs(int(number)) > 1 << 53:
            self.refusals.refuse("must calculate with whole numbers below 2^53")
        if not math.isfinite(float(number)):
            self.refusals.refuse("must calculate with finite numbers")
        return float(number)

    def _both(self, other: Any) -> Slopes:
        if isinstance(other, Slopes):
            return other
        return self.constant(other)

    def _made(self, value: Ends, partials: Sequence[Ends], norm: FloatArray) -> Slopes:
        return Slopes(value, partials, norm, self.refusals)

    def _through(self, value: Ends, slope: Ends) -> Slopes:
        """A function of one number, from its values and its slopes on the intervals: the chain rule."""
        return self._made(_outward(value), [_times(slope, part) for part in self.partials], _size(slope) * self.norm)

    # operators, which arrays have too

    def __add__(self, other: Any) -> Slopes:
        return _add(self, self._both(other))

    def __radd__(self, other: Any) -> Slopes:
        return _add(self._both(other), self)

    def __sub__(self, other: Any) -> Slopes:
        return _add(self, -self._both(other))

    def __rsub__(self, other: Any) -> Slopes:
        return _add(self._both(other), -self)

    def __neg__(self) -> Slopes:
        return self._made(_turned(self.value), [_turned(part) for part in self.partials], self.norm)

    def __pos__(self) -> Slopes:
        return self

    def __mul__(self, other: Any) -> Slopes:
        return _multiply(self, self._both(other))

    def __rmul__(self, other: Any) -> Slopes:
        return _multiply(self._both(other), self)

    def __truediv__(self, other: Any) -> Slopes:
        return _divide(self, self._both(other))

    def __rtruediv__(self, other: Any) -> Slopes:
        return _divide(self._both(other), self)

    def __pow__(self, other: Any) -> Slopes:
        return _power(self, other)

    def __rpow__(self, other: Any) -> Slopes:
        base = self._number(other)
        if not base > 0:
            self.refusals.refuse("must raise positive numbers to powers")
        return _exp(self * math.log(base))

    def __abs__(self) -> Slopes:
        return _absolute(self)

    def clip(self, low: Any = None, high: Any = None) -> Slopes:
        """Between two numbers, as `numpy.clip`."""
        made = self if low is None else _maximum(self, self._both(low))
        return made if high is None else _minimum(made, self._both(high))

    def __lt__(self, other: Any) -> Decided:
        return Decided.less(self, self._both(other))

    def __gt__(self, other: Any) -> Decided:
        return Decided.less(self._both(other), self)

    __le__, __ge__ = __lt__, __gt__  # where a box decides, it decides strictly

    # what numpy does with it

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            said = f"ufunc method {method!r}" if method != "__call__" else f"options {', '.join(sorted(options))}"
            self.refusals.refuse(f"must call numpy's functions plainly: {ufunc.__name__} with {said} has no rule")
        if ufunc.__name__ in _COMPARISONS:
            first, second = (part if isinstance(part, Slopes) else self.constant(part) for part in inputs)
            less = ufunc.__name__.startswith("less")
            return Decided.less(first, second) if less else Decided.less(second, first)
        if ufunc.__name__ == "power":
            first, second = inputs
            return _power(first, second) if isinstance(first, Slopes) else second.__rpow__(first)
        rule = _RULES.get(ufunc.__name__)
        if rule is None:
            self._unknown(ufunc.__name__)
        return rule(*(part if isinstance(part, Slopes) else self.constant(part) for part in inputs))

    def __array_function__(self, called: Any, types: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if called is np.where and len(inputs) == 3 and not options and isinstance(inputs[0], Decided):
            return inputs[0].where(*(self._both(part) for part in inputs[1:]))
        if called is np.clip and len(inputs) <= 3 and options.keys() <= {"a_min", "a_max", "min", "max"}:
            ends = [*inputs[1:], *options.values()]
            if isinstance(inputs[0], Slopes) and len(ends) == 2:
                low, high = (
                    ends if len(inputs) == 3 or not options.keys() & {"a_max", "max"} else _in_order(inputs, options)
                )
                return inputs[0].clip(low, high)
        if called in (np.zeros_like, np.ones_like) and len(inputs) == 1 and not options:
            return self.constant(0.0 if called is np.zeros_like else 1.0)
        if called is np.full_like and len(inputs) == 2 and not options and not isinstance(inputs[1], Slopes):
            return self.constant(inputs[1])
        return self._unknown(called.__name__)

    def _unknown(self, name: str) -> NoReturn:
        self.refusals.refuse(
            f"must be made of what has a rule ({_KNOWN}), or be given with gradient= and bend=; {name} has none"
        )

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        self.refusals.refuse(
            "must do the same for every value: it may not ask what its arguments are, make arrays or numbers of them, "
            "compare them by == or change them in place (use minimum, maximum, clip or where)"
        )

    __eq__ = __ne__ = __bool__ = __float__ = __int__ = __complex__ = __index__ = __array__ = _refused
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ipow__ = __getitem__ = __setitem__ = __len__ = __iter__ = _refused
    __contains__ = __round__ = __floor__ = __ceil__ = __trunc__ = __floordiv__ = __rfloordiv__ = __mod__ = _refused
    __rmod__ = __divmod__ = __rdivmod__ = __matmul__ = __rmatmul__ = __and__ = __or__ = __invert__ = _refused

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._unknown(f".{name}")


class Decided:
    """A comparison on each of n boxes: true all over it, false all over it, or open."""

    __hash__ = None  # type: ignore[assignment] # nobody may compare it
    __slots__ = ("no", "refusals", "yes")

    def __init__(self, yes: BoolArray, no: BoolArray, refusals: Refusals) -> None:
        self.yes, self.no, self.refusals = yes, no, refusals

    @classmethod
    def less(cls, first: Slopes, second: Slopes) -> Decided:
        """First < second: strictly apart either way, so ties are open."""
        return cls(first.value[1] < second.value[0], first.value[0] > second.value[1], first.refusals)

    def where(self, first: Slopes, second: Slopes) -> Slopes:
        """The one or the other.

        Raises:
            InvalidParameter: where a box leaves it open, since there may be a jump.
        """
        if not (self.yes | self.no).all():
            self.refusals.refuse(
                "must not jump: np.where changes sides inside a cell, which may hide a jump; say it by minimum, "
                "maximum or clip"
            )
        picked = [_pick(self.yes, a, b) for a, b in zip(first.partials, second.partials, strict=True)]
        return first._made(
            _pick(self.yes, first.value, second.value), picked, np.where(self.yes, first.norm, second.norm)
        )

    def __and__(self, other: Any) -> Decided:
        return (
            Decided(self.yes & other.yes, self.no | other.no, self.refusals)
            if isinstance(other, Decided)
            else self._refused()
        )

    def __or__(self, other: Any) -> Decided:
        return (
            Decided(self.yes | other.yes, self.no & other.no, self.refusals)
            if isinstance(other, Decided)
            else self._refused()
        )

    def __invert__(self) -> Decided:
        return Decided(self.no, self.yes, self.refusals)

    def __array_function__(self, called: Any, types: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if called is np.where and len(inputs) == 3 and not options and isinstance(inputs[0], Decided):
            some = next((part for part in inputs[1:] if isinstance(part, Slopes)), None)
            if some is not None:
                return self.where(some._both(inputs[1]), some._both(inputs[2]))
        return self._refused()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        known = {"logical_and": "__and__", "bitwise_and": "__and__", "logical_or": "__or__", "bitwise_or": "__or__"}
        if method == "__call__" and not options and all(isinstance(part, Decided) for part in inputs):
            if ufunc.__name__ in known:
                return getattr(inputs[0], known[ufunc.__name__])(inputs[1])
            if ufunc.__name__ in ("logical_not", "invert"):
                return ~inputs[0]
        return self._refused()

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        self.refusals.refuse(
            "must use comparisons in np.where alone: a sum, a product or a branch of one may hide a jump"
        )

    __eq__ = __ne__ = __bool__ = __float__ = __int__ = __index__ = __array__ = __add__ = __radd__ = _refused
    __mul__ = __rmul__ = __sub__ = __rsub__ = __len__ = __iter__ = __getitem__ = _refused


def _in_order(inputs: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """The ends of a clip that were named."""
    low = inputs[1] if len(inputs) > 1 else options.get("a_min", options.get("min"))
    return low, options.get("a_max", options.get("max"))


def _sure(bound: FloatArray) -> FloatArray:
    """What is no number bounds nothing."""
    return np.where(np.isnan(bound), np.inf, bound)


def _outward(ends: Ends) -> Ends:
    low, high = ends
    low, high = low - _ROUNDING * np.abs(low) - _LEAST, high + _ROUNDING * np.abs(high) + _LEAST
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _size(ends: Ends) -> FloatArray:
    """The largest absolute value."""
    return np.maximum(np.abs(ends[0]), np.abs(ends[1]))


def _least_size(ends: Ends) -> FloatArray:
    """The least absolute value."""
    return np.where((ends[0] <= 0) & (ends[1] >= 0), 0.0, np.minimum(np.abs(ends[0]), np.abs(ends[1])))


def _turned(ends: Ends) -> Ends:
    return -ends[1], -ends[0]


def _pick(first: BoolArray, a: Ends, b: Ends) -> Ends:
    return np.where(first, a[0], b[0]), np.where(first, a[1], b[1])


def _hull(a: Ends, b: Ends) -> Ends:
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])


def _plus(a: Ends, b: Ends) -> Ends:
    """All sums; one that is 0, or below the least float, is exact."""
    low, high = a[0] + b[0], a[1] + b[1]
    low, high = low - _ROUNDING * np.abs(low), high + _ROUNDING * np.abs(high)
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _times(a: Ends, b: Ends) -> Ends:
    """All products: 0 where one factor is nothing but 0, whatever the other; infinite where one is no number."""
    parts = a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]
    low = np.minimum(np.minimum(parts[0], parts[1]), np.minimum(parts[2], parts[3]))
    high = np.maximum(np.maximum(parts[0], parts[1]), np.maximum(parts[2], parts[3]))
    nothing = ((a[0] == 0) & (a[1] == 0)) | ((b[0] == 0) & (b[1] == 0))
    low, high = _outward((low, high))
    return np.where(nothing, 0.0, low), np.where(nothing, 0.0, high)


def _add(a: Slopes, b: Slopes) -> Slopes:
    partials = [_plus(p, q) for p, q in zip(a.partials, b.partials, strict=True)]
    return a._made(_plus(a.value, b.value), partials, a.norm + b.norm)


def _multiply(a: Slopes, b: Slopes) -> Slopes:
    if a is b:
        return _square(a)
    partials = [_plus(_times(p, b.value), _times(a.value, q)) for p, q in zip(a.partials, b.partials, strict=True)]
    return a._made(_times(a.value, b.value), partials, _size(a.value) * b.norm + _size(b.value) * a.norm)


def _divide(a: Slopes, b: Slopes) -> Slopes:
    """∇(a/b) = (∇a − (a/b)·∇b)/b."""
    return _multiply(a, _reciprocal(b))


def _reciprocal(a: Slopes) -> Slopes:
    """Falling from 1/low to 1/high where 0 is outside; its slope is −1/a²."""
    apart = (a.value[0] > 0) | (a.value[1] < 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = np.where(apart, 1 / a.value[1], -np.inf), np.where(apart, 1 / a.value[0], np.inf)
        slope = (
            np.where(apart, -((1 / _least_size(a.value)) ** 2), -np.inf),
            np.where(apart, -((1 / _size(a.value)) ** 2), np.inf),
        )
    return a._through(_outward(value), _outward(slope))


def _square(a: Slopes) -> Slopes:
    least, most = _least_size(a.value), _size(a.value)
    return a._through((least**2, most**2), (2 * a.value[0], 2 * a.value[1]))


def _power(a: Slopes, exponent: Any) -> Slopes:
    """Whole powers by their rules, others as exp(p·log a) of what is positive."""
    if isinstance(exponent, Slopes):
        return _exp(exponent * _log(a))
    p = a._number(exponent)
    if p < 0:
        return _reciprocal(_power(a, -p))
    if p == 0:
        return a.constant(1.0)
    if p in _POWERS:
        return _POWERS[p](a)
    if p != int(p):
        return _exp(_log(a) * p)
    low, high, even = a.value[0], a.value[1], p % 2 == 0
    least, most = _least_size(a.value), _size(a.value)
    value = (least**p, most**p) if even else (low**p, high**p)
    rest = (low ** (p - 1), high ** (p - 1)) if even else (least ** (p - 1), most ** (p - 1))
    return a._through(_outward(value), _outward((p * rest[0], p * rest[1])))


def _absolute(a: Slopes) -> Slopes:
    """Max(a, −a): where the sign is open the slope is between −1 and 1 times that of a."""
    partials = [_pick(a.value[0] >= 0, p, _pick(a.value[1] <= 0, _turned(p), _hull(p, _turned(p)))) for p in a.partials]
    return a._made((_least_size(a.value), _size(a.value)), partials, a.norm)


def _sqrt(a: Slopes) -> Slopes:
    """Rising; its slope 1/(2√a) falls, and is unbounded at 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(a.value[0] > 0, a.value[0], 0.0)
        value = np.sqrt(low), np.sqrt(a.value[1])
        slope = 0.5 / np.sqrt(a.value[1]), 0.5 / np.sqrt(low)
    return a._through(value, _outward(slope))


def _exp(a: Slopes) -> Slopes:
    with np.errstate(over="ignore"):
        value = _outward((np.exp(a.value[0]), np.exp(a.value[1])))
    return a._through(value, (np.maximum(value[0], 0.0), value[1]))


def _log(a: Slopes) -> Slopes:
    with np.errstate(divide="ignore", invalid="ignore"):
        positive = a.value[0] > 0
        value = np.where(positive, np.log(a.value[0]), -np.inf), np.where(positive, np.log(a.value[1]), np.inf)
        slope = np.where(positive, 1 / a.value[1], -np.inf), np.where(positive, 1 / a.value[0], np.inf)
    return a._through(value, _outward(slope))


def _tanh(a: Slopes) -> Slopes:
    """Rising; its slope 1/cosh² falls with the distance from 0."""
    with np.errstate(over="ignore"):
        slope = 1 / np.cosh(_size(a.value)) ** 2, 1 / np.cosh(_least_size(a.value)) ** 2
    low, high = _outward((slope[0], slope[1] * (1 + 1e-14)))
    return a._through((np.tanh(a.value[0]), np.tanh(a.value[1])), (np.maximum(low, 0.0), high))


def _wave(ends: Ends, top: float) -> Ends:
    """The range of a sine: its ends, and ±1 where a crest at `top` + 2πk or a trough half a turn away is inside."""
    low, high = ends
    first, last = np.sin(low - top + math.pi / 2), np.sin(high - top + math.pi / 2)
    slack = 1e-9 + 1e-15 * _size(ends)  # a crest that is nearly inside counts as inside
    turn = 2 * math.pi
    with np.errstate(invalid="ignore"):
        crest = np.floor((high - top + slack) / turn) >= np.ceil((low - top - slack) / turn)
        trough = np.floor((high - top - math.pi + slack) / turn) >= np.ceil((low - top - math.pi - slack) / turn)
    wide = ~(np.abs(low) < 1e8) | ~(np.abs(high) < 1e8)  # beyond, numpy's arguments have lost too many digits
    off = 4e-16 * np.where(wide, 0.0, _size(ends)) + _ROUNDING
    value = np.minimum(first, last) - off, np.maximum(first, last) + off
    low_end = np.where(trough | wide, -1.0, np.maximum(value[0], -1.0))
    return low_end, np.where(crest | wide, 1.0, np.minimum(value[1], 1.0))


def _sin(a: Slopes) -> Slopes:
    return a._through(_wave(a.value, math.pi / 2), _wave(a.value, 0.0))


def _cos(a: Slopes) -> Slopes:
    return a._through(_wave(a.value, 0.0), _turned(_wave(a.value, math.pi / 2)))


def _minimum(a: Slopes, b: Slopes) -> Slopes:
    """The smaller on the whole box, where that is clear; else its gradient is one of the two almost everywhere."""
    first, second = a.value[1] <= b.value[0], b.value[1] <= a.value[0]
    value = np.minimum(a.value[0], b.value[0]), np.minimum(a.value[1], b.value[1])
    partials = [_pick(first, p, _pick(second, q, _hull(p, q))) for p, q in zip(a.partials, b.partials, strict=True)]
    return a._made(value, partials, np.where(first, a.norm, np.where(second, b.norm, np.maximum(a.norm, b.norm))))


def _maximum(a: Slopes, b: Slopes) -> Slopes:
    return -_minimum(-a, -b)


def _hypot(a: Slopes, b: Slopes) -> Slopes:
    """√(a² + b²), whose gradient is (a/r)·∇a + (b/r)·∇b with a²/r² + b²/r² = 1.

    By Cauchy and Schwarz it is no longer than √(|∇a|² + |∇b|²); where a and b depend on different axes their gradients
    are orthogonal, and it is no longer than the longer of the two.
    """
    squares = [(_least_size(part.value) ** 2, _size(part.value) ** 2) for part in (a, b)]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        low, high = np.sqrt(squares[0][0] + squares[1][0]), np.sqrt(squares[0][1] + squares[1][1])
        low = low * (1 - 1e-14)
        shares = []
        for part in (a, b):
            ratios = [end / length for end in part.value for length in (low, high)]
            least, most = np.minimum.reduce(ratios), np.maximum.reduce(ratios)
            bounded = (low > 0) & np.isfinite(least) & np.isfinite(most)
            shares.append(
                (np.where(bounded, np.clip(least, -1, 1), -1.0), np.where(bounded, np.clip(most, -1, 1), 1.0))
            )
    partials = [_plus(_times(shares[0], p), _times(shares[1], q)) for p, q in zip(a.partials, b.partials, strict=True)]
    apart = np.logical_and.reduce(
        [(_size(p) == 0) | (_size(q) == 0) for p, q in zip(a.partials, b.partials, strict=True)]
    )
    norm = np.where(apart, np.maximum(a.norm, b.norm), np.hypot(a.norm, b.norm) * (1 + 1e-15))
    return a._made(_outward((low, high)), partials, norm)


_POWERS: dict[float, Callable[[Slopes], Slopes]] = {0.5: _sqrt, 1.0: lambda a: a, 2.0: _square}
_COMPARISONS = {"less", "less_equal", "greater", "greater_equal"}
_RULES: dict[str, Callable[..., Slopes]] = {
    "add": _add,
    "subtract": lambda a, b: _add(a, -b),
    "multiply": _multiply,
    "divide": _divide,
    "true_divide": _divide,
    "negative": lambda a: -a,
    "positive": lambda a: a,
    "absolute": _absolute,
    "fabs": _absolute,
    "sqrt": _sqrt,
    "square": _square,
    "reciprocal": _reciprocal,
    "exp": _exp,
    "log": _log,
    "tanh": _tanh,
    "sin": _sin,
    "cos": _cos,
    "hypot": _hypot,
    "minimum": _minimum,
    "maximum": _maximum,
    "clip": lambda a, low, high: _minimum(_maximum(a, low), high),
}
