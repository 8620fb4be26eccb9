"""The service as a process: what is configured, started and stopped."""

from __future__ import annotations

from dataclasses import dataclass, field

from geopriv.collector.analyst import Analyst
from geopriv.collector.app import Service, application
from geopriv.collector.keys import Key
from geopriv.collector.live import Live
from geopriv.collector.rates import Rates
from geopriv.collector.receiver import Receiver
from geopriv.collector.store import Store
from geopriv.surveys.design import Design

_GRACE = 30  # seconds in which requests that are under way may end


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
        key: of the analyst; a random one if left out.
        open_answers: whether answers are for everybody.
        target: half of the 95 % interval that is wanted of every share.
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
    key: Key = field(default_factory=Key.random)
    open_answers: bool = False
    target: float | None = None


def service_of(design: Design, settings: Settings) -> Service:
    """What answers requests; its database is made ready."""
    store = Store(settings.database)
    try:
        store.begin(design.hash, settings.invited)
    except BaseException:
        store.close()
        raise
    rates = Rates(settings.rate, settings.burst)
    receiver, live = Receiver(store), Live(design, store, settings.age)
    analyst = Analyst(live, receiver, rates, settings.key, settings.open_answers, settings.target)
    return Service(design, receiver, live, rates, settings.invited, analyst)


def serve(design: Design, settings: Settings) -> None:
    """Answer requests until the process is asked to stop (SIGTERM, Ctrl-C); then end those that are under way.

    The log says that requests came and what became of them: no value, token or address stands in it.
    """
    import uvicorn

    app = application(service_of(design, settings), settings.origins)
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        access_log=False,  # it would write addresses
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        timeout_graceful_shutdown=_GRACE,
        log_level="warning",
    )
