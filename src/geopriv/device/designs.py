"""A design as a device runs it: its hash checked, its promises verified, then drawn from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from geopriv.device.draws import Source, draw_share
from geopriv.device.files import canonical, parse
from geopriv.device.groups import DeviceGroups, read_groups
from geopriv.device.limits import Limits, read_limits
from geopriv.device.mechanisms import DeviceMechanism, read_mechanism
from geopriv.device.reading import (
    ALL_CORNERS,
    MECHANISMS,
    SHARED,
    Document,
    parts,
    read_epsilon,
    refuse,
    text,
    thing,
    whole,
)
from geopriv.device.texts import LABEL, NAME
from geopriv.device.values import read_value
from geopriv.device.walks import METRIC, DeviceWalk, Walked, read_walk
from geopriv.errors import InvalidDesign

VERSION: Literal[3] = 3
KEYS = {"Design": ("version", "survey", "mechanisms", "shares", "questions", "source", "guarantee", "hash")}
SPARE = ("groups", "counted")  # keys of some designs only
PEOPLE = "people"  # who reports, where nothing is said


@dataclass(frozen=True)
class VerifiedDesign:
    """A design whose hash and whose promises were checked.

    Args:
        hash: of the design.
        survey: what a person answers once.
        epsilon: that a report costs, per unit of distance.
        unit: of distance.
        mechanisms: of which each person answers one.
        shares: how often each is drawn.
        limits: the public range to which values are clamped.
        groups: of which a report tells one openly.
        walk: that all who answer are on, which is the one mechanism then; None where a person answers once.
        document: all that the file holds, the words that are shown included.
    """

    hash: str
    survey: str
    epsilon: float
    unit: str | None
    mechanisms: tuple[DeviceMechanism, ...]
    shares: tuple[int, ...]
    limits: Limits
    groups: DeviceGroups
    walk: DeviceWalk | None
    document: Document = field(repr=False)

    def __str__(self) -> str:
        """What is promised; the only word of the design's author, its unit, comes last and is no number."""
        over = "" if self.walk is None else f"on trajectories of up to {self.walk.rounds} rounds, not on each value: "
        return f"verified: design {self.hash}: {over}{self.epsilon!r} per {self.unit or 'unit'}"

    @property
    def degrees(self) -> bool:
        """Whether a value is a latitude and a longitude; elsewhere it is made of numbers in the unit."""
        return self.mechanisms[0].space.kind in ("Earth", "LocalPlane")

    def _draw(self, value: Any, source: Source) -> tuple[int, tuple[int, ...]]:
        """Which mechanism is answered, drawn before the value is looked at, and the answer."""
        which = draw_share(self.shares, source)
        mechanism = self.mechanisms[which]
        return which, mechanism.draw(read_value(mechanism.space, value, self.limits.clamped), source)

    def _line(self, value: Any, source: Source, group: int | None = None) -> str:
        # first: how many bytes a draw takes depends on the value, and the id must not
        name = source(16).hex()
        return self._written(name, *self._draw(value, source), group)

    def _walked_line(
        self, value: Any, source: Source, round_: int, last: Walked | None, group: int | None = None
    ) -> tuple[str, Walked]:
        """One more report of a walk, and how far it has come with it."""
        assert self.walk is not None  # who asks for a round was told that there is one
        name = source(16).hex()
        walked = self.walk.step(read_value(self.walk.space, value, self.limits.clamped), round_, last, source)
        return self._written(name, 0, walked.report, group), walked

    def _written(self, name: str, which: int, answer: tuple[int, ...], group: int | None) -> str:
        told = {} if group is None else {"group": group}
        line = {"design": self.hash, **told, "id": name, "mechanism": which, "report": list(answer)}
        return canonical(line).decode()


def verify(data: bytes, expected: str | None = None) -> VerifiedDesign:
    """The design in the bytes of a design.json, checked before anything is reported with it.

    Guarantee: what is returned keeps its ε for every two values of its space, as people hold them: the integers of
    tables (theory T5), θ and core of lattices (T8, T8′) are verified in exact arithmetic, coordinates are 1-Lipschitz
    (T1) and enclosed until a comparison is decided; clamping to a public range moves no two values apart; each person
    answers one mechanism, drawn independently of the value, so the largest ε holds.

    Args:
        data: the file.
        expected: the hash that was published, if it is known from elsewhere.

    Raises:
        InvalidDesign: naming what is wrong.
    """
    _, found = thing(parse(data), "design", KEYS, SPARE)
    if expected is not None and found["hash"] != expected.lower():
        raise InvalidDesign(
            f"The hash of the design must be the published one. Got {found['hash']} instead: another design."
        )
    whole(found["version"], "design.version", VERSION, VERSION)
    survey = text(found["survey"], "design.survey", NAME)
    documents = parts(found["mechanisms"], "design.mechanisms", MECHANISMS)
    corners = sum(map(_corners, documents))
    if corners > ALL_CORNERS:
        raise refuse("design.mechanisms", f"made of polygons of at most {ALL_CORNERS:,} corners in all", f"{corners:,}")
    if sum("tables" in part for part in documents if isinstance(part, dict)) > SHARED:
        raise refuse("design.mechanisms", f"at most {SHARED} shared reports, which take seconds each to verify", "more")
    mechanisms = tuple(read_mechanism(part, f"mechanism {k}") for k, part in enumerate(documents))
    # as it is written: 0 and -0, or 2 and 2.0, are one number to some readers and two to others
    if len({canonical(part["space"]) for part in documents}) > 1:
        raise refuse("design.mechanisms", "on one space", "several")
    if not isinstance(found["questions"], list):
        raise refuse("design.questions", "a list", type(found["questions"]).__name__)
    shares = found["shares"]
    if not isinstance(shares, list) or len(shares) != len(documents):
        raise refuse("design.shares", "one whole number for each mechanism", shares)
    walks = any(part["type"] == "WalkingLattice" for part in documents)
    if walks and len(documents) > 1:
        raise refuse("design.mechanisms", "one where noise walks, since everybody is on it in all rounds", "several")
    walk = read_walk(documents[0], "mechanism 0") if walks else None
    metric = METRIC if walks else "distance"
    epsilon = read_epsilon(found["guarantee"], "design", mechanisms[0].space.unit, metric)
    if epsilon != max(mechanism.epsilon for mechanism in mechanisms):
        raise refuse("design.guarantee", "the weakest of its mechanisms' own", epsilon)
    drawn = tuple(whole(share, "design.shares", 1, 1 << 32) for share in shares)
    space = mechanisms[0].space
    limits = read_limits(found["source"], space)
    groups = _read_openly(found)
    if walk is not None:
        walk.require_near(limits)
    return VerifiedDesign(found["hash"], survey, epsilon, space.unit, mechanisms, drawn, limits, groups, walk, found)


def _read_openly(found: Document) -> DeviceGroups:
    """What a design tells and asks openly; what it does not have is left out, so that it has one form only."""
    if found.get("counted", "") == PEOPLE or found.get("groups", "") is None:
        raise refuse("design", "without the keys groups and counted where they say nothing", "such a key")
    text(found.get("counted", PEOPLE), "design.counted", LABEL)
    return read_groups(found.get("groups"))


def _corners(document: Any) -> int:
    """About how many corners the polygons of a mechanism have; it was not read yet, and may be anything."""
    held = document.get("tables") if isinstance(document, dict) else None
    if isinstance(held, list):
        return sum(_corners(part) for part in held if isinstance(part, dict) and "tables" not in part)
    coordinate = document.get("coordinate") if isinstance(document, dict) else None
    return canonical(coordinate.get("rings")).count(b"[") if isinstance(coordinate, dict) else 0
