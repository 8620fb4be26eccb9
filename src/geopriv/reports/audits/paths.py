"""The ways on which a report is made, each as a function from a place to reports drawn there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from geopriv.device.designs import verify
from geopriv.device.draws import system_bytes
from geopriv.mechanisms.kinds import Value
from geopriv.mechanisms.sendable import Integers, draw_shares
from geopriv.queries.source import Source
from geopriv.reports.verbs import privatize
from geopriv.surveys.design import Design

Draw = Callable[[Value, int], Integers]
"""So many reports at a place, shape (n, 1 + axes): the mechanism, the numbers of its report, and zeros behind them."""


@dataclass(frozen=True)
class SamplingPath:
    """One way to a report.

    Args:
        name: in words.
        draw: reports at a place.
        read: the place at which a value is taken, which is the value itself unless it is clamped.
        batch: reports of people at several places, in their order; None where reports lose their order.
    """

    name: str
    draw: Draw
    read: Callable[[Value], Value] = lambda value: value
    batch: Callable[[Sequence[Value]], Integers] | None = None


def shipped_paths(design: Design) -> tuple[SamplingPath, ...]:
    """Every way on which this package makes reports: in bulk, one by one, from files, and on a device.

    In bulk a float filter goes before the exact sampler; a single report is made without it; files are read, clamped
    and shuffled by `privatize`; a device has arithmetic of its own, and clamps too. Where noise walks, the first step
    is drawn, and there are no files: every later one has the same law, at the exact way instead of the exact place.
    """
    nameless = _nameless(design)
    files = SamplingPath("privatize, from a file", lambda value, n: _files(nameless, value, n), _clamp(design))
    return (
        _in_order("report, in bulk", lambda values: _library(design, values)),
        _in_order("report, one by one", lambda values: np.concatenate([_library(design, [one]) for one in values])),
        *(() if design.walks else (files,)),
        _in_order("device", device_batch(design), _clamp(design)),
    )


def _in_order(
    name: str, batch: Callable[[Sequence[Value]], Integers], read: Callable[[Value], Value] = lambda value: value
) -> SamplingPath:
    return SamplingPath(name, lambda value, n: batch([value] * n), read, batch)


def device_draw(design: Design, source: Callable[[int], bytes] = system_bytes) -> Draw:
    """Reports as a device makes them, all of one value."""
    batch = device_batch(design, source)
    return lambda value, n: batch([value] * n)


def device_batch(
    design: Design, source: Callable[[int], bytes] = system_bytes
) -> Callable[[Sequence[Value]], Integers]:
    """Reports as a device makes them, one after the other; it verifies the design first."""
    device, width = verify(design.to_bytes()), _width(design)

    def batch(values: Sequence[Value]) -> Integers:
        drawn = np.zeros((len(values), width), dtype=np.int64)
        for value, row in zip(values, drawn, strict=True):
            given: Any = list(value) if isinstance(value, tuple) else value
            which, answer = device._draw(given, source)
            row[0], row[1 : 1 + len(answer)] = which, answer
        return drawn

    return batch


def _clamp(design: Design) -> Callable[[Value], Value]:
    """What `privatize` and devices take a value for."""

    def clamped(value: Value) -> Value:
        if design.source is None or not design.source.low:
            return value
        inside = np.clip(np.reshape(value, -1), design.source.low, design.source.high)
        return tuple(inside.tolist()) if isinstance(value, tuple) else float(inside[0])

    return clamped


def _library(design: Design, values: Sequence[Value]) -> Integers:
    n, given = len(values), np.asarray(values)
    which, drawn = draw_shares(design.shares, n), np.zeros((n, _width(design)), dtype=np.int64)
    drawn[:, 0] = which
    for index, mechanism in enumerate(design.mechanisms):
        mine = np.flatnonzero(which == index)
        if not mine.size:
            continue
        reports = mechanism.report(given[mine]).values
        drawn[mine, 1 : 1 + mechanism.limits[0]] = mechanism.written(np.asarray(reports))
    return drawn


def _nameless(design: Design) -> Design:
    """The same design for a table without a column of names or groups, which change nothing of what is drawn."""
    named = tuple(f"axis {axis}" for axis in range(design.space.dimension))
    source = design.source or Source(named)
    return replace(design, source=replace(source, columns=source.columns or named, person=""), groups=None)


def _files(design: Design, value: Value, n: int) -> Integers:
    """Reports that `privatize` wrote for n people at a place, read from a Parquet file and written to another.

    It is written into a register of its own, so that nobody takes it for the people's own run.
    """
    assert design.source is not None  # `_nameless` has one
    columns, numbers = design.source.columns, np.reshape(value, -1)
    with TemporaryDirectory(prefix="geopriv-audit-") as folder:
        people, reports = Path(folder) / "people.parquet", Path(folder) / "reports.parquet"
        table = {name: np.full(n, number) for name, number in zip(columns, numbers, strict=True)}
        pq.write_table(pa.table(table), people)
        # all of them are at one place, and that may be outside the range
        privatize(design, people, reports, register=Path(folder) / "register.sqlite", allow_odd=True)
        written = pq.read_table(reports, columns=["mechanism", "report"])
    lists = written["report"].combine_chunks()
    drawn = np.zeros((len(lists), _width(design)), dtype=np.int64)
    drawn[:, 0] = written["mechanism"].to_numpy()
    ends = lists.offsets.to_numpy()
    sizes = np.diff(ends)
    row = np.repeat(np.arange(len(lists)), sizes)
    drawn[row, 1 + np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)] = lists.flatten().to_numpy()
    return drawn


def _width(design: Design) -> int:
    return 1 + max(mechanism.limits[0] for mechanism in design.mechanisms)
