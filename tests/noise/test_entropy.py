"""Random bits: fair, never given out twice, safe across forks and threads, and failing closed."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from scipy import special

from geopriv.noise import entropy as module
from geopriv.noise.entropy import Entropy, Source
from tests.sources import Given


def chi_square(counts: object) -> float:
    """The probability of so uneven counts, or more uneven ones, from a fair source."""
    seen = np.asarray(counts, dtype=np.float64)
    expected = seen.sum() / seen.size
    return float(special.chdtrc(seen.size - 1, ((seen - expected) ** 2 / expected).sum()))


class Biased(Source):
    """The planted fault: the lowest bit is set a little too often."""

    def bytes(self, n: int) -> bytes:
        raw = np.frombuffer(os.urandom(2 * n), dtype=np.uint8).reshape(2, n)
        return bytes((raw[0] | (raw[1] < 8)).astype(np.uint8))


def test_bytes_are_fair_and_a_biased_source_is_caught() -> None:
    # the source cannot be seeded: the error rate is 1e-9 a run, and the fault is missed less often than that
    for source, fair in ((Entropy(), True), (Biased(), False)):
        drawn = np.frombuffer(b"".join(source.bytes(1000) for _ in range(2000)), dtype=np.uint8)
        assert (chi_square(np.bincount(drawn, minlength=256)) > 1e-9) is fair


@pytest.mark.parametrize("size", [0, 1, 7, 8, 4096, 1 << 15, (1 << 15) + 1, 1 << 18])
def test_as_many_bytes_come_as_were_asked_for(size: int) -> None:
    assert len(Entropy().bytes(size)) == size


def test_no_bytes_are_given_out_twice() -> None:
    entropy = Entropy()
    pieces = [entropy.bytes(16) for _ in range(20_000)]
    assert len(set(pieces)) == len(pieces)


# SP 800-38A, F.5.5: a key, a counter, and what they encrypt zeros to
KEY = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
COUNTER = bytes(range(0xF0, 0x100))
STREAM = "0bdf7df1591716335e9a8b15c860c5025a6e699d536119065433863c8f657b94"
STREAM += "1bc12c9c01610d5d0d8bd6a3378eca622956e1c8693536b1bee99c73a31576b6"


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every key is the published one; how many bytes each took."""
    asked: list[int] = []

    def known(n: int) -> bytes:
        asked.append(n)
        return KEY + COUNTER

    monkeypatch.setattr(os, "urandom", known)
    return asked


def test_the_stream_is_that_of_the_published_cipher(keys: list[int]) -> None:
    entropy = Entropy()
    given = entropy.bytes(5) + entropy.integers64(2).astype("<u8").tobytes() + entropy.bytes(43)
    assert given.hex() == STREAM
    assert keys == [48]


@pytest.mark.parametrize("size", [1 << 16, (1 << 16) + 8, 1 << 20])
def test_pieces_of_the_stream_follow_each_other(keys: list[int], size: int) -> None:
    whole = Cipher(algorithms.AES(KEY), modes.CTR(COUNTER)).encryptor().update(bytes(2 * size))
    entropy = Entropy()
    assert entropy.bytes(size) == whole[:size]
    assert entropy.integers64(size // 8).astype("<u8").tobytes() == whole[size:]
    assert len(keys) == 1


def test_a_key_is_used_for_so_many_bytes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bytes] = []
    system = os.urandom

    def noted(n: int) -> bytes:
        drawn.append(system(n))
        return drawn[-1]

    monkeypatch.setattr(os, "urandom", noted)
    monkeypatch.setattr(module, "_MOST", 1000)
    entropy = Entropy()
    pieces = [entropy.bytes(300) for _ in range(9)]
    assert len(set(pieces)) == 9
    assert len(set(drawn)) == len(drawn) == 3  # three pieces each: a fourth would be too many
    entropy.bytes(5000)
    assert len(drawn) == 4
    assert module.Stream(None).left == 1000
    assert Entropy().__dict__.keys() == {"_own"}  # and nothing that was drawn is kept


def test_numbers_below_are_uniform_and_in_range() -> None:
    entropy = Entropy()
    drawn = [entropy.below(10) for _ in range(20_000)]
    assert set(drawn) == set(range(10))
    assert chi_square(np.bincount(drawn)) > 1e-9
    assert entropy.below(1) == 0
    assert 0 <= entropy.below(3**200) < 3**200
    with pytest.raises(ValueError, match="at least 1"):
        entropy.below(0)


def test_numbers_below_are_drawn_again_and_never_folded() -> None:
    # folding 12 … 15 onto 2 … 5 would make small numbers likelier
    source = Given(bytes([15 << 4, 12 << 4, 9 << 4, 10 << 4, 3 << 4]))
    assert [source.below(10), source.below(10)] == [9, 3]
    assert source.used == 5


def test_whole_numbers_are_the_bytes_from_the_lowest_up() -> None:
    given = bytes(range(16))
    assert Given(given).integers64(2).tolist() == [
        int.from_bytes(given[:8], "little"),
        int.from_bytes(given[8:], "little"),
    ]
    assert Given(b"\xff").bits(3) == 7
    assert Given(b"").bits(0) == 0


def test_threads_never_share_bytes() -> None:
    entropy = Entropy()
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda _: [entropy.bytes(16) for _ in range(2000)], range(8)))
    pieces = [piece for part in parts for piece in part]
    assert len(set(pieces)) == len(pieces)


FORK = """
import os
from geopriv.noise.entropy import ENTROPY
ENTROPY.bytes(1)  # begins the stream that a child must not share
{before}
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, ENTROPY.bytes(32))
    os._exit(0)
theirs, ours = os.read(read, 32), ENTROPY.bytes(32)
print(len(theirs) == 32 and theirs != ours)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize(
    ("before", "own"),
    [
        ("", True),
        ("import threading; threading.Thread(target=ENTROPY.integers64, args=(1 << 27,), daemon=True).start()", True),
        ("from geopriv.noise.entropy import PROCESS; PROCESS._page, PROCESS._number, os.getpid = [1], 0, int", False),
    ],
    ids=["alone", "while another thread draws", "planted: no process is known from another"],
)
def test_a_forked_child_has_its_own_bytes_and_waits_for_nobody(before: str, own: bool) -> None:
    program = FORK.format(before=before)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == str(own)


IN_C = """
import ctypes, os, sys
from geopriv.noise import entropy
from geopriv.noise.entropy import ENTROPY
{before}
ENTROPY.bytes(1)
read, write = os.pipe()
fork = ctypes.PyDLL(None).fork  # the C library's: Python is not told
child = fork()
assert child >= 0
for size in (32, 1 << 16):
    given = ENTROPY.bytes(size)[:32]
    if child == 0:
        os.write(write, given)
    else:
        theirs = os.read(read, 32)
        print(len(theirs) == 32 and theirs != given and any(theirs))
sys.stdout.flush()
os._exit(0)
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is cleared in children on Linux only")


def printed(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.split()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_forked_in_c_has_its_own_bytes() -> None:
    assert printed(IN_C.format(before="")) == ["True", "True"]


@linux
def test_a_child_with_the_number_of_its_parent_has_its_own_bytes() -> None:
    """As in a namespace of its own, or after numbers have gone round."""
    assert printed(IN_C.format(before="os.getpid = lambda: 1")) == ["True", "True"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_is_known_by_its_number_where_memory_is_not_cleared() -> None:
    assert printed(IN_C.format(before="entropy.PROCESS._page = bytearray(1)")) == ["True", "True"]


DRAWING = [function.__code__ for function in (Entropy.bytes, Entropy._fill, module.Stream.fill)]


def lines_of(act: Callable[[], None], stop: int, entropy: Entropy) -> tuple[bytes | None, int]:
    """Bytes drawn while `act` is called before line `stop` of the drawing; and how many lines there were."""
    seen = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal seen
        if frame.f_code not in DRAWING:
            return None
        if event == "line":
            seen += 1
            if seen == stop:
                sys.settrace(None)
                act()
        return trace

    before = sys.gettrace()
    try:
        sys.settrace(trace)
        return entropy.bytes(64), seen
    except KeyboardInterrupt:
        return None, seen
    finally:
        sys.settrace(before)


def interrupt() -> None:
    raise KeyboardInterrupt


def test_an_interrupt_at_any_line_gives_no_bytes_twice_and_no_zeros() -> None:
    stopped = set()
    for stop in range(1, 20):
        entropy = Entropy()
        pieces = [entropy.bytes(64)]
        pieces += [given for given, _ in [lines_of(interrupt, stop, entropy)] if given is not None]
        stopped.add(len(pieces))
        pieces += [entropy.bytes(64) for _ in range(3)]
        assert len(set(pieces)) == len(pieces)
        assert bytes(64) not in pieces
    assert stopped == {1, 2}


def test_a_signal_that_draws_while_bytes_are_drawn_neither_waits_nor_shares() -> None:
    for stop in range(1, 20):
        entropy, pieces = Entropy(), []
        pieces.append(entropy.bytes(64))
        given, _ = lines_of(lambda: pieces.append(entropy.bytes(64)), stop, entropy)  # noqa: B023 # called at once
        assert given is not None
        pieces += [given, entropy.bytes(64)]
        assert len(set(pieces)) == len(pieces)
        assert bytes(64) not in pieces


FORK_AT = """
import ctypes, os, sys
from geopriv.noise.entropy import ENTROPY, Entropy, Stream
fork = ctypes.PyDLL(None).fork
for stop in range(1, 15):
    ENTROPY.bytes(1)
    (read, write), child, seen = os.pipe(), None, 0
    def trace(frame, event, _):
        global child, seen
        if frame.f_code in (Entropy._fill.__code__, Stream.fill.__code__):
            seen += event == "line"
            if seen == stop and child is None:
                child = fork()
            return trace
    sys.settrace(trace)
    given = ENTROPY.bytes(32)
    sys.settrace(None)
    if child == 0:
        os.write(write, given)
        os._exit(0)
    if child:
        theirs = os.read(read, 32)
        os.waitpid(child, 0)
        print(theirs != given and any(theirs) and any(given))
"""


@linux
def test_a_fork_by_a_signal_at_any_line_gives_no_bytes_twice_and_no_zeros() -> None:
    results = printed(FORK_AT)
    assert len(results) > 8
    # only one that comes after the last look finds the same bytes on their way out
    assert results.count("False") <= 1
    assert set(results[:-2]) == {"True"}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_generator_cannot_be_copied_or_stored(copied: Callable[[Entropy], object]) -> None:
    with pytest.raises(TypeError, match="twice"):
        copied(Entropy())


def test_a_generator_cannot_be_seeded() -> None:
    with pytest.raises(TypeError):
        Entropy(42)  # type: ignore[call-arg]


def test_when_the_generator_fails_nothing_is_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(n: int) -> bytes:
        raise OSError("no entropy")

    used = Entropy()
    used.bytes(1)
    used._own.stream.left = 15
    for generate, match in ((broken, "no entropy"), (lambda n: bytes(n - 1), "fewer bytes")):
        monkeypatch.setattr(os, "urandom", generate)
        for entropy, size in ((Entropy(), 16), (Entropy(), 1 << 17), (used, 16)):
            for draw in (entropy.bytes, entropy.integers64):
                with pytest.raises(OSError, match=match):
                    draw(size)


def test_the_generator_needs_no_numpy() -> None:
    program = f"import runpy, sys; runpy.run_path({module.__file__!r})['ENTROPY'].below(7); "
    program += "print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
