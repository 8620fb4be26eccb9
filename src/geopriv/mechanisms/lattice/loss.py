"""The worst loss of reports on a grid: θ in exact arithmetic, and the law that the mechanism states."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geopriv.mechanisms.lattice.cells import Cells
from geopriv.mechanisms.loss.worst import WorstLoss, worst
from geopriv.spaces.checks import FloatArray

_CELLS = 40  # on each side of a person, within which the law is looked at
_CLOSEST = 1e-5  # of a step or of 1/ε: closer pairs would measure rounding errors


def worst_of_cells(mechanism: Cells) -> WorstLoss:
    """Loss/(ε·distance) of the laws of neighbouring cells, exactly, and of pairs of real points.

    On a cell the law is multilinear between the laws of its corners, so that its steepest logarithm is at a corner
    (theory §9): there each axis has the change of the noise to a neighbour, and their squares add up. This is computed
    in fractions, or in balls where powers are not rational. Pairs of real points, many of them close to a
    cell's border and on both of its sides, are compared by `log_probability`: rounding that is not random would show
    there.
    """
    # the comparison is exact; only the number that is shown is rounded, and never down to 1
    square = mechanism.cell_noise.steepest() / mechanism.allowed**2
    exact = math.sqrt(square) if square <= 1 else max(math.sqrt(square), 1 + 1e-6)
    first, second = _pairs(mechanism)
    ratio, outputs = _losses(mechanism, first, second)
    everything = np.concatenate([[exact], ratio])

    def at(k: int) -> tuple[Any, Any, Any]:
        if k == 0:
            return "cell 0", "cell 1", mechanism.cell_noise.worst_at
        return first[k - 1].tolist(), second[k - 1].tolist(), outputs[k - 1].tolist()

    return worst(everything, at)


def _pairs(mechanism: Cells) -> tuple[FloatArray, FloatArray]:
    """Pairs of points at all distances and directions, half of them across corners, borders and middles of cells."""
    rng, d = np.random.default_rng(0), mechanism.space.dimension
    length, step = 1 / mechanism.guarantee.epsilon, mechanism.step
    distance = np.geomspace(_CLOSEST * min(step, length), 30 * length, 400)
    distance = np.tile(distance, 4)
    direction = rng.standard_normal((distance.size, d))
    diagonal = np.sign(rng.standard_normal((distance.size, d)))
    direction = np.where(rng.random((distance.size, 1)) < 0.5, direction, diagonal)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    corner = np.asarray(mechanism.origin) + step * rng.integers(-60, 60, (distance.size, d)) / 2
    away = rng.uniform(-0.5, 0.5, (distance.size, d))
    half = np.arange(distance.size) % 2 == 0
    start = np.where(half[:, None], corner - direction * distance[:, None] / 2, corner + away * step)
    other = start + direction * distance[:, None]
    shape = (-1, *mechanism.space.point_shape)
    return start.reshape(shape), other.reshape(shape)


def _losses(mechanism: Cells, first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest loss of each pair over outputs around both, less rounding, over what is promised; and where."""
    d, shape = mechanism.space.dimension, mechanism.space.point_shape
    ends = [mechanism.place(points)[0].reshape(-1, d) for points in (first, second)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    # axes are independent, so the largest loss is on each axis at, beyond or between the two
    offsets = np.concatenate([np.arange(-3, 4), [-_CELLS, _CELLS]])
    signs = np.array(np.meshgrid(*[[0.0, 1.0]] * d)).reshape(d, -1).T
    outputs = np.concatenate([(low + k) * (1 - up) + (high + k) * up for k in offsets for up in signs])
    if mechanism.core is not None:
        outputs = np.concatenate([outputs, _beyond(mechanism, *ends)])
    outputs = outputs.reshape(-1, len(low), *shape)
    laws = [mechanism.log_probability(points, outputs) for points in (first, second)]
    loss = np.abs(laws[0] - laws[1]) - 1e-15 * (20 + np.abs(laws[0]))
    k = loss.argmax(axis=0)
    rows = np.arange(len(low))
    distance = mechanism.space.between(first, second)
    return np.maximum(loss[k, rows], 0.0) / (mechanism.guarantee.epsilon * distance), outputs[k, rows]


def _beyond(mechanism: Cells, first: FloatArray, second: FloatArray) -> FloatArray:
    """Cells on the line through both ends of each pair, and on lines to the sides: round noise knows directions."""
    rng, reach = np.random.default_rng(1), 20 / math.log1p(float(mechanism.theta))
    way = second - first + 1e-3 * rng.standard_normal(first.shape)
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    ahead = [np.rint(second + far * way) for far in (reach / 20, reach / 4, reach)]
    aside = [np.rint(first + far * rng.standard_normal(first.shape)) for far in (reach / 40, reach / 10)]
    return np.concatenate([*ahead, *(np.rint(first - reach / 4 * way),), *aside])
