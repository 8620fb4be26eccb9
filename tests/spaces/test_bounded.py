"""What is computed anew is bounded anew: nobody inherits the error of another function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import geopriv as gp
from geopriv.shapes import Radial
from geopriv.smooth.scale import ConstantScale
from geopriv.spaces.checks import FloatArray


def half_as_far() -> object:
    class Half(Radial):
        def __call__(self, points: FloatArray) -> FloatArray:
            return super().__call__(points) / 2

    return Half


def half_as_high() -> object:
    class Half(gp.shapes.Gaussian):
        def __call__(self, s: FloatArray) -> FloatArray:
            return super().__call__(s) / 2

    return Half


def half_as_wide() -> object:
    class Half(ConstantScale):
        def __call__(self, s: FloatArray) -> FloatArray:
            return super().__call__(s) / 2

    return Half


@pytest.mark.parametrize("make", [half_as_far, half_as_high, half_as_wide])
def test_a_class_that_computes_something_else_may_not_inherit_its_bounds(make: Callable[[], object]) -> None:
    """The filter would accept the law of one, and the balls that of the other."""
    with pytest.raises(TypeError, match="must say how it is enclosed"):
        make()


def test_a_class_that_computes_the_same_may() -> None:
    class Named(Radial):
        pass

    near = Named(gp.Line(), (1.0,), 0.0)
    bounded = near.bounded(np.array([[4.0]]))
    assert bounded is not None
    assert bounded.value[0] == 3.0
