"""Forecasts of a series, one sample at a time or for a whole array, with prediction intervals; and how good they are.

>>> forecaster = Forecaster(Ewma(gain=0.5))
>>> forecaster.run([1.0, 3.0, 2.0])
array([1., 2., 2.])
>>> forecaster.forecast()
2.0

:func:`evaluate` compares any of them on a series; :func:`read` reads one from a CSV file or from what ``ping`` prints.
:class:`Mixture` needs no choice. Units are those of the series.
"""

from parshall.forecast.comparison import DieboldMariano, diebold_mariano
from parshall.forecast.evaluation import Evaluation, Score, evaluate
from parshall.forecast.models import DEFAULT_MODELS, label
from parshall.forecast.reading import MeasuredSeries, read
from parshall.forecast.regularity import irregular
from parshall.forecast.running import Forecaster, Intervals
from parshall.scenario.forecaster import (
    AdaptiveEwma,
    Arima,
    ArimaRecursive,
    ArimaRefitted,
    Constant,
    Ewma,
    ForecasterConfig,
    Holt,
    LastValue,
    Lmmse,
    Median,
    Mixture,
)

__all__ = [
    "DEFAULT_MODELS",
    "AdaptiveEwma",
    "Arima",
    "ArimaRecursive",
    "ArimaRefitted",
    "Constant",
    "DieboldMariano",
    "Evaluation",
    "Ewma",
    "Forecaster",
    "ForecasterConfig",
    "Holt",
    "Intervals",
    "LastValue",
    "Lmmse",
    "MeasuredSeries",
    "Median",
    "Mixture",
    "Score",
    "diebold_mariano",
    "evaluate",
    "irregular",
    "label",
    "read",
]
