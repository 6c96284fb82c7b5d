"""The kinds of parts that may be one's own, as data: what the engine calls, what it tells and what it takes.

The header for C and Rust, the types of Numba, the table of a shared library and messages are made of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from parshall.scenario import parts

if TYPE_CHECKING:
    from parshall.own.base import Part

    OwnPart: TypeAlias = (
        parts.UserControl
        | parts.UserRto
        | parts.UserForecaster
        | parts.UserApp
        | parts.UserQueue
        | parts.UserMarker
    )
    """A part of one's own as a scenario names it."""

__all__ = ["KINDS", "Event", "Kind", "base_of", "kind_of_class", "name_class", "set_base"]


@dataclass(frozen=True)
class Event:
    """A function of a part."""

    name: str
    told: tuple[tuple[str, str], ...]
    """Its arguments, as pairs of a name and a type: that of a structure, or ``double`` or ``int64_t``."""
    returns: Literal["nothing", "number", "maybe", "verdict"]
    """``maybe`` is a number or None; in C it is set, and the function returns 0, or 1 for None. ``verdict``
    is a whole number.
    """
    meaning: str
    """For the header."""
    nothing: int = 0
    """Verdict that None stands for."""


@dataclass(frozen=True)
class Kind:
    """A kind of parts."""

    name: str
    """As the engine knows it; the header is ``parshall_NAME.h``, and a library has ``parshall_NAME()``."""
    field: str
    """Field of a scenario, in messages."""
    part: str
    """The class of a scenario that names one."""
    base: str
    """The class of the package that a class of one's own is derived from."""
    shared: str
    """The class of the package that a shared library is made a part with."""
    noun: str
    plural: str
    owner: str
    """Owner of each part."""
    events: tuple[Event, ...]
    required: tuple[str, ...] = ()
    """Functions that a part has to have."""
    head: str = ""
    """The structure with which a state begins."""
    flag: str = ""
    """A flag in the table of a library, and what it means."""
    flag_meaning: str = "0."
    is_copied: bool = False
    """True if a part that is under way may be copied."""
    constants: tuple[str, tuple[str, ...]] | None = None
    """Constants of the header, with their meanings; their values are 0, 1, ..."""

    @property
    def symbol(self) -> str:
        """Name of the table of a library."""
        return f"parshall_{self.name}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the functions, in the order of a table."""
        return tuple(event.name for event in self.events)

    def event(self, name: str) -> Event:
        """The function of this name."""
        return next(event for event in self.events if event.name == name)


def _event(
    name: str,
    meaning: str,
    *told: tuple[str, str],
    returns: Literal["nothing", "number", "maybe", "verdict"] = "nothing",
    nothing: int = 0,
) -> Event:
    return Event(name, told, returns, meaning, nothing=nothing)


_LOSS = ("loss", "loss")
_MOMENT = ("moment", "moment")

CONTROL = Kind(
    name="control",
    field="control",
    part="UserControl",
    base="Control",
    shared="SharedControl",
    noun="control",
    plural="congestion controls",
    owner="flow",
    head="window",
    flag="exact_echo",
    flag_meaning="1 if receivers report marks packet by packet (RFC 8257, section 3.2), else 0.",
    constants=("Kinds of ACKs: parshall_ack.kind.", ("NEW", "PARTIAL", "DUPLICATE", "OLD")),
    events=(
        _event("on_start", "The flow begins; cwnd is its initial window."),
        _event("on_ack", "An ACK has come, any.", ("ack", "ack")),
        _event(
            "on_loss",
            "Duplicate ACKs have shown a loss. Returns the window after it, in packets.",
            _LOSS,
            returns="number",
        ),
        _event(
            "on_mark",
            "A mark has been reported. Returns the window after it; without it, on_loss is asked.",
            _LOSS,
            returns="number",
        ),
        _event(
            "on_timeout",
            "The timer has expired. Returns where slow start shall end; without it, on_loss is asked.",
            _LOSS,
            returns="number",
        ),
        _event("on_restart", "The sender is about to send after a time with nothing in flight.", _MOMENT),
        _event("on_timer", "The time wake_at has come.", _MOMENT),
    ),
)

RTO = Kind(
    name="rto",
    field="rto",
    part="UserRto",
    base="RtoFilter",
    shared="SharedRtoFilter",
    noun="filter of timeouts",
    plural="filters of retransmission timeouts",
    owner="sender",
    head="filter",
    flag="reserved",
    required=("rto",),
    is_copied=True,
    events=(
        _event("on_start", "The sender begins."),
        _event("on_sample", "A packet that was sent once has been acknowledged.", ("rtt", "double")),
        _event("on_timeout", "The timer has expired; backoff is the factor from now on."),
        _event(
            "on_early_timeout",
            "A timeout was early, or may have been, and its round trip is withheld (Karn).",
        ),
        _event(
            "rto",
            "Returns the timeout before any rule, in seconds; asked for after each of the others, from the "
            "first sample on. A library has to have it.",
            returns="number",
        ),
    ),
)

FORECASTER = Kind(
    name="forecaster",
    field="forecaster",
    part="UserForecaster",
    base="Forecaster",
    shared="SharedForecaster",
    noun="forecaster",
    plural="forecasters",
    owner="series",
    head="series",
    flag="reserved",
    required=("update", "forecast"),
    is_copied=True,
    events=(
        _event("on_start", "The series begins."),
        _event("update", "Takes in a sample, a finite number.", ("x", "double")),
        _event(
            "forecast",
            "Sets the next sample. A library has to have it.",
            returns="maybe",
        ),
        _event(
            "forecast_ahead",
            "Sets the sample after so many more, 2 or more; without it, forecast is asked.",
            ("steps", "int64_t"),
            returns="maybe",
        ),
    ),
)

SOURCE = Kind(
    name="source",
    field="app",
    part="UserApp",
    base="Source",
    shared="SharedSource",
    noun="source",
    plural="sources of traffic",
    owner="flow",
    head="application",
    flag="requests",
    flag_meaning="1 if the destination asks for each transfer, one at a time, and hears of its end, else 0.",
    events=(
        _event("on_start", "The flow is made; it starts later."),
        _event("on_time", "The flow starts, or the time that wake_in named has come.", ("now", "double")),
        _event(
            "on_done",
            "The transfer that began first of those under way is complete. Over UDP nobody hears of that.",
            ("done", "done"),
        ),
    ),
)

_QUEUED = ("packet", "queued_packet")
_INSTANT = ("moment", "instant")

QUEUE = Kind(
    name="queue",
    field="queue",
    part="UserQueue",
    base="Queue",
    shared="SharedQueue",
    noun="queue",
    plural="queues",
    owner="port",
    head="port",
    flag="reserved",
    constants=("Answers about a packet.", ("PASS", "MARK", "DROP", "PUSH_OUT")),
    events=(
        _event("on_start", "The run begins."),
        _event(
            "on_arrival",
            "Decides about a packet that arrives: it passes, or is marked, into the class that into is set "
            "to; it is dropped; or the first packet of that class is pushed out, and this is asked again.",
            _QUEUED,
            returns="verdict",
        ),
        _event(
            "next_class",
            "Returns the class whose turn it is, as the link is free and packets wait; -1 for the first in "
            "which some do. It is not asked while no packet has been in a class but 0.",
            _INSTANT,
            returns="verdict",
            nothing=-1,
        ),
        _event(
            "on_departure",
            "Decides about a packet that is about to leave: it passes, or is marked, or it is dropped, and "
            "the next one is looked for.",
            _QUEUED,
            returns="verdict",
        ),
        _event("on_idle", "The link is free, and nothing waits.", _INSTANT),
    ),
)

MARKER = Kind(
    name="marker",
    field="meter",
    part="UserMarker",
    base="Marker",
    shared="SharedMarker",
    noun="marker",
    plural="markers",
    owner="rule",
    head="edge",
    flag="reserved",
    required=("colour",),
    constants=("Colours of packets, best first.", ("GREEN", "YELLOW", "RED")),
    events=(
        _event("on_start", "The run begins."),
        _event(
            "colour",
            "Returns the colour of a packet. A library has to have it.",
            ("packet", "metered_packet"),
            returns="verdict",
            nothing=-1,
        ),
    ),
)

KINDS = {kind.name: kind for kind in (CONTROL, RTO, FORECASTER, SOURCE, QUEUE, MARKER)}
"""By their names."""

_bases: dict[str, type[Part]] = {}


def set_base(kind: Kind, base: type[Part]) -> None:
    """Tells which class parts of a kind are derived from."""
    _bases[kind.name] = base


def base_of(kind: Kind) -> type[Part]:
    """The class that parts of a kind are derived from."""
    if kind.name not in _bases:
        from importlib import import_module

        import_module("parshall.control" if kind is CONTROL else "parshall.own")
    return _bases[kind.name]


def name_class(kind: Kind) -> Any:
    """The class of scenarios that names parts of a kind."""
    return getattr(parts, kind.part)


def kind_of_class(part: str) -> Kind:
    """The kind that a scenario's class is about."""
    return next(kind for kind in KINDS.values() if kind.part == part)
