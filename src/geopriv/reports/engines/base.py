"""What an engine is: two verbs, and whether it can do them with what it is given."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from geopriv.reports.drawing import Order, Privatized
from geopriv.reports.tallies import Tally
from geopriv.spaces.checks import invalid
from geopriv.surveys.design import Design

KINDS = (".parquet", ".ndjson", ".jsonl")  # of files of reports


class Engine(Protocol):
    """Who reads people and counts reports. Whatever it is, laws, counts and refusals are the same."""

    def takes(self, data: object) -> bool:
        """Whether it knows what to do with this: paths, a query, a table in memory, a frame."""
        ...

    def privatize(self, people: Any, order: Order) -> Privatized:
        """One report of each person, written where the order says."""
        ...

    def tally(self, reports: Any, design: Design, progress: Callable[[int], None]) -> Tally:
        """All reports, counted; a repeated id counts once."""
        ...


def are_paths(data: object) -> bool:
    """Whether it is a path, or a list of paths."""
    parts = data if isinstance(data, list) else [data]
    return all(isinstance(part, str | os.PathLike) for part in parts)


def is_frame(data: object) -> bool:
    """Whether it is a frame of Spark, without a look at Spark."""
    return type(data).__module__.startswith("pyspark.")


def report_files(given: list[str]) -> list[Path]:
    """The files, and those of folders in the order of their names.

    Raises:
        InvalidParameter: for a folder without any.
    """
    files: list[Path] = []
    for path in map(Path, given):
        inside = sorted(part for part in path.iterdir() if part.suffix in KINDS) if path.is_dir() else [path]
        if not inside:
            raise invalid("tally", "reports", f"files, or folders with files {', '.join(KINDS)}", str(path))
        files += inside
    return files
