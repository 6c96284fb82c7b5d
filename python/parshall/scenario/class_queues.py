"""Queues for classes: physical queues with drop precedences, and schedulers between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import model_validator
from typing_extensions import Self

from parshall.errors import InputError, shown
from parshall.scenario.base import Model, one_of
from parshall.scenario.quantities import (
    NO_NUMBERS,
    BurstSize,
    CodePoints,
    Count,
    Flag,
    MaybeNotNegative,
    PacketSize,
    Positive,
    RatesOrZero,
    TurnWeights,
)
from parshall.scenario.weights import WEIGHT, Weight

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["ClassQueue", "DiffServ", "Drr", "Precedence", "Priority", "RoundRobin", "Wirr", "Wrr"]

_MEAN_PACKET: Any = 1000
_QUANTUM: Any = 1500


class Priority(Model):
    """Serves the first queue that is not empty."""

    kind: Literal["priority"] = "priority"
    """Names this scheduler."""
    max_rates: RatesOrZero = NO_NUMBERS
    """With the profile ``ns2``: rates beyond which a queue gives way to those after it, one for each queue; 0
    for none."""


class RoundRobin(Model):
    """Serves queues in turn, one packet each."""

    kind: Literal["round-robin"] = "round-robin"
    """Names this scheduler."""


class Wrr(Model):
    """Weighted round robin: a queue sends its weight in packets when its turn comes, or all that it has."""

    kind: Literal["wrr"] = "wrr"
    """Names this scheduler."""
    weights: TurnWeights
    """Of each queue, in packets."""


class Drr(Model):
    """Deficit round robin (Shreedhar and Varghese 1996): queues share the link by their weights, in bytes,
    whatever the sizes of their packets.
    """

    kind: Literal["drr"] = "drr"
    """Names this scheduler."""
    weights: TurnWeights
    """Of each queue."""
    quantum_bytes: BurstSize = _QUANTUM
    """Bytes that a queue of weight 1 gains in its turn."""


class Wirr(Model):
    """Weighted interleaved round robin as ns-2 has it, for the profile ``ns2``: in a round each queue sends
    its weight in packets, one at a time.
    """

    kind: Literal["wirr"] = "wirr"
    """Names this scheduler."""
    weights: TurnWeights
    """Of each queue, in packets."""


_SCHEDULERS = (Priority, RoundRobin, Wrr, Drr, Wirr)
_PRIORITY: Any = Priority.known()

if TYPE_CHECKING:
    AnyScheduler: TypeAlias = Priority | RoundRobin | Wrr | Drr | Wirr
    Scheduler: TypeAlias = Given[AnyScheduler, AnyScheduler | Literal["priority", "round-robin"] | Table]
else:
    Scheduler = one_of(*_SCHEDULERS)


class Precedence(Model):
    """The packets of one drop precedence in a queue."""

    dscp: CodePoints
    """Its code points."""
    min_threshold_packets: MaybeNotNegative = None
    """Average below which none is dropped early; for ``drop-tail`` the number of packets of this precedence
    that wait at most."""
    max_threshold_packets: MaybeNotNegative = None
    """Average at which the drop probability is ``max_probability``; at least the lower threshold."""
    max_probability: Positive = 0.1
    """Drop probability at the upper threshold; at most 1."""
    weight: Weight = WEIGHT
    """Weight of the current queue in its average: a number, or ``from-rate``."""


if TYPE_CHECKING:
    Precedences: TypeAlias = Given[tuple[Precedence, ...], Sequence[Precedence | Table]]
else:
    Precedences = tuple[Precedence, ...]


class ClassQueue(Model):
    """One queue, first in, first out. Its precedences differ in when their packets are dropped."""

    precedences: Precedences
    """From the one that is dropped last to the one that is dropped first."""
    limit_packets: Count
    """Most packets that wait in this queue."""
    dropper: Literal["drop-tail", "rio-c", "rio-d", "wred"] = "drop-tail"
    """What early drops go by: nothing; an average of the packets of a precedence and of those before it
    (``rio-c``, Clark and Fang 1998); an average of those of the precedence alone; one average of all."""
    gentle: Flag = False
    """Whether the drop probability rises to 1 at twice the upper threshold, or jumps to 1 there."""
    wait: Flag = True
    """Whether drops are at least the inverse of the probability apart."""
    ecn: Flag = False
    """Whether packets that can be marked are marked instead of dropped early (RFC 3168)."""

    @model_validator(mode="after")
    def _thresholds(self) -> Self:
        if self.dropper == "drop-tail":
            return self
        for index, precedence in enumerate(self.precedences):
            low, high = precedence.min_threshold_packets, precedence.max_threshold_packets
            place = f"precedences[{index}]"
            if low is None:
                raise InputError(f"{place}.min_threshold_packets", "nothing", "a number of at least 0")
            if high is None or high < low:
                value = "nothing" if high is None else shown(high)
                expected = f"at least min_threshold_packets, {low:g}"
                raise InputError(f"{place}.max_threshold_packets", value, expected)
        return self


if TYPE_CHECKING:
    ClassQueues: TypeAlias = Given[tuple[ClassQueue, ...], Sequence[ClassQueue | Table]]
else:
    ClassQueues = tuple[ClassQueue, ...]


class DiffServ(Model):
    """Queues for classes, each with drop precedences (RFC 2597), and a scheduler between them. Lengths and
    limits do not count the packet in transmission. A code point that no precedence names goes where 0 does,
    and that, unless it is named, to the first precedence of the last queue.
    """

    kind: Literal["diffserv"] = "diffserv"
    """Names this queue discipline."""
    queues: ClassQueues
    """In the order of their priority, where that matters."""
    scheduler: Scheduler = _PRIORITY
    """Which queue the link serves next."""
    mean_packet_bytes: PacketSize = _MEAN_PACKET
    """Size of a mean packet: idle times are counted in these."""
    profile: Literal["rfc", "ns2"] = "rfc"
    """Whose averages, drops and schedulers these are: those of ``red``, or of ns-2's module, departures from
    the RFCs included."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        weights = getattr(self.scheduler, "weights", None)
        count = len(self.queues)
        if weights is not None and len(weights) != count:
            expected = f"{count} weights, one for each queue"
            raise InputError("scheduler.weights", shown(list(weights)), expected)
        for queue_index, queue in enumerate(self.queues):
            for index, precedence in enumerate(queue.precedences):
                if precedence.max_probability > 1 and self.profile == "rfc":
                    place = f"queues[{queue_index}].precedences[{index}].max_probability"
                    raise InputError(place, shown(precedence.max_probability), "a number above 0, at most 1")
        return self
