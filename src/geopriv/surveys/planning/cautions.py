"""Sentences about an ε that protects next to nothing, or from which nothing can be learnt.

Nothing is refused for good: an ε that is large for the public range, as one is in which somebody forgot 'per' or wrote
thousands with a point, is to be said aloud.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from geopriv.errors import InvalidParameter
from geopriv.spaces import Space
from geopriv.spaces.units import convert
from geopriv.surveys.model import Survey
from geopriv.surveys.planning.crowds import public_ends

_CENT = 0.01  # of a unit that is no length
_METRE = 1.0
_ALL = 1e-6  # of the range, on a space without a unit
_FEW = 1e-4  # of the range: a survey in which 1/ε is less tells nearly everybody apart
_NOTHING = 0.5  # half of an interval, of a share: it is anything between 0 and 100 %


def require_meant(survey: Survey, yes: bool) -> None:
    """Refuse a survey in which 1/ε is below 1/10,000 of the public range, unless it is said to be meant.

    Raises:
        InvalidParameter: saying what 1/ε and the range are.
    """
    extent, near, words = _extent(survey), 1 / survey.epsilon, survey.space.distance_words
    if not yes and np.isfinite(extent) and near < _FEW * extent:
        raise InvalidParameter(
            f"At this 'epsilon' and 'per', 1/ε is {words(near)}, below 1/10,000 of the public range ({words(extent)}): "
            f"values {words(10 * near)} apart are told apart, and next to nothing is protected. Mend them (a unit that "
            "is missing, a point between thousands?), or say that it is meant: --yes (yes=True)."
        )


def cautions(survey: Survey, half_widths: Mapping[str, float]) -> tuple[str, ...]:
    """What is odd about ε, one sentence each.

    Args:
        survey: what is asked.
        half_widths: of the 95 % intervals that are predicted for its shares, by the question's name.
    """
    extent, near, words = _extent(survey), 1 / survey.epsilon, survey.space.distance_words
    said = []
    least, called = _least(survey.space, extent)
    if near < least:
        said.append(
            f"ε is so large that 1/ε = {words(near)} is below {called}: values that anyone would call different are "
            "told apart, so that next to nothing is protected."
        )
    if np.isfinite(extent) and near > extent:
        said.append(
            f"ε is so small that 1/ε = {words(near)} is more than the whole public range, {words(extent)}: any two "
            "people look nearly alike, and next to nothing can be learnt."
        )
    lost = [name for name, width in half_widths.items() if width >= _NOTHING]
    if lost:
        named = ", ".join(map(repr, lost[:3])) + (f" and {len(lost) - 3:,} more" if len(lost) > 3 else "")
        said.append(
            f"Nothing can be learnt about {named} from {survey.people:,} people at this ε: the 95 % interval is "
            "expected to be ± 50 percentage points or more. Ask more people, take a larger ε or softer edges."
        )
    return tuple(said)


def _extent(survey: Survey) -> float:
    """The longest side of the public range or region, in the unit of distance; infinite where there is none."""
    low, high = public_ends(survey)
    return float(np.max(np.asarray(high) - np.asarray(low)))


def _least(space: Space, extent: float) -> tuple[float, str]:
    """The least 1/ε that protects anything, and what it is called."""
    unit = space.distance_unit
    if unit is None or space.ratios:
        return (_ALL * extent, "a millionth of the public range") if np.isfinite(extent) else (0.0, "")
    try:
        return convert(_METRE, "m", unit), "a metre"
    except InvalidParameter:
        return _CENT, f"0.01 {unit}"
