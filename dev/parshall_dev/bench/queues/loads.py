"""Comparison: loads of UDP flows over one bottleneck, and disciplines with their counterparts in ns-3.

UDP does not answer, so the packets that arrive are the same whatever the queue does with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from parshall import Cbr, CoDel, Dumbbell, FlowGroup, FqCodel, OnOff, Pie, Record, Scenario, Udp

__all__ = ["DISCIPLINES", "LOADS", "PORT", "RATE", "SPARSE", "Discipline", "Load"]

PORT = "bottleneck"
RATE = 1e7
"""Rate of the bottleneck, in bit/s."""
SPARSE = "sparse"
"""Flows of this name send little each."""

Queue: TypeAlias = CoDel | Pie | FqCodel

_PACKET = Udp(payload_bytes=1000, header_bytes=0)
_SMALL = Udp(payload_bytes=200, header_bytes=0)


@dataclass(frozen=True)
class Load:
    """Flows, and what a reader must know of them."""

    title: str
    flows: tuple[FlowGroup, ...]

    def scenario(self, queue: Queue, seconds: float) -> Scenario:
        """These flows at this queue, every packet recorded."""
        bell = Dumbbell(
            duration=seconds,
            rate=RATE,
            delay="5 ms",
            queue=queue,
            access_rate="1 Gbit/s",
            access_delay="1 ms",
            flows=self.flows,
            record=Record(packets=[PORT]),
        )
        return bell.scenario()


@dataclass(frozen=True)
class Discipline:
    """One of ours and the attributes that make ns-3's the same."""

    title: str
    ours: Queue
    theirs: str
    """ns-3's class."""
    settings: dict[str, str]
    """Its attributes."""


def _on_off(count: int, rate: str, on: str, name: str = "burst") -> FlowGroup:
    app = OnOff(law={"kind": "exponential"}, rate=rate, on=on, off=on)
    return FlowGroup(name=name, count=count, transport=_PACKET, app=app, start_spread="1 s")


def _cbr(count: int, rate: str, name: str, transport: Udp = _PACKET) -> FlowGroup:
    return FlowGroup(name=name, count=count, transport=transport, app=Cbr(rate=rate), start_spread="1 s")


LOADS = {
    "bursts": Load(
        "10 exponential on/off flows of 1.9 Mbit/s, 0.3 s each: 95 % of the link",
        (_on_off(10, "1.9 Mbit/s", "0.3 s"),),
    ),
    "overload": Load("20 such flows of 1.3 Mbit/s: 130 % of the link", (_on_off(20, "1.3 Mbit/s", "0.3 s"),)),
    "steady": Load(
        "11 constant-rate flows of 1 Mbit/s: 110 % of the link", (_cbr(11, "1 Mbit/s", "steady"),)
    ),
    "mixed": Load(
        "4 on/off flows of 4 Mbit/s, 0.5 s each, 2 constant ones of 2 Mbit/s, 20 sparse ones of 64 kbit/s "
        "in packets of 200 bytes: 133 % of the link",
        (
            _on_off(4, "4 Mbit/s", "0.5 s"),
            _cbr(2, "2 Mbit/s", "steady"),
            _cbr(20, "64 kbit/s", SPARSE, _SMALL),
        ),
    ),
}

_CODEL = {"Interval": "100ms", "Target": "5ms"}
_PIE = {
    "MeanPktSize": "1000",
    "A": "0.125",
    "B": "1.25",
    "Tupdate": "15ms",
    "Supdate": "15ms",
    "QueueDelayReference": "15ms",
    "MaxBurstAllowance": "150ms",
    "UseCapDropAdjustment": "false",
}
_LIMIT = 1000

DISCIPLINES = {
    "codel": Discipline(
        "CoDel",
        CoDel(limit_packets=_LIMIT),
        "ns3::CoDelQueueDisc",
        {**_CODEL, "MaxSize": f"{_LIMIT}p", "MinBytes": "1500"},
    ),
    "pie": Discipline(
        "PIE, timestamps",
        Pie(limit_packets=_LIMIT),
        "ns3::PieQueueDisc",
        {**_PIE, "MaxSize": f"{_LIMIT}p"},
    ),
    "pie-rate": Discipline(
        "PIE, departure rate",
        Pie(limit_packets=_LIMIT, delay="departure-rate"),
        "ns3::PieQueueDisc",
        {**_PIE, "MaxSize": f"{_LIMIT}p", "UseDequeueRateEstimator": "true"},
    ),
    "pie-all": Discipline(
        "PIE, derandomised, capped",
        Pie(limit_packets=_LIMIT, derandomize=True, cap_increase=True),
        "ns3::PieQueueDisc",
        {**_PIE, "MaxSize": f"{_LIMIT}p", "UseDerandomization": "true", "UseCapDropAdjustment": "true"},
    ),
    "fq-codel": Discipline(
        "FQ-CoDel",
        # So many queues that each flow has one of its own, as ns-3's have here.
        FqCodel(queues=65536, limit_packets=_LIMIT),
        "ns3::FqCoDelQueueDisc",
        {**_CODEL, "MaxSize": f"{_LIMIT}p"},
    ),
    "fq-codel-short": Discipline(
        "FQ-CoDel, 50 packets",
        FqCodel(queues=65536, limit_packets=50),
        "ns3::FqCoDelQueueDisc",
        {**_CODEL, "MaxSize": "50p"},
    ),
}
