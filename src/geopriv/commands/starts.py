"""The text of a survey from five answers, with comments that say what each line means."""

from __future__ import annotations

import json
import re
from enum import StrEnum

from geopriv.errors import InvalidParameter
from geopriv.spaces.units import CLEAR, separated, unclear

_NUMBER = r"[-+]?[\d,_]*\.?\d+(?:[eE][-+]?\d+)?"
_VALUES = re.compile(rf"(?P<name>.+?) in (?P<unit>[^,]+), *(?P<low>{_NUMBER}) to (?P<high>{_NUMBER})")


class Holds(StrEnum):
    """What each person holds."""

    NUMBER = "number"
    PLACE = "place"


_HEAD = """\
# What is asked, of whom, and what is promised. geopriv check says it in words,
# geopriv plan predicts every error and chooses the mechanism.
name = {name}

# The promise: two values so far apart (per) look alike up to a factor e = 2.7.
epsilon = 1.0
per = {per}

# How many people are expected to report.
people = {people}

"""
_NUMBERS = """\
[space]
kind = "line"
unit = {unit}
# Of the table that is privatised; a device is asked for the value itself.
columns = [{column}]
# Public: what lies outside is read as the nearer end.
range = [{low}, {high}]

# One table a question, in double brackets; one report answers all of them.
# Here: the share of people above each of these values.
[[query]]
kind = "threshold"
at = [{at}]

# A whole curve:
# [[query]]
# kind = "distribution"
# from = {low}
# to = {high}
# step = {step}
"""
_PLACES = """\
[space]
kind = "map"
# Of the table that is privatised, in degrees; a device is asked for the place itself.
columns = ["lat", "lon"]
# Public: who is outside is read as being at its border.
region = {{ south = {south}, west = {west}, north = {north}, east = {east} }}

# One table a question, in double brackets; one report answers all of them.
# Here: a map, smoothed over so far. A finer one has larger errors.
[[query]]
kind = "density map"
bandwidth = {bandwidth}

# The share of people inside each area of a file:
# [[query]]
# kind = "geofence"
# file = "areas.geojson"
"""


def number_survey(values: str, above: str, per: str, people: str) -> str:
    """A survey of shares above values.

    Args:
        values: "income in USD, 0 to 2000000".
        above: "50000, 100000".
        per: "8,000 USD".
        people: "50000".

    Raises:
        InvalidParameter: naming the option that cannot be read.
    """
    found = _VALUES.fullmatch(values.strip())
    if found is None:
        raise _unreadable("values", "as 'income in USD, 0 to 2000000'", values)
    low, high = _amount(found["low"], "values"), _amount(found["high"], "values")
    at = [_amount(part, "ask") for part in _parts(above)]
    name = found["name"].strip()
    head = _HEAD.format(name=json.dumps(name.capitalize(), ensure_ascii=False), per=_text(per), people=_whole(people))
    step = _number(f"{(float(high) - float(low)) / 20:.6g}", "values")
    rest = {"unit": _text(found["unit"]), "column": _text(name), "low": low, "high": high}
    return head + _NUMBERS.format(**rest, at=", ".join(at), step=step)


def place_survey(values: str, bandwidth: str, per: str, people: str) -> str:
    """A survey of a map.

    Args:
        values: "40.50, -74.26, 40.92, -73.70": south, west, north, east.
        bandwidth: "1,500 m".
        per: "500 m".
        people: "50000".

    Raises:
        InvalidParameter: naming the option that cannot be read.
    """
    ends = [part.strip() for part in values.split(",")]
    if len(ends) != 4:
        raise _unreadable("values", "four numbers: south, west, north, east", values)
    south, west, north, east = (_number(end, "values") for end in ends)
    head = _HEAD.format(name='"Where people are"', per=_text(per), people=_whole(people))
    region = {"south": south, "west": west, "north": north, "east": east}
    return head + _PLACES.format(**region, bandwidth=_text(bandwidth))


def _parts(words: str) -> list[str]:
    """Numbers with commas between, or one with commas between its thousands."""
    parts = [part.strip() for part in words.split(", ")]
    thousands = len(parts) > 1 or re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", parts[0])
    return parts if thousands else [part.strip() for part in words.split(",")]


def _amount(words: str, option: str) -> str:
    """A number of the unit, as TOML writes it; three decimals could be thousands."""
    commas = re.fullmatch(r"[-+]?(\d{1,3}(,\d{3})+|[\d_]*)(\.\d+)?([eE][-+]?\d+)?", words.strip())
    if unclear(words) or (commas is None and separated(words)):
        raise _unreadable(option, CLEAR, words)
    return _number(words, option)


def _number(words: str, option: str) -> str:
    """A number as TOML writes it."""
    plain = words.strip().replace(",", "").replace("_", "")
    if not re.fullmatch(r"[-+]?\d*\.?\d+([eE][-+]?\d+)?", plain):
        raise _unreadable(option, "made of numbers", words)
    whole = re.fullmatch(r"[-+]?\d+", plain)
    return f"{int(plain):_}" if whole else repr(float(plain))


def _whole(words: str) -> str:
    found = _number(words, "people")
    if not re.fullmatch(r"[\d_]+", found):
        raise _unreadable("people", "a whole number", words)
    return found


def _text(words: str) -> str:
    return json.dumps(words.strip(), ensure_ascii=False)


def _unreadable(option: str, rule: str, given: str) -> InvalidParameter:
    return InvalidParameter(f"The '{option}' parameter of init must be {rule}. Got {given!r} instead.")
