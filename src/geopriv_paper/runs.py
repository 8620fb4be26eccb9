"""Running panels: side by side, and never twice."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from geopriv import __version__
from geopriv_paper.panel import Panel

Results = dict[str, dict[str, dict[str, Any]]]
"""Experiment → panel → result."""

_WORKERS = 2


def run_panels(
    panels: list[Panel],
    folder: Path,
    *,
    fresh: bool = False,
    tell: Callable[[str, float | None], None] = lambda doing, share: None,
) -> Results:
    """Every panel's result. One that is already in the folder, with the same settings and version, is not run again.

    A panel's file is written when it is done, in one step, so a run that was killed continues where it stopped.

    Args:
        panels: what to run.
        folder: where results are kept, one JSON file a panel.
        fresh: whether to run again what is already there.
        tell: told what runs, and which share of all is done.
    """
    kept = {} if fresh else {k: old for k, panel in enumerate(panels) if (old := _kept(panel, folder)) is not None}
    waiting = [k for k in range(len(panels)) if k not in kept]
    pool = ThreadPoolExecutor(_WORKERS)
    running = {pool.submit(_run, panels[k], folder): k for k in waiting}
    try:
        pending: set[Future[dict[str, Any]]] = set(running)
        while pending:
            tell(f"Reproducing {len(panels)} panels", len(kept) / len(panels))
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                k = running[future]
                kept[k] = future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    results: Results = {}
    for k, panel in enumerate(panels):
        results.setdefault(panel.experiment, {})[panel.name] = kept[k]
    return results


def key(panel: Panel) -> str:
    """What decides a result: the panel's settings and the version of the package."""
    text = json.dumps([panel.experiment, panel.name, panel.settings, __version__], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def place(folder: Path, experiment: str, name: str) -> Path:
    """The file of a panel."""
    return folder / experiment / f"{name}.json"


def write_json(path: Path, document: Any) -> None:
    """Write a file in one step: it is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rough = path.with_name(f".{path.name}.{os.getpid()}")
    rough.write_text(
        json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8", newline="\n"
    )
    os.replace(rough, path)


def read_result(folder: Path, experiment: str, name: str) -> dict[str, Any]:
    """A result that was kept, whatever its settings."""
    document: dict[str, Any] = json.loads(place(folder, experiment, name).read_text(encoding="utf-8"))
    result: dict[str, Any] = document["result"]
    return result


def _kept(panel: Panel, folder: Path) -> dict[str, Any] | None:
    try:
        document = json.loads(place(folder, panel.experiment, panel.name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    known = isinstance(document, dict) and document.get("key") == key(panel)
    return document.get("result") if known else None


def _run(panel: Panel, folder: Path) -> dict[str, Any]:
    start = time.perf_counter()
    result = panel.run()
    document = {
        "experiment": panel.experiment,
        "name": panel.name,
        "settings": panel.settings,
        "version": __version__,
        "key": key(panel),
        "seconds": round(time.perf_counter() - start, 2),
        "result": result,
    }
    write_json(place(folder, panel.experiment, panel.name), document)
    return result
