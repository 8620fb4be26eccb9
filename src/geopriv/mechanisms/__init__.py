"""One folder a family that devices run, and noise on the input: calibrate, moments, draw, worst loss; guarantees."""

from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.input.coordinate import CoordinateLaplace
from geopriv.mechanisms.input.input import InputLaplace
from geopriv.mechanisms.lattice.lattice import Lattice
from geopriv.mechanisms.lattice.walking import WalkingLattice
from geopriv.mechanisms.reports import Reports, Simulated
from geopriv.mechanisms.shared.shared_tables import SharedTables
from geopriv.mechanisms.table.bracket_table import BracketTable
from geopriv.mechanisms.table.table import Table
from geopriv.mechanisms.table.vector_table import VectorTable

__all__ = [
    "BracketTable",
    "CoordinateLaplace",
    "InputLaplace",
    "Lattice",
    "Mechanism",
    "Reports",
    "SharedTables",
    "Simulated",
    "Table",
    "VectorTable",
    "WalkingLattice",
]
