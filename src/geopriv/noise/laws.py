"""What an exact law of noise says of itself.

Every law uses elementary functions only, so that its enclosures are quick and its float filter has short error bounds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from geopriv.noise.exact import Uniform
from geopriv.noise.filters import Kernel
from geopriv.spaces.balls import arb


class Law(ABC):
    """Noise as a function of uniform numbers."""

    @property
    @abstractmethod
    def words(self) -> int:
        """How many uniform numbers an attempt takes."""

    @abstractmethod
    def __call__(self, u: Sequence[Uniform]) -> list[arb] | None:
        """The components of Z, or None for a rejected attempt.

        Raises:
            Undecided: while it is not certain whether the attempt is rejected.
        """

    @abstractmethod
    def kernel(self) -> Kernel | None:
        """The float filter of Z; None where there is none, and balls do all the work."""

    def __init_subclass__(cls) -> None:
        """Refuse a law that is drawn in a new way and would inherit the filter of another.

        Raises:
            TypeError: for a class that says how it is drawn and not what its filter is.
        """
        if "__call__" in vars(cls) and "kernel" not in vars(cls):
            raise TypeError(f"{cls.__name__} must say which kernel filters it, or that none does.")
