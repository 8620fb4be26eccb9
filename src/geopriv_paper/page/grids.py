"""The parts of the page about many queries: two-way thresholds and the map."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from geopriv_paper.claims.claim import Panels
from geopriv_paper.page.markdown import (
    paragraph,
    small,
    table,
    times,
)

_OURS = ("LeastScaleT", "Table", "Lattice", "InputLaplace")


def two_way(panels: Panels, changes: list[dict[str, Any]]) -> list[str]:
    """Errors against the hard threshold."""
    return [
        *paragraph(
            "Average squared error over 34 × 34 pairs of thresholds against the share of people above both, the hard "
            "threshold, so the soft one that M2, M3 and LDP answer (f_τ) has a bias of its own. Table answers a soft "
            "threshold too, with the paper's τ where that is 2/ε and 1/2ε elsewhere; Lattice one that is blurred as "
            "suits n best."
        ),
        *_parts(panels, changes, lambda panel: [f"{panel['inverse_rate']:,.0f}", f"{panel['people']:,}"], ["1/ε", "n"]),
    ]


def kde(panels: Panels, changes: list[dict[str, Any]]) -> list[str]:
    """Errors of the map."""
    return [
        *paragraph(
            "Average squared error over 61 × 61 kernels, against the same kernels on the same people without noise. "
            "Metres are on the ground; the row marked * is the first one with ε for metres on the Mercator map, as "
            "in the paper, which are shorter on the ground, so its promise is weaker than it says (E11)."
        ),
        *_parts(
            panels,
            changes,
            _on_map,
            ["1/ε (m)", "h", "n"],
        ),
    ]


def _on_map(panel: dict[str, Any]) -> list[str]:
    mark = "" if float(panel["inverse_rate"]).is_integer() else "*"
    return [f"{panel['inverse_rate']:,.0f}{mark}", f"{panel['factor']:g}·w", f"{panel['people']:,}"]


def _parts(panels: Panels, changes: list[dict[str, Any]], setting: Any, head: list[str]) -> list[str]:
    grids = {name: panel for name, panel in panels.items() if "expected" in panel}
    return [
        "With ε for **each** query, as in the paper (E10); mechanisms of one report a person need it once:",
        "",
        *_errors(grids.values(), "expected", setting, head),
        "With **one** ε a person: each answers one query, or reports the input once:",
        "",
        *_errors(grids.values(), "shared", setting, head),
        "### What changed",
        "",
        *paragraph(
            "M3's error over that of the others: with ε for each query on both sides (Lattice and InputLaplace then "
            "spend it once, M3 for every query), and with one ε a person on both sides:"
        ),
        *_changes(grids, changes, setting, head),
    ]


def _errors(panels: Iterable[dict[str, Any]], budget: str, setting: Any, head: list[str]) -> list[str]:
    rows = []
    names: list[str] = []
    for panel in panels:
        found = {name: numbers["error"] for name, numbers in panel[budget].items()}
        names = list(found)
        least = min(error for name, error in found.items() if name != "f_tau")
        cells = [f"**{small(error)}**" if error == least else small(error) for error in found.values()]
        rows.append([*setting(panel), *cells])
    columns = [*head, *("f_τ" if name == "f_tau" else name for name in names)]
    return [*table(columns, rows, "r" * len(columns)), ""]


def _changes(panels: Panels, changes: list[dict[str, Any]], setting: Any, head: list[str]) -> list[str]:
    gains = [*_columns(changes, "gains", "{}, ε each"), *_columns(changes, "shared_gains", "{}, one ε")]
    return [*_factors(panels, changes, setting, head, gains), *_floors(panels, changes, setting, head)]


def _floors(panels: Panels, changes: list[dict[str, Any]], setting: Any, head: list[str]) -> list[str]:
    return [
        *paragraph(
            "Variance over the floor: of LeastScaleT and Table over what no unbiased answer to each query alone can "
            "beat (T7), of Lattice and InputLaplace over what no report that answers all queries can beat (T10)."
        ),
        *_factors(panels, changes, setting, head, _columns(changes, "over_floor", "{}")),
    ]


def _columns(changes: list[dict[str, Any]], key: str, words: str) -> list[tuple[str, str, str]]:
    """Key, mechanism and heading of the columns of ours."""
    return [(key, name, words.format(name)) for name in changes[0][key] if name in _OURS]


def _factors(
    panels: Panels, changes: list[dict[str, Any]], setting: Any, head: list[str], columns: list[tuple[str, str, str]]
) -> list[str]:
    rows = [[*setting(panels[row["panel"]]), *(times(row[key][name]) for key, name, _ in columns)] for row in changes]
    headings = [*head, *(words for _, _, words in columns)]
    return [*table(headings, rows, "r" * len(headings)), ""]
