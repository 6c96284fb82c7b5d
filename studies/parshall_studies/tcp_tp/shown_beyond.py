"""Figures and tables of the report: those that go beyond the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from parshall import plot
from parshall_studies import study as st
from parshall_studies.tcp_tp import networks
from parshall_studies.tcp_tp.beyond import ARRIVING, HALVES, MIXED_SOURCES, PAIRS, SOME_NS, TRAFFIC
from parshall_studies.tcp_tp.judging import DESIGN_NS, DESIGNS, JUDGED, KINDS
from parshall_studies.tcp_tp.networks import MAIN, SOURCES
from parshall_studies.tcp_tp.quantities import UNITS, of
from parshall_studies.tcp_tp.senders import ABLATION, DOCUMENT, NEWRENO, OURS, READINGS, RULES, TP, Sender

_ARRIVAL_LOOKS = {
    "first_rate": st.Look("there from the start", plot.INK, width=1.2),
    "second_rate": st.Look("came after a minute", plot.SERIES[1], line="--", width=1.2),
}
_JUDGED_LOOKS = st.looks({name: sender.label for name, sender in JUDGED.items()})
_SHOWN_ARRIVING = (NEWRENO, TP, "oracle", OURS)


def shown(results: st.Results) -> Iterator[st.Figure | st.Table]:
    """Everything that the page refers to."""
    yield _jump(results)
    yield from (_phases(results, half) for half in HALVES)
    yield _arrivals(results)
    yield _sources(results)
    yield _over_n(results, "readings", READINGS)
    yield _over_n(results, "ablation", ABLATION)
    yield _mixed(results)
    yield _design(results)
    yield from _judging(results)


def columns(table: str) -> list[tuple[str, st.Expression, float]]:
    """What is counted of a run, as columns."""
    heads = {
        "loss": "loss, %",
        "throughput": "throughput, Mbit/s",
        "jain": "Jain's index",
        "delay": "queueing delay, ms",
        "cuts": "cuts a minute",
    }
    return [(head, st.Quantity(table, metric, UNITS.get(metric, "")), 1.0) for metric, head in heads.items()]


def _jump(results: st.Results) -> st.Figure:
    """The share after a decision over the share before."""
    before, after = (results.measures["jump"][name].to_numpy() for name in ("before", "after"))
    trace = st.Trace(st.Look("after an exact forecast", plot.SERIES[0]), before, after, style="steps")
    axes = st.Axis("share before", limits=(0, 1)), st.Axis("share after", limits=(0, 1))
    return st.drawn("jump", st.Panel((trace,), marks=(st.Mark(),)), *axes, height=3.2)


def _phases(results: st.Results, half: int) -> st.Figure:
    """Mean rates of both halves over time."""
    panels = []
    for name in _SHOWN_ARRIVING:
        traces = []
        for metric, look in _ARRIVAL_LOOKS.items():
            values = st.Quantity("phases", metric).at(sender=name, half=half).values(results)
            trace = st.means(look, values, "time")
            traces.append(st.Trace(look, trace.x, trace.y))
        share = networks.RATE / 1e6 / 1.04 / (2 * half)
        marks = (st.Mark(y=share), st.Mark(x=networks.ARRIVAL))
        panels.append(st.Panel(tuple(traces), ARRIVING[name].label, marks=marks))
    axes = st.Axis("time", "s"), st.Axis("rate of a connection", "Mbit/s", limits=(0, None))
    return st.drawn(f"phases-{half}", panels, *axes, columns=2, height=4.2, share=(True, True))


def _arrivals(results: st.Results) -> st.Table:
    rows = [
        (f"{sender.label}, {half} and {half}", {"sender": name, "half": half})
        for half in HALVES
        for name, sender in ARRIVING.items()
    ]
    columns = [
        (head, st.Quantity("arrivals", metric, UNITS.get(metric, "")), 1.0)
        for metric, head in (
            ("convergence", "80 % after, s"),
            ("last_jain", "Jain's index, last 30 s"),
            ("last_throughput", "Mbit/s, last 30 s"),
            ("loss", "loss, %"),
            ("delay", "queueing delay, ms"),
        )
    ]
    return st.means_table(results, "arrivals", "Sender", rows, columns)


def _sources(results: st.Results) -> st.Table:
    rows = [
        (f"{label}, {sender.label}", {"sender": name, "source": source})
        for source, label in TRAFFIC.items()
        for name, sender in DOCUMENT.items()
    ]
    return st.means_table(results, "sources", "Traffic and sender", rows, columns("sources"))


def _over_n(results: st.Results, table: str, senders: Mapping[str, Sender]) -> st.Table:
    """Loss, throughput and fairness for each of some numbers of connections."""
    rows = [(sender.label, {"sender": name}) for name, sender in senders.items()]
    heads = {"loss": "loss, %", "throughput": "Mbit/s", "jain": "Jain"}
    columns = [
        (f"{head}, N = {n}", st.Quantity(table, metric, UNITS.get(metric, "")).at(n=n), 1.0)
        for metric, head in heads.items()
        for n in SOME_NS
    ]
    return st.means_table(results, table, "Sender", rows, columns, "matrix")


def _mixed(results: st.Results) -> st.Table:
    rows = [
        (
            f"{RULES[first].label} and {RULES[second].label}, {SOURCES[source].label}",
            {"first": first, "second": second, "source": source},
        )
        for source in MIXED_SOURCES
        for first, second in PAIRS
    ]
    columns = [
        (head, st.Quantity("mixed", metric, unit), factor)
        for head, metric, unit, factor in (
            ("the first, Mbit/s", "first_rate", "Mbit/s", 1.0),
            ("the second, Mbit/s", "second_rate", "Mbit/s", 1.0),
            ("share of the first, %", "share", "%", 100.0),
            ("loss, %", "loss", "%", 1.0),
        )
    ]
    return st.means_table(results, "mixed", "Connections", rows, columns)


def _design(results: st.Results) -> st.Table:
    rows = [(sender.label, {"sender": name}) for name, sender in DESIGNS.items()]
    places = (("bulk", DESIGN_NS[0]), *((MAIN, n) for n in DESIGN_NS[1:]))
    heads = {"loss": "loss, %", "throughput": "Mbit/s", "jain": "Jain"}
    columns = [
        (
            f"{head}, {'bulk, ' if source == 'bulk' else ''}N = {n}",
            st.Quantity("design", metric, UNITS.get(metric, "")).at(source=source, n=n),
            1.0,
        )
        for metric, head in heads.items()
        for source, n in places
    ]
    return st.means_table(results, "design", "Rule", rows, columns, "matrix")


def _judging(results: st.Results) -> Iterator[st.Figure | st.Table]:
    """On the networks that the rule was not designed on: a picture of losses, and everything as a table."""
    rows = st.rows_axis([kind.label for kind in KINDS.values()])
    places = [float(row) for row in range(len(KINDS))]
    traces = tuple(
        st.of_intervals(
            look,
            places,
            [of("judging", "loss", name, kind=kind).values(results).interval() for kind in KINDS],
            style="points",
            across=True,
        )
        for name, look in _JUDGED_LOOKS.items()
    )
    x = st.Axis("loss at the bottleneck", "%", limits=(0, None))
    yield st.drawn("judging", st.Panel(traces), x, rows, height=5.4, legend=4)
    cells = [
        (f"{kind.label}, {sender.label}", {"kind": name, "sender": own})
        for name, kind in KINDS.items()
        for own, sender in JUDGED.items()
    ]
    yield st.means_table(results, "judging-table", "Network and rule", cells, columns("judging"))
