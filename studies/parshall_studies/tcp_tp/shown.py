"""Figures and tables of the report: those of the document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parshall import plot
from parshall_studies import study as st
from parshall_studies.tcp_tp import document, model, networks, series, shown_beyond
from parshall_studies.tcp_tp.document import CHAIN_NS, NS
from parshall_studies.tcp_tp.measures import COMPOSITE, DYNAMIC_SOURCES
from parshall_studies.tcp_tp.networks import SIZES, SOURCES
from parshall_studies.tcp_tp.quantities import of
from parshall_studies.tcp_tp.senders import DOCUMENT, READINGS, TP

LOOKS = st.looks({name: sender.label for name, sender in DOCUMENT.items()})
_PREDICTOR_LOOKS = st.looks({name: label for name, (label, _) in series.PREDICTORS.items()})
_THEORY_LOOKS = st.looks(model.PREDICTORS)
_N = st.Axis("connections", ticks={float(n): str(n) for n in NS})
_SPARSE = st.Axis("connections", ticks={float(n): str(n) for n in NS[1::2]})
"""For narrow panels."""
_METRICS = (
    ("loss", st.Axis("loss", "%", limits=(0, None))),
    ("throughput", st.Axis("throughput", "Mbit/s", limits=(0, None))),
    ("jain", st.Axis("Jain's index")),
)


def shown(results: st.Results, judged: st.Judgements) -> Iterator[st.Figure | st.Table | st.PrintedTable]:
    """Everything that the page refers to."""
    del judged
    yield _over_n(results, "fig-9", "grid")
    yield _over_n(results, "fig-12", "unequal")
    yield _theory(results)
    yield _traffic(results)
    yield _curves(results)
    yield _own(results)
    yield _figure_8(results)
    yield _windows(results)
    yield _dynamic(results)
    yield _chain(results)
    yield _transfers(results)
    yield from shown_beyond.shown(results)


def _over_n(results: st.Results, id: str, table: str) -> st.Figure:
    """Loss, throughput and fairness over the number of connections."""
    panels = [
        st.Panel(
            tuple(st.means(LOOKS[name], of(table, metric, name).values(results), "n") for name in DOCUMENT),
            y=axis,
        )
        for metric, axis in _METRICS
    ]
    return st.drawn(id, panels, _SPARSE, _METRICS[0][1], columns=3, height=2.6)


def _theory(results: st.Results) -> st.Figure:
    """Figure 2a."""
    panels = []
    for process, label in model.PROCESSES.items():
        traces = []
        for predictor in model.PREDICTORS:
            own = results.rows("theory", process=process, predictor=predictor)
            look = _THEORY_LOOKS[predictor](marker="")
            traces.append(st.Trace(look, own["h"].to_numpy(), own["error"].to_numpy()))
        marks = (st.Mark(x=document.ALIKE_BELOW),)
        panels.append(st.Panel(tuple(traces), label, marks=marks))
    y = st.Axis("mean square error / variance", limits=(0, 1.05))
    return st.drawn("fig-2a", panels, st.Axis("H"), y, columns=2, share=(True, True), height=2.8, legend=3)


def _traffic(results: st.Results) -> st.Figure:
    """Figure 2b and what it would have been with others."""
    panels = []
    places = {interval: 1e3 * series.SAMPLING * interval for interval in series.INTERVALS}
    for source in COMPOSITE:
        traces = tuple(
            st.means(
                look,
                st.Quantity("traffic", "error").at(source=source, predictor=name).values(results),
                "interval",
                x=places,
                scale=100,
            )
            for name, look in _PREDICTOR_LOOKS.items()
        )
        panels.append(st.Panel(traces, SOURCES[source].label))
    x = st.Axis("interval", "ms", log=True, ticks={place: f"{place:g}" for place in places.values()})
    y = st.Axis("mean error", "% of the mean", limits=(0, None))
    return st.drawn("fig-2b", panels, x, y, columns=2, share=(True, True), height=3.9, legend=2)


def _curves(results: st.Results) -> st.Figure:
    """Figure 3a."""
    own = results.rows("curves", sender=TP, network="single")
    time = own["time"].to_numpy()
    kept = time < networks.WARM_UP + 40
    looks = {
        "actual": st.Look("attained", plot.INK, width=1.2),
        "estimate": st.Look("forecast one interval before", plot.SERIES[1], width=1.0),
    }
    traces = tuple(st.Trace(look, time[kept], own[name].to_numpy()[kept]) for name, look in looks.items())
    y = st.Axis("throughput", "packets/s", limits=(0, None))
    return st.drawn("fig-3a", st.Panel(traces), st.Axis("time", "s"), y, height=2.8)


def _own(results: st.Results) -> st.Figure:
    """Figure 3b."""
    looks = st.looks({str(gain): f"gain {gain:g}" for gain in series.GAINS})
    lines = [
        (looks[str(gain)], of("own", "error", TP, gain=gain, predictor="lmmse")) for gain in series.GAINS
    ]
    marks = (st.Mark(y=100 * float(document.GREATEST_ERROR), label="0.15, the document's bound"),)
    y = st.Axis("mean error", "% of the mean", limits=(0, None))
    return st.over(results, "fig-3b", lines, "n", _N, y, scale=100, marks=marks, height=3.0, legend=2)


def _figure_8(results: st.Results) -> st.Figure:
    looks = st.looks({name: label for name, (label, _) in model.CONSTANTS.items()})
    panels = []
    for metric, axis, printed in (
        ("throughput", st.Axis("T", "Mbit/s"), document.FIGURE_8["throughput"]),
        ("shortfall_fairness", st.Axis("F"), document.FIGURE_8["fairness"]),
    ):
        traces = []
        for name in model.CONSTANTS:
            own = results.rows("figure_8", constants=name)
            traces.append(st.Trace(looks[name](marker=""), own["gamma"].to_numpy(), own[metric].to_numpy()))
        look = st.Look("printed ends", plot.INK, "o", hollow=True)
        ends = st.Trace(look, (0.0, 1.0), [float(text) for text in printed], style="points")
        panels.append(st.Panel((*traces, ends), y=axis))
    x = st.Axis("largest relative error of a prediction, γ")
    return st.drawn("fig-8", panels, x, st.Axis("T"), columns=2, height=2.8)


def _windows(results: st.Results) -> st.Figure:
    """Figure 10: one connection alone at a queue, and one through five."""
    panels = []
    for network, words in (("single", "one queue"), ("chain", "five queues")):
        for name, sender in DOCUMENT.items():
            own = results.rows("windows", sender=name, network=network)
            time, cwnd = own["time"].to_numpy(), own["cwnd"].to_numpy()
            kept = time < networks.SHORTER
            trace = st.Trace(
                LOOKS[name](marker="", line="-", width=1.0), time[kept], cwnd[kept], style="steps"
            )
            panels.append(st.Panel((trace,), f"{sender.label}, {words}"))
    axes = st.Axis("time", "s"), st.Axis("window", "packets", limits=(0, None))
    return st.drawn("fig-10", panels, *axes, columns=2, height=4.2, share=(True, True))


def _dynamic(results: st.Results) -> st.Figure:
    """Figure 11: rate, window and sequence number of those that stay."""
    panels = []
    axes = {
        "rate": st.Axis("rate", "Mbit/s", limits=(0, None)),
        "window": st.Axis("window", "packets", limits=(0, None)),
        "delivered": st.Axis("sequence", "packets", limits=(0, None)),
    }
    changes = (st.Mark(x=networks.JOINED), st.Mark(x=networks.LEFT))
    for metric, axis in axes.items():
        for source in DYNAMIC_SOURCES:
            traces = tuple(
                st.means(
                    LOOKS[name](marker=""),
                    st.Quantity("courses", metric).at(sender=name, source=source).values(results),
                    "time",
                )
                for name in DOCUMENT
            )
            panels.append(st.Panel(_plain(traces), SOURCES[source].label, y=axis, marks=changes))
    x = st.Axis("time", "s")
    return st.drawn("fig-11", panels, x, axes["rate"], columns=2, height=6.4)


def _plain(traces: tuple[st.Trace, ...]) -> tuple[st.Trace, ...]:
    """Lines over time, whose many intervals would hide them."""
    return tuple(st.Trace(trace.look, trace.x, trace.y) for trace in traces)


def _chain(results: st.Results) -> st.Table:
    rows = [
        (f"{sender.label}, N = {n}", {"sender": name, "n": n})
        for n in CHAIN_NS
        for name, sender in DOCUMENT.items()
    ]
    return st.means_table(results, "fig-13", "Sender", rows, shown_beyond.columns("chain"))


def _transfers(results: st.Results) -> st.Figure:
    """Figure 14: throughput and timeouts over the size."""
    places = {size: float(packets) for size, packets in SIZES.items()}
    labels = {name: sender.label for name, sender in DOCUMENT.items()}
    looks = st.looks({**labels, "measured": f"TCP-TP, {READINGS['measured'].label}"})
    panels = []
    for metric, axis in (
        ("throughput", st.Axis("throughput", "kbit/s", limits=(0, None))),
        ("timeouts", st.Axis("timeouts", "a transfer", limits=(0, None))),
    ):
        traces: tuple[Any, ...] = tuple(
            st.means(look, of("transfers", metric, name).values(results), "size", x=places)
            for name, look in looks.items()
        )
        panels.append(st.Panel(traces, y=axis))
    x = st.Axis("size", "kB", log=True, ticks={place: f"{place:g}" for place in places.values()})
    return st.drawn("fig-14", panels, x, st.Axis("throughput"), columns=2, height=2.8, legend=3)
