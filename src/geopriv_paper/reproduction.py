"""A whole reproduction: run, compare, judge the claims, draw, and write the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from geopriv import __version__
from geopriv.spaces.checks import invalid
from geopriv_paper.agreement import disagreements
from geopriv_paper.changed import changed
from geopriv_paper.claims import judged
from geopriv_paper.datasets import Data
from geopriv_paper.experiments import EXPERIMENTS
from geopriv_paper.files import write_files
from geopriv_paper.page import write_page
from geopriv_paper.runs import (
    Results,
    read_result,
    run_panels,
    write_json,
)

_INDEX = Path("results", "index.json")


@dataclass(frozen=True)
class Reproduction:
    """What came out.

    Args:
        results: of every panel.
        full: whether at the paper's sizes and repetitions.
        claims: of the paper, each with a verdict.
        changes: what our mechanisms do to each panel.
        figures: names of the pictures of each experiment.
        page: where all of it can be read.
    """

    results: Results
    full: bool
    claims: list[dict[str, Any]]
    changes: dict[str, list[dict[str, Any]]]
    figures: dict[str, list[str]]
    page: Path | None = None

    @property
    def sources(self) -> list[str]:
        """A sentence for each set of data."""
        found = (result.get("source") for panels in self.results.values() for result in panels.values())
        return list(dict.fromkeys(source for source in found if source))

    @property
    def comparisons(self) -> int:
        """How many formulas were compared with simulations."""
        return sum(len(result.get("checks", ())) for panels in self.results.values() for result in panels.values())

    @property
    def disagreements(self) -> list[str]:
        """A sentence for each that failed."""
        return [f"{name} {one}" for name, panels in self.results.items() for one in disagreements(panels)]

    def as_json(self) -> dict[str, Any]:
        """Claims, changes and comparisons, for machines."""
        return {
            "version": __version__,
            "full": self.full,
            "sources": self.sources,
            "comparisons": self.comparisons,
            "disagreements": self.disagreements,
            "claims": self.claims,
            "changes": self.changes,
        }


def reproduce(
    which: str | None,
    data: Data,
    folder: Path,
    *,
    full: bool = False,
    fresh: bool = False,
    tell: Callable[[str, float | None], None] = lambda doing, share: None,
) -> Reproduction:
    """Run one experiment or all, and write results, figures and the page.

    Experiments that ran before into the same folder, with the same version and sizes, stay on the page.

    Args:
        which: an experiment; all of them where none is named.
        data: who is measured.
        folder: where everything goes.
        full: the paper's sizes and repetitions.
        fresh: run again what is already in the folder.
        tell: told what runs, and which share of all is done.

    Raises:
        InvalidParameter: for an experiment that is not there.
    """
    names = [which] if which else list(EXPERIMENTS)
    if not set(names) <= set(EXPERIMENTS):
        raise invalid("reproduce", "which", f"one of {', '.join(EXPERIMENTS)}", which)
    panels = [panel for name in names for panel in EXPERIMENTS[name].panels(data, full)]
    results = run_panels(panels, folder / "results", fresh=fresh, tell=tell)
    drawn = {name: EXPERIMENTS[name].draw(found, folder / "figures") for name, found in results.items()}
    figures = {name: [path.stem for path in paths] for name, paths in drawn.items()}
    results, figures = _with_others(results, figures, folder, full)
    names_of = {name: list(found) for name, found in results.items()}
    write_json(folder / _INDEX, {"version": __version__, "full": full, "panels": names_of, "figures": figures})
    done = _judged(results, full, figures)
    write_files(results, done.claims, folder / "tables")
    return replace(done, page=write_page(done, folder))


def read_back(folder: Path) -> Reproduction:
    """A reproduction from the files of its folder, without running anything."""
    index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
    return _judged(_read(index["panels"], folder), index["full"], index["figures"])


def _read(panels: dict[str, list[str]], folder: Path) -> Results:
    return {
        experiment: {name: read_result(folder / "results", experiment, name) for name in names}
        for experiment, names in panels.items()
    }


def _with_others(
    results: Results, figures: dict[str, list[str]], folder: Path, full: bool
) -> tuple[Results, dict[str, list[str]]]:
    """These experiments, and those that the folder already has, in their usual order."""
    try:
        index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        same = (index["version"], index["full"]) == (__version__, full)
        others = {name: panels for name, panels in index["panels"].items() if same and name not in results}
        before = _read(others, folder)
        all_figures = index["figures"] | figures
    except (OSError, ValueError, KeyError, TypeError):  # nothing there, or not whole: it is not needed
        return results, figures
    found = before | results
    order = [name for name in EXPERIMENTS if name in found]
    return {name: found[name] for name in order}, {name: all_figures[name] for name in order}


def _judged(results: Results, full: bool, figures: dict[str, list[str]]) -> Reproduction:
    return Reproduction(results, full, judged(results), changed(results), figures)
