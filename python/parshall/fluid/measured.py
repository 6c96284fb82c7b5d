"""What runs of packets show of the quantities that the fluid model has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parshall.stats import Interval, mean_interval
from parshall.theory.runs import run_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.fluid.setting import Setting
    from parshall.tables import Result

    Reals = NDArray[np.float64]

__all__ = ["SAMPLE_EVERY", "Measured", "busiest_frequency", "measure", "queues"]

SAMPLE_EVERY = 0.01
"""Seconds between samples of a queue."""
_PORT = 0
_SEGMENT = 1024
_SLOWEST = 0.3


class Measured(NamedTuple):
    """Means over runs, with their intervals."""

    share: Interval
    """Of arrivals at the bottleneck, what CBR sends."""
    loss: Interval
    """Share of arrivals dropped."""
    queue: Interval
    """Mean backlog in packets, the one in transmission included."""
    window: Interval
    """Packets that a TCP flow sends in a round trip."""
    timeouts: Interval
    """Timeouts for each dropped packet of TCP."""


def measure(
    settings: Sequence[Setting],
    seeds: int,
    threads: int | None,
    duration: float = 120.0,
    warm_up: float = 20.0,
) -> list[Measured]:
    """Each setting over so many seeds; counters from the warm-up on."""
    networks = [setting.scenario(duration, warm_up).to_json() for setting in settings]
    jobs = [(network, seed) for network in networks for seed in range(seeds)]
    span = duration - warm_up

    def keep(index: int, result: Result) -> tuple[float, ...]:
        return _figures(result, settings[index // seeds], span)

    runs = run_each(jobs, keep, threads)
    rows = [np.array(runs[first : first + seeds]).T for first in range(0, len(runs), seeds)]
    return [Measured(*(mean_interval(values) for values in row)) for row in rows]


def queues(
    setting: Setting,
    seeds: int,
    threads: int | None,
    duration: float,
    cbr_between: tuple[float, float] | None = None,
) -> tuple[Reals, Reals]:
    """Instants, and the backlog of each run at them, one run a row."""
    network = setting.scenario(duration, 0.0, sample_every=SAMPLE_EVERY, cbr_between=cbr_between).to_json()

    def keep(_: int, result: Result) -> tuple[Reals, Reals]:
        series = result["port_series"]
        return np.asarray(series["time"]), np.asarray(series["backlog_packets"], dtype=float)

    runs = run_each([(network, seed) for seed in range(seeds)], keep, threads)
    return runs[0][0], np.array([backlog for _, backlog in runs])


def busiest_frequency(backlogs: Reals, interval: float = SAMPLE_EVERY) -> float:
    """Where the mean power spectrum of these series is highest, per second (Welch's method)."""
    from scipy.signal import welch

    frequencies, power = welch(backlogs, fs=1 / interval, nperseg=min(_SEGMENT, backlogs.shape[-1]))
    mean = np.atleast_2d(power).mean(axis=0)
    mean[frequencies < _SLOWEST] = 0.0  # slow wander is no swing
    return float(frequencies[int(np.argmax(mean))])


def _figures(result: Result, setting: Setting, span: float) -> tuple[float, ...]:
    flows, ports = result["flows"], result["ports"]
    sent = np.asarray(flows["packets_sent"], dtype=float)
    tcp = slice(0, setting.tcp)
    delay = float(ports["mean_delay"][_PORT])
    dropped = float(np.sum(np.asarray(flows["packets_dropped"])[tcp]))
    return (
        float(sent[setting.tcp :].sum() / sent.sum()),
        float(ports["packets_dropped"][_PORT]) / float(ports["packets_arrived"][_PORT]),
        delay * float(ports["packets_departed"][_PORT]) / span,  # Little's law
        float(sent[tcp].sum()) / span * (setting.round_trip + delay) / setting.tcp,
        float(np.sum(np.asarray(flows["timeouts"])[tcp])) / max(dropped, 1.0),
    )
