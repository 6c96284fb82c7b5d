"""Transports."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/transport.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.methods.transport import TcpMethods

if TYPE_CHECKING:
    from parshall.scenario.parts.control import AnyControl, AnyControlGiven
    from parshall.scenario.parts.rto import RtoConfig, RtoConfigGiven
    from parshall.scenario.quantities import Bytes, Given, Number, Table

__all__ = [
    "AnyTransport",
    "Tcp",
    "Udp",
]


class Tcp(TcpMethods, Part):
    """Reliable and congestion controlled. Recovery, retransmission timeout, window and receiver options
    compose. An option that is left out takes the value that its profile gives it.
    """

    kind: Literal["tcp"] = "tcp"
    """Names this transport."""
    profile: Literal["rfc", "linux", "linux-6.1", "linux-6.12", "linux-7.3", "ns2"] = "rfc"
    """The set of defaults: what the RFCs say today, what Linux does, or what ns-2.35 does. ``linux`` is the
    newest of the versions of Linux that have a profile. With ``linux-6.1`` the timeout of a SYN doubles from
    the first one on (until 6.5), half of the receive buffer is advertised (until 6.6), and it grows to 6 MB,
    with sixteen packets to spare, as with ``linux-6.12`` (until 6.16).
    """
    recovery: Literal["tahoe", "reno", "newreno", "sack", "vegas"] | None = None
    """Recovery from losses: slow start from one packet (Tahoe), fast recovery that the first new ACK ends
    (Reno, RFC 2581) or that lasts until all is repaired (NewReno, RFC 6582), retransmission of the packets
    that selective acknowledgements show to be missing (SACK: RFC 2018 and 6675; with the profile ``ns2`` its
    Sack1), or the rules of Vegas, which also has a window of its own (Brakmo and Peterson 1995). None is SACK
    with the profiles ``rfc`` and ``linux``, and NewReno with ``ns2``.
    """
    control: Given[AnyControl | None, AnyControlGiven | None] = default(None)
    """Congestion control. None is Linux's CUBIC with the profile ``linux``, and AIMD with others; one that is
    named by its kind alone is Linux's with ``linux``, too. The recovery ``vegas`` has a window of its own,
    and takes nothing but its rule from here: bounds from ``vegas``, the forecast from ``arima-vegas``. A
    control of your own may stand as text, ``module:Class``.
    """
    ecn: bool = False
    """True if packets can be marked instead of dropped (RFC 3168); it takes a queue that marks."""
    pacing: bool = False
    """True if packets are spread over the round trip instead of sent as ACKs let them go."""
    rto: Given[RtoConfig | None, RtoConfigGiven | None] = default(None)
    """Estimator of the retransmission timeout."""
    payload_bytes: Given[int, Bytes] = default(1000)
    """Payload of a full segment. No profile changes it: Linux sends 1448 bytes over Ethernet."""
    header_bytes: Given[int, Bytes] = default(40)
    """Headers of a data packet. With a handshake, packet 0 is a SYN of this size."""
    ack_bytes: Given[int, Bytes] = default(40)
    """An acknowledgement on the wire."""
    delayed_ack: bool | None = None
    """Acknowledge every second packet, or when the timer expires."""
    delayed_ack_timer: Given[float | None, Number | None] = default(None)
    """Longest wait of an acknowledgement."""
    quick_acks: int | None = None
    """Number of packets of data at the start that are acknowledged one by one; 0 for none. With the profile
    ``linux`` the receive buffer decides, unless this is given.
    """
    receive_buffer: int | None = None
    """Bytes of the receive buffer at the start: the middle value of Linux's ``tcp_rmem``. The receiver
    acknowledges packets one by one while its window grows (Linux's quick ACKs). The window never limits the
    sender; ``max_window_packets`` does. Excludes ``quick_acks``.
    """
    initial_window_packets: float | None = None
    """Packets sent before the first acknowledgement."""
    max_window_packets: int | None = None
    """The receiver's window."""
    initial_ssthresh_packets: float | None = None
    """Where slow start first ends; none means at the receiver's window."""
    handshake: bool | None = None
    """True if packet 0 is a SYN, and data waits for its acknowledgement. With profile and recovery of ns-2's
    Vegas it is as large as any packet, and the initial window waits for the ACK after its own.
    """
    limited_transmit: bool | None = None
    """A new packet on each of the first two duplicate ACKs (RFC 3042)."""
    dupack_threshold: int | None = None
    """Duplicate ACKs that mean a loss."""
    initial_rto: Given[float | None, Number | None] = default(None)
    """RTO before the first sample."""
    min_rto: Given[float | None, Number | None] = default(None)
    """Least RTO, before backoff."""
    max_rto: Given[float | None, Number | None] = default(None)
    """Greatest RTO, after backoff (Linux: ``tcp_rto_max_ms``, since 6.15)."""
    clock_tick: Given[float | None, Number | None] = default(None)
    """Granularity of the sender's clock; 0 is an exact clock."""
    clock_phase: Given[float | None, Number | None] = default(None)
    """Where in a tick the run starts; none draws it at random."""
    timer_wheel: bool | None = None
    """True if timers of the sender expire as late as those of Linux, whose clock ticks each 4 ms and which
    keeps timers of 252 ms and more in buckets of 32 ms, those of two seconds in buckets of 256 ms.
    """
    prr: bool | None = None
    """SACK: proportional rate reduction (RFC 9937), by which the window comes down evenly over a recovery
    instead of at once.
    """
    rack: bool | None = None
    """SACK: losses are told by time, and a probe finds those at the end (RACK-TLP, RFC 8985)."""
    eifel: bool | None = None
    """True if a reduction of the window is undone when an ACK of new data answers a packet that was sent
    before anything was sent again, as the time stamp tells: a timeout came too early, or packets were
    overtaken (Eifel, RFC 3522 and 4015; Linux).
    """
    frto: bool | None = None
    """Sends new data on the first ACK after a timeout, in place of what counts as lost. If the next one
    acknowledges what was sent before the timeout, and once, that was needless and is undone, without time
    stamps (F-RTO, RFC 5682; Linux).
    """
    dsack: bool | None = None
    """SACK: whether receivers report packets that have come twice (RFC 2883). The sender undoes a reduction
    when all that it sent again has (RFC 3708; Linux), and RACK lets reordering take longer (RFC 8985).
    """
    reduce_from: Literal["flight", "window"] | None = None
    """Quantity that a loss halves: the packets in flight (RFC 5681, equation 4), or the smaller of cwnd and
    the receiver's window (ns-2).
    """
    integer_ssthresh: bool | None = None
    """True if ssthresh is rounded down to a whole number."""
    rtt_sampling: Literal["one-packet", "timestamps"] | None = None
    """Which packets are timed: one at a time, never a retransmitted one (RFC 6298, section 3), or all, by the
    time stamp that their ACKs echo (RFC 7323).
    """
    backoff_reset: Literal["sample", "new-ack"] | None = None
    """Event that ends exponential backoff: an RTT sample (Karn; RFC 6298, section 5), or any ACK of new data.
    """
    idle_restart: Literal["on-send", "halving", "on-timer", "never"] | None = None
    """Effect of idleness on the window: sending after an RTO of silence starts from the initial window (RFC
    5681, section 4.1), or from a window that is halved once for each RTO, with ssthresh raised to three
    quarters of what it was (Linux); the running timer sets cwnd to 1 when it expires (ns-2); or none.
    Controls that set the window on every ACK, BBR and Copa, keep it through the first two.
    """
    fast_retransmit_guard: Literal["recover", "recover-or-first", "none"] | None = None
    """When duplicate ACKs may start another fast retransmit: when everything sent before the last reduction
    has been acknowledged (RFC 6582, section 3.2), the same with ns-2's exception for the first packet, or
    always.
    """
    partial_ack_timer: Literal["first", "every"] | None = None
    """NewReno: which partial ACKs of a recovery restart the retransmission timer (RFC 6582, section 3.2)."""
    grow_when_limited: bool | None = None
    """True if cwnd grows while the window is not used up."""
    count_acked_packets: bool | None = None
    """True if an ACK for two packets grows cwnd as two ACKs do (RFC 5681, section 3.1), and not as one."""
    slow_start_counts_packets: bool | None = None
    """True if an ACK for two packets opens cwnd by two in slow start (Linux), and not by one (RFC 5681,
    section 3.1).
    """
    deflate_to_ssthresh: bool | None = None
    """True if leaving recovery sets cwnd to ssthresh (RFC); false if it keeps cwnd and lets that ACK grow it
    (ns-2).
    """
    timeout_clears_dupacks: bool | None = None
    """True if a timeout forgets the duplicate ACKs counted so far; ns-2's Tahoe does not."""


class Udp(Part):
    """Neither reliable nor congestion controlled."""

    kind: Literal["udp"] = "udp"
    """Names this transport."""
    payload_bytes: Given[int, Bytes] = default(1000)
    """Payload of a packet."""
    header_bytes: Given[int, Bytes] = default(28)
    """IP and UDP headers."""


AnyTransport: TypeAlias = Tcp | Udp
"""Any transport."""

if TYPE_CHECKING:
    AnyTransportGiven: TypeAlias = AnyTransport | Table | Literal["tcp", "udp"]
