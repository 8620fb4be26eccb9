"""Round noise from uniform numbers, by rejection: exactly, and in floats with bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from geopriv.mechanisms.lattice.noises.geometric import moved, rounded, size_of
from geopriv.mechanisms.lattice.noises.laws import CellLaw
from geopriv.mechanisms.lattice.noises.proposals import proposal
from geopriv.noise.exact import Uniform, less
from geopriv.noise.filters import CERTAIN, MORE, REJECTED, REL, TOP, UNKNOWN, Status, Words, log_of
from geopriv.spaces.balls import arb
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.compiled import compiled


@dataclass(frozen=True)
class RoundLaw(CellLaw):
    """A vector k with probability ∝ (1 + θ)^(−√(|k|² + C)), θ rational and C a whole number.

    Each axis proposes geometric noise of the ratio 1/(1 + β) (`proposal`), as `LatticeLaw` does with θ. The last number
    W accepts all of them if W < (1 + β)^(|k_1| + … + |k_d|)·(1 + θ)^(−√(|k|² + C)). The right side is at most 1: by
    Cauchy and Schwarz Σ|k_j| ≤ √d·|k|, and (1 + β)^√d ≤ 1 + θ. Acceptance does not depend on the position.
    """

    theta: Fraction
    core: int
    dimension: int

    @property
    def words(self) -> int:
        return 2 * self.dimension + 1

    @property
    def beta(self) -> Fraction:
        """By which factor less 1 the proposal falls from one cell to the next."""
        return proposal(self.theta, self.dimension)

    def __call__(self, u: Sequence[Uniform]) -> list[arb] | None:
        theta, beta = (arb(ratio.numerator) / ratio.denominator for ratio in (self.theta, self.beta))
        moves = [moved(v, beta) for v in u[1::2]]
        length = arb(sum(k * k for k in moves) + self.core).sqrt()
        chance = (sum(map(abs, moves)) * beta.log1p() - length * theta.log1p()).exp()
        return [arb(k) for k in moves] if less(u[-1].ball(), chance) else None

    def kernel(self) -> None:
        """None: noise is filtered with the position that it moves (`screen`)."""

    def screen(self, words: Words, place: FloatArray, off: FloatArray, values: FloatArray, status: Status) -> None:
        beta, rate = float(self.beta), math.log1p(float(self.theta))
        round_filter(words, place, off, math.log1p(beta / 2), math.log1p(beta), rate, float(self.core), values, status)


@compiled
def round_filter(
    words: Words,
    place: FloatArray,
    off: FloatArray,
    log_start: float,
    log_ratio: float,
    rate: float,
    core: float,
    values: FloatArray,
    status: Status,
) -> None:
    """`RoundLaw` in floats, with ln(1 + β/2), ln(1 + β) and ln(1 + θ), added to positions that are rounded at random.

    Guarantee: an attempt is rejected, and a cell certain, only if every position within `off` and all numbers with
    these bits say so. |k_j| is below 2^22 for θ ≥ 2^-14, so |k|² + C is exact. Both parts of the limit of ln W are
    products of a number that is right to 2^-53 and a logarithm that is right to `REL`, itself of a number that is right
    to 2^-53: twice `REL` covers each.
    """
    axes = place.shape[1]
    for i in range(words.shape[0]):
        status[i] = CERTAIN
        total, square = 0.0, core
        for j in range(axes):
            size, known = size_of(words[i, 2 * j + 1], log_start, log_ratio)
            if not known:
                status[i] = UNKNOWN
                break
            total, square = total + size, square + size * size
            values[i, j] = size if (words[i, 2 * j + 1] >> TOP) == 1 else -size
        if status[i] == UNKNOWN:
            continue
        log_w, wrong = log_of(words[i, 2 * axes], 64)
        near, far = total * log_ratio, math.sqrt(square) * rate
        if not abs(log_w - (near - far)) > MORE * (wrong + 2 * REL * (near + far)):
            status[i] = UNKNOWN
            continue
        if log_w > near - far:
            status[i] = REJECTED
            continue
        for j in range(axes):
            cell, clear = rounded(words[i, 2 * j], place[i, j], off[i, j])
            if not clear:
                status[i] = UNKNOWN
                break
            values[i, j] += cell
