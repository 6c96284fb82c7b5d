"""A forecaster that is under way: samples in, forecasts and intervals out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, SupportsFloat, SupportsIndex

import numpy as np

from parshall import _core
from parshall.errors import InputError
from parshall.estimators import arguments
from parshall.estimators.base import Estimator
from parshall.forecast.models import checked_model
from parshall.forecast.regularity import irregular, sample_times
from parshall.scenario.canonical import canonical_json

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from parshall._core import ForecasterBase
    from parshall.own import SharedForecaster
    from parshall.scenario.parts import ForecasterConfig

    Floats = NDArray[np.float64]

__all__ = ["Forecaster", "Intervals"]


class Intervals(NamedTuple):
    """Forecast and interval after each sample; NaN where there was none yet."""

    forecast: Floats
    """Forecast of the next sample."""
    lower: Floats
    """Lower bound of the interval of the next sample."""
    upper: Floats
    """Upper bound."""


class Forecaster(Estimator):
    """Runs a model on a series, the library's or one derived from ``parshall.Forecaster``. ``coverage`` is
    the share of samples that its prediction intervals are to hold.

    A sample is a finite number; the forecaster is not changed by one that is refused. The work is done by
    the Rust crate ``parshall-estimators``, the same code that runs in the simulator.
    """

    __slots__ = ()

    _core: _core.Forecaster
    model: ForecasterConfig
    """Configuration of the forecaster."""
    coverage: float
    """The share of samples that the prediction intervals are to hold."""
    irregular: bool | None
    """True if the samples that were last run came at irregular times; ``None`` if no times were given."""

    def __init__(
        self, model: ForecasterConfig | ForecasterBase | SharedForecaster, coverage: float = 0.9
    ) -> None:
        share = arguments.real("coverage", coverage)
        try:
            named = checked_model("model", model)
            core = _core.Forecaster(canonical_json(named), share)
        except InputError:
            raise
        except ValueError as error:
            raise InputError(*error.args) from None
        super().__init__(core, {"model": named, "coverage": share}, {"irregular": None})

    def update(self, x: SupportsFloat) -> float:
        """Take in a sample and return the forecast of the next one."""
        try:
            return self._core.update(arguments.real("x", x))  # type: ignore[arg-type]
        except ValueError as error:
            raise _input_error(error) from None

    def run(self, xs: ArrayLike, *, steps: SupportsIndex = 1, times: ArrayLike | None = None) -> Floats:
        """Updates with an array of samples; element ``i`` forecasts sample ``i + steps``. ``times`` only tell
        whether samples come regularly (``irregular``).
        """
        samples = self._samples(xs, times)
        try:
            return self._core.run(samples, _steps(steps))
        except ValueError as error:
            raise _input_error(error) from None

    def run_intervals(self, xs: ArrayLike, *, times: ArrayLike | None = None) -> Intervals:
        """Updates with an array of samples; gives the prediction interval of the next sample after each."""
        samples = self._samples(xs, times)
        try:
            return Intervals(*self._core.run_intervals(samples))
        except ValueError as error:
            raise _input_error(error) from None

    def forecast(self, steps: SupportsIndex = 1) -> float | None:
        """The sample that comes ``steps`` from now; ``None`` before the first one."""
        return self._core.forecast(_steps(steps))

    def interval(self) -> tuple[float, float] | None:
        """Lower and upper bound of the next sample; ``None`` before the first error is known."""
        return self._core.interval()

    def reset(self) -> None:
        """Forget every sample."""
        super().reset()
        self._more["irregular"] = None

    def _samples(self, xs: ArrayLike, times: ArrayLike | None) -> Floats:
        samples = arguments.samples("xs", xs)
        self._more["irregular"] = None if times is None else irregular(sample_times(times, len(samples)))
        return samples


def _steps(steps: SupportsIndex) -> int:
    count = arguments.count("steps", steps)
    if count < 1:
        raise InputError("steps", "0", "a whole number of at least 1")
    return count


def _input_error(error: ValueError) -> Exception:
    """Translates the engine's objection to a value into our words; leaves others as they are."""
    return InputError(*error.args) if len(error.args) == 3 else error
