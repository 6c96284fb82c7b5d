"""One flow or one port of a recording: its counters as attributes, its series as ``rows`` has them.

Counters count from the scenario's warm-up on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from parshall.errors import InputError, ParshallError, shown
from parshall.recording.counters import cell
from parshall.recording.rows import (
    FlowSeries,
    Packets,
    PortNonresponsive,
    PortRedTuning,
    PortResponsiveness,
    PortSeries,
    PortTreatment,
    RttSamples,
    Transfers,
    WindowChanges,
)

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from parshall.recording.recording import Recording
    from parshall.scenario import Route

__all__ = [
    "FlowSeries",
    "FlowView",
    "Packets",
    "PortNonresponsive",
    "PortRedTuning",
    "PortResponsiveness",
    "PortSeries",
    "PortTreatment",
    "PortView",
    "RttSamples",
    "Transfers",
    "WindowChanges",
]

_R = TypeVar("_R")


@dataclass(frozen=True)
class FlowView:
    """One flow of a recording."""

    name: str
    """As in the scenario."""
    packets_offered: int
    """Packets that the application handed over (for an endless supply, those that were sent)."""
    packets_sent: int
    """Packets sent, retransmissions and a SYN included."""
    bytes_sent: int
    """Their bytes on the wire."""
    packets_retransmitted: int
    """Packets sent again."""
    packets_delivered: int
    """Packets of data handed to the receiving application, each once and in order. After a warm-up only those
    count that arrived for the first time after it: what had waited beyond a gap since before does not."""
    bytes_delivered: int
    """Their payload."""
    packets_received: int
    """Packets that reached the receiver, copies and a SYN included."""
    packets_dropped: int
    """Packets dropped by queues or lost on links, ACKs not included."""
    acks_dropped: int
    """ACKs dropped by queues or lost on links."""
    packets_in_flight: int
    """Packets under way at the end, ACKs not included."""
    acks_received: int
    """ACKs that reached the sender."""
    timeouts: int
    """Expiries of the retransmission timer with packets in flight."""
    spurious_timeouts: int
    """Those that were needless: an ACK for what was sent before was under way."""
    timeout_wait: float
    """Seconds spent waiting for the others."""
    fast_retransmits: int
    """Fast retransmits."""
    mark_reductions: int
    """Reductions of the window that marks caused (ECN)."""
    rtt_samples: int
    """RTT samples."""
    completed_at: float
    """When a finite transfer was acknowledged; NaN before and for other applications."""
    _recording: Recording = field(repr=False)
    _index: int = field(repr=False)

    @property
    def started_at(self) -> float:
        """When the flow started, in seconds; with ``start_spread`` the instant that was drawn."""
        return self._recording.flow_starts[self._index]

    @property
    def completion_time(self) -> float:
        """Seconds from the start of the flow until its finite transfer was acknowledged; NaN before and for
        other applications.
        """
        return self.completed_at - self.started_at

    @property
    def route(self) -> Route:
        """The nodes that its data and its ACKs pass."""
        return self._recording.scenario.routes[self.name]

    @property
    def goodput(self) -> float:
        """Payload that arrived after the warm-up and was delivered, per second, in bit/s."""
        return 8 * self.bytes_delivered / self._recording.counted_seconds

    @property
    def sending_rate(self) -> float:
        """Bits sent per second after the warm-up, headers and retransmissions included."""
        return 8 * self.bytes_sent / self._recording.counted_seconds

    @property
    def rtt(self) -> RttSamples:
        """RTT samples; needs ``record.rtt``."""
        return self._rows("rtt", RttSamples, "rtt")

    @property
    def window(self) -> WindowChanges:
        """Changes of the sender's variables; needs ``record.window``."""
        return self._rows("window", WindowChanges, "window")

    @property
    def series(self) -> FlowSeries:
        """The flow at sampling instants; needs ``record.flow_series``."""
        return self._rows("flow_series", FlowSeries, "flow_series")

    @property
    def deliveries(self) -> Packets:
        """Packets that reached a host; needs ``record.deliveries``."""
        columns = self._recording.asked_columns("packets", "deliveries", self.name)
        return _rows(Packets, columns, (columns["flow"] == self._index) & (columns["port"] < 0))

    @property
    def transfers(self) -> Transfers:
        """Transfers of an application that hears back; needs ``record.transfers``."""
        return self._rows("transfers", Transfers, "transfers")

    def plot(self) -> Canvas:
        """Its cwnd, srtt and throughput over time on one sheet; see :meth:`parshall.Recording.plot`."""
        from parshall.recording.pictures import plot_recording

        return plot_recording(self._recording, [self.name], [])

    def plot_sequence(self, ax: Axes | None = None) -> Canvas:
        """The time-sequence picture: packets sent, the ACK line, drops, retransmissions. It is drawn onto
        ``ax``, or onto a figure of its own; returns the figure.

        Needs ``record.packets`` of a port on the path, and ``record.deliveries`` or ``record.window``; raises
        ParshallError, which says what is missing.
        """
        from parshall.recording.sequence import plot_sequence

        return plot_sequence(self._recording, self.name, ax)

    def _rows(self, table: str, kind: type[_R], asked: str) -> _R:
        columns = self._recording.asked_columns(table, asked, self.name)
        return _rows(kind, columns, columns["flow"] == self._index)


@dataclass(frozen=True)
class PortView:
    """One port of a recording: a direction of a link, with its queue."""

    name: str
    """The name of the link, if it has one and this is its forward port, else ``a->b``."""
    packets_arrived: int
    """Packets that arrived, whatever became of them."""
    packets_dropped: int
    """Packets that the queue dropped."""
    packets_marked: int
    """Packets that the queue marked as having met congestion (ECN)."""
    packets_lost: int
    """Packets that the link lost."""
    packets_departed: int
    """Packets transmitted."""
    packets_queued: int
    """Packets held at the end."""
    bytes_arrived: int
    """Bytes that arrived."""
    bytes_dropped: int
    """Bytes that the queue dropped."""
    bytes_departed: int
    """Bytes transmitted."""
    mean_delay: float
    """Mean time from arrival to the end of transmission in seconds, whatever the queue: of the packets that
    arrived in the counted time and were not dropped. What has not left by the end of the run counts too, and
    leaves as it does if nothing more comes."""
    max_backlog_packets: int
    """Most packets held."""
    rate: float
    """Rate of the link in this direction, in bit/s: the mean of the counted time where it changes, or where a
    capacity was recorded."""
    _recording: Recording = field(repr=False)
    _index: int = field(repr=False)

    def plot(self) -> Canvas:
        """Its queue and drops over time on one sheet; see :meth:`parshall.Recording.plot`."""
        from parshall.recording.pictures import plot_recording

        return plot_recording(self._recording, [], [self.name])

    @property
    def throughput(self) -> float:
        """Bits transmitted per second after the warm-up."""
        return 8 * self.bytes_departed / self._recording.counted_seconds

    @property
    def utilization(self) -> float:
        """Throughput as a share of what the link could have carried in the counted time; NaN where nothing
        could leave.
        """
        from parshall.recording.capacity import utilization

        return utilization(self.throughput, self.rate)

    @property
    def drop_rate(self) -> float:
        """Share of the packets arrived that the queue dropped; NaN when none arrived."""
        return self.packets_dropped / self.packets_arrived if self.packets_arrived else float("nan")

    @property
    def series(self) -> PortSeries:
        """The port at sampling instants; needs ``record.port_series``."""
        return self._rows("port_series", PortSeries, "port_series")

    @property
    def responsiveness(self) -> PortResponsiveness:
        """Estimates of the share of non-responsive traffic; needs ``record.responsiveness``."""
        return self._rows("responsiveness", PortResponsiveness, "responsiveness")

    @property
    def nonresponsive(self) -> PortNonresponsive:
        """Estimates of that share from what the queue shows; needs ``record.nonresponsive``."""
        return self._rows("nonresponsive", PortNonresponsive, "nonresponsive")

    @property
    def red_tuning(self) -> PortRedTuning:
        """Thresholds of a RED with ``tune_by``; needs ``record.port_series``."""
        return self._rows("red_tuning", PortRedTuning, "port_series")

    @property
    def treatment(self) -> PortTreatment:
        """Outcomes of its experiments; needs a link whose ``loss`` is a ``TreatmentLoss``."""
        if "treatment" not in self._recording.tables:
            raise ParshallError(f"{self.name}: no experiments, expected a link whose loss is a TreatmentLoss")
        columns = self._recording.columns("treatment")
        return _rows(PortTreatment, columns, columns["port"] == self._index)

    @property
    def packets(self) -> Packets:
        """Every packet event at the port; needs ``record.packets``."""
        return self._rows("packets", Packets, "packets")

    def _rows(self, table: str, kind: type[_R], asked: str) -> _R:
        columns = self._recording.asked_columns(table, asked, self.name)
        return _rows(kind, columns, columns["port"] == self._index)


def _rows(kind: type[_R], columns: Mapping[str, Any], chosen: NDArray[np.bool_]) -> _R:
    return kind(**{column.name: columns[column.name][chosen] for column in fields(kind)})  # type: ignore[arg-type]


def view(kind: Callable[..., _R], columns: Mapping[str, Any], index: int, name: str, **others: object) -> _R:
    """A view whose counters are row ``index`` of a table."""
    counters = {
        column.name: cell(columns, column.name, index)
        for column in fields(kind)  # type: ignore[arg-type]
        if column.name in columns
    }
    return kind(name=name, _index=index, **counters, **others)


def unknown(what: str, name: object, known: tuple[str, ...]) -> InputError:
    """The error for a name that a recording does not have."""
    few = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return InputError(what, shown(name), f"one of {few}")
