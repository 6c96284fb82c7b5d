"""Figures and tables of the report, and what its sentences are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parshall import plot
from parshall_studies import study as st
from parshall_studies.tcp_tp import beyond, document, judging, line, model, networks, senders, series, theorem
from parshall_studies.tcp_tp.document import NS
from parshall_studies.tcp_tp.measures import COMPOSITE, DYNAMIC_SOURCES, ROUNDINGS
from parshall_studies.tcp_tp.networks import MAIN, SOURCES
from parshall_studies.tcp_tp.quantities import FULL, of, reduction
from parshall_studies.tcp_tp.senders import ABLATION, DOCUMENT, NEWRENO, OURS, READINGS, RULES, TP

_ROUNDING_LABELS = {NEWRENO: "NewReno"} | {
    TP: "TCP-TP, N rounded up as printed",
    "nearest": "TCP-TP, N to the nearest",
    "down": "TCP-TP, N rounded down",
}
NAMES = {
    "beyond": beyond,
    "document": document,
    "full": FULL,
    "judging": judging,
    "line": line,
    "model": model,
    "networks": networks,
    "reduction": reduction,
    "roundings": {name: _ROUNDING_LABELS[name].removeprefix("TCP-TP, ") for name in ROUNDINGS},
    "senders": senders,
    "theorem": theorem,
}
_LABELS = {name: sender.label for name, sender in DOCUMENT.items()}
LOOKS = st.looks(_LABELS)
_N = st.Axis("connections", ticks={float(n): str(n) for n in NS})
_SPARSE = st.Axis("connections", ticks={float(n): str(n) for n in NS[1::2]})
"""For narrow panels."""
_RATE = st.Axis("throughput", "Mbit/s", limits=(0, None))
_TIME = st.Axis("time", "s")
_WINDOW = st.Axis("window", "packets", limits=(0, None))
_SIDES: dict[str, Any] = {"columns": 2, "share": (True, True)}
_OVER_N = {
    "loss": st.Axis("loss", "%", limits=(0, None)),
    "throughput": _RATE,
    "jain": st.Axis("Jain's index"),
}
_SMOOTH = st.looks(_LABELS, marker="")
_PLAIN = st.looks(_LABELS, marker="", line="-", width=1.0)
_READING_LOOKS = st.looks(
    {name: label for name, label in _ROUNDING_LABELS.items() if name != NEWRENO}, marker=""
)
_PREDICTOR_LOOKS = st.looks({name: label for name, (label, _) in series.PREDICTORS.items()})
_GAIN_LOOKS = st.looks({gain: f"gain {gain:g}" for gain in series.GAINS})
_JUDGED_LOOKS = st.looks({name: sender.label for name, sender in judging.JUDGED.items()})
_TRANSFER_LOOKS = st.looks({**_LABELS, "measured": f"TCP-TP, {READINGS['measured'].label}"})
_ATTAINED = {
    "actual": st.Look("attained", plot.INK, width=1.2),
    "estimate": st.Look("forecast one interval before", plot.SERIES[1], width=1.0),
}
_THEORY_LOOKS = st.looks(model.PREDICTORS, marker="")
_INTERVALS = {interval: 1e3 * series.SAMPLING * interval for interval in series.INTERVALS}
_SIZES = {size: float(packets) for size, packets in networks.SIZES.items()}


def _over_n(id: str, table: str) -> st.Made[st.Figure]:
    """Loss, throughput and fairness over the number of connections."""
    lines = [st.Means(st.Quantity(table, ""), "n", LOOKS, "sender")]
    return st.drawing(id, lines, _SPARSE, _OVER_N, columns=3, height=2.6)


def _figure_8(results: st.Results, judged: st.Judgements) -> st.Figure:
    looks = st.looks({name: label for name, (label, _) in model.CONSTANTS.items()}, marker="")
    ends = st.Look("printed ends", plot.INK, "o", hollow=True)
    panels = []
    for metric, axis, printed in (
        ("throughput", st.Axis("T", "Mbit/s"), document.FIGURE_8["throughput"]),
        ("shortfall_fairness", st.Axis("F"), document.FIGURE_8["fairness"]),
    ):
        lines = st.Course("figure_8", "gamma", metric, looks, "constants").traces(results)
        points = st.Trace(ends, (0.0, 1.0), [float(text) for text in printed], style="points")
        panels.append(st.Panel([*lines, points], y=axis))
    x = st.Axis("largest relative error of a prediction, γ")
    return st.drawn("fig-8", panels, x, st.Axis("T"), columns=2, height=2.8)


def _phases(half: int) -> st.Made[st.Figure]:
    """Mean rates of both halves over time."""
    looks = {
        "first_rate": st.Look("there from the start", plot.INK, width=1.2),
        "second_rate": st.Look("came after a minute", plot.SERIES[1], line="--", width=1.2),
    }
    return st.drawing(
        f"phases-{half}",
        [
            st.Means(st.quantity(f"phases.{rate}", half=half), "time", look, bare=True)
            for rate, look in looks.items()
        ],
        _TIME,
        st.Axis("rate of a connection", "Mbit/s", limits=(0, None)),
        panels=[(beyond.ARRIVING[name].label, {"sender": name}) for name in (NEWRENO, TP, "oracle", OURS)],
        marks=[st.Mark(y=networks.RATE / 1e6 / 1.04 / (2 * half)), st.Mark(x=networks.ARRIVAL)],
        height=4.2,
        **_SIDES,
    )


def _counted(table: str) -> Mapping[str, Any]:
    """Counts of a run."""
    heads = {"loss": "loss, %", "throughput": "throughput, Mbit/s", "jain": "Jain's index"}
    return st.columns(table, **heads, delay="queueing delay, ms", cuts="cuts a minute")


def _some(table: str, places: Iterable[st.Place]) -> Mapping[str, Any]:
    """Loss, throughput and fairness at each of some places."""
    return {
        f"{head}, {words}": st.quantity(f"{table}.{metric}", **where)
        for metric, head in {"loss": "loss, %", "throughput": "Mbit/s", "jain": "Jain"}.items()
        for words, where in places
    }


_SOME_NS = st.each("N = {n}", n=(beyond.SOME_NS[0], beyond.SOME_NS[-1]))
_DESIGN_NS = [
    *st.each("bulk, N = {n}", source=["bulk"], n=judging.DESIGN_NS[:1]),
    *st.each("N = {n}", source=[MAIN], n=(60,)),
]
"""As many as a table has room for."""
SHOWN: tuple[st.Shown, ...] = (
    _over_n("fig-9", "grid"),
    _over_n("fig-12", "unequal"),
    st.drawing(
        "fig-2a",
        [st.Course("theory", "h", "error", _THEORY_LOOKS, "predictor")],
        st.Axis("H"),
        st.Axis("mean square error / variance", limits=(0, 1.05)),
        panels=st.each("{process}", process=model.PROCESSES),
        marks=[st.Mark(x=document.ALIKE_BELOW)],
        height=2.8,
        legend=3,
        **_SIDES,
    ),
    st.drawing(
        "fig-2b",
        [st.Means(100 * st.quantity("traffic.error"), "interval", _PREDICTOR_LOOKS, "predictor", _INTERVALS)],
        st.Axis("interval", "ms", log=True, ticks={place: f"{place:g}" for place in _INTERVALS.values()}),
        st.Axis("mean error", "% of the mean", limits=(0, None)),
        panels=st.each("{source.label}", source={name: SOURCES[name] for name in COMPOSITE}),
        height=3.9,
        **_SIDES,
    ),
    st.drawing(
        "fig-3a",
        [
            st.Course(
                "curves",
                "time",
                name,
                look,
                where={"sender": TP, "network": "single"},
                until=networks.WARM_UP + 40,
            )
            for name, look in _ATTAINED.items()
        ],
        _TIME,
        st.Axis("throughput", "packets/s", limits=(0, None)),
        height=2.8,
    ),
    st.drawing(
        "fig-3b",
        [st.Means(100 * of("own", "error", TP, predictor="lmmse"), "n", _GAIN_LOOKS, "gain")],
        _N,
        st.Axis("mean error", "% of the mean", limits=(0, None)),
        marks=[st.Mark(y=100 * float(document.GREATEST_ERROR), label="0.15, the document's bound")],
        height=3.0,
    ),
    st.Made(_figure_8),
    st.drawing(
        "fig-10",
        [st.Course("windows", "time", "cwnd", _PLAIN, "sender", style="steps", until=networks.WARM_UP + 15)],
        _TIME,
        _WINDOW,
        panels=st.each(
            "{sender}, {network}", network={"single": "one queue", "chain": "five queues"}, sender=_LABELS
        ),
        height=4.2,
        **_SIDES,
    ),
    st.drawing(
        "fig-11",
        [st.Means("courses.rate", "time", _SMOOTH, "sender", bare=True)],
        _TIME,
        {
            "rate": st.Axis("rate", "Mbit/s", limits=(0, None)),
            "window": _WINDOW,
        },
        panels=st.each("{source.label}", source={name: SOURCES[name] for name in DYNAMIC_SOURCES}),
        marks=[st.Mark(x=networks.JOINED), st.Mark(x=networks.LEFT)],
        columns=2,
        height=4.4,
    ),
    st.drawing(
        "fig-11b",
        [
            st.Means(
                of("courses", "delivered", name) - of("courses", "delivered", NEWRENO),
                "time",
                look,
                bare=True,
            )
            for name, look in _READING_LOOKS.items()
        ],
        _TIME,
        st.Axis("sequence, less NewReno's", "packets"),
        panels=st.each("{source.label}", source={name: SOURCES[name] for name in DYNAMIC_SOURCES}),
        marks=[st.Mark(y=0.0), st.Mark(x=networks.JOINED), st.Mark(x=networks.LEFT)],
        columns=2,
        height=3.0,
    ),
    st.means_table(
        "roundings",
        "Reading of (10)",
        st.each("{sender}", sender=_ROUNDING_LABELS),
        {f"loss, %, N = {n}": st.quantity("readings.loss", n=n) for n in beyond.SOME_NS}
        | {
            "near the new share after 40 leave, s": st.quantity("dynamic.left", source="bulk"),
            "packets from 150 to 200 s": st.quantity("dynamic.delivered_200", source="bulk")
            - st.quantity("dynamic.delivered_150", source="bulk"),
        },
    ),
    st.means_table(
        "theorem",
        "Reading of (10)",
        st.each("{way}", way=theorem.WAYS),
        {
            f"{what}, {shape} shares, {load:.0%} used": (
                st.quantity(f"theorem.{column}", shape=shape, load=load).mean("count")
            )
            for column, what in {"total": "of the link"}.items()
            for shape in theorem.SHAPES
            for load in theorem.LOADS
        },
    ),
    st.means_table(
        "fig-13",
        "Sender",
        st.each("{sender}, N = {n}", n=document.CHAIN_NS, sender=_LABELS),
        _counted("chain"),
    ),
    st.drawing(
        "fig-14",
        [st.Means("transfers.throughput", "size", _TRANSFER_LOOKS, "sender", _SIZES)],
        st.Axis("size", "kB", log=True, ticks={place: f"{place:g}" for place in _SIZES.values()}),
        {
            "throughput": st.Axis("throughput", "kbit/s", limits=(0, None)),
            "timeouts": st.Axis("timeouts", "a transfer", limits=(0, None)),
        },
        columns=2,
        height=2.8,
        legend=3,
    ),
    st.drawing(
        "jump",
        [
            st.Course(
                "jump", "before", "after", st.Look("after an exact forecast", plot.SERIES[0]), style="steps"
            )
        ],
        st.Axis("share before", limits=(0, 1)),
        st.Axis("share after", limits=(0, 1)),
        marks=[st.Mark()],
        height=3.2,
    ),
    *map(_phases, beyond.HALVES),
    st.means_table(
        "arrivals",
        "Sender",
        st.each("{sender.label}, {half} and {half}", half=beyond.HALVES, sender=beyond.ARRIVING),
        st.columns("arrivals", convergence="80 % after, s", last_jain="Jain's index, last 30 s")
        | st.columns(
            "arrivals", last_throughput="Mbit/s, last 30 s", loss="loss, %", delay="queueing delay, ms"
        ),
    ),
    st.means_table(
        "sources",
        "Traffic and sender",
        st.each("{source}, {sender}", source=beyond.TRAFFIC, sender=_LABELS),
        _counted("sources"),
    ),
    *(
        st.means_table(
            table, "Sender", st.each("{sender.label}", sender=own), _some(table, _SOME_NS), "matrix"
        )
        for table, own in (("readings", READINGS), ("ablation", ABLATION))
    ),
    st.means_table(
        "mixed",
        "Connections",
        [
            (
                f"{RULES[first].label} and {RULES[second].label}, {SOURCES[source].label}",
                {"first": first, "second": second, "source": source},
            )
            for source in beyond.MIXED_SOURCES
            for first, second in beyond.PAIRS
        ],
        st.columns("mixed", first_rate="the first, Mbit/s", second_rate="the second, Mbit/s")
        | {"share of the first, %": 100 * st.quantity("mixed.share"), "loss, %": "mixed.loss"},
    ),
    st.means_table(
        "design",
        "Rule",
        st.each("{sender.label}", sender=judging.DESIGNS),
        _some("design", _DESIGN_NS),
        "matrix",
    ),
    st.drawing(
        "judging",
        [st.Means("judging.loss", "kind", _JUDGED_LOOKS, "sender", style="points", across=True)],
        st.Axis("loss at the bottleneck", "%", limits=(0, None)),
        st.rows_axis([kind.label for kind in judging.KINDS.values()]),
        height=5.4,
        legend=4,
    ),
    st.means_table(
        "judging-table",
        "Network and rule",
        st.each("{kind.label}, {sender.label}", kind=judging.KINDS, sender=judging.JUDGED),
        _counted("judging"),
    ),
)
