"""What is computed from the runs, with the document's own definitions. Each function gives one tidy table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parshall.studies.median_rto.scenarios import (
    DURATION,
    PAYLOAD_BITS,
    Variant,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "EXAMPLE_FLOW",
    "Runs",
    "codes_of",
    "column_of",
    "example_seed",
    "goodput_over_time",
    "measure_runs",
    "rtt_examples",
]

EXAMPLE_FLOW = "f1"
"""The flow whose RTT and RTO are drawn."""

_SUMMED = ("packets_sent", "packets_delivered", "timeouts", "spurious_timeouts", "timeout_wait")


def measure_runs(variants: Sequence[Variant], flows: pa.Table, rtt: pa.Table) -> pa.Table:
    """One row a run: rates, losses, and how the RTO lay over the RTT.

    ``throughput`` and ``goodput`` are in bit/s of payload, ``loss`` is (throughput - goodput) / throughput
    in %. ``rto_margin`` is the mean of RTO - RTT in seconds, each RTT against the RTO in force when its
    packet was sent, which is the one after the sample before; ``rto_exceeded`` is the share of RTTs above it.
    """
    sums = _counters_by_run(flows)
    margins = _margins_by_run(rtt)
    table = sums.join(margins, keys=["variant", "seed"], join_type="left outer")
    described = pa.table(
        {
            "variant": [variant.name for variant in variants],
            "traffic": [variant.traffic for variant in variants],
            "recovery": [variant.recovery for variant in variants],
            "filter": [variant.filter for variant in variants],
            "order": list(range(len(variants))),
        }
    )
    table = table.join(described, keys="variant", join_type="inner")
    table = table.sort_by([("order", "ascending"), ("seed", "ascending")])
    leading = ["variant", "traffic", "recovery", "filter", "seed"]
    return table.select([*leading, *(name for name in table.column_names if name not in (*leading, "order"))])


def goodput_over_time(series: pa.Table, example: int) -> pa.Table:
    """Cumulative goodput in Mbit at each sampling instant, per variant: of the example's seed and of all.

    ``low`` and ``high`` hold 95 % of the seeds at each instant.
    """
    codes, names = codes_of(series, "variant")
    seeds, seed = np.unique(column_of(series, "seed"), return_inverse=True)
    times, time = np.unique(column_of(series, "time"), return_inverse=True)
    shape = (len(names), len(seeds), len(times))
    cell = np.ravel_multi_index((codes, seed, time), shape)
    packets = np.bincount(cell, weights=column_of(series, "packets_delivered"), minlength=int(np.prod(shape)))
    megabits = packets.reshape(shape) * (PAYLOAD_BITS / 1e6)
    tables = []
    for code in np.unique(codes):
        values = megabits[code]
        low, high = np.quantile(values, (0.025, 0.975), axis=0)
        columns = {
            "variant": [names[code]] * len(times),
            "time": times,
            "seed": [example] * len(times),
            "example": values[int(np.searchsorted(seeds, example))],
            "mean": values.mean(axis=0),
            "low": low,
            "high": high,
        }
        tables.append(pa.table(columns))
    return pa.concat_tables(tables)


def example_seed(runs: pa.Table, variant: Variant) -> int:
    """The seed whose goodput is the median over seeds."""
    rows = runs.filter(pc.field("variant") == variant.name)
    order = np.argsort(column_of(rows, "goodput"), kind="stable")
    return int(column_of(rows, "seed")[order[(len(order) - 1) // 2]])


def rtt_examples(rtt: pa.Table, variants: Sequence[Variant], example: int) -> pa.Table:
    """RTT samples and RTOs of one flow of the run with the example's seed, variant by variant."""
    chosen = rtt.filter((pc.field("seed") == example) & (pc.field("flow") == EXAMPLE_FLOW))
    parts = [chosen.filter(pc.field("variant") == variant.name) for variant in variants]
    columns = ["variant", "seed", "flow", "time", "rtt", "srtt", "rto"]
    table = pa.concat_tables(parts).select(columns)
    # Plain names: those of other groups are encoded otherwise.
    for name in ("variant", "flow"):
        table = table.set_column(columns.index(name), name, table[name].cast(pa.string()))
    return table


@dataclass(frozen=True)
class Runs:
    """The table of :func:`measure_runs`, asked for one measure of one variant at a time."""

    table: pa.Table

    @property
    def seeds(self) -> NDArray[np.int64]:
        """Seeds, ascending; every variant has each of them once."""
        found: NDArray[np.int64] = np.unique(column_of(self.table, "seed"))
        return found

    def of(self, variant: Variant, measure: str) -> NDArray[np.float64]:
        """One value a seed, in the order of :attr:`seeds`."""
        rows = self.table.filter(pc.field("variant") == variant.name)
        values: NDArray[np.float64] = column_of(rows, measure).astype(np.float64)
        return values


def column_of(table: pa.Table, column: str) -> NDArray[Any]:
    """A column as an array."""
    values: NDArray[Any] = table[column].to_numpy()
    return values


def codes_of(table: pa.Table, column: str) -> tuple[NDArray[np.int64], list[str]]:
    """A column of names as indices into a list of them."""
    names = table[column].combine_chunks()
    if not pa.types.is_dictionary(names.type):
        names = names.dictionary_encode()
    return np.asarray(names.indices, dtype=np.int64), names.dictionary.to_pylist()


def _counters_by_run(flows: pa.Table) -> pa.Table:
    """Counters of the six flows together, as the document adds them up."""
    table = flows.group_by(["variant", "seed"]).aggregate([(name, "sum") for name in _SUMMED])
    sent, delivered = (column_of(table, f"{name}_sum").astype(np.float64) for name in _SUMMED[:2])
    bits = PAYLOAD_BITS / DURATION
    columns: dict[str, object] = {
        "variant": _plain(table["variant"]),
        "seed": table["seed"].cast(pa.int64()),
        "throughput": sent * bits,
        "goodput": delivered * bits,
        "loss": _ratio(100 * (sent - delivered), sent),
    }
    columns |= {name: table[f"{name}_sum"] for name in _SUMMED[2:]}
    return pa.table(columns)


def _margins_by_run(rtt: pa.Table) -> pa.Table:
    """Each RTT against the RTO that was in force, averaged over the samples of a run."""
    codes, names = codes_of(rtt, "variant")
    flow, flows = codes_of(rtt, "flow")
    seed = column_of(rtt, "seed").astype(np.int64)
    span = int(seed.max()) + 1 if len(seed) else 1
    run = codes * span + seed
    # Rows of a run are in order of time, and a stable sort keeps them so.
    order = np.argsort(run * len(flows) + flow, kind="stable")
    run, flow = run[order], flow[order]
    sample, rto = column_of(rtt, "rtt")[order], column_of(rtt, "rto")[order]

    # The first sample of a flow meets the initial RTO, which is no estimate.
    later = np.r_[False, (run[1:] == run[:-1]) & (flow[1:] == flow[:-1])] if len(run) else np.zeros(0, bool)
    in_force = np.r_[np.nan, rto[:-1]][later] if len(run) else rto
    keys, index = np.unique(run[later], return_inverse=True)
    count = np.bincount(index, minlength=len(keys)).astype(np.float64)
    sample = sample[later]

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(index, weights=values, minlength=len(keys)) / count)

    def deviation(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.sqrt(mean((values - mean(values)[index]) ** 2)))

    return pa.table(
        {
            "variant": pa.array([names[key] for key in keys // span], pa.string()),
            "seed": pa.array(keys % span, pa.int64()),
            "rtt_samples": count.astype(np.int64),
            "rtt_mean": mean(sample),
            "rtt_deviation": deviation(sample),
            "rto_mean": mean(in_force),
            "rto_deviation": deviation(in_force),
            "rto_margin": mean(in_force - sample),
            "rto_exceeded": mean((sample > in_force).astype(np.float64)),
        }
    )


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string())


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
