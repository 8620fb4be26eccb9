"""The command line. Exit codes: 0 done, 1 a check failed, 2 bad input."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from geopriv import __version__
from geopriv.commands import (
    audit,
    bench,
    demo,
    estimate,
    plan,
    privatize,
    reproduce,
)
from geopriv.errors import GeoprivError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_show_locals=False,  # which are people's values; older versions of typer show them unless told
    help="Measure a population without learning about its people.",
)
benches = typer.Typer(no_args_is_help=True, help="Measured claims, each printed by one command.")


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


app.command(epilog=demo.EXAMPLES)(demo.demo)
app.command(epilog=plan.EXAMPLES)(plan.plan)
app.command(epilog=privatize.EXAMPLES)(privatize.privatize)
app.command(epilog=estimate.EXAMPLES)(estimate.estimate)
app.command(epilog=audit.EXAMPLES)(audit.audit)
app.command(epilog=reproduce.EXAMPLES)(reproduce.reproduce)
app.add_typer(benches, name="bench")
benches.command(epilog=bench.ACCURACY_EXAMPLES)(bench.accuracy)
benches.command(epilog=bench.MECHANISMS_EXAMPLES)(bench.mechanisms)


def main() -> None:
    """Run the command line; errors of geopriv become one sentence and exit code 2."""
    try:
        app()
    except GeoprivError as error:
        print(f"geopriv: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"geopriv: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        sys.exit(2)
