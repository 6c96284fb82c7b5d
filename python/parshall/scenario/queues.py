"""Queues in front of links: drop-tail and random early detection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, model_validator
from typing_extensions import Self

from parshall.errors import InputError, shown
from parshall.scenario import readers
from parshall.scenario.base import Model, OrElse, one_of
from parshall.scenario.quantities import ABSENT, Count, Flag, MaybeSize, PacketSize, Positive, Share

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["DropTail", "FixedWeight", "Red", "WeightFromRate"]

_MEAN_PACKET: Any = 1000


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


class FixedWeight(Model):
    """A given weight. In its place a number may stand."""

    kind: Literal["fixed"] = "fixed"
    """Names this kind of weight."""
    value: Share
    """Weight of the current queue in its average."""


class WeightFromRate(Model):
    """A weight of ``1 - exp(-1 / packets per second)``: the average has a time constant of one second."""

    kind: Literal["from-rate"] = "from-rate"
    """Names this kind of weight."""


if TYPE_CHECKING:
    Weight: TypeAlias = Given[
        FixedWeight | WeightFromRate,
        FixedWeight | WeightFromRate | float | Literal["from-rate"] | Table,
    ]
else:
    _number = readers.real(lambda x: 0 < x <= 1, 'a number above 0, at most 1, or "from-rate"')

    def _weight(value: object) -> object:
        """A bare number is a fixed weight."""
        if isinstance(value, str | Mapping | Model):
            return value
        return FixedWeight(value=_number(value))

    Weight = Annotated[
        one_of(FixedWeight, WeightFromRate),
        BeforeValidator(_weight),
        OrElse({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
    ]

_WEIGHT: Any = FixedWeight.known(value=0.002)


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
    weight: Weight = _WEIGHT
    """Weight of the current queue in its average: a number, or ``from-rate``."""
    unit: Literal["packets", "bytes"] = "packets"
    """What the queue is counted in; thresholds and limit are then so many packets, or so many mean packets'
    bytes."""
    mean_packet_bytes: PacketSize = _MEAN_PACKET
    """Size of a mean packet."""
    gentle: Flag = True
    """Whether the probability rises to 1 at twice the upper threshold, or jumps to 1 there."""
    wait: Flag = True
    """Whether drops are at least the inverse of the probability apart."""
    ecn: Flag = False
    """Whether packets that can be marked are marked instead of dropped (RFC 3168)."""
    adaptive: Flag = False
    """Whether ``max_probability`` adapts itself (Floyd, Gummadi and Shenker 2001)."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        low, high = self.min_threshold_packets, self.max_threshold_packets
        if high < low:
            raise InputError("max_threshold_packets", shown(high), f"at least min_threshold_packets, {low:g}")
        return self


UNLIMITED: Any = DropTail.known()
"""The default of a queue; its type is that of any field."""

if TYPE_CHECKING:
    Queue: TypeAlias = Given[DropTail | Red, DropTail | Red | Literal["droptail"] | Table]
    MaybeQueue: TypeAlias = Given[DropTail | Red | None, DropTail | Red | Literal["droptail"] | Table | None]
else:
    Queue = one_of(DropTail, Red)
    MaybeQueue = Queue | None
