"""The table [walk]: the same people report in several rounds, with noise that walks."""

from __future__ import annotations

from pydantic import Field

from geopriv.device.walks import MOST
from geopriv.surveys.tables import Table


class WalkTable(Table):
    """Noise that walks: one design for all rounds, and a promise on trajectories."""

    rounds: int = Field(ge=2, le=MOST, description=f"in how many rounds people report, a whole number from 2 to {MOST}")
