"""Measures of a run, by the chapter's own definitions, and ns-2's in the same cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.stats import known_mean
from parshall_studies import study as st
from parshall_studies.aqm import crossing
from parshall_studies.aqm.grid import BUFFERS, CAPACITIES, DIMS, LOADS, Part
from parshall_studies.aqm.networks import (
    BUFFER_PACKETS,
    CBR_FLOWS,
    PACKET_BYTES,
    RTT,
    SHORT_FLOWS,
    network,
    starts_of_probes,
)
from parshall_studies.baselines import NS2_RUNS

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall_studies.baselines import Settings

CLASSES: Mapping[str, str] = {"ltrf": "t", "ltnrf": "c", "stf": "sp"}
"""Classes of flows, and the letters that their names start with."""
DATA = (
    st.Data(
        "results/study1c.csv",
        "c3d2a2286cf4162048e48a7e60606df417e56f226c705d3506a583126ce6fd26",
        "Comparison with ns-2",
        NS2_RUNS,
    ),
)
"""ns-2's table of runs."""
_BOTTLENECK = 0
"""The first link of the network, and its forward direction the first port. A recording finds it by name
too, but looks at all of up to 8,000 links for that.
"""
_PERCENTILE = 0.95


def measure_parts(bench: st.Workbench, parts: Sequence[Part]) -> st.Measures:
    """The runs of some parts, each a table, and what ns-2 gave where it is at hand."""
    tables: dict[str, Any] = {}
    for part in (each for each in parts if each.surge):
        tables |= bench.measure(
            part.title,
            {cell.key: partial(network, cell, part) for cell in part.cells()},
            partial(_of_crossing, part),
            table=part.name,
            dims=DIMS,
            tables=crossing.RECORDED,
        )
    for part in (each for each in parts if not each.surge):
        recorded = ("responsiveness",) if "red-tuned" in part.queues else ()
        tables |= bench.measure(
            part.title,
            {cell.key: partial(network, cell, part) for cell in part.cells()},
            lambda _, run: of_run(run),
            table=part.name,
            dims=DIMS,
            tables=("flows", "ports", "port_series", *recorded),
        )
    if DATA[0].path in bench.files:
        tables["ns2"] = ns2_cells(bench.files[DATA[0].path].parent.parent)
    return tables


def _of_crossing(part: Part, _: object, run: Recording) -> dict[str, float]:
    return crossing.of_run(part, run)


def of_run(run: Recording) -> dict[str, float]:
    """Throughputs and the utilisation as shares of the capacity, delays and response times in seconds, the
    relative delay in propagation round trips, the others as rates and shares. NaN where there is nothing that
    a metric could be of.
    """
    flows, capacity = run.columns("flows"), run.scenario.links[_BOTTLENECK].rate
    letters = np.array([name[0] for name in run.flows])
    members = {name: np.isin(letters, list(own)) for name, own in CLASSES.items()}
    received, dropped = (
        {name: float(flows[f"packets_{what}"][own].sum()) for name, own in members.items()}
        for what in ("received", "dropped")
    )
    share = {
        name: 8 * PACKET_BYTES * count / run.counted_seconds / capacity for name, count in received.items()
    }
    series = run.columns("port_series")
    backlog = series["backlog_bytes"][series["time"] >= run.scenario.warm_up].astype(np.float64)
    port = {name: float(run.columns("ports")[name][_BOTTLENECK]) for name in ("mean_delay", "packets_marked")}
    responses = _response_times(run)
    return {
        **share,
        "utilization": 8 * PACKET_BYTES * sum(received.values()) / run.counted_seconds / capacity,
        # Total TCP Throughput / (Total TCP Throughput + Total UDP Throughput), of long flows (IV.A.4)
        "normalized": _ratio(received["ltrf"], received["ltrf"] + received["ltnrf"]),
        # mean over packets of the time at the bottleneck, transmission included
        "delay": port["mean_delay"],
        "relative_delay": port["mean_delay"] / RTT,
        # over time, of backlog / capacity
        "delay_sd": float(backlog.std()) * 8 / capacity,
        "drop": _ratio(sum(dropped.values()), sum(dropped.values()) + sum(received.values())),
        **{f"{name}_drop": _ratio(dropped[name], dropped[name] + received[name]) for name in CLASSES},
        "mark": _ratio(port["packets_marked"], received["ltrf"] + received["stf"]),
        "response_mean": float(responses.mean()) if responses.size else float("nan"),
        "response_p95": float(np.quantile(responses, _PERCENTILE)) if responses.size else float("nan"),
        "estimated_share": _estimated_share(run),
    }


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else float("nan")


def _response_times(run: Recording) -> NDArray[np.float64]:
    """Seconds that the timed transfers took; one that was not over at the end had lasted until then."""
    starts = starts_of_probes(run.scenario)
    probes = np.array([name in starts for name in run.flows], dtype=np.bool_)
    ends: Any = run.columns("flows")["completed_at"][probes]
    found: NDArray[np.float64] = np.where(np.isfinite(ends), ends, run.scenario.duration) - [*starts.values()]
    return found


def _estimated_share(run: Recording) -> float:
    """Tuned RED's estimate of the share of non-responsive packets, averaged over its estimates."""
    if run.scenario.record.responsiveness is None:
        return float("nan")
    estimates = run.columns("responsiveness")
    share = estimates["share"][estimates["time"] > run.scenario.warm_up]
    return known_mean(share)


# --- ns-2 ---------------------------------------------------------------------------------------------------

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


def ns2_cells(folder: Any) -> pa.Table:
    """One row a cell: means over ns-2's runs. ``folder`` holds ``results/study1c.csv``. Runs with other
    numbers of CBR flows than ours, or with CBR flows that start at random, are left out.
    """
    from parshall_studies.baselines import load_study

    columns: dict[str, list[Any]] = {}
    for baseline in load_study(folder, "1c"):
        place = _place(baseline.settings)
        if place is None:
            continue
        means = {metric: float(np.mean(baseline.outcomes[name])) for metric, name in OUTCOMES.items()}
        for name, value in {**dict(zip(DIMS, place, strict=True)), **means}.items():
            columns.setdefault(name, []).append(value)
    return st.tidy(columns, DIMS)


def _place(settings: Settings) -> tuple[str, str, int, str, int] | None:
    """The cell of ours with these settings."""
    capacity = round(settings.number("bw") / 1e6)
    if capacity not in CAPACITIES or settings.number("cbrjitter") > 0:
        return None
    buffers = {BUFFER_PACKETS[capacity][name]: name for name in BUFFERS}
    loads = {SHORT_FLOWS[capacity][load]: load for load in LOADS}
    buffer, load = buffers.get(settings.whole("buf")), loads.get(settings.whole("nstf"))
    if buffer is None or load is None or settings.whole("ncbr") != CBR_FLOWS[capacity][load]:
        return None
    return _QUEUES[settings.one_of("qm", list(_QUEUES))], "sack", capacity, buffer, load
