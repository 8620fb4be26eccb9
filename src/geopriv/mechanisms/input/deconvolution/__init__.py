"""Undoing noise on the input: for smooth f the function g with E g(x + Z) = f(x), exactly (theory T6).

Z has the density ∝ e^(−ε‖z‖) on R^d, whose characteristic function is (1 + ‖ω‖²/ε²)^(−(d+1)/2); g is what f becomes
when its spectrum is multiplied by the inverse. On a line that is g = f − f''/ε². In the plane and in R³ it takes more
derivatives than a ramp has, so regions are blurred first.
"""

from geopriv.mechanisms.input.deconvolution.inverse import (
    Inverse,
    OfCoordinate,
    undo,
    undo_coordinate,
    undo_noise,
)
from geopriv.mechanisms.input.deconvolution.spectrum import LaplaceSpectrum, RoundSpectrum, Spectrum

__all__ = [
    "Inverse",
    "LaplaceSpectrum",
    "OfCoordinate",
    "RoundSpectrum",
    "Spectrum",
    "undo",
    "undo_coordinate",
    "undo_noise",
]
