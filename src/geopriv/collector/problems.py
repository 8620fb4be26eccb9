"""Why a question cannot be answered, by name: what programs are told, and what people read."""

from __future__ import annotations

from enum import Enum


class Problem(Enum):
    """Why not: the reason for programs, the status of the answer, and a sentence for people."""

    NO_KEY = "no key", 401, "This is for who has the analyst's key."
    WRONG_KEY = "wrong key", 401, "This is not the analyst's key."
    TOO_FAST = "too fast", 429, "Too many requests came from here. Try again in a while."
    TOO_FEW = "too few reports", 404, "There are too few reports for an answer yet: each question needs at least two."
    NO_ROUND = "no round", 400, "This survey asks in rounds, and each has answers of its own: name one, as ?round=1."
    WRONG_ROUND = "wrong round", 400, "This survey has no such round."
    WRONG_NUMBER = "wrong number", 400, "The number of made-up reports must be a whole one, from 1 up to all there are."
    NO_DAYS = "no days", 404, "Days are not compared where reports come in rounds: each round has reports of its own."
    NO_FORM = "no such file", 404, "These answers have no such file: no question is about an area on a map."
    NOT_ANSWERED = "not answered", 400, "The request cannot be answered."

    def __init__(self, reason: str, status: int, words: str) -> None:
        self.reason, self.status, self.words = reason, status, words

    @property
    def document(self) -> dict[str, str]:
        """What is answered."""
        return {"reason": self.reason, "error": self.words}


class Refused(Exception):
    """That a question cannot be answered.

    Args:
        problem: why not.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.words)
        self.problem = problem
