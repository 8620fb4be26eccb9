"""What a command says beside its answer: words, nothing at all (--quiet), and on a terminal how far it has come."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

_SOON = 0.5  # seconds, within which a speed says nothing

QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors; files are written.")]


def examples(*lines: str) -> str:
    """The end of a command's help: what to copy, a line each."""
    from rich.markup import escape

    return "Examples:\n\n" + "\n\n".join(f"[bold]{escape(line)}[/bold]" for line in lines)


def command(name: str, *paths: object) -> str:
    """What to type next, in quotes where a path has spaces."""
    return shlex.join(["geopriv", name, *map(str, paths)])


@dataclass(frozen=True)
class Talk:
    """Where a command's words go.

    Args:
        quiet: say nothing.
        taken: standard output is that of a program (--json, or a file that goes to `-`), so words go to the other.
    """

    quiet: bool = False
    taken: bool = False

    @cached_property
    def console(self) -> Console:
        """Of words."""
        from rich.console import Console

        return Console(stderr=self.taken, quiet=self.quiet, highlight=False)

    @contextmanager
    def bar(self, console: Console | None = None) -> Iterator[Bar]:
        """A bar with the time that is left; only where somebody sits in front of a terminal and wants to be told.

        Args:
            console: the terminal; by default that of errors.
        """
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        console = console or Console(stderr=True)
        hidden = self.quiet or self.taken or not console.is_terminal
        columns = (TextColumn("{task.description}", markup=False), BarColumn(20), TextColumn("{task.fields[said]}"))
        left = TimeRemainingColumn(elapsed_when_finished=True)
        with Progress(*columns, left, console=console, transient=True, disable=hidden) as progress:
            yield Bar(progress)


@dataclass(frozen=True)
class Bar:
    """One bar, which begins anew with each thing that is done.

    Args:
        progress: that draws it.
        tasks: what was begun, when, and how many rows were done by then.
    """

    progress: Progress
    tasks: dict[str, tuple[TaskID, float, int]] = field(default_factory=dict)

    def tell(self, doing: str, share: float | None = None, rows: int | None = None) -> None:
        """What is done, which share of it is (None where nobody knows), and how many rows that were."""
        if doing not in self.tasks:
            for task, *_ in self.tasks.values():
                self.progress.update(task, visible=False)
            self.tasks[doing] = self.progress.add_task(doing, total=None, said=""), perf_counter(), rows or 0
        task, start, before = self.tasks[doing]
        said = [f"{share:.0%}"] if share else []
        if rows is not None:
            seconds = perf_counter() - start
            speed = f", {(rows - before) / seconds:,.0f} a second" if seconds > _SOON else ""
            said.append(f"{rows:,} rows{speed}")
        self.progress.update(task, total=1.0 if share else None, completed=share or 0.0, said="  ".join(said))
