"""The Gaussian profile F(c) = exp(−c²/2), in units of the bandwidth: L_Λ and B* to rounding error.

The paper's lemmas 4.6 and 4.7 for this case are wrong (theory E3, E4): their B* lies below the supremum. Here:

* L_Λ(z) is the slope of the chord from z to the tangent point w, where F'(w)·(w − z) = F(w) − F(z), or to the end of
  the radius, w = z ± Λ, if that comes first. From z < 1 the best w lies to the right, from z > 1 to the left (F is
  concave before its inflection at 1 and convex after), so L_Λ rises up to z = 1 and falls after it.
* By the envelope theorem L_Λ'(z) = (F'(z) − F'(w))/(w − z) in both cases.
* B*(c) is the supremum over z between c and 1 of L_Λ(z)/g(|c − z|): at c or where (ln L_Λ)' meets the growth's slope.

Everything is computed in logarithms, so that nothing underflows far out.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import optimize
from scipy.optimize import elementwise

from geopriv.shapes.profiles import Gaussian
from geopriv.smooth.sensitivity.growth import Growth
from geopriv.spaces.checks import FloatArray

_NEAR, _FAR = 1e-3, 9.0  # of the inflection at 1; where exp(−z²/2) is below rounding
_GRID = 384  # places at which a local maximum is looked for; each one found is then refined to rounding error
_CHUNK = 2048


def pointwise(profile: Gaussian, s: FloatArray, radius: float) -> FloatArray:
    """L_Λ of the profile."""
    h = profile.bandwidth
    c = np.abs(s - profile.center) / h
    return np.exp(_log_pointwise(c, _partner(c, radius / h))) / h


def smooth(profile: Gaussian, growth: Growth, s: FloatArray, radius: float) -> FloatArray:
    """B* of the profile."""
    h = profile.bandwidth
    c = np.abs(s - profile.center) / h
    rescaled = growth.stretched(h)
    if rescaled.multiplicative:
        return np.exp(_log_smooth_exponential(c, rescaled, radius / h)) / h
    flat = c.ravel()
    parts = [_log_smooth(flat[i : i + _CHUNK], rescaled, radius / h) for i in range(0, flat.size, _CHUNK)]
    return np.asarray(np.exp(np.concatenate([*parts, np.empty(0)]).reshape(c.shape)) / h)


def _log_smooth_exponential(c: FloatArray, growth: Growth, radius: float) -> FloatArray:
    """The logarithm of B* for g_E: the stationary z do not depend on c, so they are found once."""
    best = _log_pointwise(c, _partner(c, radius))
    for z, log_l in _stationary_points(growth.gamma, radius):
        best = np.maximum(best, log_l - growth.gamma * np.abs(c - z))
    return best


@lru_cache(maxsize=256)
def _stationary_points(gamma: float, radius: float) -> tuple[tuple[float, float], ...]:
    """(z, ln L_Λ(z)) at the local maxima of ln L_Λ(z) − γz on [0, 1] and of ln L_Λ(z) + γz on [1, ∞)."""
    found = [(1.0, -0.5)]
    for grid, sign in ((_grid_below(), -1.0), (_grid_above(gamma, radius), 1.0)):

        def excess(z: FloatArray, sign: float = sign) -> FloatArray:
            return _log_slope(z, _partner(z, radius)) + sign * gamma

        e = excess(grid)
        for k in np.flatnonzero((e[:-1] > 0) & (e[1:] <= 0)):
            z = optimize.brentq(lambda t, f=excess: float(f(np.asarray(t))), grid[k], grid[k + 1], xtol=1e-13)
            found.append((z, float(_log_pointwise(np.asarray(z), _partner(np.asarray(z), radius)))))
    return tuple(found)


def _log_smooth(c: FloatArray, growth: Growth, radius: float) -> FloatArray:
    """The logarithm of B* for any growth: for each c every local maximum over z between c and 1 is refined."""
    # z = 1, where L_Λ is largest, is a candidate of its own: the grids only approach it
    best = np.maximum(_log_pointwise(c, _partner(c, radius)), -0.5 - growth.log(np.abs(c - 1)))
    for grid, rows in ((_grid_below(), c < 1), (_grid_above(growth.gamma, radius), c > 1)):
        if rows.any():
            row, low, high = _brackets(c[rows], grid, growth, radius)
            at = np.flatnonzero(rows)[row]
            z = _refine(c[at], low, high, growth, radius)
            np.maximum.at(best, at, _log_pointwise(z, _partner(z, radius)) - growth.log(np.abs(z - c[at])))
    return best


def _brackets(c: FloatArray, grid: FloatArray, growth: Growth, radius: float) -> tuple[FloatArray, ...]:
    """(row, low, high) of every interval between c and 1 in which ln L_Λ(z) − ln g(|c − z|) stops rising."""
    c = c[:, None]
    rise = _log_slope(grid, _partner(grid, radius)) - np.sign(grid - c) * growth.slope(np.abs(grid - c))
    between = (grid > c) if c[0, 0] < 1 else (grid < c)
    row, cell = np.nonzero((rise[:, :-1] > 0) & (rise[:, 1:] <= 0) & between[:, :-1] & between[:, 1:])
    # the cell that holds c is cut at c
    k = np.clip(np.searchsorted(grid, c[:, 0]), 1, grid.size - 1)
    low, high = (c[:, 0], grid[k]) if c[0, 0] < 1 else (grid[k - 1], np.minimum(c[:, 0], grid[k]))
    every = np.arange(len(c))
    return np.concatenate([row, every]), np.concatenate([grid[cell], low]), np.concatenate([grid[cell + 1], high])


def _refine(c: FloatArray, low: FloatArray, high: FloatArray, growth: Growth, radius: float) -> FloatArray:
    """Bisection for where the objective stops rising; in an interval without such a point, one of its ends."""
    towards = np.sign(1 - c)
    for _ in range(30):
        z = (low + high) / 2
        up = _log_slope(z, _partner(z, radius)) > towards * growth.slope(np.abs(z - c))
        low, high = np.where(up, z, low), np.where(up, high, z)
    return (low + high) / 2


def _grid_below() -> FloatArray:
    return np.concatenate([[0.0], 1 - np.geomspace(1 - 1e-3, 1e-6, _GRID), [1.0]])


def _grid_above(gamma: float, radius: float) -> FloatArray:
    # beyond Λ + γ the logarithm of L_Λ falls faster than γ; with Λ = ∞ its slope only rises once z > 4
    far = 9.0 + gamma + (radius if np.isfinite(radius) else 0.0)
    return np.concatenate([[1.0], 1 + np.geomspace(1e-6, far, 2 * _GRID)])


def _log_pointwise(z: FloatArray, w: FloatArray) -> FloatArray:
    """ln(|F(w) − F(z)|/|w − z|) without cancellation: ln of F(min)·(1 − e^(−u))/u·(w + z)/2 with u = |w² − z²|/2."""
    u = np.abs(w - z) * (w + z) / 2
    small = u < 1e-12
    ratio = np.where(small, 1.0, -np.expm1(-u) / np.where(small, 1.0, u))
    nearest = np.minimum(w, z)
    return -(nearest**2) / 2 + np.log(ratio) + np.log((w + z) / 2)


def _log_slope(z: FloatArray, w: FloatArray) -> FloatArray:
    """(ln L_Λ)'(z) = (F'(z) − F'(w))/((w − z)·L_Λ(z)); 0 at the inflection, where w = z."""
    log_l = _log_pointwise(z, w)
    rise = w * np.exp(-(w**2) / 2 - log_l) - z * np.exp(-(z**2) / 2 - log_l)
    same = w == z
    return np.where(same, 0.0, rise / np.where(same, 1.0, w - z))


def _partner(z: FloatArray, radius: float) -> FloatArray:
    """The other end w ≥ 0 of the steepest chord from z that is no longer than the radius."""
    z = np.asarray(z, dtype=np.float64)
    return np.clip(_tangent(z), z - radius, z + radius)


def _tangent(z: FloatArray) -> FloatArray:
    """The tangent point: the root w ≠ z of T(w) = exp((w² − z²)/2) − 1 − w(w − z).

    Two Newton steps from a table. Near the inflection, where the root nears the double root w = z, its expansion in
    t = z − 1 is used: w = 1 − t/2 + 3t²/32 + O(t³). (L_Λ is stationary in w, so its error is O(t⁶).) Far out
    exp(−z²/2) vanishes and w solves w(z − w) = 1.
    """
    t = z - 1
    far = z > _FAR
    w = np.interp(z, *_tangent_table())
    for _ in range(2):
        e = np.expm1((w**2 - z**2) / 2)
        steep = w * (e + 1) - (2 * w - z)
        w = w - (e - w * (w - z)) / np.where(steep == 0, 1.0, steep)
    w = np.where(far, 2 / (z + np.sqrt(np.where(far, z**2 - 4, 1.0))), w)
    return np.where(np.abs(t) < _NEAR, 1 - t / 2 + 3 * t**2 / 32, w)


@lru_cache(maxsize=1)
def _tangent_table() -> tuple[FloatArray, FloatArray]:
    below, above = np.linspace(0, 1 - _NEAR, 1024), np.linspace(1 + _NEAR, _FAR, 8192)
    z = np.concatenate([below, above])
    bracket = np.where(z < 1, 1.0, 0.0), np.where(z < 1, 1.6, 1.0)
    root = elementwise.find_root(lambda w, z: np.expm1((w**2 - z**2) / 2) - w * (w - z), bracket, args=(z,))
    return z, root.x
