"""Coordinates to fifty digits, from exact inputs: what rounding errors are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 50

Vector = tuple[Decimal, Decimal, Decimal]
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def exact(number: Fraction | float) -> Decimal:
    """To fifty digits."""
    fraction = Fraction(number)
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def _sine(x: Decimal) -> Decimal:
    term = total = x
    k = 1
    while abs(term) > Decimal(10) ** -55:
        term *= -x * x / ((2 * k) * (2 * k + 1))
        total, k = total + term, k + 1
    return total


def _arctan(x: Decimal) -> Decimal:
    """For x in [0, 1]: the argument halved until the series is quick."""
    halvings = 0
    while x > Decimal("0.01"):
        x, halvings = x / (1 + (1 + x * x).sqrt()), halvings + 1
    term = total = x
    k = 1
    while abs(term) > Decimal(10) ** -55:
        term *= -x * x
        total, k = total + term / (2 * k + 1), k + 1
    return total * Decimal(2) ** halvings


def angle(opposite: Decimal, adjacent: Decimal) -> Decimal:
    """arctan2 of two numbers of which the first is at least 0."""
    if adjacent < 0:
        return PI - angle(opposite, -adjacent)
    if opposite <= adjacent:
        return _arctan(opposite / adjacent) if adjacent else Decimal(0)
    return PI / 2 - _arctan(adjacent / opposite)


def unit_vector(latitude: Fraction | float, longitude: Fraction | float) -> Vector:
    """Of degrees."""
    phi, lam = exact(latitude) * PI / 180, exact(longitude) * PI / 180
    cos_phi = _sine(PI / 2 - phi)
    return cos_phi * _sine(PI / 2 - lam), cos_phi * _sine(lam), _sine(phi)


def on_the_map(
    radius: float, middle: tuple[float, float], latitude: Fraction | float, longitude: Fraction | float
) -> tuple[Decimal, Decimal]:
    """Metres east and north of the middle on the plane that touches the sphere there."""
    turn = exact(Fraction(longitude) - Fraction(middle[1])) * PI / 180
    phi, at = (exact(degrees) * PI / 180 for degrees in (latitude, middle[0]))
    cos_phi, cos_at, cos_turn = (_sine(PI / 2 - x) for x in (phi, at, turn))
    north = cos_at * _sine(phi) - _sine(at) * cos_phi * cos_turn
    return exact(radius) * cos_phi * _sine(turn), exact(radius) * north


def dot(a: Sequence[Decimal], b: Sequence[Decimal]) -> Decimal:
    return sum((x * y for x, y in zip(a, b, strict=True)), Decimal(0))


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def norm(a: Sequence[Decimal]) -> Decimal:
    return dot(a, a).sqrt()


def arc(a: Vector, b: Vector) -> Decimal:
    """The angle between unit vectors."""
    return angle(norm(cross(a, b)), dot(a, b))


def to_segment(p: Sequence[Decimal], a: Sequence[Decimal], b: Sequence[Decimal]) -> Decimal:
    """Distance in the plane from a point to a segment."""
    along = [y - x for x, y in zip(a, b, strict=True)]
    from_a = [y - x for x, y in zip(a, p, strict=True)]
    share = min(max(dot(from_a, along) / dot(along, along), Decimal(0)), Decimal(1))
    return norm([x - share * y for x, y in zip(from_a, along, strict=True)])


def to_arc(v: Vector, a: Vector, b: Vector) -> Decimal:
    """Angle from a unit vector to a great-circle arc."""
    normal = cross(a, b)
    if dot(v, cross(normal, a)) >= 0 and dot(v, cross(b, normal)) >= 0:
        length = norm(normal)
        height = abs(dot(v, normal)) / length
        return angle(height, (1 - height * height).sqrt())
    return min(arc(v, a), arc(v, b))
