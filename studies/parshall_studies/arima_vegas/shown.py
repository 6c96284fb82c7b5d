"""Figures and tables of the report, and what its sentences are made of; those of models are beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parshall import plot
from parshall_studies import study as st
from parshall_studies.arima_vegas import (
    controls,
    document,
    forecasts,
    measures,
    models,
    networks,
    queues,
    senders,
    shown_fit,
    shown_models,
    shown_paths,
)
from parshall_studies.arima_vegas.document import CFS, ERROR_RATES, KS, ROUND_TRIPS
from parshall_studies.arima_vegas.measures import OFFSETS
from parshall_studies.arima_vegas.networks import MAIN
from parshall_studies.arima_vegas.printed import PRINTED_TABLES
from parshall_studies.arima_vegas.quantities import by_rate, gain, of, queued, queued_gain
from parshall_studies.arima_vegas.runs import ERRORS, PLACED
from parshall_studies.arima_vegas.senders import (
    ABLATION,
    ARTT,
    DOCUMENT,
    READINGS,
    TODAY,
    VEGAS,
    VENOS,
    WINDOW,
)
from parshall_studies.arima_vegas.timeouts import FAMILIES, QUANTILE, RISKS, STANDARD

_KS = list(KS)
_NEAR = [offset for offset in OFFSETS if abs(offset) <= 2 * networks.START_SPREAD]
"""Starts within the spread of starts, before or after."""


def times(table: str, name: str, base: str, errors: str = "none") -> st.Expression:
    """Throughput as a multiple of a base's, at each K."""
    ours, theirs = (
        of(table, "throughput", each, errors=errors, k=_KS).mean(st.SEED) for each in (name, base)
    )
    return ours / theirs


def path_error(forecaster: str, k: int | list[int] = _KS) -> st.Expression:
    """Error of forecasts of the round trips that Vegas sees, without packet errors."""
    where = {"sender": VEGAS, "errors": "none", "k": k, "forecaster": forecaster}
    return st.quantity("forecasts.error", **where)


NAMES = {
    "cf": measures.CF,
    "controls": controls,
    "document": document,
    "errors": ERRORS,
    "fits": shown_fit.fits,
    "fitting": shown_fit.fitting,
    "forecasts": forecasts,
    "gain": gain,
    "growing_alone": shown_paths.growing_alone,
    "of": of,
    "queued": queued,
    "queued_gain": queued_gain,
    "queues": queues,
    "main": MAIN,
    "models": models,
    "by_rate": by_rate,
    "near": _NEAR,
    "net": networks,
    "senders": senders,
    "path_error": path_error,
    "standard": STANDARD,
    "times": times,
}
LOOKS = st.looks({name: sender.label for name, sender in TODAY.items()})
_DOCUMENT = {name: sender.label for name, sender in DOCUMENT.items()}
_PLAIN = st.looks(_DOCUMENT, marker="", line="-", width=1.0)
_K_LOOKS = st.looks({k: f"K = {k}" for k in KS})
_CF_LOOKS = st.looks({cf: f"Cf = {cf} Mbit/s" for cf in CFS})
_FAMILY_LOOKS = st.looks(FAMILIES)
_K = st.Axis("K", log=True, ticks={float(k): str(k) for k in KS})
_THROUGHPUT = st.Axis("throughput", "kbit/s", log=True)
_ROUND_TRIP = st.Axis("round trip", "ms", ticks={float(rtt): str(rtt) for rtt in ROUND_TRIPS[::2]})
_BOTH = {errors: ERRORS[errors] for errors in ("none", MAIN)}


def _gains(results: st.Results, judged: st.Judgements) -> st.Figure:
    """CA-ARTT over Vegas at every upstream rate, and as printed in every cell."""
    traces = []
    for errors, label, colour, marker, (number, table) in (
        ("none", "ours, no errors", plot.SERIES[0], "o", (3, document.TABLE_3)),
        (MAIN, f"ours, {ERRORS[MAIN]}", plot.SERIES[1], "s", (4, document.TABLE_4)),
    ):
        look = st.Look(label, colour, marker)
        ratio = by_rate("throughput", ARTT, errors) / by_rate("throughput", VEGAS, errors)
        cells = [float(at["cr"]) for at, _ in ratio.values(results).members()]
        found = list(ratio.values(results).intervals().values())
        traces.append(st.of_intervals(look, cells, found, style="points"))
        look = look(label=f"printed, Table {number}", hollow=True)
        places = [networks.Path(cf, k).cr for k, cf in table]
        ratios = [1 + document.gain(cell) / 100 for cell in table.values()]
        traces.append(st.Trace(look, places, ratios, style="points"))
    x, y = st.Axis("upstream rate", "kbit/s", log=True), st.Axis("CA-ARTT / Vegas", log=True)
    return st.drawn("gains", st.Panel(traces, marks=[st.Mark(y=1.0)]), x, y, height=3.4)


def _sides(id: str, line: st.Means, x: st.Axis) -> st.Made[st.Figure]:
    """Vegas on the left and CA-ARTT on the right, as the document draws them."""
    panels = st.each("{sender}", sender=_DOCUMENT)
    options: dict[str, Any] = {"columns": 2, "share": (True, True), "legend": 3, "height": 2.9}
    return st.drawing(id, [line], x, _THROUGHPUT, panels=panels, **options)


def _over_k(id: str, table: str, senders: Mapping[str, Any], errors: str) -> st.Made[st.Table]:
    """Throughput for each K, and over all of them the window, the retransmissions and the upstream flows."""

    def mean(metric: str) -> st.Expression:
        return st.quantity(f"{table}.{metric}", k=_KS).mean("k")

    columns = {
        **{f"K = {k}": st.quantity(f"{table}.throughput", k=k) for k in KS},
        "window": mean("window"),
        f"% at {WINDOW}": 100 * mean("full"),
        "resent": mean("retransmitted"),
        "upstream": mean("upstream"),
    }
    return st.means_table(
        id, "Sender", st.each("{sender.label}", sender=senders, errors=[errors]), columns, "matrix"
    )


def _trades() -> list[st.Means]:
    """Both costs of every setting; a large mark is the multiplier of RFC 6298."""
    lines = []
    for family, look in _FAMILY_LOOKS.items():
        wait, early = (st.quantity(f"timeouts.{cost}", family=family) for cost in ("wait", "early"))
        lines.append(st.Means(wait, "knob", look, places=100 * early))
        if family != QUANTILE:
            wait, early = (cost.at(knob=[STANDARD]) for cost in (wait, early))
            mark = look(size=10.0, edge=plot.INK)
            lines.append(st.Means(wait, "knob", mark, places=100 * early, style="points", label=False))
    return lines


def _ns2_cells(results: st.Results) -> list[st.Place]:
    return [
        (f"K = {k}, {words}", {"errors": errors, "k": k})
        for errors, words in ERRORS.items()
        for k in results.labels("ns2", "k", errors=errors)
    ]


_OTHERS = [name for name in ABLATION if name != VEGAS]
SHOWN: tuple[st.Shown, ...] = (
    *PRINTED_TABLES,
    st.Made(_gains),
    *shown_fit.SHOWN,
    *shown_models.SHOWN,
    *shown_paths.SHOWN,
    st.drawing(
        "fig-5",
        [st.Course("windows", "time", "cwnd", _PLAIN, "sender", style="steps")],
        st.Axis("time", "s", limits=(0, networks.DURATION)),
        st.Axis("window", "packets", limits=(0, None)),
        panels=st.each("{sender}", sender=_DOCUMENT),
        height=4.2,
        share=(True, True),
    ),
    _sides("fig-6", st.Means(st.quantity("grid.throughput", errors="none", k=_KS), "k", _CF_LOOKS, "cf"), _K),
    _sides(
        "fig-7",
        st.Means(
            st.quantity("error_rates.throughput", errors=MAIN),
            "rate",
            _K_LOOKS,
            "k",
            {rate: float(rate) for rate in ERROR_RATES},
        ),
        st.Axis("error rate", log=True),
    ),
    *(
        _sides(
            id,
            st.Means(st.quantity("round_trips.throughput", errors=errors), "rtt", _K_LOOKS, "k"),
            _ROUND_TRIP,
        )
        for id, errors in (("fig-8", "none"), ("fig-9", "up"))
    ),
    st.means_table(
        "decisions",
        "Forecaster",
        st.each("{sender.label}", sender=ABLATION),
        {f"grows, K = {k}": 100 * st.quantity("decisions.grows", k=k) for k in KS}
        | {f"N, K = {k}": st.quantity("decisions.backlog", k=k) for k in (KS[0], KS[-1])}
        | {f"waiting, K = {k}": st.quantity("decisions.waiting", k=k) for k in (KS[0], KS[-1])},
        "matrix",
    ),
    st.drawing(
        "path-errors",
        [
            st.Means(
                st.quantity("forecasts.error", sender=VEGAS), "k", st.looks(forecasts.LABELS), "forecaster"
            )
        ],
        _K,
        st.Axis("mean error / mean round trip", log=True, limits=(1e-3, 1.0)),
        panels=st.each("{errors}", errors=_BOTH),
        share=(True, True),
        height=4.2,
        legend=3,
    ),
    st.means_table(
        "price",
        "Upstream rate",
        st.each("{cr} kbit/s", cr={rate: f"{rate:g}" for rate in document.UPSTREAM_RATES}),
        {
            "gain, %": gain(),
            f"gain, {ERRORS[MAIN]}": gain(MAIN),
            **{
                f"{words}, {DOCUMENT[sender].label}": by_rate(metric, sender)
                for metric, words in {"acks_dropped": "lost ACKs", "retransmitted": "retransmitted"}.items()
                for sender in DOCUMENT
            },
        },
    ),
    st.means_table(
        "backlog",
        "Vegas",
        st.each("K = {k}", sender=[VEGAS], errors=["none"], k={k: str(k) for k in KS}),
        {
            "N / C over RTT \u2212 baseRTT": "backlog.explained",
            "downstream, %": 100 * st.quantity("backlog.downstream"),
            "own ACKs of N upstream, %": 100 * st.quantity("backlog.own_acks"),
            "baseRTT over that without queues": "backlog.base",
            "RTT over it": "backlog.rtt",
        },
    ),
    st.means_table(
        "veno",
        "Sender",
        st.each("{sender.label}, {errors}", sender=VENOS, errors={name: ERRORS[name] for name in PLACED}),
        {f"K = {k}": st.quantity("veno.throughput", k=k) for k in KS},
        "matrix",
    ),
    st.drawing(
        "starts",
        [
            st.Means(
                st.quantity("offsets.throughput", offset=_NEAR),
                "offset",
                {name: LOOKS[name](marker=".") for name in DOCUMENT},
                "sender",
                {offset: 1e3 * offset for offset in OFFSETS},
            )
        ],
        st.Axis("start after the first upstream flow", "ms"),
        st.Axis("throughput", "kbit/s", limits=(0, None)),
    ),
    st.drawing(
        "forecasters",
        [
            st.Means(
                of("ablation", "throughput", _OTHERS) / of("ablation", "throughput", VEGAS),
                "sender",
                _K_LOOKS,
                "k",
                style="points",
                across=True,
            )
        ],
        st.Axis("throughput / stock Vegas's", log=True),
        st.rows_axis([ABLATION[name].label for name in _OTHERS]),
        panels=st.each("{errors}", errors=_BOTH),
        marks=[st.Mark(x=1.0)],
        height=4.6,
        share=(True, True),
        legend=5,
    ),
    *(_over_k(f"forecasters-{errors}", "ablation", ABLATION, errors) for errors in _BOTH),
    *(_over_k(f"today-{errors}", "today", TODAY, errors) for errors in _BOTH),
    *(_over_k(f"readings-{errors}", "readings", READINGS, errors) for errors in ERRORS),
    st.drawing(
        "today",
        [st.Means("today.throughput", "k", LOOKS, "sender")],
        _K,
        _THROUGHPUT,
        panels=st.each("{errors}", errors=_BOTH),
        share=(True, True),
        height=5.6,
    ),
    st.means_table(
        "symmetric",
        "Sender",
        [
            *st.each(
                "{sender.label}, no backward traffic", errors=["none"], backward=["no"], sender=READINGS
            ),
            *st.each("{sender.label}, {errors}", errors=ERRORS, backward=["yes"], sender=READINGS),
        ],
        {
            metric: f"symmetric.{metric}"
            for metric in ("throughput", "retransmitted", "timeouts", "window", "upstream")
        },
    ),
    st.means_table(
        "meetings",
        "Flows",
        [
            (
                f"{networks.CONTROLS[first][0]} and {networks.CONTROLS[second][0]}",
                {"first": first, "second": second},
            )
            for first, second in networks.PAIRS
        ],
        st.columns("meetings", first_rate="the first, Mbit/s", second_rate="the second, Mbit/s")
        | st.columns("meetings", jain="Jain's index", delay="delay, ms")
        | {"dropped, %": 100 * st.quantity("meetings.drop")},
    ),
    st.drawing(
        "timeouts",
        _trades(),
        st.Axis("early timeouts", "%", log=True),
        st.Axis("wait / mean round trip", log=True),
        panels="timeouts.series",
        columns=2,
        height=5.2,
        share=(False, False),
    ),
    st.means_table(
        "matched",
        "Series",
        "matched.series",
        {
            f"early, {name} (%)": 100 * st.quantity("timeouts.early", family=family, knob=STANDARD)
            for name, family in (("RFC 6298", "jacobson"), ("ARIMA", "artt"))
        }
        | {
            f"wait, {label}": st.quantity("matched.wait_ratio", family=family)
            for family, label in FAMILIES.items()
        },
    ),
    st.means_table(
        "risks",
        "Series",
        "risks.series",
        {
            f"{head}, {100 * risk:g} %": st.quantity(f"risks.{what}", risk=risk)
            for what, head in {"kept": "share over risk", "wait_ratio": "wait over best"}.items()
            for risk in RISKS
        },
    ),
    st.means_table(
        "ns2",
        "Cell",
        _ns2_cells,
        [
            ("throughput, ns-2", "ns2.throughput"),
            ("ours", of("readings", "throughput", VEGAS)),
            ("retransmitted, ns-2", "ns2.retransmitted"),
            ("ours", of("readings", "retransmitted", VEGAS)),
        ],
    ),
)
