"""When a run stops before anything is written, and the one sentence that says why, without a value in it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from geopriv.errors import InvalidParameter
from geopriv.reports.drawing import Order
from geopriv.reports.engines.forms import likely_form
from geopriv.reports.engines.reading import RAGGED
from geopriv.reports.engines.rows import MISSING, NO_GROUP, NOT_A_NUMBER, NOT_FINITE, REASONS
from geopriv.reports.engines.suspicions import FACTORS, STRIP, Suspicions
from geopriv.spaces.words import amount, plain

_NEARLY = 0.99  # of all values
_MOST = 0.5  # more of them outside make answers about the ends of the range
_LOST = 0.01  # of all places: more at latitude 0 and longitude 0 are no accident
_FEW = 100  # fewer values may be alike by chance
_UNITS = dict(zip(FACTORS, ("thousands", "hundredths", "thousandths"), strict=True))
_MEANT = "if they are meant as they are, say --allow-odd (allow_odd=True)"
_NOTHING = "Nothing was written:"


def require_plausible(rows: int, unread: Counter[str], suspicions: Suspicions, order: Order) -> None:
    """Refuse a table that looks wrong as a whole, before any of its reports is given out.

    Args:
        rows: that were read.
        unread: how many of them could not, by reason.
        suspicions: of all of them. They are about values: nothing of them may be kept or given on.
        order: says what is allowed.

    Raises:
        InvalidParameter: with the likely reason, and no value.
    """
    if not rows:
        raise InvalidParameter("The data has no rows.")
    if not order.allow_odd and (sentence := _swapped(suspicions)):
        raise InvalidParameter(f"{_NOTHING} {sentence}.")
    if unread.total() == rows or unread.total() > round(order.allow_unreadable * rows, 6):
        raise InvalidParameter(f"{_NOTHING} {_unreadable(rows, unread, suspicions, order.allow_unreadable)}.")
    if not order.allow_odd and (sentence := next(_odd(suspicions), "")):
        raise InvalidParameter(f"{_NOTHING} {sentence}; {_MEANT}.")


def _unreadable(rows: int, unread: Counter[str], suspicions: Suspicions, allowed: float) -> str:
    """How many of how many rows could not be read, for which reasons, and the likely cause."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in unread.most_common())
    many = "none" if unread.total() == rows else f"{unread.total():,}"
    could = f"{many} of the {rows:,} rows could{'' if many == 'none' else ' not'} be read ({reasons})"
    if many != "none":
        could += f", more than the {100 * allowed:.4g} % that --allow-unreadable (allow_unreadable=) allows"
    cause = _cause(unread, suspicions)
    return f"{could}; {cause}" if cause else could


def _cause(unread: Counter[str], suspicions: Suspicions) -> str:
    """The likely cause of the most frequent reason; "" where none is known."""
    columns = suspicions.columns.columns
    reason = unread.most_common(1)[0][0]
    all_of_them = suspicions.counts["fine"] == 0
    if reason == REASONS[NOT_A_NUMBER]:
        found = [(name, likely_form(suspicions.forms(axis))) for axis, name in enumerate(columns)]
        told = " and ".join(f"{name!r} seems to have {form}" for name, form in found if form)
        return f"{told}: write numbers with a point before decimals and nothing else beside their digits"
    if reason == RAGGED:
        return (
            "their lines have more or fewer values than the header, as separators inside values make them: commas "
            "between thousands or before decimals, or texts that are not in quotes"
        )
    if reason == REASONS[NO_GROUP]:
        return "labels must be names of the design's groups, letter by letter, and be known for everybody"
    named = " or ".join(map(repr, columns))
    if reason == REASONS[NOT_FINITE]:
        return f"{named} holds NaN or infinity, as a join or a conversion that failed leaves them"
    if reason == REASONS[MISSING] and all_of_them:
        return f"{named} is empty: it may be the wrong column, or a join that failed"
    return ""


def _swapped(suspicions: Suspicions) -> str:
    counts, total = suspicions.counts, suspicions.counts["numbers"]
    if not total or counts["fitting"] > (1 - _NEARLY) * total or counts["swapped"] < _NEARLY * total:
        return ""
    first, second = suspicions.columns.columns
    if suspicions.space.geographic:
        where = "the region" if suspicions.space.flat else "the map"
        return (
            f"latitude and longitude fit {where} only when they are swapped; the survey takes latitudes from {first!r} "
            f"and longitudes from {second!r}, so write them there, or swap the survey's columns and plan again"
        )
    return f"the columns {first!r} and {second!r} fit the public range only when they are swapped"


def _odd(suspicions: Suspicions) -> Iterator[str]:
    """What is odd about all values, or about most, in words."""
    counts, total = suspicions.counts, suspicions.counts["fine"]
    if counts["lost"] > _LOST * counts["numbers"]:
        lost = "places that could not be found are often written as 0, 0"
        yield f"more than 1 % of all places are exactly at latitude 0 and longitude 0, outside the region: {lost}"
    for axis, *_ in suspicions.ranges:
        below, above = counts[f"below {axis}"], counts[f"above {axis}"]
        if below + above > _MOST * total:
            sides = (("below", below), ("above", above), ("outside", below + above))
            words, count = next(side for side in sides if side[1] >= _NEARLY * (below + above))
            yield f"{_share(count, total)} values {_lie(suspicions, axis, words)}"
    outside = counts["numbers"] - counts["fitting"]
    if outside > _MOST * counts["numbers"]:
        what = "region: it may be the wrong one, or places are not in decimal degrees"
        words = what if suspicions.space.geographic else "public range"
        yield f"{_share(outside, counts['numbers'])} values lie outside the {words}"
    if total >= _FEW and suspicions.is_one_value:
        named = " and ".join(map(repr, suspicions.columns.columns))
        yield f"all values of {named} are one and the same, as of a column that was filled up or is the wrong one"
    for axis, *_ in suspicions.ranges:
        for words in ("lowest", "highest"):
            # few values may lie close together; if they look like thousands, they are too close all the same
            count = counts[f"{words} {axis}"]
            if count >= max(_NEARLY * total, 1) and (total >= _FEW or _is_dotted(suspicions, axis)):
                yield f"{_share(count, total)} values {_lie(suspicions, axis, f'in the {words} 1/{STRIP} of')}"


def _lie(suspicions: Suspicions, axis: int, words: str) -> str:
    """Where the values of a column lie, and what may be wrong with their unit."""
    _, name, low, high = next(column for column in suspicions.ranges if column[0] == axis)
    counts, unit = suspicions.counts, suspicions.space.value_unit
    ends = f"{plain(low)} to {amount(high, unit)}" if math.isfinite(high) else f"{amount(low, unit)} and more"
    lie = f"of {name!r} lie {words} the public range of {ends}"
    if _is_dotted(suspicions, axis):
        return f"{lie}: they have three digits behind a dot, which may have been meant as a thousands separator"
    for factor, scale in _UNITS.items():
        if counts[f"times {factor} {axis}"] >= _NEARLY * counts["fine"]:
            return f"{lie}: they may be in {scale} of {unit or 'the unit'}, or of another column"
    return f"{lie}: they may be in another unit, or of another column"


def _is_dotted(suspicions: Suspicions, axis: int) -> bool:
    """Whether texts of a column are like 52.000, in which the dot may stand between thousands."""
    counts = suspicions.counts
    return counts[f"dotted {axis}"] >= _NEARLY * max(counts[f"texts {axis}"], 1)


def _share(count: int, total: int) -> str:
    return "all" if count == total else "nearly all" if count >= _NEARLY * total else "most"
