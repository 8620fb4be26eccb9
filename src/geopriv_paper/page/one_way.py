"""The part of the page about one-way thresholds."""

from __future__ import annotations

from typing import Any

from geopriv_paper.agreement import merged
from geopriv_paper.claims.claim import Panels
from geopriv_paper.figures.one_way import surveyed
from geopriv_paper.one_way import OURS, PAPERS, mean_squared_error
from geopriv_paper.page.markdown import (
    paragraph,
    small,
    table,
    times,
)
from geopriv_paper.settings import ONE_WAY_PEOPLE
from geopriv_paper.surveys import BLOCK

_FEWEST, _MOST = ONE_WAY_PEOPLE[0], ONE_WAY_PEOPLE[-1]


def part(panels: Panels, changes: list[dict[str, Any]]) -> list[str]:
    """Errors, what changed, where the plain M0 still wins, and simulations."""
    settings = {name: panel for name, panel in panels.items() if "at" in panel}
    return [
        *paragraph(
            "The error of n people is bias² + variance/n; both are exact. The truth is the mean of f_τ over the same "
            "people, who are drawn anew for each survey. InputLaplace answers a smoothstep of width √2·τ, the "
            "nearest smooth query to the ramp f_τ; the difference is counted as bias."
        ),
        *_errors(settings, _FEWEST),
        *_errors(settings, _MOST),
        "### What changed",
        "",
        *paragraph(
            f"How many times smaller than M3's the error is at the same guarantee, for n = {_MOST:,} (in brackets for "
            f"n = {_FEWEST:,}, where it differs), and how far from the floor. One query a person: the budget for each "
            "query is the whole budget, so the comparison at an equal total budget is the same."
        ),
        *_changes(changes),
        *_plain(changes),
        "### Simulated beside exact",
        "",
        *_simulated(panels, settings),
        *_log_normal(panels),
    ]


def _setting(panel: dict[str, Any]) -> list[str]:
    return [f"{panel['at']:,}", f"{panel['inverse_rate']:,}"]


def _errors(settings: Panels, people: int) -> list[str]:
    names = [*PAPERS, *OURS]
    rows = []
    for panel in settings.values():
        errors = {name: mean_squared_error(panel["expected"][name], people) for name in names}
        best = min(errors[name] for name in names)
        cells = [f"**{small(error)}**" if error == best else small(error) for error in errors.values()]
        rows.append([*_setting(panel), *cells, small(panel["least"] / people)])
    head = ["T", "1/ε", *names, "floor"]
    return [f"Mean squared error, n = {people:,}; the least in bold:", "", *table(head, rows, "r" * len(head)), ""]


def _changes(changes: list[dict[str, Any]]) -> list[str]:
    rows = []
    for row in changes:
        gains = [times(row["gains"][one]) for one in OURS]
        before = [times(row["gains_few"][one]) for one in OURS]
        cells = [now if now == few else f"{now} ({few})" for now, few in zip(gains, before, strict=True)]
        rows.append(
            [*_setting(row), *cells, *(times(row["over_floor"][one]) for one in ("LeastScaleT", "Lattice", "Table"))]
        )
    head = ["T", "1/ε", *(f"M3/{one}" for one in OURS), "LeastScaleT/floor", "Lattice/floor", "Table/floor"]
    return [*table(head, rows, "r" * len(head)), ""]


def _plain(changes: list[dict[str, Any]]) -> list[str]:
    """Where the biased M0 is still the best, said plainly."""
    rows = [[*_setting(row), *(f"{row['m0_wins_up_to'][one]:,}" for one in ("M3", "ours"))] for row in changes]
    head = ["T", "1/ε", "than M3", "than the best of ours"]
    return [
        *paragraph(
            "Where the plain, biased M0 still wins: its variance is the smallest, so with few people it has less error "
            "than any unbiased mechanism, most of all for large ε and thresholds far from most people. Up to how many "
            "people its error is smaller:"
        ),
        *table(head, rows, "rrrr"),
        "",
        *paragraph(
            "Its interval knows nothing of the bias, so it covers the truth less often than it says. The same "
            "reports also give the unbiased estimate of InputLaplace."
        ),
    ]


def _simulated(panels: Panels, settings: Panels) -> list[str]:
    surveys = surveyed(panels)
    rows, counts = [], set()
    for name, panel in settings.items():
        cells = []
        for one in (*PAPERS, *OURS):
            seen = surveys.get(name, {}).get(one) or panel["simulated"].get(one, {})
            size = min(seen, key=int)
            moments = merged([seen[size]])
            exact = mean_squared_error(panel["expected"][one], int(size))
            error = max((moments["fourth"] - moments["square"] ** 2) / moments["repetitions"], 0.0) ** 0.5
            cells.append(f"{moments['square'] / exact:.2f} ± {2 * error / exact:.2f}")
            counts.add((int(size), int(moments["repetitions"]), "the paper's mechanisms" if one in PAPERS else "ours"))
        rows.append([*_setting(panel), *cells])
    words = "; ".join(
        f"{who} {repetitions:,} surveys of {size:,} people" for size, repetitions, who in sorted(counts, reverse=True)
    )
    head = ["T", "1/ε", *PAPERS, *OURS]
    return [
        *paragraph(
            f"Simulated mean squared error over the exact one, ± 2 standard errors ({words}). LDP and M2 share their "
            "draws, and all settings share people, so these columns and rows are not independent. Surveys of "
            f"{BLOCK:,} people add up to the larger ones of the figure."
        ),
        *table(head, rows, "r" * len(head)),
        "",
    ]


def _log_normal(panels: Panels) -> list[str]:
    if "log-normal" not in panels:
        return []
    names = ("M2", "M3", "LeastScaleT", "Lattice", "Table")
    found = panels["log-normal"]
    rows = [
        [name.partition("-")[0][1:], name.partition("-")[2]]
        + [f"{one['expected'][mechanism]['variance']:.5f}" for mechanism in names]
        + [f"{one['least']:.5f}"]
        for name, one in found["settings"].items()
    ]
    head = ["T", "1/ε", *names, "floor"]
    return [
        "### The same without a file",
        "",
        f"Variance of one report: {found['source']}.",
        "",
        *table(head, rows, "r" * len(head)),
        "",
    ]
