"""Settings by least mean square error over training runs: what the dissertation did by hand (V.B)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall_studies.nonresponsive.traces import mean_square_error
from parshall_studies.study import tuner

if TYPE_CHECKING:
    from parshall_studies.nonresponsive.cases import Case
    from parshall_studies.nonresponsive.contestants import Contestant, Settings
    from parshall_studies.nonresponsive.traces import Traces
    from parshall_studies.study.tuner import Range

TRAINING_SEEDS = range(1001, 1005)
"""Seeds of the training runs; nothing is judged on them."""
TRIALS, START_TRIALS = 900, 300
"""Trials of a search over all settings, and over the start values alone."""
_SEED = 20040501


@dataclass(frozen=True)
class Tuned:
    """Result of a search."""

    settings: Settings
    error: float
    """Mean square error over the training runs."""


def tune(
    contestant: Contestant,
    training: Mapping[Case, Traces],
    *,
    start: Settings | None = None,
    trials: int = TRIALS,
) -> Tuned:
    """The settings, all of them, with the least error over the training runs; no worse than ``start``."""
    return _search(contestant, contestant.ranges, {}, start or contestant.printed, training, trials)


def tune_starts(
    contestant: Contestant, training: Mapping[Case, Traces], *, trials: int = START_TRIALS
) -> Tuned:
    """The printed settings, with the least error over those that the document does not print."""
    silent = {name: contestant.ranges[name] for name in contestant.silent}
    fixed = {name: value for name, value in contestant.printed.items() if name not in silent}
    return _search(contestant, silent, fixed, contestant.printed, training, trials)


def _search(
    contestant: Contestant,
    ranges: Mapping[str, Range],
    fixed: Settings,
    start: Settings,
    training: Mapping[Case, Traces],
    trials: int,
) -> Tuned:
    truths = {case: traces.true_share for case, traces in training.items()}

    def error(found: Settings) -> float:
        errors = [
            mean_square_error(contestant.run(case, traces, {**fixed, **found}), truths[case])
            for case, traces in training.items()
        ]
        return float(np.mean(np.concatenate(errors)))

    settings, lowest = tuner.least(error, ranges, start, trials=trials, seed=_SEED)
    return Tuned({**fixed, **settings}, lowest)
