"""Numbers that the report's sentences are made with."""

from __future__ import annotations

from typing import Any

from parshall.stats import known_mean
from parshall_studies import study as st
from parshall_studies.tcp_tp import beyond, document, judging, model, networks, senders, series
from parshall_studies.tcp_tp.document import NS
from parshall_studies.tcp_tp.quantities import FULL, of, reduction
from parshall_studies.tcp_tp.senders import (
    ABLATION,
    DOCUMENT,
    HEADER_BYTES,
    NEWRENO,
    OURS,
    PAYLOAD_BYTES,
    TP,
)


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By the names under which the page knows them."""

    def mean(expression: st.Expression) -> float:
        return known_mean(expression.values(results).array)

    return {
        "document": document,
        "networks": networks,
        "senders": senders,
        "model": model,
        "sources": beyond.TRAFFIC,
        "kinds": judging.KINDS,
        "capacity": networks.RATE / 1e6 * PAYLOAD_BYTES / (PAYLOAD_BYTES + HEADER_BYTES),
        "together": networks.ARRIVAL_END - networks.ARRIVAL,
        "full": FULL,
        "few": min(beyond.FEW_SEEDS, len(results.seeds)),
        "first_seed": int(results.labels("curves", "seed")[0]),
        "loss": {name: [mean(of("grid", "loss", name, n=n)) for n in FULL] for name in DOCUMENT},
        "throughput": {name: [mean(of("grid", "throughput", name, n=n)) for n in FULL] for name in DOCUMENT},
        "jain": {name: [mean(of("grid", "jain", name, n=n)) for n in FULL] for name in DOCUMENT},
        "cuts": {name: [mean(of("grid", "cuts", name, n=n)) for n in FULL] for name in DOCUMENT},
        "reductions": {table: [mean(reduction(table, n=n)) for n in FULL] for table in ("grid", "unequal")},
        "own": {
            gain: [100 * mean(of("own", "error", TP, gain=gain, predictor="lmmse", n=n)) for n in NS]
            for gain in series.GAINS
        },
        "own_last": {
            gain: [100 * mean(of("own", "error", TP, gain=gain, predictor="last-value", n=n)) for n in NS]
            for gain in series.GAINS
        },
        "own_hurst": mean(of("own_memory", "hurst", TP, n=60)),
        "own_hurst_flagged": 100 * mean(of("own_memory", "shifts", TP, n=60)),
        "traffic": {
            (source, name): [
                100
                * mean(st.Quantity("traffic", "error").at(source=source, predictor=name, interval=interval))
                for interval in series.INTERVALS
            ]
            for source in ("pareto-1", "pareto-0.5")
            for name in series.PREDICTORS
        },
        "hurst": {
            source: mean(st.Quantity("traffic_memory", "hurst").at(source=source))
            for source in ("pareto-1", "pareto-0.5")
        },
        "dynamic": {
            (name, source, what): mean(of("dynamic", what, name, source=source))
            for name in DOCUMENT
            for source in ("bulk", networks.MAIN)
            for what in ("joined", "left", "delivered_239")
        },
        "arrivals": {
            (name, half, metric): mean(of("arrivals", metric, name, half=half))
            for name in beyond.ARRIVING
            for half in beyond.HALVES
            for metric in ("convergence", "last_jain", "last_throughput", "loss", "delay")
        },
        "ablation": {
            name: [mean(of("ablation", "throughput", name, n=n)) for n in beyond.SOME_NS] for name in ABLATION
        },
        "ablation_loss": {
            name: [mean(of("ablation", "loss", name, n=n)) for n in beyond.SOME_NS] for name in ABLATION
        },
        "mixed": {
            (first, second, source): 100
            * mean(st.Quantity("mixed", "share").at(first=first, second=second, source=source))
            for first, second in beyond.PAIRS
            for source in beyond.MIXED_SOURCES
        },
        "judged_loss": {
            name: [mean(of("judging", "loss", name, kind=kind)) for kind in judging.KINDS]
            for name in judging.JUDGED
        },
        "unfair_kinds": [
            kind.label
            for name, kind in judging.KINDS.items()
            if judged[f"ours.fair.{name}"].verdict is st.Verdict.FAILS
        ],
        "designed": {
            name: [
                mean(of("design", metric, name, source=networks.MAIN, n=60)) for metric in ("loss", "jain")
            ]
            for name in judging.DESIGNS
        },
        "judged_throughput": [
            100
            * mean(of("judging", "throughput", OURS, kind=kind))
            / mean(of("judging", "throughput", NEWRENO, kind=kind))
            for kind in judging.KINDS
        ],
        "transfers": {
            (name, size): mean(of("transfers", "throughput", name, size=size))
            for name in (NEWRENO, TP, "measured")
            for size in networks.SIZES
        },
    }
