"""Any function that is known to be Lipschitz."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from geopriv.queries.base import Query
from geopriv.queries.parameters import require_space
from geopriv.shapes.coordinates import Coordinate, Scaled
from geopriv.shapes.profiles import Identity, Profile
from geopriv.spaces import Line, Space
from geopriv.spaces.checks import FloatArray, invalid, positive


@dataclass(frozen=True)
class LipschitzQuery(Query):
    """Any function with a known Lipschitz constant: coordinate f/K, profile s ↦ K·s.

    The guarantee of every mechanism on this query rests on the constant, which only its author can vouch for.

    Args:
        function: takes values of the space (an array) and returns one number for each.
        constant: K with |f(x) − f(x')| ≤ K·dist(x, x') for all x, x'.
        space: where the values live.

    >>> import numpy as np
    >>> LipschitzQuery(np.sin, constant=1.0)([0.0, np.pi / 2])
    array([0., 1.])
    """

    function: Callable[[FloatArray], FloatArray]
    constant: float
    space: Space = Line()

    def __post_init__(self) -> None:
        require_space(self)
        if not callable(self.function):
            raise invalid("LipschitzQuery", "function", "a function of arrays", self.function)
        positive("LipschitzQuery", "constant", self.constant)

    @cached_property
    def geometry(self) -> Coordinate:
        return Scaled(self.space, self.function, self.constant)

    @cached_property
    def profile(self) -> Profile:
        return Identity(self.constant)
