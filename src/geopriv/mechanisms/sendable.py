"""Mechanisms that devices run: their reports are a few whole numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from geopriv.errors import InvalidDesign
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.kinds import Kinds, Value
from geopriv.mechanisms.sums import Sums
from geopriv.noise.entropy import ENTROPY, Source
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray, invalid
from geopriv.spaces.documents import from_document, to_document

Integers = npt.NDArray[np.int64]


class Sendable(Mechanism):
    """A mechanism of public numbers alone, whose reports are whole numbers.

    Its promise is verified in exact arithmetic when its document is read.
    """

    @property
    @abstractmethod
    def spent(self) -> Fraction:
        """The largest loss per distance over what is promised, or its square: the promise holds if it is at most 1."""

    def to_document(self) -> dict[str, Any]:
        """What JSON can hold: a device needs nothing else to verify the promise and to report."""
        return to_document(self)

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """The mechanism of a document, verified in exact arithmetic.

        Raises:
            InvalidDesign: for a malformed document, and for a mechanism that does not keep what it promises.
        """
        mechanism: Self = from_document(cls, document, "The document")
        if mechanism.spent > 1:
            raise InvalidDesign(f"The mechanism breaks its promise: {float(mechanism.spent):.9g} of what it allows.")
        return mechanism

    @property
    @abstractmethod
    def limits(self) -> tuple[int, int, int]:
        """How many numbers a report has, the least that each can be, and the first that is too large."""

    @property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """Of each number of a report the least that it can be, and the first that is too large."""
        numbers, low, high = self.limits
        return ((low, high),) * numbers

    @property
    def ordered(self) -> tuple[tuple[int, int], ...]:
        """Pairs of a report's numbers of which the first is at most the second."""
        return ()

    @abstractmethod
    def draw(self, rows: FloatArray, source: Source = ENTROPY) -> Integers:
        """One exact report for each row of `space.read_rows`, as it is written to a file, shape (n, numbers).

        Guarantee: the mechanism's own, exactly, for every float x (theory T5 and T8).
        """

    @abstractmethod
    def released(self, rows: Integers) -> FloatArray:
        """What written reports stand for, as `estimate` takes them."""

    @abstractmethod
    def written(self, values: FloatArray) -> Integers:
        """The inverse of `released`, shape (n, numbers); −1 for what is no report."""

    @abstractmethod
    def kinds(self) -> Kinds | None:
        """Kinds of its reports that can be counted wherever people are; None where there are too many."""

    @abstractmethod
    def kinds_near(self, values: Sequence[Value], n: int) -> Sequence[Kinds]:
        """Kinds of reports of n people at each of a few neighbouring places, beside `kinds`."""

    @abstractmethod
    def marks(self) -> Sequence[Iterator[tuple[str, Value]]]:
        """Places at which a sampler of it is most likely to go wrong, and what they are, in groups."""

    @abstractmethod
    def answers(self, query: Query) -> bool:
        """Whether its reports answer a query."""

    def undoes(self, query: Query) -> bool:
        """Whether a query that it answers is smooth enough for its noise to be undone."""
        return True

    @property
    @abstractmethod
    def answers_all(self) -> bool:
        """Whether they answer every query on its space: then no mechanism need be made for one."""

    @property
    def forms(self) -> tuple[str, ...] | None:
        """The forms of questions that its reports answer; None for every form."""
        return None

    @abstractmethod
    def bits_within(self, extent: FloatArray) -> int:
        """How many bits a report takes, wherever people and noise can be.

        Args:
            extent: how far people are apart at most, along each axis.
        """

    @abstractmethod
    def sums(self, counts: Counts, question: Question, which: Sequence[int]) -> Sums:
        """What counted reports add up to, for some of a question's queries."""

    def bracket_sums(self, counts: Counts, question: Question, which: Sequence[int]) -> tuple[Sums, Sums] | None:
        """What counted reports add up to for the two that hold each plain question between them; None without them.

        Whoever the people are, the expected mean of the first is at most the plain share and that of the second at
        least that (theory T14).
        """
        return None

    def span(self, question: Question, which: Sequence[int]) -> float:
        """The largest less the least that one report adds to some of a question's means, or to what holds them.

        Infinite where nothing bounds it.
        """
        # ranges do not depend on what was reported: any two reports do
        # of the last round, where there are several: in which a report moves most
        any_ = [max(low, 0) if low < 1 else high - 1 for low, high in self.ends]
        two = Counts(np.array([any_], dtype=np.int64), np.array([2], dtype=np.int64))
        sums = [self.sums(two, question, which), *(self.bracket_sums(two, question, which) or ())]
        return 2 * max(float(part.leverage) for part in sums)


def draw_shares(shares: tuple[int, ...], n: int, source: Source = ENTROPY) -> npt.NDArray[np.int32]:
    """Which mechanism each of n people answers: the k-th with probability exactly proportional to its share.

    The rule is that of devices (`geopriv.device.draws.draw_share`): 64 bits, drawn again above the last multiple of the
    total, so that the remainder is uniform. It does not look at anybody's value.
    """
    if len(shares) == 1:
        return np.zeros(n, dtype=np.int32)
    total = sum(shares)
    if total >= 1 << 63:
        raise invalid("draw_shares", "shares", "of a sum below 2^63", total)
    words = source.words(n, 1)[:, 0]
    limit = (1 << 64) - (1 << 64) % total
    while limit < 1 << 64 and (again := np.flatnonzero(words >= np.uint64(limit))).size:
        words[again] = source.among(again).words(again.size, 1)[:, 0]
    ends = np.cumsum(np.array(shares, dtype=np.uint64))
    return np.searchsorted(ends, words % np.uint64(total), side="right").astype(np.int32)
