"""How far the truth can be from a mean: half the length of an interval, by the normal law or for every n.

Use the normal interval by default. It is right in the limit, and in practice from a few hundred reports on that are not
all alike. Use the finite-sample one where a wrong claim is costly, where there are few reports, or where what is asked
is rare: a kernel that nobody reported near has a normal interval of nearly no length, which means nothing. It is
longer, by a factor of about 1.5 with many reports and more with few, and needs contributions with bounds, or values
with bounds and noise of a known law (`geopriv.answers.mean.finite_ends`).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from geopriv.spaces.checks import FloatArray, count, fraction


def normal_reach(confidence: float) -> float:
    """Standard errors on each side of a normal interval.

    >>> round(normal_reach(0.95), 3)
    1.96
    """
    return float(special.ndtri((1 + confidence) / 2))


def sidak_reach(confidence: float, intervals: int) -> float:
    """Standard errors on each side, so that many intervals hold at once.

    For jointly normal estimates, whatever their correlations, P[all |Z_k| ≤ c] ≥ Π P[|Z_k| ≤ c] (Khatri 1967, Šidák
    1967). So intervals of confidence^(1/K) each hold all at once with the confidence.

    >>> round(sidak_reach(0.95, 100), 2)
    3.47
    """
    size = count("sidak_reach", "intervals", intervals)
    return float(-special.ndtri(-math.expm1(math.log(confidence) / size) / 2))


def bernstein_reach(
    variances: FloatArray, n: int, spread: FloatArray, confidence: float, fewest: int = 0
) -> FloatArray:
    """Half the length of an interval that holds for every n ≥ 2: the empirical Bernstein bound, on both sides.

    For independent contributions within a range of length R, with sample variance V (n − 1 in the denominator) and
    L = ln(3/δ), δ = 1 − confidence, with probability of at least 1 − δ

        |mean − E mean| ≤ √(2·V·L/n) + 7·R·L/(3·(n − 1)).

    Three events, each of a probability of at most δ/3, are excluded: Bernstein's inequality above and below the mean,
    |mean − E mean| ≤ √(2·σ²·L/n) + R·L/3n, and σ > √V + R·√(2·L/(n − 1)) (Maurer and Pontil, Theorem 10). Put together
    with 1/√(n(n − 1)) ≤ 1/(n − 1) they give the above; Theorem 4 there is the same on one side, with ln(2/δ).

    Contributions need not have the same law. For people who are given, σ² is the mean of their variances, and V exceeds
    it on average by the variance between them, so the interval holds for the mean over these very people too.

    Where means are weighted by known sizes of groups, V is that within groups, and the bound on σ is proven anew: a
    sum over groups of n_g·V_g is self-bounding as each of them is, with the largest of n_g/(n_g − 1) in the place of
    n/(n − 1) (Maurer and Pontil, Theorem 7 and Lemma 9). So with m the fewest reports of a group, without a union over
    groups, σ ≤ √V + R·√(2·L·m/((m − 1)·n)), and

        |mean − E mean| ≤ √(2·V·L/n) + R·L·(2·√(m/(m − 1)) + 1/3)/n.

    Args:
        variances: V, of one report's contributions.
        n: reports.
        spread: R, the largest less the least contribution that is possible.
        confidence: of each interval by itself.
        fewest: m, at least two; 0 where every report counts alike.

    Reference: A. Maurer, M. Pontil, Empirical Bernstein Bounds and Sample-Variance Penalization, COLT 2009.

    >>> import numpy as np
    >>> bernstein_reach(np.array([0.25]), 1000, np.array([1.0]), 0.95).round(3)
    array([0.055])
    """
    count("bernstein_reach", "n", n, least=2)
    size = math.log(3 / (1 - fraction("bernstein_reach", "confidence", confidence)))
    rest = 7 / (3 * (n - 1)) if not fewest else (2 * math.sqrt(fewest / (fewest - 1)) + 1 / 3) / n
    return np.asarray(np.sqrt(2 * variances * size / n) + rest * spread * size)
