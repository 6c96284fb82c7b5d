"""Errors of forecasts of the next round trip on the document's own path: on what its senders see, one
sample an ACK.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from parshall import forecast
from parshall.scenario import ArimaVegas
from parshall.scenario.parts import Ewma, LastValue, Median, Mixture
from parshall_studies import study as st
from parshall_studies.arima_vegas import decisions
from parshall_studies.arima_vegas.models import ORDER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall.scenario.parts import ForecasterConfig

    Reals = NDArray[np.float64]

ARIMA, EWMA, LAST, FITTED = "arima", "ewma", "last-value", "fitted"
GIVEN: Mapping[str, tuple[str, ForecasterConfig]] = {
    ARIMA: ("ARIMA(2,1,1), printed coefficients", ArimaVegas().forecaster),
    EWMA: ("EWMA of (1), 1/8", Ewma(gain=1 / 8)),
    LAST: ("last value", LastValue()),
    "median": ("median of 5", Median(window=5)),
    "mixture": ("mixture", Mixture()),
}
"""Forecasters that know of a series what has passed."""
LABELS: Mapping[str, str] = {
    **{name: label for name, (label, _) in GIVEN.items()},
    FITTED: "ARIMA(2,1,1), fitted to the run itself",
}
"""With the coefficients that are best afterwards, which no sender can have."""
_SKIPPED = 10
"""Samples at the start that are not judged."""
_FEWEST = 30
"""Samples that are worth a fit."""


def errors_of(run: Recording) -> st.RunSeries:
    """The mean distance between forecast and next round trip over the mean round trip, by forecaster; NaN
    where there are too few samples.
    """
    rtts = decisions.acks_of(run).known
    found = [
        _error(forecast.Forecaster(model).run(rtts)[:-1] - rtts[1:], rtts) for _, model in GIVEN.values()
    ]
    return st.RunSeries({"forecaster": list(LABELS)}, {"error": [*found, _error(_residuals(rtts), rtts)]})


def _error(errors: Reals, rtts: Reals) -> float:
    judged = np.abs(errors[_SKIPPED:])
    return float(judged.mean() / rtts.mean()) if len(rtts) >= _FEWEST else float("nan")


def _residuals(rtts: Reals) -> Reals:
    """Residuals of the fit to the series itself, by conditional least squares as the document fits."""
    return forecast.fit(rtts, ORDER, method="css").residuals if len(rtts) >= _FEWEST else rtts
