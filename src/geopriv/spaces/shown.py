"""What a thing looks like to people: drawn by `geopriv.pages`, which lies below every room that has things to show."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Shown:
    """A thing that notebooks show as HTML.

    Pages know every thing and no thing knows pages, so they are found by name, and only when somebody looks.
    """

    def _repr_html_(self) -> str:
        return str(pages().notebook_html(self))


class Plotted(Shown):
    """A thing that can be drawn on axes of matplotlib."""

    def plot(self, ax: Any = None) -> Any:
        """Draw it in the colours and units of the page.

        Args:
            ax: axes to draw on; new ones if left out. Of several answers as many as there are.

        Returns:
            The axes; of several answers an array of them.
        """
        return pages().plot_of(self, ax)


def pages() -> Any:
    """The room of what people read."""
    return import_module("geopriv.pages")
