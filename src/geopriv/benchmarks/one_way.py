"""Expected variance of every unbiased mechanism on the paper's twelve one-way settings, against the floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from geopriv.bounds import lower_bound
from geopriv.checks import FloatArray
from geopriv.mechanisms import Lattice, LeastScaleT, LipschitzLaplace, SmoothT, Table
from geopriv.priors import Prior
from geopriv.queries import Threshold

SETTINGS = {
    10_000: (800, 1_200, 2_000),
    100_000: (8_000, 12_000, 20_000),
    500_000: (16_000, 24_000, 40_000),
    1_000_000: (32_000, 48_000, 80_000),
}


@dataclass(frozen=True)
class Panel:
    """One setting: threshold T, 1/ε, and the mean variance of a report over the people.

    Args:
        at: T.
        inverse_rate: 1/ε.
        m2: the paper's Laplace noise at the Lipschitz constant.
        m3: the paper's smooth sensitivity with Student-t noise.
        least_scale: LeastScaleT.
        lattice: Lattice, on a grid for this query.
        table: Table, uniform prior.
        excess: the table's variance over what no unbiased report with its values could beat, at lattice points.
        floor: what no unbiased report could beat.
    """

    at: int
    inverse_rate: int
    m2: float
    m3: float
    least_scale: float
    lattice: float
    table: float
    excess: float
    floor: float

    @property
    def gains(self) -> dict[str, float]:
        """Ratios that are claimed."""
        return {
            "M3/least_scale": self.m3 / self.least_scale,
            "M3/table": self.m3 / self.table,
            "table/floor": self.table / self.floor,
            "table/bound": self.excess,
        }

    @property
    def efficiencies(self) -> dict[str, float]:
        """Floor over variance."""
        names = ("m2", "m3", "least_scale", "lattice", "table")
        return {name: self.floor / float(getattr(self, name)) for name in names}


def one_way(x: FloatArray, weights: FloatArray, each: Callable[[], None] = lambda: None) -> list[Panel]:
    """The twelve settings for incomes x with weights that sum to 1; τ = min(0.2·T, 2/ε).

    Args:
        x: incomes.
        weights: of the incomes.
        each: called after each setting, for progress.
    """
    panels = []
    for at, rates in SETTINGS.items():
        for inverse in rates:
            query, rate = Threshold(at, min(0.2 * at, 2 * inverse)), 1 / inverse
            table = Table.calibrate(query, rate)
            lattice = Lattice.calibrate(query.space, rate, queries=[query])
            panels.append(
                Panel(
                    at,
                    inverse,
                    float(weights @ LipschitzLaplace.calibrate(query, rate).variance(x)),
                    float(weights @ SmoothT.calibrate(query, rate).variance(x)),
                    float(weights @ LeastScaleT.calibrate(query, rate).variance(x)),
                    float(weights @ lattice.variance(x, query)),
                    float(weights @ table.variance(x)),
                    table.excess(Prior(x, weights)),
                    float(weights @ lower_bound(query, rate, x)),
                )
            )
            each()
    return panels
