"""Poisson arrivals at a link: M/D/1, and M/G/1 with sizes that are nearly exponential."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parshall.scenario import Flow, Record, Schedule, Udp
from parshall.scenario import Series as Sampled
from parshall.stats import mean_interval
from parshall.theory.comparison import Comparison, Curve, Panel, Point, Series
from parshall.theory.queue_laws import md1_wait, mm1_wait, pollaczek_khinchine_wait
from parshall.theory.runs import SENDER_PORT, one_link, run_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.tables import Result

__all__ = ["arrivals", "compare", "exponential_sizes", "scenario_json"]

RATE = 10e6
MEAN_BYTES = 1250
SERVICE = 8 * MEAN_BYTES / RATE
HEADER = 28
LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CLASSES = 50
PACKETS = 30_000
"""Arrivals of a run, on the average."""
WARM_UP = 0.05
"""Share of a run that is not counted; the queue forgets its start in far less at these loads."""
SAMPLE_EVERY = 2.7183 * SERVICE
"""Between samples of the backlog; not a multiple of a service time, so that nothing beats."""


def exponential_sizes(mean: int = MEAN_BYTES, classes: int = CLASSES) -> list[int]:
    """Packet sizes of equal probability: the means of the exponential law's quantile classes, in bytes.

    No size is below a header and a byte.
    """
    edges = np.arange(classes) / classes
    # The integral of x exp(-x) from x on is (x + 1) exp(-x), where exp(-x) is what the edge leaves above it.
    above = np.append((1 - edges) * (1 - np.log1p(-edges)), 0.0)
    return [max(HEADER + 1, round(mean * classes * size)) for size in above[:-1] - above[1:]]


def arrivals(load: float, sizes: list[int], duration: float, seed: int) -> list[NDArray[np.float64]]:
    """Instants of independent Poisson streams, one for each size, that together offer ``load``.

    Drawn here, not by the engine, which has no Poisson source; whole picoseconds, as the engine counts.
    """
    random = np.random.default_rng([seed, round(1000 * load), len(sizes)])
    rate = load * RATE / (8 * float(np.mean(sizes))) / len(sizes)
    counts = random.poisson(rate * duration, len(sizes))
    return [np.sort(np.round(random.uniform(0, duration, count), 12)) for count in counts]


def scenario_json(times: list[NDArray[np.float64]], sizes: list[int], duration: float) -> str:
    """Canonical JSON of a link with one flow a size; the writes are put in as text, since they are many."""
    flows = [
        Flow(
            name=f"f{index}",
            source="sender",
            destination="receiver",
            transport=Udp(payload_bytes=size - HEADER, header_bytes=HEADER),
            app=Schedule(writes=[(0.0, 1)]),
        )
        for index, size in enumerate(sizes)
    ]
    record = Record(port_series=Sampled(of="link", interval=SAMPLE_EVERY))
    network = one_link(flows, duration=duration, rate=RATE, warm_up=WARM_UP * duration, record=record)
    plain = json.loads(network.to_json())
    by_name = {flow["name"]: flow for flow in plain["flows"]}
    for index, instants in enumerate(times):
        by_name[f"f{index}"]["app"]["writes"] = [[instant, 1] for instant in instants.tolist()]
    return json.dumps(plain)


def compare(seeds: int, threads: int | None) -> tuple[Comparison, list[tuple[float, float]]]:
    """Both queues over load; and (sampled backlog, Little's product) of every run."""
    laws = {"M/D/1": [MEAN_BYTES], "M/G/1": exponential_sizes()}
    settings = [(name, load) for name in laws for load in LOADS]
    delays: list[float] = []
    pairs: list[tuple[float, float]] = []
    for name, load in settings:
        sizes = laws[name]
        duration = PACKETS * SERVICE / load
        jobs = [
            (scenario_json(arrivals(load, sizes, duration, seed), sizes, duration), seed)
            for seed in range(seeds)
        ]
        service = 8 * float(np.mean(sizes)) / RATE
        counted = duration * (1 - WARM_UP)
        for delay, pair in run_each(jobs, partial(_waited, counted), threads):
            delays.append(delay - service)
            pairs.append(pair)
    waits = 1e3 * np.reshape(delays, (len(settings), seeds))
    points = {
        (name, load): Point(load, 1e3 * _law(load, laws[name]), mean_interval(row))
        for (name, load), row in zip(settings, waits, strict=True)
    }
    panels = tuple(_panel(name, sizes, points) for name, sizes in laws.items())
    comparison = Comparison("queues", "Poisson arrivals", panels, len(delays), _facts(laws["M/G/1"]))
    return comparison, pairs


def _waited(counted: float, _: int, result: Result) -> tuple[float, tuple[float, float]]:
    from parshall.theory.little import backlog_and_product

    return float(result["ports"]["mean_delay"][SENDER_PORT]), backlog_and_product(
        result, SENDER_PORT, counted
    )


def _law(load: float, sizes: list[int]) -> float:
    services = 8 * np.asarray(sizes) / RATE
    return pollaczek_khinchine_wait(load / float(np.mean(services)), services)


def _panel(name: str, sizes: list[int], points: dict[tuple[str, float], Point]) -> Panel:
    x = tuple(float(load) for load in np.linspace(LOADS[0], LOADS[-1], 81))
    series = Series("measured", tuple(points[name, load] for load in LOADS))
    if name == "M/D/1":
        curves: tuple[Curve, ...] = (Curve("M/D/1", x, tuple(1e3 * md1_wait(load, SERVICE) for load in x)),)
        title = "One packet size: M/D/1"
    else:
        curves = (
            Curve("M/G/1 for this mix", x, tuple(1e3 * _law(load, sizes) for load in x)),
            Curve("M/M/1", x, tuple(1e3 * mm1_wait(load, SERVICE) for load in x)),
        )
        title = f"{len(sizes)} packet sizes: M/G/1, near M/M/1"
    return Panel(title, "load", "mean wait, ms", curves, (series,))


def _facts(sizes: list[int]) -> dict[str, str]:
    services = 8 * np.asarray(sizes) / RATE
    ratio = pollaczek_khinchine_wait(0.5 / float(np.mean(services)), services) / mm1_wait(0.5, SERVICE)
    return {
        "rate": f"{RATE / 1e6:g}",
        "bytes": str(MEAN_BYTES),
        "service_ms": f"{1e3 * SERVICE:g}",
        "classes": str(len(sizes)),
        "smallest": str(min(sizes)),
        "largest": str(max(sizes)),
        "below_mm1": f"{100 * (1 - ratio):.1f}",
        "packets": f"{PACKETS:,}",
    }
