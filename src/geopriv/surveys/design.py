"""design.json: what each device runs, what it promises, and who answers what, under one hash."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geopriv.device.designs import VERSION, verify
from geopriv.device.files import canonical, digest, replacing
from geopriv.errors import InvalidDesign, InvalidParameter
from geopriv.mechanisms import Lattice, Table
from geopriv.mechanisms.guarantee import Guarantee, partition
from geopriv.queries import Query
from geopriv.queries.questions import Question
from geopriv.queries.source import Source
from geopriv.spaces import Space
from geopriv.spaces.checks import count, invalid
from geopriv.spaces.shown import Shown
from geopriv.surveys.documents import from_document, to_document


@dataclass(frozen=True, eq=False)
class Design(Shown):
    """One or more mechanisms, of which each person answers one, drawn by their device before it looks at the value.

    Args:
        survey: its name; a person answers a survey once, by whatever design.
        mechanisms: tables and lattices on one space.
        shares: how often each is drawn, as whole numbers; by default all are drawn alike.
        questions: what is estimated from the reports. A device shows them; they change nothing of what it sends.
        source: where values are found in a table, for `privatize`.

    Raises:
        InvalidParameter: for mechanisms on several spaces, for shares that do not fit, and for a question that no
            mechanism answers.
        InvalidDesign: for a mechanism that does not keep its promise, or that a device cannot run honestly.

    >>> from geopriv import Line, Table, Threshold
    >>> query = Threshold(at=100_000, width=16_000, space=Line("USD"))
    >>> design = Design("income", (Table.calibrate(query, "1 per 8,000 USD"),))
    >>> print(design.guarantee)
    0.000125 per USD: two values 2,000 USD apart look alike up to a factor 1.29
    """

    survey: str
    mechanisms: tuple[Table | Lattice, ...]
    shares: tuple[int, ...] = ()
    questions: tuple[Question, ...] = ()
    source: Source | None = None
    document: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        mechanisms = tuple(self.mechanisms)
        if not self.survey or not isinstance(self.survey, str):
            raise invalid("Design", "survey", "a text", self.survey)
        if not mechanisms or any(not isinstance(mechanism, Table | Lattice) for mechanism in mechanisms):
            raise invalid("Design", "mechanisms", "one or more of Table and Lattice", [type(m) for m in mechanisms])
        if len({space_of(mechanism) for mechanism in mechanisms}) > 1:
            raise invalid("Design", "mechanisms", "on one space", [str(space_of(m)) for m in mechanisms])
        shares = tuple(count("Design", "shares", share) for share in self.shares or (1,) * len(mechanisms))
        if len(shares) != len(mechanisms):
            raise invalid("Design", "shares", f"one for each of {len(mechanisms)} mechanisms", shares)
        if not all(isinstance(question, Question) for question in self.questions):
            raise invalid("Design", "questions", "questions only", [type(part).__name__ for part in self.questions])
        if not isinstance(self.source, Source | None):
            raise invalid("Design", "source", "a Source or None", type(self.source).__name__)
        if self.source is not None:
            self.source.require_fit(space_of(mechanisms[0]))
        names = [question.name for question in self.questions]
        if len(set(names)) < len(names):
            raise invalid("Design", "questions", "each of a name of its own", names)
        # written, read and written again: then 5 and 5.0 are the same number, and the hash does not depend on it
        object.__setattr__(self, "shares", shares)
        for name, values in (("mechanisms", mechanisms), ("questions", self.questions)):
            object.__setattr__(self, name, tuple(from_document(to_document(value)) for value in values))
        object.__setattr__(self, "document", _document(self))
        for question in self.questions:
            if not any(isinstance(m, Lattice) and m.space == question.space for m in self.mechanisms):
                for query in question.queries:
                    self.answering(query)
        verify(self.to_bytes())  # what a device will do

    def answering(self, query: Query) -> int:
        """The index of the mechanism whose reports answer a query: its own table, else a lattice.

        Raises:
            InvalidParameter: where none does.
        """
        own = [k for k, m in enumerate(self.mechanisms) if isinstance(m, Table) and m.query == query]
        grids = [k for k, m in enumerate(self.mechanisms) if isinstance(m, Lattice) and m.space == query.space]
        for index in (*own, *grids):
            return index
        raise invalid("Design", "questions", "answered by one of its mechanisms", query)

    @property
    def guarantee(self) -> Guarantee:
        """Of one person: the weakest of the mechanisms' own, since each person answers one."""
        return _weakest(self.mechanisms)

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical document, in hexadecimal."""
        return str(self.document["hash"])

    @property
    def space(self) -> Space:
        """Where values live."""
        return space_of(self.mechanisms[0])

    def to_bytes(self) -> bytes:
        """The file: canonical JSON and an end of line."""
        return canonical(self.document) + b"\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file; it is there whole or not at all."""
        with replacing(path) as fresh:
            fresh.write_bytes(self.to_bytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Design) and self.document == other.document

    def __hash__(self) -> int:
        return hash(self.hash)


def load_design(path: str | os.PathLike[str]) -> Design:
    """The design of a file: its hash is checked, and what it promises is verified in exact arithmetic.

    Guarantee: theory T1, T5 and T8, verified as on a device (`geopriv.device.designs.verify`).

    Raises:
        InvalidDesign: naming what is wrong.
    """
    return parse_design(Path(path).read_bytes())


def parse_design(data: bytes) -> Design:
    """The same for the bytes of a file."""
    verify(data)
    from json import loads

    document = loads(data)
    try:
        mechanisms, questions = (tuple(map(from_document, document[key])) for key in ("mechanisms", "questions"))
        source = None if document["source"] is None else from_document(document["source"])
        design = Design(document["survey"], mechanisms, tuple(document["shares"]), questions, source)
    except InvalidParameter as error:  # parts that are well made and do not fit together
        raise InvalidDesign(str(error)) from None
    except (RecursionError, ArithmeticError):
        raise InvalidDesign("A design must not be nested too deep, nor hold numbers beyond those of floats.") from None
    if design.hash != document["hash"]:
        raise InvalidDesign("A design must be written as geopriv writes it; numbers in it are of another type.")
    return design


def space_of(mechanism: Table | Lattice) -> Space:
    """Where a mechanism's values live."""
    return mechanism.query.space if isinstance(mechanism, Table) else mechanism.space


def _weakest(mechanisms: tuple[Table | Lattice, ...]) -> Guarantee:
    promises = [mechanism.guarantee for mechanism in mechanisms]
    return promises[0] if len(promises) == 1 else partition(*promises)


def _document(design: Design) -> dict[str, Any]:
    document = {
        "type": "Design",
        "version": VERSION,
        "survey": design.survey,
        "mechanisms": [to_document(mechanism) for mechanism in design.mechanisms],
        "shares": list(design.shares),
        "questions": [to_document(question) for question in design.questions],
        "source": None if design.source is None else to_document(design.source),
        "guarantee": to_document(_weakest(design.mechanisms)),
    }
    return document | {"hash": digest(document)}
