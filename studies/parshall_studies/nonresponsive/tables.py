"""Tables of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from parshall.stats import mean_interval
from parshall_studies import study as st
from parshall_studies.nonresponsive import alarm, cases
from parshall_studies.nonresponsive.claims import KINDS, area, mean_error, score
from parshall_studies.nonresponsive.contestants import contestant
from parshall_studies.nonresponsive.curves import detection_curve
from parshall_studies.nonresponsive.rules import RULES

__all__ = ["FALSE_ALARMS", "RULE_CROWDS", "SHOWN", "SILENT", "busy_cases", "entries", "label", "means"]

RULE_CROWDS = ("none", "large")
"""Flash crowds for which alarms over several intervals are told of."""


def entries(results: st.Results) -> list[tuple[str, str]]:
    """Every contestant with every kind of settings that it has in all cases, what needs none first."""
    found = [tuple(str(entry).split("/")) for entry in results.labels("scores", "entry")]
    kept = [(name, kind) for name, kind in found if kind != "fitted"]
    return sorted(kept, key=lambda entry: entry[1] != "none" or not entry[0].startswith("responsiveness"))


def label(name: str, kind: str) -> str:
    """An entry, for a reader."""
    suffix = {"printed": ", printed gains", "tuned": ", tuned"}.get(kind, "")
    return contestant(name).label + suffix


def _text(name: str) -> st.Column:
    return st.Column(name, "text", key=True)


def _thousandths(value: float) -> st.Number:
    return st.Number(1e3 * value, decimals=2 if value < 0.01 else 0)


def means(expression: st.Expression, results: st.Results) -> np.ndarray:
    """Over seeds."""
    return expression.values(results).mean("seed").array


def _every(results: st.Results) -> list[str]:
    return [str(name) for name in results.labels("traffic", "case")]


def _summary(results: st.Results, judged: object) -> st.Table:
    every = _every(results)
    rows = []
    for entry in entries(results):
        by_case = means(score(every, *entry), results)
        worst = int(np.argmax(by_case))
        mean = mean_error(every, *entry).values(results).interval()
        median, most = (st.Number(1e3 * float(each), 2) for each in (np.median(by_case), by_case[worst]))
        rows.append((label(*entry), mean.scaled(1e3), median, most, cases.case(every[worst]).label))
    columns = ("Estimator", st.Column("Mean", key=True), "Median", "Worst", st.Column("Worst case", "text"))
    return st.Table("summary", columns, rows)


def _groups() -> dict[str, list[str]]:
    """Cases that ask for the same thing: the high and steady loads of Figure 3 first."""
    high = [f"load/{count}" for count in cases.LOADS if count >= 16]
    low = [f"load/{count}" for count in cases.LOADS if count < 16]
    changing = [
        each.name for each in cases.all_cases() if each.name.partition("/")[0] in ("pulses", "short", "vbr")
    ]
    others = [each.name for each in cases.all_cases() if each.name not in {*high, *low, *changing, "load/22"}]
    return {"16 to 25 CBR": high, "2 to 14 CBR": low, "Changing loads": changing, "Other networks": others}


def _by_group(results: st.Results, judged: object) -> st.Table:
    chosen = [each for each in entries(results) if each[0] in _GROUPED]
    of = st.NumbersOf(results)
    rows = [
        (
            label(*entry),
            *(_thousandths(of.mean(mean_error(names, *entry))) for names in _groups().values()),
        )
        for entry in chosen
    ]
    return st.Table("by-group", ("Estimator", *_groups()), rows)


_GROUPED = ("responsiveness", "basic", "zero-drops", "kalman", "constant", "counter")


def _by_case(results: st.Results, judged: object) -> st.Table:
    every = _every(results)
    # The form in whole numbers has a table of its own.
    chosen = [each for each in entries(results) if each[1] != "printed" and each[0] != "fixed-point"]
    errors = [means(score(every, *entry), results) for entry in chosen]
    traffic = [
        means(st.Quantity("traffic", name).at(case=every), results) for name in ("mean_share", "drop_rate")
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
    names = (contestant(name).label.replace("siveness", "sive\N{SOFT HYPHEN}ness") for name, _ in chosen)
    heads = ("Share (%)", "Drops (%)", *names)
    return st.Table("by-case", ("Case", *heads), rows, "matrix")


def _whole_numbers(results: st.Results, judged: object) -> st.Table:
    every = _every(results)
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
    heads = ("Settings", st.Column("Mean (%)", key=True), "Worst case (%)", st.Column("Worst case", "text"))
    more = ("Worst interval (points)", st.Column("Its case", "text"))
    return st.Table("whole-numbers", (*heads, *more), rows)


_NAMED = ("gamma1", "gamma2", "backlog_alpha", "signal_alpha", "start_share", "start_window")
"""Settings that have a column of their own."""


def _tuned_values(results: st.Results, judged: object) -> st.Table:
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
    columns = ("Estimator", *_NAMED, st.Column("Others", "text"), "Training error")
    return st.Table("tuned-values", columns, rows, "matrix")


def _carried(results: st.Results, judged: object) -> st.Table:
    found = results.values("transfer", "mse", case=list(cases.TRANSFER), home=list(cases.TRANSFER))
    errors = found.mean(st.SEED)
    rows = [
        (cases.case(home).label, *(_thousandths(float(each)) for each in errors.at(home=home).array))
        for home in cases.TRANSFER
    ]
    return st.Table(
        "carried", ("Tuned on", *(cases.case(name).label for name in cases.TRANSFER)), rows, "matrix"
    )


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


def _dither_costs(results: st.Results, judged: object) -> st.Table:
    rows = []
    for name in busy_cases(results):
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
    columns = ("Case", _text("Measure"), "Without", "With", st.Column("Change", key=True))
    return st.Table("dither-costs", columns, rows)


FALSE_ALARMS = 6.0
"""False alarms an hour that the table of rules allows."""


def _rules(results: st.Results, judged: object) -> st.Table:
    rows = []
    for name in alarm.ALARMED:
        for rule in RULES:
            cells: list[Any] = [contestant(name).label, rule.label]
            for crowd in RULE_CROWDS:
                false, delay = detection_curve(results, crowd, name, rule.name)
                allowed = delay[false <= FALSE_ALARMS]
                found = area(name, rule.name, crowd).values(results).interval()
                cells += [found, st.Number(float(allowed.min()), decimals=1) if allowed.size else None]
            rows.append(tuple(cells))
    heads = ("Area, no crowd", "Seconds to detect", "Area, large crowd", "Seconds to detect, large crowd")
    return st.Table("alarm-rules", ("Estimator", _text("Alarm by"), *heads), rows)


SHOWN = tuple(
    map(
        st.Made,
        (_summary, _by_group, _by_case, _whole_numbers, _tuned_values, _carried, _dither_costs, _rules),
    )
)
