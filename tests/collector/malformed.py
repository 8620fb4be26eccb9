"""Requests that no honest device sends, made from the service's own description and from bytes, and how each is judged.

Each request carries a mark, where an enemy can put words: in the path, in headers, in names and values of the body. No
answer and no line of the log may hold it.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

from geopriv.collector.simulated.wire import Place

Json = dict[str, Any]
_AT_ONCE = 60
_PATIENCE = 0.5  # seconds after which a request counts as one that waits for more
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW", "get")


@dataclass(frozen=True)
class Target:
    """What requests are made for.

    Args:
        description: the service's OpenAPI.
        line: a report that would be counted.
        token: an invitation, which is spent by it.
    """

    description: Json
    line: str
    token: str

    @property
    def paths(self) -> list[str]:
        """Addresses that are described, and the pages beside them."""
        return [*self.description["paths"], "/client/index.js"]


def anything(mark: str) -> st.SearchStrategy[Any]:
    """Values of JSON, with the mark in texts and names."""
    texts = st.one_of(
        st.just(mark), st.text(max_size=20).map(lambda words: words + mark), st.text("0123456789abcdef", max_size=70)
    )
    numbers = st.one_of(
        st.integers(), st.floats(), st.sampled_from([0, -1, 2**31, 2**63, -(2**63), 10**400, True, None])
    )
    return st.recursive(
        st.one_of(texts, numbers),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=3)),
        max_leaves=8,
    )


def described(target: Target, mark: str) -> st.SearchStrategy[bytes]:
    """Requests near those that OpenAPI describes: a report with a field that is another, missing or more."""
    schema = target.description["paths"]["/v1/reports"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    whole, value = json.loads(target.line), anything(mark)
    names = st.sampled_from([*schema["properties"], mark, "value", "__proto__"])
    changed = st.dictionaries(names, value, min_size=1, max_size=3).map(lambda change: whole | change)
    typed = st.fixed_dictionaries({}, optional={name: _of(part) for name, part in schema["properties"].items()})
    likely = typed.map(lambda change: whole | change)
    lacking = st.sampled_from(sorted(whole)).map(lambda name: {k: v for k, v in whole.items() if k != name})
    bodies = st.one_of(changed, likely, lacking, value).map(
        lambda found: json.dumps(found).encode("utf-8", "surrogatepass")
    )
    paths = st.tuples(st.sampled_from(target.paths), st.sampled_from(["", f"?{mark}={mark}", f"/{mark}", "/%00", "//"]))
    tokens = st.sampled_from([target.token, mark, "", "A" * 22, target.token + " " + mark])
    batches = st.lists(st.tuples(tokens, bodies).map(lambda pair: pair[0].encode() + b" " + pair[1]), max_size=5)
    posted = st.one_of(
        st.tuples(st.just("/v1/reports"), bodies), st.tuples(st.just("/v1/batch"), batches.map(b"\n".join))
    )
    strange = st.tuples(paths.map("".join), bodies)
    return st.one_of(
        st.builds(_request, st.just("POST"), posted, tokens),
        st.builds(_request, st.sampled_from(_METHODS), strange, tokens),
    )


def _of(part: Json) -> st.SearchStrategy[Any]:
    """Values of a property as it is described, beyond its ends too."""
    if "const" in part:
        return st.sampled_from([part["const"], "0" * 64])
    if part.get("type") == "string":
        return st.from_regex(part["pattern"], fullmatch=True, alphabet="0123456789abcdef")
    numbers = st.one_of(st.integers(-2, 3), st.sampled_from([2**31, 2**60, 2**63, -(2**63) - 1, 10**30]))
    return st.lists(numbers, max_size=3) if part.get("type") == "array" else numbers


def _request(method: str, what: tuple[str, bytes], token: str) -> bytes:
    path, body = what
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def _pieces(mark: str) -> list[bytes]:
    """What breaks readers of HTTP, of JSON and of logs."""
    word = mark.encode()
    headers = [
        b"Transfer-Encoding: chunked",
        b"Content-Length: 3",
        b"Content-Length: -1",
        b"Content-Length: " + b"9" * 30,
        b"Expect: 100-continue",
        b"Upgrade: websocket\r\nConnection: Upgrade",
        b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings",
        b"Range: bytes=0-",
        b"If-None-Match: " + word,
        b"X-Forwarded-For: " + word,
        b"Origin: https://" + word,
        b"Origin: https://[" + word,
        b"Cookie: " + word * 9,
        word + b": " + word,
        b"X: " + b"a" * 70_000,
    ]
    words = [b"%", b"/../../", b"${jndi:", b"'; DROP TABLE ", b"{{", b"<script>", b"\x1b[31m", b'"\\ud800']
    bare = [b"\r\n\r\n", b"\n", b"\x00", b"\xff\xfe", b"[" * 500, b"1e999", b"NaN"]
    return [*(b"\r\n" + one + b"\r\n" for one in headers), *(one + word for one in words), *bare]


def mangled(target: Target, mark: str, chance: random.Random) -> bytes:
    """A request whose bytes were changed: some moved, doubled, taken away or put in."""
    path = chance.choice(target.paths) if chance.random() < 0.5 else "/v1/reports"
    body = f"{target.token} {target.line}" if path == "/v1/batch" else target.line
    made = _request("POST" if chance.random() < 0.8 else "GET", (path, body.encode()), target.token)
    for _ in range(chance.randrange(1, 4)):
        made = chance.choice(_CHANGES)(made, mark, chance)
    return made


def _put_in(made: bytes, mark: str, chance: random.Random) -> bytes:
    at = chance.choice(
        [made.find(b"\r\n"), made.find(b"\r\n\r\n"), chance.randrange(len(made) + 1), made.find(b" ") + 2]
    )
    return made[: max(at, 0)] + chance.choice(_pieces(mark)) + made[max(at, 0) :]


def _turned(made: bytes, mark: str, chance: random.Random) -> bytes:
    found = bytearray(made or b"\0")
    for _ in range(chance.randrange(1, 6)):
        found[chance.randrange(len(found))] = chance.randrange(256)
    return bytes(found)


def _cut(made: bytes, mark: str, chance: random.Random) -> bytes:
    return made[: chance.randrange(len(made) + 1)]


def _without(made: bytes, mark: str, chance: random.Random) -> bytes:
    at = chance.randrange(len(made) + 1)
    return made[:at] + made[at + chance.randrange(1, 30) :]


def _doubled(made: bytes, mark: str, chance: random.Random) -> bytes:
    at = chance.randrange(len(made) + 1)
    return made[:at] + made[at : at + 60] * 2 + made[at + 60 :]


def _marked(made: bytes, mark: str, chance: random.Random) -> bytes:
    return made.replace(b"localhost", mark.encode()).replace(
        b"/v1/", f"/{quote(mark)}/v1/".encode(), chance.randrange(2)
    )


def _garbage(made: bytes, mark: str, chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 400)) + mark.encode()


_CHANGES: tuple[Callable[[bytes, str, random.Random], bytes], ...] = (
    _put_in, _put_in, _put_in, _turned, _turned, _cut, _without, _doubled, _marked, _garbage
)  # fmt: skip


@dataclass
class Judged:
    """What became of hostile requests.

    Args:
        statuses: how many were answered by each; 0 for those that were not.
        faults: what no answer may be, a sentence each.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def judge(self, sent: bytes, mark: str, answer: bytes) -> None:
        """Note what was answered."""
        head = answer.split(b"\r\n", 1)[0].split(b" ")
        status = int(head[1]) if len(head) > 1 and head[0] == b"HTTP/1.1" and head[1].isdigit() else 0
        self.statuses[status] += 1
        wrong = [
            *([f"status {status}"] if status >= 500 else []),
            *(["no HTTP"] if answer and not status else []),
            *(["a traceback"] if b"Traceback" in answer or b'File "' in answer else []),
            *(["an echo"] if mark.encode() in answer else []),
        ]
        self.faults += [f"{what}: {sent[:300]!r} -> {answer[:300]!r}" for what in wrong]


async def try_all(place: Place, requests: Sequence[tuple[bytes, str]], judged: Judged) -> None:
    """Send requests, each over a connection of its own, and judge the answers."""
    waiting = iter(requests)

    async def one() -> None:
        for sent, mark in waiting:
            judged.judge(sent, mark, await _exchange(place, sent))

    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(one())


async def _exchange(place: Place, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(place.host, place.port)
    found = b""
    try:
        writer.write(sent)
        async with asyncio.timeout(_PATIENCE):
            while not _whole(found, sent) and (part := await reader.read(1 << 16)):
                found += part
    except (OSError, TimeoutError):  # it waits for more, or has closed
        pass
    finally:
        writer.close()
    return found


def _whole(found: bytes, sent: bytes) -> bool:
    """Whether an answer is complete."""
    head, end, body = found.partition(b"\r\n\r\n")
    if not end or head.startswith(b"HTTP/1.1 100"):
        return False
    length = head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0]
    return sent.startswith(b"HEAD") or (bool(length) and len(body) >= int(length))
