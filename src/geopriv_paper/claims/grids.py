"""How results with many queries are read: panels by their settings, errors by mechanism."""

from __future__ import annotations

from typing import Any

from geopriv_paper.claims.claim import Panels, few_digits, span

PAPERS = ("LDP", "M0", "M1", "M2", "M3")


def pick(panels: Panels, **where: float) -> dict[str, Any]:
    """The panel with these settings."""
    (found,) = (panel for panel in panels.values() if all(panel.get(name) == value for name, value in where.items()))
    return found


def errors(panel: dict[str, Any], budget: str = "expected") -> dict[str, float]:
    """The exact average squared error of each of the paper's mechanisms in a panel."""
    return {name: numbers["error"] for name, numbers in panel[budget].items() if name in PAPERS}


def falls(before: dict[str, Any], after: dict[str, Any]) -> dict[str, float]:
    """By which factor each error is smaller in the second panel."""
    first, second = errors(before), errors(after)
    return {name: first[name] / second[name] for name in first}


def listed(values: dict[str, float], digits: int = 3) -> str:
    """Names with their values."""
    return ", ".join(f"{name} {few_digits(value, digits)}" for name, value in values.items())


def most_prominent(gains: dict[str, float]) -> bool:
    """Whether M0 and M3 gain more than all others."""
    others = [gain for name, gain in gains.items() if name not in ("M0", "M3")]
    return min(gains["M0"], gains["M3"]) > max(others)


def best_everywhere(panels: Panels, name: str) -> tuple[bool, str]:
    """Whether a mechanism of the paper has the least error in every panel."""
    grids = {key: errors(panel) for key, panel in panels.items() if "expected" in panel}
    wins = [key for key, found in grids.items() if min(found, key=lambda one: found[one]) == name]
    rivals = [min(error for other, error in found.items() if other != name) / found[name] for found in grids.values()]
    return len(wins) == len(grids), (
        f"the least of the paper's in {len(wins)} of {len(grids)} panels; the next best has {span(rivals)} times its "
        "error"
    )


def one_budget(panels: Panels) -> tuple[bool, str]:
    """What M3's errors are when one ε is for all queries of a person, as is promised."""
    grids = [panel for panel in panels.values() if "shared" in panel]
    ratios = [errors(panel, "shared")["M3"] / errors(panel)["M3"] for panel in grids]
    queries = grids[0]["queries"]
    return max(ratios) <= 1, (
        f"{queries:,} releases a person are {queries:,}·ε together in the worst case; with one ε a person, each "
        f"answering one query, M3's error is {span(ratios)} times larger"
    )
