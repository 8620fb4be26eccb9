"""One browser for all tests of pages, where there is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import Browser, chromium, opened


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window."""
    program = chromium()
    if program is None:
        pytest.skip("no Chromium: `make test` installs Debian's where it may; CHROMIUM names another")
    with opened(program) as found:
        yield found
