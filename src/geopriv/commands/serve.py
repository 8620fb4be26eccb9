"""`geopriv serve` and `geopriv tokens`: the collector, and invitations to it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from geopriv.commands.talk import examples
from geopriv.errors import InvalidParameter, Unavailable

EXAMPLES = examples(
    "geopriv serve design.json",
    "geopriv serve design.json --database postgresql://collector@db/survey --port 8080",
    "geopriv serve design.json --workers 4 --log json",
)
TOKEN_EXAMPLES = examples(
    "geopriv tokens 1000 > invitations.txt",
    "geopriv tokens 100000 --database postgresql://collector@db/survey > invitations.txt",
)
_DATABASE = "Address of the database: sqlite:///file or postgresql://…; also in the environment, GEOPRIV_DATABASE."
DatabaseAddress = Annotated[str, typer.Option("--database", envvar="GEOPRIV_DATABASE", help=_DATABASE)]
SQLITE = "sqlite:///survey.sqlite"
_MOST = 10_000_000


def serve(
    design: Annotated[Path, typer.Argument(envvar="GEOPRIV_DESIGN", help="The design.json of the survey.")],
    database: DatabaseAddress = SQLITE,
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
) -> None:
    """Hand out a design, take reports in and show answers, over HTTP, until it is stopped (Ctrl-C, SIGTERM)."""
    require_collector("sqlalchemy", "starlette", "uvicorn", "alembic")
    from geopriv.collector.logs import Log
    from geopriv.collector.server import Settings
    from geopriv.collector.server import serve as run
    from geopriv.surveys.design import Design

    if log not in (forms := [each.value for each in Log]):
        raise InvalidParameter(f"The 'log' parameter must be one of {' and '.join(forms)}. Got {log[:20]!r}.")
    settings = Settings(
        database,
        host,
        port,
        not anybody,
        rate,
        burst,
        tuple(origin or ()),
        tuple(proxy or ()),
        workers=workers,
        log=Log(log),
    )
    asked = Design.read(design)
    if settings.log is Log.TEXT:
        who = "anybody" if anybody else "who has a token (geopriv tokens)"
        print(f"geopriv: {asked.survey!r} at http://{host}:{port}, open to {who}; Ctrl-C stops it.", file=sys.stderr)
    run(asked, settings)


def tokens(
    number: Annotated[int, typer.Argument(min=1, max=_MOST, help="How many.")],
    database: DatabaseAddress = SQLITE,
) -> None:
    """New invitations, one a line: each is for one report. The database keeps their hashes only, so keep the output."""
    require_collector("sqlalchemy", "alembic")
    from geopriv.collector.store import Store
    from geopriv.collector.tokens import digest, issue

    store, made = Store(database), list(issue(number))
    try:
        store.invite(map(digest, made))
    finally:
        store.close()
    sys.stdout.writelines(f"{token}\n" for token in made)


def require_collector(*names: str) -> None:
    """Refuse where packages of the extra are not there.

    Raises:
        Unavailable: saying how to get them.
    """
    from importlib.util import find_spec

    if not all(map(find_spec, names)):
        raise Unavailable("The collector needs more packages: pip install 'geopriv[collector]'.")
