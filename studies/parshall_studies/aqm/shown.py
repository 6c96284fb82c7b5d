"""Figures and tables of the report, and what its sentences are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.aqm import networks
from parshall_studies.aqm.claims import PRINTED_TABLES
from parshall_studies.aqm.document import LTNRF_LOADS, TABLE_7, TABLE_8, TABLE_9, TABLE_10, Place
from parshall_studies.aqm.grid import BUFFERS, CAPACITIES, CROSSING, LOADS, MODERN, QUEUES
from parshall_studies.aqm.readings import AQMS, OF_CHAPTER, READINGS, Reading, of
from parshall_studies.study.grades import CLOSE, NEAR, grade_of
from parshall_studies.study.words import number, span

LOOKS = st.looks(QUEUES)
_OF_CHAPTER = {queue: LOOKS[queue] for queue in OF_CHAPTER}
_BUFFER = st.Axis("buffer", "BWDP", ticks={size: name for name, size in BUFFERS.items()})
_CAPACITY = st.Axis("capacity", "Mbit/s", ticks={float(each): str(each) for each in CAPACITIES})
_LOAD = st.Axis("load of short flows", "%", ticks={float(each): str(each) for each in LOADS})
_DELAY = st.Axis("mean queueing delay", "ms")
_RELATIVE = st.Axis("delay", "RTTs", limits=(0, None))
_LONG = st.Axis("long TCP flows", "% of capacity")
_PANELS = st.each("{capacity} Mbit/s", capacity=CAPACITIES)


def _grid(metric: str, part: str = "grid", **where: Any) -> st.Expression:
    """Metric of the chapter's senders, for all queues."""
    return st.quantity(f"{part}.{metric}", senders="sack", **where)


def _over(id: str, of: st.Expression, dim: str, x: st.Axis, y: st.Axis, **options: Any) -> st.Made[st.Figure]:
    """Means over a dimension, a line for each queue of the chapter."""
    places = BUFFERS if dim == "buffer" else None
    return st.drawing(id, [st.Means(of, dim, _OF_CHAPTER, "queue", places)], x, y, legend=3, **options)


def _over_delay(id: str, metric: st.Expression, part: str, y: st.Axis) -> st.Made[st.Figure]:
    """A metric over the mean delay, along growing buffers."""
    delay = 1e3 * _grid("delay", part, load=30)
    lines = [st.Means(metric, "buffer", _OF_CHAPTER, "queue", delay)]
    return st.drawing(id, lines, _DELAY, y, panels=_PANELS, height=4.6, legend=3)


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
_MAPS = (
    st.GridMap("map", "Capacity, buffer and short flows, by queue", "grid", _SACK),
    st.GridMap(
        "map-on-off",
        "The same with ON/OFF flows (Figure 28)",
        "on_off",
        _SACK,
        "Long non-responsive flows are on for 20 s and off for 20 s.",
    ),
)
_OF_TUNED = (
    st.GridMap("map-tuned", "Tuned RED, CBR flows in phase", "tuned", _SACK),
    st.GridMap("map-tuned-spread", "Tuned RED, CBR flows that start at random", "tuned_spread", _SACK),
)
_OF_TODAY = (
    st.GridMap("map-modern", "The chapter's senders", MODERN.name, _SACK),
    st.GridMap("map-cubic", "CUBIC senders", MODERN.name, _CUBIC),
)
_DIMENSIONS = (
    st.Dimension("queue", QUEUES),
    st.Dimension("load", {load: f"{load} % short flows" for load in LOADS}),
    st.Dimension("capacity", {capacity: str(capacity) for capacity in CAPACITIES}, "Mbit/s"),
    st.Dimension("buffer", {buffer: buffer for buffer in BUFFERS}, "buffer (BWDP)"),
)


# --- Settings and readings ----------------------------------------------------------------------------------


def _table_7(results: st.Results, judged: st.Judgements) -> st.Table:
    """The mixes, and the loads that they make beside those of the text."""
    rows = []
    for capacity in CAPACITIES:
        for load, share in LTNRF_LOADS.items():
            cbr = networks.CBR_FLOWS[capacity][load]
            offered = 100 * cbr * networks.CBR_RATE[capacity] / (1e6 * capacity)
            rows.append(
                (
                    f"{capacity} Mbit/s, {load} % STF",
                    " / ".join(f"{count * capacity / 35:.0f}" for count in TABLE_7[load]),
                    f"{networks.LONG_FLOWS[capacity]} / {networks.SHORT_FLOWS[capacity][load]} / {cbr}",
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


_MOVED = {
    "ltrf_surge": ("LTRF in the surge (%)", 100.0, 1),
    "ltrf_quiet": ("LTRF without (%)", 100.0, 1),
    "delay_surge": ("Delay in the surge (ms)", 1e3, 0),
    "delay_quiet": ("Delay without (ms)", 1e3, 0),
    "moved_surge": ("Moved in the surge (%)", 100.0, 0),
    "moved_quiet": ("Moved without (%)", 100.0, 0),
    "changes": ("Changes a minute", 1.0, 1),
}
"""Columns of the table of loads that come and go: head, scale and decimals."""


def _crossing(results: st.Results, judged: st.Judgements) -> st.Table:
    """RED, and RED that is tuned by either estimate, where a load comes and goes."""
    of_results = st.NumbersOf(results)
    rows = []
    for part, phase in (("crossing", "in phase"), ("crossing_spread", "random")):
        for capacity in CAPACITIES:
            for queue in CROSSING.queues:
                where = {"queue": queue, "senders": "sack", "capacity": capacity, "buffer": "1", "load": 0}
                cells = [
                    _cell_of(scale * of_results.mean(f"{part}.{metric}", **where), decimals)
                    for metric, (_, scale, decimals) in _MOVED.items()
                ]
                rows.append((f"{QUEUES[queue]}, {capacity} Mbit/s, {phase}", *cells))
    return st.Table("crossing", ("Cell", *(head for head, _, _ in _MOVED.values())), rows)


def _cell_of(value: float, decimals: int) -> st.Number | None:
    return None if np.isnan(value) else st.Number(value, decimals=decimals)


_IN_PHASE = LOOKS["droptail"](label="DropTail, CBR flows in phase")
_AT_RANDOM = LOOKS["droptail"](label="DropTail, random starts", hollow=True, line=":")
_PHASES = {
    "in phase": {"droptail": "grid", "red-tuned": "tuned", "red": "grid"},
    "random": {"droptail": "spread", "red-tuned": "tuned_spread", "red": "spread"},
}


def _tuned(results: st.Results, judged: st.Judgements) -> st.Figure:
    """Long TCP flows over the load of short flows: CBR flows in phase on the left, at random on the right."""
    panels = [
        st.Panel(
            [
                trace
                for queue, part in queues.items()
                for trace in st.Means(
                    100 * of("ltrf", queue, part, buffer="1", **where), "load", LOOKS[queue]
                ).traces(results)
            ],
            f"{title}, {phase}",
        )
        for title, where in _PANELS
        for phase, queues in _PHASES.items()
    ]
    x, y = st.Axis("short flows", "%", ticks=_LOAD.ticks), st.Axis("long TCP", "%")
    return st.drawn("tuned", panels, x, y, columns=2, height=4.8, share=(True, "row"), legend=3)


def _readings(results: st.Results, judged: st.Judgements) -> st.Table:
    """Table of the chapter's numbers and statements by reading of what it leaves open."""
    rows = []
    for reading in READINGS:
        ratios = st.NumbersOf(results).means(
            times(reading.high("delay", "droptail"), reading.high("delay", "red"))
        )
        grades = Counter(
            grade_of(rule, rule.judge(results))
            for each in judged
            if isinstance(each.claim.rule, st.ByReading)
            for rule in [each.claim.rule.readings.get(reading.name)]
            if rule is not None
        )
        rows.append(
            (
                reading.name,
                *(_near(results, reading, table) for table in (TABLE_8, TABLE_9, TABLE_10)),
                f"{span(ratios)} times",
                str(sum(grades[grade] for grade in NEAR)),
                str(grades[st.Grade.PARTLY]),
                str(
                    sum(
                        grades[grade] for grade in (st.Grade.FAILS, st.Grade.INDISTINGUISHABLE, st.Grade.OPEN)
                    )
                ),
            )
        )
    heads = (
        "Reading",
        "Table VIII",
        "Table IX",
        "Table X",
        "DropTail's delay",
        "Hold",
        "In part",
        "Not, or open",
    )
    columns = tuple(st.Column(head, "text", key=place == 0) for place, head in enumerate(heads))
    return st.Table("readings", columns, rows)


def _near(results: st.Results, reading: Reading, printed: Mapping[Place, str]) -> str:
    """Count of the numbers printed of RED and RED-ECN that our means are within 5 % of."""
    of_red = {place: float(number) for place, number in printed.items() if place[0] in AQMS}
    near = [
        abs(
            st.NumbersOf(results).mean(reading.of(metric, queue, capacity=capacity, buffer=buffer, load=load))
            - number
        )
        <= CLOSE * number
        for (queue, metric, capacity, buffer, load), number in of_red.items()
    ]
    return f"{sum(near)} of {len(near)}"


# --- Today, and ns-2 ----------------------------------------------------------------------------------------


def _tradeoff(id: str, metric: str, y: st.Axis) -> st.Made[st.Figure]:
    """A metric over the share of long TCP flows: a point for each queue."""

    def point(queue: str, senders: str) -> st.Means:
        def found(metric: str) -> st.Expression:
            return of(metric, [queue], MODERN.name, senders=senders, buffer="1", load=LOADS[-1])

        cubic = senders != MODERN.senders[0]
        look = LOOKS[queue](hollow=cubic, size=6.0)
        return st.Means(
            found(metric), "queue", look, places=100 * found("ltrf"), style="points", label=not cubic
        )

    lines = [point(queue, senders) for queue in MODERN.queues for senders in MODERN.senders]
    x = st.Axis("throughput of long TCP flows", "% of capacity")
    return st.drawing(id, lines, x, y, panels=_PANELS, height=6.0, legend=3)


_BESIDE_NS2 = {
    "ns2-cells": (
        ("ltrf", "long TCP throughput (%)", 100.0, False),
        ("ltnrf_drop", "CBR drops (%)", 100.0, False),
    ),
    "ns2-delays": (
        ("delay", "mean delay (ms)", 1e3, False),
        ("delay_sd", "delay, deviation (ms)", 1e3, True),
    ),
}
"""Figures, and of each the metrics: column, title, scale, and whether the axes are logarithmic."""


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


def _ns2(id: str, results: st.Results, judged: st.Judgements) -> st.Figure:
    """Ours over ns-2's, cell by cell."""
    panels = []
    for metric, title, scale, log in _BESIDE_NS2[id]:
        traces = []
        for queue in OF_CHAPTER:
            points = scale * beside_ns2(results, metric, [queue])
            traces.append(st.Trace(LOOKS[queue](size=3.2), points[:, 0], points[:, 1], style="points"))
        axis = [st.Axis(name, log=log) for name in ("ns-2", "ours")]
        panels.append(st.Panel(tuple(traces), title, x=axis[0], y=axis[1], marks=(st.Mark(),)))
    options: dict[str, Any] = {"columns": 2, "height": 2.6, "share": (False, False), "legend": 3}
    return st.drawn(id, panels, st.Axis("ns-2"), st.Axis("ours"), **options)


def off_ns2(results: st.Results, metric: str) -> str:
    """The median (and the largest) distance of our means from those of ns-2, in points; of the delay in %."""
    theirs, ours = beside_ns2(results, metric).T
    off = 100 * np.abs(ours / theirs - 1 if metric == "delay" else ours - theirs)
    return f"{number(float(np.median(off)), 2)} ({number(float(np.max(off)), 2)})"


def times(above: st.Expression, below: st.Expression) -> st.Expression:
    """The ratio of two means over seeds."""
    return above.mean(st.SEED) / below.mean(st.SEED)


def more(queue: str, part: str = "grid", *, red: str = "grid", **where: Any) -> st.Expression:
    """Points of the capacity that long TCP flows get more with a queue than with RED, at 1 BWDP."""
    return 100 * (of("ltrf", queue, part, buffer="1", **where) - of("ltrf", "red", red, buffer="1", **where))


def surge(metric: str, queue: str, part: str = "crossing") -> st.Expression:
    """Where a load comes and goes: a metric of a queue, by capacity."""
    return st.Quantity(part, metric).at(queue=queue, senders="sack", buffer="1", load=0)


NAMES = {
    "crossing": CROSSING,
    "capacities": {capacity: capacity for capacity in CAPACITIES},
    "loads": LOADS,
    "modern": MODERN,
    "more": more,
    "net": networks,
    "of": of,
    "off_ns2": off_ns2,
    "queues": QUEUES,
    "surge": surge,
    "times": times,
}
_LOADS = st.each("{load} % short flows", load=LOADS)
_SHARED = (True, True)
_TUNING = frozenset({"spread", "tuned", "tuned_spread"})
SHOWN: tuple[st.Shown, ...] = (
    *PRINTED_TABLES,
    st.Made(_table_7),
    _over(
        "fig-26",
        1e3 * _grid("delay", capacity=35, load=30),
        "buffer",
        _BUFFER,
        st.Axis("mean queueing delay", "ms", limits=(0, None)),
        height=2.7,
    ),
    _over_delay("fig-27", 100 * _grid("ltrf", load=30), "grid", _LONG),
    _over_delay(
        "fig-28", 1e3 * _grid("delay_sd", "on_off", load=30), "on_off", st.Axis("standard deviation", "ms")
    ),
    _over(
        "fig-29",
        _grid("relative_delay", load=30),
        "capacity",
        _CAPACITY,
        _RELATIVE,
        panels=st.each("{buffer} BWDP", buffer=BUFFERS.keys()),
        height=4.4,
    ),
    *(
        _over(id, _grid(metric, buffer="1"), "load", _LOAD, y, panels=_PANELS, height=4.4, share=_SHARED)
        for id, metric, y in (
            ("fig-30", "normalized", st.Axis("long TCP flows", "share")),
            ("fig-31", "relative_delay", _RELATIVE),
        )
    ),
    st.GridMaps(_VIEWS, _MAPS, _DIMENSIONS),
    st.GridMaps(_VIEWS, _OF_TODAY, _DIMENSIONS),
    st.GridMaps(_VIEWS, _OF_TUNED, _DIMENSIONS, _TUNING),
    st.drawing(
        "phases",
        [
            st.Means(100 * of("ltrf", "droptail", buffer="1"), "capacity", _IN_PHASE),
            st.Means(100 * of("ltrf", "droptail", "spread", buffer="1"), "capacity", _AT_RANDOM),
            st.Means(100 * of("ltrf", "red", buffer="1"), "capacity", LOOKS["red"]),
        ],
        _CAPACITY,
        st.Axis("long TCP flows", "% of capacity", limits=(0, None)),
        panels=_LOADS,
        height=4.4,
        share=_SHARED,
        legend=1,
    ),
    st.means_table(
        "phase-table",
        "Cell",
        st.each("{capacity} Mbit/s, {load} % STF", capacity=CAPACITIES, load=LOADS),
        {
            "LTRF, RED": 100 * of("ltrf", "red", buffer="1"),
            "LTRF, DropTail, in phase": 100 * of("ltrf", "droptail", buffer="1"),
            "LTRF, DropTail, random": 100 * of("ltrf", "droptail", "spread", buffer="1"),
            "LTNRF dropped, in phase": 100 * of("ltnrf_drop", "droptail", buffer="1"),
            "LTNRF dropped, random": 100 * of("ltnrf_drop", "droptail", "spread", buffer="1"),
        },
    ),
    st.Made(_crossing, frozenset({"crossing", "crossing_spread"})),
    st.Made(_readings, frozenset({"spread", "spread_on_off", "thresholds", "thresholds_on_off"})),
    st.Made(_tuned, _TUNING),
    _tradeoff("response", "response_mean", st.Axis("response", "s", limits=(0, None))),
    _tradeoff("tradeoff", "relative_delay", _RELATIVE),
    *(st.Made(partial(_ns2, id), frozenset({"ns2"})) for id in _BESIDE_NS2),
)
