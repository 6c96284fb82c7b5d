"""A folder of Linux's runs in regimes: scenarios, a summary, marks, and series of 10 ms.

All numbers of a run may be others. An event or a control that is not known is an error, since a run would be
another one without it.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from parshall.errors import InputError, ParshallError, shown
from parshall_dev.validate.fields import Fields
from parshall_dev.validate.linux_hosts import CONTROLS

__all__ = ["Asked", "Event", "Flow", "Seen", "Totals", "Write", "is_regimes", "read_asked", "read_seen"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Write:
    """Packets that an application writes at a time, or each ``every`` seconds, so many times."""

    at: float
    packets: int
    """-1 is without end."""
    every: float = 0.0
    times: int = 1


@dataclass(frozen=True)
class Flow:
    """A connection and what its application writes."""

    control: str
    connect: float
    writes: tuple[Write, ...]


@dataclass(frozen=True)
class Event:
    """An event of the path: ``rate`` at ``start``; ``outage``, ``hold``, ``reorder`` until ``end``."""

    kind: str
    start: float
    end: float = math.inf
    mbit: float = 0.0
    both_ways: bool = False
    probability: float = 0.0
    extra_ms: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A run: its path, flows and events, and the times at which it is looked at."""

    name: str
    rate_mbit: float
    base_rtt_ms: float
    limit_packets: int
    """With the packet in transmission."""
    duration: float
    flows: tuple[Flow, ...]
    events: tuple[Event, ...]
    restarts: bool
    """True if the window comes down while a sender is idle."""
    phases: tuple[float, ...]
    """Boundaries, the first and the last those of the run."""


@dataclass(frozen=True)
class Totals:
    """Packets that a flow lost and sent again in the whole run."""

    lost: int
    """Dropped by the queue or in an outage."""
    again: int


@dataclass(frozen=True)
class Seen:
    """Linux's run: a value for each flow."""

    times: Floats
    """Seconds of the samples, in the first repeat."""
    cwnd: tuple[Floats, ...]
    """NaN where there is none."""
    marks: tuple[Mapping[float, tuple[float, ...]], ...]
    """cwnd at the marks, of each repeat."""
    totals: tuple[tuple[Totals, ...], ...]
    """By repeat."""


def is_regimes(folder: Path) -> bool:
    """Tells if the flows of a folder have writes. False for what cannot be read."""
    try:
        asked = json.loads((folder / "scenarios.json").read_text(encoding="utf-8"))
        return any("writes" in flow for flow in asked[0]["flows"])
    except (OSError, ValueError, LookupError, TypeError):
        return False


def read_asked(folder: Path) -> tuple[Asked, ...]:
    """The runs of a folder. Raises ParshallError."""
    file = folder / "scenarios.json"
    values = json.loads(file.read_text(encoding="utf-8"))
    return tuple(_asked(Fields(value, f"{file}: [{index}]")) for index, value in enumerate(values))


def _asked(fields: Fields) -> Asked:
    value = fields.read
    return Asked(
        name=fields.word("name"),
        rate_mbit=fields.number("rate_mbit"),
        base_rtt_ms=fields.number("base_rtt_ms"),
        limit_packets=fields.whole("limit_packets", 2),
        duration=fields.number("duration_s"),
        flows=tuple(_flow(Fields(flow, f"{fields.place}: flows")) for flow in _list(fields, "flows", 1)),
        events=tuple(
            _event(Fields(event, f"{fields.place}: events")) for event in _list(fields, "events", 0)
        ),
        restarts=bool(value.get("tcp_slow_start_after_idle", 1)),
        phases=tuple(float(each) for each in _list(fields, "phases_s", 2)),
    )


def _list(fields: Fields, name: str, least: int) -> Sequence[Any]:
    value = fields.read.get(name)
    if not isinstance(value, list) or len(value) < least:
        raise fields.error(name, f"a list of at least {least}")
    return value


def _flow(fields: Fields) -> Flow:
    writes = [_write(each, fields) for each in _list(fields, "writes", 1) if each != "close"]
    return Flow(fields.one_of("cc", tuple(CONTROLS)), fields.number("connect_s", zero=True), tuple(writes))


def _write(value: Any, fields: Fields) -> Write:
    match value:
        case [at, packets]:
            return Write(float(at), int(packets))
        case [at, packets, every, times]:
            return Write(float(at), int(packets), float(every), int(times))
    raise fields.error("writes", "[time, packets], [time, packets, distance, times] or close")


def _event(fields: Fields) -> Event:
    kind = fields.one_of("kind", ("rate", "outage", "hold", "reorder"))
    if kind == "rate":
        return Event(kind, fields.number("at_s", zero=True), mbit=fields.number("mbit", zero=True))
    start, end = fields.number("from_s", zero=True), fields.number("to_s")
    if kind == "outage":
        return Event(kind, start, end, both_ways=bool(fields.read.get("both_ways", False)))
    if kind == "hold":
        return Event(kind, start, end)
    probability, extra_ms = fields.number("probability"), fields.number("extra_ms")
    return Event(kind, start, end, probability=probability, extra_ms=extra_ms)


def read_seen(folder: Path, asked: Asked) -> Seen:
    """Reads what Linux did in a run. Raises ParshallError."""
    flows = range(len(asked.flows))
    summary = _rows(folder / "summary.csv", asked.name)
    marks = _rows(folder / "marks.csv", asked.name)
    columns = _series(folder / f"{asked.name}.series.csv.gz")

    def window(flow: int) -> Floats:
        return np.array([float(text or math.nan) for text in columns[f"cwnd{flow}"]])

    return Seen(
        times=np.array(columns["t_s"], dtype=np.float64),
        cwnd=tuple(map(window, flows)),
        marks=tuple(_marks(marks, flow) for flow in flows),
        totals=tuple(_totals(summary, flow) for flow in flows),
    )


def _rows(file: Path, name: str) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["name"] == name]
    if not rows:
        raise InputError(str(file), shown(name), "lines of this run")
    return rows


def _marks(rows: Sequence[Mapping[str, str]], flow: int) -> dict[float, tuple[float, ...]]:
    found: dict[float, list[float]] = {}
    for row in rows:
        if int(row["flow"]) == flow:
            found.setdefault(float(row["t_s"]), []).append(float(row["cwnd"]))
    return {time: tuple(values) for time, values in found.items()}


def _totals(rows: Sequence[Mapping[str, str]], flow: int) -> tuple[Totals, ...]:
    mine = [row for row in rows if int(row["flow"]) == flow]
    return tuple(Totals(int(row["drops"]) + int(row["dark_losses"]), int(row["retrans"])) for row in mine)


def _series(file: Path) -> Mapping[str, Sequence[str]]:
    try:
        with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
            rows = list(csv.reader(lines))
    except EOFError as error:
        raise ParshallError(f"{file}: {error}") from None
    return dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
