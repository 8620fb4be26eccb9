"""What the service says on standard error: that it began and ended, what failed and where, and counts by the minute.

No line is about one request, and none holds what was sent, who sent it, or a time finer than a minute. Of an error
only its class and place are said: messages of libraries quote what they read, and are never written.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections import Counter
from enum import StrEnum

_FRAMES = 4
LOGGER = logging.getLogger("geopriv.collector")


class Log(StrEnum):
    """The form of the lines."""

    TEXT = "text"
    JSON = "json"


def begin(form: Log) -> None:
    """Let every logger of this process speak in one form, those of libraries from warnings on, or errors."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(form))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    LOGGER.setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # its warnings are each about one request


def say(event: str, **more: object) -> None:
    """Write that something happened, with what belongs to it: counts and public names only."""
    LOGGER.info(event, extra={"more": more})


def count(before: Counter[str], now: Counter[str]) -> None:
    """Write how many reports became what since the last time; nothing where nothing came."""
    if grown := now - before:
        say("reports", **dict(sorted(grown.items())))


class Lines(logging.Formatter):
    """A line for each record.

    Args:
        form: of the line.
    """

    def __init__(self, form: Log) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """The line; of libraries their fixed words only, without what they put into them."""
        own = record.name == LOGGER.name
        event = str(record.msg).strip().splitlines()[0] if record.msg else ""
        found: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "event": event,
            "process": os.getpid(),
            **(getattr(record, "more", {}) if own else {}),
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            found |= {"error": type(error).__name__, "at": _places(error)}
        if self._form is Log.JSON:
            return json.dumps(found)
        rest = " ".join(f"{name}={value}" for name, value in found.items() if name not in ("time", "level", "event"))
        return f"{found['time']} {record.levelname}: {found['event']} {rest}"


def _places(error: BaseException) -> list[str]:
    """Files and lines that an error went through last."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return [f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in frames]
