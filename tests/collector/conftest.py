"""A collector for each test, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import geopriv as gp
from geopriv.collector import tokens
from geopriv.collector.app import Service, application
from geopriv.collector.keys import Key
from geopriv.collector.server import Settings, service_of
from tests.databases import postgres

DESIGN = gp.Design(
    "collected",
    (gp.Lattice.on_grid(gp.Line(), 1.0, 0.25, (0.0,)),),
    (),
    (gp.Share("above", gp.Threshold(0.0, 4.0, edge="smooth")),),
)
KEY = Key("known-to-the-tests-only")
HEADERS = {"Authorization": f"Bearer {KEY.words}"}
NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server of the tests' own."""
    with postgres() as started:
        yield started.get_uri()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/survey.sqlite"
    import psycopg

    address = request.getfixturevalue("server")
    name = f"survey{next(NUMBERS)}"
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    where, _, options = address.partition("?")
    return f"{where.rpartition('/')[0]}/{name}?{options}"


@pytest.fixture
def service(database: str) -> Iterator[Service]:
    """A collector without limits of rate, whose answers are always new and open."""
    made = service_of(DESIGN, Settings(database, rate=0.0, age=0.0, key=KEY, open_answers=True, together=1))
    yield made
    made.close()


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    """Speaks with it."""
    with TestClient(application(service), raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def invited(service: Service) -> list[str]:
    """Tokens."""
    made = list(tokens.issue(60))
    service.live.store.invite(map(tokens.digest, made))
    return made
