"""What a BracketTable is made of: integers compiled for it, and what each letter counts, corrected exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from geopriv.mechanisms.table.bracket_letters import lattice_for, letters_for, power_of, spread
from geopriv.mechanisms.table.brackets import border_of, excesses
from geopriv.mechanisms.table.cache import kept, name_of
from geopriv.mechanisms.table.integers import LESS, TOTAL, integers
from geopriv.mechanisms.table.mirrored import Letters, Task
from geopriv.mechanisms.table.program import Infeasible, Program
from geopriv.mechanisms.table.spare import Integers
from geopriv.queries import Query
from geopriv.shapes.profiles import Profile
from geopriv.spaces.checks import FloatArray, invalid

_NARROWEST, _WIDEST = 0.01, 16.0  # in 1/ε, over which f0 may rise: programs beyond take minutes
# By which brackets are wider than they need be. Means move by at most 57·ε per distance, the largest letter, so a
# border that is off by 1e-10/ε, which is more than coordinates are rounded by, is in them.
_MARGIN = 2.0**-27
_APART = 2.0**-42  # of soft values that would be equal: then a value tells its letter


@dataclass(frozen=True, eq=False)
class Bracketed:
    """Lattice in the unit of distance, what each letter that is used counts, and integer weights."""

    lattice: FloatArray
    letters: Letters
    weights: Integers


def bracketed(query: Query, rate: float, people: float, density: float) -> Bracketed:
    """The best letters and integers for a query at a rate.

    Args:
        query: a step f0 of a coordinate.
        rate: ε.
        people: how many are expected.
        density: the share of them per 1/ε near the border.

    Both are rounded to powers of two, so that plans of similar surveys share a program: it is flat in both.

    Raises:
        InvalidParameter: for a query that is no step, or a narrower or wider one than programs are made for.
    """
    border, rising = border_of(query)
    step = Step(query.profile.stretched(1 / rate), border * rate, rising)
    width = 2 * float(step.marks.max(initial=0.0))
    if not _NARROWEST <= width <= _WIDEST:
        rule = f"one that rises over {_NARROWEST:g} to {_WIDEST:g}/ε"
        raise invalid("BracketTable", "query", rule, f"{width:.4g}/ε")
    people, density = 2.0 ** round(math.log2(people)), 2.0 ** round(math.log2(density))
    unit = lattice_for(step.marks, power_of(people, density))
    try:
        letters, weights = _compiled(step, unit, people, density)
    except Infeasible:
        rule = f"large enough that the query, which rises over {width:.3g}/ε, can be followed"
        raise invalid("BracketTable", "epsilon", rule, rate) from None
    used = np.asarray(weights.any(axis=0))
    weights = weights[:, used] if rising else weights[::-1, used]
    return Bracketed(border + unit / rate, _corrected(_distinct(letters.among(used)), weights, unit, rising), weights)


@dataclass(frozen=True)
class Step:
    """A profile in units of 1/ε, seen from its border, as if it rose."""

    profile: Profile
    border: float
    rising: bool

    @property
    def marks(self) -> FloatArray:
        """Landmarks beyond the border; digits that depend on where the border is are left out, here and below."""
        marks = np.unique(np.abs(np.asarray(self.profile.landmarks) - self.border).round(10))
        return marks[marks > 0]

    def heights(self, lattice: FloatArray) -> FloatArray:
        """f0 at some distances from the border."""
        return np.asarray(self.profile(self.border + (lattice if self.rising else -lattice)).round(10))


def _compiled(step: Step, unit: FloatArray, people: float, density: float) -> tuple[Letters, Integers]:
    """All letters and their weights, zero for those that are not used."""
    power = power_of(people, density)
    halves = letters_for(power, round(1 / step.profile.lipschitz, 10))
    letters, twin = _with_images(halves)

    def task(lattice: FloatArray, factor: float = 1.0) -> Task:
        return Task(factor * lattice, step.heights(lattice), spread(lattice, density), people)

    def solved() -> Integers:
        # a coarse lattice tells which letters are worth having; the fine one is a little shorter, for a little less ε
        first = task(lattice_for(step.marks, power, coarse=True)).least(halves, 0.25 + 2 * power**2, rounds=2)
        some = first.probabilities.max(axis=0) > 1e-4
        chances = np.zeros((unit.size, halves.inner.size))
        chances[:, some] = task(unit, 1 - LESS).least(halves.among(some), first.variance).probabilities
        whole = np.zeros((unit.size, letters.inner.size))
        np.add.at(whole.T, twin, np.hstack([chances, chances[::-1]]).T)
        return integers(Program(unit, letters.soft, whole, first.half_width))

    def follows(weights: Integers) -> bool:
        chances = weights / TOTAL
        off = np.abs(chances @ letters.soft - step.heights(unit)).max()
        over = (chances @ letters.inner - (unit > 0)).max(), ((unit >= 0) - chances @ letters.outer).max()
        return bool(max(off, *over) <= 1e-6 * np.ptp(letters.inner))

    name = name_of(unit, step.heights(unit), *halves.columns, np.array([people, density]))
    return letters, kept(name, unit, letters.inner.size, solved, follows)


def _with_images(halves: Letters) -> tuple[Letters, npt.NDArray[np.intp]]:
    """Letters and their mirror images, each once, in the order of their soft values; and where each came to be."""
    image = halves.mirrored
    columns = [(a.round(9), b.round(9)) for a, b in zip(halves.columns, image.columns, strict=True)]
    both = np.stack([np.concatenate(pair) for pair in columns[::-1]], axis=1)
    distinct, places = np.unique(both, axis=0, return_inverse=True)
    return Letters(distinct[:, 2], distinct[:, 1], distinct[:, 0]), np.asarray(places.ravel(), dtype=np.intp)


def _distinct(letters: Letters) -> Letters:
    """The same letters, of which no two have one soft value."""
    soft = letters.soft.copy()
    for k in range(1, soft.size):  # increasing
        soft[k] = max(soft[k], soft[k - 1] + _APART)
    return Letters(letters.inner, letters.outer, soft)


def _corrected(letters: Letters, weights: Integers, offsets: FloatArray, rising: bool) -> Letters:
    """Letters moved apart by what rounding and the solver left, and a margin: then brackets hold exactly."""
    excess = [float(part) for part in excesses(letters.inner, letters.outer, weights, offsets, rising)]
    inner, outer = (max(part, 0.0) * (1 + 1e-9) + _MARGIN for part in excess)
    return Letters(letters.inner - inner, letters.outer + outer, letters.soft)
