"""Metrics: one number a run, by name or as a function.

    goodput                        of all flows together, bit/s; or any other quantity of flows, see below
    flow:PATTERN.QUANTITY          of the flows whose name fits, such as flow:tcp*.goodput
    port:NAME.QUANTITY             of a port, a->b or the name of its link, such as port:bottleneck.mean_delay
    flow:PATTERN.QUANTITY.p95      a statistic over flows or samples: min, max, median, mean, sum, or p and a
                                   number up to 100

Quantities of flows are the counters of the table ``flows``, summed, and ``goodput``, ``sending_rate``,
``loss_rate``, ``fairness``, ``completed_at`` and ``completion_time``, from a flow's start to its completion
(the mean of those that completed). With a statistic, a transfer that has not completed is later than all
others: the result is NaN where it would be that one. ``rtt`` and ``response_time`` (of transfers) are of
recorded samples. Quantities of a port are the columns of the table ``ports``, and ``throughput``,
``utilization``, ``drop_rate``, ``loss_rate`` and ``mark_rate``; of recorded samples ``backlog_packets``,
``backlog_bytes`` and ``delay``, the wait before transmission. In Python any function of a
:class:`parshall.Recording` will do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from parshall.errors import InputError, ParshallError, shown
from parshall.recording import Recording
from parshall.stats import ANY
from parshall.sweep.quantities import (
    FLOW_QUANTITIES,
    PORT_QUANTITIES,
    SAMPLED,
    Measure,
    Values,
    flow_values,
    of_flows,
    of_port,
    port_values,
    range_of,
    unit_of,
)

if TYPE_CHECKING:
    from parshall.recording.tables import Result
    from parshall.scenario import Scenario

__all__ = ["GivenMetrics", "Measure", "Metric", "metrics_of"]

GivenMetrics: TypeAlias = "Sequence[str] | Mapping[str, str | Callable[[Recording], float]]"
"""Metrics as they may be given: names, or names or functions by the name of their column."""

_NAME = re.compile(
    r"(?:(?P<of>flow|port):(?P<name>.+?)\.)?(?P<quantity>[a-z_]+)"
    r"(?:\.(?P<statistic>min|max|median|mean|sum|p(?:100|\d{1,2}(?:\.\d{1,3})?)))?"
)
_QUANTITIES = {
    "flow": "a quantity of flows: goodput, sending_rate, loss_rate, fairness, completed_at, completion_time, "
    "rtt, response_time, or a counter such as timeouts",
    "port": "a quantity of a port: throughput, utilization, drop_rate, loss_rate, mark_rate, mean_delay, "
    "delay, backlog_packets, or a counter such as packets_dropped",
}
_EXPECTED = "a metric such as goodput, flow:tcp*.goodput.p95 or port:bottleneck.mean_delay"


@dataclass(frozen=True)
class Metric:
    """A number for each run."""

    place: str
    """Where it was named, for errors."""
    bind: Callable[[Scenario], Measure]
    """Function that prepares it for a scenario. Raises InputError for a flow or port that is not there."""
    of_recording: bool = False
    """True for a function of the recording, which may ask it for everything."""
    tables: tuple[str, ...] = ()
    """Recorded tables that it needs besides ``flows`` and ``ports``."""
    unit: str = ""
    """Unit of the number: ``bit/s``, ``s``, ``bytes``, ``packets``, ``share`` (of 1); empty for others."""
    within: tuple[float, float] = ANY
    """Range of the number, to which intervals of its mean are cut."""

    def of(self, scenario: Scenario) -> Measure:
        """As ``bind``, with the place of the metric in errors."""
        try:
            return self.bind(scenario)
        except InputError as error:
            raise InputError(self.place, error.value, error.expected) from None


def metrics_of(given: GivenMetrics | str) -> dict[str, Metric]:
    """Metrics by the names of their columns. Raises InputError."""
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise InputError("metrics", shown(given), "a list of metrics, or a table of them by name")
    named = list(given.items()) if isinstance(given, Mapping) else [(name, name) for name in given]
    metrics: dict[str, Metric] = {}
    for index, (column, what) in enumerate(named):
        place = f"metrics.{column}" if isinstance(given, Mapping) else f"metrics[{index}]"
        if not isinstance(column, str) or not column:
            raise InputError(place, shown(column), "a name")
        metrics[column] = _metric(column, what, place)
    return metrics


def _metric(column: str, what: object, place: str) -> Metric:
    if callable(what):
        return Metric(place, _function(column, what), of_recording=True)
    match = _NAME.fullmatch(what) if isinstance(what, str) else None
    if match is None:
        raise InputError(place, shown(what), _EXPECTED)
    quantity, statistic = match["quantity"], match["statistic"]
    of_a_port = match["of"] == "port"
    known = PORT_QUANTITIES if of_a_port else FLOW_QUANTITIES
    if quantity not in known:
        raise InputError(place, shown(what), _QUANTITIES["port" if of_a_port else "flow"])
    tables = (SAMPLED[quantity].table,) if quantity in SAMPLED else ()
    name = match["name"] or "*"
    together, single = (of_port, port_values) if of_a_port else (of_flows, flow_values)

    def bind(scenario: Scenario) -> Measure:
        if statistic is None:
            return together(scenario, name, quantity)
        return _statistic(single(scenario, name, quantity), statistic)

    return Metric(place, bind, tables=tables, unit=unit_of(quantity), within=range_of(quantity, statistic))


def _statistic(values: Values, statistic: str) -> Measure:
    """One number of many; NaN where there are none, or where it is infinite: of a transfer without an end."""

    def measure(result: Result, seed: int) -> float:
        sample = values(result, seed)
        sample = np.sort(sample[~np.isnan(sample)])
        if not sample.size:
            return float("nan")
        number = _PLAIN[statistic](sample) if statistic in _PLAIN else _percentile(sample, statistic)
        return float(number) if np.isfinite(number) else float("nan")

    return measure


_PLAIN: dict[str, Callable[[Any], Any]] = {"min": np.min, "max": np.max, "mean": np.mean, "sum": np.sum}


def _percentile(ordered: Any, statistic: str) -> float:
    """The linear interpolation between the two values beside it, which may be infinite."""
    share = 0.5 if statistic == "median" else float(statistic[1:]) / 100
    place = share * (len(ordered) - 1)
    low = int(place)
    if place == low or ordered[low] == ordered[low + 1]:
        return float(ordered[low])
    return float(ordered[low] + (place - low) * (ordered[low + 1] - ordered[low]))


def _function(column: str, function: Callable[[Recording], float]) -> Callable[[Scenario], Measure]:
    def bind(scenario: Scenario) -> Measure:
        def measure(result: Result, seed: int) -> float:
            try:
                return float(function(Recording(scenario, seed, result)))
            except ParshallError:
                raise
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                run = f"scenario {scenario.hash[:12]}, seed {seed}"
                raise ParshallError(f"metric {column} of {run}: {reason}, expected a number") from error

        return measure

    return bind
