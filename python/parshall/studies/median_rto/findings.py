"""What was found, in sentences. Every number and every turn of phrase follows from measures and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parshall import stats
from parshall.claims import Claim, Kind, Verdict, count_verdicts
from parshall.report import Finding, interval, number
from parshall.studies.median_rto import scenarios
from parshall.studies.median_rto.costs import matched
from parshall.studies.median_rto.measures import Runs
from parshall.studies.median_rto.scenarios import ORIGINAL, TRAFFICS, Traffic, Variant, traffic_name

if TYPE_CHECKING:
    from parshall.study import Measures

__all__ = ["all_findings"]


def all_findings(measures: Measures, claims: Sequence[Claim]) -> list[Finding]:
    """The most important first."""
    runs = Runs(measures["runs"])
    return [
        _statements(claims),
        _noise(runs, claims),
        _same_seed(claims),
        _numbers(claims),
        *(_effect(runs, traffic) for traffic in TRAFFICS),
        *(_margin(runs, traffic) for traffic in TRAFFICS),
        _burstiness(runs),
        _frontier(measures),
    ]


def _statements(claims: Sequence[Claim]) -> Finding:
    """How the document's sentences fared."""
    made = [claim for claim in claims if claim.of_document and claim.kind is not Kind.PRINTED]
    tally = _tally(
        made, {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.OPEN: "cannot be told"}
    )
    failed = [_clause(claim) for claim in made if claim.verdict is Verdict.FAILS]
    text = f"Of the document's {len(made)} statements that can be tested, {tally} (seeds: {made[0].n})."
    return Finding("Statements", text + (f" Not so: {'; '.join(failed)}." if failed else ""))


def _noise(runs: Runs, claims: Sequence[Claim]) -> Finding:
    """Whether single-run differences exceed what another seed makes."""
    made = [claim for claim in claims if claim.kind is Kind.NOISE]

    def bound(traffic: Traffic, measure: str) -> float:
        return stats.noise_bound(runs.of(Variant(traffic, "tahoe", ORIGINAL), measure)).mean

    goodput = _each(lambda traffic: f"{number(bound(traffic, 'goodput') / 1e3)} kbit/s")
    loss = _each(lambda traffic: f"{number(bound(traffic, 'loss'), 2)} points")
    tally = _tally(
        made,
        {
            Verdict.HOLDS: "are larger than such noise",
            Verdict.FAILS: "are within such noise",
            Verdict.OPEN: "cannot be told from it",
        },
    )
    return Finding(
        "Single runs",
        "Two runs of one and the same TCP that differ in the seed alone are, in 95 % of pairs, less than "
        f"{goodput} apart in goodput, and {loss} in loss. Of the {len(made)} differences from the original "
        f"TCP that the document prints, {tally}.",
    )


def _same_seed(claims: Sequence[Claim]) -> Finding:
    """Whether the printed differences are the filters' doing, had the runs shared a seed."""
    made = [claim for claim in claims if claim.id.startswith("same-seed.")]
    throughput = [claim for claim in made if claim.id.endswith(".throughput")]
    outside = [claim for claim in throughput if claim.verdict is Verdict.FAILS]
    tally = _tally(
        made,
        {
            Verdict.HOLDS: "are within what a filter makes then",
            Verdict.FAILS: "are beyond it",
            Verdict.OPEN: "cannot be told",
        },
    )
    text = f"With the same seed the sources do the same. Of the {len(made)} printed differences, {tally}."
    if outside:
        text += (
            f" Among the latter are {len(outside)} of the {len(throughput)} in throughput, which the load "
            "sets: the document's runs can hardly have shared their random numbers, and much of what it "
            "compares is load."
        )
    return Finding("Same seed", text)


def _numbers(claims: Sequence[Claim]) -> Finding:
    """How many printed numbers a single run of ours gives."""
    made = [claim for claim in claims if claim.of_document and claim.kind is Kind.PRINTED]
    outside = [claim for claim in made if claim.verdict is Verdict.FAILS]
    tally = _tally(
        made,
        {
            Verdict.HOLDS: "are such as a single run of ours gives",
            Verdict.FAILS: "are not",
            Verdict.OPEN: "cannot be told",
        },
    )
    text = f"Of the {len(made)} numbers in Tables I to IV, {tally}."
    if outside:
        text += f" Outside: {'; '.join(f'{claim.where}, {_clause(claim)}' for claim in outside)}."
    return Finding("Printed numbers", text)


def _effect(runs: Runs, traffic: Traffic) -> Finding:
    """What the median of 5 does to goodput and loss, seed by seed."""
    goodput = _difference(runs, traffic, "goodput")
    share = 100 * goodput.mean / float(np.mean(runs.of(Variant(traffic, "tahoe", ORIGINAL), "goodput")))
    loss = _difference(runs, traffic, "loss")
    return Finding(
        f"{traffic_name(traffic).capitalize()} traffic",
        f"In the place of the original filter and with the same seeds, the median of 5 {_changed(goodput)} "
        f"goodput: {_signed(goodput.scaled(1e-3), 'kbit/s')}, {_sign(share)}{number(share, 2)} %. It "
        f"{_changed(loss)} loss: {_signed(loss, 'points')}.",
    )


def _margin(runs: Runs, traffic: Traffic) -> Finding:
    """Whether its RTO is closer to the RTT, and what that costs."""

    def mean(name: str, measure: str) -> float:
        return float(np.nanmean(runs.of(Variant(traffic, "tahoe", name), measure)))

    margin, exceeded = (
        tuple(mean(name, measure) for name in (ORIGINAL, "median-5"))
        for measure in ("rto_margin", "rto_exceeded")
    )
    spurious = _difference(runs, traffic, "spurious_timeouts")
    wait = _difference(runs, traffic, "timeout_wait")
    return Finding(
        f"RTO, {traffic_name(traffic)} traffic",
        f"On average the RTO lies {number(1e3 * margin[0])} ms above the RTT with the original filter and "
        f"{number(1e3 * margin[1])} ms with the median of 5; {number(100 * exceeded[0], 2)} % and "
        f"{number(100 * exceeded[1], 2)} % of RTTs are longer than the RTO. The median "
        f"{_changed(spurious)} the spurious timeouts of a run ({_signed(spurious)}) and {_changed(wait)} "
        f"the time spent waiting for timeouts ({_signed(wait, 's')}).",
    )


def _burstiness(runs: Runs) -> Finding:
    """Which of the two cases varies more, by the law of a duration and by what comes through."""
    shape = scenarios.PARETO_SHAPE
    relative = float(1 / np.sqrt(shape * (shape - 2)))
    text = (
        f"A Pareto duration of shape {shape:g} has a standard deviation of {number(relative, 2)} of its "
        "mean, an exponential one of 1: the document's heavy-tailed sources vary "
        f"{'less' if relative < 1 else 'more'} than its light-tailed ones."
    )
    if len(runs.seeds) > 1:
        spread = _each(
            lambda traffic: (
                number(
                    float(np.std(runs.of(Variant(traffic, "tahoe", ORIGINAL), "throughput"), ddof=1)) / 1e3
                )
                + " kbit/s"
            )
        )
        text += f" Over seeds, throughput has a standard deviation of {spread}."
    return Finding("Burstiness", text)


def _frontier(measures: Measures) -> Finding:
    """Which family waits least at RFC 6298's risk, over all series."""
    rows = [row for row in matched(measures["series_costs"]).to_pylist() if row["wait_ratio"] is not None]
    series = list(dict.fromkeys(row["series"] for row in rows))
    best = [min((row for row in rows if row["series"] == name), key=_wait_ratio) for name in series]
    wins = {row["family"]: sum(other["family"] == row["family"] for other in best) for row in best}
    won = ", ".join(
        f"{family} ({count})" for family, count in sorted(wins.items(), key=lambda item: -item[1])
    )
    gains = [100 * (1 - row["wait_ratio"]) for row in best]
    return Finding(
        "Best filter",
        "Over all parameters, and among settings that fire too early no more often than RFC 6298's, least "
        f"waiting on the {len(series)} series of RTTs: {won}. It is {number(min(gains), 2)} to "
        f"{number(max(gains), 2)} % less than RFC 6298's.",
    )


# --- Words --------------------------------------------------------------------------------------------------


def _tally(claims: Sequence[Claim], words: Mapping[Verdict, str]) -> str:
    """``5 hold and 3 do not hold``; a verdict that nothing got is left out."""
    parts = []
    for verdict, count in count_verdicts(claims).items():
        if count:
            text = words[verdict]
            singular = text.replace("are ", "is ", 1) if text.startswith("are ") else text
            singular = {"hold": "holds", "do not hold": "does not hold"}.get(singular, singular)
            how_many = "all" if count == len(claims) and count > 1 else str(count)
            parts.append(f"{how_many} {singular if count == 1 else text}")
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]


def _clause(claim: Claim) -> str:
    """The claim's statement inside of a sentence."""
    text = claim.statement.rstrip(".")
    return f"{text[0].lower()}{text[1:]}"


def _each(text: Callable[[Traffic], str]) -> str:
    """The same of both kinds of traffic: ``142 kbit/s (exponential) and 105 kbit/s (Pareto)``."""
    return " and ".join(f"{text(traffic)} ({traffic_name(traffic)})" for traffic in TRAFFICS)


def _wait_ratio(row: Mapping[str, float]) -> float:
    return row["wait_ratio"]


def _difference(runs: Runs, traffic: Traffic, measure: str) -> stats.Interval:
    median, original = (runs.of(Variant(traffic, "tahoe", name), measure) for name in ("median-5", ORIGINAL))
    return stats.difference_interval(median, original)


def _changed(difference: stats.Interval) -> str:
    if difference.low > 0:
        return "raises"
    return "lowers" if difference.high < 0 else "does not measurably change"


def _sign(value: float) -> str:
    return "+" if value > 0 else ""


def _signed(difference: stats.Interval, unit: str = "") -> str:
    """``+0.25 points (0.16 to 0.35)``."""
    return f"{_sign(difference.mean)}{interval(difference, unit=unit)}"
