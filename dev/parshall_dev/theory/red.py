"""RED in equilibrium: the average queue and the drop rate that flows settle at lie on the drop curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parshall.engine.measure import measure
from parshall.scenario import Bulk, Dumbbell, FlowGroup, Record, Red, Series, Tcp
from parshall.stats import mean_interval
from parshall.theory.red_law import red_drop_rate, red_mean_gap, red_probability, replayed_drop_rate
from parshall_dev.theory.comparison import Comparison, Curve, Panel, Point, PointSeries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

__all__ = ["Met", "compare", "packets_met", "scenario"]

LOW, HIGH, MOST, LIMIT = 10.0, 90.0, 0.1, 400
WEIGHT = 0.002
MEAN_PACKET = 1000
RATE = 10e6
FLOWS = (6, 10, 15, 20, 30, 40)
DURATION, WARM_UP = 120.0, 20.0
PORT = 0
SAMPLE_EVERY = 0.00317


def scenario(flows: int, *, wait: bool, duration: float = DURATION) -> Dumbbell:
    """Bulk SACK flows with round-trip times of 40 to 80 ms besides queueing, through RED."""
    delays = np.linspace(0.005, 0.015, flows)
    return Dumbbell(
        duration=duration,
        warm_up=WARM_UP,
        rate=RATE,
        delay="10 ms",
        queue=Red(
            min_threshold_packets=LOW,
            max_threshold_packets=HIGH,
            limit_packets=LIMIT,
            max_probability=MOST,
            weight=WEIGHT,
            mean_packet_bytes=MEAN_PACKET,
            wait=wait,
        ),
        access_rate="100 Mbit/s",
        access_delay="5 ms",
        flows=[
            FlowGroup(
                count=flows,
                transport=Tcp(recovery="sack"),
                app=Bulk(),
                start_spread="2 s",
                access_delay=[float(delay) for delay in delays],
            )
        ],
        record=Record(packets="bottleneck", port_series=Series(of="bottleneck", interval=SAMPLE_EVERY)),
    )


@dataclass(frozen=True)
class Met:
    """State that each arriving packet met at a port."""

    time: NDArray[np.float64]
    """When it arrived, in seconds."""
    waiting: NDArray[np.int64]
    """Packets that waited; the one in transmission does not count."""
    idle: NDArray[np.float64]
    """Time for which the port had been idle, in seconds."""

    def averages(self, weight: float, idle_packets_per_second: float) -> NDArray[np.float64]:
        """The average queue that RED held after each arrival.

        After an idle time it is as if so many packets had found the queue empty (Floyd and Jacobson 1993,
        section 4).
        """
        kept = (1 - weight) ** (1 + np.floor(self.idle * idle_packets_per_second))
        averages, average = np.empty(len(self.time)), 0.0
        for index, (keep, waiting) in enumerate(zip(kept.tolist(), self.waiting.tolist(), strict=True)):
            average = keep * average + weight * waiting
            averages[index] = average
        return averages


def packets_met(packets: Mapping[str, Any], port: int = PORT, rate: float = RATE) -> Met:
    """State that arrivals met, from the table of packet events at a first-in-first-out port of this rate."""
    here = packets["port"] == port
    times, events = packets["time"][here], packets["event"][here]
    arrived, departed, dropped = (times[events == code] for code in (0, 1, 2))
    before = np.arange(len(arrived)) - np.searchsorted(dropped, arrived, side="left")
    # A departure at the instant of an arrival is that packet's own when the port was idle.
    left = np.minimum(np.searchsorted(departed, arrived, side="right"), before)
    done = departed + 8 * packets["size_bytes"][here][events == 1] / rate
    free_since = np.concatenate(([0.0], done))[left]
    idle = np.where(before == left, np.maximum(arrived - free_since, 0.0), 0.0)
    return Met(arrived, before - left, idle)


class _Run(NamedTuple):
    """Kept figures of a run."""

    average: float
    drop_rate: float
    outside: float
    """Share of arrivals that found the average outside the line, or no more than a packet waiting."""
    replayed: float
    """Share dropped when RED's rule is replayed; NaN where it was not."""
    little: tuple[float, float]


def compare(seeds: int, jobs: int | None) -> tuple[Comparison, list[tuple[float, float]]]:
    """With and without ns-2's option ``wait``; and (sampled backlog, Little's product) of every run."""
    settings = [(wait, flows) for wait in (True, False) for flows in FLOWS]

    def equilibrium(setting: tuple[bool, int], run: Recording) -> _Run:
        draws = settings.index(setting) * seeds + run.seed
        return _equilibrium(run, draws, wait=setting[0], replay=setting[1] == FLOWS[0])

    networks = {(wait, flows): scenario(flows, wait=wait) for wait, flows in settings}
    tables = ("flows", "ports", "port_series", "packets")
    found = measure(networks, range(seeds), equilibrium, tables=tables, jobs=jobs, cache=None)
    kept = [run for setting in settings for run in found[setting]]
    points: dict[bool, list[Point]] = {True: [], False: []}
    facts = _facts()
    for wait, flows in settings:
        runs = found[wait, flows]
        average = float(np.mean([run.average for run in runs]))
        point = Point(average, _law(average, wait=wait), mean_interval([run.drop_rate for run in runs]))
        points[wait].append(point)
        if flows == FLOWS[0]:
            kind = "wait" if wait else "plain"
            facts[f"replayed_{kind}"] = f"{float(np.mean([run.replayed for run in runs])):.5f}"
            facts[f"measured_{kind}"] = f"{point.measured.mean:.5f}"
            facts[f"law_{kind}"] = f"{point.law:.5f}"
    outside = np.mean(np.reshape([run.outside for run in kept], (len(settings), seeds)), axis=1)
    facts["outside"] = f"{100 * float(np.max(outside)):.1f}"
    series = tuple(
        PointSeries(f"{'wait' if wait else 'no wait'}, {FLOWS[0]} to {FLOWS[-1]} flows", tuple(points[wait]))
        for wait in (True, False)
    )
    comparison = Comparison("red", "RED on its drop curve", (_panel(series),), len(kept), facts)
    return comparison, [run.little for run in kept]


def _equilibrium(run: Recording, draws: int, *, wait: bool, replay: bool) -> _Run:
    """Measures where a run settled; ``draws`` seeds the replay."""
    from parshall_dev.theory.little import backlog_and_product

    arrivals = packets_met(run.columns("packets"))
    counted = arrivals.time >= WARM_UP
    averages = arrivals.averages(WEIGHT, RATE / (8 * MEAN_PACKET))[counted]
    met = arrivals.waiting[counted]
    replayed = math.nan
    if replay:
        random = np.random.default_rng(draws).uniform(size=len(averages))
        replayed = replayed_drop_rate(averages, met, random, LOW, HIGH, MOST, wait=wait)
    ports = run.columns("ports")
    return _Run(
        average=float(np.mean(averages)),
        drop_rate=int(ports["packets_dropped"][PORT]) / int(ports["packets_arrived"][PORT]),
        outside=float(np.mean((averages < LOW) | (averages >= HIGH) | (met <= 1))),
        replayed=replayed,
        little=backlog_and_product(run, PORT),
    )


def _law(average: float, *, wait: bool) -> float:
    return red_drop_rate(red_probability(average, LOW, HIGH, MOST), wait=wait)


def _panel(series: tuple[PointSeries, ...]) -> Panel:
    x = tuple(float(average) for average in np.linspace(LOW + 0.5, HIGH - 0.5, 160))
    curves = (
        Curve("law with wait", x, tuple(_law(average, wait=True) for average in x)),
        Curve("law without wait", x, tuple(_law(average, wait=False) for average in x)),
        Curve("p by the average alone", x, tuple(red_probability(average, LOW, HIGH, MOST) for average in x)),
    )
    return Panel("RED in equilibrium", "average queue, packets", "share of arrivals dropped", curves, series)


def _facts() -> dict[str, str]:
    return {
        "low": f"{LOW:g}",
        "high": f"{HIGH:g}",
        "most": f"{MOST:g}",
        "weight": f"{WEIGHT:g}",
        "gap_wait": f"{red_mean_gap(0.05):.1f}",
        "gap_plain": f"{red_mean_gap(0.05, wait=False):.1f}",
        "rate_wait": f"{red_drop_rate(0.05):.4f}",
        "rate_plain": f"{red_drop_rate(0.05, wait=False):.4f}",
    }
