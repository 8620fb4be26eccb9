"""The lattice of a table, chosen from the profile: fine cells beside kinks, coarse ones in the tails."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from geopriv.mechanisms.table.bends import fitted
from geopriv.mechanisms.table.spare import SHARES, shares_for
from geopriv.shapes.profiles import Gaussian, Profile
from geopriv.spaces.checks import FloatArray, invalid

_GRADES = ((0.5, 0.0625), (1.0, 0.125), (3.0, 0.25))  # widths of cells within so much of a kink
_COARSE, _SLOPED = 0.5, 0.4  # and beyond, where f0 is constant and where it moves
_FAR = 14.0  # how far cells reach beyond the profile's landmarks
_MOST = 7_000  # lattice points times values
_WIDEST = 3.0  # by how much cells of a wide profile may be wider
_FOLLOWED = 5e-6  # of the profile's range: cells are halved while the mean is further off
_BENT = 0.1  # and while f0'' times their width is more of its range, since letters then come and go within them
_HALVINGS = 3
_FINE = 0.05  # cells of straight lines
_SHARED = 2.0  # beyond the ramps: halfway to the next, at gaps of 4/ε
_STRAIGHT = 0.01  # of the profile's range: how far it may leave the straight lines between lattice points


def default_lattice(profile: Profile, letters: int = 33) -> FloatArray:
    """Fine cells where the law of the best report bends, coarse ones in the tails; every landmark is a lattice point.

    Args:
        profile: in units of 1/ε.
        letters: how many values there are; the more, the coarser the cells of a wide profile.
    """
    marks = _marks(profile)
    points = _graded(profile, marks, 1.0)
    wider = points.size * letters / _MOST
    if wider > _WIDEST:
        rule = "no wider than some 200/ε, or the lattice is too coarse; a smaller ε or LeastScaleT would do"
        raise invalid("Table", "query", rule, f"{np.ptp(marks):.4g}/ε")
    if wider > 1:
        return _graded(profile, marks, wider)
    low, high = profile.bounds
    for _ in range(_HALVINGS):
        bends, left = fitted(profile, points, shares_for(points) / SHARES)
        width, bent = np.diff(points), np.maximum(np.abs(bends[1:]), np.abs(bends[:-1]))
        off = left > _FOLLOWED * (high - low)
        off |= (width * bent > _BENT * (high - low)) & (width > _GRADES[0][1])
        if not off.any() or (points.size + off.sum()) * letters > _MOST:
            break
        points = np.sort(np.concatenate([points, (points[:-1] + points[1:])[off] / 2]))
    return points


def fine_lattice(profile: Profile) -> FloatArray:
    """Cells of 0.05/ε around the landmarks and 0.2/ε in the tails, as straight lines between lattice points want them.

    Args:
        profile: in units of 1/ε.
    """
    marks = _marks(profile)
    near, steps = 3.0, 55
    low, high = marks[0] - near, marks[-1] + near
    fine = max(_FINE, (high - low) / 314)
    if fine > 0.75:
        raise invalid("Table", "query", "no wider than some 200/ε", f"{high - low:.4g}/ε")
    inner = np.linspace(low, high, int(np.ceil((high - low) / fine)) + 1)
    outer = np.linspace(0.0, max(_FAR - near, _spent(profile) - high), steps + 1)[1:]
    points = np.concatenate([low - outer[::-1], inner, high + outer])
    keep = np.abs(points[:, None] - marks).min(axis=1) > 0.2 * fine  # no slivers beside landmarks
    return np.unique(np.concatenate([points[keep], marks]))


def straight_lattice(profile: Profile) -> FloatArray:
    """The same with cells half as wide around the ramps, where tables that share a report are heard together.

    A straight line between lattice points rises by at most ε·width and not by e^(ε·width) − 1. Variance falls by some
    3 %, and what two tables 4/ε apart say together by 3 to 8 % (theory T13).

    Args:
        profile: in units of 1/ε.
    """
    points, marks = fine_lattice(profile), _marks(profile)
    middles = (points[1:] + points[:-1]) / 2
    near = (middles > marks[0] - _SHARED) & (middles < marks[-1] + _SHARED)
    halved = near & (np.diff(points) <= _FINE * (1 + 1e-9))  # of a wide profile they are as many as they may be
    return np.unique(np.concatenate([points, middles[halved]]))


def _graded(profile: Profile, marks: FloatArray, wider: float) -> FloatArray:
    """The lattice with cells that are so much wider than the usual ones."""
    # a curved profile is followed to where it is negligible
    tail = _steps(max(_FAR, _spent(profile) - marks[-1]), _COARSE, wider)
    pieces = [marks[0] - tail, marks[-1] + tail]
    for low, high in pairwise(marks.tolist()):
        pieces.append(_piece(profile, low, high, wider))
    return np.unique(np.concatenate(pieces).round(12))


def _piece(profile: Profile, low: float, high: float, wider: float) -> FloatArray:
    """Lattice points between two landmarks, alike from both."""
    inside = profile(np.linspace(low, high, 9))
    half = (high - low) / 2
    if np.ptp(inside) > 0:  # where f0 moves, 0.25 will do beside kinks too
        least = 1 if half < 0.025 else 2 if half < 0.1 else 4 if half < 0.2 else 8
        near = min(half, _GRADES[-1][0])
        count = max(int(np.ceil(near / (wider * _GRADES[-1][1]) - 1e-9)), least // 2)
        steps = np.linspace(0.0, near, count + 1) if least > 1 else np.array([0.0])
        if half > near:
            rest = int(np.ceil((half - near) / (wider * _SLOPED)))
            steps = np.concatenate([steps, np.linspace(near, half, rest + 1)[1:]])
    else:
        steps = _steps(half, _COARSE, wider)
    return np.concatenate([low + steps, high - steps])


def _steps(reach: float, coarse: float, wider: float) -> FloatArray:
    """Distances from a kink at which lattice points lie, up to a reach."""
    points, last = [np.zeros(1)], 0.0
    for end, width in (*_GRADES, (reach, coarse)):
        stop = min(end, reach)
        if stop > last:
            points.append(np.linspace(last, stop, int(np.ceil((stop - last) / (wider * width) - 1e-9)) + 1)[1:])
            last = stop
    return np.concatenate(points)


def _marks(profile: Profile) -> FloatArray:
    """Landmarks, and for a Gaussian narrower than 1/ε enough points to follow it."""
    if isinstance(profile, Gaussian) and profile.bandwidth < 1:
        return profile.center + profile.bandwidth * np.arange(-18, 19) / 4
    return np.asarray(profile.landmarks)


def _spent(profile: Profile) -> float:
    """The coordinate beyond which the profile no longer moves by more than 4e-5 of its range."""
    if isinstance(profile, Gaussian):
        return profile.center + 4.5 * profile.bandwidth
    return profile.landmarks[-1]


def require_fine(profile: Profile, lattice: FloatArray) -> None:
    """Refuse a lattice between whose points, or beyond whose ends, the profile is not nearly straight.

    Args:
        profile: in the unit of the lattice.
        lattice: increasing coordinates.
    """
    low, high = profile.bounds
    limit = _STRAIGHT * (high - low)
    marks = np.asarray(profile.landmarks)
    reach = (marks[-1] - marks[0]) + np.ptp(lattice)
    ends = profile(lattice[[0, -1]]) - profile(np.array([lattice[0] - reach, lattice[-1] + reach]))
    if (np.abs(ends) > limit).any():
        rule = f"long enough that f0 is constant beyond it; from {marks[0] - reach:.6g} to {marks[-1] + reach:.6g} is"
        raise invalid("Table", "lattice", rule, [float(lattice[0]), float(lattice[-1])])
    bend = _bend(profile, lattice)
    cell = int(bend.argmax())
    if bend[cell] > limit:
        start, end = float(lattice[cell]), float(lattice[cell + 1])
        inside = marks[(marks > lattice[0]) & (marks < lattice[-1])]
        width = end - start
        while _bend(profile, np.union1d(np.arange(lattice[0], lattice[-1], width), inside)).max() > limit:
            width /= 1.25
        rule = (
            f"fine enough that straight lines stay within {_STRAIGHT:.0%} of the query's range; "
            f"cells of at most {width:.3g} with points at {inside.tolist()} would do"
        )
        raise invalid("Table", "lattice", rule, f"a cell from {start:.6g} to {end:.6g}, {bend[cell]:.3g} off")


def _bend(profile: Profile, lattice: FloatArray) -> FloatArray:
    """How far the profile leaves the straight line, for each cell."""
    share = np.linspace(0.0, 1.0, 33)[:, None]
    first, last = profile(lattice[:-1]), profile(lattice[1:])
    between = profile(lattice[:-1] + np.diff(lattice) * share)
    return np.asarray(np.abs(between - first - (last - first) * share).max(axis=0))
