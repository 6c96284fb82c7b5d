"""Queues for classes and their schedulers."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/class_queues.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.parts.weights import FixedWeight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.parts.weights import AnyWeight, AnyWeightGiven
    from parshall.scenario.quantities import Bytes, Given, Number, Table

__all__ = [
    "AnyScheduler",
    "ClassQueue",
    "DiffServ",
    "Drr",
    "Precedence",
    "Priority",
    "RoundRobin",
    "Wirr",
    "Wrr",
]


class ClassQueue(Part):
    """One queue, first in, first out. Its precedences differ in when their packets are dropped."""

    precedences: Given[tuple[Precedence, ...], Sequence[Precedence | Table]]
    """From the one that is dropped last to the one that is dropped first."""
    limit_packets: int
    """Most packets that wait in this queue."""
    dropper: Literal["drop-tail", "rio-c", "rio-d", "wred"] = "drop-tail"
    """Average that early drops go by: none; that of the packets of a precedence and of those before it
    (``rio-c``, Clark and Fang 1998); that of the packets of the precedence alone; or one of all.
    """
    gentle: bool = False
    """True if the drop probability rises on to 1 at twice the upper threshold; false if it jumps to 1 at the
    threshold.
    """
    wait: bool = True
    """True if drops are at least the inverse of the probability apart."""
    ecn: bool = False
    """True if packets that can be marked are marked instead of dropped early (RFC 3168)."""


class Precedence(Part):
    """The packets of one drop precedence in a queue."""

    dscp: Given[tuple[int, ...], Sequence[int | str] | int | str]
    """Its code points."""
    min_threshold_packets: float | None = None
    """Average below which none is dropped early; for ``drop-tail`` the number of packets of this precedence
    that wait at most.
    """
    max_threshold_packets: float | None = None
    """Average at which the drop probability is ``max_probability``; at least the lower threshold."""
    max_probability: float = 0.1
    """Drop probability at the upper threshold; at most 1."""
    weight: Given[AnyWeight, AnyWeightGiven | float] = default(FixedWeight.known(value=0.002))
    """Weight of the current queue in its average: a number, or ``from-rate``."""


class Priority(Part):
    """Serves the first queue that is not empty."""

    kind: Literal["priority"] = "priority"
    """Names this scheduler."""
    max_rates: Given[tuple[float, ...], Sequence[Number]] = default(())
    """With the profile ``ns2``: rates beyond which a queue gives way to those after it, one for each queue; 0
    for none.
    """


class DiffServ(Part):
    """Queues for classes, each with drop precedences (RFC 2597), and a scheduler between them. Lengths and
    limits do not count the packet in transmission. A code point that no precedence names goes where 0 does,
    and that, unless it is named, to the first precedence of the last queue.
    """

    kind: Literal["diffserv"] = "diffserv"
    """Names this queue discipline."""
    queues: Given[tuple[ClassQueue, ...], Sequence[ClassQueue | Table]]
    """In the order of their priority, where that matters."""
    scheduler: Given[AnyScheduler, AnySchedulerGiven] = default(Priority.known())
    """Which queue the link serves next."""
    mean_packet_bytes: Given[int, Bytes] = default(1000)
    """Size of a mean packet: idle times are counted in these."""
    profile: Literal["rfc", "ns2"] = "rfc"
    """Source of the averages, drops and schedulers: those of ``red``, or of ns-2's module, departures from
    the RFCs included.
    """


class RoundRobin(Part):
    """Serves queues in turn, one packet each."""

    kind: Literal["round-robin"] = "round-robin"
    """Names this scheduler."""


class Wrr(Part):
    """Weighted round robin: a queue sends its weight in packets when its turn comes, or all that it has."""

    kind: Literal["wrr"] = "wrr"
    """Names this scheduler."""
    weights: Given[tuple[int, ...], Sequence[int]]
    """Weight of each queue, in packets."""


class Drr(Part):
    """Deficit round robin (Shreedhar and Varghese 1996): queues share the link by their weights, in bytes,
    whatever the sizes of their packets.
    """

    kind: Literal["drr"] = "drr"
    """Names this scheduler."""
    weights: Given[tuple[int, ...], Sequence[int]]
    """Weight of each queue."""
    quantum_bytes: Given[int, Bytes] = default(1500)
    """Bytes that a queue of weight 1 gains in its turn."""


class Wirr(Part):
    """Weighted interleaved round robin as ns-2 has it, for the profile ``ns2``: in a round each queue sends
    its weight in packets, one at a time.
    """

    kind: Literal["wirr"] = "wirr"
    """Names this scheduler."""
    weights: Given[tuple[int, ...], Sequence[int]]
    """Weight of each queue, in packets."""


AnyScheduler: TypeAlias = Priority | RoundRobin | Wrr | Drr | Wirr
"""Any scheduler."""

if TYPE_CHECKING:
    AnySchedulerGiven: TypeAlias = AnyScheduler | Table | Literal["priority", "round-robin"]
