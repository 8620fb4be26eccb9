"""From counted reports to all answers of a survey."""

from __future__ import annotations

import numpy as np

from geopriv.answers import Answer, Answers, Band
from geopriv.bands import band_reach
from geopriv.checks import fraction, invalid
from geopriv.consistency import consistent_values
from geopriv.design import Design
from geopriv.errors import ReportRejected
from geopriv.estimation import Estimates
from geopriv.intervals import bernstein_reach
from geopriv.mechanisms import Lattice, Table
from geopriv.questions import KernelMap, Question
from geopriv.sums import Sums, lattice_sums, map_sums, table_sums
from geopriv.tallies import Tally

# where fewer reports carry the variance, a normal law says little of what is several standard errors away: a band then
# is as wide as the empirical Bernstein bound of its share of the doubt (Bonferroni)
SPEAKING = 400


def estimate_survey(design: Design, tally: Tally, confidence: float = 0.95, consistent: bool = False) -> Answers:
    """Every question's estimates, each with a normal interval; bands for curves and maps; finite-sample intervals.

    They are computed from the counts alone, in the order of the counts. So they are the same to the last bit however
    the reports were split among files, on one machine with one number of threads.

    Args:
        design: whose questions are answered.
        tally: reports to it.
        confidence: of each interval by itself, and of each band as a whole.
        consistent: whether to add values that are monotone or non-negative, which are biased.

    Raises:
        InvalidParameter: for a tally of another design, or a design without questions.
        ReportRejected: where a question has fewer than two reports, and hence no error bar.

    >>> import numpy as np, geopriv as gp
    >>> share = gp.Share("above", gp.Threshold(at=0.0, width=2.0))
    >>> table = gp.Table.calibrate(share.query, epsilon=1.0)
    >>> design = gp.Design("demo", (table,), questions=(share,))
    >>> tally = gp.Tally(design)
    >>> tally.add(gp.ReportBatch(0, np.random.default_rng(0).integers(0, table.values.size, (1000, 1))))
    >>> print(estimate_survey(design, tally)["above"].estimates[()])
    0.53725 ± 0.022, [0.495042, 0.579458], n = 1,000
    """
    fraction("estimate_survey", "confidence", confidence)
    if tally.design != design:
        raise invalid("estimate_survey", "tally", f"of the design {design.hash[:12]}…", f"{tally.design.hash[:12]}…")
    if not design.questions:
        raise invalid("estimate_survey", "design", "one with questions", design.survey)
    answers = tuple(_answer(question, tally, confidence, consistent) for question in design.questions)
    rejected = {reason: times for reason, times in sorted(tally.rejected.items()) if times}
    return Answers(design.survey, design.hash, design.guarantee, design.space, answers, tally.n, rejected)


def _answer(question: Question, tally: Tally, confidence: float, consistent: bool) -> Answer:
    answering = np.array([tally.design.answering(query) for query in question.queries])
    size = len(answering)
    values, errors, reach, wide = np.empty((4, size))
    parts = []
    for index in np.unique(answering).tolist():
        mine = np.flatnonzero(answering == index)
        sums = _sums(question, mine.tolist(), tally, index)
        values[mine], errors[mine] = sums.means, np.sqrt(sums.variances / sums.n)
        reach[mine] = bernstein_reach(sums.variances, sums.n, sums.high - sums.low, confidence)
        sure = bernstein_reach(sums.variances, sums.n, sums.high - sums.low, 1 - (1 - confidence) / size)
        wide[mine] = np.where(sums.speaking < SPEAKING, sure, 0.0)
        parts.append(sums)
    shape = question.shape
    values, errors, reach, wide = (array.reshape(shape) for array in (values, errors, reach, wide))
    n, bias = min(sums.n for sums in parts), max(sums.bias for sums in parts)
    estimates = Estimates(values, errors, n, bias, confidence)
    band = None
    if shape:
        wide = np.maximum(wide, band_reach((sums.covariance for sums in parts), size, confidence) * errors)
        band = Band(values - wide, values + wide)
    finite = Band(values - reach, values + reach) if np.isfinite(reach).all() else None
    return Answer(question, estimates, band, finite, consistent_values(question, estimates) if consistent else None)


def _sums(question: Question, which: list[int], tally: Tally, index: int) -> Sums:
    """The sums of some of a question's queries, all answered by one mechanism."""
    mechanism, counts = tally.design.mechanisms[index], tally.counts(index)
    if counts.n < 2:
        raise ReportRejected(
            f"The question {question.name!r} has {counts.n} report(s) to mechanism {index}; an error bar needs two."
        )
    if isinstance(mechanism, Table):
        return table_sums(mechanism, counts)
    assert isinstance(mechanism, Lattice)  # there is no third kind
    if isinstance(question, KernelMap) and len(which) == len(question.queries):
        return map_sums(mechanism, counts, question)
    return lattice_sums(mechanism, counts, [question.queries[k] for k in which])
