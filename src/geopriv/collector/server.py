"""The service as a process: what is configured, started and stopped."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from geopriv.collector import logs
from geopriv.collector.analyst import Analyst
from geopriv.collector.app import Service, application
from geopriv.collector.coarse import FEW
from geopriv.collector.keys import Key
from geopriv.collector.live import Live
from geopriv.collector.logs import Log
from geopriv.collector.rates import Rates
from geopriv.collector.receiver import Receiver
from geopriv.collector.store import Store
from geopriv.collector.workers import keep
from geopriv.errors import Unavailable
from geopriv.surveys.design import Design

_GRACE = 30  # seconds in which requests that are under way may end
_BACKLOG = 2048  # connections that wait to be accepted
_FILES, _OTHERS = 1 << 15, 64  # descriptors that are wanted, and those of them that are for no connection
_MINUTE = 60.0  # seconds between counts in the log


@dataclass(frozen=True)
class Settings:
    """How a collector is run.

    Args:
        database: the address of its database.
        host: on which it listens.
        port: the same.
        invited: whether a report needs a token.
        rate: requests a second of one address; 0 for as many as come.
        burst: requests of one address at once.
        origins: pages of other hosts that may send reports.
        proxies: addresses of reverse proxies that are believed whom they speak for.
        age: seconds after which answers are made anew.
        workers: processes that answer at the one address.
        log: the form of what is said on standard error.
        key: of the analyst; a random one if left out.
        open_answers: whether answers are for everybody.
        together: reports that must have come before answers for everybody change.
        target: half of the 95 % interval that is wanted of every share.
        new: whether a database may be begun where there is none.
    """

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    invited: bool = True
    rate: float = 20.0
    burst: int = 100
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ("127.0.0.1",)
    age: float = 10.0
    workers: int = 1
    log: Log = Log.TEXT
    key: Key = field(default_factory=Key.random)
    open_answers: bool = False
    together: int = FEW
    target: float | None = None
    new: bool = True


def service_of(design: Design, settings: Settings) -> Service:
    """What answers requests; its database is made ready."""
    store = Store(settings.database, settings.new)
    try:
        store.begin(design.hash, settings.invited)
    except BaseException:
        store.close()
        raise
    rates = Rates(settings.rate, settings.burst)
    live = Live(design, store, settings.age, settings.together if settings.open_answers else 1)
    receiver = Receiver(store)
    analyst = Analyst(live, receiver, rates, settings.key, settings.open_answers, settings.target)
    return Service(design, receiver, live, rates, settings.invited, analyst, settings.origins)


def serve(design: Design, settings: Settings) -> None:
    """Answer requests until the process is asked to stop (SIGTERM, Ctrl-C); then end those that are under way.

    The log says what failed and, each minute, how many reports came: no value, token, address or finer time is in it.

    Raises:
        InvalidParameter: for a database of another design.
        OSError: for an address that is taken.
    """
    logs.begin(settings.log)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG) as listening:
        logs.say("began", survey=design.survey, design=design.hash, workers=settings.workers)
        if settings.workers == 1:
            _answer(service_of(design, settings), settings, listening)
        else:
            service_of(design, settings).close()  # what is wrong with the database is said once, here
            keep(settings.workers, _work, (design.to_bytes(), settings, listening))
        _rewrite(settings.database)
        logs.say("ended")


def _rewrite(database: str) -> None:
    """Let the file not tell in which order reports came, or say that it does."""
    try:
        with closing(Store(database, new=False)) as store:
            store.rewrite()
    except Unavailable:
        logs.LOGGER.warning("the file of the database could not be written anew: it tells in which order reports came")


def _work(design: bytes, settings: Settings, listening: socket.socket) -> None:
    """What one of several processes does."""
    logs.begin(settings.log)
    _answer(service_of(Design.parse(design), settings), settings, listening)


def _answer(service: Service, settings: Settings, listening: socket.socket) -> None:
    import uvicorn

    from geopriv.collector.hurried import Hurried, Seats

    files = _raise_files()
    backlog = min(_BACKLOG, files // 8)  # so many may be accepted before one is looked at
    Hurried.seats = Seats(files - 2 * backlog - _OTHERS, proxies=settings.proxies)
    config = uvicorn.Config(
        application(service),
        http=Hurried,
        access_log=False,  # it would write addresses
        log_config=None,
        ws="none",
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        timeout_graceful_shutdown=_GRACE,
        backlog=backlog,
    )
    ended = threading.Event()
    counting = threading.Thread(target=_count, args=(service, ended))
    counting.start()
    # uvicorn hands on the signal that ended it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except (KeyboardInterrupt, SystemExit) as order:
        if getattr(order, "code", 0):
            raise
    finally:
        service.close()
        ended.set()
        counting.join()


def _raise_files() -> int:
    """As many descriptors as are wanted, or as this process may have; how many those are."""
    if find_spec("resource") is None:  # Windows has no such limit
        return _FILES
    resource: Any = import_module("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):  # the system may have another limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return _FILES if soft == resource.RLIM_INFINITY else min(soft, _FILES)


def _count(service: Service, ended: threading.Event) -> None:
    """Say each minute, and at the end, what became of reports, and whether somebody tried keys."""
    before: Counter[str] = Counter()
    wrong, going = 0, True
    while going:
        going = not ended.wait(_MINUTE)
        now = Counter({verdict.words: times for verdict, times in service.receiver.verdicts.items()})
        now["not written"] = service.receiver.unwritten
        logs.count(before, now)
        before = now
        if (tried := service.analyst.wrong.total()) > wrong:
            logs.LOGGER.warning("wrong keys were tried", extra={"more": {"times": tried - wrong}})
        wrong = tried
