"""The dither of a port that hardly drops: the runs that have it, and what it costs.

Where a port asks nobody to slow down, nobody shows whether he would. There the router drops a packet in a
thousand itself, at random (``DitherLoss``), and these drops count beside the queue's own. The one number was
chosen on networks like Figure 11 with 8, 12, 14, 18 and 20 CBR flows in set B, on training seeds; nothing is
judged on those. Where the queue drops more than that by itself, the dither is silent.
"""

from __future__ import annotations

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

__all__ = ["DITHER", "costs", "panels", "with_dither"]

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
    without, with_it = (_counters(table, case) for table in ports)
    responsive = [_responsive(each) for each in traces]
    return pa.table(
        {
            "case": [case.name] * len(responsive[0]),
            "seed": np.array(traces[0].seeds),
            "queue_drops": 100 * with_it["packets_dropped"] / with_it["packets_arrived"],
            "dither_drops": 100 * with_it["packets_lost"] / with_it["packets_arrived"],
            "throughput": 100 * (with_it["bytes_departed"] / without["bytes_departed"] - 1),
            "responsive": 100 * (responsive[1] / responsive[0] - 1),
            "quiet_without": _quiet(traces[0]),
            "quiet_with": _quiet(traces[1]),
            "delay_without": 1e3 * without["mean_delay"],
            "delay_with": 1e3 * with_it["mean_delay"],
        }
    )


_COUNTERS = ("packets_arrived", "packets_dropped", "packets_lost", "bytes_departed", "mean_delay")


def _counters(ports: pa.Table, case: Case) -> dict[str, Reals]:
    """Counters of the case's port over whole runs, by seed."""
    name = "r1->r2" if case.several_hops else "r0->r1"
    rows = ports.filter((pc.field("variant") == case.name) & (pc.field("port") == name)).sort_by("seed")
    return {column: values(rows[column]).astype(np.float64) for column in _COUNTERS}


def _responsive(traces: Traces) -> Reals:
    """Packets of responsive flows that arrived, by run."""
    found: Reals = (traces.arrivals - traces.udp).sum(axis=1)
    return found


def _quiet(traces: Traces) -> Reals:
    """Estimation intervals in which nobody was asked to slow down, in %, by run: they are flagged."""
    found: Reals = 100 * (traces.signals == 0).mean(axis=1)
    return found


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
