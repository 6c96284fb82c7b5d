"""Events of links."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/events.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.quantities import Given, Number, Table

__all__ = [
    "AnyEvent",
    "DelayChange",
    "LossChange",
    "Outage",
    "RateChange",
    "Reordering",
    "Stall",
]


class RateChange(Part):
    """From an instant on the link has another rate. A packet in transmission goes on at the new one. At 0 the
    link stands: what waits goes on waiting, and what finds the queue full is dropped; a later change must let
    it go on. Changes come in order of time. Queues that compute with a rate keep the link's own.
    """

    kind: Literal["rate-change"] = "rate-change"
    """Names this event."""
    at: Given[float, Number]
    """When the rate changes."""
    rate: Given[float, Number]
    """Bits per second from then on."""


class DelayChange(Part):
    """From an instant on the link has another propagation delay. A packet has that of the instant at which
    its transmission ends, so what is under way arrives as if nothing had changed. No packet overtakes
    another: where the delay becomes shorter, those that would wait for the last one before them and arrive
    with it. Changes of the delay come in order of time. Paths go by the delays of the links themselves.
    """

    kind: Literal["delay-change"] = "delay-change"
    """Names this event."""
    at: Given[float, Number]
    """When the delay changes."""
    delay: Given[float, Number]
    """Propagation delay from then on."""


class LossChange(Part):
    """From an instant on each packet that arrives at the port is lost with this probability, independently,
    in place of the losses that the link had: its ``loss``, or the change before. Changes of losses come in
    order of time.
    """

    kind: Literal["loss-change"] = "loss-change"
    """Names this event."""
    at: Given[float, Number]
    """When the losses change."""
    probability: float
    """Between 0 and 1; 0 is no loss."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets can be lost."""


class Outage(Part):
    """Packets that arrive at the port for a while are lost, before the queue. What is in the queue leaves it
    as ever.
    """

    kind: Literal["outage"] = "outage"
    """Names this event."""
    start: Given[float, Number]
    """Its first instant."""
    end: Given[float, Number]
    """The first instant after it."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets are lost."""


class Stall(Part):
    """Packets that would reach the far end during a while reach it together at its end, in the order in which
    they left. The queue goes on, and nothing is lost. Stalls come in order of time.
    """

    kind: Literal["stall"] = "stall"
    """Names this event."""
    start: Given[float, Number]
    """Its first instant."""
    end: Given[float, Number]
    """When what was held is handed over."""


class Reordering(Part):
    """Chosen packets take longer, and others overtake them. One of ``every``, ``probability`` and ``packets``
    chooses among those whose transmission ends in the span.
    """

    kind: Literal["reordering"] = "reordering"
    """Names this event."""
    start: Given[float, Number] = default(0.0)
    """Packets whose transmission ends from this instant on are counted."""
    end: Given[float | None, Number | None] = default(None)
    """The first instant at which none is any more; none is never."""
    delay: Given[float, Number]
    """Additional delay of a chosen packet."""
    every: int | None = None
    """The last of so many is chosen."""
    probability: float | None = None
    """Each is chosen with this probability, independently."""
    packets: Given[tuple[int, ...], Sequence[int]] = default(())
    """The packets with these numbers, counted from 1, are chosen."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets are counted and chosen."""


AnyEvent: TypeAlias = RateChange | DelayChange | LossChange | Outage | Stall | Reordering
"""Any event."""

if TYPE_CHECKING:
    AnyEventGiven: TypeAlias = AnyEvent | Table
