"""What an exact law of the noise of a Lattice says of itself."""

from __future__ import annotations

from abc import abstractmethod

from geopriv.noise.filters import Status, Words
from geopriv.noise.laws import Law
from geopriv.spaces.checks import FloatArray


class CellLaw(Law):
    """By how many cells each axis is moved, as a function of uniform numbers.

    An attempt takes two numbers an axis, axis by axis: the first rounds the position and is not used here, the second
    is for noise. More may follow.
    """

    dimension: int

    @abstractmethod
    def screen(self, words: Words, place: FloatArray, off: FloatArray, values: FloatArray, status: Status) -> None:
        """The float filter of positions that are rounded at random and moved; values and status are filled in.

        Args:
            words: random, shape (n, numbers).
            place: positions, shape (n, d).
            off: by how much they may be wrong, absolute, shape (n, d).
            values: cells.
            status: what is certain, what is rejected, and what floats cannot tell.
        """
