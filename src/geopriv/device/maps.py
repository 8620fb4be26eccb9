"""A LocalPlane as a device computes it: an orthographic map of a region of the globe.

What is public (the middle, the rectangle) becomes floats in whole-number arithmetic, so that every language has the
same ones; what is private is enclosed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from geopriv.device.functions import nearest_float, sine_cosine
from geopriv.device.intervals import Interval, exact
from geopriv.device.values import (
    Place,
    Point,
    Value,
    Vectors,
    on_globe,
)

# metres that are taken for 0 in public places: a corner on the middle meridian would else be computed to 2,048 bits
_LEAST = Fraction(1, 1 << 300)


@dataclass(frozen=True)
class LocalMap(Vectors):
    """A LocalPlane: the orthographic projection at a middle, in metres east and north of it, clamped to a rectangle.

    Neither step makes a distance longer, whatever the middle and the rectangle.

    Args:
        radius: of the globe in metres.
        middle: its latitude and longitude.
        low: the lowest corner of the rectangle.
        high: the highest corner.
    """

    radius: float
    middle: tuple[float, float]
    low: Place
    high: Place
    kind: str = "LocalPlane"
    axes: int = 2
    unit: str = "m"

    def check(self, value: Value) -> Value:
        return on_globe(value)

    def point(self, value: Value, bits: int) -> Point:
        axes = zip(projected(self.radius, self.middle, value, bits), self.low, self.high, strict=True)
        return tuple(along.maximum(exact(low, bits)).minimum(exact(high, bits)) for along, low, high in axes)


def projected(radius: float, middle: tuple[float, float], value: Value, bits: int) -> Point:
    """A place (latitude, longitude) on the orthographic map at a middle: metres east and north, not clamped."""
    (up, out), (sine, cosine) = sine_cosine(value[0], bits), sine_cosine(value[1] - Fraction(middle[1]), bits)
    middle_up, middle_out = _public_sine_cosine(middle[0], bits)
    size = exact(radius, bits)
    return size * out * sine, size * (middle_out * up - middle_up * out * cosine)


@lru_cache(maxsize=64)
def _public_sine_cosine(degrees: float, bits: int) -> tuple[Interval, Interval]:
    """Kept, because it is public; nothing that depends on a private value ever is."""
    return sine_cosine(Fraction(degrees), bits)


def nearest_floats(enclose: Callable[[int], Point]) -> Place:
    """The floats nearest to a public point of the map."""
    return nearest_float(lambda bits: enclose(bits)[0], _LEAST), nearest_float(lambda bits: enclose(bits)[1], _LEAST)


def middle_of(south: float, west: float, north: float, east: float) -> tuple[float, float]:
    """(latitude, longitude) of the middle of a region, in sums and differences of floats only."""
    return (south + north) / 2, (west + (east - west) % 360 / 2 + 180) % 360 - 180


@lru_cache(maxsize=64)
def rectangle_of(south: float, west: float, north: float, east: float, radius: float) -> tuple[Place, Place]:
    """The lowest and the highest corner of a region on its map, as the nearest floats.

    East is R·cos φ·sin Δλ, largest at the latitude nearest to the equator. North is R·(cos φ₀·sin φ − sin φ₀·cos φ·cos
    Δλ). Its slope in φ, cos φ₀·cos φ + sin φ₀·sin φ·cos Δλ, is not negative where |φ − φ₀| ≤ 90° and |Δλ| ≤ 90°, and it
    is monotonous in cos Δλ; so its extremes lie at the corners of the region and at the middles of its upper and lower
    sides.
    """
    half, middle = Fraction((east - west) % 360) / 2, (middle_of(south, west, north, east)[0], 0.0)

    def nearest(latitude: float, turned: Fraction) -> Place:
        return nearest_floats(lambda bits: projected(radius, middle, (Fraction(latitude), turned), bits))

    out = nearest(max(south, min(0.0, north)), half)[0]
    norths = [nearest(latitude, turned)[1] for latitude in (south, north) for turned in (Fraction(0), half)]
    return (-out, min(norths)), (out, max(norths))
