"""Queues in front of links."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/queues.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.parts.class_queues import DiffServ
from parshall.scenario.parts.own import UserQueue
from parshall.scenario.parts.weights import FixedWeight

if TYPE_CHECKING:
    from parshall._core import QueueBase
    from parshall.own.queue import SharedQueue
    from parshall.scenario.parts.weights import AnyWeight, AnyWeightGiven
    from parshall.scenario.quantities import Bytes, Given, Number, Table

__all__ = [
    "AnyQueue",
    "CoDel",
    "DropTail",
    "FqCodel",
    "Pie",
    "Red",
]


class DropTail(Part):
    """First in, first out; an arriving packet is dropped when the queue is full. Both limits count the packet
    in transmission. With neither the queue is unlimited.
    """

    kind: Literal["droptail"] = "droptail"
    """Names this queue discipline."""
    limit_packets: int | None = None
    """Most packets held."""
    limit_bytes: Given[int | None, Bytes | None] = default(None)
    """Most bytes held."""


class Red(Part):
    """Random early detection (Floyd and Jacobson 1993) with the options of ns-2: packets are dropped, or
    marked, with a probability that grows with the average queue. Lengths do not count the packet in
    transmission.
    """

    kind: Literal["red"] = "red"
    """Names this queue discipline."""
    min_threshold_packets: float
    """Average queue below which nothing is dropped."""
    max_threshold_packets: float
    """Average queue at which the drop probability is ``max_probability``; at least the lower threshold."""
    limit_packets: int
    """Most packets that wait."""
    max_probability: float = 0.1
    """Drop probability at the upper threshold."""
    weight: Given[AnyWeight, AnyWeightGiven | float] = default(FixedWeight.known(value=0.002))
    """Weight of the current queue in its average: a number, or ``from-rate``."""
    unit: Literal["packets", "bytes"] = "packets"
    """Unit of the queue's length; thresholds and limit are then so many packets, or so many mean packets'
    bytes.
    """
    mean_packet_bytes: Given[int, Bytes] = default(1000)
    """Size of a mean packet."""
    by_size: bool = True
    """True if a queue that is counted in bytes drops large packets more often, in proportion, as ns-2 does;
    Linux drops all alike, as RFC 7141 asks.
    """
    gentle: bool = True
    """True if the probability rises on to 1 at twice the upper threshold; false if it jumps to 1 at the
    threshold.
    """
    wait: bool = True
    """True if drops are at least the inverse of the probability apart."""
    ecn: bool = False
    """True if packets that can be marked are marked instead of dropped (RFC 3168)."""
    hard_drop: bool = True
    """True if packets that can be marked are dropped, too, where the average is so high that the probability
    is 1 (RFC 3168, section 7). Without it they are marked there. DCTCP's queue marks each packet that finds K
    or more waiting (RFC 8257, section 3.1): both thresholds K, ``weight = 1``, ``ecn = true``, ``gentle =
    false``, ``hard_drop = false``.
    """
    adaptive: bool = False
    """True if ``max_probability`` adapts itself (Floyd, Gummadi and Shenker 2001)."""
    tune_by: Literal["responsiveness", "nonresponsive"] | None = None
    """Estimator of the share of the load that does not respond: that of ``record.responsiveness``, which
    looks at flows, fed with this queue's drops and marks; or the modified algorithm of Zhao (2004) with its
    printed gains, as in ``record.nonresponsive``, which looks at the queue alone. Both thresholds then move
    towards ``limit_packets`` as that share grows beyond ``tune_above``: the queue becomes drop-tail. While
    the share is unknown they stay. Its moves are in ``port(...).red_tuning`` where ``record.port_series``
    names the port.
    """
    tune_above: float = 0.5
    """Share of packets of flows that do not respond up to which the thresholds stay."""
    tune_band: float = 0.1
    """Excess of the share over ``tune_above`` at which the thresholds have reached the limit. They move in
    proportion; with 0 they jump.
    """
    tune_interval: Given[float, Number] = default(1.0)
    """Time between two estimates of the share."""
    tune_rtt: Given[float | None, Number | None] = default(None)
    """Round-trip time of responsive flows without the queue, which ``tune_by = "nonresponsive"`` has to be
    told; it looks at the queue three times in it.
    """


class CoDel(Part):
    """CoDel, controlled delay (RFC 8289): when packets have waited longer than ``target`` for ``interval``,
    one is dropped as it is about to leave, then more and more often until the wait falls below the target.
    The defaults are the RFC's. Limits do not count the packet in transmission; with neither the queue is
    unlimited.
    """

    kind: Literal["codel"] = "codel"
    """Names this queue discipline."""
    target: Given[float, Number] = default(0.005)
    """Acceptable time in the queue."""
    interval: Given[float, Number] = default(0.1)
    """Time for which packets may wait longer before one is dropped: about the longest round trip."""
    limit_packets: int | None = None
    """Most packets that wait."""
    limit_bytes: Given[int | None, Bytes | None] = default(None)
    """Most bytes that wait."""
    mtu_bytes: Given[int, Bytes] = default(1500)
    """Nothing is dropped while no more than this waits."""
    ecn: bool = False
    """True if packets that can be marked are marked instead of dropped (RFC 3168)."""
    ce_threshold: Given[float | None, Number | None] = default(None)
    """Packets that can be marked are marked if they waited longer than this, whatever else is done; needs
    ``ecn``.
    """
    variant: Literal["rfc", "linux"] = "rfc"
    """Square root that spaces the drops: that of Linux is one step of Newton's method from the value before,
    so that the third drop comes after half of ``interval`` and not after 0.71 of it.
    """


class Pie(Part):
    """PIE, proportional integral controller enhanced (RFC 8033): arriving packets are dropped with a
    probability that is set anew at every ``update`` from the queueing delay's distance from its target and
    from its change. The defaults are those of the RFC's basic scheme. Limits do not count the packet in
    transmission; with neither the queue is unlimited.
    """

    kind: Literal["pie"] = "pie"
    """Names this queue discipline."""
    target: Given[float, Number] = default(0.015)
    """Queueing delay to hold (``QDELAY_REF``)."""
    update: Given[float, Number] = default(0.015)
    """Time between updates of the probability (``T_UPDATE``)."""
    alpha: float = 0.125
    """Weight of the delay's distance from the target, in 1/s."""
    beta: float = 1.25
    """Weight of the delay's change, in 1/s."""
    max_burst: Given[float, Number] = default(0.15)
    """Time for which a burst is let through after a time without congestion (``MAX_BURST``)."""
    limit_packets: int | None = None
    """Most packets that wait."""
    limit_bytes: Given[int | None, Bytes | None] = default(None)
    """Most bytes that wait."""
    mean_packet_bytes: Given[int, Bytes] = default(1000)
    """Size of a mean packet: nothing is dropped while two of them wait, or less."""
    delay: Literal["timestamps", "departure-rate"] = "timestamps"
    """Where the queueing delay comes from: the time that the packet waited which left last, or what waits, by
    an estimate of the rate at which it leaves (section 5.2).
    """
    ecn: bool = False
    """True if packets that can be marked are marked instead of dropped (section 5.1)."""
    mark_below: float = 0.1
    """From this probability on packets are dropped even if they can be marked."""
    derandomize: bool = False
    """True if drops are kept from coming in clusters (section 5.4)."""
    cap_increase: bool = False
    """True if an update raises a probability of 0.1 or more by 0.02 at most (section 5.5)."""
    variant: Literal["rfc", "linux"] = "rfc"
    """Behaviour where Linux differs from the RFC. Linux spares packets by the delay of the one that left
    last, and not by that at the last update; may drop the third of three packets of mean size; and from a
    delay of 250 ms on adds 0.02 to the probability at each update. Of section 5 it has ``derandomize`` and
    ``cap_increase``.
    """


class FqCodel(Part):
    """FQ-CoDel (RFC 8290): flows are hashed into queues that take turns, those that have just become active
    first, and each queue is a CoDel queue. The data of a flow and its ACKs are two flows. The defaults are
    the RFC's. Limits do not count the packet in transmission.
    """

    kind: Literal["fq-codel"] = "fq-codel"
    """Names this queue discipline."""
    target: Given[float, Number] = default(0.005)
    """Acceptable time in a queue."""
    interval: Given[float, Number] = default(0.1)
    """Time for which packets may wait longer before one is dropped."""
    queues: int = 1024
    """Number of queues. Which one a flow is hashed into depends on its name, the port's name and the seed."""
    quantum_bytes: Given[int, Bytes] = default(1514)
    """Bytes that a queue may send in its turn."""
    limit_packets: int = 10240
    """Most packets that wait in all queues."""
    limit_bytes: Given[int | None, Bytes | None] = default(None)
    """Most bytes that wait in all queues."""
    drop_batch: int = 64
    """Most packets that are dropped at once from the longest queue when a limit is passed; no more than half
    of that queue.
    """
    mtu_bytes: Given[int, Bytes] = default(1500)
    """Nothing is dropped by CoDel while no more than this waits in a queue."""
    ecn: bool = True
    """True if packets that can be marked are marked instead of dropped (RFC 3168)."""
    ce_threshold: Given[float | None, Number | None] = default(None)
    """Packets that can be marked are marked if they waited longer than this, whatever else is done; needs
    ``ecn``.
    """
    variant: Literal["rfc", "linux"] = "rfc"
    """Behaviour where Linux differs from the RFC. Linux compares ``mtu_bytes`` with the bytes in all queues,
    so that flows whose packets wait alone in their queues lose some, too; a limit that is passed costs the
    longest queue half of its bytes, and not of its packets; and CoDel's square root is that of its variant.
    """


AnyQueue: TypeAlias = DropTail | Red | CoDel | Pie | FqCodel | DiffServ | UserQueue
"""Any queue discipline."""

if TYPE_CHECKING:
    AnyQueueGiven: TypeAlias = (
        AnyQueue | Table | Literal["droptail", "codel", "pie", "fq-codel"] | QueueBase | SharedQueue
    )
