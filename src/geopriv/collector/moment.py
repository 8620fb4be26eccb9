"""The reports of a survey at one time, and all that is made of them to be read."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from geopriv.answers.answers import Answers
from geopriv.answers.days import Shifts, shifts
from geopriv.answers.estimate import estimate
from geopriv.answers.exports import exported
from geopriv.collector.problems import Problem, Refused
from geopriv.errors import InvalidParameter, ReportRejected
from geopriv.pages.page import page_html
from geopriv.reports.tallies import Tally

_FEWEST = 2  # reports for which anything can be said

_Made = TypeVar("_Made")


@dataclass
class Moment:
    """The reports as they were at one time, and what is made of them: each once, when somebody asks for it.

    Args:
        counted: the reports, and what was rejected.
        spent: seconds that making all this took.
        days: makes the same reports by the day on which they came.
        invitations: how many there were at that time, and how many of them were spent.
    """

    counted: Tally
    spent: float = 0.0
    days: Callable[[], dict[str, Tally]] = dict
    invitations: tuple[int, int] = 0, 0
    _made: dict[Any, Any] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def answers(self, round: int | None = None) -> Answers:
        """What was learnt, of a walk in one round.

        Raises:
            Refused: where there are too few reports, or no such round.
        """
        return self._once(("answers", round), lambda: _answers(self._of(round)))

    def page(self, round: int | None = None) -> bytes:
        """The page of answers, report.html."""
        return self._once(("page", round), lambda: page_html(self.answers(round)).encode())

    def file(self, suffix: str, round: int | None = None) -> bytes:
        """The answers as a file of another program: ".csv", ".geojson".

        Raises:
            Refused: besides, where answers have no such form.
        """
        answers = self.answers(round)
        try:
            return self._once((suffix, round), lambda: exported(answers, suffix))
        except InvalidParameter:
            raise Refused(Problem.NO_FORM) from None

    def shifts(self) -> Shifts:
        """Whether raw reports are alike on all days.

        Raises:
            Refused: for a walk, whose rounds have other reports each.
        """
        if self.counted.design.walks:
            raise Refused(Problem.NO_DAYS)
        return self._once("shifts", lambda: shifts(self.days()))

    @property
    def rounds(self) -> list[tuple[int, int]]:
        """The rounds of a walk in which somebody reported, and how many did; empty for what does not walk."""
        if not self.counted.design.walks:
            return []
        found = self.counted.counts(0)
        numbers, places = np.unique(found.rows[:, 0], return_inverse=True)
        times = np.bincount(places, found.times, len(numbers)).astype(int)
        return list(zip(numbers.tolist(), times.tolist(), strict=True))

    def _of(self, round: int | None) -> Tally:
        if round is None and self.counted.design.walks:
            raise Refused(Problem.NO_ROUND)
        try:
            return self.counted if round is None else self.counted.of_round(round)
        except InvalidParameter:
            raise Refused(Problem.WRONG_ROUND) from None

    def _once(self, name: Any, make: Callable[[], _Made]) -> _Made:
        with self._lock:
            if name not in self._made:
                began = time.monotonic()
                self._made[name] = make()
                self.spent += time.monotonic() - began
            found: _Made = self._made[name]
            return found


def _answers(counted: Tally) -> Answers:
    if counted.n < _FEWEST:
        raise Refused(Problem.TOO_FEW)
    try:
        return estimate(counted.design, counted)
    except ReportRejected:  # a question, or a group of known size, of which too few have answered
        raise Refused(Problem.TOO_FEW) from None
