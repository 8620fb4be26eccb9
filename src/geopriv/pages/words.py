"""Sentences about questions, in plain words."""

from __future__ import annotations

import math

import numpy as np

from geopriv.pages.numbers import (
    NARROW,
    amount,
    distance,
    place,
    plain,
    value_unit,
)
from geopriv.queries import (
    Ball,
    Blurred,
    Geofence,
    LinearQuery,
    Orthant,
    Query,
    Range,
    Score,
    Threshold,
)
from geopriv.spaces import LocalPlane
from geopriv.spaces.rounding import above

REASONS = {
    "repeated id": "the same report again",
    "wrong design": "made for another design",
    "out of range": "no report that this design can make",
    "malformed": "not a report",
    "truncated": "cut off before its end",
    "too large": "a file that was too large to read",
}


def is_share(query: Query) -> bool:
    """Whether the query counts people, each by something between 0 and 1."""
    low, high = _plain_query(query).profile.bounds
    return low >= 0 and high <= 1


def predicate(query: Query, name: str) -> str:
    """What is true of the people whom a query counts: "are at or above 100,000 USD"."""
    asked, unit = _plain_query(query), value_unit(query.space)
    match asked:
        case Threshold():
            return f"are at or above {amount(asked.at, unit)}"
        case Range():
            return f"are between {plain(asked.low)} and {amount(asked.high, unit)}"
        case Ball(center=tuple(center)):
            return f"are within {distance(asked.radius, asked.space)} of {place(center, asked.space)}"
        case Geofence():
            return f"are inside “{name}”"
        case Orthant() if not isinstance(asked.space, LocalPlane):
            return f"are at or above {' and '.join(amount(at, unit) for at in asked.at)}, on every axis at once"
        case _:
            return f"count towards “{name}”"


def soft_edge(query: Query) -> str:
    """Who counts in part; nothing is said of queries that have no edge."""
    asked = _plain_query(query)
    edge = {Threshold: "line", Range: "either end", Score: "line", LinearQuery: "line"}.get(type(asked), "border")
    if isinstance(query, Blurred):
        # two bandwidths beyond the edge a blur of it leaves 2 % of a person
        reach = 2 * query.bandwidth + getattr(asked, "width", 0.0) / 2
        within = f"about {distance(reach, query.space)}"
    elif isinstance(asked, Threshold | Range | Ball | Geofence | Orthant | Score):
        within = distance(asked.width / 2, query.space)
    else:
        return ""
    return f"The edge is soft: people within {within} of {'' if edge == 'either end' else 'the '}{edge} count in part."


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "report"), counted(1200, "report")
    ('1 report', '1,200 reports')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def bias_words(
    bias: float, error: float, unit: str, scale: float = 1.0, whose: str = "the standard error"
) -> tuple[str, str]:
    """How biased an estimate is: a label where that matters beside its error, else a note; both empty where it is not.

    Args:
        bias: a bound; up to 1e-6 is none, as `Estimates.unbiased` says.
        error: the standard error.
        unit: of what is said.
        scale: from estimates to that unit.
        whose: what the error is called, where there are several.

    >>> bias_words(0.001, 0.001, "points", 100.0)
    ('biased by at most 0.1 points', '')
    """
    if bias <= 1e-6:
        return "", ""
    if not math.isfinite(bias):
        return "biased by an unknown amount", ""
    said = f"biased by at most {plain(above(bias * scale, 2))} {unit}"
    # not capitalize(), which would write the unit in small letters
    return (said, "") if bias > error / 2 else ("", f"B{said[1:]}, less than half of {whose}.")


def small_region(query: Query) -> str:
    """That a blurred area is small beside its blur, so that mostly its surroundings are counted."""
    if not (isinstance(query, Blurred) and isinstance(query.query, Ball | Geofence)):
        return ""
    across = np.linspace(-1, 1, 41)
    offsets = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
    most = float(query.answer(query.middle + offsets * query.half_box).max())
    if most > 0.9:
        return ""
    return (
        f"This area is small beside its blur: even in its middle a person counts for {100 * most:.0f}{NARROW}%, and "
        "people around it make up the rest."
    )


def _plain_query(query: Query) -> Query:
    return query.query if isinstance(query, Blurred) else query
