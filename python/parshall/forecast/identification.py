"""Which ARIMA a series wants, as Box and Jenkins (1976) find out: difference, fit the candidates, compare,
look at the residuals. Jeyasekar et al. 2014, section 3.2, do the same for round-trip times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from parshall.errors import InputError, counted, shown
from parshall.estimators import arguments
from parshall.forecast.arima import ArimaFit, Method, fit
from parshall.forecast.correlation import LjungBox, ljung_box

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Candidate", "Identification", "identify", "kpss", "suggest_d"]

Criterion = Literal["bic", "aicc", "aic", "fpe", "aic-of-variance"]
CRITERIA = {
    "bic": "BIC",
    "aicc": "AICc",
    "aic": "AIC",
    "fpe": "FPE (15)",
    "aic-of-variance": "AIC (14)",
}
"""Names of criteria in a table; the numbers are equations of Jeyasekar et al. 2014."""

KPSS_LIMIT = 0.463
"""A series that is stationary around a level exceeds it in 5 % of the cases (Kwiatkowski et al. 1992)."""

_MOST_LAGS = 20
_DOUBTFUL = 0.05
_DRIFT = 4.0
"""Standard errors beyond which the mean of changes counts as a drift."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One order, fitted and judged."""

    fit: ArimaFit
    """The model."""
    ljung_box: LjungBox
    """Test for correlation that is left in its residuals."""

    @property
    def order(self) -> tuple[int, int, int]:
        """p, d, q."""
        return self.fit.order

    def criterion(self, name: str) -> float:
        """The criterion of this name; less is better."""
        value: float = getattr(self.fit, name.replace("-", "_"))
        return value


@dataclass(frozen=True, slots=True)
class Identification:
    """The candidates, which of them was chosen, and why. ``str()`` is a table."""

    candidates: tuple[Candidate, ...]
    """By p, then q."""
    choice: Candidate
    """The one with the least ``criterion``."""
    criterion: str
    """Deciding criterion: a key of the table."""
    d: int
    """Number of times that the series was differenced."""
    why: str
    """Why this d and this order, and what speaks against it."""
    series: Floats = field(repr=False, compare=False)
    """Examined series."""

    def plot_identification(self, *, unit: str = "", lags: int = _MOST_LAGS) -> Figure:
        """Run sequence, ACF and PACF of the differenced series, histogram and normal plot of the residuals.

        ``unit`` is that of the axes: of ``s``, ``ms``, ``us`` and ``ns``, into which a series in seconds is
        turned, or what the unit of any other series is called. The figure is Matplotlib's: ``savefig`` writes
        it.
        """
        from parshall.forecast.plots import plot_identification

        return plot_identification(self, unit=unit, lags=lags)

    def __str__(self) -> str:
        from parshall.forecast.plots import table_of

        return table_of(self)


def identify(
    series: ArrayLike,
    max_p: int = 2,
    max_q: int = 2,
    d: int | None = None,
    *,
    method: Method = "ml",
    criterion: Criterion = "bic",
) -> Identification:
    """Fit every ARIMA(p,d,q) with p up to ``max_p`` and q up to ``max_q``, and choose one.

    Without ``d``, :func:`suggest_d` chooses it. The choice has the least ``criterion`` of those whose search
    converged: BIC unless another is asked for, because what AIC gains beyond it is mostly due to factors that
    cancel or lie on the unit circle. As Jeyasekar et al. 2014 do it:
    ``d=1, method="css", criterion="aic-of-variance"`` (or ``"fpe"``).

    Raises InputError for a series that is too short for the greatest order, constant, a straight line or a
    parabola, or not finite.
    """
    samples = arguments.samples("series", series)
    if not isinstance(criterion, str) or criterion not in CRITERIA:
        raise InputError("criterion", shown(criterion), "one of " + ", ".join(CRITERIA))
    greatest = (arguments.count("max_p", max_p), arguments.count("max_q", max_q))
    for name, value in zip(("max_p", "max_q"), greatest, strict=True):
        if value > 5:
            raise InputError(name, str(value), "a whole number from 0 to 5")
    times = suggest_d(samples) if d is None else arguments.count("d", d)
    if times > 0:
        _refuse_without_noise(samples)
    # The greatest first: if the series is too short, the error names what was asked for.
    orders = [(p, times, q) for p in range(greatest[0] + 1) for q in range(greatest[1] + 1)]
    last = _judged(samples, orders[-1], method)
    candidates = (*(_judged(samples, order, method) for order in orders[:-1]), last)
    # A search that stopped early is passed over, unless all did.
    sound = [candidate for candidate in candidates if candidate.fit.converged] or list(candidates)
    choice = min(sound, key=lambda candidate: candidate.criterion(criterion))
    why = _reasons(samples, sound, choice, criterion, given=d is not None)
    return Identification(candidates, choice, criterion, times, why, samples)


def _judged(samples: Floats, order: tuple[int, int, int], method: Method) -> Candidate:
    import numpy as np

    found = fit(samples, order, method=method)
    if not np.isfinite(found.residuals).all():
        got = f"a series that ARIMA({','.join(map(str, order))}) follows without an error"
        raise InputError("series", got, "a series with noise")
    fitted = order[0] + order[2]
    lags = max(min(_MOST_LAGS, len(found.residuals) // 5), fitted + 1)
    return Candidate(found, ljung_box(found.residuals, lags, fitted=fitted))


def _reasons(
    samples: Floats, sound: Sequence[Candidate], choice: Candidate, criterion: str, *, given: bool
) -> str:
    name, d = CRITERIA[criterion], choice.order[1]
    said = [f"d = {d} was given." if given else _why_d(samples, d)]
    others = sorted(c.criterion(criterion) for c in sound if c is not choice)
    ahead = f", {others[0] - choice.criterion(criterion):.3g} below the next" if others else ""
    said.append(f"{_model(choice)} has the least {name}{ahead}.")
    test = choice.ljung_box
    verdict = "are still correlated" if test.p_value < _DOUBTFUL else "look like white noise"
    said.append(f"Its residuals {verdict} (Ljung-Box, {test.lags} lags: p = {test.p_value:.2g}).")
    said.extend(_WARNINGS[flag] for flag in sorted(choice.fit.flags))
    return " ".join(said)


_WARNINGS = {
    "ar-near-unit-root": "phi has a root on the unit circle or near it: try a greater d.",
    "ma-near-unit-root": "theta has a root on the unit circle or near it: d may be too great, and a "
    "recursion that begins with an error of 0 hardly forgets it.",
    "nearly-cancelling": "A root of phi and one of theta nearly cancel: one less of each fits about as well.",
}


def _why_d(samples: Floats, d: int) -> str:
    import numpy as np

    statistic = kpss(np.diff(samples, d))
    if statistic >= KPSS_LIMIT:
        said = f"is {statistic:.3g}, not below {KPSS_LIMIT}, but no more than 2 is tried."
    else:
        said = f"is {statistic:.3g}, below {KPSS_LIMIT}."
    drift = "" if d < 2 else _why_drift(np.diff(samples))
    return f"d = {d}: the KPSS statistic of the series so differenced {said}{drift}"


def _why_drift(changes: Floats) -> str:
    """Why a series is differenced twice whose changes are stationary."""
    if kpss(changes) >= KPSS_LIMIT:
        return ""
    errors = abs(_drift(changes))
    return (
        f" Differenced once, it is stationary around {changes.mean():.3g}, {errors:.3g} standard errors "
        "from 0: a drift, which no ARIMA without a mean follows."
    )


def _model(candidate: Candidate) -> str:
    return f"ARIMA({','.join(map(str, candidate.order))})"


def suggest_d(series: ArrayLike) -> int:
    """The least d for which the KPSS test at 5 % does not refuse the differenced series; at most 2.

    Differenced series have no mean in an ARIMA here. One that drifts, by changes whose mean is more than
    four standard errors from 0, is therefore differenced twice: the mean of changes is then what the moving
    average remembers. Raises InputError for a straight line or a parabola, which leave nothing to fit.
    """
    import numpy as np

    samples = arguments.samples("series", series)
    of_levels = kpss(samples)
    _refuse_without_noise(samples)
    if of_levels < KPSS_LIMIT:
        return 0
    changes = np.diff(samples)
    return 2 if kpss(changes) >= KPSS_LIMIT or abs(_drift(changes)) > _DRIFT else 1


def _refuse_without_noise(samples: Floats) -> None:
    """Refuses a series whose first or second differences are all the same, but for roundings."""
    import numpy as np

    for times, shape in ((1, "a straight line"), (2, "a parabola")):
        changes = np.diff(samples, times)
        if len(changes) < 2:
            return
        # Differences of rounded numbers differ by roundings.
        if np.ptp(changes) <= 2 ** (times + 4) * np.finfo(np.float64).eps * np.abs(samples).max():
            which = "first" if times == 1 else "second"
            expected = f"a series with noise: its {which} differences are all {changes.mean():.6g}"
            raise InputError("series", shape, expected)


def _drift(changes: Floats) -> float:
    """Distance of the mean of changes from 0 in standard errors, with correlations as in :func:`kpss`."""
    n = len(changes)
    errors = changes - changes.mean()
    return float(changes.mean() / (math.sqrt(_long_run(errors)) / n))


def kpss(series: ArrayLike) -> float:
    """The statistic of Kwiatkowski, Phillips, Schmidt and Shin (1992) for stationarity around a level.

    The long-run variance takes ``floor(4 (n / 100)^(1/4))`` lags with Bartlett's weights, as they do.
    """
    import numpy as np

    samples = arguments.samples("series", series)
    if len(samples) < 6:
        raise InputError("series", counted(len(samples), "sample"), "at least 6")
    if not np.isfinite(samples).all():
        place = int(np.flatnonzero(~np.isfinite(samples))[0])
        raise InputError(f"series[{place}]", str(samples[place]), "a finite number")
    size = np.abs(samples).max() or 1.0
    if np.ptp(samples / size) <= 16 * np.finfo(np.float64).eps:
        raise InputError("series", "a constant series", "one that varies")
    errors = samples / size
    errors = errors - errors.mean()
    sums = np.cumsum(errors)
    return float(sums @ sums / (len(errors) * _long_run(errors)))


def _long_run(errors: Floats) -> float:
    """The sum of squares of errors with those of their correlations, by Bartlett's weights."""
    n = len(errors)
    lags = int(4 * (n / 100) ** 0.25)
    squares = float(errors @ errors)
    variance = squares
    for lag in range(1, min(lags, n - 1) + 1):
        variance += 2 * (1 - lag / (lags + 1)) * float(errors[lag:] @ errors[:-lag])
    # The sum is positive in exact arithmetic; a strict alternation makes it nothing.
    return max(variance, 1e-12 * squares)
