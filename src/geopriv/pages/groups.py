"""Answers by group: a table for each question that has one number, and lines of the same."""

from __future__ import annotations

from dataclasses import dataclass

from geopriv.answers.answers import Answer, Answers
from geopriv.pages.forms import form_of
from geopriv.pages.share import percents, plain_decimals, soft_ends
from geopriv.pages.words import counted
from geopriv.spaces.words import NARROW
from geopriv.spaces.words import plain as number

_SHOWN = 20  # groups in lines of text


@dataclass(frozen=True)
class GroupRow:
    """One group.

    Args:
        name: of the group.
        n: reports of the group.
        plain: the interval of the plain answer; empty where there is none.
        soft: that of the soft one; empty where there are too few reports.
    """

    name: str
    n: str
    plain: str
    soft: str


@dataclass(frozen=True)
class GroupTable:
    """One question, group by group.

    Args:
        name: of the question.
        rows: one for each group.
        has_plain: whether some group has a plain answer.
    """

    name: str
    rows: tuple[GroupRow, ...]
    has_plain: bool


def group_tables(answers: Answers) -> tuple[GroupTable, ...]:
    """A table for each question of one number; none where there are no groups."""
    tables = []
    for question in (answer.question for answer in answers.answers if answer.question.shape == ()):
        rows = tuple(_row(name, group, question.name) for name, group in answers.groups.items())
        tables.append(GroupTable(question.name, rows, any(row.plain for row in rows)))
    return tuple(tables) if answers.groups else ()


def group_sentences(answers: Answers) -> tuple[str, ...]:
    """What is to be said of intervals by group, and of the answers for all."""
    if not answers.groups:
        return ()
    each = [answer for group in answers.groups.values() for answer in group.answers]
    level = f"{number(100 * answers.answers[0].estimates.confidence)}{NARROW}%"
    sure = f"The intervals of a question hold in all groups at once with {level}." if answers.simultaneous else ""
    sure = sure or f"Each interval by itself holds with {level}; among many groups some do not."
    whole = "Answers for all are weighted by the known sizes of the groups."
    whole = whole if answers.weighted else "In answers for all every report counts alike, however large its group is."
    return (sure, whole, "The group was told openly with each report; no promise covers it.") if each else (whole,)


def group_lines(answers: Answers) -> list[str]:
    """The same as lines of text."""
    if not answers.groups:
        return []
    lines = ["by group:"]
    for k, (name, group) in enumerate(answers.groups.items()):
        if k == _SHOWN:
            lines.append(f"  … and {len(answers.groups) - _SHOWN} more groups, in estimates.json")
            break
        singles = [answer for answer in group.answers if answer.question.shape == ()]
        few = "" if group.answers else ": too few for an error bar"
        lines.append(f"  {name}, {counted(group.n, 'report')}{few}")
        lines += [f"    {line}" for answer in singles for line in form_of(answer.question).lines(answer)]
    if any(answer.question.shape for answer in answers.answers):
        lines.append("  curves and maps of groups are in estimates.json")
    return lines + [f"  {sentence}" for sentence in group_sentences(answers)]


def _row(name: str, group: Answers, question: str) -> GroupRow:
    mine = [answer for answer in group.answers if answer.question.name == question]
    if not mine:
        return GroupRow(name, f"{group.n:,}", "", "")
    plain, soft = mine[0].plain, _soft(mine[0])
    held = "" if plain is None else _ends(mine[0], float(plain.low), float(plain.high))
    return GroupRow(name, f"{group.n:,}", held, soft)


def _soft(answer: Answer) -> str:
    if not _is_share(answer):
        return _ends(answer, float(answer.estimates.low), float(answer.estimates.high))
    ends = soft_ends(answer)
    return "no error bar" if ends is None else _ends(answer, ends[0], ends[1])


def _is_share(answer: Answer) -> bool:
    return answer.question.form == "share" and answer.question.queries[0].is_share


def _ends(answer: Answer, low: float, high: float) -> str:
    """An interval, of shares in percent."""
    return percents(low, high, plain_decimals(low, high)) if _is_share(answer) else f"{low:.4g} to {high:.4g}"
