"""Metrics: one number a run, by name or as a function.

    goodput                        of all flows together, bit/s; or any other quantity of flows, see below
    flow:PATTERN.QUANTITY          of the flows whose name fits, such as flow:tcp*.goodput
    port:NAME.QUANTITY             of a port, a->b or the name of its link, such as port:bottleneck.mean_delay

Quantities of flows are the counters of the table ``flows``, summed, and ``goodput``, ``sending_rate``,
``loss_rate``, ``completed_at`` (the mean of those that completed) and ``fairness``. Quantities of a port are
the columns of the table ``ports``, and ``throughput``, ``utilization``, ``drop_rate``, ``loss_rate`` and
``mark_rate``. In Python any function of a :class:`parshall.Recording` will do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from parshall.errors import InputError, ParshallError, shown
from parshall.recording import Recording
from parshall.recording.views import FlowView, PortView
from parshall.stats import jain, known_mean

if TYPE_CHECKING:
    from parshall.recording.tables import Result
    from parshall.scenario import Scenario

__all__ = ["GivenMetrics", "Metric", "metrics_of"]

Measure: TypeAlias = Callable[["Result", int], float]
"""A metric of one scenario: the tables of a run and its seed in, a number out."""
GivenMetrics: TypeAlias = "Sequence[str] | Mapping[str, str | Callable[[Recording], float]]"
"""Metrics as they may be given: names, or names or functions by the name of their column."""

_NAME = re.compile(r"(?:(?P<of>flow|port):(?P<name>.+)\.)?(?P<quantity>[a-z_]+)")
_EXPECTED = "a metric such as goodput, flow:tcp*.goodput or port:bottleneck.mean_delay"
_NOT_COUNTED = {"name", "completed_at", "mean_delay", "max_backlog_packets", "rate"}


def _columns(view: type) -> set[str]:
    return {column.name for column in fields(view) if not column.name.startswith("_")}


_FLOW_COUNTERS = _columns(FlowView) - _NOT_COUNTED
_PORT_COLUMNS = _columns(PortView) - {"name", "rate"}
_FLOW_QUANTITIES = _FLOW_COUNTERS | {"goodput", "sending_rate", "loss_rate", "completed_at", "fairness"}
_PORT_RATES = {"throughput", "utilization", "drop_rate", "loss_rate", "mark_rate"}


@dataclass(frozen=True)
class Metric:
    """A number for each run."""

    place: str
    """Where it was named, for errors."""
    bind: Callable[[Scenario], Measure]
    """What it is for one scenario. Raises InputError for a flow or port that the scenario does not have."""
    of_recording: bool = False
    """Whether it is a function of the recording, which may ask it for everything."""

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
    quantity = match["quantity"]
    of_port = match["of"] == "port"
    known = _PORT_COLUMNS | _PORT_RATES if of_port else _FLOW_QUANTITIES
    if quantity not in known:
        kind = "port" if of_port else "flows"
        raise InputError(place, shown(what), f"a quantity of {kind}: {', '.join(sorted(known))}")
    if of_port:
        return Metric(place, lambda scenario: _of_port(scenario, match["name"], quantity))
    return Metric(place, lambda scenario: _of_flows(scenario, match["name"] or "*", quantity))


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


def _of_flows(scenario: Scenario, pattern: str, quantity: str) -> Measure:
    names = [flow.name for flow in scenario.flows]
    chosen = np.flatnonzero([name == pattern or fnmatchcase(name, pattern) for name in names])
    if not chosen.size:
        raise InputError("", shown(pattern), f"a flow, such as {names[0]}" if names else "a flow")
    seconds = scenario.duration - scenario.warm_up

    def total(result: Result, column: str) -> float:
        return float(result["flows"][column][chosen].sum())

    rates = {"goodput": "bytes_delivered", "sending_rate": "bytes_sent"}
    if quantity in rates:
        return lambda result, _: 8 * total(result, rates[quantity]) / seconds
    if quantity == "loss_rate":
        return lambda result, _: _share(total(result, "packets_dropped"), total(result, "packets_sent"))
    if quantity == "completed_at":
        return lambda result, _: known_mean(result["flows"]["completed_at"][chosen])
    if quantity == "fairness":
        return lambda result, _: jain(result["flows"]["bytes_delivered"][chosen])
    return lambda result, _: total(result, quantity)


def _of_port(scenario: Scenario, name: str, quantity: str) -> Measure:
    # A recording knows a link by its name and what it can transmit; nothing has to be recorded for that.
    ports, named = scenario.ports, scenario.named_ports
    port = named.get(name, name)
    if port not in ports:
        raise InputError("", shown(name), f"one of {', '.join([*named, *ports][:8])}")
    row = ports.index(port)
    empty: Any = {
        "names": {"flows": [], "ports": ports},
        "ports": dict.fromkeys(_PORT_COLUMNS, np.zeros(len(ports))),
    }
    rate = Recording(scenario, 0, empty).port(port).rate
    seconds = scenario.duration - scenario.warm_up

    def value(result: Result, column: str) -> float:
        return float(result["ports"][column][row])

    def throughput(result: Result) -> float:
        return 8 * value(result, "bytes_departed") / seconds

    def share(result: Result, *columns: str) -> float:
        return _share(sum(value(result, column) for column in columns), value(result, "packets_arrived"))

    derived: dict[str, Measure] = {
        "throughput": lambda result, _: throughput(result),
        "utilization": lambda result, _: _share(throughput(result), rate),
        "drop_rate": lambda result, _: share(result, "packets_dropped"),
        "loss_rate": lambda result, _: share(result, "packets_dropped", "packets_lost"),
        "mark_rate": lambda result, _: share(result, "packets_marked"),
    }
    return derived.get(quantity, lambda result, _: value(result, quantity))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
