"""Values and words at which a device, the exact sampler and the float filter are most likely to differ."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely

import geopriv as gp
from geopriv.device.lattices import DeviceLattice
from geopriv.device.mechanisms import DeviceTable
from geopriv.device.values import read_value
from geopriv.noise.entropy import Source
from geopriv.spaces.checks import FloatArray
from tests.designs import ASKED_OF_DEVICES, Stream, small_table, spare_table
from tests.rows import CITY, EARTH, PLANE

Words = npt.NDArray[np.uint64]
ONES = (1 << 64) - 1
COINS = 5  # words of a report for which further coins may be tossed
ANTIMERIDIAN = shapely.Polygon([(179.0, -1.0), (181.0, -1.0), (181.5, 1.0), (179.0, 1.0), (180.0, 0.2)])
POLAR = shapely.Polygon([(0.0, 80.0), (90.0, 82.0), (90.0, 90.0), (0.0, 90.0)])  # the pole, by two names
HUGE = shapely.Polygon([(0.0, -70.0), (70.0, 0.0), (0.0, 70.0), (-70.0, 0.0)])
TINY = shapely.Polygon([(10.0, 50.0), (10.0 + 1e-9, 50.0), (10.0 + 1e-9, 50.0 + 1e-9), (10.0, 50.0 + 2e-9)])
MORE: tuple[tuple[str, gp.queries.Query, float, Any], ...] = (
    ("fence at the antimeridian", gp.Geofence(ANTIMERIDIAN, 5e3, EARTH), 1e-4, ((-1.5, 178.5), (1.5, 181.8))),
    ("fence around the pole", gp.Geofence(POLAR, 1e4, EARTH), 1e-5, ((78.0, -180.0), (90.0, 180.0))),
    ("fence of long arcs", gp.Geofence(HUGE, 1e5, EARTH), 1e-6, ((-89.0, -90.0), (89.0, 90.0))),
    ("fence across the globe", gp.Geofence(POLAR, 1e4, EARTH), 1e-7, ((-90.0, -180.0), (90.0, 180.0))),
    ("fence of micrometres", gp.Geofence(TINY, 1e-5, EARTH), 1e5, ((50 - 1e-9, 10 - 1e-9), (50 + 3e-9, 10 + 2e-9))),
    ("ball of ratios", gp.Ball(100.0, 2.0, 0.5, gp.LogLine(2.0)), 2.0, (10.0, 1000.0)),
    ("kernel of ratios", gp.GaussianKernel(100.0, 1.0, gp.LogLine(10.0)), 1.0, (1.0, 1e5)),
    ("blurred ratios", gp.Blurred(gp.Threshold(1000.0, 0.5, gp.LogLine(2.0)), 0.5), 2.0, (500.0, 2000.0)),
    ("orthant in space", gp.Orthant((0.0, 0.1, 0.2), 1.0, gp.Euclidean(3)), 1.0, ((-3.0,) * 3, (3.0,) * 3)),
    ("ball in space", gp.Ball((0.0, 0.1, 0.2), 2.0, 1.0, gp.Euclidean(3)), 1.0, ((-3.0,) * 3, (3.0,) * 3)),
    ("kernel on a map", gp.GaussianKernel((40.7, -74.0), 2e3, CITY), 1e-3, ((40.65, -74.05), (40.75, -73.95))),
    (
        "score on a map",
        gp.LinearQuery((3.0, 4.0), gp.shapes.Ramp(5e3), 10.0, CITY),
        1e-3,
        ((40.6, -74.1), (40.8, -73.9)),
    ),
    (
        "ring on Earth",
        gp.RadialQuery((-60.0, 10.0), gp.shapes.Triangle(1e3, center=3e3), EARTH),
        1e-3,
        ((-60.05, 9.9), (-59.95, 10.1)),
    ),
    ("far threshold", gp.Threshold(1e12, 1.0), 1.0, (1e12 - 3, 1e12 + 3)),
    ("far ball", gp.Ball((8e14, 0.1), 100.3, 10.0, PLANE), 0.1, ((8e14 - 130, -130.0), (8e14 + 130, 130.0))),
    ("fine ball", gp.Ball((0.0, 0.0), 1e-8, 1e-9, PLANE), 1e9, ((-2e-8, -2e-8), (2e-8, 2e-8))),
)
BENT = ("threshold", "range of ratios", "ball", "fence on a map", "ball on Earth", "far threshold")  # and spare rows
SPARE = tuple((f"spare {name}", *rest) for name, *rest in (*ASKED_OF_DEVICES, *MORE) if name in BENT)
TABLES = (*ASKED_OF_DEVICES, *MORE, *SPARE)
GRIDS: tuple[tuple[str, gp.spaces.Space, float, float, Any], ...] = (
    ("grid of amounts", gp.Line("USD"), 1e-3, 150.0, (-1e4, 1e4)),
    ("grid of ratios", gp.LogLine(2.0), 1.0, 0.25, (1.0, 1e4)),
    ("grid of a plane", gp.Plane("m"), 1e-3, 150.0, ((-1e4, -1e4), (1e4, 1e4))),
    ("grid of space", gp.Euclidean(3), 0.1, 1.7, ((-20.0,) * 3, (20.0,) * 3)),
    ("grid of a city", CITY, 1e-3, 150.0, ((40.4, -74.4), (41.0, -73.6))),
    ("grid far away", gp.Line(), 1.0, 0.3, (1e13, 1e13 + 10)),
    ("fine grid", gp.Line(), 1e9, 1e-10, (-1e-7, 1e-7)),
)


@dataclass(frozen=True, eq=False)
class Cases:
    """One mechanism, values as rows of floats, and words; the first `shared` of them are also drawn by a device."""

    rows: FloatArray
    words: Words
    shared: int


class Tails(Source):
    """Given words first, then a stream of one's own for each person, whoever asks. For tests only."""

    def __init__(self, words: Words) -> None:
        self._words, self._who = words, np.arange(len(words))
        self._streams: dict[int, Stream] = {}

    def words(self, people: int, count: int) -> Words:
        """All words, or of tables with spare rows the first two and then the other three."""
        mine = self._words[self._who]
        return {2: mine[:, :2], 3: mine[:, 2:]}[count] if mine.shape[1] == COINS else mine

    def among(self, who: slice | npt.NDArray[np.intp]) -> Tails:
        some = copy(self)
        some._who = self._who[who]
        return some

    def bytes(self, n: int) -> bytes:
        (person,) = self._who.tolist()
        return self._streams.setdefault(person, Stream(person))(n)


def table_of(query: gp.queries.Query, epsilon: float, spare: bool = False) -> gp.Table:
    return spare_table(query, epsilon) if spare else small_table(query, epsilon)


def table_cases(table: gp.Table, device: DeviceTable, box: Any, n: int, shared: int, seed: int) -> Cases:
    """Of the shared ones half are at borders; a third of their words is random, a third are ends or the share's own."""
    rng, space = np.random.default_rng(seed), table.query.space
    values = _values(space, box, rng, n, shared, lambda v: table.query.coordinate(_shaped(space, v)), table.lattice)
    own = _own(table.query, rng, 60)
    if own is not None:
        values[shared - 60 : shared] = _on(space, own)
    first = _words(rng, n, shared)
    for k in range(2, shared, 3):
        first[k] = _near(rng, _share(device, values[k]))
    s = table.query.coordinate(_shaped(space, values))
    cell = np.clip(np.searchsorted(table.lattice, s, side="right") - 1, 0, table.lattice.size - 2)
    # the second word falls on another letter in the row above than in the row below
    sums = np.cumsum(table.weights, axis=1)[:, 0]
    second = ((sums[cell] + sums[cell + 1]) // 2 << 4).astype(np.uint64)
    if table.spare is None:
        return Cases(values, np.stack([first, second], axis=1), shared)
    second[::5] |= np.uint64(3)  # no further coins
    chance = rng.integers(0, 1 << 64, n, dtype=np.uint64)
    chance[::3] = rng.choice(np.array([0, (3 << 62) - 1, 3 << 62, ONES], dtype=np.uint64), chance[::3].size)
    coins = [_words(rng, n, shared), _words(rng, n, shared)]
    for k in range(0, shared, 2):
        coins[k // 2 % 2][k] = _near(rng, _share(device, values[k]))
    return Cases(values, np.stack([first, second, chance, *coins], axis=1), shared)


def grid_cases(grid: gp.Lattice, device: DeviceLattice, box: Any, n: int, shared: int, seed: int) -> Cases:
    rng, space = np.random.default_rng(seed), grid.space

    def along(values: FloatArray) -> FloatArray:
        return np.asarray(space.read(_shaped(space, values)).reshape(len(values), -1)[:, 0] - grid.origin[0])

    middle = along(np.reshape(np.mean(box, axis=0, dtype=np.float64), (1, -1)))[0]
    steps = (np.round(middle / grid.step) + np.arange(-3, 4)) * grid.step
    values = _values(space, box, rng, n, shared, along, steps)
    words = np.stack([_words(rng, n, shared) for _ in range(2 * space.dimension)], axis=1)
    theta = Fraction(grid.theta)
    for k in range(2, shared, 3):
        if k % 2:
            place = device.positions(read_value(device.space, values[k].tolist()), 200)
            words[k, ::2] = [_near(rng, part.middle() % 1) for part in place]
            words[k, 1::2] = rng.integers(0, 1 << 64, space.dimension, dtype=np.uint64)
        else:
            limit = 2 / (2 + theta) * (1 + theta) ** -int(rng.integers(0, 30))  # what V is compared with
            words[k, 1::2] = _near(rng, limit / 2) | int(rng.integers(0, 2)) << 63
    return Cases(values, words, shared)


def _shaped(space: gp.spaces.Space, values: FloatArray) -> FloatArray:
    return values if space.point_shape else values[:, 0]


def _words(rng: np.random.Generator, n: int, shared: int) -> Words:
    """Random ones; of the shared ones every third is all zeros or all ones, give or take one."""
    found = rng.integers(0, 1 << 64, n, dtype=np.uint64)
    ends = slice(1, shared, 3)
    found[ends] = rng.choice(np.array([0, 1, ONES - 1, ONES], dtype=np.uint64), found[ends].size)
    return found


def _near(rng: np.random.Generator, share: Fraction) -> int:
    """The first 64 bits of a share in [0, 1], or those next to them."""
    return int(min(max(int(share * (1 << 64)) + int(rng.integers(-1, 2)), 0), ONES))


def _share(device: DeviceTable, value: FloatArray) -> Fraction:
    """How much of its cell lies before s, to 200 bits."""
    s = device.coordinate.enclose(read_value(device.space, value.tolist()), 200).middle()
    places = [Fraction(place, 1 << device.rows.scale) for place in device.rows.lattice]
    cell = max((k for k, place in enumerate(places[:-1]) if place <= s), default=0)
    return min(max((s - places[cell]) / (places[cell + 1] - places[cell]), Fraction(0)), Fraction(1))


def _values(
    space: gp.spaces.Space, box: Any, rng: np.random.Generator, n: int, shared: int, s: Any, lattice: FloatArray
) -> FloatArray:
    """Half of the shared ones beside lattice points, a few at the ends of the space, the others anywhere in a box."""
    low, high = (np.reshape(np.asarray(end, dtype=np.float64), (1, -1)) for end in box)
    values = rng.uniform(low, high, (n, low.size))
    border, ends = slice(0, shared // 2), slice(shared // 2, shared // 2 + 40)
    size = shared // 2
    first, last = (rng.uniform(low, high, (size, low.size)) for _ in range(2))
    target = rng.choice(lattice, size)
    under, over = s(first) < target, s(last) < target
    for _ in range(70):
        middle = (first + last) / 2
        below = s(middle) < target
        first, last = (
            np.where((below == under)[:, None], middle, first),
            np.where((below == under)[:, None], last, middle),
        )
    crossing = (under != over)[:, None]
    beside = first
    for _ in range(3):
        way = rng.choice([-np.inf, np.inf, 0.0], beside.shape)
        beside = np.where(way == 0, beside, np.nextafter(beside, way))
    values[border] = np.where(crossing, beside, values[border])
    values[ends] = _extremes(space, rng, 40)
    return _on(space, values)


def _on(space: gp.spaces.Space, values: FloatArray) -> FloatArray:
    """Values that are on their space."""
    globe = isinstance(space, gp.Earth | gp.LocalPlane)
    return np.asarray(np.clip(values, (-90.0, -180.0), (90.0, 360.0))) if globe else values


def _extremes(space: gp.spaces.Space, rng: np.random.Generator, n: int) -> FloatArray:
    """Poles and the antimeridian, or numbers far too large and far too small."""
    if isinstance(space, gp.Earth | gp.LocalPlane):
        marks = [[90, 0], [90, 123], [-90, -180], [0, 180], [0, -180], [5, 360], [-5e-324, 5e-324], [-40.7, 106]]
    else:
        ends = (0.0, 5e-324, -1e15, 1e21, 1e100, -3e150, 8e20, 1 + 2**-52)
        marks = [[end * sign for sign in rng.choice([1.0, -1.0], space.dimension)] for end in ends]
    return np.asarray(marks, dtype=np.float64)[rng.integers(0, len(marks), n)]


def _own(query: gp.queries.Query, rng: np.random.Generator, n: int) -> FloatArray | None:
    """The query's own places: its centre, or corners, and the middles of edges, of its region; give or take an ulp."""
    if isinstance(query, gp.Geofence):
        corners = shapely.get_coordinates(query.polygon)
        known = np.concatenate([corners, (corners[1:] + corners[:-1]) / 2])
        known = known if query.space == PLANE else known[:, ::-1]  # corners are (longitude, latitude)
    elif isinstance(query, gp.Ball | gp.GaussianKernel | gp.RadialQuery):
        known = np.reshape(np.asarray(query.center, dtype=np.float64), (1, -1))
    else:
        return None
    chosen = known[rng.integers(0, len(known), n)]
    way = rng.choice([-np.inf, np.inf, 0.0, 0.0], chosen.shape)
    return np.where(way == 0, chosen, np.nextafter(chosen, way))
