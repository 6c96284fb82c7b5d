"""Queues in front of links: drop-tail, random early detection, those that control the delay, and classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import model_validator
from typing_extensions import Self

from parshall.errors import InputError, shown
from parshall.scenario.base import Model, one_of
from parshall.scenario.class_queues import DiffServ
from parshall.scenario.quantities import (
    ABSENT,
    BurstSize,
    Count,
    Duration,
    Flag,
    MaybeDuration,
    MaybePeriod,
    MaybeSize,
    PacketSize,
    Period,
    Positive,
    Probability,
    QueueCount,
    Share,
)
from parshall.scenario.weights import WEIGHT, Weight

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["CoDel", "DropTail", "FqCodel", "Pie", "Red"]

_MEAN_PACKET: Any = 1000
_MTU: Any = 1500
_QUANTUM: Any = 1514
_5_MS: Any = 0.005
_15_MS: Any = 0.015
_100_MS: Any = 0.1
_150_MS: Any = 0.15
_1_S: Any = 1.0


class DropTail(Model):
    """First in, first out; an arriving packet is dropped when the queue is full.

    Both limits count the packet in transmission. With neither the queue is unlimited.
    """

    kind: Literal["droptail"] = "droptail"
    """Names this queue discipline."""
    limit_packets: Count | None = None
    """Most packets held."""
    limit_bytes: MaybeSize = ABSENT
    """Most bytes held."""


class Red(Model):
    """Random early detection (Floyd and Jacobson 1993) with the options of ns-2: packets are dropped, or
    marked, with a probability that grows with the average queue. Lengths do not count the packet in
    transmission.
    """

    kind: Literal["red"] = "red"
    """Names this queue discipline."""
    min_threshold_packets: Positive
    """Average queue below which nothing is dropped."""
    max_threshold_packets: Positive
    """Average queue at which the drop probability is ``max_probability``; at least the lower threshold."""
    limit_packets: Count
    """Most packets that wait."""
    max_probability: Share = 0.1
    """Drop probability at the upper threshold."""
    weight: Weight = WEIGHT
    """Weight of the current queue in its average: a number, or ``from-rate``."""
    unit: Literal["packets", "bytes"] = "packets"
    """What the queue is counted in; thresholds and limit are then so many packets, or so many mean packets'
    bytes."""
    mean_packet_bytes: PacketSize = _MEAN_PACKET
    """Size of a mean packet."""
    by_size: Flag = True
    """Whether a queue that is counted in bytes drops large packets more often, in proportion, as ns-2 does;
    Linux drops all alike, as RFC 7141 asks."""
    gentle: Flag = True
    """Whether the probability rises to 1 at twice the upper threshold, or jumps to 1 there."""
    wait: Flag = True
    """Whether drops are at least the inverse of the probability apart."""
    ecn: Flag = False
    """Whether packets that can be marked are marked instead of dropped (RFC 3168)."""
    hard_drop: Flag = True
    """Whether packets that can be marked are dropped, too, where the average is so high that the
    probability is 1 (RFC 3168, section 7). Without it they are marked there. DCTCP's queue marks each packet
    that finds K or more waiting (RFC 8257, section 3.1): both thresholds K, ``weight = 1``, ``ecn = true``,
    ``gentle = false``, ``hard_drop = false``."""
    adaptive: Flag = False
    """Whether ``max_probability`` adapts itself (Floyd, Gummadi and Shenker 2001)."""
    tune_by: Literal["responsiveness", "nonresponsive"] | None = None
    """What tells the queue how much of its load does not respond: the estimator of ``record.responsiveness``,
    which looks at flows, fed with what this queue drops and marks; or the modified algorithm of Zhao (2004)
    with its printed gains, as in ``record.nonresponsive``, which looks at the queue alone. Both thresholds
    then move towards ``limit_packets`` as that share grows beyond ``tune_above``: the queue becomes
    drop-tail. What it did is in ``port(...).red_tuning`` where ``record.port_series`` names the port."""
    tune_above: Probability = 0.5
    """Share of packets of flows that do not respond up to which the thresholds stay."""
    tune_band: Probability = 0.1
    """How far beyond ``tune_above`` the share is when the thresholds have reached the limit. They move in
    proportion; with 0 they jump."""
    tune_interval: Period = _1_S
    """Time between two estimates of the share."""
    tune_rtt: MaybePeriod = ABSENT
    """Round-trip time of responsive flows without the queue, which ``tune_by = "nonresponsive"`` has to be
    told; it looks at the queue three times in it."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        low, high = self.min_threshold_packets, self.max_threshold_packets
        if high < low:
            raise InputError("max_threshold_packets", shown(high), f"at least min_threshold_packets, {low:g}")
        return self


class CoDel(Model):
    """CoDel, controlled delay (RFC 8289): when packets have waited longer than ``target`` for ``interval``,
    one is dropped as it is about to leave, then more and more often until the wait falls below the target.
    The defaults are the RFC's. Limits do not count the packet in transmission; with neither the queue is
    unlimited.
    """

    kind: Literal["codel"] = "codel"
    """Names this queue discipline."""
    target: Period = _5_MS
    """Acceptable time in the queue."""
    interval: Period = _100_MS
    """How long packets may wait longer before one is dropped: about the longest round trip."""
    limit_packets: Count | None = None
    """Most packets that wait."""
    limit_bytes: MaybeSize = ABSENT
    """Most bytes that wait."""
    mtu_bytes: BurstSize = _MTU
    """Nothing is dropped while no more than this waits."""
    ecn: Flag = False
    """Whether packets that can be marked are marked instead of dropped (RFC 3168)."""
    ce_threshold: MaybeDuration = ABSENT
    """Packets that can be marked are marked if they waited longer than this, whatever else is done; needs
    ``ecn``."""
    variant: Literal["rfc", "linux"] = "rfc"
    """Whose square root spaces the drops: that of Linux is one step of Newton's method from the value before,
    so that the third drop comes after half of ``interval`` and not after 0.71 of it."""


class Pie(Model):
    """PIE, proportional integral controller enhanced (RFC 8033): arriving packets are dropped with a
    probability that is set anew at every ``update`` from the queueing delay's distance from its target and
    from its change. The defaults are those of the RFC's basic scheme. Limits do not count the packet in
    transmission; with neither the queue is unlimited.
    """

    kind: Literal["pie"] = "pie"
    """Names this queue discipline."""
    target: Period = _15_MS
    """Queueing delay to hold (``QDELAY_REF``)."""
    update: Period = _15_MS
    """Time between updates of the probability (``T_UPDATE``)."""
    alpha: Positive = 0.125
    """Weight of the delay's distance from the target, in 1/s."""
    beta: Positive = 1.25
    """Weight of the delay's change, in 1/s."""
    max_burst: Duration = _150_MS
    """How long a burst is let through after a time without congestion (``MAX_BURST``)."""
    limit_packets: Count | None = None
    """Most packets that wait."""
    limit_bytes: MaybeSize = ABSENT
    """Most bytes that wait."""
    mean_packet_bytes: PacketSize = _MEAN_PACKET
    """Size of a mean packet: nothing is dropped while two of them wait, or less."""
    delay: Literal["timestamps", "departure-rate"] = "timestamps"
    """Where the queueing delay comes from: the time that the packet waited which left last, or what waits,
    by an estimate of the rate at which it leaves (section 5.2)."""
    ecn: Flag = False
    """Whether packets that can be marked are marked instead of dropped (section 5.1)."""
    mark_below: Probability = 0.1
    """From this probability on packets are dropped even if they can be marked."""
    derandomize: Flag = False
    """Whether drops are kept from coming in clusters (section 5.4)."""
    cap_increase: Flag = False
    """Whether an update raises a probability of 0.1 or more by 0.02 at most (section 5.5)."""
    variant: Literal["rfc", "linux"] = "rfc"
    """Whose rules they are. Linux spares packets by the delay of the one that left last, and not by that at
    the last update; may drop the third of three packets of mean size; and from a delay of 250 ms on adds 0.02
    to the probability at each update. What it has of section 5 is ``derandomize`` and ``cap_increase``."""


class FqCodel(Model):
    """FQ-CoDel (RFC 8290): flows are hashed into queues that take turns, those that have just become active
    first, and each queue is a CoDel queue. The data of a flow and its ACKs are two flows. The defaults are
    the RFC's. Limits do not count the packet in transmission.
    """

    kind: Literal["fq-codel"] = "fq-codel"
    """Names this queue discipline."""
    target: Period = _5_MS
    """Acceptable time in a queue."""
    interval: Period = _100_MS
    """How long packets may wait longer before one is dropped."""
    queues: QueueCount = 1024
    """How many queues there are. Which one a flow is hashed into depends on its name, the port's name and the
    seed."""
    quantum_bytes: BurstSize = _QUANTUM
    """Bytes that a queue may send in its turn."""
    limit_packets: Count = 10240
    """Most packets that wait in all queues."""
    limit_bytes: MaybeSize = ABSENT
    """Most bytes that wait in all queues."""
    drop_batch: Count = 64
    """Most packets that are dropped at once from the longest queue when a limit is passed; no more than
    half of that queue."""
    mtu_bytes: BurstSize = _MTU
    """Nothing is dropped by CoDel while no more than this waits in a queue."""
    ecn: Flag = True
    """Whether packets that can be marked are marked instead of dropped (RFC 3168)."""
    ce_threshold: MaybeDuration = ABSENT
    """Packets that can be marked are marked if they waited longer than this, whatever else is done; needs
    ``ecn``."""
    variant: Literal["rfc", "linux"] = "rfc"
    """Whose rules they are. Linux compares ``mtu_bytes`` with what waits in all queues, so that flows whose
    packets wait alone in their queues lose some, too; a limit that is passed costs the longest queue half of
    its bytes, and not of its packets; and CoDel's square root is that of its variant."""


UNLIMITED: Any = DropTail.known()
"""The default of a queue; its type is that of any field."""

if TYPE_CHECKING:
    AnyQueue: TypeAlias = DropTail | Red | CoDel | Pie | FqCodel | DiffServ
    QueueName: TypeAlias = Literal["droptail", "codel", "pie", "fq-codel"]
    Queue: TypeAlias = Given[AnyQueue, AnyQueue | QueueName | Table]
    MaybeQueue: TypeAlias = Given[AnyQueue | None, AnyQueue | QueueName | Table | None]
else:
    Queue = one_of(DropTail, Red, CoDel, Pie, FqCodel, DiffServ)
    MaybeQueue = Queue | None
