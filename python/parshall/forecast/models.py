"""Forecasters, those that are compared unless others are named, and what each is called in tables."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from parshall.errors import InputTypeError, shown
from parshall.scenario.parts import (
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
    UserForecaster,
)

__all__ = [
    "DEFAULT_MODELS",
    "HE_2002",
    "AdaptiveEwma",
    "Arima",
    "ArimaRecursive",
    "ArimaRefitted",
    "Constant",
    "Ewma",
    "Farima",
    "Fbm",
    "ForecasterConfig",
    "Holt",
    "LastValue",
    "Lmmse",
    "Lms",
    "Median",
    "Mixture",
    "Nlms",
    "Rls",
    "checked_model",
    "label",
]

HE_2002 = Lmmse(order=20, window=21, every=1)
"""The forecaster of He et al. 2002: linear, of order 20, fitted anew to the last 21 samples."""

DEFAULT_MODELS: tuple[ForecasterConfig, ...] = (
    LastValue(),
    Ewma(gain=1 / 8),
    Ewma(gain=1 / 64),
    AdaptiveEwma(),
    Holt(gain=1 / 8, trend_gain=1 / 64),
    Median(window=9),
    Median(window=21),
    Median(window=101),
    Lmmse(),
    Arima.jeyasekar_2014(),
    ArimaRecursive(),
    ArimaRefitted(),
    Mixture(loss="absolute"),
    Mixture(loss="squared"),
)
"""Forecasters by default: one of most kinds, and the two that TCP's users know best, the last value and EWMA
1/8, which is srtt.
"""

_PAPER = Arima.jeyasekar_2014()


def label(model: ForecasterConfig) -> str:
    """Name of a model in tables, such as ``EWMA 1/8``. Raises InputError for other values."""
    return _LABELS[type(checked_model("model", model))](model)


def checked_model(name: str, model: object) -> ForecasterConfig:
    """A forecaster as it was given. Raises InputTypeError, which names a class that was meant."""
    if (part := getattr(type(model), "__scenario_part__", None)) is not None:
        model = part(model)
    if isinstance(model, ForecasterConfig):
        return model
    if isinstance(model, type) and (
        issubclass(model, ForecasterConfig) or hasattr(model, "__scenario_part__")
    ):
        raise InputTypeError(name, f"the class {model.__name__}", f"one of it: {model.__name__}(...)")
    meant = _BY_WORD.get(_word(model if isinstance(model, str) else type(model).__name__), Ewma)
    expected = (
        f"a forecaster of parshall.forecast, such as {meant.__name__}(...), "
        "or an instance of a class derived from parshall.Forecaster"
    )
    raise InputTypeError(name, shown(model), expected)


def _word(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def _fraction(x: float) -> str:
    near = Fraction(x).limit_denominator(4096)
    return str(near) if float(near) == x else f"{x:g}"


def _arima(model: Arima) -> str:
    order = f"ARIMA({len(model.ar)},{model.d},{len(model.ma)})"
    return f"{order} of 2014" if model == _PAPER else order


def _hurst(h: float | None) -> str:
    return "" if h is None else f", H = {h:g}"


_LABELS: dict[type, Callable[[Any], str]] = {
    Constant: lambda m: f"constant {m.value:g}",
    LastValue: lambda m: "last value",
    Ewma: lambda m: f"EWMA {_fraction(m.gain)}",
    AdaptiveEwma: lambda m: f"adaptive EWMA {m.smoothing:g}",
    Holt: lambda m: f"Holt {_fraction(m.gain)} {_fraction(m.trend_gain)}",
    Median: lambda m: f"median of {m.window}",
    Arima: _arima,
    Lmmse: lambda m: f"LMMSE({m.order})" + (" of changes" if m.differenced else ""),
    Lms: lambda m: f"LMS({m.order}), step {m.step:g}",
    Nlms: lambda m: f"NLMS({m.order}), step {m.step:g}",
    Rls: lambda m: f"RLS({m.order})",
    Fbm: lambda m: f"FBM({m.order})" + _hurst(m.h),
    Farima: lambda m: f"FARIMA({m.order})" + _hurst(m.h),
    ArimaRecursive: lambda m: f"recursive ARIMA({m.p},{m.d},{m.q})",
    ArimaRefitted: lambda m: f"refitted ARIMA({m.p},{m.d},{m.q})",
    Mixture: lambda m: f"mixture, {m.loss}",
    UserForecaster: lambda m: m.source.rpartition(":")[2].rpartition(".")[2] or m.source,
}

_BY_WORD = {_word(kind.__name__): kind for kind in _LABELS}
"""Classes by how somebody may write them."""
