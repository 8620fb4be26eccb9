"""Guarantees: what they say in words, and how they add up."""

from __future__ import annotations

import math

import pytest

import geopriv as gp


def test_a_guarantee_says_what_epsilon_means_for_two_values() -> None:
    promise = gp.Guarantee(epsilon=0.001, unit="m")
    assert promise.factor(300) == pytest.approx(math.exp(0.3))
    assert "300 m apart look alike up to a factor 1.35" in str(promise)


def test_a_local_guarantee_holds_for_any_two_values() -> None:
    promise = gp.Guarantee(epsilon=1.5, metric="discrete")
    assert promise.factor(1e-9) == promise.factor(1e9) == pytest.approx(math.exp(1.5))
    assert promise.factor(0) == 1
    assert "any two values" in str(promise)


def test_delta_and_radius_are_part_of_the_sentence() -> None:
    text = str(gp.Guarantee(epsilon=1.0, delta=1e-6, radius=5.0, unit="km"))
    assert "1e-06" in text
    assert "within 5 km" in text


def test_a_huge_distance_does_not_overflow() -> None:
    assert math.isfinite(gp.Guarantee(1.0).factor(1e9))


def test_composition_adds_and_partitioning_takes_the_weakest() -> None:
    first = gp.Guarantee(0.1, delta=1e-3, radius=4.0, unit="m", reference="A")
    second = gp.Guarantee(0.3, delta=2e-3, radius=2.0, unit="m", reference="B")
    both = gp.compose(first, second)
    assert both.epsilon == pytest.approx(0.4)
    assert both.delta == pytest.approx(3e-3)
    assert both.radius == 2.0
    assert "A" in both.reference
    assert "B" in both.reference
    either = gp.partition(first, second)
    assert (either.epsilon, either.delta, either.radius) == (0.3, 2e-3, 2.0)


@pytest.mark.parametrize("combine", [gp.compose, gp.partition])
def test_guarantees_of_different_kinds_do_not_mix(combine: object) -> None:
    for other in (gp.Guarantee(0.1, unit="km"), gp.Guarantee(0.1, unit="m", metric="discrete")):
        with pytest.raises(gp.InvalidParameter, match="one unit and one metric"):
            combine(gp.Guarantee(0.1, unit="m"), other)  # type: ignore[operator]
    with pytest.raises(gp.InvalidParameter, match="at least one"):
        combine()  # type: ignore[operator]


@pytest.mark.parametrize("bad", [{"epsilon": 0.0}, {"delta": 1.0}, {"delta": -0.1}, {"radius": 0.0}])
def test_impossible_guarantees_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(gp.InvalidParameter):
        gp.Guarantee(**({"epsilon": 1.0} | bad))  # type: ignore[arg-type]


def test_a_promise_is_never_rounded_to_look_better() -> None:
    promise = gp.Guarantee(1 / 8000, unit="USD")
    assert promise.factor(2_000) > 1.28
    assert str(promise).endswith("two values 2,000 USD apart look alike up to a factor 1.29")
    for distance in (1.0, 800.0, 2_000.0, 1e6, 1e9):
        assert (
            promise.factor(distance) * (1 - 1e-9) <= float(promise.alike(distance)) <= 1.01 * promise.factor(distance)
        )


def test_a_promise_about_ratios_is_told_in_ratios() -> None:
    space = gp.LogLine(base=2, unit="USD")
    promise = gp.Guarantee(space.rate("1 per factor 1.5"), unit=space.distance_unit)
    assert str(promise) == "1 per factor 1.5: two values a factor 1.1 apart look alike up to a factor 1.27"
    assert "a factor 1.5" in promise._repr_html_()
    assert promise.factor(promise.example(0.3)) == pytest.approx(math.exp(math.log(1.1) / math.log(1.5)))
