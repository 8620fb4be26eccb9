"""Bits that can be had again: a stream a person, the same in every batch, and the exact samplers' own law."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

import geopriv as gp
from geopriv.mechanisms.sendable import draw_shares
from geopriv.noise.keyed import Keyed
from geopriv.noise.plans import CHUNK
from geopriv.spaces.checks import FloatArray
from tests.designs import small_table
from tests.rows import CITY
from tests.sources import report_integers

KEY = bytes(range(32))
TABLE = small_table(gp.Threshold(0.0, 2.0), 1.0)


def people(n: int) -> list[bytes]:
    return [b"person %d" % i for i in range(n)]


def stream(name: bytes, blocks: int) -> npt.NDArray[np.uint64]:
    """The definition, in three lines."""
    salts = [j.to_bytes(16, "little") for j in range(blocks)]
    whole = b"".join(blake2b(name, key=KEY, salt=salt, person=b"geopriv bits").digest() for salt in salts)
    return np.frombuffer(whole, "<u8")


def test_a_stream_is_the_keyed_hash_of_the_name_block_by_block() -> None:
    source = Keyed(people(3), KEY)
    parts = [source.words(3, count) for count in (2, 3, 1, 30, 5)]  # beyond the first block, and across others
    np.testing.assert_array_equal(np.concatenate(parts, axis=1)[1], stream(b"person 1", 6)[:41])


def test_no_word_is_read_twice_whoever_reads_it() -> None:
    """A view of some people moves on only their streams, and moves them on for everybody."""
    source = Keyed(people(4), KEY)
    source.words(4, 1)
    some = source.among(np.array([3, 1]))
    np.testing.assert_array_equal(some.words(2, 1)[:, 0], [stream(name, 1)[1] for name in (b"person 3", b"person 1")])
    assert some.among(slice(1, 2)).bytes(5) == stream(b"person 1", 1)[2:3].tobytes()[:5]
    found = source.words(4, 1)[:, 0]
    np.testing.assert_array_equal(found, [stream(b"person %d" % i, 1)[at] for i, at in enumerate((1, 3, 1, 2))])


def test_bytes_for_several_people_at_once_are_refused() -> None:
    for call in (lambda: Keyed(people(2), KEY).bytes(8), lambda: Keyed(people(2), KEY).words(3, 1)):
        with pytest.raises(ValueError, match="bits of their own"):
            call()


RNG = np.random.default_rng(0)
CASES: dict[str, tuple[gp.Table | gp.Lattice, FloatArray]] = {
    "table": (TABLE, RNG.uniform(-3.0, 3.0, 500)),
    "map": (gp.Lattice.calibrate(CITY, 1e-3, 500.0), RNG.uniform((40.6, -74.1), (40.8, -73.8), (500, 2))),
    "space": (gp.Lattice.calibrate(gp.Euclidean(3), 1.0, 1.0), RNG.normal(size=(500, 3))),
}


@pytest.mark.parametrize("case", CASES)
def test_a_persons_report_does_not_depend_on_the_others(case: str) -> None:
    mechanism, x = CASES[case]
    together = report_integers(mechanism, x, Keyed(people(500), KEY))
    order = np.random.default_rng(1).permutation(500)
    names = [people(500)[i] for i in order]
    np.testing.assert_array_equal(report_integers(mechanism, x[order], Keyed(names, KEY)), together[order])
    for i in (0, 17):  # alone there is no float filter: balls decide from the same bits
        alone = report_integers(mechanism, x[i : i + 1], Keyed(people(500)[i : i + 1], KEY))
        np.testing.assert_array_equal(alone[0], together[i])


@pytest.mark.parametrize("case", ["table", "map"])
def test_neither_chunks_nor_threads_change_a_report(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads read from one source, each the streams of its own people."""
    mechanism, some = CASES[case]
    n, cut = 2 * CHUNK + 1000, 40_000
    x, names = np.resize(some, (n, *some.shape[1:])), people(n)
    parts = [
        report_integers(mechanism, x[part], Keyed(names[part], KEY)) for part in (slice(0, cut), slice(cut, cut + 9))
    ]
    monkeypatch.setattr("geopriv.spaces.threads.cores", lambda: 4)
    whole = report_integers(mechanism, x, Keyed(names, KEY))
    np.testing.assert_array_equal(whole[: cut + 9], np.concatenate(parts))


def test_another_key_gives_other_reports() -> None:
    x = np.zeros(1000)
    first, second = (report_integers(TABLE, x, Keyed(people(1000), key)) for key in (KEY, KEY[::-1]))
    assert 200 < (first != second).sum() < 1000


def test_shares_that_are_drawn_again_leave_the_next_words_fresh() -> None:
    """With a total just above 2^62 a quarter of the words is drawn again; then each person's next word is unread."""
    shares = ((1 << 62) + 1, 1)
    source, n = Keyed(people(2000), KEY), 2000
    which = draw_shares(shares, n, source)
    assert (which == 0).all()
    limit = (1 << 64) - (1 << 64) % sum(shares)
    streams = np.array([stream(name, 4) for name in people(n)])
    used = 1 + (streams < np.uint64(limit)).argmax(axis=1)
    assert used.max() > 3
    np.testing.assert_array_equal(source.words(n, 1)[:, 0], streams[np.arange(n), used])


def test_keyed_reports_have_the_tables_law() -> None:
    """A chi-square test with a fixed key, at the level 1e-4; a law at a value 0.4 away fails it."""
    x, n = 0.55, 60_000
    found = np.bincount(report_integers(TABLE, np.full(n, x), Keyed(people(n), KEY))[:, 0], minlength=4)
    lattice, weights = TABLE.lattice, TABLE.weights / 2.0**60
    chances = []
    for value in (x, x + 0.4):
        cell = int(np.searchsorted(lattice, value, side="right")) - 1
        share = (value - lattice[cell]) / (lattice[cell + 1] - lattice[cell])
        law = (1 - share) * weights[cell] + share * weights[cell + 1]
        chances.append(stats.chisquare(found, n * law / law.sum()).pvalue)
    assert chances[0] > 1e-4
    assert chances[1] < 1e-9
