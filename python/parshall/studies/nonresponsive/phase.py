"""Table III, and what it hangs on: round-trip time, start spread of the CBR flows, per-packet jitter.

A CBR flow of 1 Mbit/s sends every 8 ms. When all start at one instant their packets come in bursts, and a TCP
packet returns a round trip after the one that clocked it: where the round trip is a multiple of 8 ms it meets
the same place in the queue again. Every curve here moves away from that coincidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parshall.columns import values
from parshall.scenario import DropTail, Jitter, Red, Scenario
from parshall.studies.nonresponsive import networks as net

if TYPE_CHECKING:
    from parshall.scenario import Dumbbell

__all__ = ["QUEUES", "SWEEPS", "Point", "measure_points", "ns2_points", "sweep_points", "table_points"]

QUEUES: Mapping[str, str] = {"droptail": "DropTail", "red": "RED(15, 45, 0.1)", "red-full": "RED(60, 60)"}
"""Rows of Table III. In the third, both thresholds are the buffer's size."""
SWEEPS: Mapping[str, str] = {
    "rtt": "round-trip time (ms)",
    "spread": "spread of CBR starts (ms)",
    "tcp-jitter": "jitter of TCP packets (ms)",
    "cbr-jitter": "jitter of CBR packets (ms)",
}
"""What is varied, as an axis calls it."""

_CBRS = 22
_TABLE_RTT = 0.12
"""The round trip that gives the printed DropTail row, in seconds."""
_UNLIMITED = 1000
"""A window that never limits, in packets."""
_SWEEP_DURATION, _SWEEP_WARM_UP = 60.0, 20.0
_LONGEST_RTT, _SHORTEST_RTT = 140, 100
_COARSE = 4
"""RED's row does not depend on the round trip: every fourth millisecond is enough."""
_SPREADS = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_JITTERS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)


@dataclass(frozen=True)
class Point:
    """One network of the table or of a curve."""

    sweep: str
    """A key of :data:`SWEEPS`, ``table``, or ``window``."""
    queue: str
    x: float
    """Milliseconds; the round trip for the table; packets for the window."""
    network: Dumbbell | Scenario

    @property
    def name(self) -> str:
        """Unique among all points."""
        return f"{self.sweep}/{self.queue}/{self.x:g}"


def table_points() -> list[Point]:
    """Table III at the round trip that gives it, CBR in phase, over the whole 320 s, with the window of all
    other scenarios and with an unlimited one; and two points of the curves to judge it by: half a period less
    of round trip, and CBR flows in no phase.
    """
    points = []
    for queue in QUEUES:
        whole = _network(queue, duration=net.DURATION, warm_up=net.START)
        points.append(Point("table", queue, 1e3 * _TABLE_RTT, whole))
        unlimited = _network(queue, duration=net.DURATION, warm_up=net.START, window=_UNLIMITED)
        points.append(Point("window", queue, _UNLIMITED, unlimited))
        points.append(Point("rtt", queue, _SHORTEST_RTT, _network(queue, rtt=_SHORTEST_RTT / 1e3)))
        points.append(Point("spread", queue, 1e3 * net.CBR_PERIOD, _network(queue, spread=net.CBR_PERIOD)))
    return points


def sweep_points() -> Iterator[Point]:
    """The curves."""
    for queue in QUEUES:
        step = _COARSE if queue == "red" else 1
        for milliseconds in range(_SHORTEST_RTT, _LONGEST_RTT + 1, step):
            yield Point("rtt", queue, milliseconds, _network(queue, rtt=milliseconds / 1e3))
        for spread in _SPREADS:
            yield Point("spread", queue, spread, _network(queue, spread=spread / 1e3))
        for jitter in _JITTERS:
            yield Point("tcp-jitter", queue, jitter, _jittered(_network(queue), "t", jitter / 1e3))
            yield Point("cbr-jitter", queue, jitter, _jittered(_network(queue), "c", jitter / 1e3))


def measure_points(points: Sequence[Point], flows: pa.Table, ports: pa.Table) -> pa.Table:
    """One row a run: TCP's share of delivered bytes and the drop rate at the bottleneck, in %."""
    bottleneck = ports.filter(pc.field("port") == "r0->r1")
    parts = []
    for point in points:
        runs = bottleneck.filter(pc.field("variant") == point.name)
        own = flows.filter(pc.field("variant") == point.name)
        seeds = values(runs["seed"]).astype(np.int64)
        is_tcp = np.array([name.startswith("t") for name in own["flow"].to_pylist()])
        wire = np.where(is_tcp, net.PACKET_BYTES + 40, net.PACKET_BYTES)
        received = (values(own["packets_received"]).astype(np.float64) * wire).reshape(len(seeds), -1)
        tcp = (received * is_tcp.reshape(len(seeds), -1)).sum(axis=1) / received.sum(axis=1)
        drops, arrivals = (values(runs[f"packets_{what}"]).astype(float) for what in ("dropped", "arrived"))
        parts.append(_rows(point.sweep, point.queue, point.x, seeds, 100 * tcp, 100 * drops / arrivals))
    return pa.concat_tables(parts)


def ns2_points(file: Path) -> pa.Table:
    """The same from runs of ns-2: the curves that its table of runs has."""
    from parshall.validate.statistics.baselines import load_study

    parts = []
    kinds = {"DT": "droptail", "RED60": "red-full"}
    for baseline in load_study(file.parent.parent, "1b"):
        head, _, change = baseline.label.partition(": ")
        queue = kinds.get(head.removeprefix("sens "))
        settings = baseline.settings
        rtt = 2 * settings.number("delay") + 4 * settings.number("adelay")
        places = {
            "access delay": ("rtt", 1e3 * rtt),
            "CBR start jitter": ("spread", 1e3 * settings.number("cbrjitter")),
            "TCP overhead_": ("tcp-jitter", 1e3 * settings.number("overhead")),
        }
        found = [place for key, place in places.items() if change.startswith(key)]
        if queue is None or not found:
            continue
        sweep, x = found[0]
        share, drops = (baseline.outcomes[key] for key in ("tcp_share_delivered", "drop_rate"))
        seeds = np.arange(1, len(share) + 1)
        parts.append(_rows(sweep, queue, round(x, 6), seeds, 100 * np.array(share), 100 * np.array(drops)))
    return pa.concat_tables(parts)


def _rows(
    sweep: str, queue: str, x: float, seeds: np.ndarray, tcp_share: np.ndarray, drop_rate: np.ndarray
) -> pa.Table:
    count = len(seeds)
    return pa.table(
        {
            "sweep": [sweep] * count,
            "queue": [queue] * count,
            "x": [float(x)] * count,
            "seed": seeds,
            "tcp_share": tcp_share,
            "drop_rate": drop_rate,
        }
    )


def _network(
    queue: str,
    *,
    rtt: float = _TABLE_RTT,
    spread: float = 0.0,
    duration: float = _SWEEP_DURATION,
    warm_up: float = _SWEEP_WARM_UP,
    window: int = net.WINDOW,
) -> Dumbbell:
    return net.single(
        [net.responsive(transport=net.tcp(window=window)), net.cbr(_CBRS, spread=spread)],
        rtt=rtt,
        queue=_queue(queue),
        duration=duration,
        warm_up=warm_up,
        sampling=None,
    )


def _queue(name: str) -> DropTail | Red:
    if name == "droptail":
        return DropTail(limit_packets=net.BUFFER)
    return net.red() if name == "red" else net.red(net.BUFFER, net.BUFFER)


def _jittered(network: Dumbbell, flows: str, most: float) -> Scenario:
    """The same with a random delay on the access links of the flows whose names start so; no overtaking."""
    whole = network.scenario()
    if most == 0:
        return whole
    sources = {flow.source for flow in whole.flows if flow.name.startswith(flows)}
    links = [
        link.model_copy(update={"jitter": Jitter(most=most)}) if link.between[0] in sources else link
        for link in whole.links
    ]
    return whole.model_copy(update={"links": tuple(links)})
