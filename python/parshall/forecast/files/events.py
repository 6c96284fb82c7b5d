"""Events in the output of a measuring program: one for each line that says something of a request."""

from __future__ import annotations

from dataclasses import dataclass

from parshall.forecast.files.stamps import Stamp

__all__ = ["End", "Event", "Lost", "Reply", "Start", "Warned"]


@dataclass(frozen=True, slots=True)
class Start:
    """The first line of a run."""

    line: int
    target: str
    """Host that is asked."""
    first: int | None
    """The number of the first request, where the form of the line tells it."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply. ``number`` is ``None`` where requests have none: they are then in the order of the lines."""

    line: int
    number: int | None
    rtt: float | None
    """In seconds; ``None`` if the line has no time."""
    stamp: Stamp | None = None
    again: bool = False
    """True if the line says that it is another reply to the same request."""
    strange: bool = False
    """True if something stands in front of it that is no time."""
    host: str | None = None
    """Who answered, where the line says so."""
    step: float = 0.0
    """Seconds of the last digit of the time: a shorter round trip is printed as 0."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A request that got no reply, or none so far."""

    line: int
    number: int | None
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class End:
    """The statistics of a run."""

    line: int
    sent: int
    received: int
    first: int | None = None
    """The number of the first request, where the form of the line tells it."""
    doubles_received: bool = False
    """True if replies that came twice are counted twice among the received."""
    doubles_sent: bool = False
    """True if they are counted among the sent as well, as fping does."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning of the program that its clock was set."""

    line: int


Event = Start | Reply | Lost | End | Warned
