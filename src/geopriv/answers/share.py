"""One share: cut off where its query's answers end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from geopriv.answers.estimates import Estimates
from geopriv.answers.units import threshold_of
from geopriv.mechanisms.base import Mechanism
from geopriv.queries.questions import Share
from geopriv.spaces.checks import FloatArray


def consistent(question: Share, estimates: Estimates) -> FloatArray:
    """Cut off at the least and the largest answer of the query: 0 and 1 for a share of people."""
    return np.asarray(np.clip(estimates.values, *question.query.bounds))


def at_once(
    mechanism: Mechanism, reports: object, question: Share, confidence: float, shrink: bool
) -> Estimates | None:
    """There is no faster way to one share."""
    return None


def unit(question: Share, who: str) -> tuple[float, str]:
    """Shares of people in percent, other means as they are."""
    return (100.0, "%") if question.query.is_share else (1.0, "")


def places(question: Share) -> dict[str, FloatArray]:
    """The threshold, where there is one."""
    return threshold_of(question.query)


def areas(question: Share) -> Sequence[shapely.Geometry] | None:
    """The region in the plane that is asked about, or the polygon on Earth."""
    region = question.query.region
    if region is None and question.space.geographic:
        region = getattr(question.query, "polygon", None)
    return None if region is None else [region]
