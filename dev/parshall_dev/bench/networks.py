"""Networks in words that need no simulator; each as a Parshall scenario and as options of a peer's script.

Start times and delays are written down flow by flow, so that all simulators see the same ones. They are
spread evenly but irregularly (multiples of an irrational number, modulo 1): packets of different flows then
do not arrive at one instant, where the last bit of a clock would decide which of them is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from typing_extensions import Self

from parshall import Bulk, Cbr, DropTail, Flow, Link, Record, Red, Scenario, Tcp, Udp

__all__ = ["Bell", "Bottlenecks", "Options", "ParkingLot", "Part"]

Options = dict[str, str]
"""Options of a peer's script."""
Part = Any
"""A part of a scenario."""

_GOLDEN, _ROOT_OF_TWO = 0.6180339887498949, 0.4142135623730951
_RECOVERY = {"Newreno": "newreno", "Sack1": "sack"}
_LAST_START = 1.0


@dataclass(frozen=True)
class Bottlenecks:
    """Common parts of the suite's networks: TCP and CBR flows, each between two hosts of its own, and links
    between routers that drop. TCP is ns-2's, in all simulators.
    """

    tcp: int
    """TCP flows across the whole network."""
    cbr: int
    """CBR flows; how many cross which link is the network's matter."""
    rate: float
    """Rate of a bottleneck, in bit/s."""
    delay: float
    """Delay of a bottleneck, in seconds."""
    limit: int
    """Packets that a bottleneck holds, the one in transmission included (RED: not included)."""
    access: float
    """Rate of the links to the hosts."""
    access_delays: tuple[float, float]
    """Least and greatest delay of these links."""
    variant: str = "Newreno"
    """ns-2's name of the TCP."""
    window: int = 64
    """The receiver's, in packets."""
    payload: int = 1000
    """Payload of a TCP packet, in bytes, to which 40 are added."""
    min_rto: float = 0.2
    """In seconds."""
    cbr_rate: float = 1e6
    """Rate of a CBR flow, in bit/s on the wire."""
    cbr_packet: int = 1000
    """Bytes on the wire."""
    red: bool = False
    """RED with ECN in place of drop-tail, thresholds at a quarter and three quarters of the limit."""
    record_every: float | None = None
    """Interval of the recorded series, in seconds; none records counters only."""
    record_flows: bool = False
    """True if all flows are recorded too, and not the bottlenecks only."""

    def with_(self, **changes: Any) -> Self:
        """A copy with other values."""
        return replace(self, **changes)

    def flows(self) -> Iterator[tuple[bool, str, str]]:
        """Flows: true for TCP, and the routers between which it runs, in the order of the scripts."""
        raise NotImplementedError

    def routers(self) -> list[str]:
        """Routers in a row; a bottleneck leads from each to the next."""
        raise NotImplementedError

    def starts(self) -> list[float]:
        """When each flow starts."""
        return [round((0.1 + i * _GOLDEN) % _LAST_START, 6) for i, _ in enumerate(self.flows())]

    def delays(self) -> list[float]:
        """Delay of each flow's access links."""
        least, most = self.access_delays
        return [round(least + (most - least) * (i * _ROOT_OF_TWO % 1), 6) for i, _ in enumerate(self.flows())]

    def thresholds(self) -> tuple[float, float]:
        """RED's."""
        return self.limit / 4, self.limit * 3 / 4

    def scenario(self, seconds: float) -> Scenario:
        """As Parshall runs it."""
        routers = self.routers()
        ends = list(self.flows())
        links = [self._bottleneck(*pair) for pair in pairwise(routers)]
        hosts = []
        for i, ((_, source, target), delay) in enumerate(zip(ends, self.delays(), strict=True)):
            hosts += [f"s{i}", f"d{i}"]
            links.append(Link(between=(f"s{i}", source), rate=self.access, delay=delay))
            links.append(Link(between=(target, f"d{i}"), rate=self.access, delay=delay))
        return Scenario(
            duration=seconds,
            hosts=hosts,
            routers=routers,
            links=links,
            flows=self._flows([tcp for tcp, _, _ in ends]),
            record=self._record(routers),
        )

    def options(self, seconds: float) -> Options:
        """As ns-2's scripts take it, and the names that ns-3's shares with them."""
        low, high = self.thresholds()
        return {
            "time": f"{seconds:g}",
            "rate": f"{self.rate:.0f}",
            "delay": f"{self.delay:g}",
            "limit": str(self.limit),
            "access": f"{self.access:.0f}",
            "accessdelays": " ".join(f"{delay:g}" for delay in self.delays()),
            "starts": " ".join(f"{start:g}" for start in self.starts()),
            "queue": "RED" if self.red else "DropTail",
            "minth": f"{low:g}",
            "maxth": f"{high:g}",
            "ecn": str(int(self.red)),
            "tcp": self.variant,
            "window": str(self.window),
            "payload": str(self.payload),
            "minrto": f"{self.min_rto:g}",
            "ncbr": str(self.cbr),
            "cbrrate": f"{self.cbr_rate:.0f}",
            "cbrpacket": str(self.cbr_packet),
        }

    def _bottleneck(self, source: str, target: str) -> Link:
        low, high = self.thresholds()
        red: Part = Red(
            min_threshold_packets=low, max_threshold_packets=high, limit_packets=self.limit, ecn=True
        )
        queue: Part = red if self.red else DropTail(limit_packets=self.limit)
        return Link(between=(source, target), rate=self.rate, delay=self.delay, queue=queue)

    def _flows(self, tcp: list[bool]) -> list[Flow]:
        recovery: Any = _RECOVERY[self.variant]
        reliable = Tcp(
            profile="ns2",
            recovery=recovery,
            ecn=self.red,
            payload_bytes=self.payload,
            max_window_packets=self.window,
            min_rto=self.min_rto,
        )
        datagrams = Udp(payload_bytes=self.cbr_packet, header_bytes=0)
        return [
            Flow(
                name=f"f{i}",
                source=f"s{i}",
                destination=f"d{i}",
                transport=reliable if is_tcp else datagrams,
                app=Bulk() if is_tcp else Cbr(rate=self.cbr_rate),
                start=start,
            )
            for i, (is_tcp, start) in enumerate(zip(tcp, self.starts(), strict=True))
        ]

    def _record(self, routers: list[str]) -> Record:
        if self.record_every is None:
            return Record()
        ports = [f"{a}->{b}" for a, b in pairwise(routers)]
        series: Part = {"port_series": {"of": ports, "interval": self.record_every}}
        if self.record_flows:
            series["flow_series"] = {"of": "*", "interval": self.record_every}
        return Record(**series)


@dataclass(frozen=True)
class Bell(Bottlenecks):
    """A dumbbell: all flows over one bottleneck."""

    def flows(self) -> Iterator[tuple[bool, str, str]]:
        for i in range(self.tcp + self.cbr):
            yield i < self.tcp, "r0", "r1"

    def routers(self) -> list[str]:
        return ["r0", "r1"]

    def options(self, seconds: float) -> Options:
        return {**super().options(seconds), "ntcp": str(self.tcp)}


@dataclass(frozen=True)
class ParkingLot(Bottlenecks):
    """Bottlenecks in a row: ``tcp`` flows across all, and over each ``cross`` TCP and ``cbr`` CBR flows."""

    hops: int = 10
    cross: int = 10

    def flows(self) -> Iterator[tuple[bool, str, str]]:
        for _ in range(self.tcp):
            yield True, "r0", f"r{self.hops}"
        for hop in range(self.hops):
            for i in range(self.cross + self.cbr):
                yield i < self.cross, f"r{hop}", f"r{hop + 1}"

    def routers(self) -> list[str]:
        return [f"r{i}" for i in range(self.hops + 1)]

    def options(self, seconds: float) -> Options:
        own = {"hops": str(self.hops), "through": str(self.tcp), "cross": str(self.cross)}
        return {**super().options(seconds), **own}
