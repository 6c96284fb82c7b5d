"""Events of links: rate, delay or losses change, packets are lost for a while, held, or overtaken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import model_validator
from typing_extensions import Self

from parshall.errors import InputError, shown
from parshall.scenario.base import Model, one_of
from parshall.scenario.quantities import (
    ABSENT,
    NO_NUMBERS,
    ZERO,
    Count,
    Counts,
    Duration,
    MaybePeriod,
    Period,
    Probability,
    RateOrZero,
)
from parshall.units import format_duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.quantities import Given, Table

__all__ = ["DelayChange", "LossChange", "Outage", "RateChange", "Reordering", "Stall"]


class RateChange(Model):
    """From an instant on the link has another rate. A packet in transmission goes on at the new one. At 0 the
    link stands: what waits goes on waiting, and what finds the queue full is dropped; a later change must
    let it go on. Changes come in order of time. Queues that compute with a rate keep the link's own.
    """

    kind: Literal["rate-change"] = "rate-change"
    """Names this event."""
    at: Duration
    """When the rate changes."""
    rate: RateOrZero
    """Bits per second from then on."""


class DelayChange(Model):
    """From an instant on the link has another propagation delay. A packet has that of the instant at which
    its transmission ends, so what is under way arrives as if nothing had changed. No packet overtakes
    another: where the delay becomes shorter, those that would wait for the last one before them and arrive
    with it. Changes of the delay come in order of time. Paths go by the delays of the links themselves.
    """

    kind: Literal["delay-change"] = "delay-change"
    """Names this event."""
    at: Duration
    """When the delay changes."""
    delay: Duration
    """Propagation delay from then on."""


class LossChange(Model):
    """From an instant on each packet that arrives at the port is lost with this probability, independently,
    in place of the losses that the link had: its ``loss``, or the change before. Changes of losses come in
    order of time.
    """

    kind: Literal["loss-change"] = "loss-change"
    """Names this event."""
    at: Duration
    """When the losses change."""
    probability: Probability
    """Between 0 and 1; 0 is no loss."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets can be lost."""


class Outage(Model):
    """Packets that arrive at the port for a while are lost, before the queue. What is in the queue leaves it
    as ever.
    """

    kind: Literal["outage"] = "outage"
    """Names this event."""
    start: Duration
    """Its first instant."""
    end: Period
    """The first instant after it."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets are lost."""

    @model_validator(mode="after")
    def _ends_later(self) -> Self:
        _check_end(self.start, self.end)
        return self


class Stall(Model):
    """Packets that would reach the far end during a while reach it together at its end, in the order in which
    they left. The queue goes on, and nothing is lost. Stalls come in order of time.
    """

    kind: Literal["stall"] = "stall"
    """Names this event."""
    start: Duration
    """Its first instant."""
    end: Period
    """When what was held is handed over."""

    @model_validator(mode="after")
    def _ends_later(self) -> Self:
        _check_end(self.start, self.end)
        return self


class Reordering(Model):
    """Chosen packets take longer, and others overtake them. One of ``every``, ``probability`` and ``packets``
    chooses among those whose transmission ends in the span.
    """

    kind: Literal["reordering"] = "reordering"
    """Names this event."""
    start: Duration = ZERO
    """Packets whose transmission ends from this instant on are counted."""
    end: MaybePeriod = ABSENT
    """The first instant at which none is any more; none is never."""
    delay: Period
    """How much longer a chosen packet takes."""
    every: Count | None = None
    """The last of so many is chosen."""
    probability: Probability | None = None
    """Each is chosen with this probability, independently."""
    packets: Counts = NO_NUMBERS
    """The packets with these numbers, counted from 1, are chosen."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets are counted and chosen."""

    @model_validator(mode="after")
    def _chooses_one_way(self) -> Self:
        ways = (self.every is not None, self.probability is not None, bool(self.packets))
        if sum(ways) != 1:
            given = "several" if any(ways) else "none"
            raise InputError("every", given, "one of every, probability and packets")
        if self.end is not None:
            _check_end(self.start, self.end)
        return self


def _check_end(start: float, end: float) -> None:
    if end <= start:
        raise InputError("end", shown(format_duration(end)), f"later than start, {format_duration(start)}")


NO_EVENTS: Any = ()
"""Nothing happens."""

if TYPE_CHECKING:
    Event: TypeAlias = RateChange | DelayChange | LossChange | Outage | Stall | Reordering
    Events: TypeAlias = Given[tuple[Event, ...], Sequence[Event | Table]]
else:
    Event = one_of(RateChange, DelayChange, LossChange, Outage, Stall, Reordering)
    Events = tuple[Event, ...]
