"""What a command is given to read: a file that is what it should be, or `-` for what is piped in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from geopriv.commands.streams import PIPED, at_hand, piped_in
from geopriv.device.kinds import require_kind
from geopriv.errors import InvalidParameter

if TYPE_CHECKING:
    from geopriv.answers.answers import Answers
    from geopriv.surveys import Survey
    from geopriv.surveys.design import Design


def read_survey(path: Path) -> Survey:
    """The survey of a file, or of what is piped in; paths in it then start where the command runs.

    Raises:
        InvalidParameter: in one sentence.
    """
    from geopriv.surveys import Survey

    if str(path) != PIPED:
        require_kind(path, "survey")
        return Survey.read(path)
    try:
        return Survey.parse(piped_in().read().decode("utf-8-sig"), "what was piped in")
    except UnicodeDecodeError:
        raise InvalidParameter("What was piped in must be a survey, a text in UTF-8.") from None


def read_design(path: Path) -> Design:
    """The design of a file, or of what is piped in, verified.

    Raises:
        InvalidParameter: for a folder, and for a file that is something else.
        InvalidDesign: naming what is wrong.
    """
    from geopriv.device.files import BYTES
    from geopriv.surveys.design import Design

    if str(path) == PIPED:
        return Design.parse(piped_in().read(BYTES + 1))
    require_kind(path, "design")
    return Design.read(path)


def read_answers(path: Path) -> Answers:
    """The answers of an estimates.json, or of one that is piped in.

    Raises:
        InvalidParameter: for what is none.
    """
    from geopriv.answers.answers import Answers

    with at_hand(path, "estimates.json") as file:
        require_kind(file, "estimates")
        return Answers.read(file)


def require_one_input(command: str, *paths: object) -> None:
    """Refuse to read two files from one pipe.

    Raises:
        InvalidParameter: where more than one is `-`.
    """
    if [str(path) for path in paths].count(PIPED) > 1:
        raise InvalidParameter(f"geopriv {command} can take one file from a pipe, not two: '-' comes once.")
