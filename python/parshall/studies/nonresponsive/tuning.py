"""Settings by least mean square error over training runs: what the dissertation did by hand (V.B), by
Optuna.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.studies.nonresponsive.judging import mean_square_error

if TYPE_CHECKING:
    import optuna

    from parshall.studies.nonresponsive.cases import Case
    from parshall.studies.nonresponsive.contestants import Contestant, Range, Settings
    from parshall.studies.nonresponsive.traces import Traces

__all__ = ["START_TRIALS", "TRAINING_SEEDS", "TRIALS", "Tuned", "tune", "tune_starts"]

TRAINING_SEEDS = range(1001, 1005)
"""Seeds of the training runs; nothing is judged on them."""
TRIALS = 150
"""Trials a search: more lower no error by a tenth."""
START_TRIALS = 60
"""Trials where only the start values are searched for."""
_RANDOM_TRIALS = 40
_SEED = 20040501


@dataclass(frozen=True)
class Tuned:
    """What a search found."""

    settings: Settings
    error: float
    """Mean square error over the training runs."""
    trials: int


def tune(contestant: Contestant, training: Mapping[Case, Traces], *, trials: int = TRIALS) -> Tuned:
    """The settings, all of them, with the least error over the training runs."""
    return _search(contestant, contestant.ranges, {}, training, trials)


def tune_starts(contestant: Contestant, training: Mapping[Case, Traces], *, trials: int = TRIALS) -> Tuned:
    """The printed settings, with the least error over those that the document does not print."""
    silent = {name: contestant.ranges[name] for name in contestant.silent}
    fixed = {name: value for name, value in contestant.printed.items() if name not in silent}
    return _search(contestant, silent, fixed, training, trials)


def _search(
    contestant: Contestant,
    ranges: Mapping[str, Range],
    fixed: Settings,
    training: Mapping[Case, Traces],
    trials: int,
) -> Tuned:
    import optuna

    truths = {case: traces.true_share for case, traces in training.items()}

    def error(trial: optuna.Trial) -> float:
        settings = {**fixed, **{name: _suggest(trial, name, range) for name, range in ranges.items()}}
        errors = [
            mean_square_error(contestant.run(case, traces, settings), truths[case])
            for case, traces in training.items()
        ]
        return float(np.mean(np.concatenate(errors)))

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(
            seed=_SEED, n_startup_trials=min(_RANDOM_TRIALS, trials // 3), multivariate=True
        )
    study = optuna.create_study(sampler=sampler)
    if contestant.printed:
        study.enqueue_trial({name: contestant.printed[name] for name in ranges})
    study.optimize(error, n_trials=trials)
    return Tuned({**fixed, **study.best_params}, float(study.best_value), trials)


def _suggest(trial: optuna.Trial, name: str, range: Range) -> float:
    if range.whole:
        return trial.suggest_int(name, int(range.low), int(range.high), log=range.log)
    return trial.suggest_float(name, range.low, range.high, log=range.log)
