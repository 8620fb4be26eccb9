"""The paper: smooth sensitivity, and every mechanism that is built on it. No step of a survey runs it on a device.

Section 3.1, pointwise Lipschitz constants and smooth growth: `sensitivity`. Section 3.2, noise: `additive`.
"""

from geopriv.smooth.additive.additive import Additive
from geopriv.smooth.additive.least_scale import LeastScaleT
from geopriv.smooth.additive.lipschitz import LipschitzLaplace
from geopriv.smooth.additive.local_dp import LocalLaplace
from geopriv.smooth.additive.smooth import SmoothCauchy, SmoothLaplace, SmoothT
from geopriv.smooth.additive.vector import VectorSmoothCauchy
from geopriv.smooth.sensitivity import (
    ExponentialGrowth,
    LinearGrowth,
    hamming_smooth_sensitivity,
    pointwise_lipschitz,
    smooth_sensitivity,
)

__all__ = [
    "Additive",
    "ExponentialGrowth",
    "LeastScaleT",
    "LinearGrowth",
    "LipschitzLaplace",
    "LocalLaplace",
    "SmoothCauchy",
    "SmoothLaplace",
    "SmoothT",
    "VectorSmoothCauchy",
    "hamming_smooth_sensitivity",
    "pointwise_lipschitz",
    "smooth_sensitivity",
]
