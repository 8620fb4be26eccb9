"""Walking noise on a device: every report is the last one, moved by a private increment (theory T15)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from json import loads
from typing import Literal

from geopriv.device.draws import Source, draw_cells, fine_bits
from geopriv.device.files import canonical
from geopriv.device.intervals import Interval, exact
from geopriv.device.lattices import BITS, DeviceLattice, read_lattice
from geopriv.device.limits import Limits
from geopriv.device.reading import Document, refuse, whole
from geopriv.device.values import FlatSpace, Value
from geopriv.errors import InvalidParameter

METRIC: Literal["trajectories"] = "trajectories"  # in which a walk promises
MOST = 366  # rounds: a year of days
FARTHEST = 1 << 40  # cells from the origin to the ends of the public range: floats hold what is reported


@dataclass(frozen=True)
class Walked:
    """How far a walk has come. It holds the person's value and never leaves the device.

    Args:
        round: of the last report.
        steps: how many reports there were, each with noise of its own.
        cell: that was reported last.
        value: exactly, clamped to the public range, as it was then.

    >>> walked = Walked(3, 2, -7, Fraction(1, 3))
    >>> Walked.parse(walked.text) == walked
    True
    """

    round: int
    steps: int
    cell: int
    value: Fraction

    @property
    def text(self) -> str:
        """In one form, without loss."""
        ratio = [self.value.numerator, self.value.denominator]
        return canonical([self.round, self.steps, self.cell, *map(str, ratio)]).decode()

    @classmethod
    def parse(cls, text: str) -> Walked:
        """The walk of a text that `text` made."""
        round_, steps, cell, numerator, denominator = loads(text)
        return cls(round_, steps, cell, Fraction(int(numerator), int(denominator)))

    @property
    def report(self) -> tuple[int, int, int]:
        """What is told of it: round and steps openly, and the cell."""
        return self.round, self.steps, self.cell


@dataclass(frozen=True)
class DeviceWalk:
    """A lattice on a line whose noise walks.

    Args:
        increment: the lattice whose law every increment has.
        rounds: how many there are.
    """

    increment: DeviceLattice
    rounds: int

    @property
    def epsilon(self) -> float:
        """Per unit of D, of all rounds together."""
        return self.increment.epsilon

    @property
    def space(self) -> FlatSpace:
        return self.increment.space

    @property
    def spent(self) -> Fraction:
        return self.increment.spent

    def draw(self, value: Value, source: Source) -> tuple[int, ...]:
        """The report of who begins in the first round."""
        return self.step(value, 1, None, source).report

    def step(self, value: Value, round_: int, last: Walked | None, source: Source) -> Walked:
        """The walk after one more report: y = (what was reported) + L(value − (the value it was reported of)).

        Guarantee: theory T15. The increment is that of the exact values and not of rounded ones, its noise is fresh,
        and its law that of a lattice (T8); the first one starts at the public origin. So the reports of all rounds
        together are exp(ε·D)-indistinguishable, D = |x₁ − x'₁| + Σ |(x_t − x_{t−1}) − (x'_t − x'_{t−1})| over the
        values that were reported.

        Args:
            value: that the space has read, clamped.
            round_: which one it is.
            last: the walk so far; None for its beginning.
            source: as for a lattice.

        Raises:
            InvalidParameter: for a round that there is not, or that is over.
        """
        if not 1 <= round_ <= self.rounds or (last is not None and round_ <= last.round):
            raise InvalidParameter(f"The 'round' parameter must be one of {self.rounds} that is not over yet.")
        if last is None:
            cell, steps = self.increment.draw(value, source)[0], 0
        else:
            cell, steps = last.cell + self._moved(value, last.value, source), last.steps
        return Walked(round_, steps + 1, cell, value[0])

    def _moved(self, value: Value, before: Fraction, source: Source) -> int:
        """L of the exact way from one value to another, in cells."""
        lattice = self.increment

        def along(bits: int) -> list[Interval]:
            fine = bits + fine_bits((lattice.step,))
            here, there = (lattice.space.point(at, fine)[0] for at in (value, (before,)))
            return [(here - there) / exact(lattice.step, fine)]

        return draw_cells(along, lattice.ratio, BITS, source, 1)[0]

    def require_near(self, limits: Limits) -> None:
        """Refuse a design whose public range is not there, or lies where floats do not hold every cell.

        Raises:
            InvalidDesign: naming the rule.
        """
        if not limits.low:
            raise refuse("design.source", "a public range, to which values are clamped before they walk", "none")
        for end in (limits.low, limits.high):
            far = self.increment.positions(self.space.check(end), BITS)[0]
            if max(abs(far.low), abs(far.high)) > FARTHEST << far.bits:
                raise refuse("design.source", f"a range within {FARTHEST:,} cells of the origin", "a farther one")


def read_walk(found: Document, where: str) -> DeviceWalk:
    """The walk of a document whose keys were checked: a lattice on a line, with a promise on trajectories."""
    lattice = read_lattice(found, where, METRIC)
    if lattice.space.axes != 1:
        raise refuse(f"{where}.space", "of one axis, for noise to walk", found["space"]["type"])
    return DeviceWalk(lattice, whole(found["rounds"], f"{where}.rounds", 2, MOST))


def require_walk(walk: DeviceWalk | None, round_: object) -> None:
    """Check whether a round is asked for where there are rounds, and only there.

    Raises:
        InvalidParameter: naming the rule.
    """
    if walk is None and round_ is not None:
        raise InvalidParameter("The 'round' parameter must be left out: the design has one round.")
    if walk is not None and (type(round_) is not int or not 1 <= round_ <= walk.rounds):
        raise InvalidParameter(f"The 'round' parameter must be a whole number from 1 to {walk.rounds}.")
