"""Numbers that the report's sentences are made with."""

from __future__ import annotations

from typing import Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.nonresponsive import alarm, cases, networks as net, shorter
from parshall_studies.nonresponsive.claims import (
    ALGORITHM,
    MEAN_GOAL,
    WINDOWS,
    WORST_GOAL,
    mean_error,
    point,
    score,
)
from parshall_studies.nonresponsive.contestants import CONTESTANTS, contestant
from parshall_studies.nonresponsive.curves import roc_curve
from parshall_studies.nonresponsive.measures import DITHER
from parshall_studies.nonresponsive.rules import EXCESS, LEVELS, RULES, SINGLE
from parshall_studies.nonresponsive.shown import EXAMPLE_SEED
from parshall_studies.nonresponsive.tables import FALSE_ALARMS, SILENT, busy_cases


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By the names under which the page knows them."""

    def mean(expression: st.Expression) -> float:
        return float(np.mean(expression.values(results).array))

    every = [str(name) for name in results.labels("traffic", "case")]
    carried = results.values("transfer", "mse", home="load/22").mean("seed")
    errors = dict(zip(carried.labels["case"], carried.array.tolist(), strict=True))
    away = {cases.case(str(name)).label: error for name, error in errors.items() if name != "load/22"}
    lowest, highest = "load/22", f"min-th/{cases.MIN_THRESHOLDS[-1]}"
    return {
        "net": net,
        "cases": cases,
        "every": every,
        "goals": (MEAN_GOAL, WORST_GOAL),
        "example_seed": EXAMPLE_SEED,
        "constant": mean(mean_error(every, "constant", "tuned")),
        "best": {kind: mean(mean_error(every, *entry)) for kind, entry in _ANSWERS.items()},
        "free": [_free(results, judged, every, each.name) for each in CONTESTANTS if each.name in _FREE],
        "start": _start(results),
        "at_home": errors["load/22"],
        "away": away,
        "rtts": {
            ms: 100 * mean(score(f"rtt/{ms}", ALGORITHM, "tuned", "relative_error")) for ms in cases.RTTS
        },
        "tcp": {
            name: mean(point(*place))
            for name, place in {
                "locked": ("table", "droptail", 120.0),
                "half": ("rtt", "droptail", 100.0),
                "random": ("spread", "droptail", 8.0),
                "red": ("spread", "red", 8.0),
            }.items()
        },
        "drops": [
            100 * float(results.values("traffic", "drop_rate", case=c).array.mean())
            for c in (lowest, highest)
        ],
        "alarm": alarm,
        "alarms": _alarms(results),
        "rules": RULES,
        "rule_wins": {
            rule.label: judged.where(f"alarm.{rule.name}.") for rule in RULES if rule is not SINGLE
        },
        "excess": EXCESS,
        "false_alarms": FALSE_ALARMS,
        "floor": 100 * DITHER.floor,
        "silent": SILENT,
        "silent_cases": len(every) - len(busy_cases(results)),
        "halves": shorter.HALVES,
        "sweeps": list(results.labels("phase", "sweep")),
        "phase_seeds": len(results.labels("phase", "seed")),
        "windows": WINDOWS,
    }


_FREE = ("responsiveness", "responsiveness-dither")
_ANSWERS = {
    "tuned": (ALGORITHM, "tuned"),
    "printed": (ALGORITHM, "printed"),
    "free": ("responsiveness", "none"),
}


def _free(results: st.Results, judged: st.Judgements, every: list[str], name: str) -> dict[str, Any]:
    """How near an estimator that needs no tuning comes to what an operator would want."""
    by_case = score(every, name, "none").values(results).mean("seed").array
    worst = int(np.argmax(by_case))
    return {
        "label": contestant(name).label,
        "mean": float(by_case.mean()),
        "worst": float(by_case[worst]),
        "where": cases.case(every[worst]).label,
        "verdicts": [judged[f"goal.{name}.{which}"].verdict for which in ("mean", "worst")],
    }


def _start(results: st.Results) -> dict[str, Any]:
    """How much of the estimate with printed gains is its start value, under 22 CBR flows."""
    where = {"case": "load/22", "settings": "printed"}
    estimates, errors = (results.values("starts", name, **where) for name in ("mean_estimate", "mse"))
    starts = np.array(estimates.labels["start_share"], dtype=float)
    every = estimates.along("start_share", "seed")
    slope = np.polyfit(np.repeat(starts, every.shape[1]), every.ravel(), 1)[0]
    return {"slope": 100 * float(slope), "errors": errors.mean("seed").array.tolist()}


def _alarms(results: st.Results) -> dict[str, tuple[float, float, float]]:
    """Of an alarm at the limit: % of attack intervals, of others, and of others with a large flash crowd."""
    level = int(np.argmin(np.abs(LEVELS - alarm.LIMIT)))
    found = {}
    for name in alarm.ALARMED:
        (false, hit), (crowded, _) = (
            roc_curve(results, crowd, name, SINGLE.name) for crowd in ("none", "large")
        )
        found[name] = (float(hit[level]), float(false[level]), float(crowded[level]))
    return found
