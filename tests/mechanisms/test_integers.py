"""Whole numbers that people send: those of `report`, and mechanisms drawn as devices draw them."""

from __future__ import annotations

import numpy as np
import pytest

import geopriv as gp
from geopriv.device.draws import draw_share
from geopriv.mechanisms.sendable import draw_shares
from tests.designs import lattice_design, table_design
from tests.rows import CITY
from tests.sources import Given, Seeded, report, report_integers


def test_a_tables_letters_are_the_values_that_it_reports() -> None:
    (table,) = table_design().mechanisms
    assert isinstance(table, gp.Table)
    x = np.linspace(-3, 3, 5000)
    letters = report_integers(table, x, Seeded(3))
    np.testing.assert_array_equal(table.values[letters[:, 0]], report(table, x, Seeded(3)).values)


@pytest.mark.parametrize("space", [gp.Line("m"), gp.Plane(), CITY], ids=lambda s: type(s).__name__)
def test_a_lattices_cells_are_those_that_it_reports(space: gp.spaces.Space) -> None:
    (lattice,) = lattice_design(space).mechanisms
    x = np.random.default_rng(0).uniform(-30.0, 30.0, (2000, *space.point_shape))
    cells = report_integers(lattice, x, Seeded(4))
    assert cells.dtype == np.int64
    np.testing.assert_array_equal(cells.reshape(x.shape), report(lattice, x, Seeded(4)).values)


@pytest.mark.parametrize("shares", [(1, 2, 5), (1, 1), (3, 10**9), (5,)])
def test_shares_are_drawn_from_the_same_bytes_as_on_a_device(shares: tuple[int, ...]) -> None:
    words = np.random.default_rng(1).bytes(8 * 300)
    expected = [draw_share(shares, lambda n, k=k: words[k : k + n]) for k in range(0, len(words), 8)]  # type: ignore[misc]
    assert draw_shares(shares, 300, Given(words)).tolist() == expected


def test_a_word_beyond_the_last_multiple_is_drawn_again() -> None:
    top, low = (2**64 - 1).to_bytes(8, "little"), (1).to_bytes(8, "little")
    assert draw_shares((1, 2), 2, Given(top + low + low)).tolist() == [1, 1]
    assert draw_shares((1, 1), 1, Given(top)).tolist() == [1]  # of an even total every word counts
    with pytest.raises(EOFError):
        draw_shares((1, 2), 1, Given(top))
