"""Gains by least mean square error over training runs; the chapter found them by hand (III.D)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from parshall_dev.linux_testbed.samples import PRINTED, Gains, Samples
from parshall_studies.study.tuner import Range, least

TRIALS = 400
_SEED = 20041201
RANGES = {
    "gamma1": Range(1e-3, 1e5, log=True),
    "gamma2": Range(1e-3, 1.9, log=True),
    "share": Range(0.05, 0.95),
    "window": Range(1.0, 60.0, log=True),
}
"""Where each is searched for."""


def tune(training: Sequence[Samples], alpha: float) -> Gains:
    """The gains with the least mean square error, no worse than the printed ones."""

    def error(found: Mapping[str, float]) -> float:
        gains = Gains(**found)
        return float(np.mean([each.shares(gains, alpha).mean_square_error for each in training]))

    printed = {name: getattr(PRINTED, name) for name in RANGES}
    return Gains(**least(error, RANGES, printed, trials=TRIALS, seed=_SEED)[0])


def constant(training: Sequence[Samples]) -> float:
    """Estimate without looking: the mean share of the training runs."""
    return float(np.mean([each.share for each in training]))
