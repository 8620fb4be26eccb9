"""Counted reports of which means are taken: over all who reported, or over groups of known sizes (post-stratification).

With groups g of known shares W_g (they add up to 1), n_g reports and N = Σ n_g, the weighted mean Σ W_g·mean_g is the
mean over all reports of y = (N·W_g/n_g)·x, where x is what a report adds by itself. So whatever is made of sums of
reports can be made of sums of these: with V_g, t_g the variances and third moments of x within groups,

    mean = Σ W_g·mean_g,    V/N = Σ W_g²·V_g/n_g,    t/N² = Σ W_g³·t_g/n_g²,    |bias| ≤ Σ W_g·|bias_g|,

and a y lies between the least and the largest (N·W_g/n_g)·x. Only what varies within groups counts: how many of a group
report is chance that the known sizes take away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from geopriv.errors import ReportRejected
from geopriv.mechanisms.counts import Counts
from geopriv.mechanisms.roughness import Roughness
from geopriv.mechanisms.sums import Sums
from geopriv.queries.questions import Question
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design

FEWEST = 30  # reports of a group: with fewer its own spread is not known well enough for a normal interval


@dataclass(frozen=True, eq=False)
class Pool:
    """Reports to a design, and how much each of its groups counts.

    Args:
        tally: of the reports.
        weighted: whether groups count by their known sizes; otherwise every report counts alike.
    """

    tally: Tally
    weighted: bool = False

    @property
    def design(self) -> Design:
        """That the reports belong to."""
        return self.tally.design

    def parts(self, index: int, question: Question) -> list[tuple[float, Counts]]:
        """The reports to a mechanism in parts of which each has a known share: all in one, or a part a group.

        Args:
            index: of the mechanism.
            question: that they answer, for what is said where they cannot.

        Raises:
            ReportRejected: for fewer than two reports, which have no error bar, and for fewer than 30 of a group.
        """
        asked = f"The question {question.name!r} has"
        if not self.weighted or self.design.groups is None:
            counts = self.tally.counts(index)
            if counts.n < 2:
                raise ReportRejected(f"{asked} {_reports(counts)} to mechanism {index}; an error bar needs two.")
            return [(1.0, counts)]
        groups, found = self.design.groups, []
        for k, (name, share) in enumerate(zip(groups.names, groups.shares.tolist(), strict=True)):
            counts = self.tally.counts(index, k)
            if counts.n < FEWEST:
                raise ReportRejected(
                    f"{asked} {_reports(counts)} of the group {name!r} to mechanism {index}; "
                    f"its error bar needs {FEWEST}, and a weighted answer for all needs every group. Without the "
                    "weights (weighted=False, --unweighted) every report counts alike."
                )
            found.append((share, counts))
        return found

    def sums(self, index: int, question: Question, which: Sequence[int]) -> Sums:
        """What the reports to a mechanism add up to, for some of a question's queries.

        Raises:
            ReportRejected: where an error bar is impossible.
        """
        mechanism, parts = self.design.mechanisms[index], self.parts(index, question)
        return pooled((share, mechanism.sums(counts, question, which)) for share, counts in parts)

    def bracket_sums(self, index: int, question: Question, which: Sequence[int]) -> tuple[Sums, Sums] | None:
        """The same for the two that hold each plain question between them; None without them.

        Raises:
            ReportRejected: where an error bar is impossible.
        """
        mechanism, found = self.design.mechanisms[index], []
        for share, counts in self.parts(index, question):
            both = mechanism.bracket_sums(counts, question, which)
            if both is None:
                return None
            found.append((share, both))
        inner, outer = (pooled(iter([(share, both[side]) for share, both in found])) for side in (0, 1))
        return inner, outer

    def answers(self, question: Question) -> bool:
        """Whether there are enough reports of a group to every mechanism that answers the question."""
        answering = set(self.design.answering_each(question))
        return all(self.tally.counts(index).n >= FEWEST for index in answering)


def weighed(
    parts: Sequence[tuple[float, Counts]], curves: Sequence[tuple[FloatArray, FloatArray]]
) -> tuple[FloatArray, FloatArray, float]:
    """Means and variances of parts put together, and n with which variances over n are squared errors.

    Of several parts n is 1/Σ(W_g²/n_g): of so many reports that count alike a share would be as sure.

    Args:
        parts: the known share of each, and its reports.
        curves: the means of each part, and the variances of one report's contributions to them.
    """
    if len(parts) == 1:
        return (*curves[0], float(parts[0][1].n))
    squares = [share**2 / counts.n for share, counts in parts]
    n = 1 / sum(squares)
    means = np.sum([share * mean for (share, _), (mean, _) in zip(parts, curves, strict=True)], axis=0)
    variances = np.sum([n * w * variance for w, (_, variance) in zip(squares, curves, strict=True)], axis=0)
    return means, variances, n


def pooled(parts: Iterator[tuple[float, Sums]]) -> Sums:
    """The sums of a weighted mean, from those of groups and the share of each; one of share 1 stays as it is.

    >>> ones = np.ones(1)
    >>> few, many = (Sums(n, m * ones, ones, ones, None, 0 * ones, ones, 0.0) for n, m in ((10, 0.0), (90, 1.0)))
    >>> both = pooled(iter([(0.5, few), (0.5, many)]))
    >>> both.means, (both.variances / both.n).round(4), both.fewest
    (array([0.5]), array([0.0278]), 10)
    """
    given = list(parts)
    if len(given) == 1:
        return given[0][1]
    n = sum(sums.n for _, sums in given)
    scale = [n * share / sums.n for share, sums in given]  # of what a report adds, so that all count alike
    part = [sums.n / n for _, sums in given]
    together = [sums.covariance for _, sums in given]
    ends = np.array([(c * sums.low, c * sums.high) for c, (_, sums) in zip(scale, given, strict=True)])
    return Sums(
        n,
        np.sum([share * sums.means for share, sums in given], axis=0),
        np.sum([p * c**2 * sums.variances for p, c, (_, sums) in zip(part, scale, given, strict=True)], axis=0),
        np.sum([p * c**3 * sums.thirds for p, c, (_, sums) in zip(part, scale, given, strict=True)], axis=0),
        _added([(p * c**2, matrix) for p, c, matrix in zip(part, scale, together, strict=True)]),
        ends[:, 0].min(axis=0),
        ends[:, 1].max(axis=0),
        float(np.sum([share * sums.bias for share, sums in given])),
        min(sums.n for _, sums in given),
    )


def _added(parts: Sequence[tuple[float, FloatArray | Roughness | None]]) -> FloatArray | Roughness | None:
    """Matrices, or the roughness of a map, with their weights; None where one is missing."""
    known = [weight * part for weight, part in parts if isinstance(part, np.ndarray)]
    if known:
        return np.sum(known, axis=0) if len(known) == len(parts) else None
    total: Roughness | None = None
    for weight, part in parts:
        if part is None or isinstance(part, np.ndarray):
            return None
        total = part.added(weight, total)
    return total


def _reports(counts: Counts) -> str:
    return "1 report" if counts.n == 1 else f"{counts.n or 'no'} reports"
