"""Figures of the report, what its sentences are made of, and all that it shows; tables are beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from parshall import plot
from parshall_studies import study as st
from parshall_studies.nonresponsive import (
    alarm,
    cases,
    claims,
    excitation,
    networks as net,
    rules,
    shorter,
    shown_applied,
    tables,
)
from parshall_studies.nonresponsive.claims import (
    ALGORITHM,
    KINDS,
    PRINTED_TABLES,
    mean_error,
    point,
    score,
)
from parshall_studies.nonresponsive.contestants import contestant
from parshall_studies.nonresponsive.curves import detection_curve, roc_curve
from parshall_studies.nonresponsive.measures import DITHER, DITHERED, START_CASES, STARTS
from parshall_studies.nonresponsive.phase import QUEUES, SWEEPS
from parshall_studies.nonresponsive.rules import LEVELS, RULES, SINGLE
from parshall_studies.nonresponsive.tables import RULE_CROWDS, busy_cases, entries, means

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
_STARTS = {start: 100 * start for start in STARTS}
_MSE = st.Axis("mean square error", log=True)
_RULE_ESTIMATORS = ("zero-drops", "kalman", "responsiveness")
"""Estimators for which alarms over several intervals are drawn."""


# --- Over time ----------------------------------------------------------------------------------------------

_TIME, _SHARE = st.Axis("time", "s"), st.Axis("share", limits=(-0.02, 1.02))
_COURSES = [
    st.Course("intervals", "time", column, look(marker=""), where={"seed": EXAMPLE_SEED})
    for column, look in (
        ("share", _TRUTH),
        ("printed", _OF_KIND["printed"]),
        ("tuned", _OF_KIND["tuned"]),
        ("responsiveness", LOOKS["responsiveness"]),
    )
]
"""The true share in each estimation interval and the estimates of it, in one run."""


def _over_time(id: str, *names: str) -> st.Made[st.Figure]:
    """A panel for each case."""
    panels = [(cases.case(name).label, {"case": name}) for name in names]
    return st.drawing(id, _COURSES, _TIME, _SHARE, panels=panels, height=0.75 + 1.5 * len(names))


CROWD_END = 150.0
"""Until when short flows are there, in seconds."""


def _short_flows(results: st.Results, judged: object) -> st.Figure:
    """Figure 6: with the share of UDP and short flows together, while these are there."""
    case, share = cases.case("short"), short_share(results)
    traces = [trace for line in _COURSES for trace in line.at({"case": "short"}).traces(results)]
    both = st.Trace(
        st.Look("UDP and short flows", plot.INK, line=":"), [case.start, CROWD_END], [share, share]
    )
    return st.drawn("fig-6", st.Panel([*traces, both], case.label), _TIME, _SHARE, height=2.25)


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

_LOADS = [f"load/{count}" for count in cases.LOADS]
_RTTS = {f"rtt/{ms}": float(ms) for ms in cases.RTTS}
_THRESHOLDS = dict(
    zip(
        ("load/22", *(f"min-th/{least}" for least in cases.MIN_THRESHOLDS[1:])),
        map(float, cases.MIN_THRESHOLDS),
        strict=True,
    )
)
_INTERVALS = {samples: 1e3 * samples * net.SAMPLING for samples in shorter.SAMPLES}


def _over_cases(
    id: str, of: Mapping[st.Look, st.Expression], x: st.Axis, y: st.Axis, places: Any, **options: Any
) -> st.Made[st.Figure]:
    lines = [st.Means(each, "case", look, places=places) for look, each in of.items()]
    return st.drawing(id, lines, x, y, **options)


def _over_load(kind: str) -> st.Made[st.Figure]:
    """Figure 4."""
    return _over_cases(
        f"fig-4-{kind}",
        {
            LOOKS["basic"](label="basic"): score(_LOADS, "basic", kind),
            LOOKS["fixed-point"]: score(_LOADS, "fixed-point", kind),
            LOOKS[ALGORITHM](label="modified"): score(_LOADS, ALGORITHM, kind),
            LOOKS["constant"]: score(_LOADS, "constant", "tuned"),
        },
        st.Axis("non-responsive share of arrivals", "%"),
        _MSE,
        100 * st.quantity("traffic.mean_share", case=_LOADS),
    )


def _over_interval(half: int) -> st.Made[st.Figure]:
    """The remark on Figure 5: error over the length of the estimation interval."""
    errors = st.quantity("shorter.mse", half=half, samples=list(shorter.SAMPLES))
    looks = {
        **{f"{ALGORITHM}/{kind}": _OF_KIND[kind](label=f"modified, {name}") for kind, name in KINDS.items()},
        "responsiveness/none": LOOKS["responsiveness"],
    }
    lines = [st.Means(errors, "samples", looks, "entry", _INTERVALS)]
    return st.drawing(f"fig-5-interval-{half}", lines, st.Axis("estimation interval", "ms"), _MSE)


def _over_rtt(id: str, measure: str, factor: float, y: st.Axis, **options: Any) -> st.Made[st.Figure]:
    """Figure 8: an error over the round trip, R0 fixed."""
    lines = {look: factor * score([*_RTTS], ALGORITHM, kind, measure) for kind, look in _OF_KIND.items()}
    return _over_cases(id, lines, st.Axis("round-trip time without queueing", "ms"), y, _RTTS, **options)


def _over_threshold(kind: str) -> st.Made[st.Figure]:
    """Figure 10."""
    lines = {
        LOOKS[ALGORITHM](label="without l(t)"): score([*_THRESHOLDS], ALGORITHM, kind),
        LOOKS["with-drops"](label="with l(t)"): score([*_THRESHOLDS], "with-drops", kind),
    }
    return _over_cases(
        f"fig-10-{kind}", lines, st.Axis("lower threshold of RED", "packets"), _MSE, _THRESHOLDS
    )


def _over_start(kind: str, results: st.Results, judged: object) -> st.Figure:
    """Effect of the start value: not in the document."""
    traces: list[st.Trace] = []
    marks = []
    for place, name in enumerate(START_CASES):
        errors = st.quantity("starts.mse", case=name, settings=kind)
        look = st.Look(cases.case(name).label, plot.SERIES[place], plot.MARKERS[place])
        traces += st.Means(errors, "start_share", look, places=_STARTS, bare=True).traces(results)
        share = st.NumbersOf(results).mean("traffic.mean_share", case=name)
        marks.append(st.Mark(x=100 * share, colour=look.colour))
    x = st.Axis("start value of the share", "%", limits=(0, 100))
    return st.drawn(f"start-{kind}", st.Panel(traces, marks=marks), x, _MSE, legend=3)


def _excitation() -> st.Made[st.Figure]:
    """Over load: what the regressor explains of chi, and how many TCP flows least squares find."""
    look = st.Look("least squares over a whole run", plot.SERIES[1], "o")
    share = 100 * st.quantity("traffic.mean_share", case=_LOADS)
    lines = [st.Means(st.quantity("excitation.explained", case=_LOADS), "case", look, places=share)]
    return st.drawing(
        "excitation",
        lines,
        st.Axis("non-responsive share of arrivals", "%"),
        {
            "explained": st.Axis("explained of chi", "%", limits=(0, None)),
            "n_s": st.Axis("TCP flows found"),
        },
        height=4.2,
    )


def _best(results: st.Results, judged: object) -> st.Figure:
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


def _dither(results: st.Results, judged: object) -> st.Figure:
    """The estimate over time at a port that hardly drops, without and with the dither."""
    where = {"case": DITHERED, "seed": EXAMPLE_SEED}
    looks = {"share": _TRUTH, "responsiveness": LOOKS["responsiveness"](marker="")}
    panels = [
        st.Panel(
            [
                trace
                for column, look in looks.items()
                for trace in st.Course(table, "time", column, look, where=where).traces(results)
            ],
            title,
        )
        for table, title in (
            ("intervals", "the queue's own drops alone"),
            ("dithered_intervals", "with a dither"),
        )
    ]
    return st.drawn("dither", panels, _TIME, _SHARE, height=3.6)


_QUEUE_LOOKS = {
    queue: st.Look(name, plot.SERIES[place], plot.MARKERS[place], line)
    for place, ((queue, name), line) in enumerate(zip(QUEUES.items(), ("-", "--", "-."), strict=True))
}


def _phase(sweep: str, xlabel: str, results: st.Results, judged: object) -> st.Figure:
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


def _alarm_figures(crowd: str, results: st.Results, judged: object) -> Iterator[st.Figure]:
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


# --- What sentences say -------------------------------------------------------------------------------------


def free(results: st.Results, judged: st.Judgements, name: str) -> dict[str, Any]:
    """Accuracy of an estimator without tuning, beside an operator's needs."""
    every = [str(case) for case in results.labels("traffic", "case")]
    by_case = score(every, name, "none").values(results).mean("seed").array
    worst = int(np.argmax(by_case))
    return {
        "label": contestant(name).label,
        "mean": float(by_case.mean()),
        "worst": float(by_case[worst]),
        "where": cases.case(every[worst]).label,
        "verdicts": [judged[f"goal.{name}.{which}"].clause for which in ("mean", "worst")],
    }


def gains(results: st.Results, entry: str) -> list[float]:
    """Gamma 1 and gamma 2 of an entry."""
    rows = results.measures["tuning"].to_pylist()
    found = {row["setting"]: row["value"] for row in rows if row["entry"] == entry}
    return [found[name] for name in ("gamma1", "gamma2")]


def start(results: st.Results, kind: str) -> dict[str, Any]:
    """Part of the estimate that is its start value, under 22 CBR flows."""
    where = {"case": "load/22", "settings": kind}
    estimates, errors = (results.values("starts", name, **where) for name in ("mean_estimate", "mse"))
    starts = np.array(estimates.labels["start_share"], dtype=float)
    every = estimates.along("start_share", "seed")
    slope = np.polyfit(np.repeat(starts, every.shape[1]), every.ravel(), 1)[0]
    return {"slope": 100 * float(slope), "errors": errors.mean("seed").array.tolist()}


def alarms(results: st.Results) -> dict[str, tuple[float, float, float]]:
    """Alarms at the limit: % of attack intervals, of others, and of others with a large flash crowd."""
    level = int(np.argmin(np.abs(LEVELS - alarm.LIMIT)))
    found = {}
    for name in alarm.ALARMED:
        (false, hit), (crowded, _) = (
            roc_curve(results, crowd, name, SINGLE.name) for crowd in ("none", "large")
        )
        found[name] = (float(hit[level]), float(false[level]), float(crowded[level]))
    return found


def carried(results: st.Results) -> dict[str, float]:
    """Errors of settings that were tuned on 22 CBR flows, by what a reader calls the case elsewhere."""
    errors = results.values("transfer", "mse", home="load/22").mean(st.SEED)
    found = zip(errors.labels["case"], errors.array.tolist(), strict=True)
    return {cases.case(str(name)).label: error for name, error in found if name != "load/22"}


def networks_judged(results: st.Results) -> int:
    """Drawn scenarios whose link is full at some time."""
    return int(np.isfinite(results.values("drawn", "mse_of_all", dither="none").array).sum())


NAMES = {
    "alarm": alarm,
    "alarms": alarms,
    "busy_cases": busy_cases,
    "carried": carried,
    "cases": cases,
    "claims": claims,
    "dither": DITHER,
    "example_seed": EXAMPLE_SEED,
    "excitation": excitation,
    "free": free,
    "gains": gains,
    "mean_error": mean_error,
    "net": net,
    "networks_judged": networks_judged,
    "point": point,
    "rules": rules,
    "score": score,
    "shorter": shorter,
    "start": start,
    "tables": tables,
}
SHOWN: tuple[st.Shown, ...] = (
    *PRINTED_TABLES,
    _over_time("fig-3", *START_CASES),
    *map(_over_load, KINDS),
    _over_time("fig-5", *(f"pulses/{half}" for half in cases.PULSES)),
    *map(_over_interval, shorter.HALVES),
    st.Made(_short_flows),
    _over_time("fig-7", "rtt-range"),
    _over_rtt("fig-8-a", "mse", 1.0, _MSE),
    _over_rtt(
        "fig-8-b",
        "relative_error",
        100.0,
        st.Axis("relative error", "%"),
        marks=[st.Mark(y=(-10.0, 10.0), label="10 %"), st.Mark(y=0.0), st.Mark(x=120.0)],
    ),
    _over_time("fig-9", "vbr/slow", "vbr/fast"),
    *map(_over_threshold, KINDS),
    _over_time("fig-12", *(f"hops/{count}" for count in cases.HOPS)),
    _over_time("fig-13", "hops/22-uneven"),
    *(st.Made(partial(_over_start, kind)) for kind in KINDS),
    st.Made(_dither),
    *(st.Made(partial(_phase, *sweep)) for sweep in SWEEPS.items()),
    *(st.Made(partial(_alarm_figures, crowd)) for crowd in alarm.CROWDS),
    st.Made(_best),
    _excitation(),
    *tables.SHOWN,
    *shown_applied.SHOWN,
)
