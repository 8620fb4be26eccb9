"""Small pieces of Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

_SIDES = {"l": "---", "r": "--:", "c": ":-:"}


def paragraph(text: str) -> list[str]:
    """Text in lines of at most 120 characters, and an empty one."""
    return [*textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False), ""]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> list[str]:
    r"""A table as lines.

    Args:
        head: of the columns.
        rows: of cells.
        sides: for each column l, r or c.

    >>> table(["a", "b"], [["x|y", "1"]], "lr")
    ['| a | b |', '|---|--:|', '| x\\|y | 1 |']
    """
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(_SIDES[side] for side in sides) + "|"]
    return lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def count_words(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count_words(1, "claim"), count_words(2, "claim")
    ('1 claim', '2 claims')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def times(factor: float) -> str:
    """A factor in few digits.

    >>> times(12.345), times(0.4567), times(1234.5)
    ('12.3×', '0.46×', '1,234×')
    """
    if factor >= 100:
        return f"{factor:,.0f}×"
    return f"{factor:.1f}×" if factor >= 9.995 else f"{factor:.2f}×"


def small(number: float) -> str:
    """A small number in three digits.

    >>> small(0.00001234)
    '1.23e-05'
    """
    return f"{number:.2e}"


def capital(text: str) -> str:
    """The text with a capital letter, for the start of a sentence."""
    return text[:1].upper() + text[1:]
