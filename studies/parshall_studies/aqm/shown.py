"""Figures and tables of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.aqm.claims import OF_CHAPTER, PRINTED_TABLES, of
from parshall_studies.aqm.document import LTNRF_LOADS, TABLE_7
from parshall_studies.aqm.grid import BUFFERS, CAPACITIES, LOADS, MODERN, QUEUES
from parshall_studies.aqm.networks import CBR_FLOWS, CBR_RATE, LONG_FLOWS, SHORT_FLOWS

LOOKS = st.looks(QUEUES)
_BUFFER = st.Axis("buffer", "BWDP", ticks={size: name for name, size in BUFFERS.items()})
_CAPACITY = st.Axis("capacity", "Mbit/s", ticks={float(each): str(each) for each in CAPACITIES})
_LOAD = st.Axis("load of short flows", "%", ticks={float(each): str(each) for each in LOADS})
_DELAY = st.Axis("mean queueing delay", "ms")
_RELATIVE = st.Axis("delay", "RTTs", limits=(0, None))
_PANELS = ("capacity", {capacity: f"{capacity} Mbit/s" for capacity in CAPACITIES})


def shown(
    results: st.Results, judged: st.Judgements
) -> Iterator[st.Figure | st.Picker | st.Table | st.PrintedTable]:
    """Everything that the page refers to, of the parts that were run."""
    yield from PRINTED_TABLES
    yield _table_7(judged)
    yield from _document_figures(results)
    yield from st.grids(results, _VIEWS, _OF_CHAPTER, _DIMENSIONS)
    yield from st.grids(results, _VIEWS, _OF_TODAY, _DIMENSIONS)
    if "spread" in results:
        yield _phases(results)
        yield _phase_table(results)
    if {"spread", "tuned", "tuned_spread"} <= results.measures.keys():
        yield _tuned(results)
        yield from st.grids(results, _VIEWS, _OF_TUNED, _DIMENSIONS)
    if MODERN.name in results:
        yield _tradeoff(results, "response", "response_mean", st.Axis("response", "s", limits=(0, None)))
        yield _tradeoff(results, "tradeoff", "relative_delay", _RELATIVE)
    if "ns2" in results:
        yield _ns2(results)


# --- The chapter's figures ----------------------------------------------------------------------------------


def _document_figures(results: st.Results) -> Iterator[st.Figure]:
    def lines(metric: str, **where: Any) -> list[tuple[st.Look, st.Expression]]:
        return [(LOOKS[queue], of(metric, queue, **where)) for queue in OF_CHAPTER]

    delay = st.Axis("mean queueing delay", "ms", limits=(0, None))
    delays = lines("delay", capacity=35, load=30)
    yield st.over(
        results, "fig-26", delays, "buffer", _BUFFER, delay, places=BUFFERS, scale=1e3, height=2.7, legend=3
    )
    yield _over_delay(results, "fig-27", ("ltrf", "grid", 100), st.Axis("long TCP flows", "% of capacity"))
    if "on_off" in results:
        yield _over_delay(results, "fig-28", ("delay_sd", "on_off", 1e3), st.Axis("standard deviation", "ms"))
    buffers = ("buffer", {buffer: f"{buffer} BWDP" for buffer in BUFFERS})
    delays = lines("relative_delay", load=30)
    yield st.over(
        results, "fig-29", delays, "capacity", _CAPACITY, _RELATIVE, panels=buffers, height=5.4, legend=3
    )
    for id, metric, y in (
        ("fig-30", "normalized", st.Axis("long TCP flows", "share")),
        ("fig-31", "relative_delay", _RELATIVE),
    ):
        options: dict[str, Any] = {"panels": _PANELS, "height": 5.4, "share": (True, True), "legend": 3}
        yield st.over(results, id, lines(metric, buffer="1"), "load", _LOAD, y, **options)


def _over_delay(results: st.Results, id: str, what: tuple[str, str, float], y: st.Axis) -> st.Figure:
    """A panel for each capacity: a metric of a part over the mean delay, along growing buffers."""
    metric, part, scale = what
    panels = []
    for capacity, title in _PANELS[1].items():
        traces = []
        for queue in OF_CHAPTER:
            cells: dict[str, Any] = {"capacity": capacity, "load": 30}
            delay, own = (of(each, queue, part, **cells).values(results) for each in ("delay", metric))
            found = [each.scaled(scale) for each in own.intervals().values()]
            traces.append(st.of_intervals(LOOKS[queue], 1e3 * delay.mean("seed").array, found))
        panels.append(st.Panel(tuple(traces), title))
    return st.drawn(id, panels, _DELAY, y, height=5.4, legend=3)


# --- The grid at a glance -----------------------------------------------------------------------------------


_SHORT = {"load": [load for load in LOADS if load]}
_VIEWS = (
    st.View("ltrf", "Throughput of long TCP flows", "% of capacity", 100),
    st.View("ltnrf", "Throughput of long non-responsive flows", "% of capacity", 100),
    st.View("stf", "Throughput of short flows", "% of capacity", 100, where=_SHORT),
    st.View("normalized", "Normalised throughput of long TCP flows", "% of long flows", 100),
    st.View("utilization", "Link utilisation", "% of capacity", 100),
    st.View("relative_delay", "Mean queueing delay", "propagation round trips of 120 ms", 1, 2),
    st.View("delay_sd", "Standard deviation of the queueing delay", "ms", 1e3),
    st.View("drop", "Drop rate of all packets", "%", 100, 2),
    st.View("ltrf_drop", "Drop rate of long TCP flows", "%", 100, 2),
    st.View("ltnrf_drop", "Drop rate of long non-responsive flows", "%", 100, 2),
    st.View("stf_drop", "Drop rate of short flows", "%", 100, 2, _SHORT),
    st.View("response_mean", "Mean response time of a short flow", "s", 1, 2, _SHORT),
    st.View("response_p95", "95th percentile of the response time", "s", 1, 2, _SHORT),
)
"""In the order of the list from which a reader picks. Of short flows there is nothing to show where there
are none."""
_SACK, _CUBIC = {"senders": "sack"}, {"senders": "cubic"}
_OF_CHAPTER = (
    st.Grid("map", "Capacity, buffer and short flows, by queue", "grid", _SACK),
    st.Grid(
        "map-on-off",
        "The same with ON/OFF flows (Figure 28)",
        "on_off",
        _SACK,
        "Long non-responsive flows are on for 20 s and off for 20 s.",
    ),
)
_OF_TUNED = (
    st.Grid("map-tuned", "Tuned RED, CBR flows in phase", "tuned", _SACK),
    st.Grid("map-tuned-spread", "Tuned RED, CBR flows that start at random", "tuned_spread", _SACK),
)
_OF_TODAY = (
    st.Grid("map-modern", "The chapter's senders", MODERN.name, _SACK),
    st.Grid("map-cubic", "CUBIC senders", MODERN.name, _CUBIC),
)
_DIMENSIONS = (
    st.Dimension("queue", QUEUES),
    st.Dimension("load", {load: f"{load} % short flows" for load in LOADS}),
    st.Dimension("capacity", {capacity: str(capacity) for capacity in CAPACITIES}, "Mbit/s"),
    st.Dimension("buffer", {buffer: buffer for buffer in BUFFERS}, "buffer (BWDP)"),
)


# --- Settings and readings ----------------------------------------------------------------------------------


def _table_7(judged: st.Judgements) -> st.Table:
    """The mixes, and the loads that they make beside those of the text."""
    rows = []
    for capacity in CAPACITIES:
        for load, share in LTNRF_LOADS.items():
            cbr = CBR_FLOWS[capacity][load]
            offered = 100 * cbr * CBR_RATE[capacity] / (1e6 * capacity)
            rows.append(
                (
                    f"{capacity} Mbit/s, {load} % STF",
                    " / ".join(f"{count * capacity / 35:.0f}" for count in TABLE_7[load]),
                    f"{LONG_FLOWS[capacity]} / {SHORT_FLOWS[capacity][load]} / {cbr}",
                    f"{float(share):.0%}".replace("%", " %"),
                    f"{offered:.0f} %",
                    judged[f"setup.ltnrf-load.{capacity}.{load}"],
                )
            )
    heads = ("Table VII, scaled", "Run", "LTNRF load, text", "LTNRF load, run")
    columns = (
        st.Column("Cell", "text", key=True),
        *heads,
        st.Column("Verdict", "text", key=True),
    )
    return st.Table("table-7", columns, rows)


_IN_PHASE = LOOKS["droptail"](label="DropTail, CBR flows in phase")
_AT_RANDOM = LOOKS["droptail"](label="DropTail, random starts", hollow=True, line=":")


def _phases(results: st.Results) -> st.Figure:
    """DropTail's share of long TCP flows with CBR flows in phase and without, over RED's."""
    lines = [
        (_IN_PHASE, of("ltrf", "droptail", buffer="1")),
        (_AT_RANDOM, of("ltrf", "droptail", "spread", buffer="1")),
        (LOOKS["red"], of("ltrf", "red", buffer="1")),
    ]
    y = st.Axis("long TCP flows", "% of capacity", limits=(0, None))
    loads = ("load", {load: f"{load} % short flows" for load in LOADS})
    options: dict[str, Any] = {"panels": loads, "height": 5.6, "share": (True, True), "legend": 1}
    return st.over(results, "phases", lines, "capacity", _CAPACITY, y, scale=100, **options)


def _phase_table(results: st.Results) -> st.Table:
    places = [(capacity, load) for capacity in CAPACITIES for load in LOADS]
    return st.means_table(
        results,
        "phase-table",
        "Cell",
        [(f"{c} Mbit/s, {load} % STF", {"capacity": c, "buffer": "1", "load": load}) for c, load in places],
        [
            ("LTRF, RED", of("ltrf", "red"), 100),
            ("LTRF, DropTail, in phase", of("ltrf", "droptail"), 100),
            ("LTRF, DropTail, random", of("ltrf", "droptail", "spread"), 100),
            ("LTNRF dropped, in phase", of("ltnrf_drop", "droptail"), 100),
            ("LTNRF dropped, random", of("ltnrf_drop", "droptail", "spread"), 100),
        ],
    )


def _tuned(results: st.Results) -> st.Figure:
    """Long TCP flows over the load of short flows: CBR flows in phase on the left, at random on the right."""
    columns = {
        "in phase": {"droptail": "grid", "red-tuned": "tuned", "red": "grid"},
        "random": {"droptail": "spread", "red-tuned": "tuned_spread", "red": "grid"},
    }
    panels = []
    for capacity, title in _PANELS[1].items():
        for phase, queues in columns.items():
            traces = (
                st.means(
                    LOOKS[queue],
                    of("ltrf", queue, part, capacity=capacity, buffer="1").values(results),
                    "load",
                    scale=100,
                )
                for queue, part in queues.items()
            )
            panels.append(st.Panel(tuple(traces), f"{title}, {phase}"))
    x = st.Axis("short flows", "%", ticks=_LOAD.ticks)
    return st.drawn(
        "tuned", panels, x, st.Axis("long TCP", "%"), columns=2, height=5.6, share=(True, "row"), legend=3
    )


# --- Today, and ns-2 ----------------------------------------------------------------------------------------


def _tradeoff(results: st.Results, id: str, metric: str, y: st.Axis) -> st.Figure:
    """A metric over the share of long TCP flows: a panel for each capacity, a point for each queue."""

    def point(queue: str, senders: str, capacity: int) -> st.Trace:
        where: dict[str, Any] = {"senders": senders, "capacity": capacity, "buffer": "1", "load": LOADS[-1]}
        x, y = (of(each, queue, MODERN.name, **where).values(results).interval() for each in ("ltrf", metric))
        cubic = senders != MODERN.senders[0]
        return st.of_intervals(
            LOOKS[queue](hollow=cubic, size=6.0), [100 * x.mean], [y], style="points", label=not cubic
        )

    every = [(queue, senders) for queue in MODERN.queues for senders in MODERN.senders]
    panels = [
        st.Panel(tuple(point(*each, capacity) for each in every), title)
        for capacity, title in _PANELS[1].items()
    ]
    return st.drawn(
        id, panels, st.Axis("throughput of long TCP flows", "% of capacity"), y, height=6.0, legend=3
    )


_BESIDE_NS2 = (
    ("ltrf", "long TCP throughput (%)", 100.0, False),
    ("delay", "mean delay (ms)", 1e3, True),
    ("ltnrf_drop", "drops, non-responsive (%)", 100.0, False),
    ("delay_sd", "delay, deviation (ms)", 1e3, True),
)


def beside_ns2(results: st.Results, metric: str, queues: Sequence[str] = tuple(OF_CHAPTER)) -> np.ndarray:
    """Means of ns-2 and of ours in the same cells, one row a cell."""
    rows = results.measures["ns2"].to_pylist()
    return np.array(
        [
            (
                row[metric],
                of(metric, row["queue"], capacity=row["capacity"], buffer=row["buffer"], load=row["load"])
                .values(results)
                .interval()
                .mean,
            )
            for row in rows
            if row["queue"] in queues
        ]
    )


def _ns2(results: st.Results) -> st.Figure:
    """Ours over ns-2's, cell by cell."""
    panels = []
    for metric, title, scale, log in _BESIDE_NS2:
        traces = []
        for queue in OF_CHAPTER:
            points = scale * beside_ns2(results, metric, [queue])
            traces.append(st.Trace(LOOKS[queue](size=3.2), points[:, 0], points[:, 1], style="points"))
        axis = [st.Axis(name, log=log) for name in ("ns-2", "ours")]
        panels.append(st.Panel(tuple(traces), title, x=axis[0], y=axis[1], marks=(st.Mark(),)))
    options: dict[str, Any] = {"columns": 2, "height": 4.6, "share": (False, False), "legend": 3}
    return st.drawn("ns2-cells", panels, st.Axis("ns-2"), st.Axis("ours"), **options)
