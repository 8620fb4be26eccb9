"""The paper: smooth sensitivity, and every mechanism that is built on it. No step of a survey runs it on a device.

Section 3.1, pointwise Lipschitz constants and smooth growth: `sensitivity` of profiles, `cells` of any function.
Section 3.2, noise: `additive`. Section 3.3, the generic procedure: `sensitivity.envelope`, `cells`. Past it: the least
scale, `fields`; each mechanism beside the others, `comparison`. docs/paper.md has every definition, lemma and figure.
"""

from geopriv.smooth.additive.additive import Additive
from geopriv.smooth.additive.least_scale import LeastScaleT
from geopriv.smooth.additive.lipschitz import LipschitzLaplace
from geopriv.smooth.additive.local_dp import LocalLaplace
from geopriv.smooth.additive.smooth import SmoothCauchy, SmoothLaplace, SmoothT
from geopriv.smooth.additive.vector import VectorSmoothCauchy
from geopriv.smooth.comparison import Rivals, rivals
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
    "Rivals",
    "SmoothCauchy",
    "SmoothLaplace",
    "SmoothT",
    "VectorSmoothCauchy",
    "hamming_smooth_sensitivity",
    "pointwise_lipschitz",
    "rivals",
    "smooth_sensitivity",
]
