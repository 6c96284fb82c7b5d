"""What ns-2 gave in the same cells, from its table of runs, with the names of our metrics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, LOADS
from parshall.studies.aqm.networks import BUFFER_PACKETS, CBR_FLOWS, SHORT_FLOWS
from parshall.validate.statistics.baselines import load_study

if TYPE_CHECKING:
    from parshall.validate.statistics.baselines import Settings

__all__ = ["FILE", "OUTCOMES", "ns2_runs"]

FILE = "study1c.csv"
OUTCOMES = {
    "ltrf": "tcp_payload_frac",
    "ltnrf": "cbr_payload_frac",
    "stf": "stf_payload_frac",
    "utilization": "util_payload",
    "delay": "qdelay_mean",
    "delay_sd": "qdelay_sd",
    "ltrf_drop": "tcp_drop_rate",
    "ltnrf_drop": "cbr_drop_rate",
    "stf_drop": "stf_drop_rate",
}
"""Our metrics, and what its script calls them."""

_QUEUES = {"DropTail": "droptail", "RED": "red", "REDECN": "red-ecn"}


def ns2_runs(folder: Path) -> pa.Table:
    """One row a metric of a cell: the mean over ns-2's runs, and how many there were.

    ``folder`` holds ``results/study1c.csv``. Runs with other numbers of CBR flows than ours, or with CBR
    flows that start at random, are left out.
    """
    rows = []
    for baseline in load_study(folder, "1c"):
        place = _place(baseline.settings)
        if place is None:
            continue
        queue, capacity, buffer, load = place
        for metric, name in OUTCOMES.items():
            found = baseline.outcomes[name]
            rows.append(
                {
                    "queue": queue,
                    "capacity": capacity,
                    "buffer": buffer,
                    "load": load,
                    "metric": metric,
                    "runs": len(found),
                    "mean": sum(found) / len(found),
                }
            )
    return pa.Table.from_pylist(rows)


def _place(settings: Settings) -> tuple[str, int, str, int] | None:
    """The cell of ours with these settings."""
    capacity = round(settings.number("bw") / 1e6)
    if capacity not in CAPACITIES or settings.number("cbrjitter") > 0:
        return None
    buffers = {BUFFER_PACKETS[capacity][name]: name for name in BUFFERS}
    loads = {SHORT_FLOWS[capacity][load]: load for load in LOADS}
    buffer, load = buffers.get(settings.whole("buf")), loads.get(settings.whole("nstf"))
    if buffer is None or load is None or settings.whole("ncbr") != CBR_FLOWS[capacity][load]:
        return None
    return _QUEUES[settings.one_of("qm", list(_QUEUES))], capacity, buffer, load
