"""Headers that every answer has: pages take nothing from elsewhere, and are shown in no other page."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from geopriv.pages.page import page_policy

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " + (
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)
_EVERY = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(self)",
}
_SENT = [(name.lower().encode(), words.encode()) for name, words in _EVERY.items()]


def report_policy() -> str:
    """What the page of answers may do: what it allows itself, and to be shown in a page of this service."""
    return f"{page_policy()}; form-action 'none'; frame-ancestors 'self'"


class Headers:
    """Adds the headers to what an application answers.

    Args:
        app: the application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}  # a page may have a policy of its own
                message["headers"] = [*message["headers"], *(each for each in _SENT if each[0] not in own)]
            await send(message)

        await self._app(scope, receive, with_headers)
