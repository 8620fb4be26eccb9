"""Expected variance of every unbiased mechanism on the paper's twelve one-way settings, against the floor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from geopriv.mechanisms import Table
from geopriv.queries.priors import Prior
from geopriv_paper.datasets import Incomes, read_incomes
from geopriv_paper.one_way import with_least
from geopriv_paper.settings import one_way_settings


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
        fitted: the variance of a Table that was made for the published fit of incomes, which is public.
        fitted_excess: that over the bound of its own values.
        floor: what no unbiased report could beat at any value by itself (theory T7).
        least: what none could beat for all of the people at once (theory T12).
    """

    at: int
    inverse_rate: int
    m2: float
    m3: float
    least_scale: float
    lattice: float
    table: float
    excess: float
    fitted: float
    fitted_excess: float
    floor: float
    least: float

    @property
    def gains(self) -> dict[str, float]:
        """Ratios that are claimed."""
        return {
            "M3/least_scale": self.m3 / self.least_scale,
            "M3/table": self.m3 / self.table,
            "table/floor": self.table / self.floor,
            "table/least": self.table / self.least,
            "table/bound": self.excess,
            "fitted/bound": self.fitted_excess,
        }

    @property
    def efficiencies(self) -> dict[str, float]:
        """The higher floor, T12, over variance."""
        names = ("m2", "m3", "least_scale", "lattice", "table", "fitted")
        return {name: self.least / float(getattr(self, name)) for name in names}


def one_way(incomes: Incomes, each: Callable[[], None] = lambda: None) -> list[Panel]:
    """The twelve settings for a law of incomes; τ = min(0.2·T, 2/ε).

    Args:
        incomes: whose variances are averaged.
        each: called after each setting, for progress.
    """
    panels, fit = [], read_incomes()
    public = Prior(fit.values, fit.weights)
    for setting in one_way_settings():
        found = with_least(setting, incomes)
        variance = {name: float(numbers["variance"]) for name, numbers in found["expected"].items()}
        people = Prior(incomes.values, incomes.weights)
        table = Table.calibrate(setting.query, setting.rate)
        fitted = Table.calibrate(setting.query, setting.rate, prior=public)
        panels.append(
            Panel(
                setting.at,
                setting.inverse_rate,
                variance["M2"],
                variance["M3"],
                variance["LeastScaleT"],
                variance["Lattice"],
                variance["Table"],
                table.excess(people),
                fitted.expected_variance(people),
                fitted.excess(people),
                found["floor"],
                found["least"],
            )
        )
        each()
    return panels
