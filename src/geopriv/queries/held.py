"""Two soft questions that hold a plain one between them, smooth enough for round noise to be undone.

Let A = {s ≤ 0} for a 1-Lipschitz s, K ≥ 0 a kernel of mass 1 of which all but η lies within r, and ρ = r + cell, where
no two corners of a cell of the report's grid are farther apart than `cell`. With M the points with s ≤ ρ, whoever is in
A, and every corner of a cell around them, has all points within r in M, so (1_M ∗ K)/(1 − η) is at least 1 there, and
nowhere below 0. With M the points with s ≤ −ρ, whoever is outside of A has none within r, nor have the corners around
them, so (1_M ∗ K − η)/(1 − η) is at most 0 there, and nowhere above 1. A report on the grid estimates the interpolant
between corners, so the plain share lies between the two means (theory T14).

The kernel is (1 − |z|²/r₁²)² on a disc, which keeps people near the border out of the edge, seen through a narrow
Gaussian, without which its spectrum would not fall as fast as that of the noise.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache

import numpy as np
from scipy import fft, special

from geopriv.queries.base import Query
from geopriv.queries.brackets import Bracket, Mask, OfCoordinate, near_border
from geopriv.shapes.coordinates import Box, Coordinate, Linear
from geopriv.shapes.grids import BlurredGrid, lengths
from geopriv.shapes.profiles import BlurredPieces, PiecewiseLinear, Profile
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray, invalid

_OUTSIDE = 1e-4  # η: of a kernel may lie outside of its reach, and is paid for by both ends
_NARROW = 2.0  # points of a grid in the bandwidth of the Gaussian: more of its spectrum than 1e-8 would be lost
_MARGIN, _ROUGH_MARGIN = 16.0, 8.0  # noise scales around what is not constant: e^(−16) is 1e-7
_MOST = 3 << 19  # points of a grid
_ROUGH = 0.8  # bandwidths of the Gaussian between the points of a rough grid: 8e-4 of its spectrum is lost
_SERIES = 4.0  # below, a series is right to all digits
_FINE = 1e-3  # of a bandwidth: the width of an edge before it is blurred


class Held(Query):  # no dataclass, as `OnCells`: no document asks it
    """One of the two functions around a region of the plane.

    Args:
        plain: s.
        reach: ρ.
        kernel: K.
        spacing: of the grid on which it is computed.
        origin: a point of that grid.
        outer: whether it holds the region from above.
        margin: noise scales by which the grid reaches farther than what is not constant.
    """

    def __init__(
        self,
        plain: Coordinate,
        reach: float,
        kernel: Kernel,
        spacing: float,
        origin: tuple[float, ...],
        outer: bool,
        margin: float = _MARGIN,
    ) -> None:
        self.space: Space = plain.space
        self.plain, self.reach, self.kernel, self.spacing = plain, reach, kernel, spacing
        self.origin, self.outer, self.margin = origin, outer, margin

    def rough(self) -> Held:
        """The same on a coarser and smaller grid, for predictions."""
        spacing = max(self.spacing, _ROUGH * self.kernel.bandwidth)
        return Held(self.plain, self.reach, self.kernel, spacing, self.origin, self.outer, _ROUGH_MARGIN)

    @property
    def has_profile(self) -> bool:
        return False

    @property
    def geometry(self) -> Coordinate:
        raise invalid("Held", "query", "asked of a Lattice with round noise", "another mechanism")

    @property
    def profile(self) -> Profile:
        raise invalid("Held", "query", "asked of a Lattice with round noise", "another mechanism")

    @property
    def gridded(self) -> bool:
        return True

    @property
    def is_share(self) -> bool:
        return True

    @property
    def bounds(self) -> tuple[float, float]:
        tail = _OUTSIDE / (1 - _OUTSIDE)
        return (0.0, 1 + tail) if self.outer else (-tail, 1.0)

    @property
    def bend(self) -> float:
        """None that counts: it holds the plain question at the corners of cells, and so between them."""
        return 0.0

    @property
    def moved(self) -> object:
        return self

    def box_of_change(self, margin: float) -> Box | None:
        return None

    def answer(self, points: FloatArray) -> FloatArray:
        """F at points."""
        return self._near(points)

    @cached_property
    def _near(self) -> BlurredGrid:
        return self.grid(np.inf)

    def grid(self, rate: float) -> BlurredGrid:
        """F on a grid that reaches as far as noise of a rate needs."""
        first, shape = _layout(self.plain, self.origin, self.spacing, self.reach, self.margin / rate)
        axes = [
            start + self.spacing * (index + np.arange(n, dtype=np.float64))
            for start, index, n in zip(self.origin, first, shape, strict=True)
        ]
        edge = self.reach if self.outer else -self.reach
        mask: Mask = near_border(self.plain, axes, 0.0, edge) <= 0
        start = np.array([axis[0] for axis in axes])
        waves = BlurredGrid(start, self.spacing, fft.dctn(mask.astype(np.float64)))
        spectrum = waves.spectrum * _symbol(self.kernel, tuple(shape), self.spacing) / (1 - _OUTSIDE)
        if not self.outer:
            spectrum.flat[0] -= _OUTSIDE / (1 - _OUTSIDE) * np.prod([2.0 * n for n in shape])
        return BlurredGrid(start, self.spacing, spectrum)


@lru_cache(maxsize=4)  # both sides of a bracket have the same
def _symbol(kernel: Kernel, shape: tuple[int, ...], spacing: float) -> FloatArray:
    """The spectrum of a kernel at the cosines of a grid."""
    return kernel(lengths(shape, spacing))


class Kernel:
    """The spectrum of (1 − |z|²/r²)² on a disc, seen through a Gaussian; of the Gaussian alone where r is 0.

    Args:
        radius: r of the disc.
        bandwidth: of the Gaussian.
    """

    def __init__(self, radius: float, bandwidth: float) -> None:
        self.radius, self.bandwidth = radius, bandwidth

    def __call__(self, length: FloatArray) -> FloatArray:
        """At ‖ω‖: 48·J₃(x)/x³ with x = r·‖ω‖ for the disc, which is 1 at 0."""
        disc = _disc(self.radius * length) if self.radius else 1.0
        return np.asarray(disc * np.exp(-0.5 * np.minimum((self.bandwidth * length) ** 2, 1e3)))


def _disc(x: FloatArray) -> FloatArray:
    """48·J₃(x)/x³ by J₀ and J₁, which are fast; near 0, where they cancel, by the series Σ 6·(−x²/4)^k/(k!(k + 3)!)."""
    small = x < _SERIES
    near, far = x[small], x[~small]
    term = np.ones_like(near)
    series = term
    for k in range(1, 24):
        term = term * (-(near**2) / 4) / (k * (k + 3))
        series = series + term
    third = (8 / far**2 - 1) * special.j1(far) - 4 / far * special.j0(far)
    values = np.empty_like(x)
    values[small], values[~small] = series, 48 * third / far**3
    return values


@lru_cache(maxsize=32)  # a bracket is asked for again by every group of people
def held(
    query: Query, origin: tuple[float, ...], step: float, reach: float, narrow: float, rate: float
) -> Bracket | None:
    """The bracket of a query's plain question for a grid with round noise.

    Args:
        query: on a flat space of two and more axes.
        origin: of the report's grid.
        step: of it.
        reach: ρ, how far from the border what holds the question counts one half.
        narrow: the least bandwidth of the Gaussian, below which the spectrum of the noise falls too fast.
        rate: of the noise, for how far grids reach.

    Returns:
        None where there is no plain question, where its region would take too many points, and where the reach is too
        short for any kernel.
    """
    plain, cell = query.plain_set, step * math.sqrt(query.space.dimension)
    if plain is None or not query.space.flat or not reach > cell:
        return None
    if plain.axis is not None:
        return _of_half_space(plain, plain.axis, step, reach, narrow)
    if query.space.dimension != 2 or plain.outline(0.0) is None:
        return None
    spacing = step
    while math.prod(map(float, _layout(plain, origin, spacing, reach, _MARGIN / rate)[1])) > _MOST:
        spacing *= 1.25
    kernel = _kernel(reach - cell, max(narrow, _NARROW * spacing), spacing)
    if kernel is None or kernel.bandwidth < narrow:
        return None
    inner, outer = (Held(plain, reach, kernel, spacing, origin, side) for side in (False, True))
    return Bracket(inner, outer)


def _layout(
    plain: Coordinate, origin: tuple[float, ...], spacing: float, reach: float, noise: float
) -> tuple[list[int], list[int]]:
    """The first index along each axis, and how many there are, of a grid around a region."""
    box = plain.outline(0.0)
    assert box is not None  # what `held` looks at
    margin = 2 * reach + noise
    low, high = ((np.asarray(corner) - origin) / spacing for corner in box)
    first, last = np.floor(low - margin / spacing) - 1, np.ceil(high + margin / spacing) + 1
    sizes = (last - first + 1).astype(int).tolist()
    return first.astype(int).tolist(), [fft.next_fast_len(size, real=True) for size in sizes]


def _kernel(within: float, bandwidth: float, spacing: float) -> Kernel | None:
    """A kernel of which at most η lies farther out than `within`, sums over grid points included; None if none can be.

    Its disc is what is left beside the Gaussian; where nothing is left, the Gaussian alone is taken, as wide as can be.
    """
    far = bandwidth * reach_of(spacing / bandwidth)
    if far < within:
        return Kernel(within - far, bandwidth)
    alone = within / reach_of(1 / _NARROW)
    return Kernel(0.0, alone) if alone >= _NARROW * spacing else None


@lru_cache(maxsize=256)
def reach_of(spacing: float) -> float:
    """Beyond how many bandwidths at most η of a Gaussian lies, as a sum over points of a square grid in the plane.

    A point of the grid stands for the square around it. Wherever the middle of the Gaussian lies in its square, a point
    at y is no nearer to it than |y| − h, h being half of a square's diagonal.
    """
    half = spacing / math.sqrt(2)
    axis = spacing * np.arange(-math.ceil(12 / spacing), math.ceil(12 / spacing) + 1)
    length = np.sort(np.hypot(axis[:, None], axis).ravel())
    mass = spacing**2 / (2 * math.pi) * np.exp(-0.5 * np.maximum(length - half, 0.0) ** 2)
    beyond = np.cumsum(mass[::-1])[::-1]
    return float(length[np.argmax(beyond <= _OUTSIDE)] + half)


def _of_half_space(
    plain: Coordinate, axis: tuple[float, ...], step: float, reach: float, narrow: float
) -> Bracket | None:
    """Of {s ≤ 0} for a linear s: two edges in s, each seen through a Gaussian of which η lies beyond the reach.

    Along s a cell is no longer than step·Σ|u_j|.
    """
    cell = step * sum(map(abs, axis))
    bandwidth = (reach - cell) / float(special.ndtri(1 - _OUTSIDE) + _FINE)
    if bandwidth < narrow:
        return None
    tail, fine = _OUTSIDE / (1 - _OUTSIDE), _FINE * bandwidth / 2
    # along −s both rise
    rising = Linear(plain.space, tuple(-u for u in axis), -float(plain(np.zeros(plain.space.point_shape))))
    inner = PiecewiseLinear((reach - fine, reach + fine), (-tail, 1.0))
    outer = PiecewiseLinear((-reach - fine, -reach + fine), (0.0, 1 + tail))
    return Bracket(*(OfCoordinate(rising, BlurredPieces(part, bandwidth)) for part in (inner, outer)))
