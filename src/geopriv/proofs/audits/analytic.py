"""`audit`: the worst privacy loss of a mechanism over pairs of inputs and all outputs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from geopriv.mechanisms import (
    Additive,
    CoordinateLaplace,
    InputLaplace,
    Lattice,
    Mechanism,
    Table,
    VectorSmoothCauchy,
)
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.noise import Laplace
from geopriv.proofs.audits.lattice import worst_lattice
from geopriv.proofs.audits.loss import (
    Pairs,
    hockey_stick,
    largest_loss,
    signed_losses,
)
from geopriv.shapes.profiles import Profile
from geopriv.spaces import Earth, Space
from geopriv.spaces.checks import FloatArray, invalid, positive
from geopriv.spaces.shown import Shown

_STRIDES = (1, 5, 37, 307)
_SOLID = 1e-100  # of the largest scale: a smaller one is below every rounding error, with nothing left to compare
_CLOSEST = 1e-4  # of the shortest length that matters: closer pairs would measure rounding errors


@dataclass(frozen=True)
class Audit(Shown):
    """What an audit found.

    Args:
        passed: whether no pair broke the promise.
        worst_ratio: the largest loss/(ε·distance), rounding errors taken off; with δ > 0 the largest needed δ over the
            promised one.
        at: (input, input', output) where it was found, in coordinates of the audited line or points of the space.
        pairs: how many pairs were compared.
    """

    passed: bool
    worst_ratio: float
    at: tuple[Any, Any, Any]
    pairs: int

    def __str__(self) -> str:
        verdict = "holds" if self.passed else "BROKEN"
        return f"{verdict}: worst ratio {self.worst_ratio:.6g} at {self.at}, {self.pairs:,} pairs"


def audit(mechanism: Mechanism, tolerance: float = 1e-9) -> Audit:
    """The worst privacy loss of a mechanism relative to what it promises.

    Inputs: a chain of neighbours that covers the whole line (so that a jump of the scale anywhere shows, not only a
    steep derivative), dense around the landmarks of the profile and reaching far into both tails, and pairs further
    apart at growing strides. Outputs: the centres, the shoulders and the tails of both laws. Only densities are
    compared; no formula of the calibration is used. By theory T1 and T2 the profile line stands for the whole space.
    What is audited is the law that the mechanism states; that `simulate` follows it is for `audit_black_box` to say.

    Args:
        mechanism: any mechanism of the package.
        tolerance: a ratio up to 1 + tolerance passes.

    >>> import geopriv as gp
    >>> m = gp.SmoothT.calibrate(gp.Threshold(at=100_000, width=16_000), epsilon=1 / 8000)
    >>> result = gp.audit(m)
    >>> result.passed, round(result.worst_ratio, 2)
    (True, 0.67)
    """
    positive("audit", "tolerance", tolerance)
    match mechanism:
        case Additive():
            line = probe_line(mechanism.query.profile, _length(mechanism))
            ratio, at = _worst_additive(mechanism, line)
        case CoordinateLaplace():
            line = probe_line(mechanism.query.profile, 1 / mechanism.guarantee.epsilon)
            rate = mechanism.guarantee.epsilon
            closest = _CLOSEST * shortest(mechanism.query.profile, 1 / rate)
            pairs = _pairs(line, line, np.full_like(line, 1 / rate), closest)
            loss, y = largest_loss(Laplace(), pairs)
            ratio, at = _ratios(loss, mechanism.guarantee, pairs), _triples(pairs, y)
        case Table():
            return _exact_table(mechanism)
        case VectorSmoothCauchy():
            ratio, at = _worst_vector(mechanism)
        case InputLaplace():
            ratio, at = _worst_input(mechanism)
        case Lattice():
            ratio, at = worst_lattice(mechanism)
        case _:
            raise invalid("audit", "mechanism", "a mechanism of the package", type(mechanism).__name__)
    k = int(np.argmax(ratio))
    return Audit(bool(ratio[k] <= 1 + tolerance), float(ratio[k]), at(k), ratio.size)


def probe_line(profile: Profile, length: float) -> FloatArray:
    """Coordinates that cover the line: even ones, closer ones around landmarks, and tails to a million lengths.

    Args:
        profile: whose landmarks matter.
        length: 1/ε, the natural unit of distance.
    """
    marks, short = np.asarray(profile.landmarks), shortest(profile, length)
    low, high = marks[0] - 30 * length, marks[-1] + 30 * length
    around = np.geomspace(_CLOSEST * short, 8 * length, 160)
    near = (marks[:, None] + np.concatenate([-around[::-1], [0.0], around])).ravel()
    within = np.concatenate([np.linspace(a, b, 200) for a, b in pairwise(marks)] or [marks])
    far = np.geomspace(0.02 * length, 1e6 * length, 1200)
    even = np.concatenate([np.linspace(low, marks[0], 900), np.linspace(marks[-1], high, 900)])
    points = np.unique(np.concatenate([even, near, within, low - far, high + far]))
    # neighbours that are closer than rounding allows are merged
    keep = np.concatenate([[True], np.diff(points) > _CLOSEST * short / 2])
    return np.asarray(points[keep])


def shortest(profile: Profile, length: float) -> float:
    """The shortest length that matters: 1/ε, between two landmarks, or over which the profile can rise fully."""
    bottom, top = profile.bounds
    gaps = [b - a for a, b in pairwise(profile.landmarks)]
    return min(length, *gaps, (top - bottom) / profile.lipschitz)


def _length(mechanism: Additive) -> float:
    guarantee, profile = mechanism.guarantee, mechanism.query.profile
    return 1 / guarantee.epsilon if guarantee.metric == "distance" else 1 / profile.lipschitz


def _worst_additive(mechanism: Additive, line: FloatArray) -> tuple[FloatArray, Any]:
    guarantee, profile = mechanism.guarantee, mechanism.query.profile
    center, scale = profile(line), mechanism.scale(line)
    if guarantee.metric == "discrete":
        pairs = _against_extremes(line, center, scale)
    else:
        closest = min(_CLOSEST * shortest(profile, _length(mechanism)), guarantee.radius / 4)
        pairs = _pairs(line, center, scale, closest, guarantee.radius)
        narrow = min(1e-3 * _length(mechanism), guarantee.radius / 2)
        pairs = _joined(pairs, _steepest(mechanism, line[scale > _SOLID * scale.max()], max(narrow, closest)))
    if guarantee.delta > 0:
        needed = hockey_stick(mechanism.noise, pairs, guarantee.epsilon * pairs.distance)
        return needed / guarantee.delta, lambda k: (float(pairs.first[k]), float(pairs.second[k]), None)
    loss, y = largest_loss(mechanism.noise, pairs)
    return _ratios(loss, guarantee, pairs), _triples(pairs, y)


def _rounding(pairs: Pairs) -> FloatArray:
    """How far a loss can be off in floating point: centres are known to 1e-16 of themselves, in units of the scale."""
    size = (np.abs(pairs.center) + np.abs(pairs.center2)) / np.minimum(pairs.scale, pairs.scale2)
    return 1e-15 * (size + 500.0)


def _steepest(mechanism: Additive, line: FloatArray, narrow: float) -> Pairs:
    """From each wide gap of the line, the narrow pair that bisection towards the larger loss per distance ends in.

    A jump keeps its loss while the gap halves, so it is found however wide the gap was.
    """
    profile, scale = mechanism.query.profile, mechanism.scale
    ends = np.stack([line, profile(line), scale(line)])  # rows: place, centre, scale
    wide = np.diff(line) > 2 * narrow
    low, high = ends[:, :-1][:, wide], ends[:, 1:][:, wide]
    done: list[Pairs] = []
    while low.size:
        place = (low[0] + high[0]) / 2
        middle = np.stack([place, profile(place), scale(place)])
        left, right = _between(low, middle), _between(middle, high)
        go_left = largest_loss(mechanism.noise, left)[0] > largest_loss(mechanism.noise, right)[0]
        low, high = np.where(go_left, low, middle), np.where(go_left, middle, high)
        still = high[0] - low[0] > 2 * narrow
        done.append(_between(low[:, ~still], high[:, ~still]))
        low, high = low[:, still], high[:, still]
    return reduce(_joined, done, _between(low, high))


def _between(low: FloatArray, high: FloatArray) -> Pairs:
    return Pairs(low[0], high[0], high[0] - low[0], low[1], low[2], high[1], high[2])


def _joined(first: Pairs, second: Pairs) -> Pairs:
    return Pairs(*(np.concatenate([getattr(first, f.name), getattr(second, f.name)]) for f in fields(Pairs)))


def _ratios(loss: FloatArray, guarantee: Guarantee, pairs: Pairs) -> FloatArray:
    allowed = guarantee.epsilon * (pairs.distance if guarantee.metric == "distance" else 1.0)
    return np.maximum(loss - _rounding(pairs), 0.0) / allowed


def _triples(pairs: Pairs, y: FloatArray) -> Any:
    return lambda k: (float(pairs.first[k]), float(pairs.second[k]), float(y[k]))


def _pairs(
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


def _exact_table(table: Table) -> Audit:
    """Every cell and every value, in exact arithmetic: here nothing is sampled and no tolerance is given."""
    worst, cell, letter = table.worst_step
    at = (float(table.lattice[cell]), float(table.lattice[cell + 1]), float(table.values[letter]))
    return Audit(worst <= 1, float(worst), at, table.weights[1:].size)


def _worst_vector(mechanism: VectorSmoothCauchy) -> tuple[FloatArray, Any]:
    """Along geodesics through the queries' anchors; outputs of the m queries are independent, so losses add."""
    space, length = mechanism.queries[0].space, 1 / mechanism.guarantee.epsilon
    rng = np.random.default_rng(0)
    ratios: list[FloatArray] = []
    places: list[tuple[FloatArray, FloatArray]] = []
    for query in mechanism.queries:
        t = probe_line(query.profile, length)
        # on Earth less than half way around, so that the way along the geodesic is the distance
        t = t[np.abs(t) < (1.5 * space.radius if isinstance(space, Earth) else 1e3 * length + np.abs(t).min())]
        points = _geodesic(space, query.geometry.anchor, t, rng)
        values = space.values(points)
        scale, answers = mechanism.scale(values), mechanism.answers(values)
        closest = _CLOSEST * shortest(query.profile, length)
        sides = [_pairs(t, column, scale, closest, strides=(1, 13, 307)) for column in answers.T]
        losses = [signed_losses(mechanism.noise, pairs) for pairs in sides]
        high, low = (np.sum(side, axis=0) for side in zip(*losses, strict=True))
        loss = np.maximum(high, -low) - sum(_rounding(pairs) for pairs in sides)
        ratios.append(np.maximum(loss, 0.0) / (mechanism.guarantee.epsilon * sides[0].distance))
        places += zip(*(points[np.searchsorted(t, end)] for end in (sides[0].first, sides[0].second)), strict=True)
    return np.concatenate(ratios), lambda k: (_plain(places[k][0]), _plain(places[k][1]), None)


def _geodesic(space: Space, start: FloatArray, t: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Points at signed distances t from the start, in a random direction."""
    if isinstance(space, Earth):
        return space.move(np.broadcast_to(start, (t.size, 2)), t, np.full(t.size, rng.uniform(0, 2 * np.pi)))
    direction = rng.standard_normal(space.point_shape)
    return start + t.reshape(-1, *(1,) * len(space.point_shape)) * (direction / np.linalg.norm(direction))


def _worst_input(mechanism: InputLaplace) -> tuple[FloatArray, Any]:
    """Pairs of points at all distances and directions; outputs on the line through both, beyond them, and around."""
    space, rate = mechanism.space, mechanism.guarantee.epsilon
    rng = np.random.default_rng(0)
    distance = np.tile(np.geomspace(_CLOSEST, 30.0, 60) / rate, 8)
    beyond = np.concatenate([-np.geomspace(1e-3, 50, 20), np.linspace(0, 1, 11), 1 + np.geomspace(1e-3, 50, 20)])
    if isinstance(space, Earth):
        start = np.stack([rng.uniform(-85, 85, distance.size), rng.uniform(-180, 180, distance.size)], axis=-1)
        bearing = rng.uniform(0, 2 * np.pi, distance.size)
        distance = np.minimum(distance, 3.0 * space.radius)
        other = space.move(start, distance, bearing)
        way = np.clip(beyond, 0, 1) * distance[:, None] + (beyond - np.clip(beyond, 0, 1)) / rate
        outputs = space.move(start[:, None, :], way, bearing[:, None])
        distance = space.between(start, other)
    else:
        direction = rng.standard_normal((distance.size, space.dimension))
        direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
        start = (rng.standard_normal((distance.size, space.dimension)) / rate).reshape(-1, *space.point_shape)
        step = (direction * distance[:, None]).reshape(start.shape)
        other = start + step
        way = np.clip(beyond, 0, 1) * distance[:, None] + (beyond - np.clip(beyond, 0, 1)) / rate
        shape = (len(start), beyond.size, *space.point_shape)
        outputs = start.reshape(-1, 1, *space.point_shape) + (direction[:, None, :] * way[:, :, None]).reshape(shape)
    first = mechanism.log_density(start.reshape(-1, 1, *space.point_shape), outputs)
    second = mechanism.log_density(other.reshape(-1, 1, *space.point_shape), outputs)
    loss = np.abs(first - second)
    k = loss.argmax(axis=1)
    ratio = loss[np.arange(len(k)), k] / (rate * distance)
    return ratio, lambda i: (_plain(start[i]), _plain(other[i]), _plain(outputs[i, k[i]]))


def _plain(point: FloatArray) -> Any:
    """A float or a tuple of floats."""
    return tuple(point.tolist()) if np.ndim(point) else float(point)
