"""Shows the doctests of docstrings as code: the site would take a line that starts with ">>>" for a quotation."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)  # up to an empty line


def fenced(text: str) -> str:
    r"""The text with a fence around each doctest.

    >>> fenced("One.\n\n>>> 1 + 1\n2\n\nTwo.").split("\n")
    ['One.', '', '```pycon', '>>> 1 + 1', '2', '```', '', 'Two.']
    """
    return _DOCTEST.sub(lambda match: f"```pycon\n{match[0]}\n```", text)


class Fences(Extension):
    """Puts them into every docstring that is read."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Called by the reader of docstrings, once for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
