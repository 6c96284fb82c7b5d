"""The estimators that are compared: one registry, which everything else goes through.

A contestant turns the traces of a case into shares, one row a run and one column an estimation interval. To add
one, add an entry to :data:`CONTESTANTS`; tables, figures and claims beyond the document take it up from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from parshall.studies.nonresponsive.traces import ESTIMATION

if TYPE_CHECKING:
    from parshall.studies.nonresponsive.cases import Case
    from parshall.studies.nonresponsive.traces import Reals, Traces

__all__ = [
    "CONTESTANTS",
    "HOP_TRAINING",
    "TRAINING",
    "Contestant",
    "Range",
    "Settings",
    "contestant",
]

Settings: TypeAlias = Mapping[str, float]
"""Values of a contestant's settings by name."""

TRAINING = ("load/8", "load/16", "load/22", "load/25")
"""Cases on which settings are tuned, with seeds that nothing is judged on."""
HOP_TRAINING = ("hops/25", "hops/22")
"""The same for the form with several hops, as the document has other gains there."""


@dataclass(frozen=True)
class Range:
    """Where a setting is searched for."""

    low: float
    high: float
    log: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Contestant:
    """An estimator with the settings that somebody has to choose for it."""

    name: str
    label: str
    run: Callable[[Case, Traces, Settings], Reals]
    """Shares by run and estimation interval."""
    printed: Settings = field(default_factory=dict)
    """What the document prints; a trial of the search starts there."""
    ranges: Mapping[str, Range] = field(default_factory=dict)
    """Settings that are tuned. Empty for an estimator that needs no tuning."""
    silent: tuple[str, ...] = ()
    """Of these, those that the document does not print: with printed settings they are tuned alone."""
    training: tuple[str, ...] = TRAINING
    of_document: bool = False


_STARTS = {"start_share": Range(0.02, 0.98), "start_window": Range(1.0, 60.0, log=True)}
"""The start values: the share that does not respond, and the window of a flow that does, in packets."""
_GAINS = {"gamma1": Range(1e-3, 1e4, log=True), "gamma2": Range(1e-3, 1.99, log=True)}
_FILTERS = {"backlog_alpha": Range(0.0, 0.98), "signal_alpha": Range(0.0, 0.995)}
_PRINTED: Settings = {
    "gamma1": 5.0,
    "gamma2": 0.45,
    "backlog_alpha": 0.4,
    "signal_alpha": 0.6,
    # Half of the load responds, with the window of the equilibrium at a drop probability of 5 %.
    "start_share": 0.5,
    "start_window": 6.3,
}


def _linear(**options: Any) -> Callable[[Case, Traces, Settings], Reals]:
    """An estimator of the document's linear model in one of its forms."""

    def run(case: Case, traces: Traces, settings: Settings) -> Reals:
        given = dict(settings)
        share, window = given.pop("start_share"), given.pop("start_window")
        rtt = case.delay if case.r0 is None else case.r0
        responsive = (1 - share) * case.capacity * rtt
        estimator = NonResponsive(
            capacity=case.capacity,
            propagation=case.delay,
            sampling=traces.sampling,
            rtt=case.r0,
            estimation_samples=ESTIMATION,
            start_z0=responsive,
            start_n_s=responsive / window,
            **options,
            **given,
        )
        return np.stack([estimator.run(**row)["share"] for row in _rows(traces)])

    return run
