"""Time-series models of round-trip times: correlations, ARIMA fits, and the choice of an order.

    from parshall import forecast

    fit = forecast.fit(rtts, order=(2, 1, 1))
    found = forecast.identify(rtts)
    print(found)
    found.plot_identification().savefig("identification.svg")

Everything here is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.forecast.arima import ArimaFit, fit
    from parshall.forecast.correlation import Correlations, LjungBox, acf, correlations, ljung_box, pacf
    from parshall.forecast.identification import Candidate, Identification, identify, kpss, suggest_d

__all__ = [
    "ArimaFit",
    "Candidate",
    "Correlations",
    "Identification",
    "LjungBox",
    "acf",
    "correlations",
    "fit",
    "identify",
    "kpss",
    "ljung_box",
    "pacf",
    "suggest_d",
]

_HOMES = ("correlation", "arima", "identification")
"""Modules that offer the names above, those that import little first."""


def __getattr__(name: str) -> Any:
    """Imports the module that a name lives in."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"parshall.forecast.{home}")
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
