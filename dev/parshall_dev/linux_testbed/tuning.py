"""Gains by least mean square error over training runs; the chapter found them by hand (III.D)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from parshall_dev.linux_testbed.samples import PRINTED, Gains, Samples
from parshall_studies.study import tuner

TRIALS = 400
_RANDOM_PART = 0.5
"""Share of the trials that are drawn at random from the whole ranges."""
_SEED = 20041201
RANGES = {
    "gamma1": (1e-3, 1e5, True),
    "gamma2": (1e-3, 1.9, True),
    "share": (0.05, 0.95, False),
    "window": (1.0, 60.0, True),
}
"""Where each is searched for, and whether its logarithm is."""


def tune(training: Sequence[Samples], alpha: float) -> Gains:
    """Random trials over the whole ranges, then Parzen estimators (Bergstra and others 2011)."""
    optuna = tuner.optuna()

    def error(trial: Any) -> float:
        gains = Gains(
            **{name: trial.suggest_float(name, a, b, log=log) for name, (a, b, log) in RANGES.items()}
        )
        return float(np.mean([each.shares(gains, alpha).mean_square_error for each in training]))

    at_random = round(_RANDOM_PART * TRIALS)
    first = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=_SEED))
    first.enqueue_trial({name: getattr(PRINTED, name) for name in RANGES})
    first.optimize(error, n_trials=at_random)
    # The second search starts from the best trials of the first, which TPE takes into its model.
    second = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=_SEED, multivariate=True))
    second.add_trials(first.trials)
    second.optimize(error, n_trials=TRIALS - at_random)
    return Gains(**second.best_params)


def constant(training: Sequence[Samples]) -> float:
    """What one would say without looking: the mean share of the training runs."""
    return float(np.mean([each.share for each in training]))
