"""Small pictures for notebooks, as SVG that needs nothing from outside: a curve with its band, a heat map."""

from __future__ import annotations

from html import escape

import numpy as np

from geopriv.spaces.checks import FloatArray

WIDTH, HEIGHT = 400, 140  # of a curve; a map is as wide as half of it
_LEFT, _BELOW, _EDGE = 52, 18, 6  # room for numbers
# Dark to bright in even steps of lightness (viridis), told apart with every kind of colour vision and in grey
_COLOURS = (
    "#440154",
    "#482475",
    "#414487",
    "#355f8d",
    "#2a788e",
    "#21918c",
    "#22a884",
    "#44bf70",
    "#7ad151",
    "#bddf26",
)


def curve(values: FloatArray, low: FloatArray, high: FloatArray, at: FloatArray | None = None) -> str:
    """Values over places, or one after the other, with a band around them; nothing where the band has no end.

    Args:
        values: of shape (k,).
        low: lower ends of the band.
        high: upper ends.
        at: increasing places; by default 0, 1, 2 …
    """
    places = np.arange(len(values), dtype=np.float64) if at is None else at
    if len(values) < 2 or not (np.isfinite(low) & np.isfinite(high)).all():
        return ""
    bottom, top = float(low.min()), float(high.max())
    span = top - bottom or 1.0

    def path(y: FloatArray) -> list[str]:
        across = _LEFT + (places - places[0]) / np.ptp(places) * (WIDTH - _LEFT - _EDGE)
        down = _EDGE + (top - y) / span * (HEIGHT - _BELOW - 2 * _EDGE)
        return [f"{a:.4g},{b:.4g}" for a, b in zip(across, down, strict=True)]

    band = " ".join([*path(low), *path(high)[::-1]])
    said = f"A curve of {len(values):,} estimates between {values.min():.3g} and {values.max():.3g}, with its band."
    return _svg(
        WIDTH,
        HEIGHT,
        said,
        _numbers(bottom, top, None if at is None else (float(at[0]), float(at[-1])))
        + f'<polygon points="{band}" fill="#56b4e9" fill-opacity="0.4"/>'
        f'<polyline points="{" ".join(path(values))}" fill="none" stroke="#1b87c9" stroke-width="1.5"/>',
    )


def _numbers(bottom: float, top: float, ends: tuple[float, float] | None) -> str:
    """The range of a curve at its left, and of its places below it."""
    floor = HEIGHT - _BELOW - _EDGE
    texts = [(_LEFT - 6, _EDGE + 8, "end", top), (_LEFT - 6, floor, "end", bottom)]
    if ends is not None:
        texts += [(_LEFT, HEIGHT - 4, "start", ends[0]), (WIDTH - _EDGE, HEIGHT - 4, "end", ends[1])]
    style = 'font-size="11" font-family="sans-serif" fill="currentColor"'
    said = "".join(f'<text x="{x}" y="{y}" text-anchor="{side}" {style}>{v:,.4g}</text>' for x, y, side, v in texts)
    axes = f"M{_LEFT - 2} {_EDGE}V{floor + 2}H{WIDTH - _EDGE}"
    return f'<path d="{axes}" fill="none" stroke="currentColor" stroke-opacity="0.4"/>{said}'


def heat(values: FloatArray) -> str:
    """A map of shape (columns, rows): the first axis to the right, the second upwards, ten colours from least to most.

    Neighbours of one colour in a row are one rectangle, and rectangles of one colour one path, so that it stays small.
    """
    if values.ndim != 2 or values.size == 0 or not np.isfinite(values).all():
        return ""
    least, most = float(values.min()), float(values.max())
    level = np.minimum((values - least) / ((most - least) or 1.0) * len(_COLOURS), len(_COLOURS) - 1).astype(int)
    columns, rows = values.shape
    paths = ["" for _ in _COLOURS]
    for row in range(rows):
        along = level[:, row]
        starts = np.flatnonzero(np.diff(along, prepend=-1))
        for start, length in zip(starts.tolist(), np.diff(starts, append=columns).tolist(), strict=True):
            paths[along[start]] += f"M{start} {rows - 1 - row}h{length}v1h-{length}z"
    drawn = "".join(f'<path fill="{c}" d="{p}"/>' for c, p in zip(_COLOURS, paths, strict=True) if p)
    said = f"A map of {columns} by {rows} estimates between {least:.3g} (dark) and {most:.3g} (bright)."
    size = WIDTH / 2
    inner = f'<svg viewBox="0 0 {columns} {rows}" preserveAspectRatio="none" shape-rendering="crispEdges">{drawn}</svg>'
    return _svg(size, min(size * rows / columns, 2 * size), said, inner)


def _svg(width: float, height: float, said: str, content: str) -> str:
    return (
        f'<svg role="img" aria-label="{escape(said)}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><title>{escape(said)}</title>'
        f"{content}</svg>"
    )
