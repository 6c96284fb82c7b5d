"""What a sheet shows of a run: for each panel the lines of flows or ports, or what to record for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import ParshallError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording.recording import Recording
    from parshall.recording.views import FlowView, PortView

    Reals = NDArray[np.float64]

__all__ = ["Line", "Panel", "panels_of"]

RECEIVED = 4
"""Code of the event that a packet reached its host."""

_BINS = 100
"""In which packets are counted where no series was recorded."""


@dataclass(frozen=True)
class Line:
    """Of one flow or port."""

    name: str
    time: Reals
    """Seconds."""
    value: Reals
    steps: bool = True
    """Whether a value holds until the next one, and is not the mean since the last one."""


@dataclass(frozen=True)
class Panel:
    """One panel of a sheet."""

    title: str
    """What it shows, with the unit."""
    of: str
    """``flows`` or ``ports``."""
    record: str
    """What the scenario has to record for it, as it stands in a file."""
    lines: tuple[Line, ...] = field(default=())

    @property
    def missing(self) -> str | None:
        """What to record where nothing was."""
        return None if self.lines else f"not recorded; [record] {self.record} shows it"


def panels_of(recording: Recording, flows: Sequence[str], ports: Sequence[str]) -> list[Panel]:
    """The panels of these flows and ports. Raises InputError for a name that is not there."""
    every = [recording.flow(name) for name in flows]
    queues = [recording.port(name) for name in ports]
    one = flows[0] if len(flows) == 1 else "*"
    port = ports[0] if len(ports) == 1 else "*"
    found: list[Panel] = []
    if every:
        series = f'flow_series = {{ of = ["{one}"], interval = "100 ms" }}'
        found += [
            _panel("cwnd, packets", "flows", f'window = ["{one}"]', every, _cwnd),
            _panel("srtt, ms", "flows", f'rtt = ["{one}"]', every, _srtt),
            _panel("delivered in order, Mbit/s", "flows", series, every, _throughput),
        ]
    if queues:
        series = f'port_series = {{ of = ["{port}"], interval = "100 ms" }}'
        since = " since warm-up" if recording.scenario.warm_up else " so far"
        found += [
            _panel("queue, packets", "ports", series, queues, _backlog),
            _panel(f"drops{since}, packets", "ports", series, queues, _drops),
        ]
    return found


def _panel(
    title: str, of: str, record: str, views: Sequence[Any], line: Callable[[Any], Line | None]
) -> Panel:
    lines = (line(view) for view in views)
    shown = (each for each in lines if each is not None and np.isfinite(each.value).any())
    return Panel(title, of, record, tuple(shown))


def _first(*attempts: Callable[[], Line]) -> Line | None:
    """The first that was recorded."""
    for attempt in attempts:
        with suppress(ParshallError):
            return attempt()
    return None


def _cwnd(flow: FlowView) -> Line | None:
    return _first(
        lambda: Line(flow.name, flow.window.time, flow.window.cwnd),
        lambda: Line(flow.name, flow.series.time, flow.series.cwnd),
    )


def _srtt(flow: FlowView) -> Line | None:
    return _first(
        lambda: Line(flow.name, flow.rtt.time, 1e3 * flow.rtt.srtt),
        lambda: Line(flow.name, flow.window.time, 1e3 * flow.window.srtt),
        lambda: Line(flow.name, flow.series.time, 1e3 * flow.series.srtt),
    )


def _throughput(flow: FlowView) -> Line | None:
    return _first(lambda: _from_series(flow), lambda: _from_deliveries(flow))


def _from_series(flow: FlowView) -> Line:
    """Payload delivered in each interval of the series."""
    series = flow.series
    scenario = flow._recording.scenario
    payload = next(each.transport.payload_bytes for each in scenario.flows if each.name == flow.name)
    delivered = np.diff(series.packets_delivered.astype(np.float64))
    return Line(flow.name, series.time[1:], 8e-6 * payload * delivered / np.diff(series.time), steps=False)


def _from_deliveries(flow: FlowView) -> Line:
    """What reached the receiver in a hundredth of the run, headers included."""
    packets = flow.deliveries
    data = ~packets.ack & (packets.event == RECEIVED)
    end = flow._recording.scenario.duration
    weights = packets.size_bytes[data].astype(np.float64)
    total, edges = np.histogram(packets.time[data], bins=_BINS, range=(0, end), weights=weights)
    return Line(flow.name, edges[1:], 8e-6 * total / np.diff(edges), steps=False)


def _name(port: PortView) -> str:
    """That of its link, if it has one."""
    named = port._recording.scenario.named_ports
    return next((link for link, own in named.items() if own == port.name), port.name)


def _backlog(port: PortView) -> Line | None:
    return _first(lambda: Line(_name(port), port.series.time, port.series.backlog_packets.astype(np.float64)))


def _drops(port: PortView) -> Line | None:
    return _first(lambda: Line(_name(port), port.series.time, port.series.packets_dropped.astype(np.float64)))
