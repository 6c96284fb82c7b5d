"""Figures and tables of the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from parshall import plot
from parshall_studies import study as st
from parshall_studies.arima_vegas import document, networks, shown_timeouts
from parshall_studies.arima_vegas.document import CFS, ERROR_RATES, KS, ROUND_TRIPS, Cell
from parshall_studies.arima_vegas.measures import ERRORS, OFFSETS
from parshall_studies.arima_vegas.printed import PRINTED_TABLES
from parshall_studies.arima_vegas.quantities import UNITS, grid, of
from parshall_studies.arima_vegas.senders import ABLATION, ARTT, DOCUMENT, READINGS, TODAY, VEGAS, WINDOW
from parshall_studies.arima_vegas.shown_models import model_figures

LOOKS = st.looks({name: sender.label for name, sender in TODAY.items()})
_K_LOOKS = st.looks({str(k): f"K = {k}" for k in KS})
_CF_LOOKS = st.looks({str(cf): f"Cf = {cf} Mbit/s" for cf in CFS})
_K = st.Axis("K", log=True, ticks={float(k): str(k) for k in KS})
_THROUGHPUT = st.Axis("throughput", "kbit/s", log=True)
_SIDES: dict[str, Any] = {"columns": 2, "share": (True, True), "legend": 3, "height": 2.9}
"""Vegas on the left and CA-ARTT on the right, as the document draws them."""


def shown(results: st.Results, judged: st.Judgements) -> Iterator[st.Figure | st.Table | st.PrintedTable]:
    """Everything that the page refers to."""
    del judged
    yield from PRINTED_TABLES
    yield _gains(results)
    yield from model_figures(results)
    yield _windows(results)
    yield _sides(results, "fig-6", _by_cf, "k", _K)
    rates = {rate: float(rate) for rate in ERROR_RATES}
    yield _sides(
        results, "fig-7", _by_k("error_rates"), "rate", st.Axis("error rate", log=True), places=rates
    )
    trips = st.Axis("round trip", "ms", ticks={float(rtt): str(rtt) for rtt in ROUND_TRIPS[::2]})
    for id, errors in (("fig-8", "none"), ("fig-9", "up")):
        yield _sides(results, id, _by_k("round_trips", errors=errors), "rtt", trips)
    yield _decisions(results)
    yield _starts(results)
    yield _forecasters(results)
    for errors in ("none", "up"):
        yield _over_k(results, f"forecasters-{errors}", "ablation", ABLATION, errors)
        yield _over_k(results, f"today-{errors}", "today", TODAY, errors)
    yield _today(results)
    for errors in ERRORS:
        yield _over_k(results, f"readings-{errors}", "readings", READINGS, errors)
    yield _symmetric(results)
    yield _meetings(results)
    if "timeouts" in results:
        yield from shown_timeouts.shown(results)
    if "ns2" in results:
        yield _ns2(results)


# --- The answer ---------------------------------------------------------------------------------------------

_PRINTED = {"none": document.TABLE_3, "up": document.TABLE_4}
_GAIN_LOOKS = {
    "none": st.Look("ours, no errors", plot.SERIES[0], "o"),
    "up": st.Look("ours, 1 % upstream", plot.SERIES[1], "s"),
}


def _gains(results: st.Results) -> st.Figure:
    """CA-ARTT over Vegas in every cell, ours and as printed, over the upstream rate."""
    traces = []
    for errors, look in _GAIN_LOOKS.items():
        ratio = grid("throughput", ARTT, errors) / grid("throughput", VEGAS, errors)
        found = ratio.values(results).intervals()
        places = [networks.Path(cf, k).cr for cf, k in _cells(ratio, results)]
        traces.append(st.of_intervals(look, places, list(found.values()), style="points"))
        table = _PRINTED[errors]
        printed = look(label=f"printed, Table {3 if errors == 'none' else 4}", hollow=True)
        x, y = zip(*((networks.Path(cf, k).cr, _ratio(cell)) for (k, cf), cell in table.items()), strict=True)
        traces.append(st.Trace(printed, x, y, style="points"))
    x_axis, y_axis = st.Axis("upstream rate", "kbit/s", log=True), st.Axis("CA-ARTT / Vegas", log=True)
    marks = (st.Mark(y=1.0),)
    return st.drawn("gains", st.Panel(tuple(traces), marks=marks), x_axis, y_axis, height=3.4)


def _cells(expression: st.Expression, results: st.Results) -> list[tuple[int, int]]:
    """Cf and K of each combination, in the order of the intervals."""
    return [(int(labels["cf"]), int(labels["k"])) for labels, _ in expression.values(results).members()]


def _ratio(cell: Cell) -> float:
    return 1 + document.gain(cell) / 100


# --- The document's figures ---------------------------------------------------------------------------------


def _windows(results: st.Results) -> st.Figure:
    """The windows of one run."""
    panels = []
    for sender, each in DOCUMENT.items():
        own = results.rows("windows", sender=sender)
        time, cwnd = own["time"].to_numpy(), own["cwnd"].to_numpy()
        trace = st.Trace(LOOKS[sender](marker="", line="-", width=1.0), time, cwnd, style="steps")
        panels.append(st.Panel((trace,), each.label))
    axes = st.Axis("time", "s", limits=(0, networks.DURATION)), st.Axis("window", "packets", limits=(0, None))
    return st.drawn("fig-5", panels, *axes, height=4.2, share=(True, True))


def _by_cf(sender: str) -> list[tuple[st.Look, st.Expression]]:
    return [(_CF_LOOKS[str(cf)], grid("throughput", sender, cf=cf)) for cf in CFS]


def _by_k(table: str, **where: Any) -> Any:
    def lines(sender: str) -> list[tuple[st.Look, st.Expression]]:
        return [(_K_LOOKS[str(k)], of(table, "throughput", sender, k=k, **where)) for k in KS]

    return lines


def _sides(
    results: st.Results,
    id: str,
    lines: Any,
    dim: str,
    x: st.Axis,
    places: Mapping[Any, float] | None = None,
) -> st.Figure:
    """A panel for each of the document's senders."""
    panels = [
        st.Panel(
            tuple(st.means(look, each.values(results), dim, x=places) for look, each in lines(sender)),
            own.label,
        )
        for sender, own in DOCUMENT.items()
    ]
    return st.drawn(id, panels, x, _THROUGHPUT, **_SIDES)


# --- Beyond the document ------------------------------------------------------------------------------------


def _starts(results: st.Results) -> st.Figure:
    """Throughput over the start of the downstream flow."""
    near = [offset for offset in OFFSETS if abs(offset) <= 2 * networks.START_SPREAD]
    lines = [(LOOKS[name](marker="."), of("offsets", "throughput", name, offset=near)) for name in DOCUMENT]
    x = st.Axis("start after the first upstream flow", "ms")
    places = {offset: 1e3 * offset for offset in OFFSETS}
    y = st.Axis("throughput", "kbit/s", limits=(0, None))
    return st.over(results, "starts", lines, "offset", x, y, places=places)


def _forecasters(results: st.Results) -> st.Figure:
    """Throughput over that of stock Vegas, forecaster by forecaster."""
    names = [name for name in ABLATION if name != VEGAS]
    rows = st.rows_axis([ABLATION[name].label for name in names])
    panels = []
    for errors in ("none", "up"):
        traces = []
        for k in KS:
            found = [
                (
                    of("ablation", "throughput", name, errors=errors, k=k)
                    / of("ablation", "throughput", VEGAS, errors=errors, k=k)
                )
                .values(results)
                .interval()
                for name in names
            ]
            look = _K_LOOKS[str(k)]
            traces.append(
                st.of_intervals(
                    look, [float(row) for row in range(len(names))], found, style="points", across=True
                )
            )
        panels.append(st.Panel(tuple(traces), ERRORS[errors], marks=(st.Mark(x=1.0),)))
    x = st.Axis("throughput / stock Vegas's", log=True)
    return st.drawn("forecasters", panels, x, rows, height=5.4, share=(True, True), legend=5)


def _decisions(results: st.Results) -> st.Table:
    """Shares of decisions, and N in the median."""
    rows = [(sender.label, {"sender": name}) for name, sender in ABLATION.items() if name != VEGAS]
    grows, backlog = (st.Quantity("decisions", metric) for metric in ("grows", "backlog"))
    columns: list[tuple[str, st.Expression, float]] = [
        *((f"grows, K = {k}", grows.at(k=k), 100.0) for k in KS),
        *((f"N, K = {k}", backlog.at(k=k), 1.0) for k in (KS[0], KS[-1])),
    ]
    return st.means_table(results, "decisions", "Forecaster", rows, columns, "matrix")


def _today(results: st.Results) -> st.Figure:
    lines = [(LOOKS[name], of("today", "throughput", name)) for name in TODAY]
    panels = ("errors", {errors: ERRORS[errors] for errors in ("none", "up")})
    options: dict[str, Any] = {"panels": panels, "share": (True, True), "height": 5.6, "legend": 2}
    return st.over(results, "today", lines, "k", _K, _THROUGHPUT, **options)


def _over_k(results: st.Results, id: str, table: str, senders: Mapping[str, Any], errors: str) -> st.Table:
    """Throughput for each K, and over all of them the window, the retransmissions and the upstream flows."""
    rows = [(sender.label, {"sender": name, "errors": errors}) for name, sender in senders.items()]

    def mean(metric: str) -> st.Expression:
        return st.Quantity(table, metric, UNITS.get(metric, "")).at(k=list(KS)).mean("k")

    columns: list[tuple[str, st.Expression, float]]
    columns = [(f"K = {k}", st.Quantity(table, "throughput", "kbit/s").at(k=k), 1.0) for k in KS]
    columns += [
        ("window", mean("window"), 1.0),
        (f"% of time at {WINDOW}", mean("full"), 100.0),
        ("retransmitted", mean("retransmitted"), 1.0),
        ("upstream", mean("upstream"), 1.0),
    ]
    return st.means_table(results, id, "Sender", rows, columns, "matrix")


def _symmetric(results: st.Results) -> st.Table:
    rows = [
        (f"{sender.label}, {words}", {"sender": name, "errors": errors, "backward": backward})
        for errors, backward, words in (
            ("none", "no", "no backward traffic"),
            *((errors, "yes", words) for errors, words in ERRORS.items()),
        )
        for name, sender in READINGS.items()
    ]
    columns = [
        (label, st.Quantity("symmetric", metric, UNITS.get(metric, "")), factor)
        for label, metric, factor in (
            ("throughput", "throughput", 1.0),
            ("retransmitted", "retransmitted", 1.0),
            ("timeouts", "timeouts", 1.0),
            ("window", "window", 1.0),
            ("upstream", "upstream", 1.0),
        )
    ]
    return st.means_table(results, "symmetric", "Sender", rows, columns)


def _meetings(results: st.Results) -> st.Table:
    labels = {name: label for name, (label, _) in networks.CONTROLS.items()}
    rows = [
        (f"{labels[first]} and {labels[second]}", {"first": first, "second": second})
        for first, second in networks.PAIRS
    ]
    columns = [
        (label, st.Quantity("meetings", metric), factor)
        for label, metric, factor in (
            ("the first, Mbit/s", "first_rate", 1.0),
            ("the second, Mbit/s", "second_rate", 1.0),
            ("Jain's index", "jain", 1.0),
            ("delay, ms", "delay", 1.0),
            ("dropped, %", "drop", 100.0),
        )
    ]
    return st.means_table(results, "meetings", "Flows", rows, columns)


def _ns2(results: st.Results) -> st.Table:
    """Stock Vegas beside ns-2."""
    rows = []
    for errors, words in ERRORS.items():
        for k in results.labels("ns2", "k", errors=errors):
            cells = []
            for metric in ("throughput", "retransmitted"):
                theirs = results.values("ns2", metric, errors=errors, k=k).array
                cells += [
                    float(theirs),
                    of("readings", metric, VEGAS, errors=errors, k=k).values(results).interval(),
                ]
            rows.append((f"K = {k}, {words}", *cells))
    heads = ("throughput, ns-2", "ours", "retransmitted, ns-2", "ours")
    return st.Table("ns2", (st.Column("Cell", "text", key=True), *heads), rows)
