"""Designs as an enemy writes them: from a generator with a fixed seed, valid ones bent and others made from nothing."""

from __future__ import annotations

import copy
import json
import math
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from geopriv.device.files import canonical, digest
from tests.crafted_parts import Document, guarantee, mechanism
from tests.designs import (
    ASKED_OF_DEVICES,
    document_of,
    lattice_design,
    table_design,
    two_tables,
)

EDGES = [0, 1, -1, 0.0, -0.0, 1e308, -1e308, 5e-324, -5e-324, 2.3e-308, 1e-150, 1e15, 1e21, 2**53 + 1, 10**300,
         -(2**1000), 10**390, 0.1, 1.0 + 2**-52, 1.0 - 2**-53, 2.0**-30, 90, -90, 90.00000000000001, 180, -180.0, 360,
         360.00000000000006, 6_371_008.8, 6.4e6, 6.400000000000001e6, 2**60, 2**60 - 1, 2**64, 65_536]  # fmt: skip
JUNK: list[Any] = [
        None, True, False, "", "inf", "-inf", "NaN", "Infinity", "1", "1e5", "m", "USD", "factor 2", "Line", "Table",
        [],
        {}, [[]], [None], [0, 0], {"type": "Line", "unit": None}, {"type": "Lattice"}, "a" * 81, "a" * 500,
        "\x1b[2J", "\u202e", "USD\u200b", "\x00", " m", "e\u0301", "8,000 USD", "km²", "€", "\ud800", "a\nb",
        "m\r0.1 per m"]  # fmt: skip


@dataclass(frozen=True)
class Crafted:
    """A design file, and how it was made."""

    name: str
    data: bytes


def crafted(n: int, seed: int) -> list[Crafted]:
    """So many files: a fifth bent bytes, two fifths bent documents, two fifths from nothing."""
    base = _valid()
    rng = random.Random(seed)
    found = []
    for k in range(n):
        make = (broken, bent, bent, _made, _made)[k % 5]
        found.append(make(rng, base))
    return found


def _valid() -> list[Document]:
    """A document of every query on every space, of lattices on all flat spaces, and one of several mechanisms."""
    import geopriv as gp
    from tests.rows import CITY

    tables = [document_of(table_design(query, epsilon)) for _, query, epsilon, _ in ASKED_OF_DEVICES]
    spaces = (gp.Line("USD"), gp.LogLine(2.0), gp.Plane("m"), gp.Euclidean(3), CITY)
    grids = [document_of(lattice_design(space, 1e-3, 150.0)) for space in spaces]
    return [*tables, *grids, document_of(two_tables())]


def rehashed(document: Document) -> bytes:
    """The file of a document with the hash that fits it; text that UTF-8 cannot hold is escaped."""
    text = json.dumps(document | {"hash": "0"}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    try:
        return canonical(document | {"hash": digest(document)}) + b"\n"
    except (ValueError, UnicodeEncodeError):  # NaN, infinity, surrogates
        return text.encode("utf-8", "surrogatepass")


def broken(rng: random.Random, base: list[Document]) -> Crafted:
    """A valid file whose bytes are changed."""
    data = rehashed(copy.deepcopy(rng.choice(base)))
    name, bend = rng.choice(_BENDS)
    return Crafted(f"bytes: {name}", bend(data, rng))


def _swap(data: bytes, rng: random.Random) -> bytes:
    k = rng.randrange(len(data))
    return data[:k] + bytes([rng.randrange(256)]) + data[k + 1 :]


def _digit(data: bytes, rng: random.Random) -> bytes:
    """Another digit, with the hash of what is then there."""
    places = [k for k, byte in enumerate(data) if 48 <= byte < 58]
    k = rng.choice(places)
    bent = data[:k] + str(rng.randrange(10)).encode() + data[k + 1 :]
    try:
        return rehashed(json.loads(bent))
    except ValueError:
        return bent


_BENDS: list[tuple[str, Callable[[bytes, random.Random], bytes]]] = [
    ("one byte", _swap),
    ("one digit, hash right", _digit),
    ("cut", lambda data, rng: data[: rng.randrange(len(data))]),
    ("doubled", lambda data, rng: data + data),
    ("empty", lambda data, rng: b""),
    ("spaces", lambda data, rng: data.replace(b",", b", ", 1)),
    ("a byte order mark", lambda data, rng: b"\xef\xbb\xbf" + data),
    ("another encoding", lambda data, rng: data.decode().encode("utf-16")),
    ("wrong hash", lambda data, rng: data.replace(b'"hash":"', b'"hash":"0', 1)),
    ("no end of line", lambda data, rng: data.rstrip(b"\n")),
    ("two ends of line", lambda data, rng: data + b"\n"),
    ("a key twice", lambda data, rng: data.replace(b"{", b'{"guarantee":null,', 1)),
    ("another decimal", lambda data, rng: data.replace(b".0", b".00", 1)),
    ("an exponent", lambda data, rng: data.replace(b"0.001", b"1e-3", 1)),
    ("not a number", lambda data, rng: data.replace(b"1.0", b"NaN", 1)),
    ("infinite", lambda data, rng: data.replace(b"1.0", b"1e999", 1)),
    ("endless digits", lambda data, rng: data.replace(b"1.0", b"1" * rng.choice((390, 500, 100_000)), 1)),
    ("deep", lambda data, rng: b'{"a":' * rng.choice((31, 100, 100_000)) + b"1"),
    ("an escape", lambda data, rng: data.replace(b'"Design"', b'"\\u0044esign"')),
    ("a control character", lambda data, rng: data.replace(b'"survey":"', b'"survey":"\x1b[2J', 1)),
    ("an escaped control character", lambda data, rng: data.replace(b'"survey":"', b'"survey":"\\u001b', 1)),
    ("a list", lambda data, rng: b"[" + data.strip() + b"]"),
    ("bad UTF-8", lambda data, rng: data.replace(b'"survey":"', b'"survey":"\xff\xfe', 1)),
]


def _paths(document: Any, start: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the parts of a document are; of long lists only the first few."""
    found = [start] if start else []
    pairs = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document[:6])
        if isinstance(document, list)
        else ()
    )
    for key, part in pairs:
        found += _paths(part, (*start, key))
    return found


def bent(rng: random.Random, base: list[Document]) -> Crafted:
    """A valid document with one to three parts replaced, taken away, added to or doubled."""
    document = copy.deepcopy(rng.choice(base))
    names = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        path = rng.choice([path for path in _paths(document) if path != ("hash",)])
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        name, bend = rng.choice(_CHANGES)
        bend(holder, path[-1], rng)
        names.append(f"{name} at {'/'.join(map(str, path))}")
    return Crafted("; ".join(names), rehashed(document))


def _number(rng: random.Random) -> float | int:
    """A number that is somewhere near the end of something, or any float at all."""
    if rng.random() < 0.6:
        return rng.choice(EDGES)
    found: float = struct.unpack("<d", rng.randbytes(8))[0]
    return found if math.isfinite(found) else 1e308


def _nudge(holder: Any, key: Any, rng: random.Random) -> None:
    """The next float, or one unit more or less."""
    part = holder[key]
    if type(part) is float:
        holder[key] = math.nextafter(part, rng.choice((-math.inf, math.inf)))
    elif type(part) is int:
        holder[key] = part + rng.choice((-1, 1))


def _drop(holder: Any, key: Any, rng: random.Random) -> None:
    del holder[key]


def _more(holder: Any, key: Any, rng: random.Random) -> None:
    if isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    else:
        holder[rng.choice(("extra", "type2", "resolution", "\u202etype"))] = rng.choice(JUNK)


def _wrap(holder: Any, key: Any, rng: random.Random) -> None:
    holder[key] = [holder[key]] if rng.random() < 0.5 else {"type": "Blurred", "query": holder[key], "bandwidth": 1.0}


def _scale(holder: Any, key: Any, rng: random.Random) -> None:
    if type(holder[key]) in (int, float):
        holder[key] = holder[key] * rng.choice((-1, 0.5, 2, 1e-9, 1e9, 1e200))


_CHANGES: list[tuple[str, Callable[[Any, Any, random.Random], None]]] = [
    ("number", lambda holder, key, rng: holder.__setitem__(key, _number(rng))),
    ("junk", lambda holder, key, rng: holder.__setitem__(key, copy.deepcopy(rng.choice(JUNK)))),
    ("nudge", _nudge),
    ("scale", _scale),
    ("drop", _drop),
    ("more", _more),
    ("wrap", _wrap),
]


def _made(rng: random.Random, base: list[Document]) -> Crafted:
    """A design from nothing: of one mechanism mostly, with hostile parameters; many of them keep what they promise."""
    name, first = mechanism(rng)
    parts = [first] if rng.random() < 0.9 else [first, copy.deepcopy(first)]
    document = {
        "type": "Design",
        "version": 3,
        "survey": "crafted",
        "mechanisms": parts,
        "shares": [rng.choice((1, 1, 7, 1 << 32)) for _ in parts],
        "questions": [],
        "source": None,
        "guarantee": guarantee(first["guarantee"]["epsilon"], first["guarantee"]["unit"]),
    }
    return Crafted(f"made: {name}", rehashed(document))
