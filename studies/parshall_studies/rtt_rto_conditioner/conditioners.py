"""Edges of the study: the document's conditioners, what follows from its derivation, and one that has nothing
to tune.

A conditioner is data: what a reader calls it, and the rule that it makes of a profile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from parshall.scenario import (
    Conditioner,
    FairExcessMeter,
    Knowledge,
    RttAwareMeter,
    RttRtoMeter,
    Rule,
    SmallWindow,
    TcpModelMeter,
    Tsw3cmMeter,
)

STANDARD, SW, RTT, RTT_TWO, RTT_RTO, RTT_SW = "standard", "sw", "rtt", "rtt-2", "rtt-rto", "rtt-sw"
"""The document's conditioners."""
READING, PAID = "rtt-rto-9", "rtt-sw-paid"
"""Other readings: RTT-RTO of the lost Figure 1, and RTT-SW with the profile kept, as VI demands and V does
not say.
"""
MODEL, FULL, FAIR = "model", "model-full", "fair"
"""The exact solution of its equation 6, that of its equation 2, and feedback."""
PRECEDENCES = ("AF11", "AF12", "AF13")
"""DP0, DP1 and DP2."""
K = 3
"""Windows below so many packets are small."""


@dataclass(frozen=True)
class Profile:
    """Rate that an aggregate may send, bit/s."""

    cir: float = 2e6
    pir: float = 3e6


PROFILE = Profile()
"""The document's (V.A)."""


@dataclass(frozen=True)
class Edge:
    """A conditioner before it is told of an aggregate."""

    label: str
    meter: Callable[[Profile], Any]
    small_window: SmallWindow | None = None
    source: Literal["senders", "packets"] = "senders"

    def conditioner(self, flows: str, profile: Profile, min_rto: float) -> Conditioner:
        """For the data of the flows that a pattern names."""
        green, yellow, red = PRECEDENCES
        rule = Rule(
            flows=flows,
            of="data",
            meter=self.meter(profile),
            small_window=self.small_window,
            if_green=green,
            if_yellow=yellow,
            if_red=red,
        )
        return Conditioner(rules=[rule], knowledge=Knowledge(source=self.source, min_rto=min_rto))

    @property
    def asks_around(self) -> bool:
        """True if it goes by more than sizes."""
        return self.small_window is not None or not isinstance(self.meter(PROFILE), Tsw3cmMeter)


def _standard(profile: Profile) -> Tsw3cmMeter:
    return Tsw3cmMeter(cir=profile.cir, pir=profile.pir)


_RTT = Edge("basic RTT", lambda profile: RttAwareMeter(cir=profile.cir))


def small_windows(below_packets: float = K, *, repay: bool = True) -> SmallWindow:
    """Protection of small windows."""
    return SmallWindow(below_packets=below_packets, repay=repay)


_PROTECTED = small_windows(repay=False)

DOCUMENT: Mapping[str, Edge] = {
    STANDARD: Edge("standard", _standard),
    SW: Edge("standard with SW", _standard, _PROTECTED),
    RTT: _RTT,
    RTT_TWO: Edge("basic RTT, two precedences", lambda profile: RttAwareMeter(cir=profile.cir, colours=2)),
    RTT_RTO: Edge("RTT-RTO", lambda profile: RttRtoMeter(cir=profile.cir)),
    RTT_SW: replace(_RTT, label="RTT-SW", small_window=_PROTECTED),
}
"""Edges that the document compares, with round trips, timeouts and windows from the senders."""
READINGS: Mapping[str, Edge] = {
    READING: Edge("RTT-RTO, (9) throughout", lambda profile: RttRtoMeter(cir=profile.cir, own_timeout=False)),
    PAID: replace(_RTT, label="RTT-SW, profile kept", small_window=small_windows()),
}
"""Equation (9) also for the aggregate with the least round trip, so that all of its excess may be red; and
protection that is paid for.
"""
OURS: Mapping[str, Edge] = {
    MODEL: Edge("equation 6 solved", lambda profile: TcpModelMeter(cir=profile.cir)),
    FULL: Edge("equation 2 solved", lambda profile: TcpModelMeter(cir=profile.cir, full=True)),
    FAIR: Edge("feedback", lambda profile: FairExcessMeter(cir=profile.cir)),
}
"""Edges that are proposed here."""
EDGES: Mapping[str, Edge] = {**DOCUMENT, **READINGS, **OURS}
