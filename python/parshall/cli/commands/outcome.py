"""The outcome of ``run`` for people and programs: means over seeds in tables, and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.recording.counters import LOST
from parshall.recording.fairness import compared_flows, fairness
from parshall.recording.pictures.units import with_interval
from parshall.recording.starts import flow_starts
from parshall.stats import AT_LEAST_ZERO, SHARE, mean_interval

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.engine.ensemble import Ensemble
    from parshall.recording import Recording
    from parshall.scenario import Scenario
    from parshall.support.console import PlainConsole

__all__ = ["done_of", "ensemble_as_json", "finished", "print_means", "recording_as_json", "with_starts"]

_TABLES = ("flows", "ports")
_MOST_ROWS = 16
_COUNTS = ("packets_dropped", "packets_retransmitted", "timeouts")


def recording_as_json(recording: Recording) -> dict[str, Any]:
    """One run: counters of all flows and ports, and what the flows have together."""
    flows = with_starts(recording.table("flows"), recording.scenario, recording.seed)
    delivered = recording.columns("flows")["bytes_delivered"]
    return {
        "scenario": recording.scenario.hash,
        "title": recording.scenario.title,
        "seed": recording.seed,
        "engine_version": recording.engine_version,
        "events": recording.events,
        "goodput": 8 * float(delivered.sum()) / recording.counted_seconds,
        "fairness": _plain(fairness(delivered.tolist(), compared_flows(recording.scenario))),
        "flows": _flow_rows(flows, recording.counted_seconds),
        "ports": _rows(recording.table("ports")),
    }


def ensemble_as_json(ensemble: Ensemble, scenario: Scenario) -> dict[str, Any]:
    """Several runs: the same of each, with its seed in every row."""
    seconds = scenario.duration - scenario.warm_up
    flows = with_starts(ensemble.table("flows"), scenario).drop_columns(["variant"])
    together = _by_seed(ensemble, scenario)
    return {
        "scenario": scenario.hash,
        "title": scenario.title,
        "seeds": finished(ensemble),
        "failures": [{"seed": each.seed, "reason": each.reason} for each in ensemble.failures],
        "goodput": together["goodput"],
        "fairness": [_plain(each) for each in together["fairness"]],
        "flows": _flow_rows(flows, seconds),
        "ports": _rows(ensemble.table("ports").drop_columns(["variant"])),
    }


def with_starts(flows: pa.Table, scenario: Scenario, seed: int | None = None) -> pa.Table:
    """A table of flows with the column ``started_at``: of one run, or of several by their column ``seed``."""
    from parshall.recording.columns import numbers

    seeds = [seed] if seed is not None else list(dict.fromkeys(flows["seed"].to_pylist()))
    starts = [start for own in seeds for start in flow_starts(scenario, own)]
    return flows.append_column("started_at", numbers(np.array(starts)))


def _flow_rows(flows: pa.Table, seconds: float) -> list[dict[str, Any]]:
    rows = _rows(flows)
    for row in rows:
        row["goodput"] = 8 * row["bytes_delivered"] / seconds
    return rows


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    """Rows as JSON has them, without numbers that are none."""
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_pylist()]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def finished(ensemble: Ensemble) -> list[int]:
    """Seeds whose runs did not fail."""
    failed = {each.seed for each in ensemble.failures}
    return [seed for seed in ensemble.seeds if seed not in failed]


def done_of(ensemble: Ensemble) -> str:
    """The number of runs that there are results of."""
    done, every = len(finished(ensemble)), len(ensemble.seeds)
    return str(every) if done == every else f"{done} of {every}"


# --- Means over seeds ---------------------------------------------------------------------------------------


def print_means(console: PlainConsole, ensemble: Ensemble, scenario: Scenario) -> None:
    """Means over the seeds with half of their 95 % intervals: of flows, of all together, and of ports."""
    console.say(
        f"{done_of(ensemble)} seeds, scenario {scenario.hash[:12]}; "
        "mean ± half of the 95 % interval over the seeds, or its ends"
    )
    seconds = scenario.duration - scenario.warm_up
    _print_flows(console, ensemble, seconds)
    if len(scenario.flows) > 1:
        from parshall.recording.summary import fairness_note

        together = _by_seed(ensemble, scenario)
        compared = len(compared_flows(scenario))
        said = f"all {len(scenario.flows):,} flows: goodput {_mean(together['goodput'], 'bit/s')}"
        if compared > 1:
            index = _mean(together["fairness"], digits=3, within=SHARE)
            said += f", fairness {index} ({fairness_note(compared, len(scenario.flows))})"
        console.say(said)
    _print_ports(console, ensemble, scenario)


def _print_flows(console: PlainConsole, ensemble: Ensemble, seconds: float) -> None:
    from parshall.recording.summary import figure_table

    table = figure_table("flow", "goodput", "dropped", "retransmitted", "timeouts")
    flows = _by_name(ensemble.table("flows"), "flow", ("bytes_delivered", *_COUNTS))
    for flow, values in list(flows.items())[:_MOST_ROWS]:
        goodput = [8 * delivered / seconds for delivered in values["bytes_delivered"]]
        table.add_row(flow, _mean(goodput, "bit/s"), *(_mean(values[name]) for name in _COUNTS))
    console.show(table)
    if len(flows) > _MOST_ROWS:
        console.say(f"... and {len(flows) - _MOST_ROWS} more flows")


def _print_ports(console: PlainConsole, ensemble: Ensemble, scenario: Scenario) -> None:
    """The ports of named links, and those that lost or marked packets, as of a single run."""
    from parshall.recording.summary import figure_table

    columns = ("packets_arrived", "mean_delay", "max_backlog_packets", *LOST)
    every = _by_name(ensemble.table("ports"), "port", columns)
    directions = dict(zip(scenario.port_names, scenario.ports, strict=True))
    ports = {
        name: own
        for name, own in every.items()
        if name in scenario.named_ports or any(any(own[lost]) for lost in LOST)
    }
    if not ports:
        return
    marks = any(any(own["packets_marked"]) for own in ports.values())
    counted = ("packets_arrived", "packets_dropped", *(("packets_marked",) if marks else ()), "packets_lost")
    heads = (name.removeprefix("packets_") for name in counted)
    table = figure_table("port", *heads, "delay", "most held")
    for name, own in list(ports.items())[:_MOST_ROWS]:
        shown = name if name == directions[name] else f"{name} ({directions[name]})"
        counts = [_mean(own[column]) for column in counted]
        table.add_row(shown, *counts, _mean(own["mean_delay"], "s"), _mean(own["max_backlog_packets"]))
    console.show(table)
    if len(ports) > _MOST_ROWS:
        console.say(f"... and {len(ports) - _MOST_ROWS} more ports")


def _by_name(table: pa.Table, key: str, columns: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """Columns of a table by the flow or port, seed by seed."""
    found: dict[str, dict[str, list[float]]] = {}
    names = table[key].to_pylist()
    for column in columns:
        for name, value in zip(names, table[column].to_pylist(), strict=True):
            found.setdefault(name, {}).setdefault(column, []).append(float(value))
    return found


def _by_seed(ensemble: Ensemble, scenario: Scenario) -> Mapping[str, list[float]]:
    """Goodput of all flows and its fairness, seed by seed."""
    seconds, compared = scenario.duration - scenario.warm_up, compared_flows(scenario)
    flows = ensemble.table("flows")
    seeds, delivered = flows["seed"].to_numpy(), flows["bytes_delivered"].to_numpy()
    own = [delivered[seeds == seed] for seed in finished(ensemble)]
    return {
        "goodput": [8 * float(each.sum()) / seconds for each in own],
        "fairness": [fairness(each.tolist(), compared) for each in own],
    }


def _mean(
    values: Sequence[float], unit: str = "", digits: int = 1, within: tuple[float, float] = AT_LEAST_ZERO
) -> str:
    """A mean and its interval, in one unit; of one value that value alone."""
    from parshall.recording.pictures.units import scale_of

    interval = mean_interval(list(values), within=within)
    if not interval.n:
        return "-"
    scale, name = scale_of([interval.mean], unit)

    def shown(value: float, most: int = 4) -> str:
        return f"{float(f'{value / scale:.{most}g}'):,.10g}" if unit else f"{value:,.{digits}f}"

    after = f" {name}" if name else ""
    return f"{with_interval(interval, shown, lambda half: shown(half, 2))}{after}"
