"""Walking noise: what it promises over all rounds together, and what undoes it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

import geopriv as gp
from geopriv.errors import InvalidParameter
from geopriv.mechanisms.lattice.walks import Walk
from geopriv.spaces.checks import FloatArray

THETA = 0.5
REPORTS = np.arange(-80, 81)
Law = Callable[[float], FloatArray]


def increment(x: float) -> FloatArray:
    """The law of one increment's report, in cells."""
    low, share = math.floor(x), x - math.floor(x)
    return (1 - share) * noise(low) + share * noise(low + 1)


def nearest(x: float) -> FloatArray:
    """Planted: the increment is rounded to the nearest cell."""
    return noise(round(x))


def sharper(x: float) -> FloatArray:
    """Planted: noise for a rate that is 3 % larger."""
    low, share = math.floor(x), x - math.floor(x)
    return (1 - share) * noise(low, 1.03 * THETA) + share * noise(low + 1, 1.03 * THETA)


def noise(cell: int, theta: float = THETA) -> FloatArray:
    return np.asarray(theta / (2 + theta) * (1 + theta) ** -np.abs(REPORTS - cell).astype(float))


def worst(law: Law, metric: Callable[[FloatArray, FloatArray], float]) -> float:
    """The largest loss of three rounds together over ε·D: the worst reports of independent increments."""
    trajectories = [np.array(each) for each in itertools.product((0.0, 0.01, 0.49, 0.51, 1.6), repeat=3)]
    most = 0.0
    for x, y in itertools.combinations(trajectories[::2], 2):
        moves = zip(np.diff(x, prepend=0.0), np.diff(y, prepend=0.0), strict=True)
        loss = sum(float(np.abs(np.log(law(a) / law(b))).max()) for a, b in moves)
        most = max(most, loss / (THETA * metric(x, y)))
    return most


def apart(x: FloatArray, y: FloatArray) -> float:
    return float(np.abs(np.diff(x - y, prepend=0.0)).sum())


def test_all_rounds_together_lose_no_more_than_epsilon_times_the_distance_of_trajectories() -> None:
    assert 0.97 < worst(increment, apart) <= 1 + 1e-9


@pytest.mark.parametrize("law", [nearest, sharper])
def test_a_walk_that_breaks_its_promise_is_caught(law: Law) -> None:
    assert worst(law, apart) > 1.01


def test_the_distance_is_between_the_farthest_round_and_twice_the_sum() -> None:
    def farthest(x: FloatArray, y: FloatArray) -> float:
        return float(np.abs(x - y).max())

    assert worst(increment, farthest) > 2  # so a promise in that metric would be false
    rng = np.random.default_rng(4)
    for x, y in rng.normal(size=(200, 2, 5)):
        assert farthest(x, y) <= apart(x, y) + 1e-12
        assert apart(x, y) <= 2 * np.abs(x - y).sum() + 1e-12


def blurred(step: float) -> Callable[[FloatArray], FloatArray]:
    query = gp.Blurred(gp.Threshold(0.0, 0.1, gp.Line()), 2.5)
    return lambda cells: query.answer(step * cells[:, 0])


def test_the_first_round_has_the_variance_of_one_report_summed_over_its_law() -> None:
    f, lower, share = blurred(THETA), np.array([[-4.0], [0.0], [3.0]]), np.array([[0.25], [0.0], [0.7]])
    (first,) = Walk(THETA, 1).variances(f, lower, share)
    cells, c = REPORTS.astype(float)[:, None], Walk(THETA, 1).curvature
    g = (1 + 2 * c) * f(cells) - c * (f(cells - 1) + f(cells + 1))
    laws = [increment(float(x)) for x in (lower + share).ravel()]
    assert first is not None
    assert first == pytest.approx([law @ g**2 - (law @ g) ** 2 for law in laws], rel=1e-9)


def test_variances_of_every_round_agree_with_walks_that_are_drawn() -> None:
    """200,000 walks: means and variances are within 5 standard errors, those of a neighbouring round are not."""
    step, rounds, n = 0.4, 4, 200_000
    walk, f, rng = Walk(step, rounds), blurred(0.4), np.random.default_rng(11)
    lower, share = np.array([[2.0]]), np.array([[0.3]])
    variances = [each for each in walk.variances(f, lower, share) if each is not None]
    assert len(variances) == rounds
    y = lower[0, 0] + (rng.random(n) < share[0, 0])
    reach = np.arange(-400.0, 401.0)
    g, truth = f(reach[:, None]), 0.7 * float(f(lower)[0]) + 0.3 * float(f(lower + 1)[0])
    for variance in variances:
        y = y + rng.geometric(1 - walk.ratio, n) - rng.geometric(1 - walk.ratio, n)
        g = np.concatenate([g[:1], (1 + 2 * walk.curvature) * g[1:-1] - walk.curvature * (g[:-2] + g[2:]), g[-1:]])
        added = np.interp(y, reach, g)
        error = float(np.sqrt(np.mean((added - added.mean()) ** 4) / n))
        assert abs(added.mean() - truth) < 5 * math.sqrt(float(variance[0]) / n)
        near = [float(other[0]) for other in variances if abs(added.var() - float(other[0])) < 5 * error]
        assert near == [float(variance[0])]


def test_noise_that_floats_cannot_undo_is_not_told() -> None:
    walk = Walk(0.05, 6)
    found = walk.variances(blurred(0.05), np.array([[0.0]]), np.array([[0.0]]))
    assert found[0] is not None
    assert found[-1] is None
    assert [each is None for each in found] == sorted(each is None for each in found)


@pytest.mark.parametrize(("theta", "rounds"), [(0.0, 2), (math.nan, 2), (0.1, 0)])
def test_walks_that_are_none_are_refused(theta: float, rounds: int) -> None:
    with pytest.raises(InvalidParameter, match="Walk"):
        Walk(theta, rounds)
