"""`audit_black_box`: a lower bound on ε from samples alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from geopriv.checks import FloatArray, count, finite, fraction, invalid, positive
from geopriv.errors import ReportRejected
from geopriv.mechanisms.base import Simulated

# Quantiles at which outputs are cut into bins: few enough that a bin's frequency is known well, finer in the tails.
_TAIL = np.array([0.0005, 0.002, 0.005, 0.01, 0.02])
_CUTS = np.concatenate([_TAIL, np.linspace(0.04, 0.96, 24), 1 - _TAIL[::-1]])


@dataclass(frozen=True)
class BlackBoxAudit:
    """What samples alone prove.

    Args:
        epsilon_lower: with the given confidence the mechanism's rate is at least this.
        passed: whether that is compatible with the promised rate. Passing is no proof of privacy; failing is proof
            of its absence.
        ratio: epsilon_lower over the promised rate.
        event: the outputs in which the two inputs differ most, as intervals (low, high].
        n: samples from each input.
        confidence: that epsilon_lower is no larger than the true rate.
    """

    epsilon_lower: float
    passed: bool
    ratio: float
    event: tuple[tuple[float, float], ...]
    n: int
    confidence: float


def audit_black_box(
    report: Callable[[Any], Any],
    x: Any,
    x2: Any,
    epsilon: float,
    n: int,
    *,
    distance: float | None = None,
    delta: float = 0.0,
    confidence: float = 0.99,
) -> BlackBoxAudit:
    """A statistical lower bound on the rate ε of a mechanism, from its outputs at two inputs.

    The first half of the samples chooses an event S: the union of those of some 35 bins (quantiles of both inputs
    together, finer in the tails) whose likelihood ratio passes the best cut. The second half, independent of that
    choice, bounds P[S | x] from below and P[S | x2] from above (Clopper–Pearson). Then
    ε ≥ ln((P[S | x] − δ)/P[S | x2])/dist, and likewise with x and x2 exchanged.

    Args:
        report: maps an array of n equal inputs to n outputs (numbers).
        x: one input.
        x2: another.
        epsilon: the promised rate.
        n: samples from each input.
        distance: between the inputs; by default |x − x2|, Euclidean for vectors.
        delta: the promised δ.
        confidence: of the lower bound.

    >>> import geopriv as gp
    >>> m = gp.LipschitzLaplace.calibrate(gp.Threshold(at=0.0, width=2.0), epsilon=1.0)
    >>> rng = np.random.default_rng(0)
    >>> gp.audit_black_box(lambda x: m.simulate(x, rng), -1.0, 1.0, epsilon=1.0, n=20_000).passed
    True
    """
    promised = positive("audit_black_box", "epsilon", epsilon)
    count("audit_black_box", "n", n, least=100)
    fraction("audit_black_box", "confidence", confidence)
    if not 0 <= finite("audit_black_box", "delta", delta) < 1:
        raise invalid("audit_black_box", "delta", "at least 0 and below 1", delta)
    gap = float(np.linalg.norm(np.subtract(x, x2, dtype=np.float64))) if distance is None else distance
    positive("audit_black_box", "distance", gap)
    first, second = _draw(report, x, n), _draw(report, x2, n)
    best = 0.0
    event: tuple[tuple[float, float], ...] = ((-math.inf, math.inf),)
    for p, q in ((first, second), (second, first)):
        edges, chosen = _choose(p[: n // 2], q[: n // 2], delta)
        bound = _bound(p[n // 2 :], q[n // 2 :], edges, chosen, delta, (1 - confidence) / 4) / gap
        if bound > best:
            best, event = bound, _intervals(edges, chosen)
    return BlackBoxAudit(best, best <= promised, best / promised, event, n, confidence)


def _draw(report: Callable[[Any], Any], x: Any, n: int) -> FloatArray:
    outputs = report(np.broadcast_to(np.asarray(x, dtype=np.float64), (n, *np.shape(x))))
    values = np.asarray(outputs.values if isinstance(outputs, Simulated) else outputs, dtype=np.float64)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise ReportRejected("The audited mechanism must give one finite number for each input.")
    return values


def _choose(p: FloatArray, q: FloatArray, delta: float) -> tuple[FloatArray, Any]:
    """Bin edges, and the bins of the event with the largest estimated ln((P[S] − δ)/Q[S]), less its standard error."""
    inner = np.unique(np.quantile(np.concatenate([p, q]), _CUTS))
    edges = np.concatenate([[-np.inf], inner, [np.inf]])
    n = p.size
    in_p = np.bincount(np.searchsorted(inner, p, side="left"), minlength=inner.size + 1)
    in_q = np.bincount(np.searchsorted(inner, q, side="left"), minlength=inner.size + 1)
    order = np.argsort(-(in_p + 0.5) / (in_q + 0.5), kind="stable")
    sum_p, sum_q = np.cumsum(in_p[order]) + 0.5, np.cumsum(in_q[order]) + 0.5
    net = np.maximum(sum_p - delta * n, 1e-9)
    # three standard errors: what the confidence bounds will cost
    score = np.log(net / sum_q) - 3 * np.sqrt((1 - sum_p / (n + 1)) * sum_p / net**2 + (1 - sum_q / (n + 1)) / sum_q)
    chosen = np.zeros(inner.size + 1, dtype=bool)
    chosen[order[: int(score.argmax()) + 1]] = True
    return edges, chosen


def _bound(p: FloatArray, q: FloatArray, edges: FloatArray, chosen: Any, delta: float, alpha: float) -> float:
    """ln((P[S] − δ)/Q[S]) from below, each probability bounded at level alpha."""
    inner = edges[1:-1]
    hits = int(chosen[np.searchsorted(inner, p, side="left")].sum())
    false_hits = int(chosen[np.searchsorted(inner, q, side="left")].sum())
    low = float(special.betaincinv(hits, p.size - hits + 1, alpha)) if hits else 0.0
    high = float(special.betaincinv(false_hits + 1, q.size - false_hits, 1 - alpha)) if false_hits < q.size else 1.0
    return math.log((low - delta) / high) if low > delta else -math.inf


def _intervals(edges: FloatArray, chosen: Any) -> tuple[tuple[float, float], ...]:
    steps = np.diff(np.concatenate([[0], chosen.astype(int), [0]]))
    return tuple(
        (float(edges[a]), float(edges[b]))
        for a, b in zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1), strict=True)
    )
