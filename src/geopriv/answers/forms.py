"""Forms of answers: what each knows, one file a form; a question names its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import shapely

from geopriv.answers import covariance, density_map, distribution, mean, quantile, share, total
from geopriv.answers.answers import Answer
from geopriv.answers.estimates import Estimates
from geopriv.answers.pools import Pool
from geopriv.mechanisms.base import Mechanism
from geopriv.queries.questions import Question
from geopriv.spaces.checks import FloatArray


class Form(Protocol):
    """What is asked of a form; a module is one."""

    def consistent(self, question: Any, estimates: Estimates) -> FloatArray:
        """The nearest values that the truth could have.

        Whatever the truth, they are no farther from it than the estimates, in the distance that they are nearest in.
        They are biased all the same: an estimate that is sometimes below 0 and right on average is above 0 on average
        when what is below is cut off. Intervals and bands are for the estimates and stay as they are.
        """
        ...

    def at_once(
        self, mechanism: Mechanism, reports: Any, question: Any, confidence: float, shrink: bool
    ) -> Estimates | None:
        """All estimates of the question by a way that is faster than one by one; None where there is none."""
        ...

    def unit(self, question: Any, who: str) -> tuple[float, str]:
        """What estimates are multiplied with to be told to people, pages' unit of them, and who is counted."""
        ...

    def places(self, question: Any) -> dict[str, FloatArray]:
        """Where each value is, by what that is called ("threshold", "longitude"): arrays of the question's shape."""
        ...

    def areas(self, question: Any) -> Sequence[shapely.Geometry] | None:
        """The part of a map that each value is about, as points of the space, in the order of values; None for none."""
        ...


_FORMS: dict[str, Form] = {
    "share": share,
    "distribution": distribution,
    "density map": density_map,
    "mean": mean,
    "quantile": quantile,
    "total": total,
    "covariance": covariance,
}
# of those that are not the means of their queries alone: from the question, counts, confidence, and the usual answer
_OWN: dict[str, Callable[[Any, Pool, float, Callable[[], Answer]], Answer]] = {
    "mean": mean.answer,
    "quantile": quantile.answer,
    "total": total.answer,
    "covariance": covariance.answer,
}

# of those that can be shown with less noise, and biased: from the answer, and counts
_SHRUNK: dict[str, Callable[[Answer, Pool], Answer]] = {"density map": density_map.shrunk}


def shrunk_of(question: Question) -> Callable[[Answer, Pool], Answer] | None:
    """What shows an answer with less noise; None where nothing does."""
    return _SHRUNK.get(question.form)


def form_of(question: Question) -> Form:
    """What a question's answer looks like."""
    return _FORMS[question.form]


def answered(question: Question, pool: Pool, confidence: float, usual: Callable[[], Answer]) -> Answer:
    """The answer to a question: the usual one, of the means of its queries, unless its form has a way of its own."""
    own = _OWN.get(question.form)
    return usual() if own is None else own(question, pool, confidence, usual)
