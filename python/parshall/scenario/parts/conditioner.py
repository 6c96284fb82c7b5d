"""Conditioners of a link."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/conditioner.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from parshall.scenario.base import Part, default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.parts.meters import AnyMeter, AnyMeterGiven
    from parshall.scenario.quantities import Given, Number, Table

__all__ = [
    "Conditioner",
    "Knowledge",
    "Rule",
    "SmallWindow",
]


class Rule(Part):
    """An aggregate of packets, and what is done to them. All of an aggregate share its meter."""

    flows: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Names of flows, in which ``*`` stands for any text; none is all."""
    sources: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Hosts that a packet comes from; none is any. ACKs come from the host that receives the data."""
    destinations: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Hosts that a packet goes to; none is any."""
    of: Literal["all", "data", "acks"] = "all"
    """Which packets belong to the aggregate."""
    dscp: Given[tuple[int, ...], Sequence[int | str] | int | str] = default(())
    """Code points that a packet arrives with; none is any."""
    meter: Given[AnyMeter | None, AnyMeterGiven | None] = default(None)
    """Meter that colours packets; without one all are green."""
    count: Literal["wire", "payload"] = "wire"
    """Which bytes of a packet are metered: all, or those behind the headers. An ACK is nothing but header."""
    small_window: Given[SmallWindow | None, SmallWindow | Table | None] = default(None)
    """Flows with small windows, whose packets are green whatever the meter says."""
    if_green: int | str | None = None
    """Treatment of green packets: a code point, or ``drop``; none leaves them as they are."""
    if_yellow: int | str | None = None
    """Treatment of yellow packets."""
    if_red: int | str | None = None
    """Treatment of red packets."""


class SmallWindow(Part):
    """Packets of TCP connections with small windows are green, whatever the meter says (Feroz et al. 2000):
    there a loss costs a timeout.
    """

    below_packets: float = 3.0
    """Windows below this are small."""
    repay: bool = True
    """True if tokens at the committed rate pay for all green packets, so that the profile holds: later ones
    are yellow or red while there is debt, which may grow to a second of the committed rate.
    """


class Knowledge(Part):
    """Where a conditioner knows round-trip times, timeouts and windows from, and when it tells others."""

    source: Literal["packets", "senders"] = "packets"
    """From the packets that pass, data one way and ACKs the other; or from what senders put into them, which
    no router can read but an experiment may want.
    """
    min_rto: Given[float, Number] = default(1.0)
    """Least timeout of the senders, of which packets tell nothing."""
    exchange_interval: Given[float, Number] = default(0.1)
    """Time between what it tells other conditioners of an aggregate."""
    exchange_delay: Given[float, Number] = default(0.05)
    """Delay of these reports."""


class Conditioner(Part):
    """Rules for packets before they join the queue of a link. The first rule that a packet fits is followed;
    a packet that fits none passes as it is. A colour-aware meter takes a packet's colour from its code point:
    that of the treatment that gives this code point, or else the drop precedence if it is one of assured
    forwarding, or else green.
    """

    rules: Given[tuple[Rule, ...], Sequence[Rule | Table]]
    """In order."""
    profile: Literal["rfc", "ns2"] = "rfc"
    """Source of the meters: the RFCs, or ns-2's module. With ``ns2`` tokens come in fractions of bytes, and
    neither ``pir`` nor bursts are checked.
    """
    knowledge: Given[Knowledge, Knowledge | Table] = default(Knowledge.known())
    """Where rules that go by round trips, timeouts or windows know them from."""
