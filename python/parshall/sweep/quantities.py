"""Quantities that a metric may name, with their units: of flows, of samples, of ports.

A quantity is bound to a scenario and yields, from the tables of a run, one value or many: of each flow, or of
each sample. A statistic makes one of many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from parshall.errors import InputError, shown
from parshall.recording.capacity import mean_rate, utilization
from parshall.recording.delays import delay_of_packets
from parshall.recording.fairness import compared_flows, fairness
from parshall.recording.rounds import flows_of_group, rounds_of
from parshall.recording.starts import flow_starts
from parshall.recording.views import FlowView, PortView
from parshall.stats import AT_LEAST_ZERO, SHARE, known_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording.tables import Result
    from parshall.scenario import Scenario

__all__ = [
    "FLOW_QUANTITIES",
    "PORT_QUANTITIES",
    "SAMPLED",
    "Measure",
    "Values",
    "flow_values",
    "of_flows",
    "of_port",
    "port_values",
    "range_of",
    "unit_of",
]

Measure: TypeAlias = Callable[["Result", int], float]
"""A metric of one scenario: the tables of a run and its seed in, a number out."""
Values: TypeAlias = "Callable[[Result, int], NDArray[np.float64]]"
"""The values of each flow, or of each sample."""

_NOT_COUNTED = {"name", "completed_at", "mean_delay", "max_backlog_packets", "rate"}
_SECONDS = {
    *("completed_at", "completion_time", "timeout_wait", "mean_delay", "delay"),
    *("rtt", "response_time", "round_time"),
}
_RATES = {"goodput", "sending_rate", "throughput"}
_SHARES = {"loss_rate", "drop_rate", "mark_rate", "utilization"}
_ENDS = ("completed_at", "completion_time")


@dataclass(frozen=True)
class _Sampled:
    """Samples of a flow or a port that a table of the recording has."""

    table: str
    asked: str
    """The field of ``record`` that asks for it."""


SAMPLED = {
    "rtt": _Sampled("rtt", "rtt"),
    "response_time": _Sampled("transfers", "transfers"),
    "round_time": _Sampled("transfers", "transfers"),
    "backlog_packets": _Sampled("port_series", "port_series"),
    "backlog_bytes": _Sampled("port_series", "port_series"),
    "delay": _Sampled("packets", "packets"),
}
"""Quantities of which the scenario has to record samples."""


def _columns(view: type) -> set[str]:
    return {column.name for column in fields(view) if not column.name.startswith("_")}


_FLOW_COUNTERS = _columns(FlowView) - _NOT_COUNTED
_PORT_COLUMNS = _columns(PortView) - {"name", "rate"}
FLOW_QUANTITIES = _FLOW_COUNTERS | {
    *("goodput", "sending_rate", "loss_rate", "completed_at", "completion_time", "fairness"),
    *("rtt", "response_time", "round_time"),
}
PORT_QUANTITIES = _PORT_COLUMNS | {
    *("throughput", "utilization", "drop_rate", "loss_rate", "mark_rate"),
    *("backlog_packets", "backlog_bytes", "delay"),
}


def unit_of(quantity: str) -> str:
    """The unit of a quantity: ``bit/s``, ``s``, ``bytes``, ``packets``, ``share`` (of 1), or none."""
    if quantity in _RATES:
        return "bit/s"
    if quantity in _SECONDS:
        return "s"
    if quantity in _SHARES:
        return "share"
    if quantity.startswith("bytes_") or quantity.endswith("_bytes"):
        return "bytes"
    return "packets" if quantity.startswith("packets_") or quantity.endswith("_packets") else ""


def range_of(quantity: str, statistic: str | None) -> tuple[float, float]:
    """The range of a quantity: none is below 0, and no share, nor a statistic of some, above 1."""
    is_share = quantity in _SHARES or quantity == "fairness"
    return SHARE if is_share and statistic != "sum" else AT_LEAST_ZERO


# --- Of flows -----------------------------------------------------------------------------------------------


def of_flows(scenario: Scenario, pattern: str, quantity: str) -> Measure:
    """A quantity of flows together, without a statistic. Raises InputError for a pattern that no flow fits,
    and for samples that are not recorded.
    """
    chosen = _chosen(scenario, pattern)
    seconds = scenario.duration - scenario.warm_up

    def total(result: Result, column: str) -> float:
        return float(result["flows"][column][chosen].sum())

    if quantity in _RATE_COLUMNS:
        return lambda result, _: 8 * total(result, _RATE_COLUMNS[quantity]) / seconds
    if quantity == "loss_rate":
        return lambda result, _: _share(total(result, "packets_dropped"), total(result, "packets_sent"))
    if quantity == "fairness":
        compared = compared_flows(scenario, chosen.tolist())
        if not compared:
            expected = "bulk TCP flows among them, or flows of one kind alone"
            raise InputError("", f"fairness of {pattern}", expected)
        return lambda result, _: fairness(result["flows"]["bytes_delivered"], compared)
    if quantity in _ENDS or quantity in SAMPLED:
        values = _flow_samples(scenario, chosen, quantity)
        return lambda result, seed: known_mean(values(result, seed))
    return lambda result, _: total(result, quantity)


_RATE_COLUMNS = {"goodput": "bytes_delivered", "sending_rate": "bytes_sent"}


def flow_values(scenario: Scenario, pattern: str, quantity: str) -> Values:
    """The values of each flow, or the samples of all. Of transfers that have not completed it is infinite.
    Raises InputError as :func:`of_flows` does, and for a quantity that single flows do not have.
    """
    chosen = _chosen(scenario, pattern)
    seconds = scenario.duration - scenario.warm_up
    if quantity == "fairness":
        raise InputError("", "fairness with a statistic", "fairness alone: it is of all flows together")
    if quantity in _ENDS:
        finite = np.array([flow.app.kind == "transfer" for flow in scenario.flows], dtype=np.bool_)
        if not finite[chosen].any():
            raise InputError("", shown(pattern), "flows of which one has a transfer that can complete")
        samples = _flow_samples(scenario, chosen[finite[chosen]], quantity)
        return lambda result, seed: np.nan_to_num(samples(result, seed), nan=np.inf)
    if quantity in SAMPLED:
        return _flow_samples(scenario, chosen, quantity)

    def values(result: Result, _: int) -> NDArray[np.float64]:
        flows = result["flows"]
        if quantity in _RATE_COLUMNS:
            return np.asarray(8 * flows[_RATE_COLUMNS[quantity]][chosen] / seconds)
        if quantity == "loss_rate":
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.asarray(flows["packets_dropped"][chosen] / flows["packets_sent"][chosen])
        return np.asarray(flows[quantity][chosen], dtype=np.float64)

    return values


def _flow_samples(scenario: Scenario, chosen: NDArray[np.int64], quantity: str) -> Values:
    """Ends of transfers, or recorded samples, which count from the warm-up on."""
    if quantity == "completed_at":
        return lambda result, _: np.asarray(result["flows"]["completed_at"][chosen])
    if quantity == "completion_time":
        return lambda result, seed: (
            result["flows"]["completed_at"][chosen] - np.array(flow_starts(scenario, seed))[chosen]
        )
    names = [scenario.flows[number].name for number in chosen]
    _check_recorded(scenario, quantity, names)
    if quantity == "round_time":
        return _round_times(scenario, chosen)

    def samples(result: Result, _: int) -> NDArray[np.float64]:
        rows = result.get(SAMPLED[quantity].table)
        if rows is None:
            return np.empty(0)
        own = np.isin(rows["flow"], chosen)
        if quantity == "rtt":
            return np.asarray(rows["rtt"][own & (rows["time"] >= scenario.warm_up)])
        return np.asarray((rows["end"] - rows["start"])[own & (rows["start"] >= scenario.warm_up)])

    return samples


def _round_times(scenario: Scenario, chosen: NDArray[np.int64]) -> Values:
    """Durations of the rounds of the groups to which these flows belong, from the warm-up on."""
    apps = [scenario.flows[number].app for number in chosen]
    groups = sorted({app.group for app in apps if app.kind == "barrier"})
    if not groups:
        raise InputError("", "round_time", "flows of which one has the application barrier")

    def times(result: Result, _: int) -> NDArray[np.float64]:
        rows = result.get("transfers")
        found = [rounds_of(rows, flows_of_group(scenario, group)) for group in groups if rows is not None]
        counted = [each.completion_time[each.start >= scenario.warm_up] for each in found]
        return np.concatenate(counted) if counted else np.empty(0)

    return times


def _chosen(scenario: Scenario, pattern: str) -> NDArray[np.int64]:
    names = [flow.name for flow in scenario.flows]
    chosen = np.flatnonzero([name == pattern or fnmatchcase(name, pattern) for name in names])
    if not chosen.size:
        raise InputError("", shown(pattern), f"a flow, such as {names[0]}" if names else "a flow")
    return chosen


def _check_recorded(scenario: Scenario, quantity: str, names: Sequence[str]) -> None:
    """Raises InputError unless one of the names is recorded."""
    asked = SAMPLED[quantity].asked
    wanted = getattr(scenario.record, asked)
    recorded = () if wanted is None else getattr(wanted, "of", wanted)
    if "*" not in recorded and not set(names).intersection(recorded):
        raise InputError("", quantity, f"record.{asked} to name {names[0]}: it is made of samples")


# --- Of a port ----------------------------------------------------------------------------------------------


def of_port(scenario: Scenario, name: str, quantity: str) -> Measure:
    """A quantity of a port, without a statistic; the mean of samples. Raises InputError for a name that the
    scenario does not have, and for samples that are not recorded.
    """
    if quantity in SAMPLED:
        values = port_values(scenario, name, quantity)
        return lambda result, seed: known_mean(values(result, seed))
    row, rate = _row(scenario, name)
    seconds = scenario.duration - scenario.warm_up

    def value(result: Result, column: str) -> float:
        return float(result["ports"][column][row])

    def throughput(result: Result) -> float:
        return 8 * value(result, "bytes_departed") / seconds

    def share(result: Result, *columns: str) -> float:
        return _share(sum(value(result, column) for column in columns), value(result, "packets_arrived"))

    derived: dict[str, Measure] = {
        "throughput": lambda result, _: throughput(result),
        "utilization": lambda result, _: utilization(throughput(result), rate),
        "drop_rate": lambda result, _: share(result, "packets_dropped"),
        "loss_rate": lambda result, _: share(result, "packets_dropped", "packets_lost"),
        "mark_rate": lambda result, _: share(result, "packets_marked"),
    }
    return derived.get(quantity, lambda result, _: value(result, quantity))


def port_values(scenario: Scenario, name: str, quantity: str) -> Values:
    """The samples of a port from the warm-up on. Raises InputError as :func:`of_port` does, and for what a
    port has one value of.
    """
    if quantity not in SAMPLED:
        sampled = ", ".join(sorted(set(SAMPLED) & PORT_QUANTITIES))
        raise InputError("", f"a statistic of {quantity}", f"a statistic of samples: {sampled}")
    row, _ = _row(scenario, name)
    _check_recorded(scenario, quantity, [scenario.port_names[row], scenario.ports[row]])

    def values(result: Result, _: int) -> NDArray[np.float64]:
        table = result.get(SAMPLED[quantity].table)
        if table is None:
            return np.empty(0)
        own = table["port"] == row
        rows = {column: np.asarray(table[column])[own] for column in table}
        if quantity == "delay":
            time, delay = delay_of_packets(rows)
            return delay[time >= scenario.warm_up]
        return np.asarray(rows[quantity][rows["time"] >= scenario.warm_up], dtype=np.float64)

    return values


def _row(scenario: Scenario, name: str) -> tuple[int, float]:
    """The index of a port, and its mean rate. Raises InputError for a name that no port has."""
    numbers = scenario.port_numbers
    if name not in numbers:
        raise InputError("", shown(name), f"one of {', '.join([*numbers][:8])}")
    return numbers[name], mean_rate(scenario, numbers[name])


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
