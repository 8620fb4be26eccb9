"""Numbers in floats that say how wrong they can be."""

from __future__ import annotations

from dataclasses import dataclass

from geopriv.spaces.checks import FloatArray

ROUNDING = 2.0**-50  # eight roundings


@dataclass(frozen=True, eq=False)
class Bounded:
    """Floats, and bounds on their errors: absolute ones for answers and coordinates, relative ones for scales."""

    value: FloatArray
    off: FloatArray


class Enclosed:
    """A function that is computed in floats, with a bound on their error, and enclosed in balls."""

    def __init_subclass__(cls) -> None:
        """Refuse a class that computes something else than its parent and would inherit what bounds the parent.

        Raises:
            TypeError: for one that says anew what it computes, but not its enclosure and how far its floats are off.
        """
        super().__init_subclass__()
        own = vars(cls)
        parents = [vars(parent)["__call__"] for parent in cls.__mro__[1:] if "__call__" in vars(parent)]
        concrete = parents and not getattr(parents[0], "__isabstractmethod__", False)
        if "__call__" in own and concrete and not ("enclose" in own and {"float_error", "bounded"} & own.keys()):
            raise TypeError(f"{cls.__name__} must say how it is enclosed, and how far its floats may be off or None.")
