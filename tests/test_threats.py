"""The page of threats names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_promise_of_the_page_names_a_test_that_exists() -> None:
    text = (ROOT / "docs" / "threats.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and line.count("|") == 4]
    promises = [row for row in rows if not row.startswith(("| promise", "| who", "|---"))]
    named = [re.findall(r"`((?:test_|bench/)\w+\.py)`", row.split("|")[3]) for row in promises]
    trusted = [row for row in promises if "`test_" not in row]
    assert len(promises) - len(trusted) >= 22
    for names in named:
        for name in names:
            assert (ROOT / name).is_file() if "/" in name else list((ROOT / "tests").rglob(name)), name


def test_security_names_the_page() -> None:
    assert "docs/threats.md" in (ROOT / "SECURITY.md").read_text("utf-8")
