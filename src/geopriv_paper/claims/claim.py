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
    low, high = (few_digits(end, digits) for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def few_digits(value: float, digits: int = 3) -> str:
    """A number in few digits, never with a positive exponent.

    >>> few_digits(0.12345), few_digits(1234.5), few_digits(0.0)
    ('0.123', '1,234', '0')
    """
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"
