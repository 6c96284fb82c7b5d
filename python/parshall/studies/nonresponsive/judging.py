"""How far estimates are from the truth, run by run (II.C): mean square error and relative error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from parshall.studies.nonresponsive.cases import Case
    from parshall.studies.nonresponsive.contestants import Contestant, Settings
    from parshall.studies.nonresponsive.traces import Reals, Traces

__all__ = ["intervals", "mean_square_error", "relative_error", "scores"]


def mean_square_error(estimates: Reals, truth: Reals) -> Reals:
    """One value a run: ``sum (estimate - actual)^2 / n``. An estimate that is missing counts as no estimate
    of the share at all, which is an error of 1.
    """
    errors = np.where(np.isnan(estimates), 1.0, estimates - truth)
    found: Reals = np.nanmean(errors**2, axis=1)
    return found


def relative_error(estimates: Reals, truth: Reals) -> Reals:
    """One value a run: ``sum (estimate - actual) / sum actual``, over intervals that have an estimate."""
    error = np.where(np.isnan(estimates - truth), 0.0, estimates - truth)
    actual = np.where(np.isnan(estimates - truth), 0.0, truth)
    found: Reals = error.sum(axis=1) / actual.sum(axis=1)
    return found


def scores(
    case: Case, traces: Traces, contestant: Contestant, settings: Settings, kind: str, trained_on: str
) -> pa.Table:
    """One row a run. ``kind`` says where the settings come from: printed, tuned or none."""
    truth = traces.true_share
    estimates = contestant.run(case, traces, settings)
    count = len(traces.seeds)
    return pa.table(
        {
            "case": [case.name] * count,
            "estimator": [contestant.name] * count,
            "settings": [kind] * count,
            "trained_on": [trained_on] * count,
            "seed": np.array(traces.seeds),
            "mse": mean_square_error(estimates, truth),
            "relative_error": relative_error(estimates, truth),
            "mean_estimate": np.nanmean(estimates, axis=1),
            "mean_share": np.nanmean(truth, axis=1),
            "share_variance": np.nanvar(truth, axis=1),
            "drop_rate": traces.drop_rate,
        }
    )


def intervals(
    case: Case, traces: Traces, shown: Mapping[str, tuple[Contestant, Settings]], seeds: Sequence[int]
) -> pa.Table:
    """The true share and the estimates of some contestants in each estimation interval, for some seeds."""
    rows = [traces.seeds.index(seed) for seed in seeds]
    times, truth = traces.times, traces.true_share[rows]
    columns = {
        "case": [case.name] * truth.size,
        "seed": np.repeat(np.array(seeds), len(times)),
        "time": np.tile(times, len(rows)),
        "share": truth.ravel(),
    }
    for name, (contestant, settings) in shown.items():
        columns[name] = contestant.run(case, traces, settings)[rows].ravel()
    return pa.table(columns)
