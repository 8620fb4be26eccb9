"""The law of income and debt by quadrature: on a grid, and along the coordinate of a two-way threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import special

from geopriv.spaces.checks import FloatArray
from geopriv_paper.datasets import Households

_NODES, _ANGLES = 6, 32  # Gauss–Legendre
_CHUNK = 1 << 21


@dataclass(frozen=True, eq=False)
class GridLaw:
    """The law on a product of nodes, for functions of one axis each that are smooth between edges.

    Args:
        nodes: the same on both axes.
        masses: shape (incomes, debts).
    """

    nodes: FloatArray
    masses: FloatArray

    @classmethod
    def of(cls, law: Households, step: float, top: float) -> GridLaw:
        """Three Gauss–Legendre nodes in each interval: of a step from 0 to a top, and beyond growing by a fifth."""
        beyond = top * 1.2 ** np.arange(1, 19)  # 1e-8 of all debts are higher
        edges = np.concatenate([step * np.arange(round(top / step) + 1), beyond])
        nodes, weights = np.polynomial.legendre.leggauss(3)
        half = np.diff(edges)[:, None] / 2
        places, measure = (edges[:-1, None] + half * (nodes + 1)).ravel(), (half * weights).ravel()
        density = _joint(law, places[:, None], places)
        return cls(places, density * measure[:, None] * measure)

    def means(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """E u_i(income)·v_j(debt) for functions at the nodes, shapes (I, nodes) and (J, nodes)."""
        return np.asarray(first @ self.masses @ second.T)


@dataclass(frozen=True, eq=False)
class CornerLaw:
    """The law of the coordinate s of two-way thresholds f_τ: the signed distance to the quadrant beyond c0.

    E c(s) = Σ_k weights_k·c(s_k), by Gauss–Legendre between the places where f_τ or the hard threshold bends.

    Args:
        s: nodes, negative inside the quadrant.
        weights: of the nodes, shape (queries, nodes).
        above: of the people above both thresholds, the same shape: E c(s)·1{x > T}.
    """

    s: FloatArray
    weights: FloatArray
    above: FloatArray

    @classmethod
    def of(cls, law: Households, at: FloatArray, width: float, scale: float) -> CornerLaw:
        """For thresholds of shape (queries, 2), all of one width.

        Args:
            law: of incomes and debts.
            at: thresholds T.
            width: τ.
            scale: over which functions of s change: 1/ε.
        """
        r1 = width / math.sqrt(2)
        edge = width / 2 + r1  # from c0 to the hard threshold
        corner = at + edge
        s, measure = _nodes((0.0, r1, edge, r1 + width), scale, float(np.hypot(*corner.T).max()))
        inside = s < 0
        weights, above = np.zeros((len(at), s.size)), np.zeros((len(at), s.size))
        for axis in (0, 1):  # beside the quadrant one axis decides, and inside the one that is nearer to its edge
            place = corner[:, [axis]] - s
            other = corner[:, [1 - axis]] - np.where(inside, s, 0.0)
            part = _density(law, place, axis) * _beyond(law, place, other, axis)
            weights += part
            above += np.where(s < edge, part, 0.0)
        t = s[~inside]
        weights[:, ~inside] += _arcs(law, corner, t, np.zeros_like(t), np.full_like(t, math.pi / 2))
        # of the arc of radius s the part above both thresholds
        share = np.minimum(edge / t, 1.0)
        low, high = np.arccos(share), np.arcsin(share)
        above[:, ~inside] += _arcs(law, corner, t, np.minimum(low, high), high)
        return cls(s, weights * measure, above * measure)


def _nodes(marks: tuple[float, ...], scale: float, farthest: float) -> tuple[FloatArray, FloatArray]:
    """Panels that end at the marks, fine around them, and grow outwards; nodes and their weights."""
    near = scale * np.arange(1, 13) / 2
    far = 6 * scale * 1.15 ** np.arange(1, 200)
    steps = np.concatenate([near, far])
    inside, outside = -steps[steps < 400 * farthest], marks[-1] + steps[steps < farthest]
    between = [np.linspace(a, b, 3) for a, b in pairwise(marks)]
    edges = np.unique(np.concatenate([inside, *between, outside, [farthest]]))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (nodes + 1)).ravel(), (half * weights).ravel()


def _arcs(law: Households, corner: FloatArray, s: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """s·∫ density at c0 − s·(cos θ, sin θ) dθ from low to high."""
    nodes, weights = np.polynomial.legendre.leggauss(_ANGLES)
    theta = low[:, None] + (high - low)[:, None] * (nodes + 1) / 2
    x, y = s[:, None] * np.cos(theta), s[:, None] * np.sin(theta)
    step = max(1, _CHUNK // x.size)
    parts = [
        _joint(law, c[:, 0, None, None] - x, c[:, 1, None, None] - y) @ (weights / 2)
        for c in (corner[i : i + step] for i in range(0, len(corner), step))
    ]
    return np.asarray(np.concatenate(parts) * s * (high - low))


def _standard(law: Households, value: FloatArray, axis: int) -> FloatArray:
    """The standard normal variable behind an income (axis 0) or a debt; −∞ for nothing and less."""
    middle = law.mu + (math.log(law.ratio) if axis else 0.0)
    positive = value > 0
    return np.where(positive, (np.log(np.where(positive, value, 1.0)) - middle) / law.sigma, -np.inf)


def _rest(law: Households) -> float:
    return math.sqrt(1 - law.correlation**2)


def _density(law: Households, value: FloatArray, axis: int) -> FloatArray:
    z = np.maximum(_standard(law, value, axis), -40.0)
    return np.asarray(np.exp(-(z**2) / 2) / (math.sqrt(2 * math.pi) * law.sigma * np.maximum(value, 1e-300)))


def _beyond(law: Households, value: FloatArray, other: FloatArray, axis: int) -> FloatArray:
    """P[the other axis is above `other`], given this one."""
    z, w = np.maximum(_standard(law, value, axis), -40.0), _standard(law, other, 1 - axis)
    return np.asarray(special.ndtr((law.correlation * z - w) / _rest(law)))


def _joint(law: Households, income: FloatArray, debt: FloatArray) -> FloatArray:
    z = np.maximum(_standard(law, income, 0), -40.0)
    given = (_standard(law, debt, 1) - law.correlation * z) / _rest(law)
    given = np.clip(given, -40.0, 40.0)
    scale = 2 * math.pi * law.sigma**2 * _rest(law)
    area = np.maximum(income, 1e-150) * np.maximum(debt, 1e-150)
    return np.asarray(np.exp(-(z**2 + given**2) / 2) / (scale * area))
