"""Finitely many places, by name, and the distance between any two: networks, hierarchies, categories, bits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, NoReturn

import numpy as np
import numpy.typing as npt

from geopriv.errors import OutOfDomain
from geopriv.spaces.balls import arb
from geopriv.spaces.base import Space
from geopriv.spaces.checks import FloatArray, count, invalid, positive, same_fields
from geopriv.spaces.compiled import compiled
from geopriv.spaces.reading import require_unit
from geopriv.spaces.units import read_rate

Label = str | int
Whole = npt.NDArray[np.intp]

_MOST = 1024  # labels: all pairs are compared, and all triples once
_ROUND = 1e-12  # of a distance, by which rounding may break symmetry or the triangle inequality


@dataclass(frozen=True, eq=False)
class Finite(Space):
    """Labels and the distances between them: any metric on finitely many places.

    Its labels are public, and people hold one each.

    Args:
        distances: one row and one column for each label, shape (n, n).
        labels: texts or whole numbers; by default 0, 1, ….
        unit: what one unit of distance is called.

    Raises:
        InvalidParameter: for distances that are no metric, with the pair that is the most wrong.

    >>> towns = Finite([[0, 3, 5], [3, 0, 4], [5, 4, 0]], labels=["A", "B", "C"], unit="km")
    >>> towns.distance(["A", "B"], "C")
    array([5., 4.])
    """

    distances: FloatArray = field(repr=False)
    labels: tuple[Label, ...] = field(default=(), repr=False)
    unit: str | None = None

    finite: ClassVar[bool] = True
    in_documents: ClassVar[bool] = False  # no device and no survey knows it

    def __init__(self, distances: Any, labels: Iterable[Label] | None = None, unit: str | None = None) -> None:
        given = _matrix(distances)
        names = tuple(range(len(given))) if labels is None else _names(labels)
        if len(names) != len(given):
            raise invalid("Finite", "labels", f"{len(given)} labels, one for each row of distances", len(names))
        for name, value in (("distances", given), ("labels", names), ("unit", unit)):
            object.__setattr__(self, name, value)
        require_unit(self)
        self._require_metric()
        given.setflags(write=False)

    def _require_metric(self) -> None:
        far, apart = self.distances, ~np.eye(len(self.labels), dtype=bool)
        odd = np.abs(far - far.T)
        if far.diagonal().any():
            self._no_metric("0 from each label to itself", int(np.argmax(far.diagonal())))
        if (odd > _ROUND * far).any():
            self._no_metric("the same in both directions", *divmod(int(np.argmax(odd)), len(far)))
        np.minimum(far, far.T, out=far)
        if not (far[apart] > 0).all():
            worst = np.argmin(np.where(apart, far, np.inf))
            self._no_metric("above 0 between two labels (make one of them)", *divmod(int(worst), len(far)))
        broken, i, k, j = self._triangles[2:]
        if broken > _ROUND:
            rule = "at most the way by any third label"
            self._no_metric(f"{rule}: {far[i, k]:.6g} + {far[k, j]:.6g} by {self.labels[k]!r}", i, j)

    def _no_metric(self, rule: str, first: int, second: int | None = None) -> NoReturn:
        second = first if second is None else second
        words = f"{self.distances[first, second]:.6g} from {self.labels[first]!r} to {self.labels[second]!r}"
        raise invalid("Finite", "distances", f"a metric, {rule}", words)

    @classmethod
    def graph(
        cls, edges: Iterable[Sequence[Any]], labels: Iterable[Label] | None = None, unit: str | None = None
    ) -> Finite:
        """The ends of edges, with the length of the shortest path between them.

        Lengths are rounded down to a grid of 2^-52 of their sum, on which sums of them are exact: then it is exact
        which distances are sums of others.

        Args:
            edges: (label, label, length), or (label, label) of length 1, in any order.
            labels: those which people hold; by default all of them.
            unit: what one unit of length is called.

        Raises:
            InvalidParameter: for a graph in two pieces, and for a length that is not positive.

        >>> Finite.graph([("A", "B", 2.0), ("B", "C", 1.5)], unit="km").distance("A", "C")
        array(3.5)
        """
        lengths: dict[tuple[Label, ...], float] = {}
        for edge in edges:
            if not isinstance(edge, list | tuple) or len(edge) not in (2, 3) or len(_names(edge[:2])) < 2:
                raise invalid("Finite.graph", "edges", "made of (label, label, length), of two labels each", edge)
            size = positive("Finite.graph", "edges: a length", edge[2] if len(edge) == 3 else 1.0)
            ends = tuple(edge[:2])
            lengths[ends] = min(size, lengths.get(ends, math.inf))
        nodes = _names(dict.fromkeys(end for ends in lengths for end in ends))
        if len(nodes) < 2:
            raise invalid("Finite.graph", "edges", "at least one edge", len(nodes))
        place = {label: k for k, label in enumerate(nodes)}
        held = nodes if labels is None else _names(labels)
        if not set(held) <= set(nodes):
            raise invalid("Finite.graph", "labels", "ends of edges", next(x for x in held if x not in place))
        grid = math.ldexp(1.0, math.frexp(math.fsum(lengths.values()))[1] - 52)
        if min(lengths.values()) < grid:
            rule = f"at least {grid:.4g}, 2^-52 of the sum of all lengths"
            raise invalid("Finite.graph", "edges: a length", rule, min(lengths.values()))
        far = _shortest({(place[a], place[b]): math.floor(size / grid) * grid for (a, b), size in lengths.items()})
        if not np.isfinite(far).all():
            i, j = divmod(int(np.argmax(far)), len(far))
            raise invalid("Finite.graph", "edges", "a graph in one piece", f"no path from {nodes[i]!r} to {nodes[j]!r}")
        rows = [place[label] for label in held]
        return cls(far[np.ix_(rows, rows)], held, unit)

    @classmethod
    def discrete(cls, labels: Iterable[Label]) -> Finite:
        """Categories, any two of them at distance 1: local differential privacy.

        >>> Finite.discrete(["red", "green", "blue"]).distance("red", ["red", "blue"])
        array([0., 1.])
        """
        names = _names(labels)
        return cls(1.0 - np.eye(len(names)), names)

    @classmethod
    def hamming(cls, n: int) -> Finite:
        """All texts of n bits, at the distance of how many bits differ: a data set of n people, in the central model.

        >>> Finite.hamming(3).distance("011", ["110", "011"])
        array([2., 0.])
        """
        rule = f"at most {_MOST.bit_length() - 1}"
        if count("Finite.hamming", "n", n) >= _MOST.bit_length():
            raise invalid("Finite.hamming", "n", rule, n)
        bits = np.array(list(product((0, 1), repeat=n)))
        names = ["".join(map(str, row)) for row in bits.tolist()]
        return cls(np.abs(bits[:, None] - bits).sum(axis=2), names, "record")

    @classmethod
    def hierarchy(
        cls,
        parents: Mapping[Label, Label],
        lengths: Mapping[Label, float] | float = 1.0,
        labels: Iterable[Label] | None = None,
        unit: str | None = None,
    ) -> Finite:
        """A tree of groups within groups, with the length of the way up and down between two labels.

        Args:
            parents: of every label but the top one.
            lengths: of the way from each label to its parent, one for each or one for all.
            labels: those which people hold; by default those that are nobody's parent.
            unit: what one unit of length is called.

        >>> jobs = Finite.hierarchy({"nurse": "care", "doctor": "care", "care": "all", "clerk": "all"})
        >>> jobs.labels, jobs.distance("nurse", ["doctor", "clerk"])
        (('nurse', 'doctor', 'clerk'), array([2., 3.]))
        """
        if not parents or not hasattr(parents, "items"):
            raise invalid("Finite.hierarchy", "parents", "a parent for every label but one", parents)
        if isinstance(lengths, Mapping):
            missing = [label for label in parents if label not in lengths]
            if missing:
                raise invalid("Finite.hierarchy", "lengths", "given for every label with a parent", missing[0])
        edges = [(a, b, lengths[a] if isinstance(lengths, Mapping) else lengths) for a, b in parents.items()]
        above = set(parents.values())
        leaves = [label for label in parents if label not in above]
        if len(set(parents) | above) != len(parents) + 1:
            raise invalid("Finite.hierarchy", "parents", "a tree: one label at the top, and no circle", parents)
        return cls.graph(edges, leaves if labels is None else labels, unit)

    @cached_property
    def _triangles(self) -> tuple[Whole, Whole, float, int, int, int]:
        """The edges (first, second), and by how much and where (i, k, j) the triangle inequality is broken most.

        Whether d(i, k) + d(k, j) ≤ d(i, j) is decided exactly: where the rounded sum is equal, by what it lacks.
        """
        straight = np.triu(np.ones(self.distances.shape, dtype=np.bool_), 1)
        worst = _compare(np.ascontiguousarray(self.distances), straight)
        first, second = np.nonzero(straight)
        return first, second, *worst

    @property
    def edges(self) -> tuple[Whole, Whole]:
        """The pairs i < j of labels with no other label exactly on the way: what all distances are made of."""
        return self._triangles[:2]

    @cached_property
    def _place(self) -> dict[Label, int]:
        return {label: k for k, label in enumerate(self.labels)}

    def __repr__(self) -> str:
        return f"Finite of {len(self.labels):,} labels" + (f", in {self.unit}" if self.unit else "")

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other)

    def __hash__(self) -> int:
        return hash((self.distances.tobytes(), self.labels, self.unit))

    @property
    def dimension(self) -> int:
        return 1

    @property
    def point_shape(self) -> tuple[int, ...]:
        return (1,)  # the number of its row: no line, along which it could be compared

    @property
    def distance_unit(self) -> str | None:
        return self.unit

    @property
    def farthest(self) -> float:
        return float(self.distances.max())

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        return np.zeros(1), np.array([len(self.labels) - 1.0])

    def read(self, values: Any) -> FloatArray:
        place = self._place
        try:
            given = np.asarray(values, dtype=object)
            found = [place.get(label, -1) for label in given.reshape(-1).tolist()] if given.ndim < 2 else []
        except (TypeError, ValueError):
            given, found = np.empty((0, 0)), []
        # raised here and not while an error is handled that quotes the value
        if given.ndim > 1:
            raise OutOfDomain("Values of Finite must be one label, or a list of labels.")
        if -1 in found:
            raise OutOfDomain("Values of Finite must be among its labels.")
        return np.array(found, dtype=np.float64).reshape(*given.shape, 1)

    def values(self, points: FloatArray) -> FloatArray:
        names = np.empty(len(self.labels), dtype=object)
        names[:] = self.labels
        return np.asarray(names[points[..., 0].astype(np.intp)])

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        rows, columns = (np.asarray(points)[..., 0].astype(np.intp) for points in (first, second))
        return np.asarray(self.distances[rows, columns])

    def enclose_distance(self, row: Sequence[float], point: Sequence[float]) -> arb:
        return arb(float(self.distances[int(row[0]), int(point[0])]))

    def distance_error(self, points: FloatArray, point: Sequence[float]) -> FloatArray:
        return np.zeros(len(points))

    def place_words(self, value: Any) -> str:
        return str(value)

    def read_rate(self, sentence: str) -> float:
        return read_rate(sentence, self.unit)

    def shares(self, owner: str, people: Any) -> FloatArray:
        """How many of the people are expected at each label, as shares.

        Args:
            owner: who asks.
            people: a number for each label (a mapping; 0 where left out), *public* labels, one a person, or None for
                as many everywhere.
        """
        if people is None:
            return np.full(len(self.labels), 1 / len(self.labels))
        named = isinstance(people, Mapping)
        try:
            places = self.read(list(people))[:, 0].astype(np.intp)
            sizes = np.array(list(people.values()) if named else np.ones(len(places)), dtype=np.float64)
        except (OutOfDomain, TypeError, ValueError, IndexError):
            places, sizes = np.zeros(0, np.intp), np.zeros(0)
        mass = np.bincount(places, sizes, len(self.labels))
        if not (np.isfinite(mass).all() and (sizes >= 0).all() and mass.sum() > 0):
            rule = "a number of at least 0 for each label, one of them above 0, or a list of labels"
            raise invalid(owner, "prior", rule, type(people).__name__)
        return np.asarray(mass / mass.sum())

    def away(self, points: FloatArray, targets: FloatArray) -> FloatArray:
        return self._no_way()

    def beside(self, points: FloatArray, way: float) -> FloatArray:
        return self._no_way()

    def random_direction(self, rng: np.random.Generator) -> FloatArray:
        return self._no_way()

    def walk(self, start: FloatArray, way: FloatArray, direction: FloatArray) -> FloatArray:
        return self._no_way()

    def around(self, low: FloatArray, high: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
        return self._no_way()

    def _no_way(self) -> NoReturn:
        rule = "a line, a plane, R^d or Earth: between the labels of a Finite there is nothing (ask gp.Values on it)"
        raise invalid("geopriv", "space", rule, self)


def _matrix(distances: Any) -> FloatArray:
    """Distances as a square array of one's own, of finite numbers of at least 0."""
    try:
        given = np.array(distances, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not 2 <= len(given) <= _MOST:
        rule = f"a square array of numbers, with 2 to {_MOST} rows"
        raise invalid("Finite", "distances", rule, f"one of shape {given.shape}")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        i, j = divmod(int(np.argmin(np.where(np.isfinite(given), given, -np.inf))), len(given))
        raise invalid("Finite", "distances", "finite and at least 0", f"{given[i, j]} in row {i}, column {j}")
    return given


def _names(labels: Iterable[Any]) -> tuple[Label, ...]:
    if not isinstance(labels, Iterable):
        raise invalid("Finite", "labels", "a sequence of texts or whole numbers", labels)
    names = tuple(x.item() if isinstance(x, np.generic) else x for x in labels)
    for label in names:
        if not isinstance(label, str | int):
            raise invalid("Finite", "labels", "texts or whole numbers", label)
    twice = [label for label, times in Counter(names).items() if times > 1]
    if twice:
        raise invalid("Finite", "labels", "each given once", twice[0])
    return names


def _shortest(lengths: dict[tuple[int, int], float]) -> FloatArray:
    """Lengths of shortest paths between all nodes; infinite where there is none."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    size = 1 + max(max(ends) for ends in lengths)
    least: dict[tuple[int, int], float] = {}
    for (a, b), length in lengths.items():
        for ends in ((a, b), (b, a)):
            least[ends] = min(length, least.get(ends, math.inf))
    rows, columns = zip(*least, strict=True)
    table = coo_array((list(least.values()), (rows, columns)), shape=(size, size)).tocsr()
    return np.asarray(shortest_path(table, method="D"))


@compiled
def _compare(far: FloatArray, straight: npt.NDArray[np.bool_]) -> tuple[float, int, int, int]:
    """Clear the pairs i < j with a label on the way; by how much the triangle inequality is broken most, and where."""
    worst, at = 0.0, (0, 0, 0)
    for i in range(len(far)):
        for j in range(i + 1, len(far)):
            whole = far[i, j]
            for k in range(len(far)):
                first, second = far[i, k], far[k, j]
                total = first + second
                if k in (i, j) or total > whole:
                    continue
                back = total - first
                lost = (first - (total - back)) + (second - back)  # first + second = total + lost, exactly
                if total < whole or lost <= 0:
                    straight[i, j] = False
                if whole - total > worst * whole:
                    worst, at = (whole - total) / whole, (i, k, j)
    return worst, at[0], at[1], at[2]
