"""The worst loss of noise on a line, from centres, scales and the density of the noise alone.

Only densities are compared; no formula of the calibration is used. By theory T1 and T2 the profile line stands for the
whole space.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import reduce
from itertools import pairwise

import numpy as np

from geopriv.mechanisms.guarantee import Guarantee
from geopriv.mechanisms.loss.pairs import Pairs, hockey_stick, largest_loss
from geopriv.mechanisms.loss.worst import WorstLoss, worst
from geopriv.noise import Noise
from geopriv.shapes.profiles import Profile
from geopriv.spaces.checks import FloatArray

Scale = Callable[[FloatArray], FloatArray]

_STRIDES = (1, 5, 37, 307)
_SOLID = 1e-100  # of the largest scale: a smaller one is below every rounding error, with nothing left to compare
CLOSEST = 1e-4  # of the shortest length that matters: closer pairs would measure rounding errors


def probe_line(profile: Profile, length: float) -> FloatArray:
    """Coordinates that cover the line: even ones, closer ones around landmarks, and tails to a million lengths.

    Args:
        profile: whose landmarks matter.
        length: 1/ε, the natural unit of distance.
    """
    marks, short = np.asarray(profile.landmarks), shortest(profile, length)
    low, high = marks[0] - 30 * length, marks[-1] + 30 * length
    around = np.geomspace(CLOSEST * short, 8 * length, 160)
    near = (marks[:, None] + np.concatenate([-around[::-1], [0.0], around])).ravel()
    within = np.concatenate([np.linspace(a, b, 200) for a, b in pairwise(marks)] or [marks])
    far = np.geomspace(0.02 * length, 1e6 * length, 1200)
    even = np.concatenate([np.linspace(low, marks[0], 900), np.linspace(marks[-1], high, 900)])
    points = np.unique(np.concatenate([even, near, within, low - far, high + far]))
    # neighbours that are closer than rounding allows are merged
    keep = np.concatenate([[True], np.diff(points) > CLOSEST * short / 2])
    return np.asarray(points[keep])


def shortest(profile: Profile, length: float) -> float:
    """The shortest length that matters: 1/ε, between two landmarks, or over which the profile can rise fully."""
    bottom, top = profile.bounds
    gaps = [b - a for a, b in pairwise(profile.landmarks)]
    return min(length, *gaps, (top - bottom) / profile.lipschitz)


def worst_on_line(profile: Profile, scale: Scale, noise: Noise, guarantee: Guarantee) -> WorstLoss:
    """Of f0(s) + σ(s)·Z over coordinates s.

    Inputs: a chain of neighbours that covers the whole line (so that a jump of the scale anywhere shows, not only a
    steep derivative), dense around the landmarks of the profile and reaching far into both tails, and pairs further
    apart at growing strides. Outputs: the centres, the shoulders and the tails of both laws.
    """
    length = 1 / guarantee.epsilon if guarantee.metric == "distance" else 1 / profile.lipschitz
    line = probe_line(profile, length)
    center, spread = profile(line), scale(line)
    if guarantee.metric == "discrete":
        pairs = _against_extremes(line, center, spread)
    else:
        closest = min(CLOSEST * shortest(profile, length), guarantee.radius / 4)
        pairs = pairs_along(line, center, spread, closest, guarantee.radius)
        narrow = min(1e-3 * length, guarantee.radius / 2)
        solid = line[spread > _SOLID * spread.max()]
        pairs = _joined(pairs, _steepest(profile, scale, noise, solid, max(narrow, closest)))
    if guarantee.delta > 0:
        needed = hockey_stick(noise, pairs, guarantee.epsilon * pairs.distance)
        return worst(needed / guarantee.delta, lambda k: (float(pairs.first[k]), float(pairs.second[k]), None))
    return _worst_pair(noise, guarantee, pairs)


def worst_of_coordinate(profile: Profile, noise: Noise, guarantee: Guarantee) -> WorstLoss:
    """Of s + Z/ε over coordinates s, where the profile matters."""
    length = 1 / guarantee.epsilon
    line = probe_line(profile, length)
    pairs = pairs_along(line, line, np.full_like(line, length), CLOSEST * shortest(profile, length))
    return _worst_pair(noise, guarantee, pairs)


def _worst_pair(noise: Noise, guarantee: Guarantee, pairs: Pairs) -> WorstLoss:
    loss, y = largest_loss(noise, pairs)
    allowed = guarantee.epsilon * (pairs.distance if guarantee.metric == "distance" else 1.0)
    ratios = np.maximum(loss - rounding(pairs), 0.0) / allowed
    return worst(ratios, lambda k: (float(pairs.first[k]), float(pairs.second[k]), float(y[k])))


def rounding(pairs: Pairs) -> FloatArray:
    """How far a loss can be off in floating point: centres are known to 1e-16 of themselves, in units of the scale."""
    size = (np.abs(pairs.center) + np.abs(pairs.center2)) / np.minimum(pairs.scale, pairs.scale2)
    return 1e-15 * (size + 500.0)


def _steepest(profile: Profile, scale: Scale, noise: Noise, line: FloatArray, narrow: float) -> Pairs:
    """From each wide gap of the line, the narrow pair that bisection towards the larger loss per distance ends in.

    A jump keeps its loss while the gap halves, so it is found however wide the gap was.
    """
    ends = np.stack([line, profile(line), scale(line)])  # rows: place, centre, scale
    wide = np.diff(line) > 2 * narrow
    low, high = ends[:, :-1][:, wide], ends[:, 1:][:, wide]
    done: list[Pairs] = []
    while low.size:
        place = (low[0] + high[0]) / 2
        middle = np.stack([place, profile(place), scale(place)])
        left, right = _between(low, middle), _between(middle, high)
        go_left = largest_loss(noise, left)[0] > largest_loss(noise, right)[0]
        low, high = np.where(go_left, low, middle), np.where(go_left, middle, high)
        still = high[0] - low[0] > 2 * narrow
        done.append(_between(low[:, ~still], high[:, ~still]))
        low, high = low[:, still], high[:, still]
    return reduce(_joined, done, _between(low, high))


def _between(low: FloatArray, high: FloatArray) -> Pairs:
    return Pairs(low[0], high[0], high[0] - low[0], low[1], low[2], high[1], high[2])


def _joined(first: Pairs, second: Pairs) -> Pairs:
    return Pairs(*(np.concatenate([getattr(first, f.name), getattr(second, f.name)]) for f in fields(Pairs)))


def pairs_along(
    line: FloatArray,
    center: FloatArray,
    scale: FloatArray,
    closest: float,
    radius: float = np.inf,
    strides: tuple[int, ...] = _STRIDES,
) -> Pairs:
    """Neighbours along the line, and pairs further apart at growing strides."""
    solid = scale > _SOLID * scale.max()
    line, a, b = line[solid], center[solid], scale[solid]
    i = np.concatenate([np.arange(line.size - stride) for stride in strides if stride < line.size])
    j = np.concatenate([np.arange(stride, line.size) for stride in strides if stride < line.size])
    distance = line[j] - line[i]
    fits = (distance <= radius) & (distance >= closest)
    i, j = i[fits], j[fits]
    return Pairs(line[i], line[j], distance[fits], a[i], b[i], a[j], b[j])


def _against_extremes(line: FloatArray, a: FloatArray, b: FloatArray) -> Pairs:
    """Every probe against the two whose answers differ most: for promises between any two values."""
    i = np.tile(np.arange(line.size), 2)
    j = np.repeat([int(a.argmin()), int(a.argmax())], line.size)
    i, j = i[i != j], j[i != j]
    return Pairs(line[i], line[j], np.abs(line[i] - line[j]), a[i], b[i], a[j], b[j])
