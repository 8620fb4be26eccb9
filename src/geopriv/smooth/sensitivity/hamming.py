"""The Hamming metric: smooth sensitivity of a data set, as in the central model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geopriv.smooth.sensitivity.growth import Growth
from geopriv.spaces.checks import invalid, numbers


def hamming_smooth_sensitivity(sensitivities: Sequence[float], growth: Growth) -> float:
    """Smooth sensitivity from a sequence of sensitivities at distance k: max over k of A(k)/g(k).

    A(k) is the largest pointwise sensitivity of any data set that differs from ours in at most k records. The growth
    function over the Hamming metric gives standard (central) differential privacy; with g_E this is the definition
    of Nissim, Raskhodnikova and Smith.

    Args:
        sensitivities: A(0), A(1), …, A(n), non-negative and non-decreasing.
        growth: over the number of records.

    Reference: paper, definition 9 with dist = Hamming.

    >>> from geopriv.smooth import ExponentialGrowth
    >>> round(hamming_smooth_sensitivity([1.0, 1.0, 5.0], ExponentialGrowth(0.5)), 4)  # 5·exp(−1)
    1.8394
    """
    values = np.asarray(numbers("hamming_smooth_sensitivity", "sensitivities", sensitivities))
    if (values < 0).any() or (np.diff(values) < 0).any():
        raise invalid("hamming_smooth_sensitivity", "sensitivities", "non-negative and non-decreasing", sensitivities)
    return float((values / growth(np.arange(values.size, dtype=np.float64))).max())
