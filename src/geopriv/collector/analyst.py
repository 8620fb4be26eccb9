"""What an analyst reads over HTTP, behind a key: answers, files of them, how far the survey is, and counts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from geopriv.collector.callers import address, bearer
from geopriv.collector.headers import report_policy
from geopriv.collector.keys import Key, digest_of
from geopriv.collector.live import Live
from geopriv.collector.metrics import metrics_text
from geopriv.collector.overview import overview
from geopriv.collector.problems import Problem, Refused
from geopriv.collector.rates import Rates
from geopriv.collector.receiver import Receiver
from geopriv.surveys.design import Design

Handler = Callable[[Request], Awaitable[Response]]

_DIGITS = 9  # of a number in an address
_FRESH = {"Cache-Control": "no-store"}
_WHO, _LATER = {"WWW-Authenticate": "Bearer"}, {"Retry-After": "5"}
_MORE = {Problem.NO_KEY: _WHO, Problem.WRONG_KEY: _WHO, Problem.TOO_FAST: _LATER}
_FILES = {
    "csv": (".csv", "text/csv; charset=utf-8"),
    "geojson": (".geojson", "application/geo+json"),
}


@dataclass(frozen=True)
class Analyst:
    """Answers requests about the reports together.

    Programs show the key in the header Authorization. A browser shows it once and is given a pass in a cookie, which
    is kept from every script and sent to no page of elsewhere; so reports and files are plain addresses without a key
    in them, and nothing that could be stolen stands where a script reads it.

    Args:
        live: the reports.
        receiver: whose verdicts are counted.
        rates: of requests with a key, right or wrong: nobody can try many.
        key: that is asked for.
        everybody: whether answers are for everybody; counts for Prometheus never are.
        target: half of the 95 % interval that is wanted of every share; None where none is.
        wrong: how many wrong keys were tried since the start.
    """

    live: Live
    receiver: Receiver
    rates: Rates
    key: Key
    everybody: bool = False
    target: float | None = None
    wrong: Counter[Problem] = field(default_factory=Counter)

    def routes(self) -> list[Route]:
        """All that is answered here."""
        files = [Route(f"/v1/answers.{name}", self._read(self._file(name))) for name in _FILES]
        return [
            Route("/v1/session", self.enter, methods=["POST"]),
            Route("/v1/session", self.leave, methods=["DELETE"]),
            Route("/v1/answers", self._read(self.answers)),
            *files,
            Route("/v1/report.html", self._read(self.report)),
            Route("/v1/overview", self._read(self.overview)),
            Route("/v1/shifts", self._read(self.shifts)),
            Route("/metrics", self._locked(self.measure)),
        ]

    async def enter(self, request: Request) -> Response:
        """A pass for a browser, against the key."""
        self._require_key(request)
        answer = Response(status_code=204)
        secure = request.url.scheme == "https"
        shown = self.key.new_pass(time.time())
        answer.set_cookie(
            self._cookie, shown, max_age=self.key.lasting, httponly=True, samesite="strict", secure=secure
        )
        return answer

    async def leave(self, request: Request) -> Response:
        """The browser forgets its pass, which is good for nobody any more."""
        shown = request.cookies.get(self._cookie, "")
        if self.key.admits(shown, time.time()):
            await run_in_threadpool(self.live.store.end, digest_of(shown))
        answer = Response(status_code=204)
        answer.delete_cookie(self._cookie, httponly=True, samesite="strict")
        return answer

    async def answers(self, request: Request) -> Response:
        """Answers so far, as estimates.json has them."""
        round = _number(request, "round", Problem.WRONG_ROUND)
        found = await run_in_threadpool(lambda: self.live.answers(round).to_document())
        return JSONResponse(found)

    async def report(self, request: Request) -> Response:
        """The page of answers, as `geopriv estimate` writes it; it may stand in the analyst's page."""
        round = _number(request, "round", Problem.WRONG_ROUND)
        found = await run_in_threadpool(lambda: self.live.now().page(round))
        return Response(found, media_type="text/html", headers={"Content-Security-Policy": report_policy()})

    async def overview(self, request: Request) -> Response:
        """How far the survey is."""
        round = _number(request, "round", Problem.WRONG_ROUND)
        made_up = _number(request, "made_up", Problem.WRONG_NUMBER)
        found = await run_in_threadpool(overview, self.live, round, made_up, self.target)
        return JSONResponse(found)

    async def shifts(self, request: Request) -> Response:
        """Whether raw reports are alike on all days."""
        found = await run_in_threadpool(lambda: self.live.now().shifts().to_document())
        return JSONResponse(found)

    async def measure(self, request: Request) -> Response:
        """Counts for Prometheus."""
        text = await run_in_threadpool(metrics_text, self.live.store, self.receiver)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _file(self, name: str) -> Handler:
        suffix, media_type = _FILES[name]

        async def give(request: Request) -> Response:
            round = _number(request, "round", Problem.WRONG_ROUND)
            found = await run_in_threadpool(lambda: self.live.now().file(suffix, round))
            named = {"Content-Disposition": f'attachment; filename="answers{suffix}"'}
            return Response(found, media_type=media_type, headers=named)

        return give

    def _read(self, handler: Handler) -> Handler:
        return _fresh(self._limited(handler)) if self.everybody else self._locked(handler)

    def _limited(self, handler: Handler) -> Handler:
        """The same, so many times a second for one address."""

        async def answer(request: Request) -> Response:
            if not self.rates.allow(address(request)):
                raise Refused(Problem.TOO_FAST)
            return await handler(request)

        return answer

    def _locked(self, handler: Handler) -> Handler:
        """The same for who has the key, or a pass."""

        async def answer(request: Request) -> Response:
            if bearer(request) is not None:
                self._require_key(request)
            else:
                shown = request.cookies.get(self._cookie, "")
                good = self.key.admits(shown, time.time())
                if not good or await run_in_threadpool(self.live.store.has_ended, digest_of(shown)):
                    raise Refused(Problem.NO_KEY)
            return await handler(request)

        return _fresh(answer)

    def _require_key(self, request: Request) -> None:
        told = bearer(request)
        if told is None:
            raise Refused(Problem.NO_KEY)
        if not self.rates.allow(address(request)):
            raise Refused(Problem.TOO_FAST)
        if not self.key.fits(told):
            self.wrong[Problem.WRONG_KEY] += 1
            raise Refused(Problem.WRONG_KEY)

    @property
    def _cookie(self) -> str:
        return cookie_of(self.live.design)


def cookie_of(design: Design) -> str:
    """The name of the cookie with a pass, of this survey only: browsers keep one jar for all ports of a host."""
    return f"geopriv-{design.hash[:12]}"


async def refusal(request: Request, refused: Any) -> Response:
    """What is answered instead: why not, for programs and for people.

    Args:
        request: that was refused.
        refused: the `Refused`.
    """
    problem: Problem = refused.problem
    return JSONResponse(problem.document, problem.status, _FRESH | _MORE.get(problem, {}))


def _fresh(handler: Handler) -> Handler:
    """What is answered is kept nowhere on the way."""

    async def answer(request: Request) -> Response:
        found = await handler(request)
        found.headers.update(_FRESH)
        return found

    return answer


def _number(request: Request, name: str, problem: Problem) -> int | None:
    """A whole number from 1 on in an address; None where there is none.

    Raises:
        Refused: for what is no such number.
    """
    words = request.query_params.get(name)
    if words is None:
        return None
    if not (words.isascii() and words.isdecimal() and len(words) <= _DIGITS and int(words)):
        raise Refused(problem)
    return int(words)
