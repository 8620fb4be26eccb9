"""1-Lipschitz coordinates: maps from points to the line that never stretch a distance.

|s(x) − s(x')| ≤ dist(x, x') for all x, x'. This is all that a query's geometry owes to privacy (theory T1). Each
class says why it holds.
"""

from geopriv.shapes.coordinates.base import Coordinate
from geopriv.shapes.coordinates.earth import EarthRegionDistance
from geopriv.shapes.coordinates.regions import QuadrantDistance, RegionDistance
from geopriv.shapes.coordinates.simple import Linear, Radial, Scaled

__all__ = ["Coordinate", "EarthRegionDistance", "Linear", "QuadrantDistance", "Radial", "RegionDistance", "Scaled"]
