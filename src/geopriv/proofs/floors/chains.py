"""A certificate for a floor under one query over all reports (theory T12), and how it is checked.

Whatever the multipliers λ and m are, the floor Σλ + Σm·f − ν − Σπ·f² holds, if ν is right. So what is checked is ν, in
floats that are rounded to the safe side at every step; nothing that a solver says is believed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from geopriv.errors import GeoprivError
from geopriv.spaces.checks import FloatArray

_UP = 2.0**-49  # of the sizes of what is added: sixteen half units in the last place, for at most eight roundings
_FACTOR = 1e-12  # of e^gap, which floats know to some 1e-16, besides what its places are off
_TINY = 1e-290  # more than what underflows


class Refuted(GeoprivError):
    """A certificate does not prove what it says."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Places on a line in units of 1/ε, the share of people at each, and what is to be told there.

    Args:
        places: increasing; two neighbours lie at a distance of exactly their difference.
        shares: of the people, at least 0; they may add up to less than 1.
        heights: f at the places.
        off: how far a height may be off, by rounding.
    """

    places: FloatArray
    shares: FloatArray
    heights: FloatArray
    off: float = 1e-13

    @cached_property
    def factors(self) -> tuple[FloatArray, FloatArray]:
        """At least e^gap, and at most e^(−gap), for each pair of neighbours."""
        gaps, margin = np.diff(self.places), _FACTOR + 2.0**-50 * float(np.abs(self.places).max())
        return np.exp(gaps) * (1 + margin), np.exp(-gaps) * (1 - margin)

    def worth(self, levels: FloatArray, slopes: FloatArray, y: FloatArray, price: FloatArray) -> FloatArray:
        """At least the maximum over ℓ of Σ(y·m + λ − c·π)·ℓ with ℓ = 1 at the first place, for each y and its price c.

        ℓ ≥ 0 is any likelihood: from one place to the next it changes by at most e^gap either way. Along a chain the
        maximum is found from the end: what lies beyond a place is worth k times ℓ there, and ℓ goes up or down as far
        as it may by the sign of k. So h(y) ≤ c if and only if the result is at most 0, whatever ℓ is at the first.
        """
        up, down = self.factors
        beyond = np.zeros_like(y)
        for i in range(self.places.size - 1, -1, -1):
            step = 0.0 if i == self.places.size - 1 else beyond * np.where(beyond > 0, up[i], down[i])
            parts = y * slopes[i], price * self.shares[i]
            size = np.abs(parts[0]) + np.abs(parts[1]) + np.abs(step) + abs(levels[i])
            beyond = parts[0] - parts[1] + levels[i] + step + (_UP * size + _TINY)
        return np.asarray(beyond)

    def priced(self, levels: FloatArray, slopes: FloatArray, y: FloatArray, start: FloatArray) -> FloatArray:
        """About the least price c of each y, h(y), by Newton's method: the worth is convex and falls with the price."""
        up, down = self.factors
        price = start.copy()
        for _ in range(60):
            beyond, slope = np.zeros_like(y), np.zeros_like(y)
            for i in range(self.places.size - 1, -1, -1):
                if i < self.places.size - 1:
                    factor = np.where(beyond > 0, up[i], down[i])
                    beyond, slope = beyond * factor, slope * factor
                beyond += y * slopes[i] + (levels[i] - price * self.shares[i])
                slope -= self.shares[i]
            move = -beyond / slope
            price += move
            if (np.abs(move) <= 1e-12 * (1 + np.abs(price))).all():
                break
        return price


@dataclass(frozen=True, eq=False)
class Certificate:
    """Multipliers of a chain, and a slack ν that makes them feasible for every value of a report.

    Args:
        chain: places, people, answers.
        levels: λ, one for each place.
        slopes: m, one for each place.
        values: increasing y at which feasibility is checked.
        slack: ν, at least max over all y of h(y) − y².
    """

    chain: Chain
    levels: FloatArray
    slopes: FloatArray
    values: FloatArray
    slack: float

    @cached_property
    def floor(self) -> float:
        """What the expected variance of every unbiased ε-GP report over these people is no less than.

        Raises:
            Refuted: when ν is too small.
        """
        self._check()
        chain = self.chain
        terms = np.concatenate(
            [self.levels, self.slopes * chain.heights, -chain.shares * (chain.heights**2 + self.slack)]
        )
        off = _UP * np.abs(terms).sum() + chain.off * (np.abs(self.slopes) + 2 * chain.shares).sum()
        return math.fsum(terms.tolist()) - float(off)

    def _check(self) -> None:
        """Feasible at every value, between two (h is convex, y² bends by Δ²/4), and beyond the last ones."""
        y, gaps = self.values, np.diff(self.values)
        if not (y.size >= 2 and (gaps > 0).all() and math.isfinite(self.slack)):
            raise Refuted("The values of a certificate must increase.")
        bend = chord_bend(y)
        price = y**2 - bend + self.slack
        price -= _UP * (y**2 + bend + abs(self.slack))
        if not (self.chain.worth(self.levels, self.slopes, y, price) <= 0).all():
            raise Refuted("The multipliers of a certificate are not feasible with its slack.")
        # beyond the ends h is no steeper than there, and y² is steeper: |m·ℓ| ≤ 2·|y|·π·ℓ for every ℓ
        ends = np.array([y[0], y[-1]])
        none, price = np.zeros_like(self.levels), 2 * np.abs(ends)
        if not (ends[0] < 0 < ends[1] and (self.chain.worth(none, self.slopes, np.sign(ends), price) <= 0).all()):
            raise Refuted("The values of a certificate must reach further out.")


def chord_bend(y: FloatArray) -> FloatArray:
    """By how much a convex function that is c below y² at two neighbours may be less than c below it between them."""
    wide = np.diff(y) * (1 + 1e-12)
    return np.asarray(np.maximum(np.append(wide, 0.0), np.append(0.0, wide)) ** 2 / 4)
