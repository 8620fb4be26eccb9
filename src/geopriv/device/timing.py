"""When a report leaves: at a fixed time after it was asked for, so that the time of drawing tells nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from geopriv.errors import Refused

if TYPE_CHECKING:
    from geopriv.device.designs import VerifiedDesign
    from geopriv.device.reading import Document
    from geopriv.device.values import Place

_Made = TypeVar("_Made")
TIMES = 4  # that a report waits as long as the longest draw that was measured
LONGEST_DRAW = 15.0  # seconds
_MARKS = 4  # places of each sort


@dataclass(frozen=True)
class Clock:
    """Seconds that only grow, and a way to wait."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def leave(self, work: Callable[[], _Made], after: float) -> _Made:
        """What `work` makes, or the error it raises, when `after` seconds have passed, or else 2, 4, 8, … times that.

        The first of these that is not over when the work is done. It is `after` whatever the value is, and time tells
        nothing, if `after` exceeds the longest time that the work takes. Where it does not, the time tells how often
        `after` has to be doubled, and no more. Multiples would tell more; and an error in place of a report would tell
        no less, since it could not leave before the work is done.

        Args:
            work: that depends on a private value.
            after: seconds; 0 waits for nothing.
        """
        began = self.now()
        try:
            return work()
        finally:
            if after > 0:
                due = began + _doubled(after, self.now() - began)
                while (left := due - self.now()) > 0:  # a signal may end a sleep early
                    self.sleep(left)


SYSTEM = Clock()


def long_enough(design: VerifiedDesign, after: float, clock: Clock) -> float:
    """`after`, or 2, 4, 8, … times that: at least four times the longest draw at public places of a design.

    Every mechanism is drawn from once, and the slowest at more places. The person's value is not looked at.

    Raises:
        Refused: for a design of which a draw takes longer than 15 seconds.
    """
    from geopriv.device.draws import system_bytes
    from geopriv.device.values import read_value

    def took(which: int, place: Place) -> float:
        value = read_value(design.mechanisms[which].space, place, design.limits.clamped)
        began = clock.now()
        design.mechanisms[which].draw(value, system_bytes)
        return clock.now() - began

    places = [_places(document, design.mechanisms[0].space.axes) for document in design.document["mechanisms"]]
    once = [took(k, marks[0]) for k, marks in enumerate(places)]
    slowest = once.index(max(once))
    longest = max(*once, *(took(slowest, place) for place in places[slowest]))
    if longest > LONGEST_DRAW:
        most = f"at most {LONGEST_DRAW:.0f} seconds on this device"
        raise Refused(f"A draw of the design must take {most}. Got {longest:.0f} instead.")
    return _doubled(after, TIMES * longest)


def _doubled(after: float, least: float) -> float:
    """The first of 1, 2, 4, 8, … times a time that is not below another."""
    while after < least:
        after *= 2
    return after


def _places(mechanism: Document, axes: int) -> list[Place]:
    """Values at a few public places: on edges and at their ends, at centres, corners and origins; and 0."""
    space, parts = mechanism["space"], [part.get("coordinate", part) for part in mechanism.get("tables", [mechanism])]
    edges = [edge for part in parts for ring in part.get("rings", ()) for edge in pairwise(ring)]
    found: list[list[float]] = []
    for start, end in edges[:: len(edges) // _MARKS + 1]:
        found += [start, [a / 2 + b / 2 for a, b in zip(start, end, strict=True)]]
    if space["type"] == "Earth":
        found = [place[::-1] for place in found]  # corners are (longitude, latitude)
    found += [part[key] for part in parts for key in ("center", "corner", "origin") if key in part][:_MARKS]
    return [*(_value_at(space, place) for place in found), (0.0,) * axes]


def _value_at(space: Document, place: Sequence[float]) -> Place:
    """A value about at a point of a flat space, or at a (latitude, longitude)."""
    match space["type"]:
        case "LogLine":
            power = place[0] * math.log10(space["base"])
            return (10.0 ** min(max(power, -300.0), 300.0),)
        case "Earth":
            return place[0], (place[1] + 180) % 360 - 180
        case "LocalPlane":
            x, y = (min(max(math.degrees(part / space["radius"]), -180.0), 180.0) for part in place)
            up = min(max((space["south"] + space["north"]) / 2 + y, -90.0), 90.0)
            middle = space["west"] + (space["east"] - space["west"]) % 360 / 2
            return up, (middle + x / max(math.cos(math.radians(up)), 1e-9) + 180) % 360 - 180
    return tuple(place)
