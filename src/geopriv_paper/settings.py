"""The paper's parameters (section 5 and appendix C)."""

from __future__ import annotations

from dataclasses import dataclass

from geopriv.queries import Threshold
from geopriv.spaces import LocalPlane

# one-way thresholds: T, then C and the three 1/ε, all in USD
ONE_WAY = {
    10_000: (1_200, (800, 1_200, 2_000)),
    100_000: (12_000, (8_000, 12_000, 20_000)),
    500_000: (24_000, (16_000, 24_000, 40_000)),
    1_000_000: (48_000, (32_000, 48_000, 80_000)),
}
ONE_WAY_PEOPLE = (400_000, 800_000, 1_600_000, 3_200_000, 6_400_000)
ONE_WAY_REPETITIONS = 500

# two-way thresholds
TWO_WAY_GRID = tuple(range(10_000, 1_000_001, 30_000))
TWO_WAY_DISTANCE = 12_000  # C
TWO_WAY = ((8_000, 1_600_000), (12_000, 1_600_000), (20_000, 1_600_000), (12_000, 400_000), (12_000, 6_400_000))
TWO_WAY_REPETITIONS = 50
DEBT_TO_INCOME, CORRELATION = 1.791, 0.4

# Gaussian kernel density estimation; its box on the Mercator map in degrees, measured in metres on the ground (E11)
CITY = LocalPlane(south=40.34, west=-74.644, north=40.955, east=-73.654)
KDE_GRID = 61
KDE_DISTANCE = 1_000  # C, metres
KDE = (  # 1/ε in metres, h in widths w of a cell, people
    (1_000, 1.0, 200_000),
    (500, 1.0, 200_000),
    (2_000, 1.0, 200_000),
    (1_000, 0.8, 200_000),
    (1_000, 1.2, 200_000),
    (1_000, 1.0, 100_000),
    (1_000, 1.0, 400_000),
)
KDE_REPETITIONS = 10


@dataclass(frozen=True)
class OneWay:
    """One panel of the one-way figures.

    Args:
        at: T.
        inverse_rate: 1/ε.
        distance: C; LDP has ε' = ε·C.
    """

    at: int
    inverse_rate: int
    distance: int

    @property
    def name(self) -> str:
        """Short, and safe as a file name."""
        return f"T{self.at}-{self.inverse_rate}"

    @property
    def rate(self) -> float:
        """The rate ε, per USD."""
        return 1 / self.inverse_rate

    @property
    def query(self) -> Threshold:
        """The threshold f_τ with τ = min(0.2·T, 2/ε)."""
        return Threshold(self.at, min(0.2 * self.at, 2 * self.inverse_rate))


def one_way_settings() -> list[OneWay]:
    """The twelve panels, in the paper's order."""
    return [OneWay(at, inverse, distance) for at, (distance, rates) in ONE_WAY.items() for inverse in rates]
