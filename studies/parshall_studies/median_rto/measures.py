"""Measures: of each run, with the document's own definitions, and of the filters over their
parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import Record
from parshall.stats import mean
from parshall_studies import study as st
from parshall_studies.median_rto import costs, impulses, scenarios
from parshall_studies.median_rto.scenarios import (
    DURATION,
    FLOATING,
    ORIGINAL,
    PAYLOAD_BITS,
    TRAFFICS,
    Variant,
    distance_scenarios,
    frontier_grid,
    study_scenarios,
    traffic_name,
    variants,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

    Reals = NDArray[np.float64]

EXAMPLE_FLOW = "f1"
"""The flow whose RTT and RTO are drawn."""
_LIVE_SEEDS = 20
"""Seeds for the settings of the filters in the simulator: enough for a trend, and there are many settings."""
_SERIES_SEEDS = 20
"""Seeds whose RTT samples are replayed; more move no mark by its own size."""
_DIMS = ("traffic", "recovery", "filter")
_QUICK_FILTERS = (ORIGINAL, FLOATING, "median-5")
_COUNTED = ("timeouts", "spurious_timeouts", "timeout_wait", "packets_sent", "packets_delivered")


def measure(bench: st.Workbench) -> st.Measures:
    """Runs every variant, then weighs the costs of the filters over their parameters."""
    tables = _runs(bench, variants())
    measured = costs.measured_rtts(bench)
    return {
        **tables,
        "rtt_examples": _examples(bench, tables["runs"]),
        **_series_costs(bench, {**measured, **_simulated_rtts(bench, _SERIES_SEEDS)}),
        **impulses.measure(bench.seeds, measured),
        **_distances(bench),
        **_live(bench),
    }


def quick(bench: st.Workbench) -> st.Measures:
    """The median of 5 beside both controls, and the least waits at equal risk."""
    compared = [each for each in variants() if each.recovery == "tahoe" and each.filter in _QUICK_FILTERS]
    series = {**costs.measured_rtts(bench), **_simulated_rtts(bench, len(bench.seeds))}
    return {"runs": _runs(bench, compared)["runs"], **_series_costs(bench, series)}


def _runs(bench: st.Workbench, wanted: Iterable[Variant]) -> dict[str, Any]:
    networks = study_scenarios()
    keys = {(each.traffic, each.recovery, each.filter): each for each in wanted}
    return bench.measure(
        "Runs",
        {key: networks[variant.name] for key, variant in keys.items()},
        lambda key, run: of_run(keys[key], run),
        dims=_DIMS,
        tables=("flows", "rtt", "flow_series"),
    )


def _examples(bench: st.Workbench, runs: Any) -> Any:
    """RTT and RTO of one flow of one run, for each of the document's variants."""
    networks = study_scenarios()
    found = []
    for traffic in TRAFFICS:
        chosen = {
            (each.traffic, each.recovery, each.filter): networks[each.name]
            for each in variants()
            if each.of_document and each.traffic == traffic
        }
        tables = bench.measure(
            "Examples",
            chosen,
            lambda _, run: {"rtt_examples": _example(run)},
            dims=_DIMS,
            seeds=[example_seed(runs, Variant(traffic, "tahoe", ORIGINAL))],
            tables=("flows", "rtt"),
        )
        found.append(tables["rtt_examples"])
    return _joined(found)


def _simulated_rtts(bench: st.Workbench, seeds: int) -> dict[str, Any]:
    """The original's RTTs in runs with so many seeds, by traffic."""
    networks = study_scenarios()
    found = bench.each(
        "RTTs to replay",
        {traffic: networks[Variant(traffic, "tahoe", ORIGINAL).name] for traffic in TRAFFICS},
        lambda _, run: costs.rtts_of(run),
        seeds=bench.seeds[:seeds],
        tables=("flows", "rtt"),
    )
    return {
        f"simulated, {traffic_name(traffic)} sources": [part for run in runs for part in run]
        for traffic, runs in found.items()
    }


def _series_costs(bench: st.Workbench, series: Mapping[str, Any]) -> dict[str, Any]:
    grid = frontier_grid()
    found = costs.series_costs(bench, grid, series)
    return {
        "series_costs": found,
        "least_waits": costs.least_waits(st.Results({"series_costs": found}), grid),
    }


def of_run(variant: Variant, run: Recording) -> st.Rows:
    """Rates, losses, how the RTO lay over the RTT, and for the document's variants the goodput over time.

    ``throughput`` and ``goodput`` are in bit/s of payload of the six flows together, ``loss`` is
    (throughput - goodput) / throughput in %.
    """
    sums, rates = _of_flows(run)
    impulsive = {"rtt_impulses": impulses.impulse_share(costs.rtts_of(run))}
    rows: dict[str, Any] = {"runs": {**rates, **sums, **_margins(run.columns("rtt")), **impulsive}}
    if variant.of_document:
        rows["goodput_over_time"] = _goodput_over_time(run.columns("flow_series"))
    return rows


def _of_flows(run: Recording) -> tuple[dict[str, float], dict[str, float]]:
    """Counts of timeouts, and the document's rates."""
    flows = run.columns("flows")
    sums = {name: float(flows[name].sum()) for name in _COUNTED}
    sent, delivered = sums.pop("packets_sent"), sums.pop("packets_delivered")
    bits = PAYLOAD_BITS / DURATION
    rates = {
        "throughput": sent * bits,
        "goodput": delivered * bits,
        "loss": 100 * (sent - delivered) / sent if sent else float("nan"),
    }
    return sums, rates


def example_seed(runs: Any, variant: Variant) -> int:
    """The seed whose goodput is the median over seeds."""
    goodput = st.Results({"runs": runs}).values(
        "runs", "goodput", traffic=variant.traffic, recovery=variant.recovery, filter=variant.filter
    )
    order = np.argsort(goodput.seeds, kind="stable")
    return int(goodput.labels["seed"][order[(len(order) - 1) // 2]])


def _margins(rtt: Mapping[str, Any]) -> dict[str, float]:
    """Each RTT against the RTO that was in force when its packet was sent, which is the one after the sample
    before; ``rto_margin`` is the mean of RTO - RTT in seconds, ``rto_exceeded`` the share of RTTs above it.
    """
    # Rows are in order of time, and a stable sort keeps them so. The first sample of a flow meets the
    # initial RTO, which is no estimate.
    order = np.argsort(rtt["flow"], kind="stable")
    flow, sample, rto = (rtt[name][order] for name in ("flow", "rtt", "rto"))
    later = flow[1:] == flow[:-1]
    sample, in_force = sample[1:][later], rto[:-1][later]
    return {
        "rtt_samples": float(len(sample)),
        "rtt_mean": mean(sample),
        "rtt_deviation": float(np.std(sample)) if len(sample) else float("nan"),
        "rto_mean": mean(in_force),
        "rto_deviation": float(np.std(in_force)) if len(sample) else float("nan"),
        "rto_margin": mean(in_force - sample),
        "rto_exceeded": mean((sample > in_force).astype(np.float64)),
        "rtt_tail": impulses.tail_ratio(sample),
    }


def _goodput_over_time(series: Mapping[str, Any]) -> st.RunSeries:
    """Cumulative goodput of all flows together, in Mbit."""
    times, place = np.unique(series["time"], return_inverse=True)
    packets = np.bincount(place, weights=series["packets_delivered"])
    return st.RunSeries({"time": times}, {"megabits": packets * (PAYLOAD_BITS / 1e6)})


def _example(run: Recording) -> st.RunSeries:
    """RTT samples and RTOs of one flow."""
    rtt = run.columns("rtt")
    own = rtt["flow"] == run.flows.index(EXAMPLE_FLOW)
    return st.RunSeries({"time": rtt["time"][own]}, {name: rtt[name][own] for name in ("rtt", "rto")})


def _distances(bench: st.Workbench) -> st.Measures:
    """Runs with timeouts nearer to the round trip and farther from it."""

    def of_flows(_: Any, run: Recording) -> st.Rows:
        counts, rates = _of_flows(run)
        return {"distances": {**rates, **counts}}

    return bench.measure(
        "Runs, nearer and farther",
        distance_scenarios(),
        of_flows,
        dims=("traffic", "deviations"),
        tables=("flows",),
    )


def _live(bench: st.Workbench) -> st.Measures:
    """Events in runs of the simulator, for each setting and kind of traffic: counts of a run."""
    variants = {
        (traffic, tuned.name): scenarios.scenario(traffic, "tahoe", tuned.config, Record())
        for traffic in TRAFFICS
        for tuned in frontier_grid(live=True)
    }

    def counts(_: Any, run: Recording) -> st.Rows:
        flows = run.columns("flows")
        return {"live_costs": {name: float(flows[name].sum()) for name in _COUNTED}}

    return bench.measure(
        "Runs, parameters",
        variants,
        counts,
        dims=("traffic", "setting"),
        seeds=bench.seeds[:_LIVE_SEEDS],
        tables=("flows",),
    )


def _joined(tables: list[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_tables(tables)
