"""Table III, and what it hangs on: round-trip time, start spread of the CBR flows, per-packet jitter.

A CBR flow of 1 Mbit/s sends every 8 ms. When all start at one instant their packets come in bursts, and a TCP
packet returns a round trip after the one that clocked it: where the round trip is a multiple of 8 ms it meets
the same place in the queue again. Every curve here moves away from that coincidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import DropTail, Jitter, Red, Scenario
from parshall_studies import study as st
from parshall_studies.baselines import NS2_RUNS
from parshall_studies.nonresponsive import networks as net

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.recording import Recording
    from parshall.scenario import Dumbbell

DIMS = ("sweep", "queue", "x")
DATA = (
    st.Data(
        "results/study1b.csv",
        "e8b71c287fd027331c73e0f6879883526612017ced49627d1f483ef10cd2b57b",
        "Points of ns-2 in the curves around Table III",
        NS2_RUNS,
    ),
)
"""ns-2's table of runs."""

QUEUES: Mapping[str, str] = {"droptail": "DropTail", "red": "RED(15, 45, 0.1)", "red-full": "RED(60, 60)"}
"""Rows of Table III. In the third, both thresholds are the buffer's size."""
SWEEPS: Mapping[str, str] = {
    "rtt": "round-trip time (ms)",
    "spread": "spread of CBR starts (ms)",
    "tcp-jitter": "jitter of TCP packets (ms)",
    "cbr-jitter": "jitter of CBR packets (ms)",
}
"""Varied quantity, as an axis calls it."""

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


def measure(bench: st.Workbench, sweep_seeds: Sequence[int]) -> st.Measures:
    """The table over all seeds, the curves over some, and ns-2's points of the curves where they are at
    hand.
    """
    tables: dict[str, pa.Table] = {}
    for name, what, points, seeds in (
        ("table_3", "Runs, Table III", table_points(), bench.seeds),
        ("phase", "Runs, phase effect", list(sweep_points()), sweep_seeds),
    ):
        variants = {(each.sweep, each.queue, float(each.x)): each.network for each in points}
        tables |= bench.measure(
            what, variants, lambda _, run: of_run(run), table=name, dims=DIMS, seeds=seeds
        )
    if DATA[0].path in bench.files:
        tables["phase_ns2"] = ns2_points(bench.files[DATA[0].path])
    return tables


def of_run(run: Recording) -> dict[str, float]:
    """TCP's share of delivered bytes and the drop rate at the bottleneck, in %."""
    is_tcp = np.array([name.startswith("t") for name in run.flows])
    wire = np.where(is_tcp, net.PACKET_BYTES + 40, net.PACKET_BYTES)
    received = run.columns("flows")["packets_received"].astype(np.float64) * wire
    port = run.port("r0->r1")
    return {
        "tcp_share": 100 * (received * is_tcp).sum() / received.sum(),
        "drop_rate": 100 * port.packets_dropped / port.packets_arrived,
    }


def ns2_points(file: Path) -> pa.Table:
    """Points from runs of ns-2: the curves that its table of runs has."""
    from parshall_studies.baselines import load_study

    rows: list[tuple[Any, ...]] = []
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
        if queue is not None and found:
            shares = baseline.outcomes["tcp_share_delivered"]
            rows.append((found[0][0], queue, round(found[0][1], 6), 100 * float(np.mean(shares))))
    names = (*DIMS, "tcp_share")
    return st.tidy(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), DIMS)


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
    """A network with a random delay on the access links of the flows whose names start so; no overtaking."""
    whole = network.scenario()
    if most == 0:
        return whole
    sources = {flow.source for flow in whole.flows if flow.name.startswith(flows)}
    links = [
        link.model_copy(update={"jitter": Jitter(most=most)}) if link.between[0] in sources else link
        for link in whole.links
    ]
    return whole.model_copy(update={"links": tuple(links)})
