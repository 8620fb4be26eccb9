"""Participants of two values report over the wire, by Python or by a browser, and what was published is audited."""

from __future__ import annotations

import http.client
import json
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import pyarrow.parquet as pq

import geopriv as gp
from geopriv.client import Client as Device
from geopriv.client import Policy, load
from geopriv.collector import tokens
from geopriv.collector.publish import publish
from geopriv.collector.store import Store
from geopriv.device.draws import system_bytes
from geopriv.proofs.audits.black_box import BlackBoxAudit
from geopriv.spaces.checks import FloatArray
from geopriv.surveys.design import Design
from tests.browser import Browser
from tests.collector.servers import free_port, serving
from tests.designs import document_of, rehashed
from tests.rows import CITY

Name = TypeVar("Name")
ALARM = 1e-10  # the probability with which an honest client may be accused by one audit
SINGLY = 10  # participants who report in full, with a ledger and a request each
_LINES = 1_000  # in a batch
_ROUNDED = 1 + 2.0**-40  # ε of a changed design, so that roundings of its lattice break nothing


@dataclass(frozen=True)
class Case:
    """A design, and two values between which a client with half of the noise shows."""

    design: Design
    values: tuple[Any, Any]

    @property
    def distance(self) -> float:
        """Between the two values."""
        return float(self.design.mechanisms[0].space.distance(*self.values))

    def quieter(self, noise: Fraction) -> bytes:
        """The design of a client that makes so much of the noise: of the same reports, at a larger ε.

        A table's lattice is drawn together, and a lattice's θ grows. Devices verify it and draw from it.
        """
        document = document_of(self.design)
        (mechanism,) = document["mechanisms"]
        for promise in (document["guarantee"], mechanism["guarantee"]):
            promise["epsilon"] = promise["epsilon"] / float(noise) * _ROUNDED
        if "lattice" in mechanism:
            mechanism["lattice"] = [place * float(noise) for place in mechanism["lattice"]]
        else:
            theta = Fraction(*mechanism["theta"]) / noise
            mechanism["theta"] = [theta.numerator, theta.denominator]
        return rehashed(document)

    def shown(self, reports: Sequence[Sequence[int]]) -> FloatArray:
        """A number of each report: a table's letter, or how much nearer a lattice's cell is to the second value."""
        cells = np.array(reports, dtype=np.float64)
        mechanism = self.design.mechanisms[0]
        if not isinstance(mechanism, gp.Lattice):
            return cells[:, 0]
        places = np.array(mechanism.origin) + mechanism.step * cells
        first, second = (np.atleast_1d(mechanism.space.read(value)) for value in self.values)
        nearer: FloatArray = np.linalg.norm(places - first, axis=1) - np.linalg.norm(places - second, axis=1)
        return nearer.round(6)

    def audit(self, reports: dict[Any, list[Sequence[int]]]) -> BlackBoxAudit:
        """What reports of both values prove."""
        first, second = ([tuple(one) for one in reports[value]] for value in self.values)
        waiting = iter((self.shown(first), self.shown(second)))
        size, promise = len(first), self.design.mechanisms[0].guarantee.epsilon
        return gp.audit_black_box(
            lambda values: next(waiting), 0.0, 1.0, promise, size, distance=self.distance, confidence=1 - ALARM
        )


def table_case() -> Case:
    """A threshold, asked of people on both sides of it, 1/ε from each other."""
    return Case(gp.Design("above", (gp.Table.calibrate(gp.Threshold(0.0, 2.0), 1.0),)), (-0.5, 0.5))


def lattice_case() -> Case:
    """Places on a line, 1.5/ε from each other, on a fine grid."""
    return Case(gp.Design("where", (gp.Lattice.on_grid(gp.Line(), 1.0, 0.1, (0.0,)),)), (0.0, 1.5))


def map_case() -> Case:
    """Places in a city, about 1.5/ε from each other."""
    lattice = gp.Lattice.on_grid(CITY, 1e-3, 100.0, (0.0, 0.0), noise="round")
    return Case(gp.Design("map", (lattice,)), ((40.7, -74.0), (40.7 + 1500 / 111_194.9, -74.0)))


@dataclass(frozen=True)
class Asked:
    """What participants of one value are given.

    Args:
        address: of the collector.
        value: of all of them.
        invited: a token for each.
        given: the design of a changed client; None for one that takes the collector's.
    """

    address: str
    value: Any
    invited: Sequence[str]
    given: bytes | None


class Client(Protocol):
    """Makes reports of one value and sends them: the lines that were sent."""

    def __call__(self, asked: Asked) -> list[str]: ...


def by_python(asked: Asked) -> list[str]:
    """The Python device: some in full by a client with its ledger, and many more from the verified design."""
    connection = http.client.HTTPConnection(asked.address.removeprefix("http://").rstrip("/"), timeout=60)
    with closing(connection), tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "design.json")
        own = _answer(connection, "GET", "/v1/design")
        path.write_bytes(asked.given or own)
        device, hash_ = load(path), json.loads(own)["hash"]
        cost = device.epsilon
        policy = Policy(device.unit, cost, cost, device.hash, degrees=device.degrees, after=0.0)
        client = Device(path, Path(folder, "ledger.sqlite"), policy)
        lines, said = [], []
        for token in asked.invited[:SINGLY]:
            lines.append(client.report(asked.value, person=token).replace(device.hash, hash_))
            answer = _answer(connection, "POST", "/v1/reports", lines[-1], {"Authorization": f"Bearer {token}"})
            said.append(json.loads(answer)["verdict"])
        for k in range(SINGLY, len(asked.invited), _LINES):
            made = [(token, device._line(asked.value, system_bytes)) for token in asked.invited[k : k + _LINES]]
            batch = [f"{token} {line.replace(device.hash, hash_)}" for token, line in made]
            lines += [line.partition(" ")[2] for line in batch]
            said += json.loads(_answer(connection, "POST", "/v1/batch", "\n".join(batch)))["verdicts"]
    assert said == ["counted"] * len(asked.invited)
    return lines


def _answer(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: str = "",
    headers: dict[str, str] | None = None,
) -> bytes:
    connection.request(method, path, body, headers or {})
    return connection.getresponse().read()


def by_browser(browser: Browser) -> Client:
    """The device of the collector's own page, in Chromium, from the browser's own random numbers."""
    _, _, code = Path(__file__).with_name("reporting.js").read_text(encoding="utf-8").partition("\n\n")

    def reporting(asked: Asked) -> list[str]:
        given = None if asked.given is None else asked.given.decode()
        told = {"given": given, "value": asked.value, "tokens": list(asked.invited), "singly": SINGLY}
        with browser.tab(asked.address) as tab:
            found = tab.run(f"({code.strip()})({json.dumps(told)})")
        assert found["verdicts"] == ["counted"] * len(asked.invited)
        assert found["drawn"] >= 32 * len(asked.invited)
        lines: list[str] = found["lines"]
        return lines

    return reporting


@dataclass(frozen=True)
class Outcome(Generic[Name]):
    """What the audits of several clients proved, and which reports are not published as they were sent.

    Args:
        audits: of each client.
        different: how many reports.
    """

    audits: dict[Name, BlackBoxAudit]
    different: int


def audited(case: Case, clients: Mapping[Name, tuple[Client, Fraction]], people: int, folder: Path) -> Outcome[Name]:
    """Audit what a collector publishes of clients.

    Args:
        case: what they are asked, and their two values.
        clients: how each reports, and how much of the noise it makes.
        people: of each value and client.
        folder: for the collector's files.
    """
    path, database, port = folder / "design.json", f"sqlite:///{folder}/survey.sqlite", free_port()
    path.write_bytes(case.design.to_bytes())
    invited = list(tokens.issue(2 * people * len(clients)))
    with closing(Store(database)) as store:
        store.begin(case.design.hash, True)
        store.invite(map(tokens.digest, invited))
        sent: dict[Name, dict[Any, list[str]]] = {}
        with serving(path, database, port):
            for name, (client, noise) in clients.items():
                given = None if noise == 1 else case.quieter(noise)
                sent[name] = {}
                for value in case.values:
                    some = [invited.pop() for _ in range(people)]
                    sent[name][value] = client(Asked(f"http://127.0.0.1:{port}/", value, some, given))
        publish(case.design, store, folder / "reports.parquet")
    stored = pq.read_table(folder / "reports.parquet", columns=["id", "report"]).to_pydict()
    kept = dict(zip(stored["id"], stored["report"], strict=True))
    audits: dict[Name, BlackBoxAudit] = {}
    different = len(kept)
    for name, by_value in sent.items():
        found: dict[Any, list[Sequence[int]]] = {}
        for value, lines in by_value.items():
            made = [json.loads(line) for line in lines]
            different -= sum(kept.get(one["id"]) == one["report"] for one in made)
            found[value] = [kept[one["id"]] for one in made]
        audits[name] = case.audit(found)
    return Outcome(audits, different)
