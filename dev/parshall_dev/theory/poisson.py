"""Poisson arrivals at a link: M/D/1, and M/G/1 with sizes that are nearly exponential."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from parshall.engine.measure import measure
from parshall.scenario import Flow, Record, Schedule, Series, Udp
from parshall.stats import mean_interval
from parshall.theory.queue_laws import md1_wait, mm1_wait, pollaczek_khinchine_wait
from parshall_dev.theory.comparison import Comparison, Curve, Panel, Point, PointSeries
from parshall_dev.theory.network import SENDER_PORT, one_link

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall.scenario import Scenario

__all__ = ["arrivals", "compare", "exponential_sizes", "scenario"]

RATE = 10e6
MEAN_BYTES = 1250
SERVICE = 8 * MEAN_BYTES / RATE
HEADER = 28
LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CLASSES = 50
PACKETS = 30_000
"""Arrivals of a run, on average."""
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


def scenario(times: list[NDArray[np.float64]], sizes: list[int], duration: float) -> Scenario:
    """A link with one flow a size. The writes are many, and right: nothing checks them one by one."""
    flows = [
        Flow(
            name=f"f{index}",
            source="sender",
            destination="receiver",
            transport=Udp(payload_bytes=size - HEADER, header_bytes=HEADER),
            app=Schedule.known(writes=tuple((instant, 1) for instant in instants.tolist())),
        )
        for index, (size, instants) in enumerate(zip(sizes, times, strict=True))
    ]
    record = Record(port_series=Series(of="link", interval=SAMPLE_EVERY))
    return one_link(flows, duration=duration, rate=RATE, warm_up=WARM_UP * duration, record=record)


def compare(seeds: int, jobs: int | None) -> tuple[Comparison, list[tuple[float, float]]]:
    """Both queues over load; and (sampled backlog, Little's product) of every run."""
    laws = {"M/D/1": [MEAN_BYTES], "M/G/1": exponential_sizes()}
    runs = [(name, load, seed) for name in laws for load in LOADS for seed in range(seeds)]

    def network(name: str, load: float, seed: int) -> Scenario:
        duration = PACKETS * SERVICE / load
        return scenario(arrivals(load, laws[name], duration, seed), laws[name], duration)

    networks = {run: partial(network, *run) for run in runs}
    found = measure(
        networks,
        {run: [run[2]] for run in runs},
        lambda _, run: _waited(run),
        tables=("flows", "ports", "port_series"),
        jobs=jobs,
        cache=None,
    )
    waits: dict[tuple[str, float], list[float]] = {}
    for name, load, seed in runs:
        service = 8 * float(np.mean(laws[name])) / RATE
        waits.setdefault((name, load), []).append(1e3 * (found[name, load, seed][0][0] - service))
    points = {
        (name, load): Point(load, 1e3 * _law(load, laws[name]), mean_interval(row))
        for (name, load), row in waits.items()
    }
    panels = tuple(_panel(name, sizes, points) for name, sizes in laws.items())
    comparison = Comparison("queues", "Poisson arrivals", panels, len(runs), _facts(laws["M/G/1"]))
    return comparison, [found[run][0][1] for run in runs]


def _waited(run: Recording) -> tuple[float, tuple[float, float]]:
    """The mean delay, and what Little's law is about."""
    from parshall_dev.theory.little import backlog_and_product

    return float(run.columns("ports")["mean_delay"][SENDER_PORT]), backlog_and_product(run, SENDER_PORT)


def _law(load: float, sizes: list[int]) -> float:
    services = 8 * np.asarray(sizes) / RATE
    return pollaczek_khinchine_wait(load / float(np.mean(services)), services)


def _panel(name: str, sizes: list[int], points: dict[tuple[str, float], Point]) -> Panel:
    x = tuple(float(load) for load in np.linspace(LOADS[0], LOADS[-1], 81))
    series = PointSeries("measured", tuple(points[name, load] for load in LOADS))
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
