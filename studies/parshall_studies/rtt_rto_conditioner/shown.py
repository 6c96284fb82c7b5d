"""Figures and tables of the report, and what its sentences are made of."""

from __future__ import annotations

from typing import Any

from parshall import plot
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner import (
    beyond,
    conditioners,
    document,
    judging,
    networks,
    timeouts,
    traffic,
)
from parshall_studies.rtt_rto_conditioner.claims import CAPACITY
from parshall_studies.rtt_rto_conditioner.conditioners import (
    EDGES,
    FAIR,
    FULL,
    MODEL,
    PAID,
    READING,
    RTT,
    RTT_RTO,
    RTT_SW,
    RTT_TWO,
    STANDARD,
    SW,
)
from parshall_studies.rtt_rto_conditioner.document import FARS, PRINTED_FAR
from parshall_studies.rtt_rto_conditioner.measures import CORE_RATES, NUMBERS
from parshall_studies.rtt_rto_conditioner.printed import PRINTED_TABLES
from parshall_studies.rtt_rto_conditioner.quantities import (
    COLOURS,
    FIVE,
    PAIR,
    WIRE,
    apart,
    equation_error,
    of,
)

NAMES = {
    "apart": apart,
    "beyond": beyond,
    "capacity": CAPACITY,
    "conditioners": conditioners,
    "document": document,
    "judging": judging,
    "networks": networks,
    "timeouts": timeouts,
    "traffic": traffic,
    "wire": WIRE,
    "equation_error": equation_error,
}
_NUMBER_TICKS = {float(n): "" if n == 100 else str(n) for n in NUMBERS}
"""There is no room for 100 beside 200."""
_FAR = st.Axis("round trip of F2", "ms", ticks={float(far): str(far) for far in FARS if far != 20})
_RATE = st.Axis("throughput", "Mbit/s", limits=(0, 8))
_PAIR_LOOKS = st.looks({"F1": "F1, 20 ms", "F2": "F2"})
_CORES = {name: f"{rate / 1e6:g} Mbit/s" for name, rate in CORE_RATES.items()}
_PROFILES = {"printed": "targets as printed", "scaled": "targets of a tenth"}


def _edges(*names: str) -> dict[str, str]:
    return {name: EDGES[name].label for name in names or EDGES}


def _rates(id: str, *edges: str) -> st.Made[st.Figure]:
    """Throughput of both aggregates over the round trip of F2, a panel for each edge."""
    lines = [st.Means(f"grid.rate_{name}", "far", look) for name, look in _PAIR_LOOKS.items()]
    panels = st.each("{edge}", edge=_edges(*edges))
    size = {"columns": 2, "height": 4.2} if len(edges) == 4 else {"columns": len(edges), "height": 2.8}
    options: dict[str, Any] = {**size, "share": (True, True)}
    return st.drawing(id, lines, _FAR, _RATE, panels=panels, marks=[st.Mark(y=CAPACITY / 2)], **options)


_TIMED_NUMBERS = {float(n): str(n) for n in timeouts.TIMED_NUMBERS}
_TIMED_LOOKS = st.looks(_edges(STANDARD, SW, RTT, RTT_SW, PAID))
_NUMBERS_LOOKS = st.looks({"F1": "F1, 20 ms", "F2": "F2, 100 ms"})


def _five(results: st.Results, judged: object) -> st.Figure:
    """Figure 6: what each of five aggregates gets."""
    panels = []
    for edge in (STANDARD, RTT, RTT_RTO, RTT_SW):
        found = [
            st.quantity(f"domains.rate_{name}", edge=edge, core="over").values(results).interval()
            for name in FIVE
        ]
        look = st.Look("mean over seeds", plot.SERIES[0], "o")
        trace = st.of_intervals(look, list(range(len(FIVE))), found, style="points", across=True, label=False)
        panels.append(st.Panel((trace,), EDGES[edge].label))
    trips = {path.name: f"{path.name}, {1000 * path.round_trip:g} ms" for path in networks.DOMAIN_PATHS}
    rows = st.rows_axis([trips[name] for name in FIVE])
    x = st.Axis("throughput", "Mbit/s", limits=(0, None))
    return st.drawn("fig-6", panels, x, rows, columns=2, height=4.2, share=(True, True), legend=0)


_PAID = {"paid": "paid for", "free": "not paid for"}
_LATER = beyond.SOLUTION_FARS[1]
_JUDGED = _edges(*judging.JUDGED)
SHOWN: tuple[st.Shown, ...] = (
    *PRINTED_TABLES,
    _rates("fig-3", STANDARD, SW),
    _rates("fig-4", RTT, RTT_TWO, RTT_RTO, RTT_SW),
    st.drawing(
        "fig-5",
        [st.Course("windows", "time", "cwnd", st.Look("window", plot.SERIES[0], width=0.8), style="steps")],
        st.Axis("time", "s", limits=(0, networks.DURATION)),
        st.Axis("window", "packets", limits=(0, None)),
        panels=st.each("{edge}", edge=_edges(STANDARD, RTT, RTT_SW)),
        columns=3,
        height=2.4,
        share=(True, True),
        legend=0,
    ),
    st.Made(_five, frozenset({"domains"})),
    st.means_table(
        "domains",
        "Conditioner and links",
        st.each("{edge}, {core}", core=_CORES, edge=_edges()),
        st.columns("domains", **{f"rate_{name}": f"{name}, Mbit/s" for name in FIVE}),
    ),
    st.means_table(
        "table-1",
        "Conditioner",
        st.each("{edge}, {profile}", profile=_PROFILES, edge=_edges(*traffic.TRAFFIC_EDGES)),
        st.columns("telnet", long="F1, F2, F4, s", short="F3, F5, s", all="all, s", session="a session, s"),
    ),
    st.means_table(
        "table-2",
        "Conditioner",
        st.each(
            "{edge}, {sessions} sessions, {profile}",
            profile=_PROFILES,
            sessions=traffic.WEB_SESSIONS,
            edge=_edges(*traffic.TRAFFIC_EDGES),
        ),
        st.columns(
            "web",
            first="first packet, s",
            first_sd="deviation, s",
            last="last packet, s",
            last_sd="deviation, s (last)",
        ),
    ),
    st.means_table(
        "mechanism",
        "Conditioner",
        [(edge, {**where, "far": PRINTED_FAR}) for edge, where in st.each("{edge}", edge=_edges())],
        {
            f"{name} {head}": f"grid.{metric}_{name}"
            for metric, head in {
                "red": "red, %",
                "protected": "protected, %",
                "timeouts": "timeouts/s",
            }.items()
            for name in PAIR
        }
        | {f"{colour} dropped, %": f"grid.drops_{colour}" for colour in COLOURS},
        "matrix",
    ),
    st.means_table(
        "loads",
        "Objects a page",
        st.each("{objects:g}", objects=traffic.LOADS),
        st.columns(
            "loads",
            first="first packet, s",
            first_sd="deviation, s",
            last="last packet, s",
            last_sd="deviation, s (last)",
        ),
    ),
    st.means_table(
        "equations",
        "Connections in each",
        st.each("{flows}", flows=NUMBERS),
        {
            f"{name}, {head}": of("equations", f"{column}_{name}", RTT_RTO)
            for name in PAIR
            for column, head in {
                "loss": "lost, %",
                "measured": "measured",
                "eq1": "(1)",
                "eq2": "(2)",
                "eq3": "(3)",
            }.items()
        },
        "matrix",
    ),
    st.drawing(
        "numbers",
        [st.Means(f"numbers.rate_{name}", "flows", look) for name, look in _NUMBERS_LOOKS.items()],
        st.Axis("connections in each aggregate", log=True, ticks=_NUMBER_TICKS),
        _RATE,
        panels=st.each("{edge}", edge=_edges(STANDARD, RTT, RTT_RTO, RTT_SW)),
        marks=[st.Mark(y=CAPACITY / 2)],
        columns=2,
        height=5.0,
        share=(True, True),
    ),
    st.drawing(
        "timeouts",
        [st.Means("timeouts.timeouts", "flows", _TIMED_LOOKS, by="edge")],
        st.Axis("connections in each aggregate", log=True, ticks=_TIMED_NUMBERS),
        {
            "timeouts": st.Axis("timeouts", "a second", limits=(0, None)),
            "repeated": st.Axis("back to back", "a second", limits=(0, None)),
        },
        columns=2,
        height=3.2,
    ),
    st.means_table(
        "timeouts-each",
        "Conditioner",
        st.each("{edge}, {flows} each", edge=_edges(*timeouts.TIMED), flows=timeouts.TIMED_NUMBERS),
        st.columns(
            "timeouts",
            timeouts="timeouts/s",
            repeated="back to back/s",
            each="of a connection, a minute",
            per_loss="for each packet lost",
            window="window, packets",
        ),
    ),
    st.means_table(
        "repayment",
        "Round trip of F2",
        st.each("{far} ms", far=FARS),
        {f"{EDGES[edge].label}, %": of("grid", "lost", edge) for edge in (RTT, RTT_SW, PAID)},
        "matrix",
    ),
    _rates("reading", RTT_RTO, READING, RTT_SW, PAID),
    _rates("ours", MODEL, FULL, FAIR),
    st.means_table(
        "sensitivity",
        "What is otherwise",
        st.each("{variation.label}", variation=beyond.VARIATIONS),
        {
            f"{name}, {EDGES[edge].label}": of("sensitivity", f"rate_{name}", edge)
            for edge in beyond.SENSITIVE
            for name in PAIR
        },
        "matrix",
    ),
    st.means_table(
        "small",
        "Conditioner, window, and whether it is paid for",
        st.each("{edge}, below {k}, {paid}", edge=_edges(SW, RTT_SW), k=beyond.KS, paid=_PAID),
        st.columns("small", rate_F1="F1, Mbit/s", rate_F2="F2, Mbit/s", lost="dropped, %")
        | st.columns("small", sent_green_F1="F1 green, Mbit/s", sent_green_F2="F2 green, Mbit/s"),
    ),
    st.means_table(
        "passive",
        "Conditioner",
        st.each(
            "{edge}, {far} ms, {flows} each",
            edge=_edges(*beyond.KNOWING),
            far=beyond.PASSIVE_FARS,
            flows=beyond.SOLUTION_FLOWS,
        ),
        {
            f"{head} off by, %": st.quantity(f"passive.error_{what}", source="packets")
            for what, head in {"rtt": "RTT", "rto": "RTO", "window": "window"}.items()
        }
        | {
            f"{name}, {words}": st.quantity(f"passive.rate_{name}", source=source)
            for source, words in {"packets": "listening", "senders": "told"}.items()
            for name in PAIR
        },
    ),
    st.means_table(
        "today",
        "Solution",
        st.each(
            "{edge.label}, {flows} each (at edges: {edge.at_edge}; in the core: {edge.at_core})",
            flows=beyond.SOLUTION_FLOWS,
            edge=beyond.SOLUTIONS,
        ),
        {f"Jain, {far} ms": st.quantity("today.jain", far=far) for far in beyond.SOLUTION_FARS}
        | {f"Mbit/s, {_LATER} ms": st.quantity("today.total", far=_LATER)}
        | {f"dropped, {_LATER} ms, %": st.quantity("today.lost", far=_LATER)},
    ),
    st.means_table(
        "design",
        "F1 and F2",
        st.each("{flows} connections", flows=[f"{one} and {other}" for one, other in judging.DESIGN_FLOWS]),
        {f"apart, {far} ms, %": 100 * apart("design", FAIR, far=far) for far in judging.DESIGN_FARS},
    ),
    st.means_table(
        "judging",
        "Network",
        st.each("{kind.label}", kind=judging.KINDS),
        {f"apart, {label}, %": 100 * apart("judging", edge) for edge, label in _JUDGED.items()}
        | {f"Mbit/s, {label}": of("judging", "total", edge) for edge, label in _JUDGED.items()},
    ),
)
