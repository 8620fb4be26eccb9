"""What was asked of reports after they were collected, and what then holds of its intervals."""

from __future__ import annotations

from dataclasses import dataclass

from geopriv.spaces.checks import count, fraction, invalid

ASKED_AFTER = "asked after collecting"


@dataclass(frozen=True)
class Asked:
    """Questions that were asked of reports that existed.

    An interval holds with its confidence for a question that does not depend on the reports. N questions hold at once
    if each has an interval of 1 − (1 − confidence)/N, whatever the reports have in common (Bonferroni), and then for
    any choice among the N, whatever it was made by. So where one answer leads to another question, N has to count every
    question that could have come to be asked, and not only those that were.

    Args:
        so_far: different questions that were asked of these reports, these ones included.
        of: N, how many questions hold at once; None where each holds for itself.
        confidence: that all N hold.

    >>> round(Asked(so_far=3, of=20).each, 6), Asked(so_far=3).each
    (0.9975, 0.95)
    """

    so_far: int
    of: int | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        count("Asked", "so_far", self.so_far)
        fraction("Asked", "confidence", self.confidence)
        if self.of is not None and count("Asked", "of", self.of) < self.so_far:
            raise invalid("Asked", "of", f"at least the {self.so_far:,} that were asked so far", self.of)

    @property
    def each(self) -> float:
        """The confidence of the answer to one question."""
        return self.confidence if self.of is None else 1 - (1 - self.confidence) / self.of
