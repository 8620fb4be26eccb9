"""Soft borders of what is asked: in the plane and in more dimensions, and on a line."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from geopriv.queries import Blurred, Query
from geopriv.spaces.rounding import above
from geopriv.surveys.asking import EDGE_WIDTH, Asking
from geopriv.surveys.part import Part
from geopriv.surveys.tables import Edge, Length

# in units of 1/ε: linear edges in the plane are dear for a lattice (docs/theory/lattices.md), and a wider blur saves
# little noise but answers for the surroundings too
_BLUR = 1.0
_WALK_BLUR = 4 / math.sqrt(12)  # times √rounds: as an edge of 4√rounds/ε, from which on a walk tells shares (T15)
_SHORT = 8.0  # times as long as the straight piece under a blur


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
    edge = asking.length(part, "width", width, bandwidth * asking.rate if blurred else EDGE_WIDTH)
    edge = min(edge, widest) if width is None else edge
    with part.explaining(query="kind", bandwidth="blur"):
        query = make(edge)
        if not blurred:
            return query
        found = Blurred(query, bandwidth)
    least = above(found.least_bandwidth_for(asking.rate), 2)
    if bandwidth >= least:
        return found
    if blur is None:  # of a region that is large beside 1/ε: its edge is as sharp as it can be computed
        return Blurred(make(least if width is None else edge), least)
    rule = f"at least {asking.space.distance_words(least)} for an area of this size"
    raise part.wrong("blur", f"{rule} (1/ε is {asking.space.distance_words(1 / asking.rate)})", blur)


class OnLine(Protocol):
    """Keys of a table with an edge on a line."""

    @property
    def width(self) -> Length | None:
        """Over which counting fades."""

    @property
    def edge(self) -> Edge | None:
        """How it fades."""

    @property
    def blur(self) -> Length | None:
        """The standard deviation of a Gaussian blur, where noise walks."""

    @property
    def plain(self) -> bool | None:
        """Whether there is a plain answer."""


def edged(
    make: Callable[[float, Edge], Query],
    table: OnLine,
    part: Part,
    asking: Asking,
    alone: bool,
) -> tuple[Query, bool]:
    """A query with an edge on a line, and whether it has a plain answer: a Gaussian blur and none where noise walks.

    Args:
        make: the query for a width and an edge.
        table: its keys.
        part: where the table is.
        asking: what all queries share.
        alone: whether nothing else is asked, so that a linear edge is best.
    """
    if asking.rounds == 1:
        if table.blur is not None:
            raise part.error("must be left out where no noise walks: 'width' and 'edge' say how counting fades", "blur")
        width = asking.length(part, "width", table.width, EDGE_WIDTH)
        with part.explaining():
            return make(width, table.edge or ("linear" if alone else "smooth")), table.plain is not False
    for key in ("width", "edge"):
        if getattr(table, key) is not None:
            raise part.error("must be left out where noise walks: 'blur' says how counting fades", key)
    if table.plain:
        raise part.wrong("plain", "left out or false where noise walks, which has no plain answers", table.plain)
    blur = asking.length(part, "blur", table.blur, _WALK_BLUR * math.sqrt(asking.rounds))
    with part.explaining(bandwidth="blur"):
        return Blurred(make(blur / _SHORT, "linear"), blur), False
