"""`geopriv bench accuracy`: the twelve one-way settings and the map, as tables or JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from geopriv.spaces.checks import count
from geopriv_paper.benchmarks.city_map import INVERSE_RATES, MapPanel, city_map
from geopriv_paper.benchmarks.one_way import Panel, one_way
from geopriv_paper.benchmarks.plain_widths import INVERSE_RATES as WIDTH_RATES
from geopriv_paper.benchmarks.plain_widths import PEOPLE, WidthPanel, plain_widths
from geopriv_paper.benchmarks.whole_maps import WholeMap, whole_maps
from geopriv_paper.datasets import read_incomes, read_places
from geopriv_paper.settings import CITY, one_way_settings

_PLANS = len(WIDTH_RATES) * len(PEOPLE)


@dataclass(frozen=True)
class Accuracy:
    """What was measured, and on whom."""

    incomes: str
    places: str
    panels: list[Panel]
    maps: list[MapPanel]
    whole: list[WholeMap]
    widths: list[WidthPanel]

    def as_json(self) -> dict[str, Any]:
        """Every number, with the ratios that are claimed."""
        return {
            "one_way": {
                "incomes": self.incomes,
                "panels": [asdict(p) | {"gains": p.gains, "efficiencies": p.efficiencies} for p in self.panels],
            },
            "map": {"places": self.places, "panels": [asdict(p) | {"gains": p.gains} for p in self.maps]},
            "whole_maps": [asdict(w) for w in self.whole],
            "plain": {"incomes": self.incomes, "panels": [asdict(p) for p in self.widths]},
        }


def measure(incomes: Path | None, places: Path | None, people: int, seed: int) -> Accuracy:
    """All panels; a progress bar on the terminal meanwhile."""
    count("bench accuracy", "people", people, least=2)
    who, where = read_incomes(incomes), read_places(places)
    spots = where.draw(min(people, len(where.values)), np.random.default_rng(seed))
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Calibrating…", total=len(one_way_settings()) + len(INVERSE_RATES) + _PLANS)
        panels = one_way(who, each=lambda: progress.advance(task))
        maps = city_map(spots, CITY, seed, each=lambda: progress.advance(task))
        widths = plain_widths(who, each=lambda: progress.advance(task))
    return Accuracy(who.source, where.source, panels, maps, whole_maps(), widths)


def print_tables(result: Accuracy) -> None:
    """Both tables, and what they say in a sentence each."""
    console = Console(width=max(Console().width, 190))
    table = _table(f"Expected variance of a report, {result.incomes}")
    for name in ("T", "1/ε", "M2", "M3", "least t", "lattice", "table", "T7", "T12"):
        table.add_column(name, justify="right")
    for name in (
        "M3/least",
        "M3/table",
        "table/T7",
        "table/T12",
        "table/bound",
        "efficiency",
        "fitted/bound",
        "efficiency",
    ):
        table.add_column(name, justify="right")
    for p in result.panels:
        numbers = (p.m2, p.m3, p.least_scale, p.lattice, p.table, p.floor, p.least)
        gains = f"{p.gains['M3/least_scale']:.1f}", f"{p.gains['M3/table']:.1f}"
        near = (
            f"{p.gains['table/floor']:.2f}",
            f"{p.gains['table/least']:.3f}",
            f"{p.gains['table/bound']:.3f}",
            f"{100 * p.efficiencies['table']:.1f} %",
            f"{p.gains['fitted/bound']:.3f}",
            f"{100 * p.efficiencies['fitted']:.1f} %",
        )
        table.add_row(f"{p.at:,}", f"{p.inverse_rate:,}", *(f"{v:.3g}" for v in numbers), *gains, *near)
    console.print(table)
    chart = _table(f"Average squared error of a 61 × 61 map, {result.maps[0].people:,} people, {result.places}")
    for name in ("1/ε (m)", "h (m)", "one report", "simulated", "lattice", "sent", "M3, ε each", "M3, ε shared"):
        chart.add_column(name, justify="right")
    for name in ("M3 each/one", "M3 shared/one", "lattice/one", "M3 each/lattice", "sent/lattice"):
        chart.add_column(name, justify="right")
    for m in result.maps:
        errors = (m.input_laplace, m.simulated, m.lattice, m.from_devices, m.m3_each, m.m3_shared)
        factors = (f"{gain:,.2f}" if gain < 3 else f"{gain:,.1f}" for gain in m.gains.values())
        chart.add_row(f"{m.inverse_rate:,}", f"{m.bandwidth:,.0f}", *(f"{v:.2e}" for v in errors), *factors)
    console.print(chart)
    console.print(
        "M2, M3: the paper's. T7, T12: no unbiased report can be below; T7 for each person alone, T12 for all.\n"
        "Efficiency: T12 over the table's variance. Bound: no report with the table's values can be below it.\n"
        "Table: made for people who are even along the line. Fitted: made for the published fit of incomes.\n"
        "One report: InputLaplace, unbiased, ε once a person. Lattice: what devices send; sent: one survey of it.\n"
        "M3, ε each: with ε for each of the 3,721 queries; shared: each person answers one query.\n",
        highlight=False,
    )
    console.print(_whole_table(result))
    console.print(_width_table(result))
    console.print(
        "Plain: holds the share at or above T whoever the people are (theory T14). Soft: people within 2/ε of T count\n"
        "in part, which is another question. Reach: over which a bracket fades, chosen by plan from the published fit.",
        highlight=False,
    )


def _whole_table(result: Accuracy) -> Table:
    whole = _table("Variance of a whole map from one report, noise alone, over that of planar Laplace noise; exact")
    for name in ("εh", "step·ε", "round noise", "noise of each axis", "floor (T11)"):
        whole.add_column(name, justify="right")
    for w in result.whole:
        ratios = (f"{part:.3f}" for part in (w.rounded, w.product, w.floor))
        whole.add_row(f"{w.bandwidth:g}", f"{w.step:g}", *ratios)
    return whole


def _width_table(result: Accuracy) -> Table:
    widths = _table(f"Half of a 95 % interval in percentage points, one Lattice report, {result.incomes}")
    for name in ("T", "1/ε", "people", "reach·ε", "± plain", "± soft"):
        widths.add_column(name, justify="right")
    for w in result.widths:
        numbers = (f"{w.reach:.2f}", f"{100 * w.plain:.2f}", f"{100 * w.soft:.2f}")
        widths.add_row(f"{w.at:,}", f"{w.inverse_rate:,}", f"{w.people:,}", *numbers)
    return widths


def _table(title: str) -> Table:
    return Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False, padding=(0, 0, 0, 1))
