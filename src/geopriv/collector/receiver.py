"""Reports on their way to the store: those that come while one transaction is written share the next."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from geopriv.collector import logs
from geopriv.collector.store import Store
from geopriv.collector.verdicts import Sent, Verdict
from geopriv.errors import Unavailable

_TOGETHER = 1_000  # reports in a transaction
_WAITING = 10_000  # requests that may wait; more are turned away
_PAUSE = 0.002  # seconds in which others may join a transaction
_COUNTED = 1.0  # seconds after which what was rejected is written
_END = 30.0  # seconds in which what waits is written at the end
_SLOW = 2.0  # seconds that a transaction takes where the database is well

Answer = Future[list[Verdict]]


def _at_once(tell: Callable[[], None]) -> None:
    tell()


@dataclass
class Receiver:
    """Writes reports of many requests in one transaction each time, by one thread of its own.

    A request is answered once its transaction is on the disk. Where the database is down all that wait are told so, and
    the next transaction is tried anew. Sharing transactions is fast, and hides which token came with which report.

    Args:
        store: to which they go.
        verdicts: what was answered since the start, by verdict.
        unwritten: reports since the start that the database did not take; they were answered with "try again".
        trouble: why the last reports could not be written; empty where they were.
        since: when the transaction that is being written, of reports or of counts, was begun; None where none is.
        deliver: calls what tells all of a transaction what became of it; by default at once, in the receiver's thread.
    """

    store: Store
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    unwritten: int = 0
    trouble: str = ""
    since: float | None = None
    deliver: Callable[[Callable[[], None]], object] = _at_once
    _waiting: queue.Queue[tuple[Sequence[Sent], Answer] | None] = field(default_factory=lambda: queue.Queue(_WAITING))
    _unwritten: Counter[Verdict] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._work, name="receiver", daemon=True)
        self._thread.start()

    def take(self, sent: Sequence[Sent]) -> Answer:
        """What becomes of reports, when it is known.

        Raises:
            Unavailable: where too many wait already.
        """
        answer: Answer = Future()
        answer.set_running_or_notify_cancel()  # from here on nobody takes it back: what is taken is written
        try:
            self._waiting.put_nowait((sent, answer))
        except queue.Full:
            raise Unavailable("Too many reports wait. Try again.") from None
        return answer

    def note(self, verdicts: Sequence[Verdict]) -> None:
        """Count what was answered; what was rejected goes to the database with the next transaction."""
        with self._lock:
            self.verdicts.update(verdicts)
            self._unwritten.update(verdict for verdict in verdicts if not verdict.kept)

    def require_writing(self) -> None:
        """Refuse where the last reports could not be written, or those that are being written wait for long.

        Raises:
            Unavailable: saying why.
        """
        since = self.since
        if since is not None and time.monotonic() - since > _SLOW:
            raise Unavailable("Reports are not being written now: the database does not answer.")
        if self.trouble:
            raise Unavailable(f"Reports are not being written now. {self.trouble}")

    def close(self) -> None:
        """Write all that waits, and stop; a database that does not answer is not waited for without end."""
        if self._thread.is_alive():
            with suppress(queue.Full):
                self._waiting.put(None, timeout=_END)
            self._thread.join(_END)
            if self._thread.is_alive():
                logs.LOGGER.error("the database does not answer: what waited was not written, and not acknowledged")

    def _work(self) -> None:
        self._try()  # it is not ready before it is known that reports can be written
        going = True
        while going:
            requests, going = self._gathered()
            if requests:
                self._write(requests)
            elif self.trouble:
                self._try()
            self._count()

    def _gathered(self) -> tuple[list[tuple[Sequence[Sent], Answer]], bool]:
        """The requests of the next transaction, and whether more may follow."""
        requests: list[tuple[Sequence[Sent], Answer]] = []
        size = 0
        try:
            found = self._waiting.get(timeout=_COUNTED)
        except queue.Empty:
            return requests, True
        self._let_others_join()
        while found is not None:
            requests.append(found)
            size += len(found[0])
            if size >= _TOGETHER or self._waiting.empty():
                return requests, True
            found = self._waiting.get()
        return requests, False

    def _let_others_join(self) -> None:
        """Sleep as long as more come. To be woken by each would take the processor from who reads them."""
        before = -1
        while before < (now := self._waiting.qsize()) < _TOGETHER:
            before = now
            time.sleep(_PAUSE)

    def _write(self, requests: Sequence[tuple[Sequence[Sent], Answer]]) -> None:
        self.since = time.monotonic()
        try:
            verdicts = self.store.take([one for sent, _ in requests for one in sent])
        except Unavailable as error:
            self._fail(requests, error, str(error))
        except Exception as error:  # whatever it is, nobody may wait for ever
            self._fail(requests, error, type(error).__name__)
        else:
            self._note_trouble("")
            self.deliver(partial(_settle, requests, verdicts))

    def _try(self) -> None:
        """Where nobody sends any more, since it is not ready, it would never be."""
        self.since = time.monotonic()
        try:
            self.store.try_writing()
        except Unavailable as error:
            self._note_trouble(str(error))
        except Exception as error:  # whatever it is, reports go on
            self._note_trouble(type(error).__name__)
        else:
            self._note_trouble("")

    def _fail(self, requests: Sequence[tuple[Sequence[Sent], Answer]], error: Exception, words: str) -> None:
        self.unwritten += sum(len(sent) for sent, _ in requests)
        self._note_trouble(words)
        self.deliver(partial(_refuse, requests, error))

    def _note_trouble(self, words: str) -> None:
        """Say why nothing is written, once, and when something is again."""
        self.since = None
        if words and words != self.trouble:
            logs.LOGGER.error(words)
        elif self.trouble and not words:
            logs.say("reports are written again")
        self.trouble = words

    def _count(self) -> None:
        with self._lock:
            reasons, self._unwritten = self._unwritten, Counter()
        if not reasons:
            return
        self.since = time.monotonic()
        try:
            self.store.reject(reasons)
        except Exception:  # tried again with the next transaction; whatever it is, reports go on
            with self._lock:
                self._unwritten += reasons
        finally:
            self.since = None


def _refuse(requests: Sequence[tuple[Sequence[Sent], Answer]], error: Exception) -> None:
    for _, answer in requests:
        answer.set_exception(error)


def _settle(requests: Sequence[tuple[Sequence[Sent], Answer]], verdicts: Sequence[Verdict]) -> None:
    at = 0
    for sent, answer in requests:
        answer.set_result(list(verdicts[at : at + len(sent)]))
        at += len(sent)
