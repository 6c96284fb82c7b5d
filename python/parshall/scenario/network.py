"""Links, their queues and their losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from parshall.scenario.base import Model, one_of
from parshall.scenario.quantities import (
    ABSENT,
    Count,
    Counts,
    Duration,
    MaybeDuration,
    MaybeRate,
    MaybeSize,
    Name,
    NamePair,
    Probability,
    Rate,
)

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["BernoulliLoss", "DropTail", "Link", "ListedLoss", "Reverse"]


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


UNLIMITED: Any = DropTail()
"""The default of a queue; its type is that of any field."""


class ListedLoss(Model):
    """Loses the packets with these arrival numbers at the port."""

    kind: Literal["listed"] = "listed"
    """Names this kind of loss."""
    arrivals: Counts
    """Arrival numbers, counted from 1, lost packets included."""


class BernoulliLoss(Model):
    """Loses each packet with the same probability, independently."""

    kind: Literal["bernoulli"] = "bernoulli"
    """Names this kind of loss."""
    probability: Probability
    """Between 0 and 1."""


if TYPE_CHECKING:
    Queue: TypeAlias = Given[DropTail, DropTail | Literal["droptail"] | Table]
    MaybeQueue: TypeAlias = Given[DropTail | None, DropTail | Literal["droptail"] | Table | None]
    MaybeLoss: TypeAlias = Given[ListedLoss | BernoulliLoss | None, ListedLoss | BernoulliLoss | Table | None]
else:
    Queue = one_of(DropTail)
    MaybeQueue = Queue | None
    MaybeLoss = one_of(ListedLoss, BernoulliLoss) | None


class Reverse(Model):
    """The reverse direction of a link, where it differs. A field left out is as in the forward direction,
    except ``loss``, which is none.
    """

    rate: MaybeRate = ABSENT
    """Bits per second."""
    delay: MaybeDuration = ABSENT
    """Propagation delay."""
    queue: MaybeQueue = ABSENT
    """Queue in front of the link."""
    loss: MaybeLoss = ABSENT
    """Packets lost on arrival at the port, before the queue."""


class Link(Model):
    """A full-duplex link. With ``between = ["a", "b"]`` its ports are ``a->b`` and ``b->a``."""

    between: NamePair
    """The two nodes; the first is where the forward direction starts."""
    name: Name | None = None
    """A short name for the forward direction, for recordings and figures."""
    rate: Rate
    """Bits per second, in each direction."""
    delay: Duration
    """Propagation delay, in each direction."""
    queue: Queue = UNLIMITED
    """Queue in front of the link, one in each direction."""
    loss: MaybeLoss = ABSENT
    """Packets lost on arrival at the forward port, before the queue."""
    reverse: Reverse = Reverse()
    """What differs in the direction from the second node to the first."""
