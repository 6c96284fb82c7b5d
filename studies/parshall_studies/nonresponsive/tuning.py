"""Settings by least mean square error over training runs: what the dissertation did by hand (V.B), by
Optuna.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_studies.nonresponsive.contestants import Range
from parshall_studies.nonresponsive.traces import mean_square_error
from parshall_studies.study import tuner

if TYPE_CHECKING:
    from parshall_studies.nonresponsive.cases import Case
    from parshall_studies.nonresponsive.contestants import Contestant, Settings
    from parshall_studies.nonresponsive.traces import Traces

TRAINING_SEEDS = range(1001, 1005)
"""Seeds of the training runs; nothing is judged on them."""
TRIALS, START_TRIALS = 600, 100
"""Trials of a search over all settings, and over the start values alone."""
_RANDOM_PART = 0.4
"""Share of the trials that are drawn at random from the whole ranges."""
_SEED = 20040501


@dataclass(frozen=True)
class Tuned:
    """What a search found."""

    settings: Settings
    error: float
    """Mean square error over the training runs."""
    trials: int


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
    """Random trials over the whole ranges, then CMA-ES (Hansen and Ostermeier 2001) around the best of
    them.
    """
    optuna = tuner.optuna()
    truths = {case: traces.true_share for case, traces in training.items()}

    def error(trial: Any, space: Mapping[str, Range]) -> float:
        found = {name: trial.suggest_float(name, r.low, r.high, log=r.log) for name, r in space.items()}
        errors = [
            mean_square_error(contestant.run(case, traces, {**fixed, **found}), truths[case])
            for case, traces in training.items()
        ]
        return float(np.mean(np.concatenate(errors)))

    at_random = round(_RANDOM_PART * trials)
    first = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=_SEED))
    if start:
        first.enqueue_trial({name: start[name] for name in ranges})
    first.optimize(lambda trial: error(trial, ranges), n_trials=at_random)

    near = {name: _around(first.best_params[name], range) for name, range in ranges.items()}
    samplers = optuna.samplers
    sampler = samplers.CmaEsSampler(seed=_SEED) if len(near) > 1 else samplers.TPESampler(seed=_SEED)
    second = optuna.create_study(sampler=sampler)
    second.optimize(lambda trial: error(trial, near), n_trials=trials - at_random)

    found = min((first, second), key=lambda study: study.best_value)
    return Tuned({**fixed, **found.best_params}, float(found.best_value), trials)


def _around(best: float, whole: Range) -> Range:
    """Half of a range, about a value as far as the ends allow. CMA-ES starts in its middle; in one dimension,
    where there is no CMA-ES, it only makes the search finer.
    """
    low, high, centre = ((np.log(x) if whole.log else x) for x in (whole.low, whole.high, best))
    reach = (high - low) / 4
    ends = (max(low, centre - reach), min(high, centre + reach))
    low, high = (float(np.exp(x) if whole.log else x) for x in ends)
    return Range(max(low, whole.low), min(high, whole.high), whole.log)
