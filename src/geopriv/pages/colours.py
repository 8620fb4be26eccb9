"""Numbers on a grid as pictures: colours that everyone tells apart, in the order of their lightness."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from geopriv.pages.numbers import Tick, round_numbers
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.words import plain

_LEVELS = 64  # colours of a picture: finer ones are not told apart, and cost bytes
_STOPS = 17  # of the colour bar


@dataclass(frozen=True)
class ColourBar:
    """The key to a picture's colours.

    Args:
        bottom: the number at its beginning.
        top: the number at its end.
        colours: the name of the colours.
        gradient: the colours from low to high, as CSS.
        ticks: places and numbers.
        levels: the numbers at the ticks, without the first.
    """

    bottom: float
    top: float
    colours: str
    gradient: str
    ticks: tuple[Tick, ...]
    levels: tuple[float, ...]


def colour_bar(top: float, colours: str, bottom: float = 0.0) -> ColourBar:
    """From the bottom to the top."""
    import matplotlib

    picked = matplotlib.colormaps[colours](np.linspace(0, 1, _STOPS), bytes=True)[:, :3]
    marks = round_numbers(bottom, top, 5)
    ticks = tuple(Tick(round(100 * (mark - bottom) / (top - bottom), 2), plain(mark, 3)) for mark in marks)
    gradient = ", ".join(f"#{r:02x}{g:02x}{b:02x}" for r, g, b in picked.tolist())
    levels = tuple(mark for mark in marks if mark > 0)
    return ColourBar(bottom, top, colours, f"linear-gradient(to right, {gradient})", ticks, levels)


def picture(values: FloatArray, bar: ColourBar, shown: npt.NDArray[np.bool_]) -> str:
    """A PNG as a data URI: the first axis to the right, the second upwards, transparent where nothing is shown."""
    import matplotlib
    from matplotlib.image import imsave

    steps = np.clip(np.floor((values - bar.bottom) / (bar.top - bar.bottom) * _LEVELS), 0, _LEVELS - 1).astype(int)
    table = matplotlib.colormaps[bar.colours](np.linspace(0, 1, _LEVELS), bytes=True)
    pixels = np.where(shown[..., None], table[steps], 0).astype(np.uint8)
    file = BytesIO()
    # without the version of the program that wrote it, so that the same numbers give the same bytes
    unsigned: Any = {"Software": None}
    imsave(file, np.swapaxes(pixels, 0, 1)[::-1], format="png", metadata=unsigned)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
