"""`geopriv reproduce` and `geopriv bench`, which the command line takes up where this package is installed."""

from __future__ import annotations

import typer

from geopriv_paper.commands import bench, reproduce


def add_to(app: typer.Typer) -> None:
    """Add both commands to the library's command line."""
    app.command(epilog=reproduce.EXAMPLES)(reproduce.reproduce)
    benches = typer.Typer(no_args_is_help=True, help="Measured claims, each printed by one command.")
    benches.command(epilog=bench.ACCURACY_EXAMPLES)(bench.accuracy)
    benches.command(epilog=bench.MECHANISMS_EXAMPLES)(bench.mechanisms)
    app.add_typer(benches, name="bench")
