"""Collectors that listen: in a thread of the tests, and as a process that can be killed."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn

from geopriv.collector.app import Service, application
from geopriv.collector.hurried import Hurried
from geopriv.collector.server import Settings, service_of
from geopriv.surveys.design import Design
from tests.collector.conftest import KEY

COMMAND = [sys.executable, "-c", "from geopriv.commands.cli import main; main()", "serve"]


@contextmanager
def running(design: Design, database: str, **more: Any) -> Iterator[tuple[str, Service]]:
    """A collector on this machine: its address, and itself.

    Args:
        design: that is handed out.
        database: the address of its database.
        more: settings.
    """
    service = service_of(design, replace(Settings(database, rate=0.0, age=0.0, key=KEY), **more))
    server = uvicorn.Server(uvicorn.Config(application(service), http=Hurried, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        (port,) = [each.getsockname()[1] for one in server.servers for each in one.sockets]
        yield f"http://127.0.0.1:{port}/", service
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def serving(
    design: Path, database: str, port: int, *more: str, log: Path | None = None, files: tuple[int, int] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """`geopriv serve` as a process that answers; killed at the end if it still runs.

    Args:
        design: that is handed out.
        database: the address of its database.
        port: on which it listens.
        more: options.
        log: the file that gets what it says.
        files: how many descriptors it may have, and how many it may ask for; as many as here if left out.
    """
    limit = "" if files is None else f"ulimit -Sn {files[0]}; ulimit -Hn {files[1]}; "
    options = ["--database", database, "--new", "--port", str(port), "--rate", "0", *more]
    with (
        open(log or os.devnull, "ab") as said,
        subprocess.Popen(
            ["sh", "-c", f'{limit}exec "$@"', "sh", *COMMAND, str(design), *options], stderr=said
        ) as process,
    ):
        try:
            while (found := status(port, "GET", "/v1/ready", "", "")) is None:
                assert process.poll() is None, "it ended"
                time.sleep(0.05)
            assert found == 200
            yield process
        finally:
            process.kill()


def status(port: int, method: str, path: str, token: str, body: str) -> int | None:
    """How a request is answered; None where it is not, and nobody knows what became of it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, {"Authorization": f"Bearer {token}"} if token else {})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
