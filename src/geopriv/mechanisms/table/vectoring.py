"""What a VectorTable is made of: integers compiled for queries on a line, and what each letter counts for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geopriv.mechanisms.table.cache import kept, name_of
from geopriv.mechanisms.table.design import lattice_shares
from geopriv.mechanisms.table.integers import LESS, TOTAL, integers
from geopriv.mechanisms.table.program import Infeasible, Program, uniform
from geopriv.mechanisms.table.spare import Integers
from geopriv.mechanisms.table.vector_letters import first_letters, lattice_for
from geopriv.mechanisms.table.vector_program import Task
from geopriv.queries import Query
from geopriv.spaces.checks import FloatArray, invalid

MOST = 8  # queries
_WIDEST = 40.0  # in 1/ε, between the first kink and the last
_NARROWEST, _STEEPEST = 1e-3, 25.0  # in 1/ε, between kinks that differ, and the slope of f
_FIRST, _FINE = 0.25, 0.08  # widths of cells by which letters are chosen, and of the finest of the table
_POINTS = 200  # of the table, to which cells are widened
_ROUNDS = 3  # in which letters are chosen
_RARE = 0.02  # the largest probability of letters that are left out: they cost 1 % of variance and half of the time
_LETTERS = 128  # at most
_DOUBT = 0.1  # the share of every prior that is uniform, as of a Table
_VERSION = 1.0  # of how letters are chosen
_RANK = 1e-11  # beside the largest singular value, below which nothing can be told from rounding
_OFF = 1e-6  # of the range of what letters count: how far means may be from f
_APART = 2.0**-42  # of what letters count for the first query, where it would be equal: then it tells the letter


@dataclass(frozen=True, eq=False)
class Vectored:
    """Lattice in the unit of distance, what each letter counts for each query, shape (letters, K), and weights."""

    lattice: FloatArray
    counted: FloatArray
    weights: Integers


def vectored(queries: Sequence[Query], rate: float, prior: Any) -> Vectored:
    """The best letters and integers for some queries, as functions of the first one's coordinate.

    Raises:
        InvalidParameter: for queries that are not made of straight pieces, or too many, steep or far apart.
    """
    knots = _knots(queries, rate)
    first, unit = lattice_for(knots, _FIRST), _fine_lattice(knots)
    rough, exact = (_task(queries, lattice, prior, rate) for lattice in (first, unit))
    if np.abs(np.diff(exact.heights, axis=0) / np.diff(unit)[:, None]).max() > _STEEPEST:
        rule = f"large enough that no query rises by more than {_STEEPEST:g} over 1/ε"
        raise invalid("VectorTable", "epsilon", rule, rate)
    ends = np.concatenate([first[:1], knots, first[-1:]])

    def solved() -> Integers:
        letters, most = rough.letters(first_letters(ends, first, rough.heights), _ROUNDS)
        # the lattice a little shorter, so that the program is solved for a little less than ε
        shorter = Task(unit * (1 - LESS), exact.heights, exact.prior, exact.weights)
        try:
            chances = shorter.least(letters[most > _RARE]).chances
        except Infeasible:
            chances = shorter.least(letters).chances
        weights = integers(Program(unit, letters[:, 0], chances, 0.0))
        return _padded(weights[:, weights.any(axis=0)])

    def follows(weights: Integers) -> bool:
        used = weights[:, weights.any(axis=0)]
        counted = counted_by(used, exact)
        return bool(np.abs((used / TOTAL) @ counted - exact.heights).max() <= _OFF * np.ptp(counted))

    name = name_of(first, rough.heights, unit, exact.heights, exact.prior, np.array([_VERSION]))
    try:
        weights = kept(name, unit, _LETTERS, solved, follows)
    except Infeasible:
        raise invalid("VectorTable", "epsilon", "large enough that the queries can be followed", rate) from None
    used = weights[:, weights.any(axis=0)]
    counted = counted_by(used, exact)
    order = np.argsort(counted[:, 0], kind="stable")
    return Vectored(unit / rate, _told_apart(counted[order]), used[:, order])


def counted_by(weights: Integers, task: Task) -> FloatArray:
    """What each letter counts for each query, shape (letters, K): of all that follow f, the least mean square.

    Integers tell it: with p_y the expected probability of letter y, v = u/√p for the shortest u of Σ_y K_i(y)·u_y/√p_y
    = f(s_i).
    """
    chances = weights / TOTAL
    scale = 1 / np.sqrt(task.prior @ chances)
    found = np.linalg.lstsq(chances * scale, task.heights, rcond=_RANK)[0]
    return np.asarray(found * scale[:, None])


def along(queries: Sequence[Query], s: FloatArray) -> FloatArray:
    """Answers of all queries at coordinates of the first, shape (coordinates, K).

    Raises:
        InvalidParameter: where a coordinate does not tell where on the line somebody is.
    """
    points = queries[0].geometry.points_at(s)
    if points is None or len(points) != 1:
        raise invalid("VectorTable", "queries", "first a threshold on a line, whose coordinate tells x", queries[0])
    return np.stack([query.answer(points[0]) for query in queries], axis=1)


def _task(queries: Sequence[Query], unit: FloatArray, prior: Any, rate: float) -> Task:
    # digits that depend on where the queries are on the line are left out, so that moved ones share a program
    heights, even = along(queries, unit / rate).round(10), uniform(unit)
    shares = even if prior is None else _DOUBT * even + (1 - _DOUBT) * lattice_shares(queries[0], unit, prior, rate)
    return Task(unit, heights, shares, np.full(len(queries), 1 / len(queries)))


def _knots(queries: Sequence[Query], rate: float) -> FloatArray:
    """Where any query bends, as coordinates of the first in units of 1/ε."""
    bends = [query.knots for query in queries]
    if queries[0].space.dimension > 1 or any(part is None for part in bends):
        raise invalid(
            "VectorTable", "queries", "made of straight pieces on a line", [type(q).__name__ for q in queries]
        )
    points = np.concatenate([part for part in bends if part is not None])
    knots = np.unique((np.ravel(queries[0].geometry(points)) * rate).round(9))
    if np.ptp(knots) > _WIDEST:
        raise invalid("VectorTable", "queries", f"within {_WIDEST:g}/ε", f"{np.ptp(knots):.4g}/ε")
    if np.diff(knots).min() < _NARROWEST:
        rule = f"with kinks that are equal or at least {_NARROWEST:g}/ε apart"
        raise invalid("VectorTable", "queries", rule, f"{np.diff(knots).min():.4g}/ε")
    return knots


def _fine_lattice(knots: FloatArray) -> FloatArray:
    """The finest that has not too many points."""
    fine = _FINE
    while (lattice := lattice_for(knots, fine)).size > _POINTS and fine < _FIRST:
        fine *= 1.1
    return lattice


def _padded(weights: Integers) -> Integers:
    """With columns of zeros, of letters that are not used."""
    if weights.shape[1] > _LETTERS:
        raise invalid("VectorTable", "queries", f"for which {_LETTERS} letters do", weights.shape[1])
    return np.pad(weights, ((0, 0), (0, _LETTERS - weights.shape[1])))


def _told_apart(counted: FloatArray) -> FloatArray:
    """The same, in the order of the first query, for which no two letters count the same."""
    for k in range(1, len(counted)):
        counted[k, 0] = max(counted[k, 0], counted[k - 1, 0] + _APART)
    return counted
