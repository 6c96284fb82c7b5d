"""The dumbbells on which both sides run, and how each side is told of them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from parshall import Bbr, Bulk, Dctcp, DropTail, Flow, Link, Red, Reverse, Scenario, Tcp

__all__ = ["BDP_BUFFERS", "SETTINGS", "TCP_HEADER", "Setting"]

PAYLOAD = 1460
TCP_HEADER = 42
"""IP and TCP without options, and the 2 bytes that ns-3's point-to-point link adds."""
WIRE_BITS = 8 * (PAYLOAD + TCP_HEADER)
ACCESS_RATE = 1e9
BDP_BUFFERS = (0.5, 1.0, 4.0)
_MARKING_LIMIT = 1000
"""Packets that a marking queue holds, more than ever arrive."""
_IN_DEVICE = 1
"""Packets that ns-3's device holds besides the one in transmission; its discipline does not see them."""


@dataclass(frozen=True)
class Setting:
    """One dumbbell. A quarter of the round trip is on the bottleneck, an eighth on each access link."""

    control: str
    """``bbr`` or ``dctcp``."""
    rate: float
    round_trip: float
    """Seconds, without queues and transmissions."""
    queue: float
    """For BBR the buffer in bandwidth-delay products, for DCTCP the threshold in packets."""
    flows: int
    slow_start: bool = True
    """True if flows begin with slow start, not with two packets in congestion avoidance."""
    seconds: float = 30.0
    warm_up: float = 10.0

    @property
    def buffer(self) -> int:
        """Packets that BBR's buffer holds, the one in transmission included."""
        return max(4, round(self.queue * self.rate * self.round_trip / WIRE_BITS))

    @property
    def table(self) -> str:
        """The key of SETTINGS under which it stands."""
        return "dctcp-slow-start" if self.control == "dctcp" and self.slow_start else self.control

    @property
    def title(self) -> str:
        """As a table names it."""
        path = f"{self.rate / 1e6:g} Mbit/s, {1e3 * self.round_trip:g} ms"
        queue = f"{self.queue:g} BDP" if self.control == "bbr" else f"K = {self.queue:g}"
        return f"{path}, {queue}, {self.flows} flow{'s' if self.flows > 1 else ''}"

    def starts(self, seed: int) -> list[float]:
        """When the flows start, in seconds; the same on both sides."""
        draw = random.Random(seed)
        return [round(draw.uniform(0.0, 1.0), 6) for _ in range(self.flows)]

    def scenario(self, seed: int) -> Scenario:
        """Our side of it."""
        links = [
            Link(
                between=("r0", "r1"),
                name="bottleneck",
                rate=self.rate,
                delay=self.round_trip / 4,
                queue=self._queue(),
                reverse=Reverse(queue="droptail"),
            )
        ]
        hosts: list[str] = []
        for i in range(self.flows):
            hosts += [f"s{i}", f"d{i}"]
            links.append(Link(between=(f"s{i}", "r0"), rate=ACCESS_RATE, delay=self.round_trip / 8))
            links.append(Link(between=("r1", f"d{i}"), rate=ACCESS_RATE, delay=self.round_trip / 8))
        return Scenario(
            duration=self.seconds,
            warm_up=self.warm_up,
            hosts=hosts,
            routers=["r0", "r1"],
            links=links,
            flows=[self._flow(i, start) for i, start in enumerate(self.starts(seed))],
        )

    def options(self, seed: int) -> dict[str, str]:
        """ns-3's side of it: what its program is started with."""
        disc, settings = self._disc()
        return {
            "control": "ns3::TcpBbr" if self.control == "bbr" else "ns3::TcpDctcp",
            "ecn": "Off" if self.control == "bbr" else "On",
            "disc": disc,
            "set": ",".join(f"{name}={value}" for name, value in settings.items()),
            "time": f"{self.seconds:g}",
            "warmup": f"{self.warm_up:g}",
            "rate": f"{self.rate:.0f}",
            "delay": repr(self.round_trip / 4),
            "access": f"{ACCESS_RATE:.0f}",
            "accessdelay": repr(self.round_trip / 8),
            "starts": ",".join(map(str, self.starts(seed))),
            "payload": str(PAYLOAD),
            **({} if self.slow_start else {"window": "2", "ssthresh": str(2 * PAYLOAD)}),
            "seed": str(seed),
        }

    def _queue(self) -> DropTail | Red:
        if self.control == "bbr":
            return DropTail(limit_packets=self.buffer)
        return Red(
            min_threshold_packets=self.queue,
            max_threshold_packets=self.queue,
            max_probability=1.0,
            weight=1.0,
            limit_packets=_MARKING_LIMIT,
            wait=False,
            ecn=True,
        )

    def _disc(self) -> tuple[str, dict[str, str]]:
        if self.control == "bbr":
            return "ns3::FifoQueueDisc", {"MaxSize": f"{self.buffer - 1 - _IN_DEVICE}p"}
        threshold = self.queue - _IN_DEVICE
        return "ns3::RedQueueDisc", {
            "MaxSize": f"{_MARKING_LIMIT - _IN_DEVICE}p",
            # Queues are whole packets, so this is our RED: it marks all from the threshold on, and drops all
            # from twice our threshold on.
            "MinTh": f"{threshold - 0.25:g}",
            "MaxTh": f"{threshold + 0.25:g}",
            "LInterm": "0.01",
            "QW": "1",
            "Wait": "false",
            "UseEcn": "true",
            "UseHardDrop": "true",
            "MeanPktSize": str(PAYLOAD + TCP_HEADER),
            "LinkBandwidth": f"{self.rate:.0f}bps",
        }

    def _flow(self, index: int, start: float) -> Flow:
        return Flow(
            name=f"f{index}",
            source=f"s{index}",
            destination=f"d{index}",
            transport=Tcp(
                recovery="sack",
                control=Bbr() if self.control == "bbr" else Dctcp(),
                ecn=self.control == "dctcp",
                payload_bytes=PAYLOAD,
                header_bytes=TCP_HEADER,
                ack_bytes=TCP_HEADER,
                initial_window_packets=10 if self.slow_start else 2,
                initial_ssthresh_packets=None if self.slow_start else 2,
                min_rto=0.2,
                delayed_ack=False,
                rtt_sampling="timestamps",
            ),
            app=Bulk(),
            start=start,
        )


def _bbr() -> list[Setting]:
    alone = [
        Setting("bbr", rate, round_trip, buffer, 1)
        for rate in (1e7, 5e7)
        for round_trip in (0.02, 0.08)
        for buffer in BDP_BUFFERS
    ]
    return alone + [Setting("bbr", 2e7, 0.04, buffer, 2) for buffer in (1.0, 4.0)]


def _dctcp(*, slow_start: bool) -> list[Setting]:
    # On the fast link two seconds are two thousand round trips.
    paths = ((1e8, 0.001, 6.0, 2.0), (1e7, 0.02, 30.0, 10.0))
    return [
        Setting("dctcp", rate, round_trip, threshold, flows, slow_start, seconds, warm_up)
        for rate, round_trip, seconds, warm_up in paths
        for threshold in (5.0, 20.0, 65.0)
        for flows in ((1,) if slow_start else (1, 2, 4))
    ]


SETTINGS = {
    "bbr": _bbr(),
    "dctcp": _dctcp(slow_start=False),
    "dctcp-slow-start": _dctcp(slow_start=True),
}
