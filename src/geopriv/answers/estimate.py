"""From reports, or from counts of them, to answers with their error bars."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast, overload

import numpy as np

from geopriv.answers.answers import Answer, Answers, Band
from geopriv.answers.asked import Asked
from geopriv.answers.bands import band_reach
from geopriv.answers.density_map import on_grid
from geopriv.answers.distribution import along
from geopriv.answers.estimates import Estimate, Estimates, read_reports, summary
from geopriv.answers.forms import answered, form_of, shrunk_of
from geopriv.answers.intervals import bernstein_reach
from geopriv.answers.later import later_questions
from geopriv.answers.plain import plain_band
from geopriv.answers.pools import Pool
from geopriv.answers.robust import with_robust
from geopriv.mechanisms.base import Mechanism
from geopriv.mechanisms.sums import band_half
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.reports.tallies import Tally
from geopriv.reports.verbs import tally
from geopriv.spaces.checks import fraction, invalid
from geopriv.spaces.threads import each_in_threads
from geopriv.surveys.design import Design


@overload
def estimate(
    asked: Design,
    reports: Any,
    *,
    confidence: float = 0.95,
    shrink: bool = False,
    consistent: bool = False,
    simultaneous: bool = False,
    weighted: bool = True,
    robust: float | None = None,
) -> Answers: ...


@overload
def estimate(
    asked: Design,
    reports: Any,
    query: Question | Iterable[Question],
    confidence: float = 0.95,
    *,
    shrink: bool = False,
    consistent: bool = False,
    simultaneous: bool = False,
    weighted: bool = True,
    of: int | None = None,
    log: str | os.PathLike[str] | None = None,
    robust: float | None = None,
) -> Answers: ...


@overload
def estimate(asked: Mechanism, reports: Any, query: Query | None = None, confidence: float = 0.95) -> Estimate: ...


@overload
def estimate(
    asked: Mechanism,
    reports: Any,
    query: Query | Iterable[Query] | Question,
    confidence: float = 0.95,
    *,
    at: Any = None,
    shrink: bool = False,
) -> Estimates: ...


def estimate(
    asked: Design | Mechanism,
    reports: Any,
    query: Query | Iterable[Query] | Question | Iterable[Question] | None = None,
    confidence: float = 0.95,
    *,
    at: Any = None,
    shrink: bool = False,
    consistent: bool = False,
    simultaneous: bool = False,
    weighted: bool = True,
    of: int | None = None,
    log: str | os.PathLike[str] | None = None,
    robust: float | None = None,
) -> Estimate | Estimates | Answers:
    """What was learnt: the mean over the people who reported, with standard error and interval.

    Of a design all questions are answered, each value with a normal interval, curves and maps with a band, and
    finite-sample intervals beside them. They are computed from the counts alone, in the order of the counts. So they
    are the same to the last bit however the reports were split among files, on one machine with one number of threads.

    A design may also be asked questions that it does not have: one report of a Lattice answers every smooth question
    on its space. They are marked as asked after collecting. How a plain answer is held is chosen from the question, ε,
    the grid, the public range and the number of reports, never from what these say. Each interval then holds for a
    question that does not depend on these reports (`Asked` says what holds of many).

    Of a mechanism a query is answered, or many from the same reports. Curves and maps take one pass over the reports
    where the mechanism allows it, and not one for each of their points.

    Args:
        asked: the design that the reports belong to, or the mechanism that made them.
        reports: to a design a `Tally` of them, or what `tally` takes; to a mechanism one a person.
        query: of a mechanism: a query, which may be left out where a report answers only one; several; or a question
            (`Distribution`, `DensityMap`). Of a design: a question, or several, that are asked after collecting.
        confidence: of each interval by itself, and of each band as a whole.
        at: places to which the query is moved in turn. For a Threshold with a smooth edge increasing values; in the
            plane, for a GaussianKernel or a blurred region, increasing coordinates of two axes, as points of the space
            (metres on a LocalPlane).
        shrink: of a map from noise that is alike in all directions (an InputLaplace, or a Lattice with round noise):
            multiply its spectrum by signal over signal and noise. Cuts the error where noise dominates (a predicted
            relative error above 5 %), but is **biased**, and is labelled so. Of a design it is given beside the
            unbiased map, held in its band and above 0.
        consistent: of a design: whether to add values that are monotone or non-negative, which are biased.
        simultaneous: of a design with groups: whether intervals are to hold in all groups at once. Groups are different
            people, so intervals of confidence^(1/G) in each of G groups do, by the product of their chances. Of
            questions that are asked after collecting: whether all of them hold at once, or `of` so many.
        weighted: of a design whose groups have weights: whether the answer for all is the mean weighted by these
            known sizes; otherwise every report counts alike.
        of: with `simultaneous`, how many questions hold at once: all that could have come to be asked.
        log: the file that keeps which questions were asked of these reports (`geopriv.answers.log`); without one only
            these are counted.
        robust: of a design: how many of the reports may be made up, or which share of all (0.01), to add intervals that
            hold for the honest people whatever these say (theory T17); not of values, nor of weighted groups.

    Returns:
        One `Estimate`; `Estimates` of a question's shape, or in the order of queries or places; or the `Answers` of a
        design.

    Raises:
        InvalidParameter: for a query that the mechanism does not answer or move, for counts of another design, and for
            a design without questions.
        ReportRejected: for no reports or what is none, and where a question has fewer than two, or a group of a
            weighted answer has: no error bar.

    Reference: theory T5, T6 and T8.

    >>> import numpy as np, geopriv as gp
    >>> m = gp.LipschitzLaplace.calibrate(gp.Threshold(at=0.0, width=2.0), epsilon=1.0)
    >>> print(gp.estimate(m, m.simulate(np.full(10_000, 5.0), np.random.default_rng(0))))
    0.999203 ± 0.0071, [0.985275, 1.01313], n = 10,000

    >>> m = gp.InputLaplace.calibrate(gp.Line("USD"), "1 per 8,000 USD")
    >>> incomes = np.random.default_rng(1).lognormal(11.49, 0.83, size=50_000)
    >>> reports = m.simulate(incomes, np.random.default_rng(2))
    >>> step = gp.Threshold(at=0.0, width=32_000, space=gp.Line("USD"), edge="smooth")
    >>> print(gp.estimate(m, reports, step, at=[50_000, 100_000, 200_000])[1])
    0.486603 ± 0.0023, [0.482069, 0.491137], n = 50,000

    >>> m = gp.InputLaplace.calibrate(gp.Plane("m"), epsilon=1.0)
    >>> rng = np.random.default_rng(1)
    >>> reports = m.simulate(rng.normal(size=(20_000, 2)), rng)
    >>> kernel = gp.GaussianKernel((0.0, 0.0), bandwidth=2.0, space=gp.Plane("m"))
    >>> print(gp.estimate(m, reports, kernel, at=(np.linspace(-5, 5, 11), np.linspace(-5, 5, 11)))[5, 5])
    0.800594 ± 0.0044, [0.791988, 0.8092], n = 20,000

    >>> share = gp.Share("above", gp.Threshold(at=0.0, width=2.0))
    >>> table = gp.Table.calibrate(share.query, epsilon=1.0)
    >>> design = gp.Design("demo", (table,), questions=(share,))
    >>> tally = gp.Tally(design)
    >>> tally.add(gp.reports.ReportBatch(0, np.random.default_rng(0).integers(0, table.values.size, (1000, 1))))
    >>> print(gp.estimate(design, tally)["above"].estimates[()])
    0.53725 ± 0.022, [0.495042, 0.579458], n = 1,000
    """
    fraction("estimate", "confidence", confidence)
    if isinstance(asked, Design):
        if at is not None:
            raise invalid("estimate", "at", "left out with a design, whose questions say it", at)
        counts = reports if isinstance(reports, Tally) else tally(asked, reports)
        _require_counts(asked, counts)
        later, record = later_questions(asked, counts.n, query, confidence, simultaneous, of, log)
        found = _answers(asked, counts, confidence, consistent, simultaneous, weighted, later, record)
        found = _with_shrunk(found, counts) if shrink else found
        return found if robust is None else with_robust(found, counts, robust)
    if not isinstance(asked, Mechanism):
        raise invalid("estimate", "asked", "a mechanism, or a Design (of a file: Design.read)", type(asked).__name__)
    ours: dict[str, Any] = {"consistent": consistent, "simultaneous": simultaneous, "weighted": not weighted}
    ours |= {"of": of, "log": log, "robust": robust}
    for name, given in ours.items():
        if given:
            raise invalid("estimate", name, "given with a design", type(asked).__name__)
    if at is not None:
        return _moved(asked, reports, query, at, confidence, shrink)
    if isinstance(query, Question):
        return _question(asked, reports, query, confidence, shrink)
    if shrink:
        raise invalid("estimate", "shrink", "given for a map", query)
    _require_variance(asked)
    if query is None or isinstance(query, Query):
        shares = asked.contributions(read_reports(reports), query)
        return summary(shares, np.ones(1), asked.largest_bias(query), confidence)
    return _many(asked, reports, tuple(cast("Iterable[Query]", query)), confidence)


def _moved(mechanism: Mechanism, reports: Any, query: Any, at: Any, confidence: float, shrink: bool) -> Estimates:
    """One query at many places."""
    if not isinstance(query, Query):
        raise invalid("estimate", "query", "the one that is moved to every place", type(query).__name__)
    if query.space.dimension == 2:
        estimates = on_grid(mechanism, reports, query, at, confidence, shrink)
    else:
        estimates = along(mechanism, reports, query, at, confidence)
    if estimates is None:
        rule = "an InputLaplace, or in the plane a Lattice, to move a query"
        raise invalid("estimate", "mechanism", rule, type(mechanism).__name__)
    return estimates


def _question(mechanism: Mechanism, reports: Any, question: Question, confidence: float, shrink: bool) -> Estimates:
    """All of a question, of its shape."""
    _require_variance(mechanism)
    estimates = form_of(question).at_once(mechanism, reports, question, confidence, shrink)
    if estimates is None:
        many = _many(mechanism, reports, question.queries, confidence)
        values, errors = many.values.reshape(question.shape), many.standard_errors.reshape(question.shape)
        estimates = Estimates(values, errors, many.n, many.bias, confidence)
    return estimates


def _many(mechanism: Mechanism, reports: Any, queries: Sequence[Query], confidence: float) -> Estimates:
    """Each query by itself; reports that are the same are looked at once, where the mechanism says how."""
    if not queries:
        raise invalid("estimate", "query", "at least one query", queries)
    values, times = mechanism.distinct(read_reports(reports))
    each = [
        summary(mechanism.contributions(values, query), times, mechanism.largest_bias(query), confidence)
        for query in queries
    ]
    means, errors = (np.array([getattr(one, name) for one in each]) for name in ("value", "standard_error"))
    return Estimates(means, errors, each[0].n, float(np.max([one.bias for one in each])), confidence)


def _require_variance(mechanism: Mechanism) -> None:
    noise = getattr(mechanism, "noise", None)
    if noise is not None and not noise.moments > 2:
        raise invalid("estimate", "mechanism", "one whose noise has a variance, or there is no interval", noise)


def _require_counts(design: Design, counts: Tally) -> None:
    if counts.design != design:
        raise invalid("estimate", "tally", f"of the design {design.hash[:12]}…", f"{counts.design.hash[:12]}…")


def _answers(
    design: Design,
    counts: Tally,
    confidence: float,
    consistent: bool,
    simultaneous: bool,
    weighted: bool,
    later: tuple[Question, ...] = (),
    asked: Asked | None = None,
) -> Answers:
    """Every question of a design, or others that are asked later, from counts: for all, and for each group."""
    weighted = weighted and design.groups is not None and bool(design.groups.weights)
    pool, confidence = Pool(counts, weighted), confidence if asked is None else asked.each
    answers = tuple(
        each_in_threads(lambda question: _answered(question, pool, confidence, consistent), later or design.questions)
    )
    rejected = {reason: times for reason, times in sorted(counts.rejected.items()) if times}
    survey = design.survey if not design.walks else f"{design.survey}, round {counts.counts(0).rows[0, 0]}"
    public = (survey, design.hash, design.guarantee, design.space)
    whole = Answers(*public, _marked(answers, later), counts.n, rejected, design.counted, asked=asked)
    if design.groups is None:
        return whole
    each = confidence ** (1 / len(design.groups)) if simultaneous else confidence
    shares: list[float | None] = [*design.groups.shares.tolist()] or [None] * len(design.groups)
    known = enumerate(zip(design.groups.names, shares, strict=True))
    groups = {name: _group(whole, counts.of_group(k), share, each, consistent, later) for k, (name, share) in known}
    return replace(whole, groups=groups, weighted=weighted, simultaneous=simultaneous)


def _with_shrunk(answers: Answers, counts: Tally) -> Answers:
    """Maps with less noise beside the unbiased ones, of all people together.

    Raises:
        InvalidParameter: for a design without a map, or whose reports have noise that is not alike in all directions.
    """
    ways = [shrunk_of(answer.question) for answer in answers.answers]
    if answers.weighted or not any(ways):
        raise invalid("estimate", "shrink", "given for a map, every report counting alike", answers.survey)
    pool = Pool(counts)
    made = [answer if way is None else way(answer, pool) for answer, way in zip(answers.answers, ways, strict=True)]
    return replace(answers, answers=tuple(made))


def _group(
    whole: Answers,
    counts: Tally,
    share: float | None,
    confidence: float,
    consistent: bool,
    later: tuple[Question, ...],
) -> Answers:
    """The answers of a group, without those that fewer than two reports would have to give, or that nobody knows."""
    pool, asked = Pool(counts), [question.of_group(share) for question in later or counts.design.questions]
    known = [question for question in asked if question is not None and pool.answers(question)]
    answers = tuple(_answered(question, pool, confidence, consistent) for question in known)
    return replace(whole, answers=_marked(answers, later), n=counts.n, rejected={})


def _marked(answers: tuple[Answer, ...], later: tuple[Question, ...]) -> tuple[Answer, ...]:
    """Answers that say whether their questions were asked after collecting."""
    return tuple(replace(answer, asked_after=True) for answer in answers) if later else answers


def _answered(question: Question, pool: Pool, confidence: float, consistent: bool) -> Answer:
    """The usual answer, of the means of a question's queries, unless its form has a way of its own."""
    return answered(question, pool, confidence, partial(_answer, question, pool, confidence, consistent))


def _answer(question: Question, pool: Pool, confidence: float, consistent: bool) -> Answer:
    answering = np.array(pool.design.answering_each(question))
    groups = {index: np.flatnonzero(answering == index) for index in np.unique(answering).tolist()}
    parts = [(mine, pool.sums(index, question, mine.tolist())) for index, mine in groups.items()]
    plain, moved = plain_band(question, pool, [(mine, index) for index, mine in groups.items()], confidence)
    reach = band_reach((sums.covariance for _, sums in parts), len(answering), confidence) if question.shape else 0.0
    flat = np.empty((4, len(answering)))
    for mine, sums in parts:
        bound = bernstein_reach(sums.variances, sums.n, sums.high - sums.low, confidence, sums.fewest)
        flat[:, mine] = sums.means, np.sqrt(sums.variances / sums.n), band_half(reach, sums), bound
    values, errors, wide, finite = flat.reshape(4, *question.shape)
    n, bias = min(sums.n for _, sums in parts), max(sums.bias for _, sums in parts)
    estimates = Estimates(values, errors, n, bias, confidence)
    return Answer(
        question,
        estimates,
        Band(values - wide, values + wide) if question.shape else None,
        Band(values - finite, values + finite) if np.isfinite(finite).all() else None,
        form_of(question).consistent(question, estimates) if consistent else None,
        plain,
        leverage=max(moved, *(sums.leverage for _, sums in parts)),
    )
