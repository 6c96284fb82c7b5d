"""How data travels: TCP and UDP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from typing_extensions import Self

from parshall.scenario.base import Model, one_of
from parshall.scenario.canonical import canonical_json
from parshall.scenario.control import MaybeControl
from parshall.scenario.quantities import (
    ABSENT,
    Count,
    CountOrNone,
    Flag,
    HeaderSize,
    MaybeDuration,
    MaybePeriod,
    PacketSize,
    Positive,
)
from parshall.scenario.rto import MaybeRto

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["Tcp", "Udp"]

_PAYLOAD: Any = 1000
_TCP_HEADER: Any = 40
_UDP_HEADER: Any = 28


class Tcp(Model):
    """Reliable and congestion controlled. Recovery, retransmission timeout, window and receiver options
    compose. An option that is left out takes the value that its profile gives it.
    """

    kind: Literal["tcp"] = "tcp"
    """Names this transport."""
    profile: Literal["rfc", "linux", "ns2"] = "rfc"
    """The set of defaults: what the RFCs say today, what Linux 6 does, or what ns-2.35 does."""
    recovery: Literal["tahoe", "reno", "newreno", "sack", "vegas"] | None = None
    """What is sent after a loss: slow start from one packet (Tahoe), fast recovery that the first new ACK
    ends (Reno, RFC 2581) or that lasts until all is repaired (NewReno, RFC 6582), what selective
    acknowledgements show to be missing (SACK: RFC 2018 and 6675; with the profile ``ns2`` its Sack1), or
    what Vegas sends, which also has a window of its own (Brakmo and Peterson 1995). None is SACK with the
    profiles ``rfc`` and ``linux``, and NewReno with ``ns2``."""
    control: MaybeControl = ABSENT
    """How the window grows and shrinks. None is Linux's CUBIC with the profile ``linux``, and AIMD with
    others; one that is named by its kind alone is Linux's with ``linux``, too. The recovery ``vegas`` has a
    window of its own, and takes nothing but its rule from here: bounds from ``vegas``, the forecast from
    ``arima-vegas``. A control of your own may stand as text, ``module:Class``."""
    ecn: Flag = False
    """Whether packets can be marked instead of dropped (RFC 3168); it takes a queue that marks."""
    pacing: Flag = False
    """Whether packets are spread over the round trip instead of sent as ACKs let them go."""
    rto: MaybeRto = ABSENT
    """How the retransmission timeout is estimated."""
    payload_bytes: PacketSize = _PAYLOAD
    """Payload of a full segment."""
    header_bytes: PacketSize = _TCP_HEADER
    """Headers of a data packet. With a handshake, packet 0 is a SYN of this size."""
    ack_bytes: PacketSize = _TCP_HEADER
    """An acknowledgement on the wire."""
    delayed_ack: Flag | None = None
    """Acknowledge every second packet, or when the timer expires."""
    delayed_ack_timer: MaybePeriod = ABSENT
    """How long an acknowledgement may wait."""
    quick_acks: CountOrNone | None = None
    """The first packets of data, so many, are acknowledged each at once (Linux's quick ACKs); 0 for none."""
    initial_window_packets: Positive | None = None
    """Packets sent before the first acknowledgement."""
    max_window_packets: Count | None = None
    """The receiver's window."""
    initial_ssthresh_packets: Positive | None = None
    """Where slow start first ends; none means at the receiver's window."""
    handshake: Flag | None = None
    """Whether packet 0 is a SYN, and data waits for its acknowledgement. With profile and recovery of ns-2's
    Vegas it is as large as any packet, and the initial window waits for the ACK after its own."""
    limited_transmit: Flag | None = None
    """A new packet on each of the first two duplicate ACKs (RFC 3042)."""
    dupack_threshold: Count | None = None
    """Duplicate ACKs that mean a loss."""
    initial_rto: MaybePeriod = ABSENT
    """RTO before the first sample."""
    min_rto: MaybePeriod = ABSENT
    """Least RTO, before backoff."""
    max_rto: MaybePeriod = ABSENT
    """Greatest RTO, after backoff."""
    clock_tick: MaybeDuration = ABSENT
    """Granularity of the sender's clock; 0 is an exact clock."""
    clock_phase: MaybeDuration = ABSENT
    """Where in a tick the run starts; none draws it at random."""
    prr: Flag | None = None
    """SACK: proportional rate reduction (RFC 9937), by which the window comes down evenly over a recovery
    instead of at once."""
    rack: Flag | None = None
    """SACK: losses are told by time, and a probe finds those at the end (RACK-TLP, RFC 8985)."""
    eifel: Flag | None = None
    """Whether a reduction of the window is undone when an ACK of new data answers a packet that was sent
    before anything was sent again, as the time stamp tells: a timeout came too early, or packets were
    overtaken (Eifel, RFC 3522 and 4015; Linux)."""
    frto: Flag | None = None
    """Sends new data on the first ACK after a timeout, in place of what counts as lost. If the next one
    acknowledges what was sent before the timeout, and once, that was needless and is undone, without time
    stamps (F-RTO, RFC 5682; Linux)."""
    dsack: Flag | None = None
    """SACK: whether receivers report packets that have come twice (RFC 2883). The sender undoes a reduction
    when all that it sent again has (RFC 3708; Linux), and RACK lets reordering take longer (RFC 8985)."""
    reduce_from: Literal["flight", "window"] | None = None
    """What a loss halves: the packets in flight (RFC 5681, equation 4), or the smaller of cwnd and the
    receiver's window (ns-2)."""
    integer_ssthresh: Flag | None = None
    """Whether ssthresh loses its fraction."""
    rtt_sampling: Literal["one-packet", "timestamps"] | None = None
    """Which packets are timed: one at a time, never a retransmitted one (RFC 6298, section 3), or all, by the
    time stamp that their ACKs echo (RFC 7323)."""
    backoff_reset: Literal["sample", "new-ack"] | None = None
    """What ends exponential backoff: an RTT sample (Karn; RFC 6298, section 5), or any ACK of new data."""
    idle_restart: Literal["on-send", "halving", "on-timer", "never"] | None = None
    """What happens to the window of a sender that has been idle: sending after an RTO of silence starts from
    the initial window (RFC 5681, section 4.1), or from a window that is halved once for each RTO, with
    ssthresh raised to three quarters of what it was (Linux); the running timer sets cwnd to 1 when it expires
    (ns-2); or nothing. Controls that set the window on every ACK, BBR and Copa, keep it through the first
    two."""
    fast_retransmit_guard: Literal["recover", "recover-or-first", "none"] | None = None
    """When duplicate ACKs may start another fast retransmit: when everything sent before the last reduction
    has been acknowledged (RFC 6582, section 3.2), the same with ns-2's exception for the first packet, or
    always."""
    partial_ack_timer: Literal["first", "every"] | None = None
    """NewReno: which partial ACKs of a recovery restart the retransmission timer (RFC 6582, section 3.2)."""
    grow_when_limited: Flag | None = None
    """Whether cwnd grows while the window is not used up."""
    count_acked_packets: Flag | None = None
    """Whether an ACK for two packets grows cwnd as two ACKs do (RFC 5681, section 3.1) or as one."""
    slow_start_counts_packets: Flag | None = None
    """Whether an ACK for two packets opens cwnd by two in slow start (Linux), or by one (RFC 5681, section
    3.1)."""
    deflate_to_ssthresh: Flag | None = None
    """Whether leaving recovery sets cwnd to ssthresh (RFC) or keeps it and lets that ACK grow it (ns-2)."""
    timeout_clears_dupacks: Flag | None = None
    """Whether a timeout forgets the duplicate ACKs counted so far; ns-2's Tahoe does not."""

    def resolved(self) -> Self:
        """This sender and receiver, with every field that was left out at the value that its profile
        gives it. Still None are a ``clock_phase`` that is drawn at random, an ``initial_ssthresh_packets`` at
        the receiver's window, and settings of the control that are those of its RFC or draft.
        """
        from parshall import _core

        return type(self).from_dict(json.loads(_core.filled_transport(canonical_json(self))))


class Udp(Model):
    """Neither reliable nor congestion controlled."""

    kind: Literal["udp"] = "udp"
    """Names this transport."""
    payload_bytes: PacketSize = _PAYLOAD
    """Payload of a packet."""
    header_bytes: HeaderSize = _UDP_HEADER
    """IP and UDP headers."""


if TYPE_CHECKING:
    Transport: TypeAlias = Given[Tcp | Udp, Tcp | Udp | Literal["tcp", "udp"] | Table]
else:
    Transport = one_of(Tcp, Udp)
