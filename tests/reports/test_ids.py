"""The set of ids that were seen: as exact as a set of Python, in a fraction of its memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from geopriv.reports.ids import SeenIds, packed
from geopriv.spaces import threads

BATCH = 1 << 14


def drawn(rng: np.random.Generator, n: int) -> bytes:
    return rng.bytes(16 * n)


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("alphabet", [b"\x00\xff", b"\x00 \n", bytes(range(256))])
def test_it_says_what_a_python_set_says(cores: int, alphabet: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that text would drop (zeros, spaces, newlines at the end), and few of them, so that ids repeat."""
    monkeypatch.setattr(threads, "cores", lambda: cores)
    rng, seen, known = np.random.default_rng(1), SeenIds(), set[bytes]()
    letters = np.frombuffer(alphabet, dtype=np.uint8)
    for size in (0, 1, 50, 3000, 3000, 1, 20_000):
        ends = np.zeros((size, 16), dtype=np.uint8)
        ends[:, -3:] = letters[rng.integers(0, letters.size, (size, 3))]
        ends[:, :2] = letters[rng.integers(0, letters.size, (size, 2))]
        raw = ends.tobytes()
        expected = []
        for i in range(0, len(raw), 16):
            expected.append(raw[i : i + 16] not in known)
            known.add(raw[i : i + 16])
        assert seen.add(packed(raw.hex().encode())).tolist() == expected
    assert len(seen) == len(known)


def test_ids_that_differ_in_one_bit_are_different() -> None:
    rng, seen = np.random.default_rng(2), SeenIds()
    first = int.from_bytes(rng.bytes(16))
    family = b"".join((first ^ (1 << bit)).to_bytes(16) for bit in range(128))
    assert seen.add(packed(first.to_bytes(16).hex().encode())).all()
    assert seen.add(packed(family.hex().encode())).all()
    assert not seen.add(packed(family.hex().encode())).any()
    assert len(seen) == 129


def test_an_id_takes_less_than_20_bytes_while_ids_are_added() -> None:
    rng, seen, batches = np.random.default_rng(3), SeenIds(), 64
    batch = 16 * BATCH * 8  # bytes that one call may need for its own ids, their order and what it found
    tracemalloc.start()
    try:
        for _ in range(batches):
            seen.add(np.frombuffer(drawn(rng, BATCH), "S16"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(seen) == batches * BATCH
    assert peak - batch < 20 * len(seen)
    assert all(len(runs) < 12 for runs in seen._parts)
