"""How answers are shown, one file a form; a question names its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from geopriv.answers.answers import Answer
from geopriv.device.designs import PEOPLE
from geopriv.pages import covariance, density_map, distribution, mean, quantile, share, total
from geopriv.pages.amounts import Cell
from geopriv.pages.regions import Page
from geopriv.queries.questions import Question


class Form(Protocol):
    """What is asked of a form; a module is one, and parts.html.j2 has a macro for its views."""

    @property
    def is_map(self) -> bool:
        """Whether it is drawn as a map, with outlines, and its estimates are mean kernels."""
        ...

    def views(self, answers: Sequence[Answer], page: Page) -> Sequence[Any]:
        """What the page shows of all answers of this form."""
        ...

    def lines(self, answer: Answer) -> list[str]:
        """An answer as text."""
        ...

    def cells(self, answer: Answer) -> list[Cell]:
        """Its few numbers in tables of groups; none where it is a picture."""
        ...

    def draw(self, answer: Answer, axes: Any) -> None:
        """Draw an answer on axes of matplotlib."""
        ...

    def scale(self, question: Any, who: str = PEOPLE) -> tuple[float, str]:
        """What estimates are multiplied with to be said, and the unit that is then said behind them, or who it is."""
        ...


FORMS: dict[str, Form] = {
    "share": share,
    "mean": mean,
    "quantile": quantile,
    "total": total,
    "covariance": covariance,
    "distribution": distribution,
    "density map": density_map,
}


def form_of(question: Question) -> Form:
    """How a question's answer is shown."""
    return FORMS[question.form]
