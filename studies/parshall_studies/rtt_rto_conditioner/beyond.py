"""Questions beyond the document: what its silence decides, what an edge finds out that nobody tells, and
what an engineer would do today.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from parshall.scenario import (
    ClassQueue,
    Conditioner,
    DiffServ,
    DropTail,
    Drr,
    FqCodel,
    Precedence,
    Record,
    Red,
    Rule,
    Scenario,
    Series,
)
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner.conditioners import (
    DOCUMENT,
    EDGES,
    FAIR,
    PROFILE,
    RTT,
    RTT_RTO,
    RTT_SW,
    STANDARD,
    SW,
    Edge,
    Profile,
    small_windows,
)
from parshall_studies.rtt_rto_conditioner.networks import LIMIT, PAYLOAD_BYTES, Setting, shared
from parshall_studies.rtt_rto_conditioner.quantities import counts, errors

if TYPE_CHECKING:
    from parshall.recording import Recording

FEW_SEEDS = 10
"""Seeds of what goes beyond the document, at most."""
_TABLES = ("flows", "ports", "aggregates", "classes")
FAR = 0.1
SENSITIVE = (STANDARD, RTT, RTT_RTO, RTT_SW, FAIR)


@dataclass(frozen=True)
class Variation:
    """One thing that the document does not say, or says, said otherwise."""

    label: str
    setting: Setting


_BASE = Setting(far=FAR)
VARIATIONS: Mapping[str, Variation] = {
    "base": Variation("as above", _BASE),
    "rto-1s": Variation("least RTO of 1 s", replace(_BASE, min_rto=1.0)),
    "core-8": Variation("8 Mbit/s", replace(_BASE, rate=8e6)),
    "core-20": Variation("20 Mbit/s", replace(_BASE, rate=20e6)),
    "under": Variation("3.5 Mbit/s, under-provisioned", replace(_BASE, rate=3.5e6)),
    "buffer-60": Variation("60 packets", replace(_BASE, limit=60)),
    "buffer-200": Variation("200 packets", replace(_BASE, limit=200)),
    "rio-d": Variation("RIO-D", replace(_BASE, dropper="rio-d")),
    "wred": Variation("WRED", replace(_BASE, dropper="wred")),
    "reno": Variation("Reno", replace(_BASE, recovery="reno")),
    "flows-20": Variation("20 connections each", replace(_BASE, flows=(20, 20))),
    "flows-4": Variation("4 connections each", replace(_BASE, flows=(4, 4))),
}
KS = (2, 3, 5)
"""Bounds of small windows, in packets."""
KNOWING = (RTT, RTT_RTO, RTT_SW, FAIR)
"""Edges that go by more than sizes."""
PASSIVE_FARS = (20, 100, 200)


def measure(bench: st.Workbench) -> st.Measures:
    """All of it."""
    return {**_sensitivity(bench), **_small(bench), **_passive(bench), **_today(bench)}


def _counted(bench: st.Workbench, what: str, variants: Any, table: str, dims: tuple[str, ...]) -> st.Measures:
    return bench.measure(
        what,
        variants,
        lambda _, run: counts(run),
        table=table,
        dims=dims,
        seeds=bench.seeds[:FEW_SEEDS],
        tables=_TABLES,
    )


def _sensitivity(bench: st.Workbench) -> st.Measures:
    variants = {
        (name, variation): partial(shared, EDGES[name], each.setting)
        for name in SENSITIVE
        for variation, each in VARIATIONS.items()
    }
    return _counted(bench, "What the document leaves out", variants, "sensitivity", ("edge", "variation"))


def _small(bench: st.Workbench) -> st.Measures:
    """The bound of small windows, and whether what is protected is paid for."""
    variants = {
        (name, k, paid): partial(
            shared, replace(DOCUMENT[name], small_window=small_windows(k, repay=paid == "paid")), _BASE
        )
        for name in (SW, RTT_SW)
        for k in KS
        for paid in ("paid", "free")
    }
    return _counted(bench, "Small windows", variants, "small", ("edge", "k", "paid"))


def _passive(bench: st.Workbench) -> st.Measures:
    """Edges that know only what passes, beside those that are told."""
    record = Record(edges=Series(of=["edge-F1", "edge-F2"], interval=1.0))
    variants = {
        (name, source, far, flows): partial(
            shared,
            replace(EDGES[name], source=source),
            Setting(far=far / 1000, flows=(flows, flows)),
            record,
        )
        for name in KNOWING
        for source in ("packets", "senders")
        for far in PASSIVE_FARS
        for flows in (4, 200)
    }

    def of_run(_: Any, run: Recording) -> dict[str, float]:
        return {**counts(run), **errors(run)}

    return bench.measure(
        "Edges that listen",
        variants,
        of_run,
        table="passive",
        dims=("edge", "source", "far", "flows"),
        seeds=bench.seeds[:FEW_SEEDS],
        tables=(*_TABLES, "edges"),
    )


# --- What an engineer would do today ------------------------------------------------------------------------


@dataclass(frozen=True)
class Solution:
    """Edges, a queue in the core and a transport, and what state they need."""

    label: str
    edge: Edge | None = None
    options: Mapping[str, Any] | None = None
    at_edge: str = "nothing"
    at_core: str = "nothing"

    def network(self, far: float) -> Scenario:
        """Where F2 has this round trip in seconds."""
        return shared(self.edge, Setting(far=far, **(self.options or {})))


@dataclass(frozen=True)
class _Sorted(Edge):
    """An edge that gives each aggregate a class of its own."""

    def conditioner(self, flows: str, profile: Profile, min_rto: float) -> Conditioner:
        del profile, min_rto
        dscp = "AF11" if flows.startswith("F1") else "AF21"
        return Conditioner(rules=[Rule(flows=flows, of="data", if_green=dscp)])


_CLASSES = DiffServ(
    queues=[
        ClassQueue(precedences=[Precedence(dscp=dscp)], limit_packets=LIMIT // 2) for dscp in ("AF11", "AF21")
    ],
    scheduler=Drr(weights=[1, 1]),
    mean_packet_bytes=PAYLOAD_BYTES,
)
_MARKS = Red(
    min_threshold_packets=20,
    max_threshold_packets=20,
    max_probability=1.0,
    weight=1.0,
    ecn=True,
    limit_packets=LIMIT,
)
"""A step at an instantaneous queue of 20 packets."""
_PLAIN = DropTail(limit_packets=LIMIT)
SHAPER = "shaper"
SOLUTIONS: Mapping[str, Solution] = {
    "droptail": Solution("NewReno, DropTail", options={"core": _PLAIN}),
    STANDARD: Solution("standard", EDGES[STANDARD], at_edge="each aggregate", at_core="each precedence"),
    RTT_RTO: Solution("RTT-RTO", EDGES[RTT_RTO], at_edge="each connection", at_core="each precedence"),
    FAIR: Solution("feedback", EDGES[FAIR], at_edge="each connection", at_core="each precedence"),
    SHAPER: Solution(
        "NewReno, shapers at the profile's rate",
        options={"core": _PLAIN, "shaper": PROFILE.cir},
        at_edge="each aggregate",
    ),
    "cubic": Solution("CUBIC with SACK, DropTail", options={"core": _PLAIN, "transport": "linux"}),
    "cubic-fq": Solution(
        "CUBIC with SACK, FQ-CoDel",
        options={"core": FqCodel(), "transport": "linux"},
        at_core="each connection",
    ),
    "fq": Solution("NewReno, FQ-CoDel", options={"core": FqCodel()}, at_core="each connection"),
    "drr": Solution(
        "NewReno, DRR by aggregates",
        _Sorted("classes", lambda profile: None),
        {"core": _CLASSES},
        "each aggregate",
        "each aggregate",
    ),
    "dctcp": Solution("DCTCP, marks above 20 packets", options={"core": _MARKS, "transport": "dctcp"}),
}
SOLUTION_FARS = (20, 100, 200)
SOLUTION_FLOWS = (4, 200)


def _today(bench: st.Workbench) -> st.Measures:
    variants = {
        (name, far, flows): partial(
            replace(solution, options={**(solution.options or {}), "flows": (flows, flows)}).network,
            far / 1000,
        )
        for name, solution in SOLUTIONS.items()
        for far in SOLUTION_FARS
        for flows in SOLUTION_FLOWS
    }
    return _counted(bench, "What is done today", variants, "today", ("edge", "far", "flows"))
