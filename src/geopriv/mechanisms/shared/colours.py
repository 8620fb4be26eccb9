"""Which queries are far enough apart to share a report: gaps between them, and classes of far ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray

GAPS = (0.0, 2.0, 4.0, 6.0)  # in 1/ε, between where two queries level off

Colours = tuple[tuple[int, ...], ...]


def can_share(queries: Sequence[Query]) -> bool:
    """Whether devices know such queries in shared reports: different discs, ranges or polygons on a flat space."""
    space = queries[0].space
    sets = all(query.bell is None and query.has_profile and query.geometry.compact for query in queries)
    return sets and space.flat and space.dimension <= 2 and len(set(queries)) == len(queries)


def colourings(queries: Sequence[Query], rate: float, ends: FloatArray | None = None) -> list[Colours]:
    """Ways to colour queries, by how far apart those of one colour are at least; each once, if any share one.

    Args:
        queries: on one flat space.
        rate: ε.
        ends: of each query, as in `gaps`.
    """
    apart = gaps(queries, ends) * rate
    found = dict.fromkeys(coloured(apart >= gap) for gap in GAPS)
    return [colours for colours in found if len(queries) == 1 or len(colours) < len(queries)]


def classes_of_discs(queries: Sequence[Query], rate: float) -> int:
    """How many classes discs are put into by the widest gap, at which devices can verify what they share.

    0 for other sets: around polygons that are large beside the gaps it is not known before tables are compiled.
    """
    if not can_share(queries) or any(query.geometry.document()["type"] != "Radial" for query in queries):
        return 0
    return len(coloured(gaps(queries) * rate >= GAPS[-1]))


def gaps(queries: Sequence[Query], ends: FloatArray | None = None) -> FloatArray:
    """About how far apart the places are beyond which two queries are level, shape (K, K); exactly, of discs.

    Args:
        queries: on one flat space.
        ends: the coordinate beyond which each is level; by default its profile's last landmark.
    """
    anchors = np.stack([np.atleast_1d(query.geometry.anchor) for query in queries])
    shape = queries[0].space.point_shape
    s = np.stack([np.asarray(query.geometry(anchors.reshape(-1, *shape))).reshape(-1) for query in queries])
    last = np.array([max(query.profile.landmarks) for query in queries]) if ends is None else ends
    far = np.linalg.norm(anchors[:, None] - anchors, axis=-1)
    return np.asarray(s + s.T - far - last[:, None] - last)


def coloured(far: npt.NDArray[np.bool_]) -> Colours:
    """Greedily, those with the most others near them first: each has the first colour of which all are far from it.

    >>> coloured(np.array([[True, False, True], [False, True, True], [True, True, True]]))
    ((0, 2), (1,))
    """
    classes: list[list[int]] = []
    for k in np.argsort(np.asarray(far).sum(axis=1), kind="stable").tolist():
        free = next((members for members in classes if all(far[k][j] for j in members)), None)
        if free is None:
            classes.append([k])
        else:
            free.append(k)
    return tuple(sorted(tuple(sorted(members)) for members in classes))
