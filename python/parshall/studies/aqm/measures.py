"""What is computed of each run, with the document's own definitions: one row a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parshall.columns import values
from parshall.studies.aqm.networks import PACKET_BYTES, RTT, probe_starts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.studies.aqm.grid import Cell, Part

    Reals = NDArray[np.float64]

__all__ = ["CLASSES", "METRICS", "measure_runs"]

CLASSES: Mapping[str, str] = {"ltrf": "t", "ltnrf": "c", "stf": "sp"}
"""Classes of flows, and the letters that their names start with."""

METRICS: Mapping[str, str] = {
    "ltrf": "long TCP throughput, share of the capacity",
    "ltnrf": "long non-responsive throughput, share of the capacity",
    "stf": "short-flow throughput, share of the capacity",
    "utilization": "link utilisation",
    "normalized": "long TCP throughput, share of that of all long flows",
    "delay": "mean queueing delay, s",
    "relative_delay": "mean queueing delay, propagation round trips",
    "delay_sd": "standard deviation of the queueing delay, s",
    "drop": "drop rate of all packets",
    "ltrf_drop": "drop rate of long TCP flows",
    "ltnrf_drop": "drop rate of long non-responsive flows",
    "stf_drop": "drop rate of short flows",
    "mark": "marks per TCP packet",
    "response_mean": "mean response time of a short transfer, s",
    "response_p95": "95th percentile of the response time of a short transfer, s",
}
"""Columns of :func:`measure_runs`, and what they are."""

_BOTTLENECK = "r0->r1"


def measure_runs(
    cells: Sequence[Cell], part: Part, flows: pa.Table, ports: pa.Table, series: pa.Table
) -> pa.Table:
    """One row a run, with the columns of :data:`METRICS`; see there for units.

    Throughput counts payload that reached its host, in shares of the capacity; the utilisation is that of all
    classes together, which is how Table VIII counts. The queueing delay is that of the packets at the
    bottleneck, its deviation that of backlog / capacity over time. A drop rate is drops over drops and
    receipts. Response times are those of the transfers of :func:`probe_starts`; one that was not over at the
    end counts with what it had lasted until then.
    """
    by_variant = {cell.name: cell for cell in cells}
    tables = [
        _measure_cell(by_variant[name], part, *(_rows(table, name) for table in (flows, ports, series)))
        for name in by_variant
    ]
    return pa.concat_tables(tables)


def _rows(table: pa.Table, variant: str) -> pa.Table:
    return table.filter(pc.field("variant") == variant)


def _measure_cell(cell: Cell, part: Part, flows: pa.Table, ports: pa.Table, series: pa.Table) -> pa.Table:
    ports = ports.filter(pc.field("port") == _BOTTLENECK)
    seeds = values(ports["seed"]).astype(np.int64)
    capacity = 1e6 * cell.capacity
    seconds = part.duration - part.warm_up
    names = (
        flows["flow"].combine_chunks().slice(0, flows.num_rows // len(seeds)).cast(pa.string()).to_pylist()
    )

    def by_run(column: str) -> Reals:
        """A counter of flows as an array of (seed, flow)."""
        return np.asarray(values(flows[column]), dtype=np.float64).reshape(len(seeds), -1)

    received, dropped = by_run("packets_received"), by_run("packets_dropped")
    member = {name: np.array([flow[0] in letters for flow in names]) for name, letters in CLASSES.items()}
    got = {name: received[:, mask].sum(axis=1) for name, mask in member.items()}
    lost = {name: dropped[:, mask].sum(axis=1) for name, mask in member.items()}
    shares = {name: 8 * PACKET_BYTES * count / seconds / capacity for name, count in got.items()}
    delay = values(ports["mean_delay"]).astype(np.float64)
    every, gone = sum(got.values()), sum(lost.values())
    tcp = got["ltrf"] + got["stf"]
    response = _response_times(part, names, by_run("completed_at"))
    columns: dict[str, Any] = {
        **shares,
        "utilization": sum(shares.values()),
        "normalized": _ratio(shares["ltrf"], shares["ltrf"] + shares["ltnrf"]),
        "delay": delay,
        "relative_delay": delay / RTT,
        "delay_sd": _deviations(series, capacity, part.warm_up, len(seeds)),
        "drop": _ratio(gone, gone + every),
        **{f"{name}_drop": _ratio(lost[name], lost[name] + got[name]) for name in CLASSES},
        "mark": _ratio(values(ports["packets_marked"]).astype(np.float64), tcp),
        "response_mean": response.mean(axis=1) if response.size else np.full(len(seeds), np.nan),
        "response_p95": np.quantile(response, 0.95, axis=1) if response.size else np.full(len(seeds), np.nan),
    }
    where = {"part": part.name, "queue": cell.queue, "senders": cell.senders, "buffer": cell.buffer}
    return pa.table(
        {
            **{name: pa.array([text] * len(seeds), pa.string()) for name, text in where.items()},
            "capacity": np.full(len(seeds), cell.capacity),
            "load": np.full(len(seeds), cell.load),
            "seed": seeds,
            **{name: np.asarray(columns[name], dtype=np.float64) for name in METRICS},
        }
    )


def _ratio(above: Reals, below: Reals) -> Reals:
    ratio: Reals = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
    return ratio


def _deviations(series: pa.Table, capacity: float, warm_up: float, runs: int) -> Reals:
    """Standard deviation over time of the backlog's transmission time, run by run."""
    times = values(series["time"]).reshape(runs, -1)[0]
    backlog = values(series["backlog_bytes"]).astype(np.float64).reshape(runs, -1)
    delays = backlog[:, times >= warm_up] * 8 / capacity
    return np.asarray(delays.std(axis=1))


def _response_times(part: Part, names: Sequence[str], completed_at: Reals) -> Reals:
    """Seconds from the start of each probe to its end, as an array of (seed, probe)."""
    probes = np.array([name[0] == "p" for name in names])
    if not probes.any():
        return np.empty((len(completed_at), 0))
    ends = completed_at[:, probes]
    return np.where(np.isfinite(ends), ends, part.duration) - np.array(probe_starts(part))
