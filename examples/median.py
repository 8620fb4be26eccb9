"""Smooth sensitivity over the Hamming metric: the median of a data set, in the central model.

With dist = number of records that differ, Geo-Privacy is differential privacy, and the framework gives the standard
smooth sensitivity of the median (Nissim, Raskhodnikova, Smith 2007).

Run it:  python examples/median.py
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import geopriv as gp


def median_sensitivities(data: Sequence[float], low: float, high: float) -> list[float]:
    """A(0), A(1), …, A(n) of the median of an odd number of values in [low, high].

    A(k) = max over 0 ≤ t ≤ k+1 of x(m+t) − x(m+t−k−1), with x sorted, m the middle, and x = low or high beyond the
    ends.

    >>> [round(a, 12) for a in median_sensitivities([0.4, 0.5, 0.6], low=0, high=1)]
    [0.1, 0.5, 0.6, 1.0]
    """
    x = np.sort(np.asarray(data, dtype=float))
    n = x.size
    if n % 2 == 0 or x[0] < low or x[-1] > high:
        raise ValueError("The median needs an odd number of values in [low, high].")
    padded = np.concatenate([np.full(n + 1, low), x, np.full(n + 1, high)])
    middle = n // 2 + n + 1
    return [float(max(padded[middle + t] - padded[middle + t - k - 1] for t in range(k + 2))) for k in range(n + 1)]


def main() -> None:
    """The median of 1,001 ages with ε = 1, against noise by global sensitivity."""
    rng = np.random.default_rng(0)
    ages = np.clip(rng.normal(45, 18, 1001), 0, 120)
    noise = gp.noise.StudentT(df=3)
    gamma = 0.1
    eta = (1.0 - noise.budget(gamma, 0.0)) / noise.budget(0.0, 1.0)
    smooth = gp.smooth.hamming_smooth_sensitivity(
        median_sensitivities(ages.tolist(), 0, 120), gp.smooth.ExponentialGrowth(gamma)
    )
    print(f"median {np.median(ages):.2f}, ε = {noise.budget(gamma, eta):.3f}")
    print(f"smooth sensitivity {smooth:.4f}, so noise of standard deviation {smooth / eta * noise.variance**0.5:.3f}")
    print(f"global sensitivity 120, so Laplace noise of standard deviation {120 * 2**0.5:.1f}")


if __name__ == "__main__":
    main()
