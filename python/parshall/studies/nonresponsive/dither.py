"""The dither of a port that hardly drops: the runs that have it, and what it costs.

Where a port asks nobody to slow down, nobody shows whether he would. There the router drops a packet in a
thousand itself, at random (``DitherLoss``), and these drops count beside the queue's own. The one number was
chosen on networks like Figure 11 with 8, 12, 14, 18 and 20 CBR flows in set B, on training seeds; nothing is
judged on those. Where the queue drops more than that by itself, the dither is silent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parshall.columns import values
from parshall.scenario import DitherLoss

if TYPE_CHECKING:
    from parshall.studies.nonresponsive.cases import Case
    from parshall.studies.nonresponsive.traces import Reals, Traces

__all__ = ["DITHER", "MEASURES", "costs", "panels", "with_dither"]

DITHER = DitherLoss(of="data")
"""Data packets only: a lost ACK asks nobody to slow down."""


def with_dither(case: Case) -> Case:
    """The same case with the dither at its port."""
    loss = f"links[{case.port}].loss" if case.several_hops else "loss"
    return replace(case, network=case.network.with_({loss: DITHER, "record.responsiveness.signals": "both"}))


def costs(case: Case, ports: tuple[pa.Table, pa.Table], traces: tuple[Traces, Traces]) -> pa.Table:
    """A row a seed: what the dither did to the port. Each pair has the runs without it first; a seed's starts
    and phases are the same in both.
    """
    columns: dict[str, object] = {
        "case": [case.name] * len(traces[0].seeds),
        "seed": np.array(traces[0].seeds),
    }
    for which, table, runs in zip(("without", "with"), ports, traces, strict=True):
        counters, seconds = _counters(table, case), case.network.duration - case.network.warm_up
        columns |= {
            f"queue_drops_{which}": 100 * counters["packets_dropped"] / counters["packets_arrived"],
            f"dither_drops_{which}": 100 * counters["packets_lost"] / counters["packets_arrived"],
            f"throughput_{which}": 8e-6 * counters["bytes_departed"] / seconds,
            f"responsive_{which}": (runs.arrivals - runs.udp).mean(axis=1) / runs.sampling,
            f"delay_{which}": 1e3 * counters["mean_delay"],
            f"quiet_{which}": 100 * (runs.signals == 0).mean(axis=1),
        }
    return pa.table(columns)


MEASURES: Mapping[str, str] = {
    "queue_drops": "Dropped by the queue (%)",
    "dither_drops": "Dropped by the dither (%)",
    "quiet": "Estimates flagged as without signals (%)",
    "throughput": "Throughput of the port (Mbit/s)",
    "responsive": "Packets of responsive flows that arrive (1/s)",
    "delay": "Mean delay at the port (ms)",
}
"""What is measured without and with the dither, in the order of the table: estimates and responsive packets
from the estimator's start on, the rest over whole runs.
"""

_COUNTERS = ("packets_arrived", "packets_dropped", "packets_lost", "bytes_departed", "mean_delay")


def _counters(ports: pa.Table, case: Case) -> dict[str, Reals]:
    """Counters of the case's port over whole runs, by seed."""
    name = "r1->r2" if case.several_hops else "r0->r1"
    rows = ports.filter((pc.field("variant") == case.name) & (pc.field("port") == name)).sort_by("seed")
    return {column: values(rows[column]).astype(np.float64) for column in _COUNTERS}


def panels(case: Case, traces: tuple[Traces, Traces]) -> pa.Table:
    """The true share and the estimate in each interval, of runs without and with the dither."""
    parts = []
    for dithered, runs in zip((False, True), traces, strict=True):
        truth = runs.true_share
        parts.append(
            pa.table(
                {
                    "case": [case.name] * truth.size,
                    "dither": [dithered] * truth.size,
                    "seed": np.repeat(np.array(runs.seeds), truth.shape[1]),
                    "time": np.tile(runs.times, len(truth)),
                    "share": truth.ravel(),
                    "estimate": runs.recorded["responsiveness"].ravel(),
                }
            )
        )
    return pa.concat_tables(parts)
