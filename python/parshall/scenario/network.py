"""Links: nodes joined by a rate or a recorded capacity, a delay, a queue and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from parshall.scenario.base import Model
from parshall.scenario.capacity import MaybeCapacity
from parshall.scenario.conditioner import MaybeConditioner
from parshall.scenario.events import NO_EVENTS, Events
from parshall.scenario.losses import MaybeLoss
from parshall.scenario.quantities import (
    ABSENT,
    Duration,
    Flag,
    MaybeDuration,
    MaybeRate,
    Name,
    NamePair,
    Period,
    Rate,
)
from parshall.scenario.queues import UNLIMITED, MaybeQueue, Queue

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["Jitter", "Link", "Reverse"]


class Jitter(Model):
    """Random delay on a link, on top of its propagation delay, drawn uniformly from 0 to ``most``."""

    most: Period
    """Longest delay."""
    reorder: Flag = False
    """Whether a packet may overtake another; otherwise it waits for it."""


if TYPE_CHECKING:
    MaybeJitter: TypeAlias = Given[Jitter | None, Jitter | Table | None]
else:
    MaybeJitter = Jitter | None


class Reverse(Model):
    """The reverse direction of a link, where it differs. A field left out is as in the forward direction,
    except ``loss``, ``jitter``, ``capacity``, ``conditioner`` and ``events``, which are none.
    """

    rate: MaybeRate = ABSENT
    """Bits per second."""
    delay: MaybeDuration = ABSENT
    """Propagation delay."""
    queue: MaybeQueue = ABSENT
    """Queue in front of the link."""
    capacity: MaybeCapacity = ABSENT
    """Instants at which packets may leave, in place of the rate."""
    jitter: MaybeJitter = ABSENT
    """Random delay on top of the propagation delay."""
    loss: MaybeLoss = ABSENT
    """Packets lost on arrival at the port, before the queue."""
    conditioner: MaybeConditioner = ABSENT
    """What is done to arriving packets before all else: classes are metered, marked and dropped."""
    events: Events = NO_EVENTS
    """Events at given times: changes of rate, delay and losses, outages, stalls, reordering."""


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
    capacity: MaybeCapacity = ABSENT
    """Instants at which packets may leave in the forward direction, in place of the rate, which then only
    tells RED, and the observers of ``record.nonresponsive``, what to expect."""
    jitter: MaybeJitter = ABSENT
    """Random delay on top of the propagation delay, in the forward direction."""
    loss: MaybeLoss = ABSENT
    """Packets lost on arrival at the forward port, before the queue."""
    conditioner: MaybeConditioner = ABSENT
    """What is done to packets that arrive at the forward port before all else: classes are metered, marked
    and dropped."""
    events: Events = NO_EVENTS
    """Events in the forward direction at given times: changes of rate, delay and losses, outages,
    stalls, reordering."""
    reverse: Reverse = Reverse.known()
    """What differs in the direction from the second node to the first."""

    @property
    def ports(self) -> tuple[str, str]:
        """Names of its ports: the forward one, ``a->b``, and the reverse one."""
        a, b = self.between
        return f"{a}->{b}", f"{b}->{a}"
