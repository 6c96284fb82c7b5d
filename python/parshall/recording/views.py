"""One flow or one port of a recording: its counters as attributes, its series as NumPy arrays.

The attributes are the columns of the tables in docs/architecture.md. Times are seconds; a value that does not
exist yet is NaN. Counters count from the scenario's warm-up on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from parshall.errors import InputError, ParshallError, shown
from parshall.recording.counters import cell

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from parshall.recording.recording import Recording
    from parshall.scenario import Route

    Reals = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Numbers = NDArray[np.int64]

__all__ = [
    "FlowSeries",
    "FlowView",
    "Packets",
    "PortNonresponsive",
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
class _Columns:
    """Rows of a table as columns of one length."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def __repr__(self) -> str:
        columns = ", ".join(column.name for column in fields(self))
        return f"{type(self).__name__}({len(self)} rows of {columns})"


@dataclass(frozen=True)
class _Rows(_Columns):
    """Rows of which each has its time."""

    time: Reals
    """When, in seconds."""


@dataclass(frozen=True, repr=False)
class RttSamples(_Rows):
    """RTT samples of a flow, and the estimates after each."""

    rtt: Reals
    """The sample, as the sender's clock shows it, in seconds."""
    srtt: Reals
    """Smoothed RTT, in seconds."""
    rttvar: Reals
    """Its deviation, in seconds."""
    rto: Reals
    """The RTO now in force, in seconds."""


@dataclass(frozen=True, repr=False)
class WindowChanges(_Rows):
    """The variables of a sender after each change."""

    cwnd: Reals
    """Congestion window in packets, without inflation."""
    ssthresh: Reals
    """Slow start threshold in packets."""
    dupacks: Counts
    """Duplicate ACKs in a row."""
    backoff: Counts
    """Backoff factor of the timer."""
    next_seq: Numbers
    """Next packet to send."""
    max_seq: Numbers
    """Highest packet sent."""
    high_ack: Numbers
    """Highest packet acknowledged; -1 for none."""
    srtt: Reals
    """Smoothed RTT, in seconds."""
    rttvar: Reals
    """Its deviation, in seconds."""
    rto: Reals
    """The RTO, in seconds."""


@dataclass(frozen=True, repr=False)
class FlowSeries(_Rows):
    """A flow at sampling instants."""

    cwnd: Reals
    """Congestion window in packets."""
    ssthresh: Reals
    """Slow start threshold in packets."""
    rtt: Reals
    """Last RTT sample, in seconds."""
    srtt: Reals
    """Smoothed RTT, in seconds."""
    rto: Reals
    """The RTO, in seconds."""
    packets_sent: Counts
    """Packets sent so far."""
    packets_delivered: Counts
    """Packets delivered so far."""
    high_ack: Numbers
    """Highest packet acknowledged; -1 for none."""


@dataclass(frozen=True, repr=False)
class PortSeries(_Rows):
    """A port at sampling instants."""

    backlog_packets: Counts
    """Packets held, the one in transmission included."""
    backlog_bytes: Counts
    """Bytes held."""
    packets_arrived: Counts
    """Packets arrived so far."""
    packets_arrived_udp: Counts
    """Those of UDP flows, which do not answer to congestion."""
    packets_dropped: Counts
    """Packets dropped or lost so far."""
    packets_marked: Counts
    """Packets marked so far."""
    packets_departed: Counts
    """Packets transmitted so far."""
    bytes_arrived: Counts
    """Bytes arrived so far."""
    bytes_departed: Counts
    """Bytes transmitted so far."""


@dataclass(frozen=True, repr=False)
class Packets(_Rows):
    """Packet events."""

    event: NDArray[np.int16]
    """0 arrival, 1 departure, 2 drop by the queue, 3 loss on the link, 4 received by a host."""
    ack: NDArray[np.bool_]
    """True for an ACK."""
    flow: NDArray[np.int32]
    """Index of the flow in the recording's ``flows``."""
    seq: Numbers
    """Number of the packet; for an ACK, the highest packet received in order (-1 for none)."""
    size_bytes: Counts
    """Bytes on the wire."""


@dataclass(frozen=True, repr=False)
class Transfers(_Columns):
    """Transfers of a flow whose application hears back, by the time at which they were wanted. Of those that
    the run has cut short, what had not happened is NaN.
    """

    flow: NDArray[np.int32]
    """Index of the flow in the recording's ``flows``."""
    number: Counts
    """Number among those of the flow."""
    session: Counts
    """Number of the session; 0 for a transfer sequence."""
    page: Counts
    """Number of the page in its session; 0 where there are no pages."""
    start: Reals
    """When the transfer was wanted: when the user asked for it, or the application handed it over, in
    seconds."""
    first_byte: Reals
    """When its first packet was delivered, in order, to the receiving application."""
    end: Reals
    """When its last packet was."""
    packets: Counts
    """Packets."""
    bytes: Counts
    """Their payload."""
    last: NDArray[np.bool_]
    """True for the last transfer of its session."""

    @property
    def response_time(self) -> Reals:
        """Time from the start to the end in seconds: the delay of a packet, for Telnet."""
        return self.end - self.start


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
    """Packets of data handed to the receiving application, each once and in order."""
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
        """Payload delivered per second after the warm-up, in bit/s."""
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


@dataclass(frozen=True, repr=False)
class PortResponsiveness(_Rows):
    """Estimates of the share of non-responsive traffic, and the truth. ``time`` is the end of an interval."""

    share: Reals
    """Share of arriving packets of flows that do not respond; NaN where it is unknown."""
    share_se: Reals
    """Half the width of its bounds before 0 and 1 cut them, over 1.96; NaN where it is unknown."""
    share_lower: Reals
    """The share is at least this."""
    share_upper: Reals
    """And at most this."""
    doubt: Reals
    """Doubt about flows, from 0 to 1; the bounds follow from it."""
    resolved: Reals
    """Part of the watched packets that belong to flows with a label."""
    watched: Reals
    """Part of the packets that belong to watched flows."""
    packets: Counts
    """Packets that arrived at the queue."""
    packets_udp: Counts
    """Packets of UDP flows: the ground truth by protocol, which the estimator does not see."""
    packets_deaf: Counts
    """Packets of the flows listed in ``record.responsiveness.deaf``: the ground truth by response."""
    acks: Counts
    """ACKs that arrived, a class of their own that no other column counts."""
    signals: Counts
    """Packets that were dropped or marked."""
    flows: Counts
    """Watched flows that sent a packet."""
    flags: Counts
    """Reasons to doubt: bits of :class:`parshall.estimators.ResponsivenessQuality`."""


@dataclass(frozen=True, repr=False)
class PortNonresponsive(_Rows):
    """Estimates from the queue of a port alone. ``time`` is the end of an interval."""

    share: Reals
    """Share of arrivals that does not respond, from 0 to 1; NaN when there was none."""
    share_se: Reals
    """Its standard error; NaN for a method without a covariance."""
    n_s: Reals
    """Number of responsive flows."""
    z0: Reals
    """Packets of responsive flows in a round trip."""
    rtt: Reals
    """Round-trip time, in seconds."""
    excitation: Reals
    """Distance of the regressor's columns lately, from 0 (not distinguishable) to 1."""
    arrivals: Reals
    """Packets that arrived, as the estimator counts them: the fixed-point form divides bytes by the mean."""
    flags: Counts
    """Reasons to doubt: bits of :class:`parshall.estimators.Quality`."""
    packets: Counts
    """Packets that arrived."""
    packets_udp: Counts
    """Those of UDP flows: the truth, which the estimator does not see."""


@dataclass(frozen=True, repr=False)
class PortRedTuning(_Rows):
    """Settings of a tuned RED after each estimate of the non-responsive share. ``time`` is the end of each
    estimation interval.
    """

    share: Reals
    """Share of arriving packets of flows that do not respond, as the queue estimates it; NaN when none
    arrived, and while it is unknown: thresholds then stay."""
    min_threshold_packets: Reals
    """Lower threshold from here on."""
    max_threshold_packets: Reals
    """Upper threshold from here on."""


@dataclass(frozen=True, repr=False)
class PortTreatment(_Rows):
    """Outcomes of experiments with groups of flows (``TreatmentLoss``): a row for each group and pair of
    blocks that asked, by its end, ``time``.
    """

    group: Counts
    """Number of the group in ``groups``."""
    lower: Reals
    """Part of their packets that flows give up under treatment, at least."""
    effect: Reals
    """Estimate of it; NaN before a pair has told something."""
    upper: Reals
    """Its upper bound. Bounds hold at all times at once in 95 % of experiments with flows that do not
    respond."""
    price: Reals
    """Cost so far as a part of the group's packets: those that the treatment took, and those that treated
    flows sent less."""
    packets: Counts
    """Packets of the group so far."""
    signals: Counts
    """Packets that the treatment dropped or marked."""
    pairs: Counts
    """Pairs that have told something."""
    label: Counts
    """A :class:`parshall.estimators.FlowLabel`: -1 responds, 1 does not, 0 is unknown."""


@dataclass(frozen=True)
class PortView:
    """One port of a recording: a direction of a link, with its queue."""

    name: str
    """``a->b``."""
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
    """Rate of the link in this direction, in bit/s; for a recorded capacity, the mean of the counted time."""
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
        """Throughput as a share of the rate; NaN where a recorded capacity lets nothing leave."""
        return self.throughput / self.rate if self.rate else float("nan")

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
