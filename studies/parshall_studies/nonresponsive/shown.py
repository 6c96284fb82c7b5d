"""Figures and tables of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from parshall import plot
from parshall.stats import mean_interval
from parshall_studies import study as st
from parshall_studies.nonresponsive import alarm, cases, networks as net, shorter
from parshall_studies.nonresponsive.claims import (
    ALGORITHM,
    KINDS,
    PRINTED_TABLES,
    area,
    mean_error,
    score,
)
from parshall_studies.nonresponsive.contestants import contestant
from parshall_studies.nonresponsive.measures import DITHERED, START_CASES
from parshall_studies.nonresponsive.phase import QUEUES, SWEEPS
from parshall_studies.nonresponsive.rules import LEVELS, RULES, SINGLE

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
_RULE_CROWDS = ("none", "large")
_RULE_ESTIMATORS = ("zero-drops", "kalman", "responsiveness")
"""Flash crowds and estimators for which alarms over several intervals are drawn."""


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
    yield from _tables(results)


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
        for each in _entries(results)
        if each[0] in _SHORT and (each[1] != "printed" or each[0] == ALGORITHM)
    ]
    means = {each: mean_error(every, *each).values(results).interval() for each in shown}
    shown.sort(key=lambda each: means[each].mean)
    worst = [float(_means(score(every, *each), results).max()) for each in shown]
    rows = list(range(len(shown)))
    found = [means[each] for each in shown]
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


def _entries(results: st.Results) -> list[tuple[str, str]]:
    """Every contestant with every kind of settings that it has in all cases, what needs none first."""
    found = [tuple(str(entry).split("/")) for entry in results.labels("scores", "entry")]
    kept = [(name, kind) for name, kind in found if kind != "fitted"]
    return sorted(kept, key=lambda entry: entry[1] != "none" or not entry[0].startswith("responsiveness"))


def label(name: str, kind: str) -> str:
    """An entry, for a reader."""
    suffix = {"printed": ", printed gains", "tuned": ", tuned"}.get(kind, "")
    return contestant(name).label + suffix


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
    if crowd in _RULE_CROWDS:
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


def roc_curve(results: st.Results, crowd: str, name: str, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Shares in % of other intervals and of intervals of the attack with an alarm, by level."""
    of = {
        column: results.values("alarms", column, crowd=crowd, estimator=name, rule=rule)
        .along("level", "seed")
        .sum(axis=1)
        for column in ("hits", "attacks", "falses", "others")
    }
    return 100 * of["falses"] / of["others"], 100 * of["hits"] / of["attacks"]


def detection_curve(results: st.Results, crowd: str, name: str, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Means over runs of the false alarms an hour and the seconds to detect, at every other level."""
    false, delay = (
        results.values(
            "alarms", column, crowd=crowd, estimator=name, rule=rule, level=[float(x) for x in LEVELS[::2]]
        )
        .mean("seed")
        .array
        for column in ("false_alarms_per_hour", "delay")
    )
    return false, delay


# --- Tables -------------------------------------------------------------------------------------------------


def _text(name: str) -> st.Column:
    return st.Column(name, "text", key=True)


def _thousandths(value: float) -> st.Number:
    return st.Number(1e3 * value, decimals=2 if value < 0.01 else 0)


def _means(expression: st.Expression, results: st.Results) -> np.ndarray:
    return expression.values(results).mean("seed").array


def _tables(results: st.Results) -> Iterator[st.Table]:
    every = [str(name) for name in results.labels("traffic", "case")]
    yield _summary(results, every)
    yield _by_case(results, every)
    yield _whole_numbers(results, every)
    yield _tuned_values(results)
    yield _carried(results)
    yield _dither_costs(results, busy_cases(results))
    yield _rules(results)


def _summary(results: st.Results, every: list[str]) -> st.Table:
    rows = []
    for entry in _entries(results):
        by_case = _means(score(every, *entry), results)
        worst = int(np.argmax(by_case))
        mean = mean_error(every, *entry).values(results).interval()
        median, most = (st.Number(1e3 * float(each), 2) for each in (np.median(by_case), by_case[worst]))
        rows.append((label(*entry), mean.scaled(1e3), median, most, cases.case(every[worst]).label))
    columns = (
        _text("Estimator"),
        st.Column("Mean", key=True),
        "Median",
        "Worst",
        st.Column("Worst case", "text"),
    )
    return st.Table("summary", columns, rows)


def _by_case(results: st.Results, every: list[str]) -> st.Table:
    # The form in whole numbers has a table of its own.
    entries = [each for each in _entries(results) if each[1] != "printed" and each[0] != "fixed-point"]
    errors = [_means(score(every, *entry), results) for entry in entries]
    traffic = [
        _means(st.Quantity("traffic", name).at(case=every), results) for name in ("mean_share", "drop_rate")
    ]
    rows = [
        (
            cases.case(name).label,
            st.Number(100 * float(traffic[0][place]), decimals=1),
            st.Number(100 * float(traffic[1][place]), decimals=2),
            *(_thousandths(float(error[place])) for error in errors),
        )
        for place, name in enumerate(every)
    ]
    names = (contestant(name).label.replace("siveness", "sive\N{SOFT HYPHEN}ness") for name, _ in entries)
    heads = ("Share (%)", "Drops (%)", *names)
    return st.Table("by-case", (_text("Case"), *heads), rows, "matrix")


def _whole_numbers(results: st.Results, every: list[str]) -> st.Table:
    rows = []
    for kind, name in KINDS.items():
        apart, most = (
            results.values("whole_numbers", column, settings=kind, case=every).along("case", "seed")
            for column in ("relative", "most")
        )
        mean, far = 100 * apart.mean(axis=1), most.max(axis=1)
        at, farthest = int(np.argmax(mean)), int(np.argmax(far))
        rows.append(
            (
                name,
                st.Number(float(mean.mean()), 2),
                st.Number(float(mean[at]), 2),
                cases.case(every[at]).label,
                st.Number(float(far[farthest]), 2),
                cases.case(every[farthest]).label,
            )
        )
    heads = (
        _text("Settings"),
        st.Column("Mean (%)", key=True),
        "Worst case (%)",
        st.Column("Worst case", "text"),
    )
    more = ("Worst interval (points)", st.Column("Its case", "text"))
    return st.Table("whole-numbers", (*heads, *more), rows)


_NAMED = ("gamma1", "gamma2", "backlog_alpha", "signal_alpha", "start_share", "start_window")
"""Settings that have a column of their own."""


def _tuned_values(results: st.Results) -> st.Table:
    rows = []
    found: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for row in results.measures["tuning"].to_pylist():
        found.setdefault((row["entry"], row["trained_on"]), {})[row["setting"]] = row
    for (entry, _), settings in found.items():
        name, kind = entry.split("/")
        if kind != "fitted":
            values = {setting: st.Number(row["value"]) for setting, row in settings.items()}
            others = ", ".join(
                f"{setting} {value}" for setting, value in values.items() if setting not in _NAMED
            )
            error = st.Number(next(iter(settings.values()))["training_mse"], 2)
            rows.append((label(name, kind), *(values.get(setting, "") for setting in _NAMED), others, error))
    columns = (
        _text("Estimator"),
        *_NAMED,
        st.Column("Others", "text"),
        "Training error",
    )
    return st.Table("tuned-values", columns, rows, "matrix")


def _carried(results: st.Results) -> st.Table:
    errors = results.values("transfer", "mse", case=list(cases.TRANSFER), home=list(cases.TRANSFER)).mean(
        "seed"
    )
    rows = [
        (cases.case(home).label, *(_thousandths(float(each)) for each in errors.at(home=home).array))
        for home in cases.TRANSFER
    ]
    heads = (cases.case(name).label for name in cases.TRANSFER)
    return st.Table("carried", (_text("Tuned on"), *heads), rows, "matrix")


SILENT = 1e-3
"""A dither that drops less than this, in % of packets, is called silent."""
_PORT = {
    "queue_drops": "Dropped by the queue (%)",
    "dither_drops": "Dropped by the dither (%)",
    "quiet": "Estimates flagged as without signals (%)",
    "throughput": "Throughput of the port (Mbit/s)",
    "responsive": "Packets of responsive flows that arrive (1/s)",
    "delay": "Mean delay at the port (ms)",
}


def busy_cases(results: st.Results) -> list[str]:
    """Cases in which the dither is not silent."""
    drops = results.values("port_dithered", "dither_drops").mean("seed")
    return [str(name) for name, rate in zip(drops.labels["case"], drops.array, strict=True) if rate > SILENT]


def _dither_costs(results: st.Results, busy: Sequence[str]) -> st.Table:
    rows = []
    for name in busy:
        errors = [
            score(name, f"responsiveness{suffix}", "none").values(results).seeds for suffix in ("", "-dither")
        ]
        measured = {
            what: [results.values(table, column, case=name).seeds for table in ("port", "port_dithered")]
            for column, what in _PORT.items()
        }
        for what, (without, with_it) in {"Mean square error": errors, **measured}.items():
            change = mean_interval(with_it - without)
            rows.append((cases.case(name).label, what, float(without.mean()), float(with_it.mean()), change))
    columns = (
        _text("Case"),
        _text("Measure"),
        "Without",
        "With",
        st.Column("Change", key=True),
    )
    return st.Table("dither-costs", columns, rows)


FALSE_ALARMS = 6.0
"""False alarms an hour that the table of rules allows."""


def _rules(results: st.Results) -> st.Table:
    rows = []
    for name in alarm.ALARMED:
        for rule in RULES:
            cells: list[Any] = [contestant(name).label, rule.label]
            for crowd in _RULE_CROWDS:
                false, delay = detection_curve(results, crowd, name, rule.name)
                allowed = delay[false <= FALSE_ALARMS]
                found = area(name, rule.name, crowd).values(results).interval()
                cells += [found, st.Number(float(allowed.min()), decimals=1) if allowed.size else None]
            rows.append(tuple(cells))
    heads = ("Area, no crowd", "Seconds to detect", "Area, large crowd", "Seconds to detect, large crowd")
    return st.Table("alarm-rules", (_text("Estimator"), _text("Alarm by"), *heads), rows)
