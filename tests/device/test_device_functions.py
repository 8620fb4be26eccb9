"""Interval arithmetic in whole numbers against ball arithmetic: what is enclosed is the true number."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from geopriv.device import functions
from geopriv.device.functions import (
    exponential,
    logarithm,
    nearest_float,
    pi,
    root_float,
    sine_cosine,
    turn,
)
from geopriv.device.intervals import Interval, exact
from geopriv.device.maps import projected
from geopriv.device.spaces import Ratios
from geopriv.noise.exact import precision

BITS = st.sampled_from([8, 64, 112, 300])
rationals = st.fractions(-1000, 1000, max_denominator=10**9) | st.floats(-1e9, 1e9).map(Fraction)
degrees = st.floats(-360, 360).map(Fraction) | st.integers(-12, 12).map(lambda k: Fraction(30 * k))
positive = st.floats(1e-300, 1e300).map(Fraction) | st.fractions(Fraction(1, 1000), 1000, max_denominator=10**6)


def ball(number: Fraction) -> arb:
    return arb(number.numerator) / arb(number.denominator)


def holds(found: Interval, true: arb) -> bool:
    scaled = true * arb(2) ** found.bits
    return not (scaled < found.low or scaled > found.high)


@given(rationals, rationals, BITS)
def test_sums_products_quotients_and_roots_hold_the_true_number(a: Fraction, b: Fraction, bits: int) -> None:
    first, second = exact(a, bits), exact(b, bits)
    pairs = [(first + second, a + b), (first - second, a - b), (first * second, a * b), (first.square(), a * a)]
    pairs += [
        (abs(first), abs(a)),
        (first.minimum(second), min(a, b)),
        (first.maximum(second), max(a, b)),
        (-first, -a),
    ]
    if second.low > 0:
        pairs.append((first / second, a / b))
    for found, true in pairs:
        assert Fraction(found.low, 1 << bits) <= true <= Fraction(found.high, 1 << bits)
    root = abs(first).root()
    assert Fraction(root.low, 1 << bits) ** 2 <= abs(a) <= Fraction(root.high, 1 << bits) ** 2


@given(st.integers(-50, 50), st.integers(0, 50), st.integers(-50, 50), st.integers(0, 50), st.integers(0, 10))
def test_an_operation_on_intervals_holds_it_for_all_their_numbers(a: int, m: int, b: int, n: int, k: int) -> None:
    first, second = Interval(a, a + m, 4), Interval(b, b + n, 4)
    x, y = Fraction(a, 16) + Fraction(m * k, 160), Fraction(b, 16) + Fraction(n * (10 - k), 160)
    pairs = [(first * second, x * y), (first.square(), x * x), (abs(first), abs(x)), (first - second, x - y)]
    if second.low > 0:
        pairs.append((first / second, x / y))
    for found, true in pairs:
        assert Fraction(found.low, 16) <= true <= Fraction(found.high, 16)


def test_a_quotient_by_what_may_be_zero_is_refused() -> None:
    with pytest.raises(ZeroDivisionError):
        exact(1.0, 8) / Interval(0, 3, 8)


@given(degrees, BITS)
def test_sines_and_cosines_are_enclosed_within_three_units(angle: Fraction, bits: int) -> None:
    with precision(bits + 200):
        for found, true in zip(sine_cosine(angle, bits), (ball(angle) / 180).sin_cos_pi(), strict=True):
            assert holds(found, true)
            assert found.high - found.low <= 3


@given(positive, BITS)
def test_logarithms_are_enclosed_within_three_units(number: Fraction, bits: int) -> None:
    with precision(bits + 200):
        found = logarithm(number, bits)
        assert holds(found, ball(number).log())
        assert found.high - found.low <= 3


@given(st.fractions(0, 300, max_denominator=10**9) | st.floats(0, 1e12).map(Fraction), BITS)
def test_falling_powers_are_enclosed_within_three_units(power: Fraction, bits: int) -> None:
    with precision(bits + 200):
        end = exact(power, bits)
        found = exponential(Interval(end.low, end.low, bits))
        assert holds(found, (-arb(end.low) / arb(2) ** bits).exp())
        assert found.high - found.low <= 3
        wide = exponential(end)
        assert holds(wide, (-ball(power)).exp())
        assert wide.high - wide.low <= 5


def test_a_falling_power_that_is_a_few_units_off_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: ln 2 with too few digits, which moves e^−20 at 128 bits."""
    honest = functions._log_of_two
    monkeypatch.setattr(functions, "_log_of_two", lambda work: honest(100) << (work - 100))
    with precision(400):
        assert not holds(exponential(exact(Fraction(20), 128)), arb(-20).exp())


@given(st.fractions(0, 2, max_denominator=10**6), st.fractions(0, 2, max_denominator=10**6), BITS)
def test_angles_are_enclosed(opposite: Fraction, adjacent: Fraction, bits: int) -> None:
    with precision(bits + 200):
        if opposite or adjacent:
            assert holds(turn(exact(opposite, bits), exact(adjacent, bits)), arb.atan2(ball(opposite), ball(adjacent)))


@pytest.mark.parametrize("bits", [0, 10, 64, 128, 1000, 5000])
def test_pi_is_less_than_a_unit_off(bits: int) -> None:
    with precision(bits + 100):
        assert abs(arb.pi() * arb(2) ** bits - pi(bits)) < 1


def test_an_angle_of_nothing_is_left_open() -> None:
    zero = exact(0.0, 64)
    found = turn(zero, zero)
    assert found.low <= 0
    assert found.high / 2**64 > 1.57


@given(st.floats(1e-200, 1e200).map(Fraction))
def test_the_nearest_float_is_the_one_of_correct_rounding(number: Fraction) -> None:
    assert nearest_float(lambda bits: exact(number, bits)) == float(number)
    assert root_float(number * number) == float(number)


def test_a_number_half_way_between_two_floats_is_still_one_of_them() -> None:
    half = Fraction(1) + Fraction(1, 2**53)
    assert nearest_float(lambda bits: Interval(exact(half, bits).low - 1, exact(half, bits).high + 1, bits)) == 1.0


def test_a_place_on_a_map_half_way_between_two_floats_takes_few_bits() -> None:
    """5/8 of this radius: it was computed to 4,096 bits, and a polygon of such corners took minutes to verify."""
    asked: list[int] = []

    def enclose(bits: int) -> Interval:
        asked.append(bits)
        return projected(6371008.799999999, (60.0, 0.0), (Fraction(-30), Fraction(60)), bits)[1]

    assert nearest_float(enclose) == -3981880.4999999995
    assert max(asked) <= 256


def test_the_logarithm_of_one_is_known_at_once() -> None:
    """It was computed to 4,096 bits for each of 4,096 mechanisms."""
    asked: list[int] = []

    def enclose(bits: int) -> Interval:
        asked.append(bits)
        return Ratios(1.5, 1e-300).point((Fraction(1),), bits)[0]

    assert nearest_float(enclose) == 0.0
    assert asked == [128]


def test_a_sine_that_is_a_few_units_off_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: a series that ends one term too early at 64 bits."""
    honest = functions._alternating

    def short(first: int, square: int, work: int, n: int) -> int:
        return honest(first, square, work, n) + (1 << 40)

    monkeypatch.setattr(functions, "_alternating", short)
    with precision(400):
        assert not holds(sine_cosine(Fraction(40), 64)[0], (arb(40) / 180).sin_cos_pi()[0])
    assert ctx.prec < 400
