"""One folder a family: calibrate, moments, draw, worst loss; sensitivity and guarantee beside them."""

from geopriv.mechanisms.additive.additive import Additive
from geopriv.mechanisms.additive.least_scale import LeastScaleT
from geopriv.mechanisms.additive.lipschitz import LipschitzLaplace
from geopriv.mechanisms.additive.local_dp import LocalLaplace
from geopriv.mechanisms.additive.smooth import SmoothCauchy, SmoothLaplace, SmoothT
from geopriv.mechanisms.additive.vector import VectorSmoothCauchy
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.input.coordinate import CoordinateLaplace
from geopriv.mechanisms.input.input import InputLaplace
from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.lattice.walking import WalkingLattice
from geopriv.mechanisms.reports import Reports, Simulated
from geopriv.mechanisms.sensitivity import (
    ExponentialGrowth,
    LinearGrowth,
    hamming_smooth_sensitivity,
    pointwise_lipschitz,
    smooth_sensitivity,
)
from geopriv.mechanisms.shared.shared_tables import SharedTables
from geopriv.mechanisms.table.bracket_table import BracketTable
from geopriv.mechanisms.table.table import Table
from geopriv.mechanisms.table.vector_table import VectorTable

__all__ = [
    "Additive",
    "BracketTable",
    "CoordinateLaplace",
    "ExponentialGrowth",
    "InputLaplace",
    "Lattice",
    "LeastScaleT",
    "LinearGrowth",
    "LipschitzLaplace",
    "LocalLaplace",
    "Mechanism",
    "Reports",
    "SharedTables",
    "Simulated",
    "SmoothCauchy",
    "SmoothLaplace",
    "SmoothT",
    "Table",
    "VectorSmoothCauchy",
    "VectorTable",
    "WalkingLattice",
    "hamming_smooth_sensitivity",
    "pointwise_lipschitz",
    "smooth_sensitivity",
]
