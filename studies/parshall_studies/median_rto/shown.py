"""Figures and tables of the report, and what its sentences are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall import plot, stats
from parshall.scenario import DropTail
from parshall_studies import study as st
from parshall_studies.median_rto import impulses, scenarios
from parshall_studies.median_rto.claims import PRINTED_TABLES, RIVALS, of
from parshall_studies.median_rto.costs import COSTS, SIDES, WARM_UP, frontier_id, matched
from parshall_studies.median_rto.document import MEASURES, Measure, difference, printed
from parshall_studies.median_rto.scenarios import (
    DOCUMENT_FILTERS,
    FILTERS,
    FLOATING,
    MEDIAN_FILTERS,
    ORIGINAL,
    PROTOCOLS,
    RECOVERIES,
    TRAFFICS,
    Tuned,
    frontier_grid,
    traffic_name,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


LOOKS = st.looks({name: entry.label for name, entry in FILTERS.items()})
_FAMILIES = st.looks({family: family for families in SIDES.values() for family in families})
"""Looks of families of filters over their parameters; there are more filters than colours."""
_PRINTED = st.Look("document", plot.INK, "D")
_DRAWN = {"bit/s": (1e-3, "kbit/s"), "%": (1.0, "%")}
"""The unit a measure is drawn in, and the factor to it."""
_GOODPUT_FIGURE = {"exponential": 3, "pareto": 8}
_FIRST_RTT_FIGURE = {"exponential": 4, "pareto": 9}


def example_seed(results: st.Results, traffic: str) -> int:
    """The run that is drawn."""
    return int(results.labels("rtt_examples", "seed", traffic=traffic)[0])


# --- The document's figures ---------------------------------------------------------------------------------


def _densities(results: st.Results, judged: object) -> st.Figure:
    """The two densities as the document defines them, and on axes that show the tails."""
    shape, least = 1.7, 1.0
    x = np.linspace(0.05, 10.0, 200)
    pareto = np.where(x >= least, shape * least**shape / np.maximum(x, least) ** (shape + 1), np.nan)
    laws = (
        st.Trace(st.Look("exponential, rate 1", plot.SERIES[0]), x, np.exp(-x)),
        st.Trace(st.Look(f"Pareto, shape {shape}, least value 1", plot.SERIES[1], line="--"), x, pareto),
    )
    tails = st.Axis("density", log=True, limits=(1e-4, 3))
    panels = [st.Panel(laws), st.Panel(laws, y=tails, x=st.Axis("x", log=True, limits=(0.5, 10)))]
    axes = st.Axis("x"), st.Axis("density")
    return st.drawn("fig-1", panels, *axes, columns=2, height=2.6, share=(False, False), legend=1)


def _topology(results: st.Results, judged: object) -> st.Figure:
    """Drawn from the scenario that is run."""
    network = next(iter(scenarios.study_scenarios().values()))
    count = sum(group.count for group in network.flows)
    access = f"{network.access_rate / 1e6:g} Mbit/s\n{network.access_delay * 1e3:g} ms"
    assert isinstance(network.queue, DropTail)
    limit = f"DropTail, {network.queue.limit_packets} packets"
    middle = f"{network.rate / 1e6:g} Mbit/s, {network.delay * 1e3:g} ms\n{limit}"
    height = (count - 1) / 2
    with plot.drawing(2.7) as (canvas, (axis,)):
        axis.set_axis_off()
        axis.set(xlim=(-0.6, 10.6), ylim=(-1.2, count))
        axis.plot([3.2, 6.8], [height, height], color=plot.SERIES[1], linewidth=3, zorder=1)
        for side, x, router, at in (("s", 0.0, "R0", 3.2), ("d", 10.0, "R1", 6.8)):
            for row in range(count):
                axis.plot([x, at], [count - 1.0 - row, height], color=plot.FAINT, linewidth=1, zorder=1)
                _node(axis, x, count - 1.0 - row, f"{side}{row + 1}", plot.SERIES[0], 13)
            _node(axis, at, height, router, plot.SERIES[1], 19)
            axis.text((x + at) / 2, -0.55, access, ha="center", va="top", fontsize=8.5, color=plot.FAINT)
        axis.text(5, height + 0.6, middle, ha="center", va="bottom", fontsize=8.5)
        words = f"A dumbbell: {count} sources, router R0, router R1 and {count} destinations."
        return st.Figure("fig-2", plot.to_svg(canvas, "fig-2", st.UNTITLED, words))


def _node(axis: Axes, x: float, y: float, label: str, colour: str, size: float) -> None:
    axis.plot(x, y, "o", color=colour, markersize=size, zorder=2)
    axis.text(x, y, label, ha="center", va="center_baseline", fontsize=7.5, color=plot.PAPER, zorder=3)


def _cumulative_goodput(traffic: str, results: st.Results, judged: object) -> st.Figure:
    """Goodput of one run, the scatter over seeds, and what the filters change."""
    values = results.values("goodput_over_time", "megabits", traffic=traffic, recovery="tahoe")
    seed = example_seed(results, traffic)
    one = {name: values.at(filter=name, seed=seed).array for name in DOCUMENT_FILTERS}
    time = [float(label) for label in values.labels["time"]]
    low, high = np.quantile(values.at(filter=ORIGINAL).along("seed", "time"), (0.025, 0.975), axis=0)
    band = st.Trace(st.Look("95 % of seeds, original TCP", plot.GRID), time, one[ORIGINAL], low, high)

    def lines(less: Any) -> tuple[st.Trace, ...]:
        return tuple(st.Trace(LOOKS[name](marker=""), time, one[name] - less) for name in DOCUMENT_FILTERS)

    panels = [
        st.Panel(lines(0.0), bands=(band,)),
        st.Panel(lines(one[ORIGINAL]), y=st.Axis("less the\noriginal's", "Mbit")),
    ]
    id = f"fig-{_GOODPUT_FIGURE[traffic]}"
    return st.drawn(id, panels, st.Axis("time", "s"), st.Axis("goodput", "Mbit"), height=4.2, ratios=(3, 2))


def _rtt_and_rto(traffic: str, results: st.Results, judged: st.Judgements) -> Iterator[st.Figure]:
    """RTT samples of one flow, and the RTO after each."""
    whole = results.measures["rtt_examples"]
    highest = 1.03 * max(float(np.max(whole[name].to_numpy())) for name in ("rtt", "rto"))
    x = st.Axis("time", "s", limits=(0, scenarios.DURATION))
    y = st.Axis("RTT and RTO", "s", limits=(0, highest))
    rto, rtt = st.Look("RTO", plot.SERIES[1], width=1.2), st.Look("RTT", plot.SERIES[0], ".")
    for number, name in enumerate(DOCUMENT_FILTERS, _FIRST_RTT_FIGURE[traffic]):
        where = {"traffic": traffic, "filter": name}
        lines = [
            st.Course("rtt_examples", "time", "rto", rto, where=where, style="steps"),
            st.Course("rtt_examples", "time", "rtt", rtt, where=where, style="points"),
        ]
        yield st.drawing(f"fig-{number}", lines, x, y, height=2.5).made(results, judged)


# --- What one run can tell ----------------------------------------------------------------------------------


def _single_runs(measure: Measure, results: st.Results, judged: object) -> st.Figure:
    """Where single runs fall, with the document's numbers."""
    factor, unit = _DRAWN[measure.unit]
    panels = []
    for traffic in TRAFFICS:
        seeds, runs, printed_ones = [], [], []
        for row, name in enumerate(DOCUMENT_FILTERS):
            values = of(measure.name, name, traffic).values(results).seeds * factor
            spread = (np.arange(len(values)) * 0.618034) % 1 * 0.5 - 0.25  # so that no point hides another
            seeds.append(
                st.Trace(
                    st.Look("one seed", plot.SERIES[0], "."),
                    values,
                    row + spread,
                    style="points",
                    label=not row,
                )
            )
            run = stats.prediction_interval(values)
            look = st.Look("95 % of single runs", plot.SERIES[1])
            runs.append(st.of_intervals(look, [row + 0.4], [run], style="bars", across=True, label=not row))
            value = printed(traffic, name, measure.name).value * factor
            printed_ones.append(st.Trace(_PRINTED, [value], [row], style="points", label=not row))
        panels.append(st.Panel((*seeds, *runs, *printed_ones), traffic_name(traffic).capitalize()))
    x = st.Axis(f"{measure.label.lower()} of one run", unit)
    options: dict[str, Any] = {"columns": 2, "height": 2.9, "share": (True, True), "legend": 3}
    return st.drawn(f"single-runs-{measure.name}", panels, x, _rows(DOCUMENT_FILTERS), **options)


def _printed_differences(measure: Measure, results: st.Results, judged: object) -> st.Figure:
    """The document's differences from the original TCP against the two kinds of noise."""
    factor, unit = _DRAWN[measure.unit]
    panels = []
    for traffic in TRAFFICS:
        original = of(measure.name, ORIGINAL, traffic).values(results).seeds * factor
        bound = stats.noise_bound(original).mean
        traces = []
        for row, name in enumerate(MEDIAN_FILTERS):
            own = of(measure.name, name, traffic).values(results).seeds * factor
            run = stats.prediction_interval(own - original)
            look = st.Look("same seed, other filter", plot.SERIES[0])
            traces.append(st.of_intervals(look, [row], [run], style="bars", across=True, label=not row))
            value = difference(traffic, name, measure.name).value * factor
            traces.append(st.Trace(_PRINTED, [value], [row], style="points", label=not row))
        marks = (
            st.Mark(x=0.0),
            st.Mark(x=(-bound, bound), label="other seed, same TCP")
            if np.isfinite(bound)
            else st.Mark(x=0.0),
        )
        panels.append(st.Panel(tuple(traces), traffic_name(traffic).capitalize(), marks=marks))
    x = st.Axis(f"{measure.label.lower()}, less the original's", "points" if unit == "%" else unit)
    options: dict[str, Any] = {"columns": 2, "height": 2.6, "share": (True, True)}
    return st.drawn(f"printed-differences-{measure.name}", panels, x, _rows(MEDIAN_FILTERS), **options)


def _rows(filters: Sequence[str]) -> st.Axis:
    return st.rows_axis([FILTERS[name].label for name in filters])


# --- What the filters change --------------------------------------------------------------------------------

_COMPARED = (
    ("throughput", "throughput", 1e-3, "kbit/s"),
    ("goodput", "goodput", 1e-3, "kbit/s"),
    ("loss", "loss", 1.0, "points"),
    ("rto_margin", "mean RTO \N{MINUS SIGN} RTT", 1e3, "ms"),
    ("spurious_timeouts", "spurious timeouts", 1.0, "a run"),
    ("timeout_wait", "time waiting for timeouts", 1.0, "s a run"),
)
_PANELS = [(traffic_name(traffic).capitalize(), {"traffic": traffic}) for traffic in TRAFFICS]
_TCPS = {"tahoe": st.Look("Tahoe", plot.SERIES[4], "o"), "newreno": st.Look("NewReno", plot.SERIES[6], "s")}


def _forest(measure: str, label: str, factor: float, unit: str) -> st.Made[st.Figure]:
    """Mean paired differences of every filter from the mean in floating point, by traffic and TCP."""
    names = [name for name in FILTERS if name != FLOATING]
    lines = []
    for place, recovery in enumerate(RECOVERIES):
        own = factor * st.quantity(f"runs.{measure}", recovery=recovery)
        rows = {name: row + 0.34 * (place - 0.5) for row, name in enumerate(names)}
        change = own.at(filter=names) - own.at(filter=FLOATING)
        lines.append(st.Means(change, "filter", _TCPS[recovery], places=rows, style="points", across=True))
    x = st.Axis(f"{label}, less the floating-point mean's", unit)
    options: dict[str, Any] = {"panels": _PANELS, "columns": 2, "height": 3.4, "share": (True, True)}
    id = f"difference-{measure.replace('_', '-')}"
    return st.drawing(id, lines, x, _rows(names), marks=[st.Mark(x=0.0)], **options)


# --- Costs --------------------------------------------------------------------------------------------------


def _frontiers(results: st.Results, judged: object) -> Iterator[st.Figure]:
    """For each family of filters, the best trades of the two costs over all its parameters."""
    x = st.Axis("RTTs longer than the RTO", "%", log=True)
    y = st.Axis("mean RTO in force / mean RTT", log=True)
    for series in results.labels("series_costs", "series"):
        risk, wait = (st.quantity(f"series_costs.{name}", series=series).values(results) for name in COSTS)
        costs = risk.mapped(lambda share: 100 * share), wait
        yield _frontier(frontier_id(str(series)), costs, frontier_grid(), x, y)
    x = st.Axis("spurious timeouts", "a run", log=True)
    y = st.Axis("waiting for timeouts", "s a run", log=True)
    for traffic in TRAFFICS:
        early, waited = (
            results.values("live_costs", name, traffic=traffic).mean("seed")
            for name in ("spurious_timeouts", "timeout_wait")
        )
        yield _frontier(f"live-frontier-{traffic}", (early, waited), frontier_grid(live=True), x, y)


def _frontier(
    id: str, costs: tuple[st.Values, st.Values], grid: Sequence[Tuned], x_axis: st.Axis, y_axis: st.Axis
) -> st.Figure:
    """Small marks are settings, a line joins those that no other beats in both costs, a large mark is the
    setting of the filter's source.
    """
    traces: list[st.Trace] = []
    for family, look in _FAMILIES.items():
        own = [each for each in grid if each.family == family]
        x, y = (cost.at(setting=[each.name for each in own]).array for cost in costs)
        order = np.lexsort((y, x))
        lowest = np.r_[np.inf, np.minimum.accumulate(y[order])[:-1]]
        best = order[y[order] < lowest]
        standard = [place for place, each in enumerate(own) if each.standard]
        traces += [
            st.Trace(look(marker=".", hollow=True), x, y, style="points", label=False),
            st.Trace(look, x[best], y[best]),
            st.Trace(look(size=10.0, edge=plot.INK), x[standard], y[standard], style="points", label=False),
        ]
    return st.drawn(id, st.Panel(traces), x_axis, y_axis, height=3.4)


def _matched(results: st.Results, judged: object) -> st.Table:
    rows = [
        (
            str(row["series"]),
            row["family"],
            100 * row["spurious_share"],
            row["wait_ratio"],
            "no setting fires so seldom" if row["setting"] is None else row["setting"].parameters,
        )
        for row in matched(results, frontier_grid())
    ]
    columns = (
        "Series",
        st.Column("Family", "text", key=True),
        "Too early, at most (%)",
        st.Column("Wait / RFC 6298's", key=True),
        st.Column("Setting", "text"),
    )
    return st.Table("matched-costs", columns, rows)


def _controls(results: st.Results, judged: object) -> st.Table:
    """Differences by the median of 5 beside either control."""
    rows = [
        (
            f"{label}, {unit}, {traffic_name(traffic)}",
            *((factor * change(measure, traffic, name)).values(results).interval() for name in _CONTROLS),
        )
        for measure, label, factor, unit in _COMPARED[1:]
        for traffic in TRAFFICS
    ]
    columns = [st.Column("Measure", "text", key=True)]
    columns += [st.Column(f"less {words}", key=True) for words in _CONTROLS.values()]
    return st.Table("controls", columns, rows)


_CONTROLS = {FLOATING: "the mean in floating point", ORIGINAL: "the original in whole ticks"}


# --- What sentences say -------------------------------------------------------------------------------------


def change(measure: str, traffic: str, beside: str = FLOATING) -> st.Expression:
    """Difference that the median of 5 makes beside the mean in floating point, or another filter."""
    return of(measure, "median-5", traffic) - of(measure, beside, traffic)


def times(measure: str, beside: str) -> st.Expression:
    """Ratio of the median of 5 to another filter, of means over seeds, by traffic."""
    return st.quantity(f"runs.{measure}", recovery="tahoe", filter="median-5").mean("seed") / st.quantity(
        f"runs.{measure}", recovery="tahoe", filter=beside
    ).mean("seed")


def farther(measure: str, traffic: str) -> st.Expression:
    """Change that the farthest timeout makes, over what RFC 6298's has."""
    own = st.quantity(f"distances.{measure}", traffic=traffic)
    usual = own.at(deviations=scenarios.AS_RFC_6298)
    return (own.at(deviations=scenarios.FAR[-1]) - usual) / usual.mean("seed")


def noise(results: st.Results, measure: str, traffic: str) -> float:
    """Largest distance of two runs of the original TCP in 95 % of pairs."""
    return stats.noise_bound(of(measure, ORIGINAL, traffic).values(results).seeds).mean


def scatter(results: st.Results, traffic: str) -> float:
    """The standard deviation of throughput over seeds."""
    throughput = of("throughput", ORIGINAL, traffic).values(results).seeds
    return float(np.std(throughput, ddof=min(1, len(throughput) - 1)))


def best_families(results: st.Results) -> tuple[list[tuple[str, int]], list[float]]:
    """Number of series that each family waits least on, at RFC 6298's risk, and by how many percent less than
    RFC 6298's setting. ``none`` are series on which no setting waits less than that.
    """
    best: dict[str, dict[str, Any]] = {}
    for row in matched(results, frontier_grid()):
        if row["wait_ratio"] is not None:
            best[row["series"]] = min(best.get(row["series"], row), row, key=lambda each: each["wait_ratio"])
    better = [row for row in best.values() if row["wait_ratio"] < 1.0]
    won = Counter(row["family"] for row in better).most_common()
    none = len(best) - len(better)
    gains = [100 * (1 - row["wait_ratio"]) for row in better]
    return [*won, ("none", none)] if none else won, gains


def rivals_that_wait_less(judged: st.Judgements) -> list[str]:
    """The rivals of the medians that wait less at RFC 6298's risk on more than half of the series."""
    tallies = {called: judged[f"instead.{rival}"].outcome.tally for rival, called in RIVALS.items()}
    return [called for called, tally in tallies.items() if 2 * tally.true > tally.all]


NAMES = {
    "best_families": best_families,
    "change": change,
    "impulses": impulses,
    "example_seed": example_seed,
    "farther": farther,
    "filters": {name: FILTERS[name] for name in DOCUMENT_FILTERS},
    "frontier_id": frontier_id,
    "name": traffic_name,
    "net": scenarios,
    "noise": noise,
    "of": of,
    "rivals_that_wait_less": rivals_that_wait_less,
    "scatter": scatter,
    "times": times,
    "traffics": TRAFFICS,
    "warm_up": WARM_UP,
}
_ALL_COLUMNS = {
    "Throughput (kbit/s)": 1e-3 * st.quantity("runs.throughput"),
    "Goodput (kbit/s)": 1e-3 * st.quantity("runs.goodput"),
    "Loss (%)": st.quantity("runs.loss"),
    "RTO \N{MINUS SIGN} RTT (ms)": 1e3 * st.quantity("runs.rto_margin"),
    "RTT above RTO (%)": 100 * st.quantity("runs.rto_exceeded"),
    "Timeouts": st.quantity("runs.timeouts"),
    "Spurious": st.quantity("runs.spurious_timeouts"),
    "Wait (s)": st.quantity("runs.timeout_wait"),
}
_ANSWERS = st.looks(impulses.FILTERS, marker="")
SHOWN: tuple[st.Shown, ...] = (
    st.drawing(
        "answers",
        [st.Course("answers", "after", "rto", _ANSWERS, "filter")],
        st.Axis("samples from the signal on"),
        st.Axis("timeout above before,\nover the height"),
        panels=st.each("{signal}", signal=impulses.SIGNALS),
        columns=3,
        height=2.9,
        legend=3,
    ),
    *PRINTED_TABLES,
    st.Made(_densities),
    st.Made(_topology),
    *(st.Made(partial(_cumulative_goodput, traffic)) for traffic in TRAFFICS),
    *(st.Made(partial(_rtt_and_rto, traffic)) for traffic in TRAFFICS),
    *(
        st.Made(partial(figure, measure))
        for measure in MEASURES
        for figure in (_single_runs, _printed_differences)
    ),
    *(_forest(*each) for each in _COMPARED),
    *(
        st.means_table(
            f"all-variants-{traffic}",
            "Filter and TCP",
            st.each("{filter.label}, {recovery}", traffic=[traffic], recovery=PROTOCOLS, filter=FILTERS),
            _ALL_COLUMNS,
            "matrix",
        )
        for traffic in TRAFFICS
    ),
    st.Made(_controls),
    st.Made(_frontiers),
    st.Made(_matched),
)
