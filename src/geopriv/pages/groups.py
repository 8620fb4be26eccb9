"""Answers by group: a table for each number of a question, and lines of the same."""

from __future__ import annotations

from dataclasses import dataclass

from geopriv.answers.answers import Answers
from geopriv.pages.amounts import Cell
from geopriv.pages.forms import form_of
from geopriv.pages.values import percent_words
from geopriv.pages.words import counted
from geopriv.queries.questions import Question
from geopriv.spaces.words import NARROW

_SHOWN = 20  # groups in lines of text


@dataclass(frozen=True)
class GroupRow:
    """One group.

    Args:
        name: of the group.
        n: reports of the group.
        plain: the interval of the plain answer; empty where there is none.
        soft: that of the soft one; empty where there is none. Both are empty where there are too few reports.
    """

    name: str
    n: str
    plain: str
    soft: str


@dataclass(frozen=True)
class GroupTable:
    """One number of a question, group by group.

    Args:
        name: of the question, and of the number where it has several.
        rows: one for each group.
    """

    name: str
    rows: tuple[GroupRow, ...]

    @property
    def has_plain(self) -> bool:
        """Whether some group has a plain answer."""
        return any(row.plain for row in self.rows)

    @property
    def has_soft(self) -> bool:
        """Whether some group has a soft one; means have none."""
        return any(row.soft for row in self.rows) or not self.has_plain


def group_tables(answers: Answers) -> tuple[GroupTable, ...]:
    """A table for each number of each question that is no picture; none where there are no groups."""
    return tuple(table for answer in answers.answers for table in _tables(answers, answer.question) if answers.groups)


def group_sentences(answers: Answers) -> tuple[str, ...]:
    """What is to be said of intervals by group, and of the answers for all."""
    if not answers.groups:
        return ()
    each = [answer for group in answers.groups.values() for answer in group.answers]
    level = percent_words(answers.answers[0].estimates.confidence)
    alone = f"Each interval by itself holds with {level}; among many groups some do not."
    together = f"The intervals of a single value hold in all groups at once with {level} confidence"
    together += "; so do bands of curves, and not the intervals at each of their values."
    sure = together if answers.simultaneous else alone
    whole = "Answers for all are weighted by the known sizes of the groups."
    whole = whole if answers.weighted else "In answers for all every report counts alike, however large its group is."
    openly = "The group was told openly with each report; no promise covers it."
    return (*((sure,) if each else ()), whole, *_left_out(answers), *((openly,) if each else ()))


def group_lines(answers: Answers) -> list[str]:
    """The same as lines of text."""
    if not answers.groups:
        return []
    level = f"{percent_words(answers.answers[0].estimates.confidence)} confidence"
    lines = [f"by group ({level}, {'in all groups at once' if answers.simultaneous else 'each for itself'}):"]
    for k, (name, group) in enumerate(answers.groups.items()):
        if k == _SHOWN:
            lines.append(f"  … and {counted(len(answers.groups) - _SHOWN, 'more group')}, in estimates.json")
            break
        few = ": too few for an error bar" if _is_small(group, answers) else ""
        lines.append(f"  {name}, {counted(group.n, 'report')}{few}")
        for answer in group.answers:
            lines += [f"    {_line(answer.question, cell)}" for cell in form_of(answer.question).cells(answer)]
    return [line.replace(NARROW, " ") for line in (*lines, *(f"  {said}" for said in group_sentences(answers)))]


def _line(question: Question, cell: Cell) -> str:
    soft = f"counting those near the edge in part {cell.soft}" if cell.plain and cell.soft else cell.soft
    return f"{_title(question, cell)}: {'; '.join(part for part in (cell.plain, soft) if part)}"


def _title(question: Question, cell: Cell) -> str:
    return f"{question.name}, {cell.of}" if cell.of else question.name


def _is_small(group: Answers, answers: Answers) -> bool:
    """Whether a question has no answer because there are too few reports, and not because nobody knows it."""
    return not group.answers and (group.n < 2 or len(_unknown(answers)) < len(answers.answers))


def _unknown(answers: Answers) -> list[str]:
    """Names of questions that no group has an answer to because it takes the number of people in each."""
    known = {answer.question.name for group in answers.groups.values() for answer in group.answers}
    return [
        a.question.name for a in answers.answers if a.question.of_group(None) is None and a.question.name not in known
    ]


def _left_out(answers: Answers) -> tuple[str, ...]:
    """What is not told by group here, and why."""
    names = {answer.question.name: answer for group in answers.groups.values() for answer in group.answers}
    drawn = [
        name
        for name, answer in names.items()
        if len(form_of(answer.question).cells(answer)) < answer.estimates.values.size
    ]
    said = []
    if drawn:
        said.append(f"All values of {_listed(drawn)} by group are in estimates.json.")
    if unknown := _unknown(answers):
        said.append(
            f"{_listed(unknown)} cannot be told by group: that takes how many {answers.counted} each group has, which "
            "`weights` of the groups say in a survey."
        )
    return tuple(said)


def _listed(names: list[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _tables(answers: Answers, question: Question) -> list[GroupTable]:
    """One for each number that some group has."""
    found: dict[str, list[Cell]] = {}
    for name, group in answers.groups.items():
        mine = [answer for answer in group.answers if answer.question.name == question.name]
        found[name] = form_of(question).cells(mine[0]) if mine else []
    several = max(found.values(), key=len, default=[])
    if not several and (question.shape or question.name in _unknown(answers)):
        return []
    tables = []
    for k, first in enumerate(several or [Cell("", "", "")]):
        cells = {name: cells[k] if cells else Cell("", "", "") for name, cells in found.items()}
        rows = (GroupRow(name, f"{answers.groups[name].n:,}", cell.plain, cell.soft) for name, cell in cells.items())
        tables.append(GroupTable(_title(question, first), tuple(rows)))
    return tables
