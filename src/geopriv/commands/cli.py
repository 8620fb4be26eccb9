"""The command line. Exit codes: 0 done, 1 a check failed, 2 bad input."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated

import typer

from geopriv import __version__
from geopriv.commands import (
    ask,
    audit,
    check,
    compare,
    demo,
    estimate,
    export,
    init,
    plan,
    privatize,
    publish,
    serve,
    simulate,
)
from geopriv.commands.streams import settle_output
from geopriv.errors import GeoprivError

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_show_locals=False,  # which are people's values; older versions of typer show them unless told
    help="Measure a population without learning about its people.",
)
_PAPER = "geopriv_paper"  # the reproduction and the benches: a user of the library, and installed with it


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


# in the order of the flow
app.command(epilog=init.EXAMPLES)(init.init)
app.command(epilog=check.EXAMPLES)(check.check)
app.command(epilog=plan.EXAMPLES)(plan.plan)
app.command(epilog=audit.EXAMPLES)(audit.audit)
app.command(epilog=privatize.EXAMPLES)(privatize.privatize)
app.command(epilog=estimate.EXAMPLES)(estimate.estimate)
app.command(epilog=ask.EXAMPLES)(ask.ask)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=export.EXAMPLES)(export.export)
app.command(epilog=serve.EXAMPLES)(serve.serve)
app.command(epilog=serve.TOKEN_EXAMPLES)(serve.tokens)
app.command(epilog=publish.EXAMPLES)(publish.publish)
app.command(epilog=publish.BACKUP_EXAMPLES)(publish.backup)
app.command(epilog=simulate.EXAMPLES)(simulate.simulate_clients)
app.command(epilog=demo.EXAMPLES)(demo.demo)


def _absent(context: typer.Context) -> None:
    """Of the package geopriv_paper, which is not installed here."""
    raise GeoprivError(f"'{context.info_name}' comes with the package {_PAPER}, which is not installed here.")


def _add_paper() -> None:
    """Its commands, or in their place a sentence that says what is missing; the library imports nothing of it."""
    if find_spec(_PAPER) is not None:
        import_module(f"{_PAPER}.commands").add_to(app)
        return
    for name in ("reproduce", "bench"):
        app.command(name, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})(_absent)


_add_paper()


def main() -> None:
    """Run the command line; errors of geopriv become one sentence and exit code 2."""
    settle_output()
    gc.set_threshold(100_000)  # loading libraries makes a million things, none of them garbage
    try:
        app()
    except GeoprivError as error:
        print(f"geopriv: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"geopriv: {error.strerror or error}: {error.filename or ''}".rstrip(": "), file=sys.stderr)
        sys.exit(2)
    finally:
        sys.stdout.flush()
        gc.freeze()  # the system takes everything back at once
