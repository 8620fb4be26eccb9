"""The paper's mechanisms beside ours, for one query and the people expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.mechanisms import CoordinateLaplace, InputLaplace, Lattice, Table
from geopriv.proofs.floors import lower_bound
from geopriv.queries import Query
from geopriv.queries.priors import even_points, points_under
from geopriv.smooth.additive.least_scale import LeastScaleT
from geopriv.smooth.additive.lipschitz import LipschitzLaplace
from geopriv.smooth.additive.smooth import SmoothT
from geopriv.smooth.finite import on_labels
from geopriv.spaces.checks import FloatArray

_AROUND = 10.0  # in units of 1/ε: how far people are around what is asked, where nobody says it
_PEOPLE = 2048
_SHARES = (0.2, 0.4, 0.6)  # of ε for γ that are tried with the exact budget
_UNBIASED = 1e-3  # bias up to which a grid counts as exact


@dataclass(frozen=True)
class Rivals:
    """Expected variances of a report, the least first.

    Args:
        variances: by mechanism, the mean over people.
        left_out: why a mechanism cannot answer the query, by its name.
        floor: T7, below which no unbiased report is; 0 where it is not known.
        own: names of the mechanisms that devices run.
    """

    variances: dict[str, float]
    left_out: dict[str, str]
    floor: float
    own: tuple[str, ...] = ("Table", "Lattice")

    @property
    def best(self) -> str:
        """The name of the mechanism with the least variance."""
        return min(self.variances, key=lambda name: self.variances[name])

    def __str__(self) -> str:
        least = self.variances[self.best]
        lines = [f"{'mechanism':<28}{'variance':>10}{'times the least':>17}"]
        for name in sorted(self.variances, key=lambda name: self.variances[name]):
            lines.append(f"{name:<28}{self.variances[name]:>10.3g}{self.variances[name] / least:>17.3g}")
        if self.floor > 0:
            lines.append(f"{'floor T7 of any report':<28}{self.floor:>10.3g}{self.floor / least:>17.3g}")
        return "\n".join([*lines, self._verdict])

    @property
    def _verdict(self) -> str:
        if self.best == "LipschitzLaplace":
            return "LipschitzLaplace is the best: where the slope is the same everywhere, nothing else gains."
        if self.best in ("InputLaplace", "Lattice"):
            return f"{self.best} is the best of these: the query is so smooth that one report of the value answers it."
        return f"{self.best} is the best of these."


def rivals(query: Query, epsilon: float | str, people: Any = None) -> Rivals:
    """What each mechanism would cost one query, by its exact variance.

    Args:
        query: a query of any kind.
        epsilon: per unit of distance, as a number or a sentence.
        people: a Prior or public values; by default even within 10/ε of where the query changes.

    >>> from geopriv import Plane, Function
    >>> import numpy as np
    >>> f = Function(lambda x, y: 0.5 * (1 + np.tanh(x)) * np.exp(-(y**2) / 8), Plane(None), ((-9, -9), (9, 9)))
    >>> rivals(f, 1.0).best
    'Lattice'
    """
    rate = query.space.rate(epsilon)
    points, weights = _people(query, rate, people)
    values = query.space.values(points)
    prior: Any = dict(zip(values, weights, strict=True)) if on_labels(query) else (values if people is None else people)
    variances: dict[str, float] = {}
    left_out: dict[str, str] = {}
    devices: list[tuple[str, Callable[[], FloatArray]]] = [
        ("Table", lambda: Table.calibrate(query, rate).variance(values)),
        ("Lattice", lambda: _on_grid(query, rate).variance(values, query)),
    ]
    ways: list[tuple[str, Callable[[], FloatArray]]] = [
        ("LipschitzLaplace", lambda: LipschitzLaplace.calibrate(query, rate).variance(values)),
        ("SmoothT (the paper's M3)", lambda: SmoothT.calibrate(query, rate).variance(values)),
        ("SmoothT, exact budget", lambda: _exact(query, rate, values, weights)),
        ("LeastScaleT", lambda: LeastScaleT.calibrate(query, rate, prior=prior).variance(values)),
        ("CoordinateLaplace", lambda: CoordinateLaplace.calibrate(query, rate).variance(values)),
        ("InputLaplace", lambda: InputLaplace.calibrate(query.space, rate).variance(values, query)),
        *devices,
    ]
    for name, variance in ways:
        try:
            variances[name] = float(weights @ variance())
        except InvalidParameter as reason:
            left_out[name] = str(reason)
    return Rivals(variances, left_out, _floor(query, rate, values, weights))


def _people(query: Query, rate: float, people: Any) -> tuple[FloatArray, FloatArray]:
    if on_labels(query):
        return np.arange(query.space.limits[1][0] + 1)[:, None], query.space.shares("rivals", people)
    if people is not None:
        return points_under("rivals", query.space, people)
    low, high = query.box(_AROUND / rate)
    points = low + (high - low) * even_points(query.space.dimension)[:_PEOPLE]
    return points.reshape(-1, *query.space.point_shape), np.full(len(points), 1 / len(points))


def _exact(query: Query, rate: float, values: Any, weights: FloatArray) -> FloatArray:
    tried = [SmoothT.calibrate(query, rate, share, calibration="exact").variance(values) for share in _SHARES]
    return min(tried, key=lambda variance: float(weights @ variance))


def _on_grid(query: Query, rate: float) -> Lattice:
    """The grid that follows the query, as a survey of it alone would have."""
    return Lattice.calibrate(query.space, rate, queries=(query,), largest_bias=_UNBIASED)


def _floor(query: Query, rate: float, values: Any, weights: FloatArray) -> float:
    try:
        return float(weights @ lower_bound(query, rate, values))
    except InvalidParameter:
        return 0.0
