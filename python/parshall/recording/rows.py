"""Rows of a flow or a port in the tables of a recording, as columns of NumPy arrays.

The attributes are the columns of the tables in docs/architecture.md. Times are seconds; a value that does not
exist yet is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]
    Counts = NDArray[np.int64]
    Numbers = NDArray[np.int64]

__all__ = [
    "FlowSeries",
    "Packets",
    "PortNonresponsive",
    "PortRedTuning",
    "PortResponsiveness",
    "PortSeries",
    "PortTreatment",
    "RttSamples",
    "Transfers",
    "WindowChanges",
]


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
    """Packets delivered in order so far."""
    packets_arrived: Counts
    """Packets of data that have arrived so far, each once, in order or not."""
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
    """Cost so far as a part of the group's packets: those that the treatment took, and those that flows sent
    less in blocks with treatment than in those without. What it still costs after its block is not in it."""
    packets: Counts
    """Packets of the group so far."""
    signals: Counts
    """Packets that the treatment dropped or marked."""
    pairs: Counts
    """Pairs that have told something."""
    label: Counts
    """A :class:`parshall.estimators.FlowLabel`: -1 responds, 1 does not, 0 is unknown."""
