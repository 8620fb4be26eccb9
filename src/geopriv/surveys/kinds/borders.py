"""Soft borders of what is asked in the plane and in more dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable

from geopriv.queries import Blurred, Query
from geopriv.spaces.rounding import above
from geopriv.surveys.asking import EDGE_WIDTH, Asking
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Length

# in units of 1/ε: linear edges in the plane are dear for a lattice (docs/theory/lattices.md), and a wider blur saves
# little noise but answers for the surroundings too
_BLUR = 1.0


def bordered(
    make: Callable[[float], Query],
    width: Length | None,
    blur: Length | None,
    part: Part,
    asking: Asking,
    widest: float = math.inf,
    straight: bool = False,
) -> Query:
    """A query with a soft border: blurred, unless the table asks for a linear edge alone, or a table answers it.

    Args:
        make: the query for a width of its linear edge.
        width: that the table gives.
        blur: that the table gives.
        part: where the table is.
        asking: what all queries share.
        widest: a default width is no wider.
        straight: whether the border is straight, so that it can be blurred in every dimension.
    """
    blurs = straight or asking.space.dimension == 2
    if blur is not None and not blurs:
        raise part.error("must be left out with more than two axes, where 'width' says how borders fade", "blur")
    blurred = blurs and (blur is not None or (width is None and not asking.apart))
    bandwidth = asking.length(part, "blur", blur, _BLUR)
    default = min(bandwidth * asking.rate if blurred else EDGE_WIDTH, widest * asking.rate)
    edge = asking.length(part, "width", width, default)
    with part.explaining(query="kind", bandwidth="blur"):
        query = make(edge)
        if not blurred:
            return query
        found = Blurred(query, bandwidth)
    if blur is not None and bandwidth < found.least_bandwidth:
        least, near = (asking.space.distance_words(x) for x in (above(found.least_bandwidth, 2), 1 / asking.rate))
        rule = f"at least {least} for an area of this size (1/ε is {near})"
        raise part.wrong("blur", rule, blur)
    return found
