"""From counted reports to all answers of a survey."""

from __future__ import annotations

import numpy as np

from geopriv.answers.answers import Answer, Answers, Band
from geopriv.answers.bands import band_half, band_reach
from geopriv.answers.consistency import consistent_values
from geopriv.answers.estimation import Estimates
from geopriv.answers.intervals import bernstein_reach
from geopriv.errors import ReportRejected
from geopriv.mechanisms.sums import Sums
from geopriv.queries.questions import Question
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import fraction, invalid
from geopriv.surveys.design import Design


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
    groups = {index: np.flatnonzero(answering == index) for index in np.unique(answering).tolist()}
    parts = [(mine, _sums(question, mine.tolist(), tally, index)) for index, mine in groups.items()]
    reach = band_reach((sums.covariance for _, sums in parts), len(answering), confidence) if question.shape else 0.0
    flat = np.empty((4, len(answering)))
    for mine, sums in parts:
        bound = bernstein_reach(sums.variances, sums.n, sums.high - sums.low, confidence)
        flat[:, mine] = sums.means, np.sqrt(sums.variances / sums.n), band_half(reach, sums), bound
    values, errors, wide, finite = flat.reshape(4, *question.shape)
    n, bias = min(sums.n for _, sums in parts), max(sums.bias for _, sums in parts)
    estimates = Estimates(values, errors, n, bias, confidence)
    return Answer(
        question,
        estimates,
        Band(values - wide, values + wide) if question.shape else None,
        Band(values - finite, values + finite) if np.isfinite(finite).all() else None,
        consistent_values(question, estimates) if consistent else None,
    )


def _sums(question: Question, which: list[int], tally: Tally, index: int) -> Sums:
    """The sums of some of a question's queries, all answered by one mechanism."""
    mechanism, counts = tally.design.mechanisms[index], tally.counts(index)
    if counts.n < 2:
        raise ReportRejected(
            f"The question {question.name!r} has {counts.n} report(s) to mechanism {index}; an error bar needs two."
        )
    return mechanism.sums(counts, question, which)
