"""`audit_black_box`: a lower bound on ε from samples alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.errors import ReportRejected
from geopriv.mechanisms.reports import Simulated
from geopriv.proofs.audits.events import proven_loss
from geopriv.spaces.checks import (
    FloatArray,
    count,
    finite,
    fraction,
    invalid,
    positive,
)

_BINS = (32, 256, 2048, 16384)  # quantiles at which outputs are cut: coarse ones measure best, fine ones find spikes
_FEWEST = 16  # outputs of both inputs a bin, on average: finer cuts would choose events by chance
_ATOMS = 4096  # outputs that came again and again, each of which is a bin of its own
_REPEATED = 0  # the cut at which every output that came twice is one


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

    The first half of the samples chooses events: outputs are cut into bins (quantiles of both inputs together, from 32
    to 16,384 of them, and outputs that came as often one by one), and for each fineness S is the union of those whose
    likelihood ratio passes the best cut. The second half, independent of that choice, bounds P[S | x] from below and
    P[S | x2] from above (Clopper–Pearson). Then ε ≥ ln((P[S | x] − δ)/P[S | x2])/dist, and likewise with x and x2
    exchanged; the confidence is for the largest of these bounds. An output that betrays its input once in ten thousand
    draws is seen in a million. What no number of samples shows: a generator whose few bits of state somebody tries out
    one by one, a key that somebody keeps, faults at other inputs, and faults rarer than about ten in n.

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
    half = n // 2
    cuts = [_REPEATED, *(cut for cut in _BINS if cut == _BINS[0] or 2 * half >= _FEWEST * cut)]
    alpha = (1 - confidence) / (4 * len(cuts))  # two bounds, two directions
    best = 0.0
    event: tuple[tuple[float, float], ...] = ((-math.inf, math.inf),)
    for p, q in ((first, second), (second, first)):
        for cut in cuts:
            edges, chosen = _choose(p[:half], q[:half], cut, alpha, delta)
            hits, other = (int(chosen[np.searchsorted(edges[1:-1], part[half:])].sum()) for part in (p, q))
            bound = float(proven_loss(hits, other, n - half, alpha, delta)) / gap
            if bound > best:
                best, event = bound, _intervals(edges, chosen)
    return BlackBoxAudit(best, best <= promised, best / promised, event, n, confidence)


def _draw(report: Callable[[Any], Any], x: Any, n: int) -> FloatArray:
    outputs = report(np.broadcast_to(np.asarray(x, dtype=np.float64), (n, *np.shape(x))))
    values = np.asarray(outputs.values if isinstance(outputs, Simulated) else outputs, dtype=np.float64)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise ReportRejected("The audited mechanism must give one finite number for each input.")
    return values


def _choose(
    p: FloatArray, q: FloatArray, cut: int, alpha: float, delta: float
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Bin edges, and the bins of the event from which the largest ln((P[S] − δ)/Q[S]) would be proven."""
    inner = _edges(p, q, cut)
    in_p, in_q = (np.bincount(np.searchsorted(inner, part), minlength=inner.size + 1) for part in (p, q))
    order = np.argsort(-(in_p + 0.5) / (in_q + 0.5), kind="stable")
    # what the other half will prove if it looks like this one
    score = proven_loss(np.cumsum(in_p[order]), np.cumsum(in_q[order]), p.size, alpha, delta)
    chosen = np.zeros(inner.size + 1, dtype=bool)
    chosen[order[: int(score.argmax()) + 1]] = True
    return np.concatenate([[-np.inf], inner, [np.inf]]), chosen


def _edges(p: FloatArray, q: FloatArray, cut: int) -> FloatArray:
    """Where outputs are cut: at quantiles, finer ones in the tails, and on both sides of outputs that came often.

    Often is as often as half a bin: rarer ones would be chosen because they came by chance. They have a cut of their
    own, at which all that came twice are bins, and what lies between them.
    """
    bins = cut or _BINS[0]
    tails = np.geomspace(min(_FEWEST / (2 * p.size), 0.5 / bins), 0.5 / bins, 12)
    shares = np.concatenate([tails, np.arange(1, bins) / bins, 1 - tails])
    values, counts = np.unique(p, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:_ATOMS]
    atoms = values[most[counts[most] > (max(1.0, p.size / (2 * cut)) if cut else 1.0)]]
    return np.unique(np.concatenate([np.quantile(np.concatenate([p, q]), shares), atoms, np.nextafter(atoms, -np.inf)]))


def _intervals(edges: FloatArray, chosen: npt.NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    steps = np.diff(np.concatenate([[0], chosen.astype(int), [0]]))
    return tuple(
        (float(edges[a]), float(edges[b]))
        for a, b in zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1), strict=True)
    )
