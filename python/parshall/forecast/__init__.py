"""Forecasts of a series, one sample at a time or for a whole array, with prediction intervals; and how good
they are.

>>> forecaster = Forecaster(Ewma(gain=0.5))
>>> forecaster.run([1.0, 3.0, 2.0])
array([1., 2., 2.])
>>> forecaster.forecast()
2.0

:func:`evaluate` compares any of them on a series; :func:`read` reads one from a CSV file or from what
``ping`` prints. :class:`Mixture` needs no choice. Units are those of the series.

:func:`fit` and :func:`identify` find ARIMA models of a series, :func:`correlations` its correlations.

Everything here is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.forecast.arima import ArimaFit, fit
    from parshall.forecast.comparison import DieboldMariano, diebold_mariano
    from parshall.forecast.correlation import Correlations, LjungBox, acf, correlations, ljung_box, pacf
    from parshall.forecast.evaluation import Evaluation, Score, evaluate
    from parshall.forecast.identification import Candidate, Identification, identify, kpss, suggest_d
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
        Farima,
        Fbm,
        ForecasterConfig,
        Holt,
        LastValue,
        Lmmse,
        Lms,
        Median,
        Mixture,
        Nlms,
        Rls,
    )

__all__ = [
    "DEFAULT_MODELS",
    "AdaptiveEwma",
    "Arima",
    "ArimaFit",
    "ArimaRecursive",
    "ArimaRefitted",
    "Candidate",
    "Constant",
    "Correlations",
    "DieboldMariano",
    "Evaluation",
    "Ewma",
    "Farima",
    "Fbm",
    "Forecaster",
    "ForecasterConfig",
    "Holt",
    "Identification",
    "Intervals",
    "LastValue",
    "LjungBox",
    "Lmmse",
    "Lms",
    "MeasuredSeries",
    "Median",
    "Mixture",
    "Nlms",
    "Rls",
    "Score",
    "acf",
    "correlations",
    "diebold_mariano",
    "evaluate",
    "fit",
    "identify",
    "irregular",
    "kpss",
    "label",
    "ljung_box",
    "pacf",
    "read",
    "suggest_d",
]

_HOMES = (
    "parshall.scenario.forecaster",
    "parshall.forecast.correlation",
    "parshall.forecast.regularity",
    "parshall.forecast.comparison",
    "parshall.forecast.running",
    "parshall.forecast.reading",
    "parshall.forecast.models",
    "parshall.forecast.evaluation",
    "parshall.forecast.arima",
    "parshall.forecast.identification",
)
"""Modules that offer the names above, those that import little first."""


def __getattr__(name: str) -> Any:
    """Imports the module that a name lives in."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(home)
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
