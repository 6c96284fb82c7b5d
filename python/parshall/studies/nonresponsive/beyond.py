"""Questions that the chapter does not ask, as claims of this study."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from parshall.claims import Claim, all_compared, compared
from parshall.studies.nonresponsive import networks as net
from parshall.studies.nonresponsive import shorter
from parshall.studies.nonresponsive.contestants import CONTESTANTS, contestant
from parshall.studies.nonresponsive.phase import QUEUES
from parshall.studies.nonresponsive.results import Results
from parshall.studies.nonresponsive.rules import RULES, SINGLE
from parshall.studies.nonresponsive.whole_numbers import BOUND

__all__ = ["MEAN_GOAL", "REFERENCES", "WORST_GOAL", "claims_beyond"]

REFERENCES = ("constant", "counter")
"""Contestants that estimate nothing."""
MEAN_GOAL, WORST_GOAL = 0.003, 0.01
"""Mean square errors that an estimator without tuning should keep to."""

THROUGHPUT_COST, DELAY_COST, RESPONSIVE_COST = 1.0, 1.0, 5.0
"""What a dither may cost in any case, in %: of the port's throughput, of its mean delay, and of the packets
that responsive flows send.
"""
FLAGGED = 90.0
"""Part of the estimates, in %, that should say how little they rest on where they do."""


def claims_beyond(results: Results) -> list[Claim]:
    """On settings, on the queue of Table III, and on the other contestants."""
    return [
        *_phase(results),
        *_carried(results),
        *_against_a_number(results),
        *_without_tuning(results),
        *_dither(results),
        *_in_whole_numbers(results),
        *_shorter(results),
        *_alarms(results),
    ]


def _phase(results: Results) -> Iterator[Claim]:
    where = "Table III, phase"
    for queue in ("droptail", "red-full"):
        locked = results.point("table", queue, 120)
        for sweep, x, what in (
            ("rtt", 100.0, "at a round trip of 100 ms, an odd number of half periods"),
            ("spread", 8.0, "once the CBR flows start at random within one period of 8 ms"),
        ):
            yield compared(
                f"phase.{queue}.{sweep}",
                where,
                f"With {QUEUES[queue]} TCP gets less {what} than in phase at 120 ms.",
                "less",
                results.point(sweep, queue, x),
                locked,
                unit="points",
            )
    yield compared(
        "phase.random-no-better",
        where,
        "With CBR flows in no phase, DropTail leaves TCP at least 2 points more than RED(15, 45, 0.1).",
        "greater",
        results.point("spread", "droptail", 8.0) - 2,
        results.point("spread", "red", 8.0),
        unit="points",
    )


def _carried(results: Results) -> Iterator[Claim]:
    """Settings tuned at 22 CBR flows, carried elsewhere, against settings tuned there."""
    home = "load/22"
    for id, what, targets in (
        ("load", "to another load", ("load/8", "load/16", "load/25")),
        ("capacity", "to another capacity", ("capacity/10", "capacity/100")),
        ("rtt", "to another round trip", ("told-rtt/40", "told-rtt/200")),
    ):
        yield all_compared(
            f"carried.{id}",
            "Carried settings",
            f"Settings tuned at 22 CBR flows and carried {what} err more than settings tuned there.",
            "greater",
            [(results.transfer(home, away), results.transfer(away, away)) for away in targets],
        )


def _against_a_number(results: Results) -> Iterator[Claim]:
    """Does an estimator know more than the mean of its training runs?"""
    number = results.mean_error(results.cases, "constant", "tuned")
    for estimator, kind in results.entries:
        if estimator in REFERENCES:
            continue
        label = contestant(estimator).label
        yield compared(
            f"worth.{estimator}.{kind}",
            "All cases together",
            f"{label} ({_settings(kind)}): its mean square error over all cases is smaller than that of one "
            "number for ever.",
            "less",
            results.mean_error(results.cases, estimator, kind),
            number,
        )


def _without_tuning(results: Results) -> Iterator[Claim]:
    for entry in CONTESTANTS:
        if entry.ranges or entry.name in REFERENCES:
            continue
        mean = results.mean_error(results.cases, entry.name, "none")
        yield compared(
            f"goal.{entry.name}.mean",
            "All cases together",
            f"{entry.label}: mean square error over all cases of at most {MEAN_GOAL:g}.",
            "less",
            mean,
            np.full_like(mean, MEAN_GOAL),
        )
        yield all_compared(
            f"goal.{entry.name}.worst",
            "All cases together",
            f"{entry.label}: mean square error of at most {WORST_GOAL:g} in every case.",
            "less",
            [
                (results.score(case, entry.name, "none"), np.full_like(mean, WORST_GOAL))
                for case in results.cases
            ],
        )


def _dither(results: Results) -> Iterator[Claim]:
    """What the dither gives, and what it costs, in every case."""
    where = "The dither"
    with_it, without = (f"responsiveness{suffix}" for suffix in ("-dither", ""))
    quiet = "hops/16"
    yield compared(
        "dither.better",
        where,
        "With three bottlenecks and 16 CBR flows, where the port hardly drops, a dither makes the error of "
        "Responsiveness smaller.",
        "less",
        results.score(quiet, with_it, "none"),
        results.score(quiet, without, "none"),
    )

    silence = results.dithered(quiet, "quiet")[0]
    yield compared(
        "dither.flagged",
        where,
        "With three bottlenecks and 16 CBR flows, and no dither, Responsiveness says itself how little it "
        f"rests on: more than {FLAGGED:g} % of its estimates are flagged as without signals.",
        "greater",
        silence,
        np.full_like(silence, FLAGGED),
        unit="points",
    )
    for measure, what, bound in (
        ("throughput", "of the port's throughput", THROUGHPUT_COST),
        ("responsive", "of the packets that responsive flows send", RESPONSIVE_COST),
    ):
        yield all_compared(
            f"dither.cost.{measure}",
            where,
            f"In no case does the dither cost {bound:g} % {what}.",
            "greater",
            [
                (results.dither_cost(case, measure), np.full(len(results.seeds), -bound))
                for case in results.cases
            ],
            unit="points",
        )
    yield all_compared(
        "dither.cost.delay",
        where,
        f"In no case does the dither make the port's mean delay longer by {DELAY_COST:g} %.",
        "less",
        [
            (results.dither_cost(case, "delay"), np.full(len(results.seeds), DELAY_COST))
            for case in results.cases
        ],
        unit="points",
    )


def _in_whole_numbers(results: Results) -> Iterator[Claim]:
    for kind in ("tuned", "printed"):
        pairs = []
        for case in results.cases:
            apart = 100 * results.whole_numbers(case, kind)
            pairs.append((apart, np.full_like(apart, 100 * BOUND)))
        yield all_compared(
            f"whole-numbers.{kind}",
            "Chapter III's form",
            f"The form in whole numbers is within {100 * BOUND:g} % of the floating one on the same "
            f"samples, in every case ({_settings(kind)}).",
            "less",
            pairs,
            unit=f"% above {100 * BOUND:g} %",
        )


def _shorter(results: Results) -> Iterator[Claim]:
    short, long = (1e3 * count * net.SAMPLING for count in (shorter.SHORTEST, net.ESTIMATION))
    for half in shorter.HALVES:
        yield compared(
            f"shorter.{half}-s.responsiveness",
            "Shorter intervals",
            f"With {half} s on and off, Responsiveness errs less in intervals of {short:.0f} ms than in "
            f"those of {long:.0f} ms, against the share in each {short:.0f} ms.",
            "less",
            results.interval_error(half, shorter.SHORTEST, "responsiveness", "none"),
            results.interval_error(half, net.ESTIMATION, "responsiveness", "none"),
        )


def _alarms(results: Results) -> Iterator[Claim]:
    """Do several intervals tell an attack from a large flash crowd better than one?"""
    case = "alarm/large"
    for rule in RULES:
        if rule is SINGLE:
            continue
        for name in results.alarmed:
            if name in REFERENCES:
                continue
            yield compared(
                f"alarm.{rule.name}.{name}",
                "The alarm",
                f"{contestant(name).label}: with a large flash crowd, an alarm by {rule.label} has a greater "
                "area under the ROC curve than one by a single interval.",
                "greater",
                results.area(case, name, rule.name),
                results.area(case, name, SINGLE.name),
            )


def _settings(kind: str) -> str:
    return {"tuned": "tuned settings", "printed": "printed gains", "none": "nothing to set"}[kind]
