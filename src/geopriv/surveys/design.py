"""design.json: what each device runs, what it promises, and who answers what, under one hash."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, TypedDict

from geopriv.device.designs import PEOPLE, VERSION, verify
from geopriv.device.files import canonical, digest, read_few, replacing
from geopriv.device.reading import MECHANISMS
from geopriv.device.texts import LABEL, NAME, plain
from geopriv.device.walks import METRIC
from geopriv.errors import InvalidDesign, InvalidParameter
from geopriv.mechanisms.guarantee import Guarantee, partition
from geopriv.mechanisms.sendable import Sendable
from geopriv.queries import Groups, Query
from geopriv.queries.questions import Question
from geopriv.queries.source import Source
from geopriv.spaces import Space
from geopriv.spaces.checks import count, invalid
from geopriv.spaces.documents import keys_of, kinds_of, to_document
from geopriv.spaces.notes import Note, Spare
from geopriv.spaces.shown import Plotted
from geopriv.surveys.contributions import Contribution, contribution_of

Share = Annotated[int, Note(minimum=1, maximum=1 << 32)]
_OPEN = Spare(description="Labels of which each report carries one openly; left out for none.")
_COUNTED = Spare(minLength=1, maxLength=LABEL, description=f"Who reports; left out for '{PEOPLE}'.")
_PROMISE = Note(
    properties={"delta": {"const": 0}, "radius": {"const": "inf"}, "metric": {"enum": ["distance", METRIC]}},
    description="Of one report; where noise walks, of all rounds together, on trajectories.",
)


class Written(TypedDict):
    """What a design.json holds beside the parameters of a Design."""

    version: Literal[3]
    guarantee: Annotated[Guarantee, _PROMISE]


@dataclass(frozen=True, eq=False)
class Design(Plotted):
    """One or more mechanisms, of which each person answers one, drawn by their device before it looks at the value.

    Args:
        survey: its name; a person answers a survey once, by whatever design.
        mechanisms: that devices run, on one space.
        shares: how often each is drawn, as whole numbers; by default all are drawn alike.
        questions: what is estimated from the reports. A device shows them; they change nothing of what it sends.
        source: where values are found in a table, for `privatize`, and the public range to which they are clamped, on
            devices too.
        groups: public labels, of which each report carries one openly; None for none.
        counted: who reports, as answers call them: "households".

    Raises:
        InvalidParameter: for mechanisms on several spaces, for shares that do not fit, and for a question that no
            mechanism answers, or with a range to which nobody is clamped.
        InvalidDesign: for a mechanism that does not keep its promise, or that a device cannot run honestly.

    >>> from geopriv import Line, Table, Threshold
    >>> query = Threshold(at=100_000, width=16_000, space=Line("USD"))
    >>> design = Design("income", (Table.calibrate(query, "1 per 8,000 USD"),))
    >>> print(design.guarantee)
    0.000125 per USD: two values 2,000 USD apart look alike up to a factor 1.29
    """

    survey: Annotated[str, Note(minLength=1, maxLength=NAME)]
    mechanisms: Annotated[tuple[Sendable, ...], Note(minItems=1, maxItems=MECHANISMS)]
    shares: Annotated[tuple[Share, ...], Note(minItems=1, description="How often each mechanism is drawn.")] = ()
    questions: tuple[Question, ...] = ()
    source: Source | None = None
    groups: Annotated[Groups | None, _OPEN] = None
    counted: Annotated[str, _COUNTED] = PEOPLE
    document: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._settle()
        verify(self.to_bytes())  # what a device will do

    def _settle(self) -> None:
        """Check that the parts fit together, and write the document."""
        mechanisms = tuple(self.mechanisms)
        if not self.survey or not isinstance(self.survey, str):
            raise invalid("Design", "survey", "a text", self.survey)
        if not mechanisms or any(not isinstance(mechanism, Sendable) for mechanism in mechanisms):
            known = " and ".join(sorted(kinds_of(Sendable), reverse=True))
            raise invalid("Design", "mechanisms", f"one or more of {known}", [type(m) for m in mechanisms])
        if len({mechanism.space for mechanism in mechanisms}) > 1:
            raise invalid("Design", "mechanisms", "on one space", [str(m.space) for m in mechanisms])
        shares = tuple(count("Design", "shares", share) for share in self.shares or (1,) * len(mechanisms))
        if len(shares) != len(mechanisms):
            raise invalid("Design", "shares", f"one for each of {len(mechanisms)} mechanisms", shares)
        questions = tuple(self.questions)
        if not all(isinstance(question, Question) for question in questions):
            raise invalid("Design", "questions", "questions only", [type(part).__name__ for part in questions])
        names = [question.name for question in questions]
        if len(set(names)) < len(names):
            raise invalid("Design", "questions", "each of a name of its own", names)
        self._settle_columns(mechanisms[0].space)
        self.require_ranges(questions)
        for name, values in (("mechanisms", mechanisms), ("shares", shares), ("questions", questions)):
            object.__setattr__(self, name, values)
        document = to_document(self)
        object.__setattr__(self, "document", document | {"hash": digest(document)})
        for question in questions:
            if any(m.forms is not None and question.form not in m.forms for m in mechanisms):
                rule = f"of the form {', '.join(mechanisms[0].forms or ())}, which can be told of noise that walks"
                raise invalid("Design", "questions", rule, question.name)
            if not any(m.answers_all and m.space == question.space for m in mechanisms):
                for query in question.queries:
                    self.answering(query)

    def _settle_columns(self, space: Space) -> None:
        """Check where values and groups are found."""
        for name, kind in (("source", Source), ("groups", Groups)):
            if not isinstance(getattr(self, name), kind | None):
                raise invalid("Design", name, f"a {kind.__name__} or None", type(getattr(self, name)).__name__)
        if not plain(self.counted, LABEL):
            raise invalid("Design", "counted", f"a text of 1 to {LABEL} printable characters", self.counted)
        if self.source is not None:
            self.source.require_fit(space)
        if self.groups is not None:
            self.groups.require_apart(self.source)

    def require_ranges(self, questions: tuple[Question, ...]) -> None:
        """Refuse ranges on which answers would rest, and to which not everybody is clamped.

        Raises:
            InvalidParameter: naming the question.
        """
        clamped = ((), ()) if self.source is None else (self.source.low, self.source.high)
        for question in questions:
            if question.limits not in (((), ()), clamped):
                rule = f"such that 'low' and 'high' of {question.name!r} are those of the design's source, {clamped}"
                raise invalid("Design", "questions", rule, question.limits)

    def derived(self) -> Written:
        """What the document holds beside the parameters, and its hash."""
        return {"version": VERSION, "guarantee": self.guarantee}

    def answering(self, query: Query) -> int:
        """The index of the mechanism whose reports answer a query: its own table, else a lattice.

        Raises:
            InvalidParameter: where none does.
        """
        able = [k for k, mechanism in enumerate(self.mechanisms) if mechanism.answers(query)]
        if not able:
            raise invalid("Design", "questions", "answered by one of its mechanisms", query)
        return min(able, key=lambda k: self.mechanisms[k].answers_all)

    def answering_each(self, question: Question) -> list[int]:
        """The index of the mechanism that answers, for every query of a question."""
        able = [k for k, mechanism in enumerate(self.mechanisms) if mechanism.space == question.space]
        if able and all(self.mechanisms[k].answers_all for k in able):  # as of maps: they answer whatever is asked
            return [able[0]] * len(question.queries)
        return [self.answering(query) for query in question.queries]

    @property
    def guarantee(self) -> Guarantee:
        """Of one person: the weakest of the mechanisms' own, since each person answers one."""
        promises = [mechanism.guarantee for mechanism in self.mechanisms]
        return promises[0] if len(promises) == 1 else partition(*promises)

    @cached_property
    def contributions(self) -> tuple[Contribution, ...]:
        """How much one report can count for each share, number of people or map: what made-up ones could do to it.

        Values (means, quantiles, covariances) are left out: no such bound is told of them.

        >>> from geopriv import Line, Share, Table, Threshold
        >>> share = Share("rich", Threshold(at=100_000, width=16_000, space=Line("USD")))
        >>> table = Table.calibrate(share.query, "1 per 8,000 USD")
        >>> for one in Design("income", (table,), questions=(share,)).contributions:
        ...     print(one.words)
        'rich': if k of n reports were made up, this share could move by at most 2.25·k/n; 1 in 100: 2.25 points.
        """
        return tuple(
            contribution_of(question, self.mechanisms, self.shares, self.answering_each(question), self.counted)
            for question in self.questions
            if not question.valued
        )

    @property
    def walks(self) -> bool:
        """Whether noise walks: people report in several rounds, and the promise is on trajectories (theory T15)."""
        return self.guarantee.metric == METRIC

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical document, in hexadecimal."""
        return str(self.document["hash"])

    @property
    def space(self) -> Space:
        """Where values live."""
        return self.mechanisms[0].space

    def to_bytes(self) -> bytes:
        """The file: canonical JSON and an end of line."""
        return canonical(self.document) + b"\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file; it is there whole or not at all."""
        with replacing(path) as fresh:
            fresh.write_bytes(self.to_bytes())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Design:
        """The design of a file: its hash is checked, and what it promises is verified in exact arithmetic.

        Guarantee: theory T1, T5 and T8, verified as on a device (`geopriv.device.designs.verify`).

        Raises:
            InvalidDesign: naming what is wrong.
        """
        return cls.parse(read_few(path))

    @classmethod
    def parse(cls, data: bytes) -> Design:
        """The design of the bytes of a file, which is parsed and verified once.

        Raises:
            InvalidDesign: naming what is wrong.
        """
        verified = verify(data)
        design = object.__new__(cls)  # not by its constructor, which would verify it again
        try:
            for name, key in (keys_of(cls) or {}).items():
                if name in verified.document:  # else it is the default
                    object.__setattr__(design, name, key.form.read(verified.document[name], f"design.{name}"))
            design._settle()
        except InvalidParameter as error:  # parts that are well made and do not fit together
            raise InvalidDesign(str(error)) from None
        except (RecursionError, ArithmeticError):
            raise InvalidDesign("A design must not hold numbers beyond those of floats.") from None
        if design.hash != verified.hash:
            raise InvalidDesign("A design must be written as geopriv writes it; numbers in it are of another type.")
        return design

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Design) and self.document == other.document

    def __hash__(self) -> int:
        return hash(self.hash)
