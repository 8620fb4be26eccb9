"""1-Lipschitz coordinates: maps from points to the line that never stretch a distance.

|s(x) − s(x')| ≤ dist(x, x') for all x, x'. This is all that a query's geometry owes to privacy (theory T1). Each
class says why it holds.
"""

from geopriv.shapes.coordinates.base import Box, Coordinate
from geopriv.shapes.coordinates.earth_region import EarthRegion
from geopriv.shapes.coordinates.linear import Linear
from geopriv.shapes.coordinates.quadrant import Quadrant
from geopriv.shapes.coordinates.radial import Radial
from geopriv.shapes.coordinates.region import Region
from geopriv.shapes.coordinates.scaled import Scaled

__all__ = ["Box", "Coordinate", "EarthRegion", "Linear", "Quadrant", "Radial", "Region", "Scaled"]
