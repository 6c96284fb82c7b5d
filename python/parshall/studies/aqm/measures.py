"""What is measured of a run, with the document's own definitions: one function of the recording a metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.studies.aqm.networks import PACKET_BYTES, RTT, starts_of_probes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

    Reals = NDArray[np.float64]

__all__ = ["CLASSES", "METRICS", "Metric"]

Metric = Callable[["Recording"], float]
"""A number of a run; NaN where there is nothing that it could be of."""

CLASSES: Mapping[str, str] = {"ltrf": "t", "ltnrf": "c", "stf": "sp"}
"""Classes of flows, and the letters that their names start with."""

_BOTTLENECK = 0
"""The first link of the network, and its forward direction the first port. A recording finds it by name
too, but looks at all of up to 8,000 links for that.
"""
_PERCENTILE = 0.95


@lru_cache(maxsize=32)
def _members(flows: tuple[str, ...]) -> dict[str, NDArray[np.bool_]]:
    """Which flows belong to each class; runs of one scenario share their names."""
    return {
        name: np.array([flow[0] in letters for flow in flows], dtype=np.bool_)
        for name, letters in CLASSES.items()
    }


def _count(run: Recording, what: str, *classes: str) -> float:
    """A counter of the flows of some classes together."""
    column = run.columns("flows")[what]
    members = _members(run.flows)
    return float(sum(column[members[name]].sum() for name in classes))


def _capacity(run: Recording) -> float:
    """Bit/s of the bottleneck."""
    return run.scenario.links[_BOTTLENECK].rate


def _at_bottleneck(run: Recording, what: str) -> float:
    """A column of the bottleneck's port."""
    return float(run.columns("ports")[what][_BOTTLENECK])


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else float("nan")


def _throughput(run: Recording, *classes: str) -> float:
    """Payload that reached its host, as a share of the capacity."""
    bits = 8 * PACKET_BYTES * _count(run, "packets_received", *classes)
    return bits / run.counted_seconds / _capacity(run)


def _normalized(run: Recording) -> float:
    """Total TCP Throughput / (Total TCP Throughput + Total UDP Throughput), of long flows (IV.A.4)."""
    return _ratio(_throughput(run, "ltrf"), _throughput(run, "ltrf", "ltnrf"))


def _delay(run: Recording) -> float:
    """Mean over packets of the time at the bottleneck, transmission included, in seconds."""
    return _at_bottleneck(run, "mean_delay")


def _delay_sd(run: Recording) -> float:
    """Standard deviation over time of backlog / capacity, in seconds."""
    series = run.columns("port_series")
    backlog = series["backlog_bytes"][series["time"] >= run.scenario.warm_up].astype(np.float64)
    return float(backlog.std()) * 8 / _capacity(run)


def _drop_rate(run: Recording, *classes: str) -> float:
    """Drops over drops and receipts."""
    dropped = _count(run, "packets_dropped", *classes)
    return _ratio(dropped, dropped + _count(run, "packets_received", *classes))


def _mark_rate(run: Recording) -> float:
    """Marks per TCP packet that passed."""
    return _ratio(_at_bottleneck(run, "packets_marked"), _count(run, "packets_received", "ltrf", "stf"))


def _response_times(run: Recording) -> Reals:
    """Seconds that the timed transfers took; one that was not over at the end had lasted until then."""
    starts = starts_of_probes(run.scenario)
    probes = np.array([name in starts for name in run.flows], dtype=np.bool_)
    ends: Any = run.columns("flows")["completed_at"][probes]
    lasted: Reals = np.where(np.isfinite(ends), ends, run.scenario.duration) - np.array([*starts.values()])
    return lasted


def _response_mean(run: Recording) -> float:
    times = _response_times(run)
    return float(times.mean()) if times.size else float("nan")


def _response_p95(run: Recording) -> float:
    times = _response_times(run)
    return float(np.quantile(times, _PERCENTILE)) if times.size else float("nan")


def _estimated_share(run: Recording) -> float:
    """What tuned RED takes the share of non-responsive packets to be, on the average over its estimates."""
    if run.scenario.record.responsiveness is None:
        return float("nan")
    estimates = run.columns("responsiveness")
    share = estimates["share"][estimates["time"] > run.scenario.warm_up]
    return float(np.nanmean(share)) if np.isfinite(share).any() else float("nan")


METRICS: Mapping[str, Metric] = {
    "ltrf": lambda run: _throughput(run, "ltrf"),
    "ltnrf": lambda run: _throughput(run, "ltnrf"),
    "stf": lambda run: _throughput(run, "stf"),
    "utilization": lambda run: _throughput(run, *CLASSES),
    "normalized": _normalized,
    "delay": _delay,
    "relative_delay": lambda run: _delay(run) / RTT,
    "delay_sd": _delay_sd,
    "drop": lambda run: _drop_rate(run, *CLASSES),
    "ltrf_drop": lambda run: _drop_rate(run, "ltrf"),
    "ltnrf_drop": lambda run: _drop_rate(run, "ltnrf"),
    "stf_drop": lambda run: _drop_rate(run, "stf"),
    "mark": _mark_rate,
    "response_mean": _response_mean,
    "response_p95": _response_p95,
    "estimated_share": _estimated_share,
}
"""By the name of the column. Throughputs and the utilisation are shares of the capacity, delays and response
times are in seconds, the relative delay in propagation round trips, the others are rates and shares."""
