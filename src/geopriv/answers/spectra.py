"""Spectral shrinkage: less error where noise dominates, at the price of a bias."""

from __future__ import annotations

from typing import Any

import numpy as np

from geopriv.mechanisms.input.deconvolution import Spectrum
from geopriv.spaces.checks import FloatArray

_MOST = 1e100  # beyond, nothing is left of a wave


def shrinkage(waves: tuple[FloatArray, FloatArray], spectrum: Any, n: int, noise: Spectrum) -> FloatArray:
    """S/(S + v) for every wave: what is signal in the ring of waves of its length.

    With φ the mean wave of the reports and p the noise's, |φ|² − 1/n is an unbiased estimate of (1 − 1/n)·|p·signal|²;
    S is its mean over the ring divided by |p|², not below zero, and v = (|p|^(−2) − 1)/n is the noise's part.

    Args:
        waves: angular frequencies of rows and columns.
        spectrum: Σ over reports of each wave.
        n: reports.
        noise: of the reports.

    Reference: theory §6.
    """
    length = np.hypot(*waves)
    inverse = np.minimum(noise(length) ** -2.0, _MOST)
    power = (np.abs(spectrum / n) ** 2 - 1 / n) * inverse
    ring = np.rint(length / max(float(waves[0][1, 0]), float(waves[1][0, 1]))).astype(np.int64)
    count = np.maximum(np.bincount(ring.ravel()), 1)
    signal = np.maximum(np.bincount(ring.ravel(), power.ravel()) / count, 0.0)
    drowned = np.bincount(ring.ravel(), ((inverse - 1) / n).ravel()) / count
    factor = np.where(drowned > 0, signal / np.maximum(signal + drowned, 1e-300), 1.0)
    return np.asarray(factor[ring])
