"""Panels of a sheet: for each quantity the lines of flows or ports, or what to record for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.recording.delays import delay_of_backlog, delay_of_packets
from parshall.recording.pictures.lines import Bands, Line, bands_of, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording.recording import Recording

    Columns = Mapping[str, NDArray[Any]]

__all__ = ["Panel", "Subjects", "panels_of"]

RECEIVED = 4
"""Code of the event that a packet reached its host."""
MOST_LINES = 40
"""Lines that are drawn one by one; of more of them a panel shows quantiles."""

_LEAST_SPAN = 0.2
"""Seconds over which deliveries are averaged at least: behind a queue packets of a flow come in clumps."""
_LEAST_PART = 0.02
"""The part of a run that is enough where it is shorter."""
_BINS = 100
"""Intervals in which packets are counted where no series was recorded."""


@dataclass(frozen=True)
class Panel:
    """One panel of a sheet."""

    title: str
    """Quantity and unit."""
    of: str
    """``flows`` or ``ports``."""
    record: str
    """The line under ``[record]`` that the scenario needs for it."""
    lines: tuple[Line, ...] = field(default=())
    bands: Bands | None = None
    """Quantiles in place of the lines, where there are too many of them."""

    @property
    def missing(self) -> str | None:
        """The line to add under ``[record]`` where nothing was recorded."""
        return None if self.lines or self.bands else f"not recorded; [record] {self.record} shows it"


class Subjects:
    """The flows or the ports that a sheet shows, and their rows in the recorded tables."""

    def __init__(self, recording: Recording, key: str, names: Sequence[str]) -> None:
        """``key`` is ``flow`` or ``port``. Raises InputError for a name that is not there."""
        self.recording = recording
        self.key = key
        self._numbers = {name: _number(recording, key, name) for name in names}
        self._rows: dict[str, _Rows] = {}

    def lines(self, *sources: Source) -> tuple[Line, ...]:
        """A line for each name, from the first source that was recorded of it."""
        found = (self._line(name, number, sources) for name, number in self._numbers.items())
        return tuple(line for line in found if line is not None and np.isfinite(line.value).any())

    def _line(self, name: str, number: int, sources: Sequence[Source]) -> Line | None:
        for source in sources:
            if (rows := self._rows_of(source)).recorded(self._names[number]):
                line = source.line(self.recording, number, rows.of(number))
                return None if line is None else replace(line, name=self._names[number])
        return None

    def _rows_of(self, source: Source) -> _Rows:
        if source.asked not in self._rows:
            self._rows[source.asked] = _Rows(self.recording, source, self.key)
        return self._rows[source.asked]

    @cached_property
    def _names(self) -> Sequence[str]:
        return self.recording.ports if self.key == "port" else self.recording.flows


@dataclass(frozen=True)
class Source:
    """A way to the line of one flow or port."""

    table: str
    asked: str
    """The field of the scenario's record that asks for it."""
    line: Callable[[Recording, int, _Part], Line | None]
    """The line from the index of the flow or port and its rows; none where the rows do not tell."""


class _Rows:
    """A table's rows by flow or port, sorted once for all."""

    def __init__(self, recording: Recording, source: Source, key: str) -> None:
        there = source.table in recording.tables
        self._asked = recording._recorded(source.asked) if there else set()
        columns = recording.columns(source.table) if there else {}
        self._columns: Columns = {name: np.asarray(columns[name]) for name in columns}
        self._key = key
        self._count = len(recording.flows if key == "flow" else recording.ports)

    def recorded(self, name: str) -> bool:
        return name in self._asked

    def of(self, number: int) -> _Part:
        order, starts = self._sorted
        return _Part(self._columns, order[starts[number] : starts[number + 1]])

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        keys = self._columns[self._key]
        order = np.argsort(keys, kind="stable")
        return order, np.searchsorted(keys[order], np.arange(self._count + 1))


class _Part:
    """Rows of a table, of which a column is taken when it is asked for."""

    def __init__(self, columns: Columns, rows: NDArray[np.int64]) -> None:
        self._columns = columns
        self._rows = rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        part: NDArray[Any] = self._columns[name][self._rows]
        return part


def _number(recording: Recording, key: str, name: str) -> int:
    """The index of a flow or port. Raises InputError for a name that is not there."""
    if key == "port":
        return recording.port(name)._index
    known = recording._flow_numbers
    return known[name] if isinstance(name, str) and name in known else recording.flow(name)._index


def panels_of(
    recording: Recording,
    flows: Sequence[str],
    ports: Sequence[str],
    span: tuple[float, float] | None = None,
) -> list[Panel]:
    """The panels of these flows and ports between two instants, the whole run unless given. Raises InputError
    for a name that is not there.
    """
    found: list[Panel] = []
    if flows:
        found += _flow_panels(Subjects(recording, "flow", flows), flows[0] if len(flows) == 1 else "*")
    if ports:
        found += _port_panels(Subjects(recording, "port", ports), ports[0] if len(ports) == 1 else "*")
    start, end = span or (0.0, recording.scenario.duration)
    return [_within(panel, start, end) for panel in found]


def _within(panel: Panel, start: float, end: float) -> Panel:
    lines = tuple(cut(line, start, end) for line in panel.lines)
    lines = tuple(line for line in lines if len(line.time))
    if len(lines) <= MOST_LINES:
        return replace(panel, lines=lines)
    return replace(panel, lines=(), bands=bands_of(lines, start, end))


def _flow_panels(flows: Subjects, of: str) -> list[Panel]:
    window, rtt = (
        Source(name, name, _column(column, factor))
        for name, column, factor in (("window", "cwnd", 1.0), ("rtt", "srtt", 1e3))
    )
    series = f'flow_series = {{ of = ["{of}"], interval = "100 ms" }}'
    cwnd = flows.lines(window, Source("flow_series", "flow_series", _column("cwnd")))
    srtt = flows.lines(
        rtt,
        Source("window", "window", _column("srtt", 1e3)),
        Source("flow_series", "flow_series", _column("srtt", 1e3)),
    )
    delivered = flows.lines(
        Source("flow_series", "flow_series", _from_series), Source("packets", "deliveries", _from_deliveries)
    )
    return [
        Panel("cwnd, packets", "flows", f'window = ["{of}"]', cwnd),
        Panel("srtt, ms", "flows", f'rtt = ["{of}"]', srtt),
        Panel("delivered, Mbit/s", "flows", series, delivered),
    ]


def _port_panels(ports: Subjects, of: str) -> list[Panel]:
    series = f'port_series = {{ of = ["{of}"], interval = "100 ms" }}'
    since = " since warm-up" if ports.recording.scenario.warm_up else " so far"

    def sampled(column: str) -> tuple[Line, ...]:
        return ports.lines(Source("port_series", "port_series", _column(column)))

    delays = ports.lines(
        Source("packets", "packets", _delay_of_packets),
        Source("port_series", "port_series", _delay_of_backlog),
    )
    queues = sampled("backlog_packets")
    # What a queue holds tells no delay where the rate changes.
    wanted = f'packets = ["{of}"]' if queues and not delays else series
    return [
        Panel("queue, packets", "ports", series, queues),
        Panel("delay, ms", "ports", wanted, delays),
        Panel(f"drops{since}, packets", "ports", series, sampled("packets_dropped")),
    ]


def _column(name: str, factor: float = 1.0) -> Callable[[Recording, int, _Part], Line]:
    def line(_: Recording, __: int, rows: _Part) -> Line:
        return Line("", rows["time"], factor * rows[name].astype(np.float64))

    return line


def _from_series(recording: Recording, number: int, rows: _Part) -> Line:
    """Payload that arrived in the last round trips before each sample, as many as take ``_LEAST_SPAN``.

    Arrivals, because a gap that closes releases at once what has arrived over a round trip or more: a rate of
    releases would exceed that of the link.
    """
    payload = recording.scenario.flows[number].transport.payload_bytes
    time, srtt = rows["time"], rows["srtt"].astype(np.float64)
    arrived = rows["packets_arrived"].astype(np.float64)
    least = min(_LEAST_SPAN, _LEAST_PART * recording.scenario.duration)
    turns = np.ceil(least / np.where(srtt > 0, srtt, least))
    span = np.where(srtt > 0, turns * srtt, least)
    # The last sample that is so old, but for rounding.
    first = np.searchsorted(time, time - span + 1e-9, "right") - 1
    first = np.clip(first, 0, np.arange(len(time)) - 1)[1:]
    rate = 8e-6 * payload * (arrived[1:] - arrived[first]) / (time[1:] - time[first])
    return Line("", time[1:], rate, steps=False)


def _from_deliveries(recording: Recording, _: int, rows: _Part) -> Line:
    """Bytes that reached the receiver in a hundredth of the run: with headers, copies and late ones too."""
    data = ~rows["ack"] & (rows["event"] == RECEIVED) & (rows["port"] < 0)
    end = recording.scenario.duration
    weights = rows["size_bytes"][data].astype(np.float64)
    total, edges = np.histogram(rows["time"][data], bins=_BINS, range=(0, end), weights=weights)
    return Line("", edges[1:], 8e-6 * total / np.diff(edges), steps=False)


def _delay_of_packets(_: Recording, __: int, rows: _Part) -> Line:
    departed, delay = delay_of_packets(rows)
    return Line("", departed, 1e3 * delay)


def _delay_of_backlog(recording: Recording, port: int, rows: _Part) -> Line | None:
    delay = delay_of_backlog(recording.scenario, port, rows)
    return None if delay is None else Line("", rows["time"], 1e3 * delay)
