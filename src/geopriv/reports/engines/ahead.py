"""One item ahead: while one is worked on, the next is being made in a thread of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")


def ahead(items: Generator[Item, None, None]) -> Iterator[Item]:
    """The same items in the same order, at most one of them waiting; errors come where the item would."""
    with ThreadPoolExecutor(1) as thread:
        try:
            waiting = thread.submit(next, items, None)
            while (item := waiting.result()) is not None:
                waiting = thread.submit(next, items, None)
                yield item
        finally:
            thread.submit(items.close)  # after what is being made, so that files are closed
