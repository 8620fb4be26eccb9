"""A survey: what is asked, of whom, and with which promise."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property

from geopriv.device.designs import PEOPLE
from geopriv.device.texts import LABEL, plain
from geopriv.queries import Groups, Query
from geopriv.queries.priors import Prior
from geopriv.queries.questions import Question
from geopriv.queries.source import Source
from geopriv.spaces import Space
from geopriv.spaces.checks import count, invalid
from geopriv.surveys.building import build
from geopriv.surveys.reading import read_text


@dataclass(frozen=True, eq=False)
class Survey:
    """The contents of a survey.toml.

    Args:
        name: of the survey; a person answers it once.
        space: where values live.
        epsilon: of one person for the whole survey, per unit of distance.
        questions: each of a name of its own, on the space.
        people: how many are expected to report.
        source: where values are found in a table; None if only devices report.
        prior: public knowledge of where people are; None for none.
        groups: public labels that reports carry openly; None for none.
        counted: who reports, as answers call them: "households".
        rounds: in which the same people report, with noise that walks (theory T15); 1 where each reports once.
    """

    name: str
    space: Space
    epsilon: float
    questions: tuple[Question, ...]
    people: int
    source: Source | None = None
    prior: Prior | None = None
    groups: Groups | None = None
    counted: str = PEOPLE
    rounds: int = 1

    def __post_init__(self) -> None:
        if not self.name:
            raise invalid("Survey", "name", "a text", self.name)
        object.__setattr__(self, "epsilon", self.space.rate(self.epsilon))
        object.__setattr__(self, "questions", tuple(self.questions))
        count("Survey", "people", self.people)
        ranged = self.source is not None and bool(self.source.low)
        if count("Survey", "rounds", self.rounds) > 1 and not (ranged and self.space.dimension == 1):
            raise invalid("Survey", "rounds", "1 but on a line with a public range", self.rounds)
        if not self.questions or any(not isinstance(question, Question) for question in self.questions):
            raise invalid("Survey", "questions", "at least one question", self.questions)
        names = [question.name for question in self.questions]
        if len(set(names)) < len(names):
            raise invalid("Survey", "questions", "each of a name of its own", names)
        if any(question.space != self.space for question in self.questions):
            raise invalid("Survey", "questions", f"on {self.space}", [str(q.space) for q in self.questions])
        if not plain(self.counted, LABEL):
            raise invalid("Survey", "counted", f"a text of 1 to {LABEL} printable characters", self.counted)
        if self.source is not None:
            self.source.require_fit(self.space)
        if self.groups is not None:
            self.groups.require_apart(self.source)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Survey:
        """The survey of a survey.toml.

        Args:
            path: of the file; paths in it start at its folder.

        Raises:
            InvalidParameter: one sentence that names the file, the line, the key, the rule and what was given.
        """
        file = os.fspath(path)
        return cls.parse(read_text(file), file)

    @classmethod
    def parse(cls, text: str, file: str = "survey.toml") -> Survey:
        """The survey of a text.

        Args:
            text: TOML.
            file: where it is from, for errors; paths in the text start at its folder.

        Raises:
            InvalidParameter: as `read`.

        >>> survey = Survey.parse('''
        ... name = "Incomes"
        ... epsilon = 1.0
        ... per = "8,000 USD"
        ... people = 200_000
        ... space = { kind = "line", unit = "USD", range = [0, 2_000_000] }
        ... query = [{ kind = "threshold", at = 100_000 }]
        ... ''')
        >>> survey.questions[0].name, survey.epsilon, survey.space
        ('above 100,000 USD', 0.000125, Line(unit='USD'))
        """
        return build(text, file, cls)

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        """Of all questions, one after the other."""
        return tuple(query for question in self.questions for query in question.queries)
