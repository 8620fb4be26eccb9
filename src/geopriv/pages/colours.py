"""Numbers on a grid as pictures: colours that everyone tells apart, in the order of their lightness."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from io import BytesIO

import numpy as np
import numpy.typing as npt

from geopriv.pages.numbers import Tick
from geopriv.pages.scales import Scale
from geopriv.spaces.checks import FloatArray

LEVELS = 64  # colours of a picture: finer ones are not told apart, and cost bytes
_STOPS = 17  # of the colour bar


@dataclass(frozen=True)
class ColourBar:
    """The key to a picture's colours.

    Args:
        scale: from numbers to places along it.
        colours: the name of the colours.
        gradient: the colours from low to high, as CSS.
    """

    scale: Scale
    colours: str
    gradient: str

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Places and numbers."""
        return self.scale.ticks

    @property
    def levels(self) -> tuple[float, ...]:
        """The numbers at the ticks, without the first."""
        return tuple(mark for mark in self.scale.marks if mark > self.scale.bottom)


def colour_bar(scale: Scale, colours: str) -> ColourBar:
    """Of a scale."""
    return ColourBar(scale, colours, f"linear-gradient(to right, {', '.join(hexadecimal(colours, _STOPS))})")


def hexadecimal(colours: str, steps: int = LEVELS) -> list[str]:
    """So many colours from low to high, as "#440154"."""
    import matplotlib

    picked = matplotlib.colormaps[colours](np.linspace(0, 1, steps), bytes=True)[:, :3]
    return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in picked.tolist()]


def picture(values: FloatArray, bar: ColourBar, shown: npt.NDArray[np.bool_]) -> str:
    """A PNG as a data URI: the first axis to the right, the second upwards, transparent where nothing is shown."""
    import matplotlib
    from PIL import Image  # matplotlib's own writer loads all that figures are made of, for half a second

    steps = np.clip(np.floor(bar.scale(values) * LEVELS), 0, LEVELS - 1).astype(np.uint8)
    pixels = np.swapaxes(np.where(shown, steps, LEVELS).astype(np.uint8), 0, 1)[::-1]
    table = matplotlib.colormaps[bar.colours](np.linspace(0, 1, LEVELS), bytes=True)[:, :3]
    image = Image.frombytes("P", pixels.shape[::-1], pixels.tobytes())
    image.putpalette([*table.ravel().tolist(), 0, 0, 0])
    file = BytesIO()
    image.save(file, format="PNG", transparency=LEVELS)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
