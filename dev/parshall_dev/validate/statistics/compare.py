"""Two samples of one outcome, ours and ns-2's: do their means differ by more than the noise of seeds?

The test is Student's for two samples, with the scatter of both pooled: that two simulators agree means that
they scatter alike, too, and some samples of ns-2 are of two runs, which alone say nothing of their scatter. A
table holds hundreds of tests, and one in twenty of them fails by chance; so a difference counts only when it
is beyond what chance makes of any of them (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parshall.stats import CONFIDENCE, Interval, bonferroni, mean_interval
from parshall_dev.validate.statistics.outcomes import Outcome
from parshall_studies.study.rules import Verdict

__all__ = ["EDGE", "Comparison", "compare"]

EDGE = 5e-5
"""Relative difference that counts as none: a packet more or less at either end of the measured interval, and
the six digits that the reference is rounded to."""


@dataclass(frozen=True)
class Comparison:
    """One outcome of one scenario, on both sides."""

    study: str
    label: str
    outcome: Outcome
    ours: Interval
    theirs: Interval
    standard_error: float
    """Standard error of the difference of the means."""
    significance: float
    """Probability of a difference at least as large if the means were equal."""
    verdict: Verdict
    """Equality of the means: it holds if the 95 % interval of the difference holds 0; it is open if it does
    not, as happens by chance to one in twenty; and fails if it does not even at the confidence with which all
    tests of a study hold at once."""

    @property
    def difference(self) -> float:
        """Ours less ns-2's."""
        return self.ours.mean - self.theirs.mean

    @property
    def errors(self) -> float:
        """The difference in standard errors; infinite where neither side scatters."""
        if self.difference == 0:
            return 0.0
        return self.difference / self.standard_error if self.standard_error > 0 else math.inf

    @property
    def percent(self) -> float:
        """The difference in percent of ns-2's mean; infinite where that is 0."""
        if self.difference == 0:
            return 0.0
        return 100 * self.difference / abs(self.theirs.mean) if self.theirs.mean else math.inf


def compare(
    study: str, label: str, outcome: Outcome, ours: Sequence[float], theirs: Sequence[float], tests: int
) -> Comparison:
    """Compares two samples; ``tests`` is how many comparisons are made of the study as a whole."""
    error, significance = _student(ours, theirs)
    mine, other = mean_interval(ours), mean_interval(theirs)
    return Comparison(
        study=study,
        label=label,
        outcome=outcome,
        ours=mine,
        theirs=other,
        standard_error=error,
        significance=significance,
        verdict=_verdict(mine.mean, other.mean, significance, tests),
    )


def _verdict(ours: float, theirs: float, significance: float, tests: int) -> Verdict:
    if abs(ours - theirs) <= EDGE * abs(theirs) or significance >= 1 - CONFIDENCE:
        return Verdict.HOLDS
    return Verdict.OPEN if significance >= 1 - bonferroni(tests) else Verdict.FAILS


def _student(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """Standard error of the difference of the means, and its two-sided significance."""
    from scipy.special import stdtr

    samples = [np.asarray(values, dtype=np.float64) for values in (ours, theirs)]
    freedom = sum(sample.size - 1 for sample in samples)
    if min(sample.size for sample in samples) == 0 or freedom < 1:  # no scatter to judge by
        return math.nan, 1.0
    variance = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples) / freedom
    difference = float(np.mean(samples[0]) - np.mean(samples[1]))
    error = math.sqrt(variance * sum(1 / sample.size for sample in samples))
    if error == 0:
        return 0.0, 1.0 if difference == 0 else 0.0
    return error, 2 * float(stdtr(freedom, -abs(difference) / error))
