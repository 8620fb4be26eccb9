"""`geopriv serve` and `geopriv tokens`: the collector, and invitations to it."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geopriv.commands.streams import PIPED
from geopriv.commands.talk import QuietOption, Talk, examples
from geopriv.errors import InvalidParameter, Unavailable

if TYPE_CHECKING:
    from geopriv.collector.server import Settings

EXAMPLES = examples(
    "geopriv serve design.json",
    "geopriv serve design.json --database postgresql://collector@db/survey --new --port 8080",
    "geopriv serve design.json --workers 4 --log json",
    "GEOPRIV_KEY=$(cat analyst.key) geopriv serve design.json --target 0.01",
)
TOKEN_EXAMPLES = examples(
    "geopriv tokens 1000 -o invitations.txt",
    "geopriv tokens 100000 --database postgresql://collector@db/survey -o invitations.txt",
)
_DATABASE = "Address of the database: sqlite:///file or postgresql://…; also in the environment, GEOPRIV_DATABASE."
DatabaseAddress = Annotated[str, typer.Option("--database", envvar="GEOPRIV_DATABASE", help=_DATABASE)]
SQLITE = "sqlite:///survey.sqlite"
_NEW = "Begin the database where there is none: a name that was typed wrong begins no other. The default needs no word."
_MOST = 10_000_000
_FRESH = os.O_CREAT | os.O_EXCL | os.O_WRONLY
_KEY = (
    "What the analyst's page asks for, of 16 letters or more; in the environment (GEOPRIV_KEY) no other user of the "
    "machine sees it. A random one, shown once on this terminal, if left out."
)
_TARGET = "Half of the 95 % interval that is wanted of every share: 0.01 is ± 1 point. The analyst's page says how far."


def serve(
    design: Annotated[Path, typer.Argument(envvar="GEOPRIV_DESIGN", help="The design.json of the survey.")],
    database: DatabaseAddress = SQLITE,
    new: Annotated[bool, typer.Option("--new", envvar="GEOPRIV_NEW", help=_NEW)] = False,
    host: Annotated[str, typer.Option(envvar="GEOPRIV_HOST", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="GEOPRIV_PORT", min=1, max=65535, help="Port to listen on.")] = 8000,
    anybody: Annotated[
        bool,
        typer.Option(
            "--anybody",
            envvar="GEOPRIV_ANYBODY",
            help="Take reports without tokens: anybody can send any number of them.",
        ),
    ] = False,
    rate: Annotated[
        float, typer.Option(envvar="GEOPRIV_RATE", min=0, help="Requests a second of one address; 0 for no limit.")
    ] = 20.0,
    burst: Annotated[int, typer.Option(envvar="GEOPRIV_BURST", min=1, help="Requests of one address at once.")] = 100,
    origin: Annotated[
        list[str] | None, typer.Option(envvar="GEOPRIV_ORIGIN", help="A page of another host that may send reports.")
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(envvar="GEOPRIV_PROXY", help="Address of a reverse proxy that is believed whom it speaks for."),
    ] = None,
    workers: Annotated[
        int, typer.Option(envvar="GEOPRIV_WORKERS", min=1, max=64, help="Processes that answer at the one address.")
    ] = 1,
    log: Annotated[
        str, typer.Option(envvar="GEOPRIV_LOG", help="The form of the log on standard error, text or json.")
    ] = "text",
    key: Annotated[str | None, typer.Option(envvar="GEOPRIV_KEY", show_envvar=False, help=_KEY)] = None,
    open_answers: Annotated[
        bool,
        typer.Option(
            "--open-answers",
            envvar="GEOPRIV_OPEN_ANSWERS",
            help="Show answers to everybody; /metrics still takes the key.",
        ),
    ] = False,
    target: Annotated[float | None, typer.Option(envvar="GEOPRIV_TARGET", min=0.0001, max=0.5, help=_TARGET)] = None,
) -> None:
    """Hand out a design, take reports in and show answers, over HTTP, until it is stopped (Ctrl-C, SIGTERM)."""
    require_collector("sqlalchemy", "starlette", "uvicorn", "alembic")
    from geopriv.collector.keys import Key
    from geopriv.collector.logs import Log
    from geopriv.collector.server import Settings
    from geopriv.collector.server import serve as run
    from geopriv.surveys.design import Design

    if log not in (forms := [each.value for each in Log]):
        raise InvalidParameter(f"The 'log' parameter must be one of {' and '.join(forms)}. Got {log[:20]!r}.")
    origins, proxies = tuple(origin or ()), tuple(proxy or ())
    held = Key.random() if key is None else Key(key)
    settings = Settings(database, host, port, not anybody, rate, burst, origins, proxies)
    settings = replace(settings, new=new or database == SQLITE)
    settings = replace(settings, key=held, open_answers=open_answers, target=target, workers=workers, log=Log(log))
    asked = Design.read(design)
    if settings.log is Log.TEXT:
        who = "anybody" if anybody else "who has a token (geopriv tokens)"
        print(f"geopriv: {asked.survey!r} at http://{host}:{port}, open to {who}; Ctrl-C stops it.", file=sys.stderr)
        print(f"geopriv: {_reading(settings, asked_for=key is not None)}", file=sys.stderr)
    run(asked, settings)


def _reading(settings: Settings, *, asked_for: bool) -> str:
    """Who may look at answers. A key that was made here is shown on a terminal only: all else may be a log."""
    where = f"http://{settings.host}:{settings.port}/analyst"
    if settings.open_answers:
        return f"answers at {where}, open to everybody."
    if asked_for:
        return f"answers at {where}, for who has the key."
    if sys.stderr.isatty():
        return (
            f"answers at {where}, with the key {settings.key.words} (until it is stopped; --key sets one that stays)."
        )
    return "nobody can look at answers: set GEOPRIV_KEY, for this is no terminal, and a key is not written to a log."


def tokens(
    number: Annotated[int, typer.Argument(min=1, max=_MOST, help="How many.")],
    database: DatabaseAddress = SQLITE,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A new file that only you read; - for standard output.")
    ] = Path(PIPED),
    quiet: QuietOption = False,
) -> None:
    """New invitations, one a line: each is for one report. The database keeps their hashes only, so keep the output."""
    require_collector("sqlalchemy", "alembic")
    from geopriv.collector.store import Store
    from geopriv.collector.tokens import hand_out

    with closing(Store(database, new=False)) as store, Talk(quiet).bar() as bar:
        try:
            file = sys.stdout.fileno() if output == Path(PIPED) else os.open(output, _FRESH, 0o600)
        except FileExistsError:
            raise InvalidParameter(f"There is {str(output)!r} already: name another file.") from None
        try:
            with open(file, "wb", buffering=0, closefd=output != Path(PIPED)) as lines:
                hand_out(store, number, lines, lambda done: bar.tell("inviting", done / number, done))
        finally:
            if output.is_file() and not output.stat().st_size:
                output.unlink()


def require_collector(*names: str) -> None:
    """Refuse where packages of the extra are not there.

    Raises:
        Unavailable: saying how to get them.
    """
    from importlib.util import find_spec

    if not all(map(find_spec, names)):
        raise Unavailable("The collector needs more packages: pip install 'geopriv[collector]'.")
