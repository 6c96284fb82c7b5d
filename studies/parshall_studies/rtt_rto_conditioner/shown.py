"""Figures and tables of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from parshall import plot
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner.beyond import (
    KNOWING,
    KS,
    PASSIVE_FARS,
    SENSITIVE,
    SOLUTION_FARS,
    SOLUTION_FLOWS,
    SOLUTIONS,
    VARIATIONS,
)
from parshall_studies.rtt_rto_conditioner.claims import CAPACITY
from parshall_studies.rtt_rto_conditioner.conditioners import (
    EDGES,
    FAIR,
    MODEL,
    RTT,
    RTT_RTO,
    RTT_SW,
    RTT_TWO,
    STANDARD,
    SW,
)
from parshall_studies.rtt_rto_conditioner.document import FARS, PRINTED_FAR
from parshall_studies.rtt_rto_conditioner.judging import DESIGN_FARS, DESIGN_FLOWS, JUDGED, KINDS
from parshall_studies.rtt_rto_conditioner.measures import CORE_RATES
from parshall_studies.rtt_rto_conditioner.networks import DURATION
from parshall_studies.rtt_rto_conditioner.quantities import COLOURS, FIVE, PAIR, UNITS, apart, of
from parshall_studies.rtt_rto_conditioner.traffic import TRAFFIC_EDGES, WEB_SESSIONS

_FAR = st.Axis("round trip of F2", "ms", ticks={float(far): str(far) for far in FARS if far != 20})
_RATE = st.Axis("throughput", "Mbit/s", limits=(0, 8))
_PAIR_LOOKS = st.looks({"F1": "F1, 20 ms", "F2": "F2"})
_CORES = {name: f"{rate / 1e6:g} Mbit/s" for name, rate in CORE_RATES.items()}


def shown(results: st.Results, judged: st.Judgements) -> Iterator[st.Figure | st.Table | st.PrintedTable]:
    """Everything that the page refers to."""
    del judged
    yield _rates(results, "fig-3", (STANDARD, SW))
    yield _rates(results, "fig-4", (RTT, RTT_TWO, RTT_RTO, RTT_SW))
    yield _windows(results)
    yield _domains(results)
    yield _telnet(results)
    yield _web(results)
    yield _mechanism(results)
    yield _rates(results, "ours", (MODEL, FAIR))
    yield _sensitivity(results)
    yield _small(results)
    yield _passive(results)
    yield _today(results)
    yield _design(results)
    yield _judging(results)


def _rates(results: st.Results, id: str, edges: Sequence[str]) -> st.Figure:
    """Throughput of both aggregates over the round trip of F2, a panel for each edge."""
    marks = (st.Mark(y=CAPACITY / 2),)
    panels = [
        st.Panel(
            tuple(
                st.means(look, of("grid", f"rate_{name}", edge).values(results), "far")
                for name, look in _PAIR_LOOKS.items()
            ),
            EDGES[edge].label,
            marks=marks,
        )
        for edge in edges
    ]
    height = 2.8 if len(edges) == 2 else 5.0
    return st.drawn(id, panels, _FAR, _RATE, columns=2, height=height, share=(True, True))


def _windows(results: st.Results) -> st.Figure:
    """Figure 5: the window of one connection of F1."""
    panels = []
    for edge in (STANDARD, RTT, RTT_SW):
        own = results.rows("windows", edge=edge)
        look = st.Look("window", plot.SERIES[0], width=0.8)
        trace = st.Trace(look, own["time"].to_numpy(), own["cwnd"].to_numpy(), style="steps")
        panels.append(st.Panel((trace,), EDGES[edge].label))
    x = st.Axis("time", "s", limits=(0, DURATION))
    y = st.Axis("window", "packets", limits=(0, None))
    return st.drawn("fig-5", panels, x, y, columns=3, height=2.6, share=(True, True), legend=0)


def _domains(results: st.Results) -> st.Table:
    rows = [
        (f"{edge.label}, {words}", {"edge": name, "core": core})
        for core, words in _CORES.items()
        for name, edge in EDGES.items()
    ]
    columns: list[tuple[str, st.Expression, float]] = [
        (f"{name}, Mbit/s", st.Quantity("domains", f"rate_{name}", "Mbit/s"), 1.0) for name in FIVE
    ]
    return st.means_table(results, "fig-6", "Conditioner and links", rows, columns)


_PROFILE_WORDS = {"printed": "targets as printed", "scaled": "targets of a tenth"}


def _telnet(results: st.Results) -> st.Table:
    """Table I."""
    rows = [
        (f"{EDGES[edge].label}, {words}", {"edge": edge, "profile": profile})
        for profile, words in _PROFILE_WORDS.items()
        for edge in TRAFFIC_EDGES
    ]
    heads = {"long": "F1, F2, F4, s", "short": "F3, F5, s", "all": "all, s", "session": "a session, s"}
    columns: list[tuple[str, st.Expression, float]] = [
        (head, st.Quantity("telnet", metric, "s"), 1.0) for metric, head in heads.items()
    ]
    return st.means_table(results, "table-1", "Conditioner", rows, columns)


def _web(results: st.Results) -> st.Table:
    """Table II."""
    rows = [
        (
            f"{EDGES[edge].label}, {sessions} sessions, {words}",
            {"edge": edge, "profile": profile, "sessions": sessions},
        )
        for profile, words in _PROFILE_WORDS.items()
        for sessions in WEB_SESSIONS
        for edge in TRAFFIC_EDGES
    ]
    heads = {
        "first": "first packet, s",
        "first_sd": "deviation, s",
        "last": "last packet, s",
        "last_sd": "deviation, s (last)",
    }
    columns: list[tuple[str, st.Expression, float]] = [
        (head, st.Quantity("web", metric, "s"), 1.0) for metric, head in heads.items()
    ]
    return st.means_table(results, "table-2", "Conditioner", rows, columns)


def _mechanism(results: st.Results) -> st.Table:
    """What is behind Figures 3 and 4 at one round trip: colours, drops, timeouts."""
    rows = [(edge.label, {"edge": name, "far": PRINTED_FAR}) for name, edge in EDGES.items()]
    columns: list[tuple[str, st.Expression, float]] = [
        (f"{name} red, %", st.Quantity("grid", f"red_{name}", "%"), 1.0) for name in PAIR
    ]
    columns += [(f"{name} protected, %", st.Quantity("grid", f"protected_{name}", "%"), 1.0) for name in PAIR]
    columns += [
        (f"{name} timeouts/s", st.Quantity("grid", f"timeouts_{name}", "a second"), 1.0) for name in PAIR
    ]
    columns += [
        (f"{colour} dropped, %", st.Quantity("grid", f"drops_{colour}", "%"), 1.0) for colour in COLOURS
    ]
    columns += [("all dropped, %", st.Quantity("grid", "lost", "%"), 1.0)]
    return st.means_table(results, "mechanism", "Conditioner", rows, columns, "matrix")


def _sensitivity(results: st.Results) -> st.Table:
    rows = [(variation.label, {"variation": name}) for name, variation in VARIATIONS.items()]
    columns: list[tuple[str, st.Expression, float]] = [
        (f"{name}, {EDGES[edge].label}", of("sensitivity", f"rate_{name}", edge), 1.0)
        for edge in SENSITIVE
        for name in PAIR
    ]
    return st.means_table(results, "sensitivity", "What is otherwise", rows, columns, "matrix")


def _small(results: st.Results) -> st.Table:
    words = {"paid": "paid for", "free": "not paid for"}
    rows = [
        (f"{EDGES[edge].label}, below {k}, {words[paid]}", {"edge": edge, "k": k, "paid": paid})
        for edge in (SW, RTT_SW)
        for k in KS
        for paid in words
    ]
    columns = [
        (head, st.Quantity("small", metric, UNITS.get(metric, "%")), 1.0)
        for head, metric in (
            ("F1, Mbit/s", "rate_F1"),
            ("F2, Mbit/s", "rate_F2"),
            ("dropped, %", "lost"),
            ("F1 protected, %", "protected_F1"),
            ("F2 protected, %", "protected_F2"),
        )
    ]
    return st.means_table(results, "small", "Conditioner, window, and whether it is paid for", rows, columns)


def _passive(results: st.Results) -> st.Table:
    rows = [
        (f"{EDGES[edge].label}, {far} ms, {flows} each", {"edge": edge, "far": far, "flows": flows})
        for edge in KNOWING
        for far in PASSIVE_FARS
        for flows in SOLUTION_FLOWS
    ]
    errors = {"rtt": "RTT off by, %", "rto": "RTO off by, %", "window": "window off by, %"}
    columns: list[tuple[str, st.Expression, float]] = [
        (head, st.Quantity("passive", f"error_{what}", "%").at(source="packets"), 1.0)
        for what, head in errors.items()
    ]
    columns += [
        (f"{name}, {words}", st.Quantity("passive", f"rate_{name}", "Mbit/s").at(source=source), 1.0)
        for source, words in (("packets", "listening"), ("senders", "told"))
        for name in PAIR
    ]
    return st.means_table(results, "passive", "Conditioner", rows, columns)


def _today(results: st.Results) -> st.Table:
    rows = [
        (
            f"{solution.label}, {flows} each (at edges: {solution.at_edge}; in the core: {solution.at_core})",
            {"edge": name, "flows": flows},
        )
        for flows in SOLUTION_FLOWS
        for name, solution in SOLUTIONS.items()
    ]
    columns: list[tuple[str, st.Expression, float]] = [
        (f"Jain, {far} ms", st.Quantity("today", "jain").at(far=far), 1.0) for far in SOLUTION_FARS
    ]
    far = SOLUTION_FARS[1]
    columns += [
        (f"Mbit/s, {far} ms", st.Quantity("today", "total", "Mbit/s").at(far=far), 1.0),
        (f"dropped, {far} ms, %", st.Quantity("today", "lost", "%").at(far=far), 1.0),
    ]
    return st.means_table(results, "today", "Solution", rows, columns)


def _design(results: st.Results) -> st.Table:
    labels = [f"{one} and {other}" for one, other in DESIGN_FLOWS]
    rows = [(f"{label} connections", {"flows": label}) for label in labels]
    columns: list[tuple[str, st.Expression, float]] = [
        (f"apart, {far} ms, %", apart("design", FAIR, far=far), 100.0) for far in DESIGN_FARS
    ]
    return st.means_table(results, "design", "F1 and F2", rows, columns)


def _judging(results: st.Results) -> st.Table:
    rows = [(kind.label, {"kind": name}) for name, kind in KINDS.items()]
    columns: list[tuple[str, st.Expression, float]] = [
        (f"apart, {EDGES[edge].label}, %", apart("judging", edge), 100.0) for edge in JUDGED
    ]
    columns += [(f"Mbit/s, {EDGES[edge].label}", of("judging", "total", edge), 1.0) for edge in JUDGED]
    return st.means_table(results, "judging", "Network", rows, columns)
