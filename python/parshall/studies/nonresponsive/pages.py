"""The page: the chapter's figures and tables in its order, then what it does not ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from parshall import stats
from parshall.claims import Claim, Verdict
from parshall.report import (
    Column,
    Figure,
    Section,
    Table,
    claim_interval,
    interval,
    number,
    printed_number,
    spread_column,
)
from parshall.studies.nonresponsive import alarm, cases, dither, figures
from parshall.studies.nonresponsive.beyond import MEAN_GOAL, REFERENCES, WORST_GOAL
from parshall.studies.nonresponsive.claims import WINDOWS
from parshall.studies.nonresponsive.contestants import CONTESTANTS, contestant
from parshall.studies.nonresponsive.document import ERRORS, TABLE_2, TABLE_3
from parshall.studies.nonresponsive.figures_beyond import (
    alarm_figures,
    detection_curve,
    dither_figure,
    phase_figures,
)
from parshall.studies.nonresponsive.phase import QUEUES
from parshall.studies.nonresponsive.results import Results, rows_where
from parshall.studies.nonresponsive.rules import EXCESS, RULES
from parshall.studies.nonresponsive.whole_numbers import FIXED
from parshall.study import Measures

__all__ = ["all_sections"]

_KIND_NAMES: Mapping[str, str] = {
    "printed": "printed gains",
    "tuned": "tuned",
    "fitted": "printed gains, start for this case",
    "none": "nothing to set",
}


def all_sections(measures: Measures, claims: Sequence[Claim]) -> list[Section]:
    """In the order of the page."""
    results = Results(measures)
    by_id = {claim.id: claim for claim in claims}
    return [
        _all_estimators(results),
        _one_hop(results, by_id),
        _several_hops(results, by_id),
        _settings(results),
        _dither(results),
        _queues(measures, by_id),
        _alarm(results),
    ]


# --- The chapter --------------------------------------------------------------------------------------------


def _one_hop(results: Results, by_id: Mapping[str, Claim]) -> Section:
    return Section(
        "one-hop",
        "One bottleneck: Figures 3 to 10 and Table I",
        (
            "The share of packets that do not respond, counted at the router in estimation intervals of 20 "
            "samples, and what the algorithm makes of queue length and drops alone. Settings are tuned on "
            "the loads of Figure 3 and on seeds that nothing is judged on.",
        ),
        tuple(_one_hop_items(results, by_id)),
    )


def _one_hop_items(results: Results, by_id: Mapping[str, Claim]) -> Iterator[Figure | Table]:
    yield figures.over_time(
        results,
        [f"load/{count}" for count in (16, 22, 25)],
        "fig-3",
        "Figure 3. High non-responsive load",
        "The modified algorithm under three loads.",
    )
    yield from figures.over_load(results)
    yield figures.over_time(
        results,
        [f"pulses/{half}" for half in cases.PULSES],
        "fig-5",
        "Figure 5. Response to changes of the load",
        "20 CBR flows all the time and 6 that are on and off.",
    )
    yield from figures.over_interval(results)
    yield _figure_6(results)
    yield figures.over_time(
        results,
        ["rtt-range"],
        "fig-7",
        "Figure 7. Flows with different round trips",
        "R0 is set to 90 ms.",
    )
    yield from figures.over_rtt(results)
    yield figures.over_time(
        results,
        [f"vbr/{speed}" for speed in cases.VBR_INTERVALS],
        "fig-9",
        "Figure 9. VBR and TCP",
        "16 flows whose rate is drawn anew from 0.5 to 1.5 Mbit/s.",
    )
    yield _errors(results, by_id)
    yield from figures.over_threshold(results)


def _figure_6(results: Results) -> Figure:
    """With the share of UDP and short flows together while these are there."""
    sent = results.measures["short_flows"]["packets_sent_sum"].to_numpy()
    times = results.times("short")
    inside = times <= _CROWD_END
    seconds = _CROWD_END - cases.case("short").start
    udp = results.series("short", "share")[:, inside].mean()
    arrivals = cases.case("short").capacity / (1 - float(np.mean(_drop_rates(results))))
    level = float(udp + sent.mean() / seconds / arrivals)
    return figures.over_time(
        results,
        ["short"],
        "fig-6",
        "Figure 6. Short flows, long flows and non-responsive load",
        "300 short flows send 20 packets each, five times, from 100 to 150 s. Dotted: the mean share of "
        "UDP and short flows together in that time.",
        extra=(_CROWD_END, level),
    )


_CROWD_END = 150.0


def _drop_rates(results: Results) -> np.ndarray:
    return results.score("short", "basic", "tuned", "drop_rate")


def _errors(results: Results, by_id: Mapping[str, Claim]) -> Table:
    """Table I, and the errors in the text of Figure 9."""
    kinds = ("tuned", "printed", "fitted")
    rows = []
    for error in ERRORS:
        cells: list[str | Verdict] = [cases.case(error.case).label, printed_number(error.value)]
        for kind in kinds:
            claim = by_id[f"mse.{error.case.replace('/', '-')}.{kind}"]
            cells += [number(claim.ours, 2), claim.verdict]
        rows.append(tuple(cells))
    return Table(
        "table-1",
        "Table I and the errors in the text of Figure 9",
        f"Mean square error of the modified algorithm, means over {len(results.seeds)} seeds; a printed "
        "value holds if it lies where 95 % of single runs do. 'Start for this case': printed gains, start "
        "values tuned on training runs of the very same case, which is to know the answer.",
        (
            Column("Case"),
            Column("Document", "number"),
            *(
                column
                for kind in kinds
                for column in (Column(_KIND_NAMES[kind], "number"), Column("Verdict"))
            ),
        ),
        tuple(rows),
    )


def _several_hops(results: Results, by_id: Mapping[str, Claim]) -> Section:
    return Section(
        "several-hops",
        "Three bottlenecks: Figures 12 and 13, Table II",
        (
            "Drops at the other two bottlenecks are the third parameter of the extended algorithm. Its "
            "column of the regressor is minus a half of the first one, so no data tell the two apart: what "
            "the algorithm says of them is its start value.",
        ),
        (
            figures.over_time(
                results,
                [f"hops/{count}" for count in cases.HOPS],
                "fig-12",
                "Figure 12. Three bottlenecks",
                "The extended algorithm at router R1.",
            ),
            figures.over_time(
                results,
                ["hops/22-uneven"],
                "fig-13",
                "Figure 13. CBR flows unevenly distributed",
                "6 of 22 CBR flows leave at R3, 16 at R4.",
            ),
            _table_2(by_id),
        ),
    )


def _table_2(by_id: Mapping[str, Claim]) -> Table:
    rows = []
    for count, rates in TABLE_2.items():
        for link, rate in enumerate(rates, start=1):
            claim = by_id[f"table-2.{count}.link-{link}"]
            rows.append(
                (
                    str(count),
                    f"Link {link}",
                    printed_number(rate),
                    interval(claim_interval(claim)),
                    interval(claim.run, mean=False, digits=3) if claim.run else "–",
                    claim.verdict,
                )
            )
    return Table(
        "table-2",
        "Table II. Drop rates in %",
        "Whole runs of 320 s. The document prints one or two digits.",
        (
            Column("CBR in set B", "number"),
            Column("Where"),
            Column("Document", "number"),
            Column("Ours", "number"),
            Column("95 % of single runs", "number"),
            Column("Verdict"),
        ),
        tuple(rows),
    )


# --- Estimators and their settings --------------------------------------------------------------------------


def _all_estimators(results: Results) -> Section:
    return Section(
        "estimators",
        "Every estimator in every case",
        (
            f"{len(results.cases)} cases: those of the chapter, other capacities and round trips. An "
            "estimator is worth having if it beats 'one number for ever', the constant with the least "
            f"error on the training runs. An operator would want a mean of {MEAN_GOAL:g} and {WORST_GOAL:g} "
            "at worst.",
        ),
        (_summary(results), _by_case(results), _whole_numbers(results)),
    )


def _summary(results: Results) -> Table:
    means = [stats.mean_interval(results.mean_error(results.cases, *entry)) for entry in results.entries]
    rows = []
    for (estimator, kind), mean in zip(results.entries, spread_column(means), strict=True):
        by_case = {case: float(np.mean(results.score(case, estimator, kind))) for case in results.cases}
        worst = max(by_case, key=lambda name: by_case[name])
        rows.append(
            (
                contestant(estimator).label,
                _KIND_NAMES[kind],
                mean,
                number(float(np.median(list(by_case.values()))), 2),
                number(by_case[worst], 2),
                cases.case(worst).label,
            )
        )
    return Table(
        "summary",
        "Mean square error over all cases",
        f"Means over {len(results.seeds)} seeds and over cases, ± half the 95 % interval over seeds; the "
        "median and the worst of the cases. A count of bytes is wrong by the 40 bytes of TCP headers only, "
        "but has to trust that UDP does not respond and TCP does.",
        (
            Column("Estimator"),
            Column("Settings"),
            Column("Mean", "number"),
            Column("Median", "number"),
            Column("Worst", "number"),
            Column("Worst case"),
        ),
        tuple(rows),
    )


def _by_case(results: Results) -> Table:
    # The form in whole numbers has a table of its own.
    shown = [entry for entry in results.entries if entry[1] != "printed" and entry[0] != FIXED]
    rows = [
        (
            cases.case(case).label,
            f"{100 * float(np.mean(results.score(case, *shown[0], 'mean_share'))):.1f}",
            f"{100 * float(np.mean(results.score(case, *shown[0], 'drop_rate'))):.2f}",
            *(_thousandths(float(np.mean(results.score(case, *entry)))) for entry in shown),
        )
        for case in results.cases
    ]
    labels = [contestant(estimator).label for estimator, _ in shown]
    return Table(
        "by-case",
        "Mean square error by case, in thousandths",
        "Tuned settings, or none to tune. An error of 10 thousandths is a typical error of 10 points of "
        "share.",
        (
            Column("Case"),
            Column("Share (%)", "number"),
            Column("Drops (%)", "number"),
            *(Column(label, "number") for label in labels),
        ),
        tuple(rows),
    )


def _whole_numbers(results: Results) -> Table:
    rows = []
    for kind in ("tuned", "printed"):
        by_case = {name: float(np.mean(results.whole_numbers(name, kind))) for name in results.cases}
        most = {name: float(np.max(results.whole_numbers(name, kind, "most"))) for name in results.cases}
        worst, far = max(by_case, key=lambda name: by_case[name]), max(most, key=lambda name: most[name])
        rows.append(
            (
                _KIND_NAMES[kind],
                number(100 * float(np.mean(list(by_case.values()))), 2),
                number(100 * by_case[worst], 2),
                cases.case(worst).label,
                number(most[far], 2),
                cases.case(far).label,
            )
        )
    return Table(
        "whole-numbers",
        "The form in whole numbers beside the floating one",
        "The modified algorithm as a kernel could run it (Chapter III), with the same settings on the same "
        "samples. Distance: the mean over intervals and seeds, in % of the floating estimate; and the "
        "greatest in any interval of any run, in points of share.",
        (
            Column("Settings"),
            Column("Mean (%)", "number"),
            Column("Worst case (%)", "number"),
            Column("Which"),
            Column("Worst interval (points)", "number"),
            Column("Which"),
        ),
        tuple(rows),
    )


def _thousandths(value: float) -> str:
    return f"{1e3 * value:.2f}" if value < 0.01 else f"{1e3 * value:.0f}"


def _settings(results: Results) -> Section:
    return Section(
        "settings",
        "Settings: printed, tuned, carried",
        (
            "The dissertation picked settings by the least error and names two worries: the search, and "
            "whether its result can be carried to another network (V.B).",
        ),
        (*figures.over_start(results), _tuned_values(results), _carried(results)),
    )


_NAMED = ("gamma1", "gamma2", "backlog_alpha", "signal_alpha", "start_share", "start_window")
"""Settings that have a column of their own."""


def _tuned_values(results: Results) -> Table:
    rows = []
    for estimator, kind in results.entries:
        found = rows_where(results.measures["tuning"], estimator=estimator, settings=kind).to_pylist()
        if not found:
            continue
        values = {row["setting"]: number(row["value"]) for row in found}
        others = [f"{name} {value}" for name, value in values.items() if name not in _NAMED]
        rows.append(
            (
                contestant(estimator).label,
                _KIND_NAMES[kind],
                *(values.get(name, "") for name in _NAMED),
                ", ".join(others),
                number(found[0]["training_mse"], 2),
            )
        )
    return Table(
        "tuned-values",
        "Settings, and their error on the training runs",
        "Found by the study itself; 'printed gains' are the document's with tuned start values. "
        "start_share and start_window are start values: the share that does not respond, and the packets "
        "in the window of a flow that does.",
        (
            Column("Estimator"),
            Column("Settings"),
            *(Column(name, "number") for name in _NAMED),
            Column("Others"),
            Column("Training error", "number"),
        ),
        tuple(rows),
    )


def _carried(results: Results) -> Table:
    rows = [
        (
            cases.case(home).label,
            *(_thousandths(float(np.mean(results.transfer(home, away)))) for away in cases.TRANSFER),
        )
        for home in cases.TRANSFER
    ]
    return Table(
        "carried",
        "Tuned here, used there: mean square error in thousandths",
        "The modified algorithm. Down: the case on whose training runs all settings were tuned; across: "
        f"the case they are judged in, on {len(results.seeds)} other seeds. The diagonal is the least that "
        "tuning can give.",
        (Column("Tuned on"), *(Column(cases.case(name).label, "number") for name in cases.TRANSFER)),
        tuple(rows),
    )


# --- The dither ---------------------------------------------------------------------------------------------

_SILENT = 1e-3
"""A dither that drops less than this, in % of packets, is called silent."""


def _dither(results: Results) -> Section:
    floor = 100 * dither.DITHER.floor
    busy = [
        name for name in results.cases if float(np.mean(results.dithered(name, "dither_drops")[1])) > _SILENT
    ]
    return Section(
        "dither",
        "Asking where nobody is asked: a dither, and what it costs",
        (
            "Where a port drops next to nothing, flows never show whether they back off, and "
            "Responsiveness is left with what it supposes. A router may then drop a few packets itself, at "
            f"random: here it tops up what its queue drops to {floor:g} % of the packets, in every case. "
            "Where the queue drops more, the dither is silent: in "
            f"{len(results.cases) - len(busy)} of {len(results.cases)} cases it dropped less than "
            f"{_SILENT:g} % of the packets.",
        ),
        (dither_figure(results.measures), _dither_costs(results, busy)),
    )


def _dither_costs(results: Results, busy: Sequence[str]) -> Table:
    rows = []
    for name in busy:
        label = cases.case(name).label
        errors = [results.score(name, f"responsiveness{suffix}", "none") for suffix in ("", "-dither")]
        measured = {what: results.dithered(name, measure) for measure, what in dither.MEASURES.items()}
        for what, (without, with_it) in {"Mean square error": (errors[0], errors[1]), **measured}.items():
            change = interval(stats.mean_interval(with_it - without))
            rows.append(
                (label, what, number(float(np.mean(without))), number(float(np.mean(with_it))), change)
            )
    return Table(
        "dither-costs",
        "What the dither gives and costs, where it is not silent",
        f"Means over {len(results.seeds)} seeds, and their change with its 95 % interval: pairs of runs with "
        "the same seed.",
        (
            Column("Case"),
            Column("Measure"),
            Column("Without", "number"),
            Column("With", "number"),
            Column("Change", "number"),
        ),
        tuple(rows),
    )


# --- Queues and alarm ---------------------------------------------------------------------------------------


def _queues(measures: Measures, by_id: Mapping[str, Claim]) -> Section:
    return Section(
        "queues",
        "Table III, and why DropTail seems to protect TCP",
        (
            "A CBR flow of 1 Mbit/s sends a packet every 8 ms. When all 22 start at one instant, 22 "
            "packets arrive at once every 8 ms, the first few fill the queue and the rest are lost. A TCP "
            "packet comes back a round trip after the one that released it; where the round trip is a "
            "multiple of 8 ms, it finds the same free place again and again. The curves below move away "
            "from that coincidence, one way each.",
        ),
        (_table_3(by_id), *phase_figures(measures)),
    )


def _table_3(by_id: Mapping[str, Claim]) -> Table:
    rows = []
    for queue in TABLE_3:
        for what, value in zip(("tcp", "cbr", "drop-rate"), TABLE_3[queue], strict=True):
            cells: list[str | Verdict] = [
                QUEUES[queue],
                {"tcp": "TCP", "cbr": "CBR", "drop-rate": "drop rate"}[what],
                printed_number(value),
            ]
            for sweep in WINDOWS:
                claim = by_id[f"table-3.{queue}.{what}.{sweep}"]
                run = interval(claim.run, mean=False, digits=3) if claim.run else "–"
                cells += [number(claim.ours), run, claim.verdict]
            rows.append(tuple(cells))
    heads = [
        column
        for _, window in WINDOWS.values()
        for column in (
            Column(window[0].upper() + window[1:], "number"),
            Column("95 % of runs", "number"),
            Column("Verdict"),
        )
    ]
    return Table(
        "table-3",
        "Table III. Performance of DropTail and RED",
        "Shares of delivered bytes and the drop rate, in %: CBR flows in phase, a round trip of 120 ms, "
        "100 to 320 s. The document does not say what the TCP flows' window was.",
        (Column("Queue"), Column("Measure"), Column("Document", "number"), *heads),
        tuple(rows),
    )


def _alarm(results: Results) -> Section:
    free = [each for each in CONTESTANTS if not each.ranges and each.name not in REFERENCES]
    untuned = [each.label for each in free if each.name in results.alarmed]
    text = (
        "14 CBR flows join 8 from 150 to 210 s: an attack. From 250 to 280 s a flash crowd of short TCP "
        "flows comes: no attack, and the chapter's own hard case. A level of alarm is good if it goes off "
        "in the first and not in the second."
    )
    more = f" Without settings: {', '.join(untuned)}." if untuned else ""
    several = (
        "An alarm may look at several intervals in place of one: it then waits longer, and is not moved by a "
        f"single wrong estimate. Two such rules stand beside the single interval: {RULES[1].label} above the "
        "level, and Page's cumulative sum (1954) of what estimates are above the level, less what they are "
        f"below it, which raises the alarm at {100 * EXCESS:g} points."
    )
    items: tuple[Figure | Table, ...] = (*alarm_figures(results.measures), _rules(results))
    return Section("alarm", "The estimate as an alarm", (text + more, several), items)


_FALSE_ALARMS = 6.0
"""False alarms an hour that the table of rules allows."""


def _rules(results: Results) -> Table:
    rows = []
    for name in results.alarmed:
        for rule in RULES:
            cells = [contestant(name).label, rule.label]
            for case in ("alarm/none", "alarm/large"):
                area = stats.mean_interval(results.area(case, name, rule.name))
                seconds = _seconds_to_detect(results, case, name, rule.name)
                cells += [f"{area.mean:.3f} ± {area.half_width:.3f}", seconds]
            rows.append(tuple(cells))
    return Table(
        "alarm-rules",
        "Alarms over one interval and over several",
        "Area under the ROC curve, by interval: 0.5 is chance, 1 perfect. Seconds to detect: mean over "
        f"{len(results.seeds)} seeds at the level that detects soonest of those with at most "
        f"{_FALSE_ALARMS:g} false alarms an hour; the whole attack takes "
        f"{alarm.ATTACK[1] - alarm.ATTACK[0]:g} s.",
        (
            Column("Estimator"),
            Column("Alarm by"),
            Column("Area, no crowd", "number"),
            Column("Seconds to detect", "number"),
            Column("Area, large crowd", "number"),
            Column("Seconds to detect", "number"),
        ),
        tuple(rows),
    )


def _seconds_to_detect(results: Results, case: str, name: str, rule: str) -> str:
    rows = rows_where(results.measures["detection"], case=case, estimator=name, rule=rule)
    _, delay, false = detection_curve(rows)
    allowed = delay[false <= _FALSE_ALARMS]
    return f"{allowed.min():.1f}" if allowed.size else "–"
