"""`report`: what a person sends, for every mechanism."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.mechanisms.additive.smooth import SmoothScale
from geopriv.mechanisms.additive.vector import VectorSmoothCauchy
from geopriv.mechanisms.base import Additive, Mechanism
from geopriv.mechanisms.input.coordinate import CoordinateLaplace
from geopriv.mechanisms.input.input import InputLaplace
from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.lattice.reports import OnLattice
from geopriv.mechanisms.scale import Scale
from geopriv.mechanisms.sensitivity import ExponentialGrowth
from geopriv.mechanisms.table.reports import draw_values
from geopriv.mechanisms.table.table import Table
from geopriv.noise import Laplace, Noise, PlanarLaplace, SphericalLaplace
from geopriv.noise.bulk import draw
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.noise.plans import Plan, Shifted, grid
from geopriv.noise.spherical_laplace import OnEarth
from geopriv.queries import Query
from geopriv.spaces import Earth, Space
from geopriv.spaces.balls import arb, total
from geopriv.spaces.bounded import Bounded
from geopriv.spaces.checks import FloatArray, invalid


@dataclass(frozen=True, eq=False)
class Reports:
    """What people send: values on a public grid, drawn exactly, from a cryptographic generator.

    Args:
        values: one report a person.
        steps: of the grid, one for each component of a report (1 for a Lattice, whose reports are cells); none for a
            Table, whose values are its own.
    """

    values: FloatArray
    steps: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.values, dtype=dtype)


def report(mechanism: Mechanism, x: Any, source: Source = ENTROPY) -> Reports:
    """One exact report for each value of x.

    Guarantee: the mechanism's own, for every float x, because a report is a rounding of the ideal release.

    Args:
        mechanism: a calibrated mechanism.
        x: values of its space.
        source: of random bits.

    Raises:
        InvalidParameter: for a query whose answer or noise scale has no enclosure.
    """
    rows, shape = space_of(mechanism).read_rows(x)
    if isinstance(mechanism, Table):
        return Reports(draw_values(mechanism, rows, source).reshape(shape))
    made = plans(mechanism)
    parts = [draw(plan, rows, source) for plan in made]
    values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    form: tuple[int, ...] = () if isinstance(mechanism, Additive | CoordinateLaplace) else (len(made),)
    if isinstance(mechanism, InputLaplace | Lattice):
        form = mechanism.space.point_shape
    return Reports(values.reshape((*shape, *form)), sum((plan.steps for plan in made), ()))


def space_of(mechanism: Mechanism) -> Space:
    """Where a mechanism's values live."""
    match mechanism:
        case InputLaplace() | Lattice():
            return mechanism.space
        case VectorSmoothCauchy():
            return mechanism.queries[0].space
        case Additive() | CoordinateLaplace() | Table():
            return mechanism.query.space
    raise invalid("report", "mechanism", "one with an exact sampler", type(mechanism).__name__)


def plans(mechanism: Mechanism) -> list[Plan]:
    """How a mechanism's report is made; several plans are drawn one after the other, with their own noise."""
    rate = mechanism.guarantee.epsilon
    match mechanism:
        case InputLaplace():
            return [_input(mechanism.space, rate)]
        case Lattice():
            return [OnLattice(mechanism)]
        case CoordinateLaplace():
            return [_coordinate(mechanism.query, rate)]
        case VectorSmoothCauchy():
            growth = ExponentialGrowth(mechanism.gamma)
            parts = [SmoothScale(q, growth, mechanism.eta, mechanism.radius) for q in mechanism.queries]
            return [_additive(q, [(p.query, p) for p in parts], mechanism.noise, rate) for q in mechanism.queries]
        case Additive():
            if not isinstance(mechanism.scale, Scale):
                rule = "one whose noise scale has an enclosure"
                raise invalid("report", "query", rule, type(mechanism.scale).__name__)
            return [_additive(mechanism.query, [(mechanism.query, mechanism.scale)], mechanism.noise, rate)]
    raise invalid("report", "mechanism", "one with an exact sampler", type(mechanism).__name__)


def _additive(query: Query, parts: Sequence[tuple[Query, Scale]], noise: Noise, rate: float) -> Shifted:
    """f(x) + Z times the sum of scales, each of which belongs to a query."""

    def enclose(row: Sequence[float]) -> tuple[list[arb], arb]:
        places = [q.geometry.enclose(row) for q, _ in parts]
        spread = total(sigma.enclose(s) for s, (_, sigma) in zip(places, parts, strict=True))
        return [query.profile.enclose(places[mine])], spread

    def bound(rows: FloatArray) -> tuple[Bounded, Bounded] | None:
        places = [q.geometry.bounded(rows) for q, _ in parts]
        pairs = zip(places, parts, strict=True)
        found = [None if s is None else sigma.bounded(s, rate) for s, (_, sigma) in pairs]
        spreads = [spread for spread in found if spread is not None]
        s = places[mine]
        answer = None if s is None else query.profile.bounded(s)
        if answer is None or len(spreads) < len(parts):
            return None
        off = np.max([sigma.off for sigma in spreads], axis=0) + 2.0**-50  # of a sum of positive numbers
        spread = Bounded(np.sum([sigma.value for sigma in spreads], axis=0), off)
        return Bounded(answer.value[:, None], answer.off[:, None]), spread

    mine = [q for q, _ in parts].index(query)
    if not all(sigma.covered(noise, rate) for _, sigma in parts):
        raise invalid("report", "gamma_share", "so small that a 64th of ε is left for η", "a larger one")
    return Shifted(noise.law(), (grid(parts[0][1].unit(query.profile, rate)),), enclose, bound)


def _coordinate(query: Query, rate: float) -> Shifted:
    def bound(rows: FloatArray) -> tuple[Bounded, Bounded] | None:
        s = query.geometry.bounded(rows)
        return None if s is None else (Bounded(s.value[:, None], s.off[:, None]), _constant(1 / rate, len(rows)))

    return Shifted(
        Laplace().law(), (grid(1 / rate),), lambda row: ([query.geometry.enclose(row)], 1 / arb(rate)), bound
    )


def _input(space: Space, rate: float) -> Plan:
    if isinstance(space, Earth):
        around = rate * space.radius * (1 - 2.0**-50)  # per radian, rounded down
        return OnEarth(SphericalLaplace(around).law(), (min(grid(math.degrees(1 / around)), 1.0),) * 2)
    return Shifted(
        PlanarLaplace(space.dimension).law(),
        (grid(1 / rate),) * space.dimension,
        lambda row: (space.enclose(row), 1 / arb(rate)),
        lambda rows: (space.bounded(rows), _constant(1 / rate, len(rows))),
    )


def _constant(value: float, n: int) -> Bounded:
    return Bounded(np.full(n, value), np.full(n, 2.0**-50))
