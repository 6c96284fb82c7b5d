"""Records of a run."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/record.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from parshall.scenario.base import Part, default
from parshall.scenario.methods.record import RecordMethods

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.parts.queue_share import QueueShareSeries
    from parshall.scenario.quantities import Given, Number, Table

__all__ = [
    "Record",
    "Series",
    "ShareSeries",
]


class Record(RecordMethods, Part):
    """Quantities to record besides the counters. Flows are named, or ``*`` for all; ports are named ``a->b``,
    or by the name of their link (its forward direction), or ``*`` for all. A single name may stand without
    brackets.
    """

    rtt: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Flows of which every RTT sample is kept, with srtt, rttvar and RTO."""
    window: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Flows of which every change of the sender's variables is kept."""
    flow_series: Given[Series | None, Series | Table | None] = default(None)
    """Flows of which the state is sampled at intervals."""
    port_series: Given[Series | None, Series | Table | None] = default(None)
    """Ports of which the state is sampled at intervals."""
    responsiveness: Given[ShareSeries | None, ShareSeries | Table | None] = default(None)
    """Ports of which the share of non-responsive traffic is estimated at intervals."""
    nonresponsive: Given[QueueShareSeries | None, QueueShareSeries | Table | None] = default(None)
    """Ports of which that share is estimated from what the queue alone shows."""
    packets: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Ports of which every packet event is kept."""
    deliveries: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Flows of which every packet that reaches a host is kept."""
    pcap: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Ports of which a packet capture is written; docs/guide/captures.md says how to read it."""
    pcap_format: Literal["pcap", "pcapng"] = "pcap"
    """The format of captures. ``pcapng`` has room for comments: which packets the queue marked, and what it
    dropped before which packet.
    """
    pcap_both_directions: bool = False
    """True if a port's capture also has the packets of the link's other direction, like a capture that is
    taken at the node in front of the port.
    """
    pcap_handshakes: Literal["all", "simulated"] = "all"
    """Which handshakes captures have. With ``all`` a connection that was simulated without one gets a SYN and
    its answer, without which Wireshark knows neither the scale of windows nor the options.
    """
    class_state: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Ports of which the state of conditioner and class queues is kept after each arrival: buckets, rates,
    averages.
    """
    edges: Given[Series | None, Series | Table | None] = default(None)
    """Ports of whose conditioners what they know of TCP connections is kept at intervals: round-trip times,
    timeouts and windows, beside what the senders know.
    """
    transfers: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Flows of which every transfer is kept: when it was wanted, when its first and its last packet were
    delivered. Their applications are transfer sequences, Telnet or the Web; ``*`` leaves others out.
    """


class Series(Part):
    """Flows or ports to sample, and the interval."""

    of: Given[tuple[str, ...], Sequence[str] | str]
    """Names of flows or ports; ``*`` for all."""
    interval: Given[float, Number]
    """Time between samples."""


class ShareSeries(Part):
    """Estimates of the share of non-responsive traffic: of which ports, how often, and what counts as a
    signal to flows.
    """

    of: Given[tuple[str, ...], Sequence[str] | str]
    """Names of ports; ``*`` for all."""
    interval: Given[float, Number]
    """Time between estimates."""
    signals: Literal["queue", "losses", "both"] = "queue"
    """Events that flows are expected to respond to: the queue's drops and marks, losses before the queue, or
    both, each judged by itself. Losses before the queue are then a dither: packets that the router drops at
    random to see who responds (``DitherLoss`` or ``BernoulliLoss``). With ``losses`` the queue's drops are no
    signal.
    """
    deaf: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Flows whose packets are counted apart, in the column ``packets_deaf``: those that are known not to
    respond, whatever their protocol is.
    """
    evidence_every: int | None = None
    """Estimates from one row of a flow in the table ``evidence`` to the next; without it there is no such
    table.
    """
