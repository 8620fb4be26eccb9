"""A step function above the Gaussian's pointwise Lipschitz constant, for enclosures of its smooth sensitivity.

The numerical B* of a Gaussian is right to rounding errors, but a bound with rounding errors is not smooth. The
supremum over z of L̄(z)/g(|s − z|) is, for any L̄ ≥ L_Λ, by its form (paper, Lemma 3.1). L_Λ rises up to one bandwidth
from the centre and falls after it, so its values at the ends of a cell bound it on the cell. They are computed to 1e-9
and raised by 1e-7.

With Λ = ∞ and at c bandwidths, L_∞ ≤ sup over w of e^(−w²/2)/(c − w). The best w is the smaller root of w(c − w) = 1,
so the supremum is less than w = 1/(c − w), and w falls with c: from the last node C on, 1/(c − w_C) is above L_∞.

The cost is a scale that is up to 5e-4 above the stated one. (With a finite Λ it also stops falling at some 1e-18 of its
largest value.)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from geopriv.shapes.profiles import Gaussian
from geopriv.smooth.sensitivity import gaussian
from geopriv.smooth.sensitivity.envelope import Envelope
from geopriv.spaces.checks import FloatArray

_FINE, _NEAR, _FAR, _GONE = 5e-4, 9.0, 60.0, 9.0  # in bandwidths
_ENDLESS = 1e200  # bandwidths
_RAISED = 1 + 1e-7
_NOTHING = np.empty(0)


@lru_cache(maxsize=64)
def gaussian_envelope(profile: Gaussian, radius: float) -> Envelope:
    """L̄ as a function of the distance to the centre."""
    h = profile.bandwidth
    nodes = _nodes(radius / h)
    values = gaussian.pointwise(Gaussian(h), nodes * h, radius) * _RAISED
    bounds = np.maximum(values[:-1], values[1:])
    bounds[(nodes[:-1] <= 1) & (nodes[1:] >= 1)] = profile.lipschitz * _RAISED
    edges, none = nodes * h, (_NOTHING, _NOTHING)
    if np.isfinite(radius):  # what is left beyond the last node is less than its value there
        return Envelope(np.append(edges, _ENDLESS * h), np.append(bounds, values[-1]), none, none)
    last = float(nodes[-1])
    foot = (last - np.sqrt(last**2 - 4)) / 2 * h * _RAISED
    # the last cell holds until the hyperbola comes down to it
    stop = max(edges[-1], foot + 1 / bounds[-1]) * _RAISED
    tail = np.array([_RAISED]), np.array([foot])
    return Envelope(np.append(edges, stop), np.append(bounds, bounds[-1]), none, tail)


def _nodes(reach: float) -> FloatArray:
    near = np.arange(0.0, _NEAR, _FINE)
    if not np.isfinite(reach):
        return np.concatenate([near, np.geomspace(_NEAR, _FAR, 8000)])
    end = reach + _GONE
    edge = np.arange(max(reach - _NEAR, 0.0), end + _FINE, _FINE)
    between = np.geomspace(_NEAR, max(reach, 2 * _NEAR), 8000)
    nodes = np.unique(np.concatenate([near, between, edge]))
    return nodes[nodes <= end]
