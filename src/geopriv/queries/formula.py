"""A function of R^d that is written as text: what a survey file can ask, and a document hold."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from geopriv.queries.function import Function, OnBoxes
from geopriv.shapes.coordinates import Box
from geopriv.shapes.slopes import Slopes
from geopriv.spaces import Space
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True)
class Formula(OnBoxes):
    """A function that is written as text: what a survey file can ask, and a document hold.

    Args:
        text: in the names of the axes, with numbers, + - * / **, and exp, log, sqrt, tanh, sin, cos, abs, hypot,
            minimum, maximum and clip.
        axes: their names, in order.
        space: flat, with so many axes.
        low: the lowest corner of the box, as a point; outside of the box f is at its nearest point.
        high: its highest corner.

    Raises:
        InvalidParameter: for text that is no such formula.

    >>> from geopriv import Plane
    >>> Formula("0.5 * (1 + tanh(x)) * exp(-y**2 / 8)", ("x", "y"), Plane("km"), (-20, -20), (20, 20))([(0.0, 0.0)])
    array([0.5])
    """

    text: str
    axes: tuple[str, ...]
    space: Space
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.axes) != self.space.dimension:
            raise invalid("Formula", "axes", f"{self.space.dimension} names, one for each axis", self.axes)
        self._within.bounds  # noqa: B018 # refuses what has no value somewhere

    @cached_property
    def _within(self) -> Function:
        """The formula as a function in its box."""
        ends = [self.space.values(np.reshape(end, self.space.point_shape)).tolist() for end in (self.low, self.high)]
        return Function(formula(self.text, self.axes), self.space, None if self.space.geographic else ends)

    @property
    def certified(self) -> bool:
        return True

    @property
    def corners(self) -> Box:
        return self._within.corners

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points that the space has read."""
        return self._within.answer(points)

    def slopes_on(self, axes: Sequence[Slopes]) -> Slopes:
        return self._within.slopes_on(axes)

    def enclose_answer(self, row: Sequence[float]) -> arb:
        return self._within.enclose_answer(row)


_CALLS: dict[str, Callable[..., Any]] = {
    name: getattr(np, name)
    for name in ("exp", "log", "sqrt", "tanh", "sin", "cos", "abs", "hypot", "minimum", "maximum", "clip")
}
_SIGNS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
_LONGEST, _DEEPEST, _LARGEST = 500, 40, 1e15  # characters of a formula, parentheses within others, and a number


def formula(text: str, axes: tuple[str, ...]) -> Callable[..., Any]:
    """The function that a text says, of one argument for each axis. Nothing of it is ever evaluated as Python.

    Raises:
        InvalidParameter: for anything but names of axes, numbers, known signs and known functions.
    """

    def refuse(what: str) -> NoReturn:
        known = f"{', '.join(axes)}, numbers, + - * / ** and {', '.join(_CALLS)}"
        raise invalid("Formula", "text", f"made of {known}", what)

    def read(node: ast.AST, depth: int) -> Callable[[tuple[Any, ...]], Any]:
        if depth > _DEEPEST:
            refuse("something deeper")
        value: Any = node.value if isinstance(node, ast.Constant) else None
        if type(value) in (int, float) and abs(value) < _LARGEST:
            number = np.float64(value)  # whose powers are infinite where a float's raise
            return lambda given: number
        if isinstance(node, ast.Name) and node.id in axes:
            place = axes.index(node.id)
            return lambda given: given[place]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            part, sign = (
                read(node.operand, depth + 1),
                np.float64(-1.0) if isinstance(node.op, ast.USub) else np.float64(1.0),
            )
            return lambda given: sign * part(given)
        if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
            left, right, sign_of = read(node.left, depth + 1), read(node.right, depth + 1), _SIGNS[type(node.op)]
            return lambda given: sign_of(left(given), right(given))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            called, parts = _CALLS.get(node.func.id), [read(each, depth + 1) for each in node.args]
            if called is not None and len(parts) == (
                1 if called.__name__ in _OF_ONE else 3 if called is np.clip else 2
            ):
                return lambda given: called(*(part(given) for part in parts))
        refuse(ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__)

    if len(text) > _LONGEST:
        refuse(f"{len(text)} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        refuse(text)
    meant = read(tree.body, 0)
    return lambda *given: meant(given) + 0 * given[0]  # a number alone is one for everybody


_OF_ONE = ("exp", "log", "sqrt", "tanh", "sin", "cos", "absolute")
