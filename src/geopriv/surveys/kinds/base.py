"""What a kind of question is."""

from __future__ import annotations

from typing import ClassVar, Protocol

from geopriv.queries.questions import Question
from geopriv.surveys.asking import Asking
from geopriv.surveys.part import Part

ON_LINES = ("line", "log")


class Kind(Protocol):
    """A table [[query]] of a survey.toml: a pydantic model whose `kind` is its word, which builds what it asks.

    Args:
        spaces: kinds of spaces on which it can be asked.
    """

    spaces: ClassVar[tuple[str, ...]]

    @property
    def kind(self) -> str:
        """The word for it."""

    def build(self, part: Part, asking: Asking) -> list[Question]:
        """The questions that the table asks.

        Args:
            part: where the table stands in the file.
            asking: what all queries of the survey share.
        """
