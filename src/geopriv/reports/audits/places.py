"""Where a design is most likely to break its promise: places found from the design alone, in groups of four.

A sampler goes wrong where something changes: at lattice points and cell borders, at the ends of a table, where values
are clamped, at poles and the antimeridian, at the corners of a polygon. On both sides of each such mark there are two
places a millionth of 1/ε from it, whose reports must be all but alike, and two places 1/ε from it, between which a loss
is large enough to be measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, permutations, zip_longest
from typing import Any

import numpy as np

from geopriv.mechanisms.kinds import Value
from geopriv.mechanisms.loss.worst import plain
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design

_MOST = 20  # marks a design; more are not visited
_CLOSE, _WIDE = 5e-7, 1.0  # from the mark, in 1/ε


@dataclass(frozen=True)
class Mark:
    """A few neighbouring places around something that could go wrong.

    Args:
        words: what it is.
        values: of people there, all different: far and near on one side, near and far on the other.
        distances: between every two of them, in units of the space.
    """

    words: str
    values: tuple[Value, ...]
    distances: FloatArray

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every ordered pair of places."""
        return list(permutations(range(len(self.values)), 2))


def worst_marks(design: Design, most: int = _MOST) -> list[Mark]:
    """The marks of a design: some of each mechanism, of the space and of the range of values, at most so many."""
    groups: list[Iterator[tuple[str, Any]]] = [iter(design.space.marks), _range_marks(design)]
    for index, mechanism in enumerate(design.mechanisms):
        groups += [_named(group, index) for group in mechanism.marks()]
    in_turn = (mark for row in zip_longest(*groups) for mark in row if mark is not None)
    made = (_mark(design, words, value, turn) for turn, (words, value) in enumerate(in_turn))
    distinct = {mark.values: mark for mark in made if mark is not None}
    return list(islice(distinct.values(), most))


def _mark(design: Design, words: str, value: Any, turn: int) -> Mark | None:
    """The places around a value, in a direction that changes from mark to mark; None where there is no number."""
    space, length = design.space, 1 / design.guarantee.epsilon
    with np.errstate(all="ignore"):
        near = max(_CLOSE * length, 4 * float(np.spacing(np.abs(value).max())))
        away = np.array([-_WIDE * length, -near, near, max(_WIDE * length, 2 * near)])
        values = _around(space, np.asarray(value, dtype=np.float64), away, turn)
    if not np.isfinite(values).all():
        return None
    places = list(dict.fromkeys(plain(one) for one in values))
    with np.errstate(all="ignore"):
        distances = np.stack([space.ground.distance(places, one) for one in places])
    return Mark(words, tuple(places), distances) if len(places) > 1 and np.isfinite(distances).all() else None


def _around(space: Space, value: FloatArray, away: FloatArray, turn: int) -> FloatArray:
    """Values at signed distances from one, along a line or a great circle."""
    ground, axes = space.ground, space.dimension
    if space.geographic:
        direction = np.asarray((1 + turn) * 2.4)  # the golden angle, about: no direction comes twice
    else:
        direction = np.ones(axes) / np.sqrt(axes) if turn % 3 else np.eye(axes)[turn % axes]  # diagonals lose the most
    return ground.values(ground.walk(ground.read(value), away, direction))


def _named(marks: Iterator[tuple[str, Any]], index: int) -> Iterator[tuple[str, Any]]:
    return ((f"{words} of mechanism {index}", value) for words, value in marks)


def _range_marks(design: Design) -> Iterator[tuple[str, Any]]:
    """The ends of the range to which `privatize` clamps."""
    if design.source is not None and design.source.low:
        for words, end in (("the least value", design.source.low), ("the largest value", design.source.high)):
            yield words, plain(np.reshape(end, design.space.point_shape))
