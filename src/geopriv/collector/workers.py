"""Processes that answer at one address: begun, begun again when one dies, and ended together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any

from geopriv.collector import logs

_LOOK = 0.5  # seconds after which it is looked whether to stop
_PAUSE = 1.0  # seconds before a process that died is begun again


def keep(number: int, work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Keep so many processes at work until this one is asked to stop (SIGTERM, Ctrl-C); then they end what they do.

    Args:
        number: of processes.
        work: what each does, a function of a module.
        arguments: of the work, the same for each.
    """
    context = multiprocessing.get_context("spawn")  # threads and database connections are not to be copied
    stopping = threading.Event()
    for order in (signal.SIGTERM, signal.SIGINT):
        signal.signal(order, lambda *_: stopping.set())

    def begin() -> Any:
        process = context.Process(target=_watched, args=(work, arguments))
        process.start()
        return process

    processes = [begin() for _ in range(number)]
    while not stopping.is_set():
        for dead in wait([process.sentinel for process in processes], timeout=_LOOK):
            (gone,) = [process for process in processes if process.sentinel == dead]
            logs.say("a process died and is begun again", died=gone.pid)
            time.sleep(_PAUSE)
            processes[processes.index(gone)] = begin()
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def _watched(work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Work that ends when the process that began it is gone, however that came."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
    work(*arguments)
