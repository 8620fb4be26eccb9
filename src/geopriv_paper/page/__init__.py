"""The page: every number on it comes from the results, none is written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geopriv_paper.agreement import LIMIT
from geopriv_paper.claims.claim import Panels
from geopriv_paper.page import grids, one_way, table1
from geopriv_paper.page.markdown import count_words, paragraph, table

if TYPE_CHECKING:
    from geopriv_paper.reproduction import Reproduction

# experiment → title, and the part of the page from its panels and what changed
_PARTS: dict[str, tuple[str, Callable[[Panels, list[dict[str, Any]]], list[str]]]] = {
    "table1": ("Table 1, measured", table1.part),
    "one-way": ("One-way thresholds", one_way.part),
    "two-way": ("Two-way thresholds", grids.two_way),
    "kde": ("Gaussian kernel density estimation", grids.kde),
}


def page(done: Reproduction) -> str:
    """The whole page as Markdown."""
    lines = ["# The paper, reproduced", "", *_opening(done)]
    for name, (title, part) in _PARTS.items():
        if name in done.results:
            pictures = [
                line for one in done.figures.get(name, ()) for line in (f"![{title}: {one}](figures/{one}.svg)", "")
            ]
            lines += [f"## {title}", "", *part(done.results[name], done.changes.get(name, [])), "", *pictures]
    lines += ["## The paper's claims, one by one", "", *_claims(done.claims)]
    lines += ["## Formulas against simulations", "", *_comparisons(done)]
    return "\n".join(lines).rstrip() + "\n"


def _opening(done: Reproduction) -> list[str]:
    size = "at the paper's sizes and repetitions" if done.full else "with few repetitions (`--full` for the paper's)"
    return [
        *paragraph(f"Written by `geopriv reproduce`, {size}: every number here is computed by it, and none by hand."),
        *(f"* Data: {source}." for source in done.sources),
        f"* {done.comparisons:,} formulas were compared with simulations; {len(done.disagreements)} disagree.",
        f"* {count_words(sum(c['holds'] for c in done.claims), 'claim')} of the paper hold, "
        f"{count_words(sum(not c['holds'] for c in done.claims), 'claim')} do not.",
        "",
        *paragraph(
            "M0 is noise on the input with the plain estimate (biased), M1 noise on the distance with the plain "
            "estimate (biased), M2 Laplace noise by the Lipschitz constant, M3 Student-t noise by smooth "
            "sensitivity, LDP local differential privacy with ε' = ε·C (another promise). LeastScaleT, Table, "
            "Lattice and the unbiased InputLaplace are ours, with the same ε-Geo-Privacy as M0 to M3. Table has "
            "spare rows (T5″); Lattice has round noise on the map (T8′), and noise of its own on each axis for "
            "two-way thresholds (T8). The floor is what no unbiased report with this promise can beat (theory T12 for "
            "one-way thresholds, T7 and T10 elsewhere); E1 to E12 are the errata of docs/theory."
        ),
    ]


def _claims(claims: Iterable[dict[str, Any]]) -> list[str]:
    rows = [
        [
            one["section"],
            one["sentence"],
            "holds" if one["holds"] else "**does not hold**",
            one["number"] + (f". {one['note']}" if one["note"] else ""),
        ]
        for one in claims
    ]
    return [*table(["section", "the paper says", "here", "number"], rows, "llll"), ""]


def _comparisons(done: Reproduction) -> list[str]:
    rows = []
    for experiment, panels in done.results.items():
        checks = [one for result in panels.values() for one in result.get("checks", ())]
        if checks:
            ratios = [abs(one["simulated"] - one["exact"]) / one["standard_error"] for one in checks]
            fewest = min(one["repetitions"] for one in checks)
            rows.append([experiment, f"{len(checks):,}", f"{fewest:,}", f"{max(ratios):.2f}"])
    return [
        *paragraph(
            f"Each simulated error must be within {LIMIT:g} standard errors of its formula. By chance a normal error "
            "is further away once in 1.7 million, so all of them together fail less than once in 1,000 runs."
        ),
        *table(["experiment", "comparisons", "repetitions, at least", "farthest, in standard errors"], rows, "lrrr"),
        *([""] + [f"* **Disagrees:** {one}" for one in done.disagreements] if done.disagreements else []),
        "",
    ]


def write_page(done: Reproduction, folder: Path) -> Path:
    """Write the page beside the results and figures."""
    path = folder / "README.md"
    path.write_text(page(done), encoding="utf-8", newline="\n")
    return path
