"""Measures of runs in which the share that does not respond crosses the threshold of tuned RED."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from parshall.stats import mean
from parshall_studies.aqm.networks import PACKET_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall_studies.aqm.grid import Part

    Reals = NDArray[np.float64]
    Span: TypeAlias = tuple[float, float]

RECORDED = ("flows", "port_series", "flow_series", "red_tuning")
SETTLING = 20.0
"""Seconds after a change of the load that are not counted."""


def of_run(part: Part, run: Recording) -> dict[str, float]:
    """Measures of the surge, and of the quiet time before and after it: what long TCP flows get, as a
    share of the capacity, and the mean queueing delay in seconds. Of tuned RED also in how many estimates
    thresholds have moved half way or more, how often that changes in a minute of a steady load, and how many
    seconds it takes to move and to return; NaN where nothing is tuned.
    """
    begin, end = part.surge or (0.0, part.duration)
    surge = [(begin + SETTLING, end)]
    quiet = [(part.warm_up, begin), (end + SETTLING, part.duration)]
    moved = _moved(run)
    return {
        "ltrf_surge": _throughput(run, surge),
        "ltrf_quiet": _throughput(run, quiet),
        "delay_surge": _delay(run, surge),
        "delay_quiet": _delay(run, quiet),
        "moved_surge": _mean_of(moved, surge),
        "moved_quiet": _mean_of(moved, quiet),
        "changes": _changes(moved, [*surge, *quiet]),
        "seconds_to_move": _until(moved, begin, end, 1.0),
        "seconds_to_return": _until(moved, end, part.duration, 0.0),
    }


def _moved(run: Recording) -> tuple[Reals, Reals]:
    """Times of estimates, and 1 where the thresholds have moved half way or more from then on."""
    if "red_tuning" not in run.tables:
        return np.empty(0), np.empty(0)
    queue: Any = run.scenario.links[0].queue
    rows = run.columns("red_tuning")
    least, limit = queue.min_threshold_packets, queue.limit_packets
    part = (rows["min_threshold_packets"] - least) / (limit - least)
    return rows["time"], (part >= 0.5).astype(float)


def _throughput(run: Recording, spans: Sequence[Span]) -> float:
    """Throughput of long TCP flows, as a share of the capacity."""
    series = run.columns("flow_series")
    long = np.array([name.startswith("t") for name in run.flows])[series["flow"]]
    times, places = np.unique(series["time"], return_inverse=True)
    totals = np.bincount(places, weights=long * series["packets_delivered"])
    delivered = sum(float(np.diff(np.interp(span, times, totals))[0]) for span in spans)
    seconds = sum(high - low for low, high in spans)
    return 8 * PACKET_BYTES * delivered / seconds / run.scenario.links[0].rate


def _delay(run: Recording, spans: Sequence[Span]) -> float:
    series = run.columns("port_series")
    backlog = series["backlog_bytes"][_within(series["time"], spans)]
    return 8 * float(backlog.mean()) / run.scenario.links[0].rate


def _mean_of(moved: tuple[Reals, Reals], spans: Sequence[Span]) -> float:
    time, state = moved
    return mean(state[_within(time, spans)])


def _changes(moved: tuple[Reals, Reals], spans: Sequence[Span]) -> float:
    """Changes a minute."""
    time, state = moved
    if not time.size:
        return math.nan
    found = sum(float(np.abs(np.diff(state[_within(time, [span])])).sum()) for span in spans)
    return 60 * found / sum(high - low for low, high in spans)


def _until(moved: tuple[Reals, Reals], start: float, end: float, wanted: float) -> float:
    """Seconds until the thresholds are there, or for all of the time."""
    time, state = moved
    if not time.size:
        return math.nan
    there = time[(time >= start) & (time < end) & (state == wanted)]
    return float(there[0] - start) if there.size else end - start


def _within(times: Reals, spans: Sequence[Span]) -> NDArray[np.bool_]:
    found = np.zeros(len(times), dtype=np.bool_)
    for low, high in spans:
        found |= (times >= low) & (times < high)
    return found
