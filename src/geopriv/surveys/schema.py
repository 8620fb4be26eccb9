"""A whole survey.toml, and its JSON Schema."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from geopriv.device.designs import PEOPLE
from geopriv.device.texts import LABEL
from geopriv.surveys.groups import GroupsTable
from geopriv.surveys.kinds import QueryTable
from geopriv.surveys.priors import PriorTable
from geopriv.surveys.spaces import SpaceTable
from geopriv.surveys.tables import LENGTH, Length, Table, Text
from geopriv.surveys.walk import WalkTable


class SurveyTable(Table):
    """A survey: what is asked, of whom, and with which promise."""

    name: Text = Field(
        description="the name of the survey, a text of at most 200 characters; a person answers a survey once"
    )
    epsilon: float = Field(gt=0, description="the privacy loss of a person per distance 'per', a number above 0")
    per: Length = Field(description=f"the distance over which epsilon is lost, {LENGTH}")
    people: int = Field(
        ge=1,
        le=10**11,
        description="the whole number of people expected to report, at least 1, written like 200_000 and not 2e5",
    )
    counted: Annotated[str, Field(min_length=1, max_length=LABEL)] = Field(
        PEOPLE, description=f"who reports, a text of up to {LABEL} characters such as 'households'; people if left out"
    )
    space: SpaceTable = Field(description="the table [space]: where values live")
    prior: PriorTable | None = Field(
        None, description="the table [prior]: public knowledge of where people are, never from the data collected"
    )
    groups: GroupsTable | None = Field(
        None, description="the table [groups]: public labels that reports carry openly, and their known sizes"
    )
    walk: WalkTable | None = Field(
        None, description="the table [walk]: the same people report in several rounds, with noise that walks"
    )
    query: Annotated[list[QueryTable], Field(min_length=1, max_length=1000)] = Field(
        description="one or more tables [[query]], each with a kind and what it needs"
    )


class QuestionsTable(Table):
    """Questions that are asked of reports that exist; all else is in the design of the reports."""

    query: Annotated[list[QueryTable], Field(min_length=1, max_length=1000)] = Field(
        description="one or more tables [[query]], each with a kind and what it needs"
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a survey, for editors of TOML and for tests."""
    schema = SurveyTable.model_json_schema(by_alias=True)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A geopriv survey (survey.toml)"}
    return head | {key: value for key, value in schema.items() if key != "title"}
