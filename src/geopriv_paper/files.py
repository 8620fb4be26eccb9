"""Results as CSV, for spreadsheets."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from geopriv_paper.agreement import spread
from geopriv_paper.claims.claim import Panels
from geopriv_paper.figures.one_way import surveyed
from geopriv_paper.one_way import mean_squared_error
from geopriv_paper.settings import ONE_WAY_PEOPLE


def write_files(results: dict[str, Panels], claims: list[dict[str, Any]], folder: Path) -> list[Path]:
    """One file of claims, one of comparisons, and one of the errors of each experiment."""
    folder.mkdir(parents=True, exist_ok=True)
    checks = [
        {"experiment": experiment, "panel": name, **one}
        for experiment, panels in results.items()
        for name, result in panels.items()
        for one in result.get("checks", ())
    ]
    tables = {"claims": claims, "comparisons": checks, "one-way": _one_way(results.get("one-way", {}))}
    tables |= {name: _grid(results.get(name, {})) for name in ("two-way", "kde")}
    return [_write(folder / f"{name}.csv", rows) for name, rows in tables.items() if rows]


def _one_way(panels: Panels) -> list[dict[str, Any]]:
    surveys, rows = surveyed(panels), []
    for name, panel in panels.items():
        for mechanism, numbers in panel.get("expected", {}).items():
            seen = surveys.get(name, {}).get(mechanism) or panel["simulated"].get(mechanism, {})
            for people in ONE_WAY_PEOPLE:
                moments = seen.get(str(people))
                rows.append(
                    {
                        "T": panel["at"],
                        "inverse_epsilon": panel["inverse_rate"],
                        "mechanism": mechanism,
                        "people": people,
                        "expected": mean_squared_error(numbers, people),
                        "simulated": moments["square"] if moments else "",
                        "standard_error": spread(moments) if moments else "",
                        "repetitions": moments["repetitions"] if moments else "",
                    }
                )
    return rows


def _grid(panels: Panels) -> list[dict[str, Any]]:
    """Average squared errors with ε for each query, and with one ε a person."""
    return [
        {"panel": name, "budget": budget, "mechanism": mechanism, **numbers}
        for name, panel in panels.items()
        for budget in ("expected", "shared")
        for mechanism, numbers in panel.get(budget, {}).items()
    ]


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path
