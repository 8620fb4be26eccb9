"""What a shuffler adds: the bound against shuffled reports whose laws are computed exactly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from geopriv.errors import InvalidParameter
from geopriv.proofs.shuffling import divergence, shuffled_loss
from geopriv.spaces.checks import FloatArray

DELTA = 1e-3


def report(x: float) -> FloatArray:
    """A private report of two symbols: as far from even as ε = 1 lets it be."""
    up = 0.5 * math.exp(-abs(x)) if x < 0 else 1 - 0.5 * math.exp(-x)
    return np.array([1 - up, up])


def numbers(values: Sequence[float]) -> FloatArray:
    """The law of what shuffled reports of two symbols tell: how many are the second."""
    law = np.ones(1)
    for value in values:
        law = np.convolve(law, report(value))
    return law


def lost(x: float, other: float, rest: Sequence[float], loss: float) -> float:
    """The least δ for a loss, in both directions."""
    one, two = numbers([x, *rest]), numbers([other, *rest])
    return max(float(np.maximum(a - math.exp(loss) * b, 0.0).sum()) for a, b in ((one, two), (two, one)))


def broken(claimed: float, d: float, m: int, r: float) -> bool:
    """Whether somebody among m neighbours within r, wherever these are, is told by more than claimed."""
    for x, side in itertools.product((-0.5 * d, 0.0, 1.0), (-1, 1)):
        for place in (-r, 0.0, r):
            if lost(x, x + side * d, [x + place] * m, claimed) > DELTA * (1 + 1e-9):
                return True
    return False


@pytest.mark.parametrize(("d", "m", "r"), [(1.0, 60, 0.5), (1.0, 400, 1.0), (0.4, 200, 1.0), (2.0, 2000, 0.5)])
def test_shuffled_reports_lose_no_more_than_is_stated(d: float, m: int, r: float) -> None:
    stated = shuffled_loss(d, m, r, DELTA)
    assert 0 < stated < d
    assert not broken(stated, d, m, r)


def test_a_bound_that_forgets_how_far_neighbours_are_is_caught() -> None:
    """Planted: neighbours at a distance of 3 are taken for neighbours at none."""
    assert broken(shuffled_loss(1.0, 400, 1e-9, DELTA), 1.0, 400, 3.0)
    assert not broken(shuffled_loss(1.0, 400, 3.0, DELTA), 1.0, 400, 3.0)


def test_the_divergence_is_that_of_the_two_laws_summed_cell_by_cell() -> None:
    for c, apart, loss in itertools.product((0, 1, 5, 40), (0.2, 1.0, 3.0), (0.0, 0.1, 0.7)):
        q, coins = 1 / (1 + math.exp(-apart)), np.array([math.comb(c, k) / 2**c for k in range(c + 1)])
        with_own, without = np.append(0.0, coins), np.append(coins, 0.0)
        one, two = q * with_own + (1 - q) * without, (1 - q) * with_own + q * without
        expected = float(np.maximum(one - math.exp(loss) * two, 0.0).sum())
        assert float(divergence(loss, apart, np.array([float(c)]))[0]) == pytest.approx(expected, abs=1e-12)


def test_more_and_nearer_neighbours_hide_better_and_never_worse_than_the_promise() -> None:
    losses = [shuffled_loss(1.0, m, 1.0) for m in (1, 10, 100, 1_000, 10**5, 10**6, 10**11)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] <= 1.0
    assert losses[-1] > 0
    assert shuffled_loss(1.0, 1_000, 0.5) < shuffled_loss(1.0, 1_000, 1.0) < shuffled_loss(1.0, 1_000, 2.0)
    assert shuffled_loss(0.5, 1_000, 1.0) < shuffled_loss(1.0, 1_000, 1.0)
    assert shuffled_loss(100.0, 1_000, 1.0) == 100.0


def test_figures_of_the_theory() -> None:
    each = [shuffled_loss(1.0, int(4 * math.pi * n), 2.0) for n in (50, 200, 1_000)]
    assert each == pytest.approx([0.58, 0.27, 0.11], abs=0.005)


@pytest.mark.parametrize(
    ("given", "named"),
    [((0.0, 5, 1.0, 0.1), "apart"), ((1.0, 0, 1.0, 0.1), "neighbours"), ((1.0, 5, -1.0, 0.1), "within")],
)
def test_bad_numbers_are_refused(given: tuple[float, int, float, float], named: str) -> None:
    with pytest.raises(InvalidParameter, match=named):
        shuffled_loss(*given)


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan])
def test_a_delta_that_is_no_small_chance_is_refused(delta: float) -> None:
    with pytest.raises(InvalidParameter, match="delta"):
        shuffled_loss(1.0, 5, 1.0, delta)
