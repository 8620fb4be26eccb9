"""Numbers in floats that say how wrong they can be."""

from __future__ import annotations

from dataclasses import dataclass

from geopriv.spaces.checks import FloatArray

ROUNDING = 2.0**-50  # eight roundings


@dataclass(frozen=True, eq=False)
class Bounded:
    """Floats, and bounds on their errors: absolute ones for answers and coordinates, relative ones for scales."""

    value: FloatArray
    off: FloatArray
