"""What was found, in sentences. Every number and every turn of phrase follows from measures and verdicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parshall.claims import Claim, Kind, Verdict, tally
from parshall.report import Finding, number, signed
from parshall.studies.nonresponsive import alarm, cases
from parshall.studies.nonresponsive.beyond import MEAN_GOAL, REFERENCES, WORST_GOAL
from parshall.studies.nonresponsive.claims import ALGORITHM
from parshall.studies.nonresponsive.contestants import CONTESTANTS, contestant
from parshall.studies.nonresponsive.results import Results, rows_where
from parshall.studies.nonresponsive.rules import RULES, SINGLE
from parshall.study import Measures

__all__ = ["all_findings"]


def all_findings(measures: Measures, claims: Sequence[Claim]) -> list[Finding]:
    """The most important first."""
    results = Results(measures)
    return [
        _statements(claims),
        _numbers(claims),
        _start(results),
        _worth(results, claims),
        _goal(results, claims),
        _carried(results),
        _round_trips(results),
        _table_3(results, claims),
        _alarm(measures, claims),
    ]


def _statements(claims: Sequence[Claim]) -> Finding:
    made = [claim for claim in claims if claim.of_document and claim.kind is not Kind.PRINTED]
    parts = []
    for suffix, name in ((".tuned", "with tuned settings"), (".printed", "with printed gains")):
        chosen = [claim for claim in made if claim.id.endswith(suffix)]
        parts.append(f"{name} {tally(chosen)}")
    others = [claim for claim in made if not claim.id.endswith((".tuned", ".printed"))]
    return Finding(
        "Statements",
        f"Of what the chapter says of the algorithm, {'; '.join(parts)}. Of what it says of drops and "
        f"queues, {tally(others)}.",
    )


def _numbers(claims: Sequence[Claim]) -> Finding:
    made = [claim for claim in claims if claim.kind is Kind.PRINTED]
    errors = [claim for claim in made if claim.id.startswith("mse.")]
    rest = [claim for claim in made if claim.of_document and not claim.id.startswith("mse.")]
    parts = [
        f"{name} {tally([claim for claim in errors if claim.id.endswith(suffix)])}"
        for suffix, name in (
            (".tuned", "with tuned settings"),
            (".printed", "with printed gains"),
            (".fitted", "with printed gains and a start value tuned on the same case"),
        )
    ]
    ratios = [claim.ours / claim.paper for claim in errors if claim.ours and claim.paper]
    return Finding(
        "Printed numbers",
        f"Of the errors in Table I and the text, {'; '.join(parts)}; ours are {number(min(ratios), 2)} to "
        f"{number(max(ratios), 2)} times the printed ones. Of the numbers in Tables II and III, "
        f"{tally(rest)}.",
    )


def _start(results: Results) -> Finding:
    """How much of the estimate with printed gains is its start value."""
    rows = rows_where(results.measures["starts"], settings="printed", case="load/22")
    start, estimate = rows["start_share"].to_numpy(), rows["mean_estimate"].to_numpy()
    slope = float(np.polyfit(start, estimate, 1)[0])
    errors = rows["mse"].to_numpy()
    seeds = len(results.seeds)
    by_start = [float(errors[start == value].mean()) for value in np.unique(start)]
    return Finding(
        "Start value",
        f"Under 22 CBR flows the mean estimate of a run with printed gains moves by {100 * slope:.0f} "
        "points when its start value, which is not printed, moves by 100. Its mean square error then lies "
        f"between {number(min(by_start), 2)} and {number(max(by_start), 2)} ({seeds} seeds).",
    )


def _worth(results: Results, claims: Sequence[Claim]) -> Finding:
    """Which estimators know more than a constant."""
    better: list[str] = []
    worse: list[str] = []
    for claim in claims:
        if not claim.id.startswith("worth."):
            continue
        _, name, kind = claim.id.split(".")
        label = f"{contestant(name).label} ({kind})" if kind != "none" else contestant(name).label
        (better if claim.verdict is Verdict.HOLDS else worse).append(label)
    number_error = float(np.mean(results.mean_error(results.cases, "constant", "tuned")))
    text = (
        "One number for ever, the best on the training runs, has a mean square error of "
        f"{number(number_error, 2)} over all {len(results.cases)} cases. "
    )
    text += f"Better than that: {', '.join(better)}. " if better else "No estimator is better than that. "
    if worse:
        text += f"Not better: {', '.join(worse)}."
    return Finding("Worth", text.strip())


def _goal(results: Results, claims: Sequence[Claim]) -> Finding:
    """How near the estimators that need no tuning come to what an operator would want."""
    by_id = {claim.id: claim.verdict for claim in claims}
    parts = []
    for entry in CONTESTANTS:
        if entry.ranges or entry.name in REFERENCES:
            continue
        errors = {case: float(np.mean(results.score(case, entry.name, "none"))) for case in results.cases}
        worst = max(errors, key=lambda name: errors[name])
        mean, most = (by_id[f"goal.{entry.name}.{which}"] for which in ("mean", "worst"))
        parts.append(
            f"{entry.label}: {number(float(np.mean(list(errors.values()))), 2)} over all cases (at most "
            f"{MEAN_GOAL:g}: {mean}) and {number(errors[worst], 2)} in the worst, "
            f"'{cases.case(worst).label}' (at most {WORST_GOAL:g} in every case: {most})"
        )
    return Finding("Without tuning", f"Mean square errors. {'; '.join(parts)}.")


def _carried(results: Results) -> Finding:
    home = "load/22"
    at_home = float(np.mean(results.transfer(home, home)))
    away = {name: float(np.mean(results.transfer(home, name))) for name in cases.TRANSFER if name != home}
    worst = max(away, key=lambda name: away[name])
    return Finding(
        "Carried settings",
        f"Tuned on 22 CBR flows, the modified algorithm has a mean square error of {number(at_home, 2)} "
        f"there and between {number(min(away.values()), 2)} and {number(away[worst], 2)} elsewhere; the "
        f"worst place is '{cases.case(worst).label}'.",
    )


def _round_trips(results: Results) -> Finding:
    errors = {
        ms: 100 * float(np.mean(results.score(f"rtt/{ms}", ALGORITHM, "tuned", "relative_error")))
        for ms in cases.RTTS
    }
    low, high = cases.RTTS[0], cases.RTTS[-1]
    return Finding(
        "Round trips",
        f"With R0 fixed at 120 ms and tuned settings the relative error goes from {signed(errors[low])} % "
        f"at {low} ms to {signed(errors[high])} % at {high} ms; the largest is "
        f"{signed(max(errors.values(), key=abs))} %.",
    )


def _table_3(results: Results, claims: Sequence[Claim]) -> Finding:
    locked, half, spread, red = (
        number(float(np.mean(results.point(sweep, queue, x))))
        for sweep, queue, x in (
            ("table", "droptail", 120.0),
            ("rtt", "droptail", 100.0),
            ("spread", "droptail", 8.0),
            ("spread", "red", 8.0),
        )
    )
    text = (
        f"DropTail leaves TCP {locked} % of the link with CBR flows in phase and a round trip of 120 ms, "
        f"{half} % at 100 ms, and {spread} % once the flows start at random within one period of 8 ms, "
        f"against {red} % with RED"
    )
    by_id = {claim.id: claim.verdict for claim in claims}
    moved = all(by_id[f"phase.droptail.{sweep}"] is Verdict.HOLDS for sweep in ("rtt", "spread"))
    if moved and by_id["phase.random-no-better"] is Verdict.FAILS:
        text += ": what protects TCP is a coincidence of periods, not the queue"
    return Finding("Table III", f"{text}.")


def _alarm(measures: Measures, claims: Sequence[Claim]) -> Finding:
    """What a flash crowd does to an alarm at the limit itself."""
    level = alarm.LIMIT
    parts = []
    names = dict.fromkeys(measures["roc"]["estimator"].to_pylist())
    for name in names:
        if name in REFERENCES:
            continue
        rates = []
        for crowd in ("none", "large"):
            rows = rows_where(measures["roc"], estimator=name, case=f"alarm/{crowd}", rule=SINGLE.name)
            place = int(np.argmin(np.abs(rows["level"].to_numpy() - level)))
            rates.append((rows["hit_rate"].to_numpy()[place], rows["false_rate"].to_numpy()[place]))
        (hit, false), (_, crowded) = rates
        parts.append(
            f"{contestant(name).label}: {100 * hit:.0f} % of attack intervals, {100 * false:.1f} % of "
            f"others, {100 * crowded:.1f} % with a large flash crowd"
        )
    text = f"An alarm at an estimated share of {level:g} goes off in: {'; '.join(parts)}."
    return Finding("Alarm", f"{text} {_several(claims)}")


def _several(claims: Sequence[Claim]) -> str:
    """What alarms over several intervals are worth, by area under the ROC curve."""
    parts = []
    for rule in RULES:
        made = [claim for claim in claims if claim.id.startswith(f"alarm.{rule.name}.")]
        if made:
            better = sum(claim.verdict is Verdict.HOLDS for claim in made)
            parts.append(f"{rule.label} for {better} of {len(made)}")
    return (
        "By the area under the ROC curve with a large flash crowd, several intervals beat one with "
        f"{' and with '.join(parts)} estimators."
    )
