"""A claim of the paper, and how results judge it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Panels = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, paraphrased.

    Args:
        experiment: whose results it is judged by.
        section: where the paper says it.
        sentence: what it says.
        judge: results → whether it holds, and the number behind the verdict in a few words.
        note: what to know about it; here the errata are named.
    """

    experiment: str
    section: str
    sentence: str
    judge: Callable[[Panels], tuple[bool, str]]
    note: str = ""


def judge_all(claims: list[Claim], results: dict[str, Panels]) -> list[dict[str, Any]]:
    """A verdict for each claim whose experiment was run, as plain JSON."""
    found = []
    for claim in claims:
        if claim.experiment in results:
            holds, number = claim.judge(results[claim.experiment])
            found.append(
                {
                    "experiment": claim.experiment,
                    "section": claim.section,
                    "sentence": claim.sentence,
                    "holds": holds,
                    "number": number,
                    "note": claim.note,
                }
            )
    return found


def span(values: list[float], digits: int = 3) -> str:
    """The least and the largest, in few digits."""
    low, high = min(values), max(values)
    same = f"{low:.{digits}g}" == f"{high:.{digits}g}"
    return f"{low:.{digits}g}" if same else f"{low:.{digits}g} to {high:.{digits}g}"
