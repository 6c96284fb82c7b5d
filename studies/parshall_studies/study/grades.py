"""Grades of claims: how far off a claim is that does not hold, so that a near miss is no failure.

A grade follows from the outcome alone. Verdicts stay the three that a rule gives.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING

from parshall_studies.study.rules import Exactly, PrintedNumber, Verdict

if TYPE_CHECKING:
    from parshall_studies.study.rules import Outcome, Rule

__all__ = ["CLOSE", "NEAR", "WIDEST", "Grade", "clause_of", "grade_of", "label_of", "width_of"]

CLOSE = 0.05
"""Distance from a printed number, as a share of it, up to which ours is close."""
WIDEST = 0.25
"""Largest relative width with which a printed number inside the interval counts as agreement."""


class Grade(str, Enum):
    """Grade of a claim, best first."""

    HOLDS = "holds"
    AGREES = "agrees"
    BETTER = "better than printed"
    CLOSE = "close"
    PARTLY = "true in part"
    READING = "depends on a reading"
    FAILS = "does not hold"
    INDISTINGUISHABLE = "cannot be told apart"
    OPEN = "inconclusive"

    def __str__(self) -> str:
        return self.value


NEAR = frozenset({Grade.HOLDS, Grade.AGREES, Grade.BETTER, Grade.CLOSE})
"""Grades of what is as the document says, or nearly so."""


def grade_of(rule: Rule, outcome: Outcome) -> Grade:
    """Grade of what a rule found.

    *Agrees*: the printed number lies inside the prediction interval of one run, which is at most 25 % wide on
    each side of its middle. *Cannot be told apart*: the same with a wider interval, which many other numbers
    would have passed. *Close*: within 5 % of the printed number. *Better*: an error or a loss that is smaller
    than the printed one. *True in part*: of more than half of the things that the claim is about. *Depends on
    a reading*: the document allows readings under which the verdicts differ.
    """
    if outcome.verdict is not Verdict.FAILS:
        return Grade.OPEN if outcome.verdict is Verdict.OPEN else _held(outcome)
    if outcome.by_reading:
        return Grade.READING
    if isinstance(rule, PrintedNumber | Exactly):
        return _missed(rule, outcome.ours.mean)
    return Grade.PARTLY if 2 * outcome.tally.true > outcome.tally.all else Grade.FAILS


def width_of(outcome: Outcome) -> float | None:
    """Half the width of the interval of a single run, as a share of its middle; None without such an
    interval, and infinite where the middle is 0.
    """
    run = outcome.run
    if run is None or not run.bounded:
        return None
    middle = abs(run.low + run.high) / 2
    return (run.high - run.low) / 2 / middle if middle else math.inf


def _held(outcome: Outcome) -> Grade:
    width = width_of(outcome)
    if width is None:
        return Grade.HOLDS
    return Grade.AGREES if width <= WIDEST else Grade.INDISTINGUISHABLE


def _missed(rule: PrintedNumber | Exactly, ours: float) -> Grade:
    printed = rule.printed.value
    if getattr(rule, "less_is_better", False) and ours < printed:
        return Grade.BETTER
    near = math.isfinite(ours) and abs(ours - printed) <= CLOSE * abs(printed)
    return Grade.CLOSE if near else Grade.FAILS


def label_of(grade: Grade, outcome: Outcome) -> str:
    """Label for a badge: ``true in 8 of 9`` where things are counted, ``agrees within ±12 %``."""
    if grade is Grade.AGREES:
        return f"agrees within ±{_percent(outcome)} %"
    tally = outcome.tally
    return f"true in {tally.true} of {tally.all}" if grade is Grade.PARTLY else str(grade)


def clause_of(grade: Grade, outcome: Outcome) -> str:
    """Predicate of a sentence whose subject is the claim: ``that delays rise`` *holds in 8 of 9 cases*."""
    if grade is Grade.PARTLY:
        return f"holds in {outcome.tally.true} of {outcome.tally.all} cases"
    return {
        Grade.AGREES: label_of(grade, outcome),
        Grade.BETTER: "is better than printed",
        Grade.CLOSE: "is close",
        Grade.OPEN: "is inconclusive",
    }.get(grade, str(grade))


def _percent(outcome: Outcome) -> str:
    """The width in percent, rounded up, so that no interval is said to be narrower than it is."""
    width = width_of(outcome)
    assert width is not None
    return f"{math.ceil(100 * width - 1e-9) or 1}"
