"""The density at a place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from geopriv.queries.base import Centered
from geopriv.queries.parameters import UNSET, radial, set_center
from geopriv.shapes.coordinates import Coordinate
from geopriv.shapes.profiles import Gaussian, Profile
from geopriv.spaces import Space
from geopriv.spaces.checks import positive
from geopriv.spaces.notes import Positive


@dataclass(frozen=True)
class GaussianKernel(Centered):
    """The kernel density at a place (without its normalising constant): exp(−dist(x, center)²/2h²).

    Args:
        center: where the density is asked for; (latitude, longitude) on Earth and on a LocalPlane.
        bandwidth: h, in the unit of distance.
        space: where the centre lives.

    Reference: paper, section 4.3.

    >>> GaussianKernel(center=(0, 0), bandwidth=1)([(0, 0), (3, 4)]).round(6)
    array([1.e+00, 4.e-06])
    """

    center: tuple[float, ...] | float
    bandwidth: Positive
    space: Space = UNSET

    def __post_init__(self) -> None:
        set_center(self)
        positive("GaussianKernel", "bandwidth", self.bandwidth)

    @cached_property
    def geometry(self) -> Coordinate:
        return radial(self, offset=0.0)

    @cached_property
    def profile(self) -> Profile:
        return Gaussian(self.bandwidth)
