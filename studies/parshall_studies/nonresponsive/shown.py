"""Figures of the report, and everything that its page shows in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from parshall import plot
from parshall_studies import study as st
from parshall_studies.nonresponsive import alarm, cases, networks as net, shorter
from parshall_studies.nonresponsive.claims import (
    ALGORITHM,
    KINDS,
    PRINTED_TABLES,
    mean_error,
    score,
)
from parshall_studies.nonresponsive.contestants import contestant
from parshall_studies.nonresponsive.curves import detection_curve, roc_curve
from parshall_studies.nonresponsive.measures import DITHERED, START_CASES
from parshall_studies.nonresponsive.phase import QUEUES, SWEEPS
from parshall_studies.nonresponsive.rules import RULES, SINGLE
from parshall_studies.nonresponsive.tables import RULE_CROWDS, entries, means, tables

EXAMPLE_SEED = 1
"""The run that is drawn over time."""
_TRUTH = st.Look("true share", plot.FAINT, width=4.5, alpha=0.5)
_COLOURS = {
    "zero-drops": 1,
    "several-hops": 1,
    "responsiveness": 2,
    "with-drops": 3,
    "basic": 4,
    "cbr": 5,
    "kalman": 6,
    "rls": 7,
}
_LINES = ("-", "-", "-.", "--", ":", "--", "-.", ":")
LOOKS = {
    name: st.Look(contestant(name).label, plot.SERIES[place], plot.MARKERS[place], _LINES[place])
    for name, place in _COLOURS.items()
} | {
    "fixed-point": st.Look("modified, whole numbers", plot.SERIES[1], "o", "", hollow=True, size=8.0),
    "constant": st.Look("one number", plot.FAINT, "", ":"),
    "counter": st.Look("Count of UDP bytes", plot.INK, "X", "--"),
}
_OF_KIND = {
    "tuned": LOOKS[ALGORITHM](label="tuned settings"),
    "printed": st.Look("printed gains", plot.SERIES[0], "o", "--"),
}
"""The document's algorithm with each kind of settings."""
_MSE = st.Axis("mean square error", log=True)
_RULE_ESTIMATORS = ("zero-drops", "kalman", "responsiveness")
"""Estimators for which alarms over several intervals are drawn."""


def shown(results: st.Results, judged: st.Judgements) -> Iterator[st.Figure | st.Table | st.PrintedTable]:
    """Everything that the page refers to."""
    del judged
    yield from PRINTED_TABLES
    yield _over_time(results, "fig-3", START_CASES)
    yield from _over_load(results)
    yield _over_time(results, "fig-5", [f"pulses/{half}" for half in cases.PULSES])
    yield from _over_interval(results)
    yield _over_time(results, "fig-6", ["short"], short_share(results))
    yield _over_time(results, "fig-7", ["rtt-range"])
    yield from _over_rtt(results)
    yield _over_time(results, "fig-9", ["vbr/slow", "vbr/fast"])
    yield from _over_threshold(results)
    yield _over_time(results, "fig-12", [f"hops/{count}" for count in cases.HOPS])
    yield _over_time(results, "fig-13", ["hops/22-uneven"])
    yield from _over_start(results)
    yield _dither(results)
    yield from (_phase(results, *sweep) for sweep in SWEEPS.items())
    for crowd in alarm.CROWDS:
        yield from _alarm_figures(results, crowd)
    yield _best(results)
    yield from tables(results)


# --- Over time ----------------------------------------------------------------------------------------------


def _over_time(results: st.Results, id: str, names: Sequence[str], crowd: float | None = None) -> st.Figure:
    """One panel a case: the true share in each estimation interval and the estimates of it, one run.
    ``crowd`` is the share of UDP and short flows together, while these are there.
    """
    panels = []
    for name in names:
        where = {"case": name, "seed": EXAMPLE_SEED}
        columns = {
            column: results.values("intervals", column, **where)
            for column in ("share", "printed", "tuned", "responsiveness")
        }
        times = [float(label) for label in columns["share"].labels["time"]]
        drawn_as = {"share": _TRUTH, **_OF_KIND, "responsiveness": LOOKS["responsiveness"]}
        traces = [
            st.Trace(drawn_as[column](marker=""), times, values.array) for column, values in columns.items()
        ]
        if crowd is not None:
            start = cases.case(name).start
            traces.append(
                st.Trace(
                    st.Look("UDP and short flows", plot.INK, line=":"), [start, CROWD_END], [crowd, crowd]
                )
            )
        panels.append(st.Panel(tuple(traces), cases.case(name).label))
    y = st.Axis("share", limits=(-0.02, 1.02))
    return st.drawn(id, panels, st.Axis("time", "s"), y, height=0.75 + 1.5 * len(panels))


CROWD_END = 150.0
"""Until when short flows are there, in seconds."""


def short_share(results: st.Results) -> float:
    """The mean share of UDP and short flows together while these are there."""
    case = cases.case("short")
    sent = results.values("short_flows", "packets_sent", case="short").mean("seed").array
    shares = results.values("intervals", "share", case="short")
    early = [time for time in shares.labels["time"] if float(time) <= CROWD_END]
    lost = results.values("traffic", "drop_rate", case="short").mean("seed").array
    arrivals = case.capacity / (1 - lost)
    return float(shares.at(time=early).array.mean() + sent / (CROWD_END - case.start) / arrivals)


# --- Errors over what was varied ----------------------------------------------------------------------------


def _over_load(results: st.Results) -> Iterator[st.Figure]:
    """Figure 4, once for each kind of settings."""
    names = [f"load/{count}" for count in cases.LOADS]
    shares = results.values("traffic", "mean_share", case=names).mean("seed")
    places = dict(zip(names, 100 * shares.array, strict=True))
    for kind in KINDS:
        lines = [
            (LOOKS["basic"](label="basic"), score(names, "basic", kind)),
            (LOOKS["fixed-point"], score(names, "fixed-point", kind)),
            (LOOKS[ALGORITHM](label="modified"), score(names, ALGORITHM, kind)),
            (LOOKS["constant"], score(names, "constant", "tuned")),
        ]
        x = st.Axis("non-responsive share of arrivals", "%")
        yield st.over(results, f"fig-4-{kind}", lines, "case", x, _MSE, places=places)


def _over_interval(results: st.Results) -> Iterator[st.Figure]:
    """The remark on Figure 5: error over the length of the estimation interval, once for each load."""
    places = {samples: 1e3 * samples * net.SAMPLING for samples in shorter.SAMPLES}
    for half in shorter.HALVES:
        errors = st.Quantity("shorter", "mse").at(half=half, samples=list(shorter.SAMPLES))
        lines = [
            *(
                (_OF_KIND[kind](label=f"modified, {name}"), errors.at(entry=f"{ALGORITHM}/{kind}"))
                for kind, name in KINDS.items()
            ),
            (LOOKS["responsiveness"], errors.at(entry="responsiveness/none")),
        ]
        x = st.Axis("estimation interval", "ms")
        yield st.over(results, f"fig-5-interval-{half}", lines, "samples", x, _MSE, places=places)


def _over_rtt(results: st.Results) -> Iterator[st.Figure]:
    """Figure 8: error and relative error over the round trip, R0 fixed."""
    names = [f"rtt/{ms}" for ms in cases.RTTS]
    places = dict(zip(names, map(float, cases.RTTS), strict=True))
    x = st.Axis("round-trip time without queueing", "ms")

    def lines(measure: str) -> list[tuple[st.Look, st.Expression]]:
        return [(look, score(names, ALGORITHM, kind, measure)) for kind, look in _OF_KIND.items()]

    yield st.over(results, "fig-8-a", lines("mse"), "case", x, _MSE, places=places)
    marks = (st.Mark(y=(-10.0, 10.0), label="10 %"), st.Mark(y=0.0), st.Mark(x=120.0))
    y = st.Axis("relative error", "%")
    yield st.over(
        results, "fig-8-b", lines("relative_error"), "case", x, y, places=places, scale=100, marks=marks
    )


def _over_threshold(results: st.Results) -> Iterator[st.Figure]:
    """Figure 10, once for each kind of settings."""
    names = ["load/22", *(f"min-th/{minimum}" for minimum in cases.MIN_THRESHOLDS[1:])]
    places = dict(zip(names, map(float, cases.MIN_THRESHOLDS), strict=True))
    for kind in KINDS:
        lines = [
            (LOOKS[ALGORITHM](label="without l(t)"), score(names, ALGORITHM, kind)),
            (LOOKS["with-drops"](label="with l(t)"), score(names, "with-drops", kind)),
        ]
        x = st.Axis("lower threshold of RED", "packets")
        yield st.over(results, f"fig-10-{kind}", lines, "case", x, _MSE, places=places)


def _over_start(results: st.Results) -> Iterator[st.Figure]:
    """What the start value does: not in the document."""
    for kind in KINDS:
        traces, marks = [], []
        for place, name in enumerate(START_CASES):
            errors = results.values("starts", "mse", case=name, settings=kind).mean("seed")
            starts = [100 * float(label) for label in errors.labels["start_share"]]
            look = st.Look(cases.case(name).label, plot.SERIES[place], plot.MARKERS[place])
            traces.append(st.Trace(look, starts, errors.array))
            share = results.values("traffic", "mean_share", case=name).mean("seed").array
            marks.append(st.Mark(x=100 * float(share), colour=look.colour))
        x = st.Axis("start value of the share", "%", limits=(0, 100))
        yield st.drawn(f"start-{kind}", st.Panel(tuple(traces), marks=tuple(marks)), x, _MSE, legend=3)


def _best(results: st.Results) -> st.Figure:
    """Estimators by their mean error over all cases, with the worst one; the best stands at the top."""
    every = [str(name) for name in results.labels("traffic", "case")]
    shown = [
        each
        for each in entries(results)
        if each[0] in _SHORT and (each[1] != "printed" or each[0] == ALGORITHM)
    ]
    errors = {each: mean_error(every, *each).values(results).interval() for each in shown}
    shown.sort(key=lambda each: errors[each].mean)
    worst = [float(means(score(every, *each), results).max()) for each in shown]
    rows = list(range(len(shown)))
    found = [errors[each] for each in shown]
    traces = (
        st.of_intervals(
            st.Look("mean over all cases", plot.SERIES[2], "o"), rows, found, style="points", across=True
        ),
        st.Trace(st.Look("worst case", plot.SERIES[1], "D", hollow=True), worst, rows, style="points"),
    )
    names = [_SHORT[name] + (", printed gains" if kind == "printed" else "") for name, kind in shown]
    x = st.Axis("mean square error", log=True)
    return st.drawn("best", st.Panel(traces), x, st.rows_axis(names), height=3.6)


_SHORT = {
    "basic": "basic, tuned",
    "zero-drops": "modified",
    "with-drops": "with l(t), tuned",
    "several-hops": "several hops, tuned",
    "cbr": "CBR form, tuned",
    "rls": "least squares, tuned",
    "kalman": "Kalman, tuned",
    "responsiveness": "Responsiveness",
    "responsiveness-dither": "with a dither",
    "constant": "one number",
    "counter": "count of bytes",
}


# --- The dither, and the phase effect -----------------------------------------------------------------------


def _dither(results: st.Results) -> st.Figure:
    """The estimate over time at a port that hardly drops, without and with the dither."""
    panels = []
    for table, title in (
        ("intervals", "the queue's own drops alone"),
        ("dithered_intervals", "with a dither"),
    ):
        share, estimate = (
            results.values(table, column, case=DITHERED, seed=EXAMPLE_SEED)
            for column in ("share", "responsiveness")
        )
        times = [float(time) for time in share.labels["time"]]
        traces = (
            st.Trace(_TRUTH, times, share.array),
            st.Trace(LOOKS["responsiveness"](marker=""), times, estimate.array),
        )
        panels.append(st.Panel(traces, title))
    return st.drawn(
        "dither", panels, st.Axis("time", "s"), st.Axis("share", limits=(-0.02, 1.02)), height=3.6
    )


_QUEUE_LOOKS = {
    queue: st.Look(name, plot.SERIES[place], plot.MARKERS[place], line)
    for place, ((queue, name), line) in enumerate(zip(QUEUES.items(), ("-", "--", "-."), strict=True))
}


def _phase(results: st.Results, sweep: str, xlabel: str) -> st.Figure:
    """TCP's share over something that breaks the phase, beside ns-2's points where they are at hand."""
    traces = []
    for queue, look in _QUEUE_LOOKS.items():
        values = results.values("phase", "tcp_share", sweep=sweep, queue=queue)
        marker = look.marker if sweep != "rtt" else ""
        places = [float(x) for x in values.labels["x"]]
        order = np.argsort(places)
        traces.append(
            st.Trace(look(marker=marker), np.array(places)[order], values.mean("seed").array[order])
        )
    if "phase_ns2" in results and sweep in results.labels("phase_ns2", "sweep"):
        for queue in map(str, results.labels("phase_ns2", "queue", sweep=sweep)):
            values = results.values("phase_ns2", "tcp_share", sweep=sweep, queue=queue)
            look = _QUEUE_LOOKS[queue](label=f"{QUEUES[queue]}, ns-2", size=7.0, edge=plot.INK)
            places = [float(x) for x in values.labels["x"]]
            traces.append(st.Trace(look, places, values.array, style="points"))
    name, _, unit = xlabel.rpartition(" (")
    ticks = {float(x): str(x) for x in range(100, 141, 8)} if sweep == "rtt" else None
    x = st.Axis(name, unit.rstrip(")"), log=sweep != "rtt", ticks=ticks)
    y = st.Axis("TCP's share of the link", "%", limits=(0, 100))
    return st.drawn(f"phase-{sweep}", st.Panel(tuple(traces)), x, y, height=3.4)


# --- The alarm ----------------------------------------------------------------------------------------------

_FALSE, _HIT = (
    st.Axis("alarm without attack", "% of intervals", log=True),
    st.Axis("alarm in attack", "% of intervals", limits=(-3, 103)),
)
_RULE_LINES = ("-", "--", ":")


def _alarm_figures(results: st.Results, crowd: str) -> Iterator[st.Figure]:
    """ROC curves, and time to detect over false alarms: a curve an estimator, or an estimator and rule."""
    single = [(LOOKS[name](marker="", width=1.3), name, SINGLE.name) for name in alarm.ALARMED]
    chosen = {"": single}
    if crowd in RULE_CROWDS:
        chosen["rules-"] = [
            (
                LOOKS[name](marker="", line=line, label=f"{contestant(name).label}, {rule.label}"),
                name,
                rule.name,
            )
            for name in _RULE_ESTIMATORS
            for rule, line in zip(RULES, _RULE_LINES, strict=True)
        ]
    for part, curves in chosen.items():
        roc = [st.Trace(look, *roc_curve(results, crowd, name, rule)) for look, name, rule in curves]
        yield st.drawn(f"roc-{part}{crowd}", st.Panel(tuple(roc)), _FALSE, _HIT, height=4.0, legend=1)
        seconds = [
            st.Trace(look, *detection_curve(results, crowd, name, rule)) for look, name, rule in curves
        ]
        x = st.Axis("false alarms", "an hour", log=True)
        y = st.Axis("time to the first alarm", "s", limits=(-1, alarm.ATTACK[1] - alarm.ATTACK[0] + 2))
        yield st.drawn(f"detection-{part}{crowd}", st.Panel(tuple(seconds)), x, y, height=4.0, legend=1)
