"""What a run records besides the counters."""

from __future__ import annotations

from typing import Literal

from parshall.scenario.base import Model
from parshall.scenario.quantities import NO_NAMES, Flag, Names, Period
from parshall.scenario.queue_share import QueueShareSeries

__all__ = ["Record", "Series", "ShareSeries"]


_HOW = ("pcap_format", "pcap_both_directions", "pcap_handshakes")
"""Fields of a record that say how something is recorded, not what."""


class Series(Model):
    """What is sampled, and how often."""

    of: Names
    """Names of flows or ports; ``*`` for all."""
    interval: Period
    """Time between samples."""


class ShareSeries(Model):
    """Estimates of the share of non-responsive traffic: of which ports, how often, and what counts as a
    signal to flows.
    """

    of: Names
    """Names of ports; ``*`` for all."""
    interval: Period
    """Time between estimates."""
    signals: Literal["queue", "losses", "both"] = "queue"
    """What flows are expected to respond to: what the queue drops or marks, what is lost before the queue, or
    both, each judged by itself. What is lost before the queue is then a dither: packets that the router drops
    at random to see who responds (``DitherLoss`` or ``BernoulliLoss``). With ``losses`` what the queue drops
    is no signal."""
    deaf: Names = NO_NAMES
    """Flows whose packets are counted apart, in the column ``packets_deaf``: those that are known not to
    respond, whatever their protocol is."""


class Record(Model):
    """What is recorded besides the counters. Flows are named, or ``*`` for all; ports are named ``a->b``, or
    by the name of their link (its forward direction), or ``*`` for all. A single name may stand without
    brackets.
    """

    rtt: Names = NO_NAMES
    """Flows of which every RTT sample is kept, with srtt, rttvar and RTO."""
    window: Names = NO_NAMES
    """Flows of which every change of the sender's variables is kept."""
    flow_series: Series | None = None
    """Flows of which the state is sampled at intervals."""
    port_series: Series | None = None
    """Ports of which the state is sampled at intervals."""
    responsiveness: ShareSeries | None = None
    """Ports of which the share of non-responsive traffic is estimated at intervals."""
    nonresponsive: QueueShareSeries | None = None
    """Ports of which that share is estimated from what the queue alone shows."""
    packets: Names = NO_NAMES
    """Ports of which every packet event is kept."""
    deliveries: Names = NO_NAMES
    """Flows of which every packet that reaches a host is kept."""
    pcap: Names = NO_NAMES
    """Ports of which a packet capture is written; docs/guide/captures.md says how to read it."""
    pcap_format: Literal["pcap", "pcapng"] = "pcap"
    """The format of captures. ``pcapng`` has room for comments: which packets the queue marked, and what it
    dropped before which packet."""
    pcap_both_directions: Flag = False
    """Whether a port's capture also has what the other direction of its link brings, as one that is taken at
    the node in front of the port."""
    pcap_handshakes: Literal["all", "simulated"] = "all"
    """Which handshakes captures have. With ``all`` a connection that was simulated without one gets a SYN and
    its answer, without which Wireshark knows neither the scale of windows nor the options."""
    class_state: Names = NO_NAMES
    """Ports of which the state of conditioner and class queues is kept after each arrival: buckets, rates,
    averages."""
    edges: Series | None = None
    """Ports of whose conditioners what they know of TCP connections is kept at intervals: round-trip times,
    timeouts and windows, beside what the senders know."""
    transfers: Names = NO_NAMES
    """Flows of which every transfer is kept: when it was wanted, when its first and its last packet were
    delivered. Their applications are transfer sequences, Telnet or the Web; ``*`` leaves others out."""

    def tables(self) -> set[str]:
        """The tables that a recording has besides the counters; ``pcap`` stands for captures."""
        asked = {name for name in type(self).model_fields if getattr(self, name) and name not in _HOW}
        besides = {"deliveries": "packets", "class_state": "averages"}
        return (asked - {"deliveries"}) | {besides[name] for name in asked & set(besides)}
