"""The float filter: the laws of laws.py in float64, compiled, each with a bound on its own error.

A kernel says of every draw that it was rejected, that it is certain, or that floats cannot tell; the last are settled
in balls from the same bits. So a kernel can be slow or timid, but it cannot change a report.

Error bounds. The operations + − × ÷ √ are rounded correctly. exp, expm1, log, log1p, sin, cos, atan2 and hypot are
taken to be right to 2^-48 (`_REL`), relative, for arguments as they are given: 16 units in the last place, where
mathematical libraries promise one or two; a test compares the results with balls. A uniform number known by its first
bits k is (k + ½)/2^64 give or take ½/2^64, so its logarithm is known to ½/k, and for small k not at all. Products of
errors are covered by the factor `_MORE`.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from geopriv.noise.compiled import compiled
from geopriv.spaces.checks import FloatArray

Words = npt.NDArray[np.uint64]
Status = npt.NDArray[np.uint8]

REJECTED, CERTAIN, UNKNOWN = 0, 1, 2

_REL = 2.0**-48
_MORE = 1.25
_LARGEST = 2.0**51  # grid numbers that a float holds with room to spare
_MASK = np.uint64((1 << 63) - 1)
_TOP = np.uint64(63)


@compiled
def _log(bits: np.uint64, count: int) -> tuple[float, float]:
    """The logarithm of a uniform number of which `count` bits are known, and its error."""
    if bits == 0:
        return 0.0, math.inf
    known = float(bits)
    value = math.log((known + 0.5) * 2.0**-count)
    return value, _MORE * (abs(value) * _REL + 2.0**-51 + 0.5 / known)


@compiled
def laplace(words: Words, z: FloatArray, error: FloatArray, status: Status) -> None:
    """LaplaceLaw."""
    for i in range(words.shape[0]):
        k = words[i, 0]
        upper = (k >> _TOP) == 1
        value, wrong = _log(~k & _MASK if upper else k & _MASK, 63)
        z[i, 0] = -value if upper else value
        error[i, 0] = wrong
        status[i] = CERTAIN if wrong < 1 else UNKNOWN


@compiled
def student(words: Words, z: FloatArray, error: FloatArray, status: Status, df: float) -> None:
    """StudentLaw."""
    for i in range(words.shape[0]):
        log_u, wrong = _log(words[i, 0], 64)
        power = -2 / df * log_u
        off = _MORE * (2 / df * wrong + power * _REL)
        grown = math.expm1(power)
        grown_off = _MORE * ((grown + 1) * off + grown * _REL)
        if not (off < 0.01 and grown > 4 * grown_off):
            status[i] = UNKNOWN
            continue
        size = math.sqrt(df * grown)
        size_off = _MORE * (df * grown_off / (2 * size) + size * _REL)
        cosine = math.cos(2 * math.pi * ((float(words[i, 1]) + 0.5) * 2.0**-64))
        z[i, 0] = size * cosine
        error[i, 0] = _MORE * (size_off * abs(cosine) + (size + size_off) * 2 * _REL)  # of the angle, and of the cosine
        status[i] = CERTAIN


@compiled
def cauchy(words: Words, z: FloatArray, error: FloatArray, status: Status, p: float, theta: float) -> None:
    """CauchyLaw."""
    order = p * theta
    beyond = order - 1
    for i in range(words.shape[0]):
        k = words[i, 0]
        share = (float(k & _MASK) + 0.5) * 2.0**-63 - beyond / order
        log_u, u_off = _log(words[i, 1], 64)
        log_v, v_off = _log(words[i, 2], 64)
        inner = share < 0
        log_w, off = log_u, u_off
        if not inner:
            log_w = log_u / beyond
            off = _MORE * (u_off / beyond + abs(log_w) * (_REL + order / beyond * 2.0**-50))
        power = math.exp(p * log_w)
        cost = theta * math.log1p(power)
        cost_off = _MORE * (theta * power * (p * off + (1 + abs(p * log_w)) * _REL) + cost * _REL)
        if not (abs(share) > 2.0**-47 and (p + 1) * off < 0.01 and abs(log_v + cost) > _MORE * (v_off + cost_off)):
            status[i] = UNKNOWN
            continue
        size = math.exp(log_w if inner else -log_w)
        z[i, 0] = size if (k >> _TOP) == 1 else -size
        error[i, 0] = _MORE * size * (off + (1 + abs(log_w)) * _REL)
        status[i] = CERTAIN if log_v < -cost else REJECTED


@compiled
def planar(words: Words, z: FloatArray, error: FloatArray, status: Status) -> None:
    """PlanarLaw."""
    d = z.shape[1]
    pairs = (d + 1) // 2
    for i in range(words.shape[0]):
        size, off = 0.0, 0.0
        for j in range(d):
            value, wrong = _log(words[i, j], 64)
            size, off = size - value, off + wrong
        off = _MORE * (off + d * size * _REL)
        square, spread_off, clear = 0.0, 0.0, True
        for j in range(pairs):
            spread = 1.0
            if d > 2:
                value, wrong = _log(words[i, d + j], 64)
                clear = clear and wrong < -value / 4
                spread = math.sqrt(-2 * value)
                spread_off = max(spread_off, _MORE * (wrong / spread + spread * _REL))
            angle = 2 * math.pi * ((float(words[i, d + (d > 2) * pairs + j]) + 0.5) * 2.0**-64)
            z[i, 2 * j] = spread * math.cos(angle)
            square += z[i, 2 * j] ** 2
            if 2 * j + 1 < d:
                z[i, 2 * j + 1] = spread * math.sin(angle)
                square += z[i, 2 * j + 1] ** 2
        norm = math.sqrt(square)
        # a direction v/|v| moves by at most 2/|v| times the error of v
        turn_off = _MORE * 2 * d * (spread_off + (norm + 1) * _REL) / norm
        for j in range(d):
            z[i, j] *= size / norm
            error[i, j] = _MORE * (off + size * (turn_off + d * _REL))
        status[i] = CERTAIN if clear and off < 1 and turn_off < 0.01 else UNKNOWN


@compiled
def shift(
    z: FloatArray,
    error: FloatArray,
    status: Status,
    centre: FloatArray,
    centre_off: FloatArray,
    spread: FloatArray,
    spread_off: FloatArray,
    steps: FloatArray,
    values: FloatArray,
) -> None:
    """Round centre + spread·z to the grid where all errors leave one grid point.

    `centre_off` is absolute, `spread_off` relative; both bound the distance of the floats to the true numbers.
    """
    for i in range(z.shape[0]):
        if status[i] != CERTAIN:
            continue
        for j in range(z.shape[1]):
            noise = spread[i] * z[i, j]
            y = centre[i, j] + noise
            off = centre_off[i, j] + spread[i] * error[i, j] + (abs(noise) + spread[i] * error[i, j]) * spread_off[i]
            off = _MORE * (off + (abs(y) + abs(noise)) * 2.0**-51)
            place, reach = y / steps[j] + 0.5, off / steps[j]
            nearest = math.floor(place)
            held = abs(place) < _LARGEST and abs(y) < 2.0**1022  # the grid point is a float too
            if not (held and place - reach > nearest and place + reach < nearest + 1):
                status[i] = UNKNOWN
                break
            values[i, j] = nearest * steps[j]


@compiled
def sphere(
    words: Words, status: Status, places: FloatArray, rate: float, steps: FloatArray, values: FloatArray
) -> None:
    """SphericalLaw with rate ≥ 1, moved to its place on the globe and rounded; degrees in and out."""
    for i in range(words.shape[0]):
        status[i] = UNKNOWN
        first, first_off = _log(words[i, 0], 64)
        second, second_off = _log(words[i, 1], 64)
        angle = -(first + second) / rate
        off = _MORE * ((first_off + second_off) / rate + angle * _REL)
        chance = (float(words[i, 2]) + 0.5) * 2.0**-64
        sinc = math.sin(angle) / angle
        if not (off < 1e-3 * angle and abs(angle - math.pi) > off):
            continue
        if angle < math.pi and not abs(chance - sinc) > _MORE * (2 * off + 2.0**-44):
            continue
        if angle > math.pi or chance > sinc:
            status[i] = REJECTED
            continue
        latitude, longitude = math.radians(places[i, 0]), math.radians(places[i, 1])
        bearing = 2 * math.pi * ((float(words[i, 3]) + 0.5) * 2.0**-64)
        north, east = math.sin(angle) * math.cos(bearing), math.sin(angle) * math.sin(bearing)
        out = math.cos(angle) * math.cos(latitude) - north * math.sin(latitude)
        x = out * math.cos(longitude) - east * math.sin(longitude)
        y = out * math.sin(longitude) + east * math.cos(longitude)
        height, flat = math.cos(angle) * math.sin(latitude) + north * math.cos(latitude), math.hypot(x, y)
        # each number above is at most 1 and wrong by less than 2^-45 and the error of the angle
        off = _MORE * (2.0**-45 + 2 * off)
        if not flat > 1e3 * off:
            continue
        place = math.degrees(math.atan2(height, flat)) / steps[0] + 0.5
        turn = math.degrees(math.atan2(y, x)) / steps[1] + 0.5
        reach, wide = 60 * 4 * off / steps[0], 60 * 4 * off / (flat * steps[1])
        up, round_ = math.floor(place), math.floor(turn)
        if place - reach > up and place + reach < up + 1 and turn - wide > round_ and turn + wide < round_ + 1:
            values[i, 0], values[i, 1] = up * steps[0], round_ * steps[1]
            status[i] = CERTAIN


@compiled
def lattice(
    words: Words,
    place: FloatArray,
    off: FloatArray,
    log_start: float,
    log_ratio: float,
    values: FloatArray,
    status: Status,
) -> None:
    """LatticeLaw, with ln(1 + θ/2) and ln(1 + θ), added to positions that are rounded at random; `off` is absolute.

    Guarantee: a cell is certain only if every position t within `off` and all numbers with these bits have it. With i
    the cell below the float, t − i − U is `left` give or take `reach`: U is right to 2^-52 and two differences of at
    most 1 to 2^-53 each. ⌈t − U⌉ is i + 1 if that lies between 0 and 1, i if between −1 and 0, wherever t itself lies.
    """
    for i in range(words.shape[0]):
        status[i] = CERTAIN
        for j in range(place.shape[1]):
            lower = np.floor(place[i, j])
            left = place[i, j] - lower - (float(words[i, 2 * j]) + 0.5) * 2.0**-64
            reach = off[i, j] + 2.0**-51
            k = words[i, 2 * j + 1]
            log_v, wrong = _log(k & _MASK, 63)
            y = -(log_v + log_start) / log_ratio
            wrong = _MORE * ((wrong + log_start * _REL) / log_ratio + abs(y) * _REL)
            size = np.ceil(y)
            # a position within reach of another cell: ⌈t − U⌉ changes where t − U is whole
            clear = abs(left) > reach and reach - 1 < left < 1 - reach
            if not (clear and y - wrong > size - 1 and y + wrong < size):
                status[i] = UNKNOWN
                break
            moved = max(size, 0.0) if (k >> _TOP) == 1 else -max(size, 0.0)
            values[i, j] = lower + (left > 0) + moved
