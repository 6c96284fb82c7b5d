"""Questions that the chapter does not ask, as claims of this study."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from parshall.claims import Claim, all_compared, compared
from parshall.studies.nonresponsive.contestants import CONTESTANTS, contestant
from parshall.studies.nonresponsive.phase import QUEUES
from parshall.studies.nonresponsive.results import Results

__all__ = ["MEAN_GOAL", "REFERENCES", "WORST_GOAL", "claims_beyond"]

REFERENCES = ("constant", "counter")
"""Contestants that estimate nothing."""
MEAN_GOAL, WORST_GOAL = 0.003, 0.01
"""Mean square errors that an estimator without tuning should keep to."""

_ALGORITHM = "zero-drops"


def claims_beyond(results: Results) -> list[Claim]:
    """On settings, on the queue of Table III, and on the other contestants."""
    return [*_phase(results), *_carried(results), *_against_a_number(results), *_without_tuning(results)]


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


def _settings(kind: str) -> str:
    return {"tuned": "tuned settings", "printed": "printed gains", "none": "nothing to set"}[kind]
