"""Ball arithmetic, loaded when the first ball is made: who calibrates and simulates need not wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flint import arb
else:

    class _Arb:
        """`flint.arb`: a real number as an interval that holds it, at the precision of `flint.ctx`."""

        def __call__(self, *parts: Any) -> Any:
            import flint

            return flint.arb(*parts)

        def __getattr__(self, name: str) -> Any:
            import flint

            return getattr(flint.arb, name)

    arb = _Arb()

__all__ = ["arb"]
