"""Numbers that the report's sentences are made with."""

from __future__ import annotations

from typing import Any

import numpy as np

from parshall import stats
from parshall_studies import study as st
from parshall_studies.median_rto import scenarios
from parshall_studies.median_rto.claims import of
from parshall_studies.median_rto.costs import WARM_UP, frontier_id, matched
from parshall_studies.median_rto.scenarios import (
    DOCUMENT_FILTERS,
    FILTERS,
    ORIGINAL,
    TRAFFICS,
    Traffic,
    frontier_grid,
    traffic_name,
)
from parshall_studies.median_rto.shown import example_seed


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By the names under which the page knows them."""
    return {
        "net": scenarios,
        "warm_up": WARM_UP,
        "traffics": [_of_traffic(results, traffic) for traffic in TRAFFICS],
        "filters": FILTERS,
        "live_seeds": len(results.labels("live_costs", "seed")),
        "relative": float(1 / np.sqrt(scenarios.PARETO_SHAPE * (scenarios.PARETO_SHAPE - 2))),
        "beyond_load": judged.where("same-seed.", ".throughput"),
        **_frontier(results),
    }


def _of_traffic(results: st.Results, traffic: Traffic) -> dict[str, Any]:
    """What the median of 5 does beside the original filter, and how single runs scatter."""

    def values(measure: str, filter: str) -> Any:
        return of(measure, filter, traffic).values(results).seeds

    names = ("goodput", "loss", "rto_margin", "spurious_timeouts", "timeout_wait")
    change = {
        name: stats.difference_interval(values(name, "median-5"), values(name, ORIGINAL)) for name in names
    }
    noise = {name: stats.noise_bound(values(name, ORIGINAL)).mean for name in ("goodput", "loss")}
    throughput = values("throughput", ORIGINAL)
    return {
        "name": traffic_name(traffic),
        "example": example_seed(results, traffic),
        "samples": {
            name: results.rows("rtt_examples", traffic=traffic, filter=name).num_rows
            for name in DOCUMENT_FILTERS
        },
        "change": change,
        "relative": change["goodput"].scaled(100 / float(np.mean(values("goodput", ORIGINAL)))),
        "margins": [1e3 * float(np.nanmean(values("rto_margin", name))) for name in (ORIGINAL, "median-5")],
        "exceeded": [
            100 * float(np.nanmean(values("rto_exceeded", name))) for name in (ORIGINAL, "median-5")
        ],
        "noise": noise,
        "scatter": float(np.std(throughput, ddof=min(1, len(throughput) - 1))),
    }


def _frontier(results: st.Results) -> dict[str, Any]:
    """Which family waits least at RFC 6298's risk, over all series."""
    rows = [row for row in matched(results, frontier_grid()) if row["wait_ratio"] is not None]
    series = list(dict.fromkeys(row["series"] for row in rows))
    best = [
        min((row for row in rows if row["series"] == name), key=lambda row: float(row["wait_ratio"]))
        for name in series
    ]
    won = {row["family"]: sum(other["family"] == row["family"] for other in best) for row in best}
    return {
        "series": series,
        "judged_samples": {
            name: float(results.values("series_costs", "samples", series=name).array[0]) for name in series
        },
        "won": sorted(won.items(), key=lambda item: -item[1]),
        "gains": [100 * (1 - row["wait_ratio"]) for row in best],
        "frontiers": [frontier_id(name) for name in series],
    }
