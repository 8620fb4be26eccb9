"""What the program of a BracketTable chooses from: lattice, letters, and for whom."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from geopriv.mechanisms.table.mirrored import Letters
from geopriv.mechanisms.table.program import binned
from geopriv.spaces.checks import FloatArray

_FINE, _MIDDLE, _COARSE = 0.05, 0.1, 0.4  # widths of cells
_FAR = 10.0  # how far coarse cells reach beyond the others
_STEPS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)  # by which letters leave 0 and 1, where `power_of` is 1


def power_of(people: float, density: float) -> float:
    """How large letters are: as the fourth root of the people within 1/ε of the border.

    An edge of width w costs a half-width of density·w/2, and its letters, of some 1/w, cost noise of √(density/n)/w.
    """
    return min(max(math.sqrt(math.sqrt(people * density)) / 8.7, 0.15), 8.0)


def lattice_for(marks: FloatArray, power: float, coarse: bool = False) -> FloatArray:
    """Fine cells at the border, coarse ones in the tails, alike on both sides; every landmark is a lattice point.

    Args:
        marks: landmarks beyond the border.
        power: of `power_of`: where many people are asked, edges are narrow.
        coarse: for a first look.
    """
    times = 2.0 if coarse else 1.0
    near, middle = 1 / max(1.0, power), max(2.0, float(marks.max()) + 0.5)
    parts = [(0.0, near, _FINE * near), (near, 1.0, _FINE), (1.0, middle, _MIDDLE), (middle, middle + _FAR, _COARSE)]
    pieces = [np.linspace(a, b, math.ceil((b - a) / (times * step) - 1e-9) + 1) for a, b, step in parts if b > a]
    points = np.unique(np.concatenate(pieces).round(12))
    keep = np.abs(points[:, None] - marks).min(axis=1) > 0.2 * _FINE * near
    half = np.unique(np.concatenate([[0.0], points[keep & (points > 0)], marks]))
    return np.concatenate([-half[:0:-1], half])


def letters_for(power: float, width: float) -> Letters:
    """Letters to choose from, one of each pair of mirror images.

    Those that the best programs on full grids use are near the line of equal inner and outer, or on the line of images
    of themselves; leaving out the others costs less than 1 % of H.

    Args:
        power: of `power_of`.
        width: over which f0 rises, in 1/ε.
    """
    out = power * np.asarray(_STEPS)
    grid = np.unique(np.concatenate([-out, [0.0, 0.5, 1.0], 1 + out]).round(9))
    pairs = [(x, x) for x in grid] + [(x, 1 - x) for x in grid]
    pairs += [pair for x, y in pairwise(grid) for pair in ((x, y), (y, x))]
    reach = max(0.5, 1.25 / width)
    soft = np.array([-reach, -reach / 2, 0.0, 0.5, 1.0, 1 + reach / 2, 1 + reach])
    triples = set()
    for x, y in pairs:
        near = int(np.abs(soft - (x + y) / 2).argmin())
        plateau = {x, y} <= {0.0, 0.5, 1.0}
        for v in soft if plateau else soft[max(near - 1, 0) : near + 2]:
            image = (round(1 - y, 9), round(1 - x, 9), round(1 - float(v), 9))
            if image not in triples:
                triples.add((round(float(x), 9), round(float(y), 9), round(float(v), 9)))
    return Letters(*np.array(sorted(triples)).T)


def spread(lattice: FloatArray, density: float) -> FloatArray:
    """Shares of the lattice points for people of one density, the rest of whom are at both ends alike."""
    even = np.linspace(lattice[0], lattice[-1], 8001)
    share = min(1.0, density * float(np.ptp(lattice)))
    shares = share * binned(lattice, even, np.full(even.size, 1 / even.size))
    shares[[0, -1]] += (1 - share) / 2
    return shares
