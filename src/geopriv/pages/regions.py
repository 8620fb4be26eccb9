"""What all parts of a page share: regions of questions, with the letters that mark them, and an outline."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import shapely

from geopriv.answers.answers import Answer


class Region(NamedTuple):
    """Where a question counts people."""

    mark: str
    name: str
    shape: shapely.Geometry


@dataclass(frozen=True, eq=False)
class Page:
    """What is drawn on maps.

    Args:
        regions: of questions about one region each.
        outline: a coast or border; None for none.
    """

    regions: tuple[Region, ...] = ()
    outline: shapely.Geometry | None = None

    def mark(self, name: str) -> str:
        """The letter of a question's region; empty where it has none."""
        return next((region.mark for region in self.regions if region.name == name), "")


def regions_of(answers: Iterable[Answer]) -> tuple[Region, ...]:
    """A letter for each question about one region: A to Z, then numbers."""
    single = [(a.question.name, a.question.queries[0].region) for a in answers if a.question.shape == ()]
    known = [(name, shape) for name, shape in single if shape is not None]
    marks = [chr(ord("A") + k) if k < 26 else str(k + 1) for k in range(len(known))]
    return tuple(Region(mark, name, shape) for mark, (name, shape) in zip(marks, known, strict=True))
