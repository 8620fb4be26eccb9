"""The kernel's sensitivity as the paper's lemma gives it, and what goes wrong with it (errata E3 and E8)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from geopriv.proofs.audits import audit_mechanism
from geopriv.queries import GaussianKernel
from geopriv.shapes.profiles import Gaussian
from geopriv.smooth import SmoothT
from geopriv.smooth.sensitivity import ExponentialGrowth, smooth_sensitivity
from geopriv.spaces import Plane
from geopriv.spaces.checks import FloatArray

_STEP = 6.0  # metres, over which a jump is looked at
_JUMPS = (1.05, 1.15)  # how far the scale of the published experiments jumps


def lemma(c: float, g: float) -> float:
    """The paper's candidates for B*·h of the kernel at s = c·h with γ = g/h, misprints mended (erratum E3)."""
    near, far = (-g + np.hypot(g, 2)) / 2, (g + np.hypot(g, 2)) / 2
    w = np.linspace(0, 8, 4001) + 1e-7
    best = max(c * float(_gauss(c)), float((np.abs(_gauss(w) - _gauss(c)) / np.abs(w - c)).max()))
    for place, side in ((near, 1), (far, -1)):
        if (place - c) * side > 0:
            best = max(best, place * float(_gauss(place)) * np.exp(-g * abs(place - c)))
        touch = _gauss(w) - (1 + (place - w) * place) * _gauss(place)  # the tangent at `place` meets the bell at z
        z = w[:-1][(touch[:-1] > 0) != (touch[1:] > 0)]
        z = z[((z - c) * side > 0) & (np.abs(z - place) > 0.02)]
        best = max(best, float((place * _gauss(place) * np.exp(-g * np.abs(z - c))).max(initial=0.0)))
    return best


def against_truth(bandwidth: float, inverse_rate: float) -> dict[str, Any]:
    """How far the lemma is from the smooth sensitivity, and what a jump of the scale costs, at the paper's parameters.

    Args:
        bandwidth: h, metres.
        inverse_rate: 1/ε, metres.
    """
    query = GaussianKernel((0.0, 0.0), bandwidth, Plane("m"))
    mechanism = SmoothT.calibrate(query, 1 / inverse_rate)
    gamma = mechanism.gamma * bandwidth
    c = np.linspace(0.0, 6.0, 601)
    true = smooth_sensitivity(Gaussian(1.0), ExponentialGrowth(gamma), c)
    claimed = np.array([lemma(float(place), gamma) for place in c])
    slope = np.abs(np.diff(np.log(claimed))) / np.diff(c) / gamma
    # losses at a jump hardly depend on where it is; the centre is what E8 saw
    place = np.array([bandwidth - _STEP / 2, bandwidth + _STEP / 2])
    y = np.linspace(-60, 60, 60_001)[:, None]
    losses = []
    for jump in _JUMPS:
        scale = mechanism.scale(place) * np.array([jump, 1.0])
        loss = np.diff(stats.t.logpdf(y, mechanism.noise.df, query.profile(place), scale))  # type: ignore[attr-defined]
        losses.append(float(np.abs(loss).max()) / (_STEP / inverse_rate))
    return {
        "inverse_rate": inverse_rate,
        "least": float((claimed / true).min()),
        "slope": float(slope.max()),
        "audited": audit_mechanism(mechanism).worst_ratio,
        "jumps": list(_JUMPS),
        "step": _STEP,
        "losses": losses,
    }


def _gauss(c: Any) -> FloatArray:
    return np.asarray(np.exp(-np.square(c) / 2))
