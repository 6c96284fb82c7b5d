"""The networks of section V, with what the document leaves out taken from the runs of ns-2 that fit what it
says, and those in which senders are compared beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from parshall.scenario import (
    Bulk,
    DropTail,
    Dumbbell,
    ExponentialPeriods,
    Flow,
    FlowGroup,
    Link,
    OnOff,
    ParetoPeriods,
    Record,
    Scenario,
    Transfer,
)
from parshall_studies.tcp_tp.senders import PAYLOAD_BYTES, WIDE, WINDOW, Bottleneck, Sender

App: TypeAlias = "Bulk | OnOff"

RATE, LIMIT, ROUND_TRIP = 20e6, 100, 0.05
"""Bottleneck: bit/s and packets (III.A), and the round trip without queues, in seconds (V.A.1)."""
CORE_DELAY, ACCESS_RATE, ACCESS_LIMIT = 0.002, 100e6, 50
DURATION, WARM_UP = 120.0, 20.0
SHORTER = 70.0
"""Duration where the document has no more than a curve of the same shape."""
START_SPREAD = 1.0
"""Seconds over which connections start."""
UNEQUAL = (0.02, 0.1)
"""Between which round trips lie in the third experiment."""
PERIOD = 0.5
"""Mean length of bursts and of silences, in seconds."""
NO_RECORD = Record()


_PARETO = ParetoPeriods(shape=1.5)


def on_off(rate: float, law: ParetoPeriods | ExponentialPeriods = _PARETO, period: float = PERIOD) -> OnOff:
    """Bursts and silences of the same mean length; the shape 1.5 gives sums of them H = 0.75."""
    return OnOff(law=law, rate=rate, on=period, off=period)


@dataclass(frozen=True)
class Source:
    """Traffic of each connection, and its name for readers."""

    label: str
    app: App


SOURCES: Mapping[str, Source] = {
    "pareto-1": Source("Pareto, 1 Mbit/s", on_off(1e6)),
    "pareto-0.5": Source("Pareto, 0.5 Mbit/s", on_off(0.5e6)),
    "pareto-2": Source("Pareto, 2 Mbit/s", on_off(2e6)),
    "pareto-long": Source("Pareto, 1 Mbit/s, periods of 5 s", on_off(1e6, period=10 * PERIOD)),
    "exponential-1": Source("exponential, 1 Mbit/s", on_off(1e6, ExponentialPeriods())),
    "bulk": Source("without end", Bulk()),
}
"""On-off parameters are not printed; the first is the one that the study is about."""
MAIN = "pareto-1"


@dataclass(frozen=True)
class Setting:
    """One bottleneck and what is sent through it."""

    connections: int
    source: str = MAIN
    rate: float = RATE
    limit: int = LIMIT
    round_trips: tuple[float, float] = (ROUND_TRIP, ROUND_TRIP)
    window: int = WINDOW

    @property
    def bottleneck(self) -> Bottleneck:
        """Facts that a sender may be told."""
        return Bottleneck(self.rate, self.connections)

    @property
    def delays(self) -> list[float]:
        """Delays of access links. Unequal round trips are spread evenly over their range, which
        has the moments of a draw and no chance in it.
        """
        low, high = self.round_trips
        step = (high - low) / self.connections
        trips = [low + (place + 0.5) * step for place in range(self.connections)]
        return [(trip / 2 - CORE_DELAY) / 2 for trip in trips]


def single(
    sender: Sender, setting: Setting, record: Record = NO_RECORD, duration: float | None = None
) -> Dumbbell:
    """Experiments 1 and 3: all connections from the start on, for :data:`DURATION` unless given."""
    group = _group("f", sender, setting, setting.connections, access_delay=setting.delays)
    return _dumbbell(sender.label, setting, [group], duration or DURATION, WARM_UP, record)


def _group(name: str, sender: Sender, setting: Setting, count: int, **own: Any) -> FlowGroup:
    return FlowGroup(
        name=name,
        count=count,
        transport=sender.transport(setting.bottleneck, setting.window),
        app=SOURCES[setting.source].app,
        **{"start_spread": START_SPREAD, **own},
    )


def _dumbbell(
    title: str,
    setting: Setting,
    groups: Sequence[FlowGroup],
    duration: float,
    warm_up: float,
    record: Record,
) -> Dumbbell:
    return Dumbbell(
        title=title,
        duration=duration,
        warm_up=warm_up,
        rate=setting.rate,
        delay=CORE_DELAY,
        queue=DropTail(limit_packets=setting.limit),
        access_rate=ACCESS_RATE,
        access_delay=(ROUND_TRIP / 2 - CORE_DELAY) / 2,
        access_queue=DropTail(limit_packets=ACCESS_LIMIT),
        flows=groups,
        record=record,
    )


# --- Experiment 2: connections come and go ------------------------------------------------------------------

JOINED, LEFT, ENDED = 100.0, 160.0, 240.0
"""When 30 connections join 30 others, when 40 of the 60 leave, and the end, in seconds."""
STAYING, LEAVING, JOINING = 20, 10, 30
"""Connections that are there throughout, those of the start that leave, and those that join and leave."""


def dynamic(sender: Sender, source: str, record: Record) -> Dumbbell:
    """30 connections, then 60, then 20. Those that stay are called ``s``."""
    setting = Setting(STAYING + LEAVING + JOINING, source)
    groups = [
        _group("s", sender, setting, STAYING),
        _group("e", sender, setting, LEAVING, stop=LEFT),
        _group("j", sender, setting, JOINING, start=JOINED, stop=LEFT),
    ]
    return _dumbbell(f"{sender.label}, connections come and go", setting, groups, ENDED, 0.0, record)


# --- Figure 13: five queues ---------------------------------------------------------------------------------

HOPS = 5
CROSSED = (2, 4)
"""Queues with cross traffic."""


def chain(sender: Sender, connections: int, record: Record = NO_RECORD) -> Scenario:
    """``connections`` through all five queues, and half as many across the second and across the fourth, all
    with the same round trip without queues.
    """
    routers = [f"r{number}" for number in range(1, HOPS + 2)]
    paths = [(f"f{i}", 1, HOPS) for i in range(1, connections + 1)]
    paths += [(f"x{hop}-{i}", hop, hop) for hop in CROSSED for i in range(1, connections // 2 + 1)]
    transport = sender.transport(Bottleneck(RATE, connections + connections // 2))
    core = [
        Link(
            between=(routers[hop - 1], routers[hop]),
            name=f"queue{hop}",
            rate=RATE,
            delay=CORE_DELAY,
            queue=DropTail(limit_packets=LIMIT),
        )
        for hop in range(1, HOPS + 1)
    ]
    access = [
        Link(
            between=between,
            rate=ACCESS_RATE,
            delay=(ROUND_TRIP / 2 - (last - first + 1) * CORE_DELAY) / 2,
            queue=DropTail(limit_packets=ACCESS_LIMIT),
        )
        for name, first, last in paths
        for between in ((f"s-{name}", routers[first - 1]), (routers[last], f"d-{name}"))
    ]
    flows = [
        Flow(
            name=name,
            source=f"s-{name}",
            destination=f"d-{name}",
            transport=transport,
            app=SOURCES[MAIN].app,
            start_spread=START_SPREAD,
        )
        for name, _, _ in paths
    ]
    return Scenario(
        title=f"{sender.label}, five queues",
        duration=SHORTER,
        warm_up=WARM_UP,
        hosts=[f"{side}-{name}" for name, _, _ in paths for side in "sd"],
        routers=routers,
        links=[*core, *access],
        flows=flows,
        record=record,
    )


# --- Figure 14: transfers -----------------------------------------------------------------------------------

SIZES = {"30 kB": 30, "100 kB": 100, "300 kB": 300, "1 MB": 1000, "3 MB": 3000, "8 MB": 8000}
"""Packets of 1000 bytes, by what is transferred."""
PATH = Setting(20, "pareto-0.5", rate=10e6, limit=60, round_trips=(0.04, 0.04))
"""Stand-in for the path of 2001: a link that cross traffic of NewReno fills to a half."""
TRANSFER_START = 10.0
_SLOWEST = 0.25e6
"""Bit/s: no transfer is given longer than it takes at this rate, and ten seconds more."""


def transfer(sender: Sender, cross: Sender, size: str) -> Dumbbell:
    """One transfer, called ``t1``, beside the cross traffic."""
    packets = SIZES[size]
    duration = TRANSFER_START + 10.0 + 8 * PAYLOAD_BYTES * packets / _SLOWEST
    groups = [
        FlowGroup(
            name="t",
            transport=sender.transport(PATH.bottleneck, WIDE),
            app=Transfer(packets=packets),
            start=TRANSFER_START,
            access_delay=PATH.delays[:1],
        ),
        _group("x", cross, PATH, PATH.connections, access_delay=PATH.delays),
    ]
    return _dumbbell(f"{sender.label}, {size}", PATH, groups, duration, 0.0, NO_RECORD)


# --- Beyond the document ------------------------------------------------------------------------------------

ARRIVAL, ARRIVAL_END = 60.0, 180.0
"""When the second half of the connections arrives, and the end, in seconds."""


def arrival(sender: Sender, half: int, record: Record) -> Dumbbell:
    """``half`` connections without end, called ``a``, and as many more, called ``b``, a minute later."""
    setting = Setting(2 * half, "bulk", window=WIDE)
    groups = [
        _group("a", sender, setting, half),
        _group("b", sender, setting, half, start=ARRIVAL),
    ]
    return _dumbbell(f"{sender.label}, {half} join {half}", setting, groups, ARRIVAL_END, 0.0, record)


MIXED = 15
"""Connections of either kind."""


def mixed(first: Sender, second: Sender, source: str) -> Dumbbell:
    """Connections of two kinds, called ``a`` and ``b``."""
    setting = Setting(2 * MIXED, source, window=WIDE)
    groups = [_group("a", first, setting, MIXED), _group("b", second, setting, MIXED)]
    return _dumbbell(f"{first.label} meets {second.label}", setting, groups, DURATION, WARM_UP, NO_RECORD)
