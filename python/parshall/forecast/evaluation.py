"""Evaluation of forecasters on a series: mean absolute and squared errors, beside the last value and EWMA
1/8, tests of the differences, and what the prediction intervals hold.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from parshall.errors import InputError, InputTypeError, counted, shown
from parshall.estimators import arguments
from parshall.forecast.comparison import DieboldMariano, diebold_mariano, holm
from parshall.forecast.models import DEFAULT_MODELS, checked_model, label
from parshall.forecast.reading import MeasuredSeries
from parshall.forecast.regularity import irregular, sample_times
from parshall.forecast.running import Forecaster
from parshall.scenario.parts import Ewma, ForecasterConfig, LastValue

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray
    from rich.table import Table

    Floats = NDArray[np.float64]
    Loss = Literal["absolute", "squared", "mae", "mse", "rmse"]

__all__ = ["Evaluation", "Score", "evaluate"]

LEAST_SCORED = 10
"""Forecasts below which nothing is said about any forecaster."""
_MOST_WARM_UP = 2000
_MEASURES = {"absolute": "mae", "mae": "mae", "squared": "rmse", "mse": "rmse", "rmse": "rmse"}
"""The score that a loss ranks by; that of squares and of their root is one order."""
_BASES: dict[str, ForecasterConfig] = {"last": LastValue(), "ewma": Ewma(gain=1 / 8)}


class Score(NamedTuple):
    """Score of one forecaster at one horizon. Errors have the unit of the series."""

    model: str
    horizon: int
    scored: int
    """Number of scored forecasts."""
    mae: float
    """Mean absolute error."""
    rmse: float
    """Root of the mean squared error."""
    mae_vs_last: float
    """By how many percent that is more than the last value's."""
    rmse_vs_last: float
    mae_vs_ewma: float
    """By how many percent it is more than that of EWMA 1/8, which is srtt."""
    rmse_vs_ewma: float
    coverage: float
    """Share of samples inside of the prediction interval; that of the next sample, whatever the horizon."""
    width: float
    """Mean width of the interval."""


@dataclass(frozen=True)
class Evaluation:
    """Results of :func:`evaluate`."""

    names: tuple[str, ...]
    horizons: tuple[int, ...]
    samples: int
    """Samples of the series, gaps left out."""
    gaps: int
    """Values that are NaN: lost replies. A horizon counts samples, so a gap makes a step longer."""
    warm_up: int
    wanted: float
    """The coverage that was asked for."""
    irregular: bool | None
    """True if samples came at irregular times; ``None`` if no times were given."""
    constant: bool
    """True if all samples are equal, so that no forecaster can be told from another."""
    scores: tuple[Score, ...]
    """Errors and widths have the unit of the series, which is seconds where it was read from a file."""
    unit: str = ""
    """Unit of errors and widths in the table: ``s``, ``ms``, ``us`` or ``ns`` for a series in seconds, or the
    name of the unit of any other series.
    """
    _errors: Mapping[tuple[str, int], Floats] = field(repr=False, default_factory=dict)

    def score(self, name: str, horizon: int = 1) -> Score:
        """Score of one forecaster at one horizon. Raises InputError."""
        if not isinstance(name, str) or name not in self.names:
            raise InputError("name", shown(name), f"one of {', '.join(self.names)}")
        return next(each for each in self._at(horizon) if each.model == name)

    def errors(self, name: str, horizon: int = 1) -> Floats:
        """Error of each scored sample: its value less the forecast."""
        self.score(name, horizon)
        return self._errors[name, horizon]

    def compare(self, first: str, second: str, loss: Loss = "absolute", horizon: int = 1) -> DieboldMariano:
        """Tests whether the first forecaster loses less than the second by more than chance, if these two are
        all that is compared; :meth:`compare_all` allows for several.
        """
        squared = _measure(loss) == "rmse"
        losses = [
            np.square(errors) if squared else np.abs(errors)
            for errors in (self.errors(first, horizon), self.errors(second, horizon))
        ]
        return diebold_mariano(losses[0], losses[1], horizon)

    def compare_all(
        self, second: str, loss: Loss = "absolute", horizon: int = 1
    ) -> dict[str, DieboldMariano]:
        """Each other forecaster against ``second``, by name, with p-values that allow for their number.

        Of a dozen forecasters that are no better some seem so by chance. With Holm's correction (1979), no
        p-value is below 0.05 in 95 % of the evaluations in which nothing is better or worse, however they
        depend on each other.
        """
        self.score(second, horizon)
        found = {name: self.compare(name, second, loss, horizon) for name in self.names if name != second}
        adjusted = holm([each.p_value for each in found.values()])
        return {
            name: each._replace(p_value=p) for (name, each), p in zip(found.items(), adjusted, strict=True)
        }

    def best(self, loss: Loss = "absolute", horizon: int = 1) -> str:
        """The forecaster with the least error: ``"absolute"`` (or ``"mae"``), or ``"squared"`` (or ``"mse"``,
        ``"rmse"``), by which the order may be another.
        """
        of = _measure(loss)
        return min(self._at(horizon), key=lambda score: float(getattr(score, of))).model

    def _at(self, horizon: int) -> list[Score]:
        """The scores at one horizon."""
        ahead = arguments.count("horizon", horizon)
        found = [score for score in self.scores if score.horizon == ahead]
        if not found:
            raise InputError("horizon", shown(horizon), f"one of {', '.join(map(str, self.horizons))}")
        return found

    def columns(self) -> dict[str, list[Any]]:
        """All scores as columns, for a data frame."""
        return {name: [getattr(score, name) for score in self.scores] for name in Score._fields}

    def table(self, horizon: int = 1) -> Table:
        """The scores at one horizon, for the terminal (``rich.print``)."""
        from parshall.forecast.shown import table_of

        self._at(horizon)
        return table_of(self, horizon)

    def plot(self) -> Figure:
        """Error against horizon, by either loss, relative to the last value."""
        from parshall.forecast.shown import figure_of

        return figure_of(self)


def evaluate(
    series: ArrayLike | MeasuredSeries,
    models: Iterable[ForecasterConfig] | Mapping[str, ForecasterConfig] | None = None,
    times: ArrayLike | None = None,
    horizons: Sequence[int] = (1,),
    warm_up: int | None = None,
    coverage: float = 0.9,
    unit: str | None = None,
) -> Evaluation:
    """Runs each model over the series and compares its forecasts with what came.

    NaN in ``series`` is a gap, such as a lost reply, and left out. Forecasts are causal: that of a sample
    knows those before it only. The first ``warm_up`` samples are not scored (a tenth, at most 2000, unless
    given). ``models`` may have names of one's own, as a mapping; of several with one label the later ones are
    numbered. ``unit`` is what tables show: of ``s``, ``ms``, ``us`` and ``ns``, into which they turn a series
    in seconds, or what the unit of any other series is called. What :func:`read` returns has its own times
    and unit. Raises InputError.
    """
    if isinstance(series, MeasuredSeries):
        times = series.times if times is None else times
        unit = series.unit if unit is None else unit
    if not isinstance(unit, str | None):
        raise InputTypeError("unit", shown(unit), "the name of a unit")
    samples, stamps, gaps = _samples(series, times)
    ahead = _horizons(horizons)
    skipped = _warm_up(warm_up, len(samples), max(ahead))
    chosen = _named(DEFAULT_MODELS if models is None else models)
    errors: dict[tuple[str, int], Floats] = {}
    scores: list[Score] = []
    bases = {name: _errors(model, samples, ahead, skipped) for name, model in _BASES.items()}
    for name, model in chosen.items():
        held = _held(model, samples, skipped, coverage)
        for horizon, found in _errors(model, samples, ahead, skipped).items():
            errors[name, horizon] = found
            scores.append(
                _score(name, horizon, found, {key: base[horizon] for key, base in bases.items()}, held)
            )
    return Evaluation(
        names=tuple(chosen),
        horizons=ahead,
        samples=len(samples),
        gaps=gaps,
        warm_up=skipped,
        wanted=coverage,
        irregular=None if stamps is None else irregular(stamps),
        constant=bool(np.ptp(samples) == 0),
        scores=tuple(scores),
        unit=unit or "",
        _errors=errors,
    )


def _samples(series: ArrayLike, times: ArrayLike | None) -> tuple[Floats, Floats | None, int]:
    values = arguments.samples("series", series)
    if np.isinf(values).any():
        place = int(np.argmax(np.isinf(values)))
        raise InputError(f"series[{place}]", f"{values[place]:g}", "a finite number, or NaN for a gap")
    known = ~np.isnan(values)
    stamps = None if times is None else arguments.samples("times", times)
    if stamps is not None:
        if len(stamps) != len(values):
            raise InputError("times", counted(len(stamps), "time"), f"{len(values)}, one for each sample")
        stamps = sample_times(stamps[known])
    return np.ascontiguousarray(values[known]), stamps, int(np.sum(~known))


def _horizons(horizons: Sequence[int]) -> tuple[int, ...]:
    if isinstance(horizons, str) or not isinstance(horizons, Iterable):
        raise InputTypeError("horizons", shown(horizons), "a list of whole numbers of at least 1")
    found = tuple(sorted({arguments.count("horizons", horizon) for horizon in horizons}))
    if not found or found[0] < 1:
        raise InputError("horizons", str(list(horizons)), "whole numbers of at least 1")
    return found


def _warm_up(warm_up: int | None, samples: int, furthest: int) -> int:
    skipped = min(_MOST_WARM_UP, samples // 10) if warm_up is None else arguments.count("warm_up", warm_up)
    skipped = max(skipped, furthest)
    if samples - skipped < LEAST_SCORED:
        expected = f"at least {skipped + LEAST_SCORED} (warm-up {skipped} + {LEAST_SCORED} to score)"
        raise InputError("series", counted(samples, "sample"), expected)
    return skipped


def _named(
    models: Iterable[ForecasterConfig] | Mapping[str, ForecasterConfig],
) -> dict[str, ForecasterConfig]:
    """Models by their names; of several with one label, which says not all of a model, the later ones get a
    number.
    """
    if isinstance(models, Mapping):
        named = {str(name): checked_model(f"models[{name}]", model) for name, model in models.items()}
    else:
        if isinstance(models, str | ForecasterConfig) or not isinstance(models, Iterable):
            raise InputTypeError("models", shown(models), "a list of forecasters, or a table of them by name")
        named, seen = {}, Counter[str]()
        for place, model in enumerate(models):
            checked = checked_model(f"models[{place}]", model)
            own = label(checked)
            seen[own] += 1
            named[own if seen[own] == 1 else f"{own} ({seen[own]})"] = checked
    if not named:
        raise InputError("models", "none", "at least one")
    return named


def _measure(loss: str) -> str:
    found = _MEASURES.get(loss) if isinstance(loss, str) else None
    if found is None:
        raise InputError("loss", shown(loss), f"one of {', '.join(_MEASURES)}")
    return found


def _errors(
    model: ForecasterConfig, xs: Floats, horizons: tuple[int, ...], skipped: int
) -> dict[int, Floats]:
    found = {}
    for horizon in horizons:
        forecasts = Forecaster(model).run(xs, steps=horizon)
        found[horizon] = xs[skipped:] - forecasts[skipped - horizon : len(xs) - horizon]
    return found


def _held(model: ForecasterConfig, xs: Floats, skipped: int, coverage: float) -> tuple[float, float]:
    """Share of samples inside of the interval, and its mean width."""
    _, lower, upper = (column[skipped - 1 : -1] for column in Forecaster(model, coverage).run_intervals(xs))
    known = ~np.isnan(lower)
    if not known.any():
        return 0.0, 0.0
    inside = (lower <= xs[skipped:]) & (xs[skipped:] <= upper)
    return float(np.mean(inside[known])), float(np.mean((upper - lower)[known]))


def _score(
    name: str, horizon: int, errors: Floats, bases: Mapping[str, Floats], held: tuple[float, float]
) -> Score:
    last, ewma = bases["last"], bases["ewma"]
    return Score(
        model=name,
        horizon=horizon,
        scored=len(errors),
        mae=_mae(errors),
        rmse=_rmse(errors),
        mae_vs_last=_percent(_mae(errors), _mae(last)),
        rmse_vs_last=_percent(_rmse(errors), _rmse(last)),
        mae_vs_ewma=_percent(_mae(errors), _mae(ewma)),
        rmse_vs_ewma=_percent(_rmse(errors), _rmse(ewma)),
        coverage=held[0],
        width=held[1],
    )


def _mae(errors: Floats) -> float:
    return float(np.mean(np.abs(errors)))


def _rmse(errors: Floats) -> float:
    largest = float(np.max(np.abs(errors)))
    # Squares of large numbers overflow.
    return largest * math.sqrt(float(np.mean(np.square(errors / largest)))) if largest > 0 else 0.0


def _percent(error: float, base: float) -> float:
    """More than the base by so many percent: none if both are 0, infinitely many if only the base is."""
    if base > 0:
        return 100 * (error / base - 1)
    return 0.0 if error == 0 else math.inf
