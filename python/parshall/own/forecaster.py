"""Forecasters of one's own."""

from __future__ import annotations

from typing import ClassVar

from parshall import _core
from parshall.own.base import Part
from parshall.own.kinds import FORECASTER, Kind
from parshall.own.library import SharedPart

__all__ = ["Forecaster", "SharedForecaster"]


class Forecaster(Part, _core.ForecasterBase):
    """A forecaster of a series, to be derived from. Each series gets an instance of its own.

    :meth:`update` takes in a sample, and :meth:`forecast` says what the next will be. It stands wherever one
    of the library's does: in ``parshall.forecast``, in controls and in timeouts that decide on a forecast.

    ``random()`` is a random number from 0 to below 1, of a stream of its own: the same in each run with the
    same seed.
    """

    _kind: ClassVar[Kind] = FORECASTER

    def update(self, x: float) -> None:
        """Takes in a sample, a finite number."""

    def forecast(self) -> float | None:
        """The next sample; None before that can be told. Asking must not change what later answers are."""
        raise NotImplementedError

    def forecast_ahead(self, steps: int) -> float | None:
        """The sample after ``steps`` more, 2 or more; the same as the next unless you say otherwise."""
        return self.forecast()


class SharedForecaster(SharedPart):
    """A forecaster in a shared library; ``parshall_forecaster.h`` has its interface.

    ``parameters`` are numbers by their names, which the library declares with their defaults. Raises
    InputError for a library that cannot be loaded or has another version of the interface, and for a
    parameter that it does not have.
    """

    _kind: ClassVar[Kind] = FORECASTER
