"""Who calls, as far as a request says it."""

from __future__ import annotations

from starlette.requests import Request


def bearer(request: Request) -> str | None:
    """What stands behind "Bearer" in the header Authorization; None where nothing does."""
    words = request.headers.get("authorization", "").split(" ")
    return words[1] if len(words) == 2 and words[0].casefold() == "bearer" else None


def address(request: Request) -> str:
    """The address that is called from; it is kept in memory only."""
    return request.client.host if request.client is not None else ""
