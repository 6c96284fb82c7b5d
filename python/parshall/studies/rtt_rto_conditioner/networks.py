"""The networks of Figure 2: (a) two aggregates at two edges that share one link, (b) five over several domains in a
row. What the document leaves out is as in the runs of ns-2 that fit what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from parshall.scenario import (
    Aimd,
    Bulk,
    ClassQueue,
    Cubic,
    DiffServ,
    DropTail,
    FixedWeight,
    Flow,
    Link,
    Precedence,
    Record,
    Scenario,
    Tcp,
)
from parshall.studies.rtt_rto_conditioner.conditioners import PRECEDENCES, Edge, Profile

RATE, LIMIT = 10e6, 100
"""Of the link in the middle: bit/s and packets. The printed 2.3 and 7.52 Mbit/s point to 10 Mbit/s."""
OTHER_RATE = 100e6
"""Of all other links."""
CORE_DELAY = 0.001
NEAR = 0.02
"""Round trip of F1 in seconds."""
PAYLOAD_BYTES, HEADER_BYTES, WINDOW = 1024, 40, 64
DURATION, WARM_UP, START_SPREAD = 120.0, 20.0, 5.0
FLOWS = 200
"""Connections in an aggregate."""
THRESHOLDS = ((40, 55, 0.02), (25, 40, 0.05), (10, 25, 0.1))
"""Of DP0, DP1 and DP2: two averages in packets, and the drop probability at the upper one."""
WEIGHT = 0.002
_PLENTY = 100_000
NO_RECORD = Record()

Queue: TypeAlias = Any


@dataclass(frozen=True)
class Setting:
    """Two aggregates and the link that they share."""

    far: float = 0.1
    """Round trip of F2 in seconds."""
    flows: tuple[int, int] = (FLOWS, FLOWS)
    rate: float = RATE
    limit: int = LIMIT
    near: float = NEAR
    profile: Profile = Profile()
    min_rto: float = 0.2
    dropper: str = "rio-c"
    recovery: str = "newreno"
    transport: str = "ns2"
    """The profile of TCP."""
    control: str = "aimd"
    core: Queue = None
    """In place of queues with precedences."""
    duration: float = DURATION

    def tcp(self) -> Tcp:
        """What each connection sends with."""
        control = Cubic() if self.control == "cubic" else Aimd()
        return Tcp(
            profile=self.transport,
            recovery=self.recovery,
            control=control,
            payload_bytes=PAYLOAD_BYTES,
            header_bytes=HEADER_BYTES,
            max_window_packets=WINDOW,
            min_rto=self.min_rto,
        )

    def queue(self) -> Queue:
        """In front of the shared link."""
        return precedences(self.limit, self.dropper) if self.core is None else self.core


def precedences(limit: int, dropper: str = "rio-c") -> DiffServ:
    """One queue with the document's three drop precedences."""
    each = [
        Precedence(
            dscp=dscp,
            min_threshold_packets=low,
            max_threshold_packets=high,
            max_probability=most,
            weight=FixedWeight(value=WEIGHT),
        )
        for dscp, (low, high, most) in zip(PRECEDENCES, THRESHOLDS, strict=True)
    ]
    one = ClassQueue(precedences=each, limit_packets=limit, dropper=dropper)
    return DiffServ(queues=[one], mean_packet_bytes=PAYLOAD_BYTES, profile="ns2")


def shared(edge: Edge | None, setting: Setting, record: Record = NO_RECORD) -> Scenario:
    """Figure 2a: F1 and F2, each from a host over an edge, meet at the link in the middle, called ``core``."""
    links = [_link("c1", "c2", CORE_DELAY, setting.rate, name="core", queue=setting.queue(), reverse=_back())]
    flows: list[Flow] = []
    hosts: list[str] = []
    tcp = setting.tcp()
    for number, (trip, count) in enumerate(zip((setting.near, setting.far), setting.flows, strict=True), 1):
        delay = (trip / 2 - CORE_DELAY) / 4
        source, near, far, sink = (f"n{number}", f"e{number}", f"e{number + 2}", f"n{number + 2}")
        name = f"F{number}"
        own: dict[str, Any] = {}
        if edge is not None:
            own["conditioner"] = edge.conditioner(f"{name}-*", setting.profile, setting.min_rto)
        links += [
            _link(source, near, delay),
            _link(near, "c1", delay, name=f"edge{number}", **own),
            _link("c2", far, delay),
            _link(far, sink, delay),
        ]
        hosts += [source, sink]
        flows += [_bulk(f"{name}-{i}", source, sink, tcp) for i in range(1, count + 1)]
    return Scenario(
        title=f"{edge.label if edge else 'no conditioner'}, {1000 * setting.far:g} ms",
        duration=setting.duration,
        warm_up=WARM_UP,
        hosts=hosts,
        routers=["e1", "e2", "c1", "c2", "e3", "e4"],
        links=links,
        flows=flows,
        record=record,
    )


def _bulk(name: str, source: str, sink: str, tcp: Tcp) -> Flow:
    return Flow(
        name=name, source=source, destination=sink, transport=tcp, app=Bulk(), start_spread=START_SPREAD
    )


def _back() -> dict[str, Any]:
    return {"queue": DropTail(limit_packets=_PLENTY)}


def _link(a: str, b: str, delay: float, rate: float = OTHER_RATE, **own: Any) -> Link:
    return Link(between=(a, b), rate=rate, delay=delay, **{"queue": DropTail(limit_packets=_PLENTY), **own})
