"""What was learnt: every question's estimates with their intervals, as one document (estimates.json)."""

from __future__ import annotations

import datetime
import difflib
import json
import math
import os
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from geopriv.answers.asked import Asked
from geopriv.answers.estimates import Estimates
from geopriv.device.designs import PEOPLE
from geopriv.device.files import canonical, replacing
from geopriv.errors import InvalidParameter
from geopriv.mechanisms.guarantee import Guarantee
from geopriv.queries.questions import Question
from geopriv.spaces import Space
from geopriv.spaces.checks import FloatArray
from geopriv.spaces.shown import Plotted, pages

if TYPE_CHECKING:
    import geopandas
    import pandas
    import pyarrow as pa
    import shapely

_FEW = 10  # reports of the largest size, behind a standard error


@dataclass(frozen=True, eq=False)
class Band:
    """Intervals of the same confidence as another's, but made in another way; arrays have the question's shape.

    Args:
        low: lower ends.
        high: upper ends.
    """

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Robust:
    """Intervals that hold for the honest people, whatever some of the reports say; see `answers.robust`.

    Args:
        made_up: how many reports may be made up, wherever they are.
        soft: of the soft answers, each for itself; infinite where as many reports could have been honest.
        plain: of the plain answers; None where there are none.
    """

    made_up: int
    soft: Band
    plain: Band | None = None


@dataclass(frozen=True, eq=False)
class Answer(Plotted):
    """The estimates of one question.

    Args:
        question: what was asked.
        estimates: of the soft question, of its shape; unbiased unless they say so, with normal intervals, each for
            itself.
        band: that holds all of a curve or map at once; None for a single share.
        finite: intervals that hold for every number of reports (empirical Bernstein); None where nothing
            bounds what is averaged.
        consistent: values made monotone and within [0, 1], or non-negative: nicer to look at, and biased. None unless
            asked for.
        plain: intervals that hold the plain answers, each for itself; None where there is no plain question, or no
            report that answers it.
        who: are counted, "people"; those of a survey's answers are that survey's.
        asked_after: whether the question was asked of reports that existed.
        leverage: by how much one made-up report moves any of these estimates at most, and what holds plain answers;
            infinite where nothing bounds what a report adds, None where it is not told (quantiles, covariances).
        robust: intervals that hold whatever some reports say; None unless asked for, and of values.
    """

    question: Question
    estimates: Estimates
    band: Band | None = None
    finite: Band | None = None
    consistent: FloatArray | None = None
    plain: Band | None = None
    who: str = PEOPLE
    asked_after: bool = False
    leverage: float | None = None
    robust: Robust | None = None

    @property
    def in_part(self) -> str:
        """Who counts in part in the soft answer, "people within 16,000 USD of the line"; empty where nobody does."""
        return f"{self.who} {self.question.in_part}" if self.question.in_part else ""

    @property
    def shrunk(self) -> bool:
        """Whether the values beside the estimates are a map of less noise, and not estimates that are cut off at 0."""
        if self.question.product is None or self.consistent is None:
            return False
        return not np.array_equal(self.consistent, np.maximum(self.estimates.values, 0.0))

    @property
    def thin(self) -> FloatArray:
        """Where a normal interval is not to be trusted, since its error is that of few reports; of the values' shape.

        A report adds at most R more than another. Where the standard error is that of fewer than ten reports of size R,
        (standard error·n/R)² < 10, the interval rests on what few people sent; where nobody was near it has nearly no
        length, and held the truth in half of the cases only (docs/errors.md). Bands and finite intervals hold there.
        """
        return np.asarray(self.estimates.standard_errors < self.thin_below, dtype=np.float64)

    @property
    def thin_below(self) -> float:
        """The standard error below which a normal interval is not to be trusted; 0 where that is not known."""
        far = self.leverage
        return 0.0 if far is None or not np.isfinite(far) else math.sqrt(_FEW) * far

    @property
    def edge_words(self) -> str:
        """What is soft about the soft answer, in words."""
        return f"{self.in_part} count in part" if self.in_part else self.question.edge_words

    def __str__(self) -> str:
        return str(pages().answer_text(self))


@dataclass(frozen=True, eq=False)
class Answers(Plotted):
    """All answers of a survey.

    Args:
        survey: its name.
        design: the hash of the design that made the reports.
        guarantee: of one person.
        space: where values live.
        answers: one for each question, in the order of the design.
        n: reports that were counted.
        rejected: how many were not, by reason.
        counted: who reported: "households".
        groups: the answers of each group, in the order of the design; empty where it has none. A group in which a
            question has fewer than two reports has no answer to it.
        weighted: whether answers for all are means weighted by known sizes of the groups; otherwise every report counts
            alike.
        simultaneous: whether intervals of groups hold in all groups at once with the confidence of those for all.
        asked: of questions that were asked after collecting, how many there were and what holds of them all.
    """

    survey: str
    design: str
    guarantee: Guarantee
    space: Space
    answers: tuple[Answer, ...]
    n: int
    rejected: dict[str, int] = field(default_factory=dict)
    counted: str = PEOPLE
    groups: dict[str, Answers] = field(default_factory=dict)
    weighted: bool = False
    simultaneous: bool = False
    asked: Asked | None = None

    def group(self, name: str) -> Answers:
        """The answers of one group: `answers.group("Kings")["above 100,000 USD"]`.

        Raises:
            KeyError: where there is none.
        """
        if name not in self.groups:
            raise KeyError(_none_of("group", name, list(self.groups)))
        return self.groups[name]

    def __post_init__(self) -> None:
        named = (answer if answer.who == self.counted else replace(answer, who=self.counted) for answer in self.answers)
        object.__setattr__(self, "answers", tuple(named))

    def __getitem__(self, name: str) -> Answer:
        """The answer to the question of a name.

        Raises:
            KeyError: where there is none.
        """
        for answer in self.answers:
            if answer.question.name == name:
                return answer
        raise KeyError(_none_of("question", name, [answer.question.name for answer in self.answers]))

    def to_document(self) -> dict[str, Any]:
        """What estimates.json holds: every value with its error and intervals. An infinite number is the text "inf"."""
        from geopriv.answers.documents import answers_document

        return answers_document(self)

    @classmethod
    def from_document(cls, document: Any) -> Answers:
        """The answers of a document.

        Raises:
            InvalidParameter: for a document that is none of this version.
            InvalidDesign: for a question, space or guarantee in it that is none.
        """
        from geopriv.answers.documents import read_answers

        return read_answers(document)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Answers:
        """The answers of an estimates.json.

        Raises:
            InvalidParameter: for a file that is none.
        """
        try:
            document = json.loads(Path(path).read_bytes(), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise InvalidParameter(f"The estimates {path} must be a file of strict JSON in UTF-8.") from None
        if isinstance(document, dict) and "mechanisms" in document:
            raise InvalidParameter(
                f"{path} is a design, not estimates: name the estimates.json that `geopriv estimate` wrote."
            )
        return cls.from_document(document)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write estimates.json; it is there whole or not at all."""
        with replacing(path) as fresh:
            fresh.write_bytes(canonical(self.to_document()) + b"\n")

    def write_page(
        self,
        path: str | os.PathLike[str],
        outline: shapely.Geometry | None = None,
        date: datetime.date | None = None,
    ) -> None:
        """Write report.html; it is there whole or not at all.

        Args:
            path: of the file.
            outline: a coast or border to draw on maps: polygons or lines, on a LocalPlane in degrees (longitude,
                latitude), on a Plane in its unit.
            date: to show on the page; without one the same answers give the same bytes.

        Raises:
            InvalidParameter: for an outline that cannot be drawn.
        """
        html = str(pages().page_html(self, outline, date))
        with replacing(path) as fresh:
            fresh.write_text(html, encoding="utf-8", newline="\n")

    def to_arrow(self, *questions: str) -> pa.Table:
        """Every value as a row with its place, error, intervals and unit, as pages show them; see `answers.rows`.

        Args:
            questions: names of those that are wanted; all if left out.

        Raises:
            KeyError: where there is no question of a name.
        """
        table: pa.Table = _frames().table_of(self, questions)
        return table

    def to_pandas(self, *questions: str) -> pandas.DataFrame:
        """The same as a data frame of pandas.

        Raises:
            KeyError: where there is no question of a name.
            Unavailable: without pandas.
        """
        frame: pandas.DataFrame = _frames().data_frame(self, questions)
        return frame

    def to_geopandas(self, *questions: str) -> geopandas.GeoDataFrame:
        """Rows about an area or a cell of a map, with that as geometry: in degrees, but on a Plane in its unit.

        Raises:
            KeyError: where there is no question of a name.
            InvalidParameter: where no question is about an area.
            Unavailable: without GeoPandas.
        """
        frame: geopandas.GeoDataFrame = _frames().geo_frame(self, questions)
        return frame

    def __str__(self) -> str:
        return str(pages().text_of(self))


def _frames() -> Any:
    """What makes rows of answers: it knows all forms, and forms know answers, so it is found by name."""
    return import_module("geopriv.answers.frames")


def _none_of(what: str, name: object, names: list[str]) -> str:
    """That there is none of a name, what was likely meant, and which there are."""
    near = difflib.get_close_matches(str(name), names, 1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    return f"There is no {what} {name!r}.{meant} There are: {', '.join(map(repr, names)) or 'none'}."


def _no_constant(name: str) -> None:
    raise ValueError(name)
