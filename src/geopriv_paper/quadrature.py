"""Adaptive quadrature of Lipschitz functions with kinks on the unit cube, for many integrals at once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import numpy.typing as npt

from geopriv.errors import GeoprivError
from geopriv.spaces.checks import FloatArray

Indices = npt.NDArray[np.intp]
Integrand = Callable[[Indices, FloatArray], FloatArray]
Resolution = Callable[[Indices, FloatArray, float], tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]]

_ORDER = {1: 7, 2: 5, 3: 4}  # Gauss points per axis
_CELLS = 4_000_000  # of a block, at one level
_TOGETHER = 64  # integrals refined together


class QuadratureFailed(GeoprivError):
    """The tolerance was not reached; a larger one would be."""


def integrate(
    integrand: Integrand, resolution: Resolution, count: int, dimension: int, outputs: int, tolerance: float
) -> FloatArray:
    """∫ over [0, 1]^k of `count` vector-valued functions, each to an absolute tolerance.

    All cells of all integrals are refined together, level by level. A cell is done when either
    * its certified value is within its share of the tolerance, or
    * it is resolved (no feature of the integrand can hide between its Gauss points) and its Gauss sum differs from the
      sum over its 2^k halves by no more than that share.

    Args:
        integrand: maps (which, points) with points of shape (m, k) to values of shape (m, outputs).
        resolution: maps (which, corners, size) of m cells to: certified values of their integrals (m, outputs), a bound
            on what those are off by (m,), and whether each cell is resolved (m,).
        count: of integrals.
        dimension: k, 1 to 3.
        outputs: components of each integrand.
        tolerance: absolute, for every component.

    Returns:
        Shape (count, outputs).
    """
    everyone: Indices = np.arange(count)
    blocks = [everyone[i : i + _TOGETHER] for i in range(0, count, _TOGETHER)]
    total = np.zeros((count, outputs))
    while blocks:
        block = blocks.pop()
        try:
            total[block] = _block(integrand, resolution, block, dimension, outputs, tolerance)
        except QuadratureFailed:
            if block.size == 1:
                raise
            blocks += [block[: block.size // 2], block[block.size // 2 :]]
    return total


def _block(
    integrand: Integrand, resolution: Resolution, block: Indices, dimension: int, outputs: int, tolerance: float
) -> FloatArray:
    """The integrals named in the block, all cells refined together."""
    nodes, weights = _rule(dimension)
    halves = np.array(list(product((0.0, 0.5), repeat=dimension)))
    count = block.size
    owner: Indices = np.arange(count)
    corner, size = np.zeros((count, dimension)), 1.0
    coarse = _sums(integrand, block, corner, size, nodes, weights, outputs)
    total = np.zeros((count, outputs))
    while owner.size:
        if owner.size * len(halves) > _CELLS:
            raise QuadratureFailed(
                f"A tolerance of {tolerance:g} was not reached with {_CELLS:,} cells; a larger one will be."
            )
        children = (corner[:, None, :] + halves * size).reshape(-1, dimension)
        owners = np.repeat(owner, len(halves))
        fine = _sums(integrand, block[owners], children, size / 2, nodes, weights, outputs)
        better = fine.reshape(owner.size, len(halves), outputs).sum(axis=1)
        certified, uncertainty, resolved = resolution(block[owner], corner, size)
        error = np.where(resolved, np.abs(better - coarse).max(axis=1), np.inf)
        # half of the tolerance, shared by the cells of a level; what is kept is the finer sum, whose error is smaller
        share = tolerance / 2 / np.bincount(owner, minlength=count)[owner]
        known = uncertainty <= share / 8  # nothing finer improves these, and every level adds some
        left = np.bincount(owner, weights=np.minimum(error, uncertainty), minlength=count)
        done = known | (error <= share) | (left <= tolerance / 2)[owner]
        np.add.at(total, owner[done], np.where(np.isfinite(error[done, None]), better[done], certified[done]))
        keep = np.repeat(~done, len(halves))
        owner, corner, coarse = owners[keep], children[keep], fine[keep]
        size /= 2
    return total


def _rule(dimension: int) -> tuple[FloatArray, FloatArray]:
    x, w = np.polynomial.legendre.leggauss(_ORDER[dimension])
    axes = np.meshgrid(*[(x + 1) / 2] * dimension, indexing="ij")
    mass = np.meshgrid(*[w / 2] * dimension, indexing="ij")
    return np.stack([a.ravel() for a in axes], axis=-1), np.prod([m.ravel() for m in mass], axis=0)


def _sums(
    integrand: Integrand,
    owner: Indices,
    corner: FloatArray,
    size: float,
    nodes: FloatArray,
    weights: FloatArray,
    outputs: int,
) -> FloatArray:
    """The Gauss sum of each cell, a block of cells at a time."""
    result = np.empty((owner.size, outputs))
    step = max(1, (1 << 19) // len(nodes))
    for i in range(0, owner.size, step):
        block = slice(i, i + step)
        points = corner[block, None, :] + size * nodes
        values = integrand(np.repeat(owner[block], len(nodes)), points.reshape(-1, points.shape[-1]))
        shaped = values.reshape(-1, len(nodes), outputs)
        result[block] = (shaped * weights[:, None]).sum(axis=1) * size ** points.shape[-1]
    return result
