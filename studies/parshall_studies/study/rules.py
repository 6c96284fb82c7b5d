"""Rules that decide claims: one class a rule, each applied to results, with what it needs and what it says.

A verdict is never typed. What is inconclusive is never counted as false.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from parshall import stats
from parshall.stats import CONFIDENCE, Interval
from parshall_studies.study.printed import ROUNDING, Printed
from parshall_studies.study.quantity import Expression, Relation

if TYPE_CHECKING:
    from parshall_studies.study.results import Results
    from parshall_studies.study.values import Reals

__all__ = [
    "FEWEST_SEEDS",
    "Computed",
    "Exactly",
    "Holds",
    "MoreThanNoise",
    "Never",
    "Observed",
    "OneOfRuns",
    "Outcome",
    "PrintedNumber",
    "Rule",
    "Tally",
    "Verdict",
    "alike",
    "all_of",
    "as_rule",
    "within",
]

FEWEST_SEEDS = 10
"""Seeds that a rule needs: with fewer, normality is taken on trust, and intervals are so wide that a printed
number would 'hold' for want of data."""

_PERCENT = f"{CONFIDENCE:.0%}".replace("%", " %")
_ALPHA = 1 - CONFIDENCE


class Verdict(str, Enum):
    """Outcome of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "inconclusive"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Tally:
    """Count of things for which a claim is true."""

    true: int
    false: int
    undecided: int

    @classmethod
    def of(cls, verdicts: Sequence[Verdict]) -> Tally:
        """Counted."""
        return cls(*(sum(each is verdict for each in verdicts) for verdict in Verdict))

    @property
    def all(self) -> int:
        """Number of all of them, the undecided included."""
        return self.true + self.false + self.undecided

    def __str__(self) -> str:
        text = f"true of {self.true} of {self.all}"
        return f"{text}, {self.undecided} undecided" if self.undecided else text


@dataclass(frozen=True, slots=True)
class Outcome:
    """Finding of a rule."""

    ours: Interval
    verdict: Verdict
    tally: Tally
    run: Interval | None = None
    """Where one further run would fall, for a printed number: the interval that decided."""
    by_reading: str = ""
    """Verdicts by reading, where they differ: ``ceiling: holds; floor: does not hold``."""


@dataclass(frozen=True)
class Rule:
    """Decides a claim."""

    kind: ClassVar[str] = ""
    """Its name for a reader."""
    explanation: ClassVar[str] = ""
    error_rate: ClassVar[float] = 0.0
    """Largest probability of rejecting a true statement."""
    needs: ClassVar[int] = FEWEST_SEEDS
    """Seeds without which it decides nothing."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs."""
        raise NotImplementedError

    @property
    def unit(self) -> str:
        """Unit of our value."""
        return ""

    def judge(self, results: Results) -> Outcome:
        """Applies the rule."""
        raise NotImplementedError


@dataclass(frozen=True)
class Holds(Rule):
    """Claim: relations hold for all labels that are left in them, all at once."""

    relations: tuple[Relation, ...]
    own_unit: str | None = None
    bounds: bool = False
    """True if the relations are bounds of one value: each label then counts once, not once a relation."""
    kind: ClassVar[str] = "comparison"
    explanation: ClassVar[str] = (
        "Ours is the mean of paired differences (same seed, other variant) with its "
        f"{_PERCENT} interval. The statement holds when the whole interval lies on the stated side of zero, "
        "does not hold when no part of it does, and is inconclusive when zero is inside. A statement about "
        f"several things at once is given Bonferroni intervals, which all hold together with {_PERCENT} "
        "confidence: it holds when every one lies on the stated side, does not hold when any lies on the "
        "other, and ours is the least favourable difference. Where a statement has two bounds, ours is the "
        "distance to the nearer one, negative outside."
    )
    error_rate: ClassVar[float] = _ALPHA / 2

    def __post_init__(self) -> None:
        if len({relation.direction for relation in self.relations}) != 1:
            raise ValueError("relations: got 'greater' and 'less', expected one direction in one statement")

    @property
    def tables(self) -> frozenset[str]:
        return frozenset().union(*(relation.tables for relation in self.relations))

    @property
    def unit(self) -> str:
        return self.relations[0].unit if self.own_unit is None else self.own_unit

    def judge(self, results: Results) -> Outcome:
        by_relation = [
            [values for _, values in each.differences(results).members()] for each in self.relations
        ]
        confidence = stats.bonferroni(sum(map(len, by_relation)))
        found = [[stats.mean_interval(values, confidence) for values in row] for row in by_relation]
        sign = 1 if self.relations[0].direction == "greater" else -1
        flat = [each for row in found for each in row]
        if not flat:
            raise LookupError("nothing is left that could be compared")
        by_member = [_side(each, sign) for each in flat]
        if self.bounds:
            by_member = [all_of(by_member[place :: len(found[0])]) for place in range(len(found[0]))]
        verdict = all_of(by_member)
        weakest = min(flat, key=lambda each: _least(each, sign, failed=verdict is Verdict.FAILS))
        return Outcome(weakest, verdict, Tally.of(by_member))


def as_rule(says: Rule | Relation) -> Rule:
    """Turns a relation alone into a rule: it holds for all labels that are left in it."""
    return Holds((says,)) if isinstance(says, Relation) else says


def within(value: Expression, low: float, high: float, unit: str = "") -> Holds:
    """Claim: all values lie between two numbers. Ours is the least favourable distance from one of them."""
    return Holds((value > low, high - value > 0.0), f"{unit} to the nearer bound".strip(), bounds=True)


def alike(left: Expression, right: Expression | float, factor: float) -> Holds:
    """Claim: the ratio of the two lies between 1 / ``factor`` and ``factor``."""
    return within(left / right, 1 / factor, factor, "in the ratio")


@dataclass(frozen=True)
class PrintedNumber(Rule):
    """Claim: a single run of ours might have given the printed number."""

    printed: Printed
    of: Expression
    least: float | None = None
    """Least possible value of the quantity, if there is one. Of one that cannot be below 0 the
    interval is found for square roots."""
    less_is_better: bool = False
    """True of errors and losses: a smaller one than is printed is graded as better."""
    kind: ClassVar[str] = "printed number"
    explanation: ClassVar[str] = (
        f"The printed value comes from one run. It holds when it lies inside the {_PERCENT} prediction "
        f"interval of a single run of ours, and does not hold when it lies outside. {ROUNDING} Ours is the "
        f"mean over seeds with its {_PERCENT} interval, which is much narrower than the prediction interval. "
        "Of a quantity that cannot be below 0 (an error, a drop rate) the prediction interval is found for "
        "square roots."
    )
    error_rate: ClassVar[float] = _ALPHA

    @property
    def tables(self) -> frozenset[str]:
        return self.of.tables

    @property
    def unit(self) -> str:
        return self.printed.unit

    def judge(self, results: Results, confidence: float = CONFIDENCE) -> Outcome:
        values = self.of.values(results).seeds
        run = self._of_one_run(values, confidence)
        verdict = Verdict.HOLDS if run.contains(self.printed.value) else Verdict.FAILS
        if not _enough(run):
            verdict = Verdict.OPEN
        return Outcome(stats.mean_interval(values), verdict, Tally.of([verdict]), run)

    def _of_one_run(self, values: Reals, confidence: float) -> Interval:
        run = stats.prediction_interval(values, confidence, at_least_zero=self.least == 0)
        half = self.printed.half_digit
        low = run.low - half if self.least is None else max(run.low - half, self.least)
        return replace(run, low=low, high=run.high + half)


@dataclass(frozen=True)
class Exactly(Rule):
    """Claim: a setting, or a number in closed form, rounds to the printed one."""

    printed: Printed
    value: float
    kind: ClassVar[str] = "setting"
    explanation: ClassVar[str] = (
        "A setting or a closed form, which no seed changes. It holds when it rounds to the printed number."
    )
    needs: ClassVar[int] = 0

    @property
    def tables(self) -> frozenset[str]:
        return frozenset()

    @property
    def unit(self) -> str:
        return self.printed.unit

    def judge(self, results: Results) -> Outcome:
        del results
        close = abs(self.value - self.printed.value) <= self.printed.half_digit
        verdict = Verdict.HOLDS if close else Verdict.FAILS
        return Outcome(Interval(self.value, self.value, self.value, 0), verdict, Tally.of([verdict]))


@dataclass(frozen=True)
class Computed(Rule):
    """Claim: a relation, in which there is no chance, is true of all labels that are left in it."""

    relation: Relation
    kind: ClassVar[str] = "computed"
    explanation: ClassVar[str] = (
        "A property of a model, computed and not drawn, which no seed changes. It holds when it is true in "
        "every setting, and does not hold when it is false in one; ours is the least favourable."
    )
    needs: ClassVar[int] = 0

    @property
    def tables(self) -> frozenset[str]:
        return self.relation.tables

    @property
    def unit(self) -> str:
        return self.relation.unit

    def judge(self, results: Results) -> Outcome:
        sign = 1 if self.relation.direction == "greater" else -1
        found = sign * self.relation.differences(results).array.ravel()
        verdicts = [
            Verdict.OPEN if math.isnan(each) else Verdict.HOLDS if each > 0 else Verdict.FAILS
            for each in found
        ]
        known = [float(each) for each in found if not math.isnan(each)]
        least = sign * min(known, default=math.nan)
        return Outcome(Interval(least, least, least, 0), all_of(verdicts), Tally.of(verdicts))


@dataclass(frozen=True)
class Observed(Computed):
    """Claim: a relation is true in each run of something that is looked at and not drawn again."""

    kind: ClassVar[str] = "observed"
    explanation: ClassVar[str] = (
        "What was seen in the runs of a machine, of which there are few. It holds when it is true in every "
        "run, and does not hold when it is false in one; ours is the least favourable. What another run "
        "would show is not claimed."
    )


@dataclass(frozen=True)
class OneOfRuns(Rule):
    """Claim: what was seen elsewhere might be one of our runs."""

    seen: Expression
    """One number a run of the other, in the dimension ``run``."""
    of: Expression
    """Ours, one number a seed."""
    least: float | None = None
    """Least possible value of the quantity, if there is one."""
    kind: ClassVar[str] = "one of runs"
    explanation: ClassVar[str] = (
        f"It holds when every run of the other lies inside the {_PERCENT} prediction interval of a single "
        "run of ours, and does not hold when one lies outside. With several runs the intervals are "
        "Bonferroni's, which all hold together. Ours is the mean over seeds."
    )
    error_rate: ClassVar[float] = _ALPHA

    @property
    def tables(self) -> frozenset[str]:
        return self.seen.tables | self.of.tables

    @property
    def unit(self) -> str:
        return self.of.unit

    def judge(self, results: Results) -> Outcome:
        values = self.of.values(results).seeds
        seen = self.seen.values(results).array.ravel()
        confidence = stats.bonferroni(len(seen))
        run = stats.prediction_interval(values, confidence, at_least_zero=self.least == 0)
        verdicts = [Verdict.HOLDS if run.contains(float(each)) else Verdict.FAILS for each in seen]
        if not _enough(run):
            verdicts = [Verdict.OPEN] * len(seen)
        return Outcome(stats.mean_interval(values), all_of(verdicts), Tally.of(verdicts), run)


@dataclass(frozen=True)
class MoreThanNoise(Rule):
    """Claim: a printed difference of single runs is more than a change of seed alone makes."""

    printed: Printed
    of: Expression
    kind: ClassVar[str] = "noise"
    explanation: ClassVar[str] = (
        "Ours is the difference that a change of seed alone, with one and the same variant, exceeds in "
        f"{100 * _ALPHA:.0f} % of pairs of runs, with its {_PERCENT} interval (chi-square). A printed "
        "difference above the interval is more than noise (holds), one below it is not (does not hold). "
        f"{ROUNDING}"
    )
    error_rate: ClassVar[float] = _ALPHA / 2

    @property
    def tables(self) -> frozenset[str]:
        return self.of.tables

    @property
    def unit(self) -> str:
        return self.printed.unit

    def judge(self, results: Results) -> Outcome:
        bound = stats.noise_bound(self.of.values(results).seeds)
        size, half = abs(self.printed.value), self.printed.half_digit
        verdict = Verdict.HOLDS if size > bound.high + half else Verdict.FAILS
        if not _enough(bound) or bound.low - half <= size <= bound.high + half:
            verdict = Verdict.OPEN
        return Outcome(bound, verdict, Tally.of([verdict]))


@dataclass(frozen=True)
class Never(Rule):
    """Claim: something is above zero in no run."""

    of: Expression
    own_unit: str = field(default="share of runs")
    kind: ClassVar[str] = "never"
    explanation: ClassVar[str] = (
        "Ours is the share of runs in which the excluded thing happened, with Clopper and Pearson's "
        f"{_PERCENT} interval. One occurrence refutes the statement; it holds when there is none in any run."
    )

    @property
    def tables(self) -> frozenset[str]:
        return self.of.tables

    @property
    def unit(self) -> str:
        return self.own_unit

    def judge(self, results: Results) -> Outcome:
        values = self.of.values(results).seeds
        happened = values[~np.isnan(values)] > 0
        share = stats.rate_interval(int(happened.sum()), len(happened))
        verdict = Verdict.HOLDS if _enough(share) else Verdict.OPEN
        if share.mean > 0:
            verdict = Verdict.FAILS
        return Outcome(share, verdict, Tally.of([verdict]))


def _side(difference: Interval, sign: int) -> Verdict:
    """On which side of zero the whole interval lies; a difference of zero in every run is on neither."""
    if not _enough(difference):
        return Verdict.OPEN
    low, high = (difference.low, difference.high) if sign > 0 else (-difference.high, -difference.low)
    if low > 0:
        return Verdict.HOLDS
    return Verdict.FAILS if high < 0 or low == high == 0 else Verdict.OPEN


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Joint outcome: one that fails refutes all; one that is open leaves all open."""
    for verdict in (Verdict.FAILS, Verdict.OPEN):
        if verdict in verdicts:
            return verdict
    return Verdict.HOLDS


def _least(difference: Interval, sign: int, *, failed: bool) -> float:
    """Where an interval stands among others: the least favourable has the least. A refutation goes by the end
    that refutes.
    """
    return sign * (difference.low if (sign > 0) is not failed else difference.high)


def _enough(interval: Interval) -> bool:
    return interval.n >= FEWEST_SEEDS and interval.bounded
