"""What was found, in sentences. Every number and every turn of phrase follows from measures and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from parshall.claims import Claim, Kind, Verdict, tally
from parshall.report import Finding, number, signed
from parshall.studies.aqm.grid import BUFFERS, CAPACITIES, LOADS, MODERN, QUEUES
from parshall.studies.aqm.results import Results

if TYPE_CHECKING:
    from parshall.study import Measures

__all__ = ["all_findings"]


def all_findings(measures: Measures, claims: Sequence[Claim]) -> list[Finding]:
    """The most important first; those of parts that were not run are left out."""
    results = Results(measures["runs"])
    parts = {cell.part for cell in results.cells}
    by_id = {claim.id: claim for claim in claims}
    findings = [_statements(claims), _numbers(claims), _conclusion(results, by_id)]
    if "spread" in parts:
        findings.append(_phases(results, by_id))
    findings += [_delay(results, parts), _jitter(results)]
    if {"tuned", "tuned-spread"} <= parts:
        findings.append(_tuned(results))
    findings += [_today(results, claims), _senders(results)] if "modern" in parts else []
    if "ns2" in measures:
        findings.append(_ns2(results, measures))
    return findings


def _statements(claims: Sequence[Claim]) -> Finding:
    made = [claim for claim in claims if claim.of_document and claim.kind is not Kind.PRINTED]
    failed = [claim for claim in made if claim.verdict is Verdict.FAILS]
    discussed = [claim for claim in made if claim.where == "IV.B"]
    return Finding(
        "Statements",
        f"Of {len(made)} statements of the chapter, {tally(made)}; of the {len(discussed)} in its "
        f"discussion (IV.B), {tally(discussed)}. "
        + (f"Most of those that do not hold belong to {_commonest(failed)}." if failed else ""),
    )


def _listed(numbers: Sequence[int]) -> str:
    """``5, 35 and 100``."""
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last


def _commonest(claims: Sequence[Claim]) -> str:
    places = [claim.where for claim in claims]
    return max(dict.fromkeys(places), key=places.count)


def _numbers(claims: Sequence[Claim]) -> Finding:
    parts = []
    for table in ("VIII", "IX", "X"):
        made = [claim for claim in claims if claim.kind is Kind.PRINTED and claim.where == f"Table {table}"]
        off = [abs(claim.ours / claim.paper - 1) for claim in made if claim.paper and claim.ours is not None]
        typical, most = (100 * each for each in (float(np.median(off)), max(off)))
        parts.append(
            f"Table {table}: {tally(made)}; half of our means are within {number(typical, 2)} % of the "
            f"printed value, all within {number(most, 2)} %"
        )
    results = ("Table VIII", "Table IX", "Table X")
    settings = [claim for claim in claims if claim.kind is Kind.PRINTED and claim.where not in results]
    parts.append(f"Settings (Tables V and VI, and loads in the text): {tally(settings)}")
    return Finding("Printed numbers", f"{'. '.join(parts)}.")


def _conclusion(results: Results, by_id: dict[str, Claim]) -> Finding:
    """What DropTail adds to long TCP throughput, with and without short flows."""
    parts = []
    for load in (LOADS[0], LOADS[-1]):
        gaps = [
            100
            * float(
                np.mean(
                    results.at("ltrf", "droptail", capacity, "1", load)
                    - results.at("ltrf", "red", capacity, "1", load)
                )
            )
            for capacity in CAPACITIES
        ]
        listed = ", ".join(signed(gap) for gap in gaps)
        parts.append(
            f"{listed} points of the capacity at {_listed(CAPACITIES)} Mbit/s with {load} % short flows"
        )
    places: dict[Verdict, list[int]] = {}
    for capacity in CAPACITIES:
        verdict = by_id[f"discussion.long-term-only.{capacity}"].verdict
        places.setdefault(verdict, []).append(capacity)
    said = ", ".join(f"{_is(verdict)} at {_listed(at)} Mbit/s" for verdict, at in places.items())
    return Finding(
        "The chapter's conclusion",
        f"At 1 BWDP DropTail gives long TCP flows more than RED by {' and '.join(parts)}. That its bias "
        f"against non-responsive flows is there in long-term mixes and gone with short flows {said}.",
    )


def _phases(results: Results, by_id: dict[str, Claim]) -> Finding:
    parts = []
    for load in LOADS:
        locked, spread, red = (
            100 * float(np.mean(results.at("ltrf", queue, 100, "1", load, part=part)))
            for queue, part in (("droptail", "grid"), ("droptail", "spread"), ("red", "grid"))
        )
        parts.append(
            f"{number(locked)} % with CBR flows in phase, {number(spread)} % without and {number(red)} % "
            f"with RED at {load} % short flows"
        )
    text = f"At 100 Mbit/s and 1 BWDP DropTail leaves long TCP flows {'; '.join(parts)}."
    phase = [at for at in CAPACITIES if by_id[f"phases.long-term.{at}"].verdict is Verdict.HOLDS]
    if phase:
        text += (
            f" At {_listed(phase)} Mbit/s more than half of DropTail's advantage in the long-term mix is the "
            "phase effect."
        )
    return Finding("Phase effect", text)


def _delay(results: Results, parts: set[str]) -> Finding:
    """DropTail's delay over RED's, and what other thresholds make of it."""

    def ratios(queue: str, part: str) -> list[float]:
        return [
            float(np.mean(results.at("delay", "droptail", capacity, buffer, LOADS[-1])))
            / float(np.mean(results.at("delay", queue, capacity, buffer, LOADS[-1], part=part)))
            for capacity in CAPACITIES
            for buffer in BUFFERS
        ]

    text = (
        f"With {LOADS[-1]} % short flows DropTail's mean queueing delay is {_span(ratios('red', 'grid'))} "
        "times RED's over nine cells; the chapter says about 3 times"
    )
    if "thresholds" in parts:
        text += (
            f". With thresholds of a twelfth and a quarter of the buffer it is "
            f"{_span(ratios('red-low', 'thresholds'))} times"
        )
    return Finding("Delay", f"{text}. The chapter does not give the thresholds.")


def _tuned(results: Results) -> Finding:
    """What tuned RED adds to long TCP flows, where it is said to work and where it is said to fail."""

    def gains(load: int, part: str) -> str:
        changes = [
            100
            * float(
                np.mean(
                    results.at("ltrf", "red-tuned", capacity, "1", load, part=part)
                    - results.at("ltrf", "red", capacity, "1", load)
                )
            )
            for capacity in CAPACITIES
        ]
        return ", ".join(signed(change) for change in changes)

    delays = [
        float(np.mean(results.at("delay", "red-tuned", capacity, "1", LOADS[0], part="tuned")))
        / float(np.mean(results.at("delay", "red", capacity, "1", LOADS[0])))
        for capacity in CAPACITIES
    ]
    estimates = [
        [
            float(np.mean(results.at("estimated_share", "red-tuned", capacity, "1", load, part="tuned")))
            for capacity in CAPACITIES
        ]
        for load in (LOADS[0], LOADS[-1])
    ]
    return Finding(
        "RED tuned from the estimate",
        "Turned into DropTail while the estimated non-responsive share is large, RED at 1 BWDP gives long "
        f"TCP flows {gains(LOADS[0], 'tuned')} points of the capacity more at {_listed(CAPACITIES)} Mbit/s "
        f"in long-term mixes, and {gains(LOADS[-1], 'tuned')} with {LOADS[-1]} % short flows; with CBR flows "
        f"that start at random, beside RED with them in phase, {gains(LOADS[0], 'tuned-spread')} and "
        f"{gains(LOADS[-1], 'tuned-spread')}. In long-term mixes its mean queueing delay is {_span(delays)} "
        f"times RED's. The share is estimated at {_span(estimates[0])} in long-term mixes and at "
        f"{_span(estimates[1])} with {LOADS[-1]} % short flows.",
    )


def _jitter(results: Results) -> Finding:
    """RED's deviation of the delay over DropTail's, under a steady load and with ON/OFF flows."""

    def ratios(part: str) -> list[float]:
        return [
            float(np.mean(results.at("delay_sd", "red", capacity, buffer, LOADS[-1], part=part)))
            / float(np.mean(results.at("delay_sd", "droptail", capacity, buffer, LOADS[-1], part=part)))
            for capacity in CAPACITIES
            for buffer in BUFFERS
        ]

    steady, on_off = ratios("grid"), ratios("on-off")
    lower = sum(ratio < 1 for ratio in on_off)
    return Finding(
        "Jitter",
        f"With {LOADS[-1]} % short flows the standard deviation of RED's delay is {_span(steady)} times "
        f"DropTail's under a steady load, and {_span(on_off)} times with "
        f"ON/OFF flows: lower in {lower} of {len(on_off)} cells.",
    )


def _span(values: Sequence[float]) -> str:
    return f"{number(min(values), 2)} to {number(max(values), 2)}"


def _today(results: Results, claims: Sequence[Claim]) -> Finding:
    """Delay, long TCP flows and response time of each queue, in one cell, and how the questions went."""
    parts = []
    for queue in MODERN.queues:
        delay, share, response = (
            float(np.mean(results.at(metric, queue, 35, "1", 30, part="modern")))
            for metric in ("delay", "ltrf", "response_mean")
        )
        parts.append(
            f"{QUEUES[queue]} {number(1e3 * delay, 2)} ms, {number(100 * share, 3)} %, "
            f"{number(response, 2)} s"
        )
    asked = [claim for claim in claims if claim.id.startswith("modern.")]
    return Finding(
        "Today's queues",
        "At 35 Mbit/s, 1 BWDP and 30 % short flows, with CBR flows that start at random: mean queueing "
        "delay, share of long TCP flows and mean response time of a transfer of ten packets are "
        f"{'; '.join(parts)}. Of {len(asked)} questions about today's queues and senders, {tally(asked)}.",
    )


def _senders(results: Results) -> Finding:
    """What CUBIC changes, queue by queue."""
    parts = []
    for queue in MODERN.queues:
        changes = [
            100
            * float(
                np.mean(
                    results.at("ltrf", queue, capacity, buffer, load, part="modern", senders="cubic")
                    - results.at("ltrf", queue, capacity, buffer, load, part="modern")
                )
            )
            for capacity in CAPACITIES
            for buffer in BUFFERS
            for load in LOADS
        ]
        parts.append(f"{QUEUES[queue]} {signed(min(changes))} to {signed(max(changes))}")
    return Finding(
        "CUBIC senders",
        "With them the share of long TCP flows changes by so many points of the capacity, over 27 cells: "
        f"{'; '.join(parts)}.",
    )


def _ns2(results: Results, measures: Measures) -> Finding:
    from parshall.studies.aqm.figures_beyond import beside_ns2

    rows = beside_ns2(results, measures["ns2"]).to_pylist()
    parts = []
    for metric, name, scale, unit in (
        ("ltrf", "long TCP throughput", 100, "points"),
        ("ltnrf", "long non-responsive throughput", 100, "points"),
        ("ltnrf_drop", "its drop rate", 100, "points"),
    ):
        off = [scale * abs(row["ours"] - row["mean"]) for row in rows if row["metric"] == metric]
        parts.append(f"{name} {number(float(np.median(off)), 2)} ({number(max(off), 2)}) {unit}")
    off = [100 * abs(row["ours"] / row["mean"] - 1) for row in rows if row["metric"] == "delay"]
    parts.append(f"mean delay {number(float(np.median(off)), 2)} ({number(max(off), 2)}) %")
    cells = len({(row["queue"], row["capacity"], row["buffer"], row["load"]) for row in rows})
    return Finding(
        "ns-2.35",
        f"Beside ns-2 in {cells} cells of the grid, the median (largest) distance of the means is: "
        f"{', '.join(parts)}.",
    )


def _is(verdict: Verdict) -> str:
    return {Verdict.HOLDS: "holds", Verdict.FAILS: "does not hold", Verdict.OPEN: "cannot be told"}[verdict]
