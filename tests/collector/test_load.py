"""A short load, as bench/collector.py runs it at full size: nothing is lost or doubled, killed or not."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from geopriv.collector.store import Store
from tests.collector.conftest import DESIGN
from tests.collector.loads import Killer, faults, load_of
from tests.collector.servers import free_port, serving

CLIENTS = 50


def test_all_that_fifty_clients_send_at_once_is_counted_once(database: str, tmp_path: Path) -> None:
    design, port, load = tmp_path / "design.json", free_port(), load_of(DESIGN, database, 600)
    design.write_bytes(DESIGN.to_bytes())
    with serving(design, database, port):
        load.run(port, CLIENTS)
    assert faults(load, database) == []
    assert len(load.took) == 600
    assert load.broken == 0


def test_what_was_acknowledged_by_servers_that_were_killed_is_there_once(tmp_path: Path) -> None:
    """A kill a second as long as reports come; all are sent until they are acknowledged."""
    database = f"sqlite:///{tmp_path}/survey.sqlite"
    design, port, load = tmp_path / "design.json", free_port(), load_of(DESIGN, database, 600)
    design.write_bytes(DESIGN.to_bytes())
    killer = Killer(design, database, port, every=0.4)
    with killer.killing():
        load.run(port, CLIENTS)
    assert killer.kills > 0
    assert load.broken > 0
    assert faults(load, database) == []


def test_a_report_that_is_lost_and_a_token_without_its_report_would_be_seen(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/survey.sqlite"
    load = load_of(DESIGN, database, 2)
    load.acknowledged |= {0, 1}
    with closing(Store(database)) as store, store._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE tokens SET spent = 1")
    assert faults(load, database) == [
        "acknowledged and lost: 2",
        "tokens spent without a report, or reports without one: 2",
    ]
