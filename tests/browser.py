"""A real browser for tests of pages: Debian's Chromium without a window, spoken to through two pipes.

`--remote-debugging-pipe` takes commands of the DevTools protocol from one and answers through the other, so that no
port is opened and nothing has to be installed besides the browser itself.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
_CODES = {"Tab": 9, "Enter": 13}  # without which the browser does nothing of its own
_TEXTS = {"Enter": "\r"}
_PATIENCE = 60.0  # seconds: a busy machine is no fault of a page


def chromium() -> str | None:
    """Where a browser is: what CHROMIUM names, else one of the usual names; None where there is none."""
    named = os.environ.get("CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser of its own folder, and the tabs in it."""

    def __init__(self, program: str, folder: Path) -> None:
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        # above 4, so that neither stands in the way of the other when they become 3 and 4
        high = [_above(end) for end in (commands, answers)]
        actions = [(os.POSIX_SPAWN_DUP2, high[0], 3), (os.POSIX_SPAWN_DUP2, high[1], 4)]
        nothing = os.open(os.devnull, os.O_RDWR)
        actions += [(os.POSIX_SPAWN_DUP2, nothing, end) for end in (1, 2)]
        command = [program, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self.pid = os.posix_spawn(program, command, os.environ, file_actions=actions, setsid=True)
        for end in (*high, nothing):
            os.close(end)
        self._number, self._rest = 0, b""
        self.events: list[dict[str, Any]] = []

    def __call__(self, method: str, session: str | None = None, /, **params: Any) -> dict[str, Any]:
        """What a command answers; events that come before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                assert "error" not in found, f"{method}: {found['error']['message']}"
                result: dict[str, Any] = found["result"]
                return result
            self.events.append(found)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._read, 1 << 20)
            assert part, "the browser has ended"
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End it, and wait for it."""
        self("Browser.close")
        os.waitpid(self.pid, 0)
        os.close(self._write)
        os.close(self._read)

    @contextmanager
    def tab(
        self, page: Path | str, size: tuple[int, int] = (1200, 900), *, scripts: bool = True, dark: bool = False
    ) -> Iterator[Tab]:
        """A page, by its file or its address, opened; closed afterwards."""
        target = self("Target.createTarget", url="about:blank")["targetId"]
        session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab(f"{domain}.enable")
        mobile = size[0] < 600
        tab("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=mobile)
        tab("Emulation.setTouchEmulationEnabled", enabled=mobile)
        tab("Emulation.setScriptExecutionDisabled", value=not scripts)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        tab("Emulation.setEmulatedMedia", features=[scheme])
        tab("Page.navigate", url=page if isinstance(page, str) else page.absolute().as_uri())
        tab.until("document.readyState === 'complete'")
        try:
            yield tab
        finally:
            self("Target.closeTarget", targetId=target)


class Tab:
    """One page in a browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def __call__(self, method: str, /, **params: Any) -> dict[str, Any]:
        return self.browser(method, self.session, **params)

    def run(self, code: str) -> Any:
        """The value of an expression of JavaScript; also where the page's own scripts are off."""
        found = self("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, code: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + _PATIENCE
        while not self.run(f"!!({code})"):
            assert time.monotonic() < end, f"never true: {code}"
            time.sleep(0.02)

    def events(self, method: str) -> list[dict[str, Any]]:
        """What was told of this page so far."""
        told = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [event["params"] for event in told if event["method"] == method]

    def press(self, key: str, modifiers: int = 0) -> None:
        """A key, by its name; 8 is shift."""
        text = {"text": _TEXTS.get(key, key)} if len(key) == 1 or key in _TEXTS else {}
        more = {"windowsVirtualKeyCode": _CODES[key]} if key in _CODES else {}
        for kind in ("keyDown", "keyUp"):
            written = more | (text if kind == "keyDown" else {})
            self("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers, **written)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """An event of the mouse at a point of the window."""
        self("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def box(self, selector: str) -> dict[str, float]:
        """Where an element is in the window, after it was scrolled to."""
        code = "(e => { e.scrollIntoView({block: 'center'}); return e.getBoundingClientRect().toJSON() })"
        found: dict[str, float] = self.run(f"{code}(document.querySelector({json.dumps(selector)}))")
        return found

    def choose(self, selector: str, value: str) -> None:
        """A value of a field, as if it was chosen or typed."""
        tell = "for (const name of ['input', 'change']) e.dispatchEvent(new Event(name, {bubbles: true}))"
        self.run(f"(e => {{ e.value = {json.dumps(value)}; {tell} }})(document.querySelector({json.dumps(selector)}))")

    def download(self, selector: str, folder: Path) -> Path:
        """The file that a button gives."""
        before = set(folder.iterdir())
        self.browser("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder), eventsEnabled=True)
        self.run(f"document.querySelector({json.dumps(selector)}).click()")
        end = time.monotonic() + _PATIENCE
        while True:
            self.run("1")  # takes what was told meanwhile
            done = {path for path in folder.iterdir() if path.suffix != ".crdownload"} - before
            if done and not list(folder.glob("*.crdownload")):
                return done.pop()
            assert time.monotonic() < end, "no file came"
            time.sleep(0.02)

    def screenshot(self, path: Path, whole: bool = True) -> None:
        """A picture of the window, or of the whole page."""
        found = self("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def printed(self, width: float, height: float) -> list[int]:
        """How many letters each sheet has of the page as it is printed, on paper of a size in inches."""
        found = self("Page.printToPDF", preferCSSPageSize=True, paperWidth=width, paperHeight=height)
        pdf = base64.b64decode(found["data"])
        parts = {int(part[1]): part[2] for part in re.finditer(rb"(\d+) 0 obj(.*?)endobj", pdf, re.S)}
        sheets = [re.search(rb"/Contents (\d+)", part) for part in parts.values() if re.search(rb"/Type /Page\b", part)]
        return [_letters(parts[int(sheet[1])]) for sheet in sheets if sheet]


@contextmanager
def opened(program: str) -> Iterator[Browser]:
    """A browser with a new, empty folder."""
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as folder:
        browser = Browser(program, Path(folder))
        try:
            yield browser
        finally:
            browser.close()


def _letters(stream: bytes) -> int:
    """Of a sheet's text, which is written as hexadecimal numbers of glyphs, four digits each."""
    text = zlib.decompress(stream[stream.index(b"stream") + 6 :].lstrip(b"\r\n"))
    return sum(len(digits) for digits in re.findall(rb"<([0-9A-Fa-f]+)>", text)) // 4


def _above(end: int) -> int:
    """The same end of a pipe under a number above 4."""
    if end > 4:
        return end
    copy = _above(os.dup(end))
    os.close(end)
    return copy
