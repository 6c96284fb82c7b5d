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

__all__ = ["CLOSE", "Grade", "clause_of", "grade_of", "label_of"]

CLOSE = 0.05
"""Distance from a printed number, as a share of it, up to which ours is close."""


class Grade(str, Enum):
    """Grade of a claim, best first."""

    HOLDS = "holds"
    BETTER = "better than printed"
    CLOSE = "close"
    PARTLY = "true in part"
    READING = "depends on a reading"
    FAILS = "does not hold"
    OPEN = "inconclusive"

    def __str__(self) -> str:
        return self.value


def grade_of(rule: Rule, outcome: Outcome) -> Grade:
    """Grade of what a rule found.

    *Close*: within 5 % of the printed number. *Better*: an error or a loss that is smaller than the printed
    one. *True in part*: of more than half of the things that the claim is about. *Depends on a reading*: the
    document allows readings under which the verdicts differ.
    """
    if outcome.verdict is not Verdict.FAILS:
        return Grade.HOLDS if outcome.verdict is Verdict.HOLDS else Grade.OPEN
    if outcome.by_reading:
        return Grade.READING
    if isinstance(rule, PrintedNumber | Exactly):
        return _missed(rule, outcome.ours.mean)
    return Grade.PARTLY if 2 * outcome.tally.true > outcome.tally.all else Grade.FAILS


def _missed(rule: PrintedNumber | Exactly, ours: float) -> Grade:
    printed = rule.printed.value
    if getattr(rule, "less_is_better", False) and ours < printed:
        return Grade.BETTER
    near = math.isfinite(ours) and abs(ours - printed) <= CLOSE * abs(printed)
    return Grade.CLOSE if near else Grade.FAILS


def label_of(grade: Grade, outcome: Outcome) -> str:
    """Label for a badge: ``true in 8 of 9`` where things are counted."""
    tally = outcome.tally
    return f"true in {tally.true} of {tally.all}" if grade is Grade.PARTLY else str(grade)


def clause_of(grade: Grade, outcome: Outcome) -> str:
    """Predicate of a sentence whose subject is the claim: ``that delays rise`` *holds in 8 of 9 cases*."""
    if grade is Grade.PARTLY:
        return f"holds in {outcome.tally.true} of {outcome.tally.all} cases"
    return {
        Grade.BETTER: "is better than printed",
        Grade.CLOSE: "is close",
        Grade.OPEN: "is inconclusive",
    }.get(grade, str(grade))
