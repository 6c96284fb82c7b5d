"""The networks of Figure 2: (a) two aggregates at two edges that share one link, (b) five over several
domains in a row. What the document leaves out is as in the runs of ns-2 that fit what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from parshall.scenario import (
    Aimd,
    Bulk,
    ClassQueue,
    Dctcp,
    DiffServ,
    DropTail,
    FixedWeight,
    Flow,
    Link,
    Precedence,
    Record,
    Scenario,
    Tcp,
    Telnet,
    Web,
)
from parshall_studies.rtt_rto_conditioner.conditioners import PRECEDENCES, PROFILE, Edge, Profile

RATE, LIMIT = 10e6, 100
"""The link in the middle: bit/s and packets. The printed 2.3 and 7.52 Mbit/s point to 10 Mbit/s."""
OTHER_RATE = 100e6
"""Rate of all other links."""
CORE_DELAY = 0.001
NEAR = 0.02
"""Round trip of F1 in seconds."""
PAYLOAD_BYTES, HEADER_BYTES, WINDOW = 1024, 40, 64
DURATION, WARM_UP, START_SPREAD = 120.0, 20.0, 5.0
FLOWS = 200
"""Connections in an aggregate."""
THRESHOLDS = ((40, 55, 0.02), (25, 40, 0.05), (10, 25, 0.1))
"""Thresholds of DP0, DP1 and DP2: two averages in packets, and the drop probability at the upper one."""
WEIGHT = 0.002
_PLENTY = 100_000
NO_RECORD = Record()

Queue: TypeAlias = Any
App: TypeAlias = "Bulk | Telnet | Web"
BULK = Bulk()
Dropper: TypeAlias = Literal["drop-tail", "rio-c", "rio-d", "wred"]


@dataclass(frozen=True)
class Setting:
    """Two aggregates and the link that they share."""

    far: float = 0.1
    """Round trip of F2 in seconds."""
    flows: tuple[int, int] = (FLOWS, FLOWS)
    rate: float = RATE
    limit: int = LIMIT
    near: float = NEAR
    profile: Profile = PROFILE
    min_rto: float = 0.2
    dropper: Dropper = "rio-c"
    recovery: Literal["newreno", "reno"] = "newreno"
    transport: str = "ns2"
    """TCP as in ns-2, as in Linux with CUBIC, SACK and delayed ACKs (``linux``), or the latter with DCTCP."""
    core: Queue = None
    """In place of queues with precedences."""
    duration: float = DURATION
    other_rate: float = OTHER_RATE
    shaper: float | None = None
    """Rate in bit/s to which each edge delays its aggregate; what does not fit into ``limit`` is dropped."""
    app: App = BULK
    start_spread: float = START_SPREAD
    warm_up: float = WARM_UP

    def tcp(self) -> Tcp:
        """Transport of each connection."""
        sizes: dict[str, Any] = {"payload_bytes": PAYLOAD_BYTES, "header_bytes": HEADER_BYTES}
        own: dict[str, Any] = {"max_window_packets": WINDOW, "min_rto": self.min_rto, **sizes}
        match self.transport:
            case "linux":
                return Tcp(profile="linux", **own)
            case "dctcp":
                return Tcp(profile="linux", control=Dctcp(), ecn=True, **own)
            case _:
                return Tcp(profile="ns2", recovery=self.recovery, control=Aimd(), **own)

    def queue(self) -> Queue:
        """In front of the shared link."""
        return precedences(self.limit, self.dropper) if self.core is None else self.core


def precedences(limit: int, dropper: Dropper = "rio-c", scale: float = 1.0) -> DiffServ:
    """One queue with the document's three drop precedences, or with thresholds that are ``scale`` times as
    large.
    """
    each = [
        Precedence(
            dscp=dscp,
            min_threshold_packets=scale * low,
            max_threshold_packets=scale * high,
            max_probability=most,
            weight=FixedWeight(value=WEIGHT),
        )
        for dscp, (low, high, most) in zip(PRECEDENCES, THRESHOLDS, strict=True)
    ]
    one = ClassQueue(precedences=each, limit_packets=limit, dropper=dropper)
    return DiffServ(queues=[one], mean_packet_bytes=PAYLOAD_BYTES, profile="ns2")


def shared(edge: Edge | None, setting: Setting, record: Record = NO_RECORD) -> Scenario:
    """Figure 2a: F1 and F2, each from a host over an edge, meet at the link in the middle, ``c1-c2``."""
    trips = (setting.near, setting.far)
    paths = [
        Path(f"F{number}", f"n{number}", f"n{number + 2}", ("c1", "c2"), trip, count)
        for number, (trip, count) in enumerate(zip(trips, setting.flows, strict=True), 1)
    ]
    title = f"{_label(edge)}, {1000 * setting.far:g} ms"
    return network(title, edge, setting, [("c1", "c2")], paths, record)


@dataclass(frozen=True)
class Path:
    """Where an aggregate goes: from a host over routers to a host."""

    name: str
    source: str
    sink: str
    routers: tuple[str, ...]
    round_trip: float
    count: int


DOMAINS = (("a1", "a2"), ("b1", "b2"), ("d1", "d2"))
"""The domains of Figure 2b, each with one link that is shared."""
_ALL = tuple(router for domain in DOMAINS for router in domain)
LONG, SHORT = ("F1", "F2", "F4"), ("F3", "F5")
"""As Table I groups them."""
DOMAIN_PATHS = (
    Path("F1", "n1", "n7", _ALL, 0.1, FLOWS),
    Path("F2", "n2", "n8", _ALL, 0.1, FLOWS),
    Path("F3", "n3", "n4", _ALL[:2], 0.01, FLOWS),
    Path("F4", "n0", "n9", _ALL[:4], 0.06, FLOWS),
    Path("F5", "n5", "n6", _ALL[4:], 0.02, FLOWS),
)
"""Figure 2b is lost. Who goes from where to where is printed; that F1 and F2 cross several domains, that F3
is very short and F4 in the middle is said; the rest is ours.
"""


def domains(edge: Edge | None, setting: Setting, record: Record = NO_RECORD) -> Scenario:
    """Figure 2b: five aggregates over three domains in a row. The links of the domains are called ``a1-a2``,
    ``b1-b2`` and ``d1-d2``, and ``setting`` says what they are.
    """
    return network(f"{_label(edge)}, several domains", edge, setting, DOMAINS, DOMAIN_PATHS, record)


def _label(edge: Edge | None) -> str:
    return "no conditioner" if edge is None else edge.label


def network(
    title: str,
    edge: Edge | None,
    setting: Setting,
    shared_links: Sequence[tuple[str, str]],
    paths: Sequence[Path],
    record: Record,
) -> Scenario:
    """Aggregates, each with an edge router at either end, over links that they share, one behind another,
    which are called after their routers.
    """
    between = pairwise(shared_links)
    core = [
        _link(a, b, CORE_DELAY, setting.rate, name=f"{a}-{b}", queue=setting.queue(), reverse=_back())
        for a, b in shared_links
    ]
    core += [_link(one[1], other[0], CORE_DELAY, setting.other_rate) for one, other in between]
    links, flows, hosts, edges = list(core), [], [], []
    tcp = setting.tcp()
    for path in paths:
        near, far = f"e-{path.source}", f"e-{path.sink}"
        delay = (path.round_trip / 2 - (len(path.routers) - 1) * CORE_DELAY) / 4
        own: dict[str, Any] = {}
        if edge is not None:
            own["conditioner"] = edge.conditioner(f"{path.name}-*", setting.profile, setting.min_rto)
        if setting.shaper is not None:
            own["queue"] = DropTail(limit_packets=setting.limit)
        leaves = setting.shaper or setting.other_rate
        links += [
            _link(path.source, near, delay, setting.other_rate),
            _link(near, path.routers[0], delay, leaves, name=f"edge-{path.name}", **own),
            _link(path.routers[-1], far, delay, setting.other_rate),
            _link(far, path.sink, delay, setting.other_rate),
        ]
        hosts += [path.source, path.sink]
        edges += [near, far]
        flows += [
            Flow(
                name=f"{path.name}-{i}",
                source=path.source,
                destination=path.sink,
                transport=tcp,
                app=setting.app,
                start_spread=setting.start_spread,
            )
            for i in range(1, path.count + 1)
        ]
    routers = dict.fromkeys(node for link in core for node in link.between)
    return Scenario(
        title=title,
        duration=setting.duration,
        warm_up=setting.warm_up,
        hosts=hosts,
        routers=[*routers, *edges],
        links=links,
        flows=flows,
        record=record,
    )


def _back() -> dict[str, Any]:
    return {"queue": DropTail(limit_packets=_PLENTY)}


def _link(a: str, b: str, delay: float, rate: float, **own: Any) -> Link:
    return Link(between=(a, b), rate=rate, delay=delay, **{"queue": DropTail(limit_packets=_PLENTY), **own})
