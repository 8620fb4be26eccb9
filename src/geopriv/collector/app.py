"""The service over HTTP: what it hands out, what it takes in, and in which words it refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route

from geopriv.collector import tokens
from geopriv.collector.analyst import Analyst, refusal
from geopriv.collector.bodies import Room, body_of
from geopriv.collector.callers import address, bearer, elsewhere
from geopriv.collector.coarse import Look, coarse
from geopriv.collector.headers import Headers
from geopriv.collector.live import Live
from geopriv.collector.openapi import openapi
from geopriv.collector.pages import Page, analyst_pages, participant_pages
from geopriv.collector.problems import Problem, Refused
from geopriv.collector.rates import Rates
from geopriv.collector.receiver import Answer, Receiver
from geopriv.collector.verdicts import Sent, Verdict, read
from geopriv.errors import GeoprivError, Unavailable
from geopriv.surveys.design import Design

LINE = 4_096  # bytes of a report: it has some 150
LINES = 1_000  # reports in a batch
_ANSWERED = 30.0  # seconds in which a report that was read is answered
_LATER = {"Retry-After": "5"}
_HEADERS = {
    Verdict.TOO_FAST: _LATER,
    Verdict.NO_TOKEN: {"WWW-Authenticate": "Bearer"},
    Verdict.TOO_SLOW: {"Connection": "close"},  # what still comes of it is not waited for
}


@dataclass
class Service:
    """What requests are answered from.

    Args:
        design: of the survey.
        receiver: of reports.
        live: answers so far.
        rates: of requests.
        invited: whether a report needs a token.
        analyst: answers who asks about the reports together.
        origins: pages of other hosts that may send reports.
    """

    design: Design
    receiver: Receiver
    live: Live
    rates: Rates
    invited: bool
    analyst: Analyst
    origins: tuple[str, ...] = ()
    about: Look[int] = field(init=False)
    able: Look[None] = field(init=False)
    _room: Room = field(default_factory=Room)  # for batches; single reports are small
    _handed: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        age = min(self.live.age, 1.0)
        self.about = Look(lambda: coarse(self.live.store.counted()), age, old=True)
        self.able = Look(self.live.store.look, age)
        self._handed = self.design.to_bytes()

    def close(self) -> None:
        """Write all that waits, and let go of the database."""
        self.receiver.close()
        self.about.close()
        self.able.close()
        self.live.store.close()

    async def hand_out(self, request: Request) -> Response:
        """The design, as devices verify it."""
        return Response(self._handed, media_type="application/json", headers={"ETag": f'"{self.design.hash}"'})

    async def take_one(self, request: Request) -> Response:
        """One report, with its token in the header Authorization."""
        if (refused := self._refused(request)) is not None:
            return self._said(refused)
        try:
            line = await body_of(request, LINE)
        except TimeoutError:
            return self._said(Verdict.TOO_SLOW)
        if line is None:
            return self._said(Verdict.TOO_LARGE)
        token = tokens.read(bearer(request))
        if self.invited and token is None:
            return self._said(Verdict.NO_TOKEN)
        (verdict,) = await self._verdicts([read(self.design, line, token if self.invited else None)])
        return self._said(verdict)

    async def take_batch(self, request: Request) -> Response:
        """Lines of reports, each behind its token and a space where reports need one: a verdict for each."""
        if (refused := self._refused(request)) is not None:
            return self._said(refused)
        with self._room.taken(address(request)) as take:
            try:
                body = await body_of(request, LINE * LINES, take)
            except TimeoutError:
                return self._said(Verdict.TOO_SLOW)
            if body is None or body.count(b"\n") > LINES:
                return self._said(Verdict.TOO_LARGE)
            # at what was counted, and at nothing else that ends lines elsewhere
            lines = body.removesuffix(b"\n").split(b"\n") if body else []
            found = await self._verdicts([self._line(line) for line in lines])
            self.receiver.note(found)
            self.rates.charge(address(request), max(0, found.count(Verdict.UNKNOWN_TOKEN) - 1))
            return JSONResponse({"verdicts": [verdict.words for verdict in found]})

    async def alive(self, request: Request) -> Response:
        """That this process answers; of the database it knows nothing."""
        return self._fresh({"design": self.design.hash})

    async def ready(self, request: Request) -> Response:
        """Whether reports are being written: the last were, and the database answers."""
        self.receiver.require_writing()
        await self.able.seen()
        return self._fresh({"design": self.design.hash})

    async def count(self, request: Request) -> Response:
        """About how many reports there are: one coarse number, and nothing else."""
        return self._fresh({"at_least": await self.about.seen()})

    def _fresh(self, document: dict[str, object]) -> Response:
        return JSONResponse(document, headers={"Cache-Control": "no-store"})

    def _refused(self, request: Request) -> Verdict | None:
        """Why no report of a request is read, whatever stands in it."""
        if not self.rates.allow(address(request)):
            return Verdict.TOO_FAST
        return Verdict.OTHER_SITE if elsewhere(request, self.origins) else None

    def _line(self, line: bytes) -> Sent | Verdict:
        if len(line) > LINE:
            return Verdict.TOO_LARGE
        if not self.invited:
            return read(self.design, line, None)
        words, _, rest = line.partition(b" ")
        token = tokens.read(words.decode("ascii", "replace"))
        return Verdict.NO_TOKEN if token is None else read(self.design, rest, token)

    async def _verdicts(self, found: Sequence[Sent | Verdict]) -> list[Verdict]:
        """What becomes of each: those that could be reports are written first."""
        sent = [each for one in found for each in one.waiting]
        try:
            async with asyncio.timeout(_ANSWERED):
                taken = iter(await _heard(self.receiver.take(sent)) if sent else [])
        except TimeoutError:
            raise Unavailable("The database does not answer. Send the same again: it is counted once.") from None
        return [next(taken) if one.settled is None else one.settled for one in found]

    def _said(self, verdict: Verdict) -> Response:
        self.receiver.note([verdict])
        return JSONResponse({"verdict": verdict.words}, verdict.status, _HEADERS.get(verdict))


def application(service: Service) -> Starlette:
    """The service as an application; graceful: when it stops, what waits is written.

    Args:
        service: that answers.
    """

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        # this thread is woken once for each transaction, and not once for each report in it
        service.receiver.deliver = asyncio.get_running_loop().call_soon_threadsafe
        yield
        await run_in_threadpool(service.close)

    pages = participant_pages(service.design, service.invited)
    pages |= analyst_pages(service.design, service.analyst.everybody, service.live.age)
    described = json.dumps(openapi(service.design, service.invited, service.analyst.everybody))
    pages |= {"/v1/openapi.json": Page(described.encode(), "application/json")}
    # looked through in this order: first what most ask for
    routes = [
        Route("/v1/reports", service.take_one, methods=["POST"]),
        Route("/v1/design", service.hand_out),
        Route("/v1/batch", service.take_batch, methods=["POST"]),
        Route("/v1/count", service.count),
        Route("/v1/live", service.alive),
        Route("/v1/ready", service.ready),
        *(Route(path, _shown(page)) for path, page in pages.items()),
        *service.analyst.routes(),
    ]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=list(service.origins),
        allow_methods=["GET", "POST"],
        allow_headers=["Authorization"],
    )
    made = Starlette(
        routes=routes,
        middleware=[Middleware(Headers), *([cors] if service.origins else [])],
        exception_handlers={
            Unavailable: _unavailable,
            Refused: refusal,
            GeoprivError: _refused,
            ClientDisconnect: _gone,
            HTTPException: _wrong,
            Exception: _broken,
        },
        lifespan=living,
    )
    made.router.redirect_slashes = False  # it would send people to whichever host a request names
    return made


def _shown(page: Page) -> Callable[[Request], Awaitable[Response]]:
    async def show(request: Request) -> Response:
        headers = {"Cache-Control": "no-cache", **({"Content-Security-Policy": page.policy} if page.policy else {})}
        return Response(page.content, media_type=page.media_type, headers=headers)

    return show


def _heard(answer: Answer) -> asyncio.Future[list[Verdict]]:
    """The verdicts of the receiver, to be awaited here."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[list[Verdict]] = loop.create_future()

    def hand_on() -> None:
        if heard.done():  # who asked has gone
            return
        error = answer.exception()
        if error is None:
            heard.set_result(answer.result())
        else:
            heard.set_exception(error)

    answer.add_done_callback(lambda _: hand_on() if _runs(loop) else loop.call_soon_threadsafe(hand_on))
    return heard


def _runs(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether this is a call of the loop's own."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


async def _unavailable(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 503, _LATER)


async def _refused(request: Request, error: Exception) -> Response:
    return await refusal(request, Refused(Problem.NOT_ANSWERED))


async def _gone(request: Request, error: Exception) -> Response:
    """Who left in the middle of a request hears nothing; it is no fault of the service, and nothing was written."""
    return Response(status_code=400)


async def _wrong(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 400
    words = {404: "There is no such page.", 405: "This is not what the page is for."}
    headers = {"Allow": ", ".join(_methods(request))} if status == 405 else None
    return JSONResponse({"error": words.get(status, "The request cannot be read.")}, status, headers)


def _methods(request: Request) -> list[str]:
    """What may be done with a page, of all routes that lead to it."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return sorted({method for route in routes for method in route.methods or ()})


async def _broken(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "Something went wrong here; nothing was echoed."}, 500)
