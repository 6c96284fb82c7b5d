"""Numbers that the report's sentences are made of."""

from __future__ import annotations

from typing import Any

from parshall.stats import known_mean
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner import beyond, document, judging, networks, traffic
from parshall_studies.rtt_rto_conditioner.claims import CAPACITY
from parshall_studies.rtt_rto_conditioner.conditioners import EDGES, FAIR, RTT_RTO
from parshall_studies.rtt_rto_conditioner.document import FARS
from parshall_studies.rtt_rto_conditioner.quantities import FIVE, PAIR, apart, of


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By name."""

    def mean(expression: st.Expression) -> float:
        return known_mean(expression.values(results).array)

    return {
        "networks": networks,
        "beyond": beyond,
        "capacity": CAPACITY,
        "few": min(beyond.FEW_SEEDS, len(results.seeds)),
        "rate": {
            (edge, name, far): mean(of("grid", f"rate_{name}", edge, far=far))
            for edge in EDGES
            for name in PAIR
            for far in FARS
        },
        "total": {edge: [mean(of("grid", "total", edge, far=far)) for far in FARS] for edge in EDGES},
        "lost": {edge: [mean(of("grid", "lost", edge, far=far)) for far in FARS] for edge in EDGES},
        "apart": {edge: [100 * mean(apart("grid", edge, far=far)) for far in FARS] for edge in EDGES},
        "red": {
            (edge, name): mean(of("grid", f"red_{name}", edge, far=100)) for edge in EDGES for name in PAIR
        },
        "share_of_one": 1e-3 * networks.RATE / 2 / networks.FLOWS,
        "protected": mean(of("grid", "protected_F1", "rtt-sw", far=100)),
        "timeouts": {
            (edge, name): mean(of("grid", f"timeouts_{name}", edge, far=100))
            for edge in EDGES
            for name in PAIR
        },
        "domains": {
            (edge, core): [mean(of("domains", f"rate_{name}", edge, core=core)) for name in FIVE]
            for edge in EDGES
            for core in ("under", "over", "extreme")
        },
        "document": document,
        "telnet": {
            (edge, profile): [
                mean(of("telnet", metric, edge, profile=profile))
                for metric in ("long", "short", "all", "session")
            ]
            for edge in traffic.TRAFFIC_EDGES
            for profile in traffic.PROFILES
        },
        "web": {
            (edge, sessions): [
                mean(of("web", metric, edge, profile="scaled", sessions=sessions))
                for metric in ("first", "last")
            ]
            for edge in traffic.TRAFFIC_EDGES
            for sessions in traffic.WEB_SESSIONS
        },
        "window": {
            edge: mean(of("knowledge", "window_F1", edge, far=100)) for edge in ("rtt", "rtt-sw", "rtt-rto")
        },
        "rto_1s": 100 * mean(apart("sensitivity", "standard", variation="rto-1s")),
        "rto_base": 100 * mean(apart("sensitivity", "standard", variation="base")),
        "errors": {
            what: [
                mean(of("passive", f"error_{what}", edge, source="packets", far=far, flows=flows))
                for edge in beyond.KNOWING
                for far in beyond.PASSIVE_FARS
                for flows in beyond.SOLUTION_FLOWS
            ]
            for what in ("rtt", "rto", "window")
        },
        "design": [
            100 * mean(apart("design", FAIR, far=far, flows=f"{one} and {other}"))
            for far in judging.DESIGN_FARS
            for one, other in judging.DESIGN_FLOWS
        ],
        "judged_apart": {
            edge: [100 * mean(apart("judging", edge, kind=kind)) for kind in judging.KINDS]
            for edge in (FAIR, RTT_RTO)
        },
        "unfair_kinds": [
            kind.label
            for name, kind in judging.KINDS.items()
            if judged[f"fair.kinds.{name}"].verdict is not st.Verdict.HOLDS
        ],
    }
