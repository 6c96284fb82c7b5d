"""Fitting an ARIMA(p,d,q), and what it then expects.

    phi(B) (1 - B)^d (x - mean) = theta(B) e,  phi(B) = 1 - ar1 B - ...,  theta(B) = 1 + ma1 B + ...

are the signs of R, of statsmodels and of Jeyasekar et al. 2014, eq. 10.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from parshall import _core
from parshall.errors import InputError, shown
from parshall.estimators import arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["ArimaFit", "fit"]

Method = Literal["ml", "css"]
METHODS = ("ml", "css")


@dataclass(frozen=True, slots=True, eq=False)
class ArimaFit:
    """An ARIMA that was fitted to a series."""

    order: tuple[int, int, int]
    """p, d, q."""
    method: Method
    """``"ml"``: greatest exact Gaussian likelihood. ``"css"``: least conditional sum of squares."""
    ar: tuple[float, ...]
    """phi."""
    ma: tuple[float, ...]
    """theta."""
    mean: float
    """Mean of the series; 0 where it is differenced."""
    ar_errors: tuple[float, ...] | None
    """Standard errors of phi, from the second derivatives of the likelihood; they mean little beside a flag.
    ``None`` where it is not curved like that of a maximum."""
    ma_errors: tuple[float, ...] | None
    """Those of theta."""
    mean_error: float | None
    """Standard error of the mean; ``None`` without one."""
    sigma2: float
    """Variance of the noise, in the square of the unit of the series."""
    loglik: float
    """The exact Gaussian log-likelihood at these coefficients, by whichever method they were found."""
    aic: float
    """``2k - 2 loglik``, where k counts coefficients, mean and variance (Akaike 1974)."""
    aicc: float
    """AIC, corrected for few samples (Hurvich and Tsai 1989)."""
    bic: float
    """``k ln(n - d) - 2 loglik`` (Schwarz 1978)."""
    aic_of_variance: float
    """``ln sigma2 + 2 (p + q) / n``: Jeyasekar et al. 2014, eq. 14. Only differences are free of units."""
    fpe: float
    """Final prediction error: eq. 15 with p + q in both places."""
    residuals: Floats = field(repr=False)
    """Errors of the one-step forecasts, n - d of them, or n - d - p after ``"css"``."""
    converged: bool
    """True if no further step would have gained anything."""
    flags: frozenset[str]
    """``"ar-near-unit-root"``, ``"ma-near-unit-root"``: a root within 0.2 % of the unit circle.
    ``"nearly-cancelling"``: a root of phi and one of theta nearly cancel; other coefficients fit as well."""
    series: Floats = field(repr=False)
    """Fitted series."""

    def config(self, start: Literal["exact", "repeated"] = "exact") -> dict[str, Any]:
        """The fitted model as a scenario writes a forecaster.

        ``start`` is what is assumed before the first sample: ``"exact"``, a series that has been stationary
        (once differenced) for ever; ``"repeated"``, the first value, and errors of 0, as Jeyasekar et al.
        2014 have it.
        """
        arguments.choice("start", start, ("exact", "repeated"))
        own = {"ar": list(self.ar), "d": self.order[1], "ma": list(self.ma), "mean": self.mean}
        return {"kind": "arima", **own, **({"start": start} if start == "exact" else {})}

    def one_step(self, series: ArrayLike | None = None) -> Floats:
        """Forecasts of each element of ``series`` from those before it, with these coefficients.

        Without ``series``, of the one that was fitted. The first is NaN. By the exact Kalman filter.
        """
        import numpy as np

        samples = self.series if series is None else arguments.samples("series", series)
        after = _run(self.config(), samples, 1)
        return np.concatenate([[np.nan], after[:-1]]) if len(after) else after

    def forecast(self, steps: int = 1) -> Floats:
        """Forecasts of the next ``steps`` samples after the series."""
        import numpy as np

        count = arguments.count("steps", steps)
        core = _core.Forecaster(json.dumps(self.config()))
        core.run(self.series)
        return np.array([core.forecast(ahead) for ahead in range(1, count + 1)], dtype=np.float64)

    def forecast_errors(self, steps: int = 1) -> Floats:
        """Standard deviations of the errors of :meth:`forecast`, for Gaussian noise and true coefficients.

        (Box and Jenkins 1976, section 5.2.)
        """
        import numpy as np

        count = arguments.count("steps", steps)
        left = np.array([1.0, *(-phi for phi in self.ar)])
        for _ in range(self.order[1]):
            left = np.convolve(left, [1.0, -1.0])
        responses = np.zeros(count)
        for lag in range(count):
            past = responses[max(0, lag - len(left) + 1) : lag][::-1]
            noise = 1.0 if lag == 0 else self.ma[lag - 1] if lag <= len(self.ma) else 0.0
            responses[lag] = noise - left[1 : 1 + len(past)] @ past
        errors: Floats = np.sqrt(self.sigma2 * np.cumsum(responses**2))
        return errors


def fit(series: ArrayLike, order: Sequence[int] = (2, 1, 1), *, method: Method = "ml") -> ArimaFit:
    """Fit an ARIMA(p,d,q) to a series of at least 3 (p + q + 2) + d finite numbers.

    p and q are 0 to 5, d is 0 to 2; a mean is estimated if d is 0. Both methods keep to stationary and
    invertible models. ``"ml"`` maximises the exact Gaussian likelihood of the differenced series. ``"css"``
    is the least-squares estimate of Jeyasekar et al. 2014: the first p differenced values are given, errors
    before the next are 0. Likelihoods of mixed models may have several maxima, so the search begins from more
    than a dozen points.

    Raises InputError for a series that is too short, constant, or not finite.
    """
    import numpy as np

    arguments.choice("method", method, METHODS)
    samples = arguments.samples("series", series)
    p, d, q = checked_order(order)
    try:
        found = _core.fit_arima(samples, (p, d, q), method == "css")
    except ValueError as fault:
        raise InputError(*fault.args) from None
    k, loglik, n = found["parameters"], found["loglik"], len(samples) - d
    errors = (found["ar_errors"], found["ma_errors"])
    return ArimaFit(
        order=(p, d, q),
        method=method,
        ar=tuple(found["ar"]),
        ma=tuple(found["ma"]),
        mean=found["mean"],
        ar_errors=None if errors[0] is None else tuple(errors[0]),
        ma_errors=None if errors[1] is None else tuple(errors[1]),
        mean_error=found["mean_error"],
        sigma2=found["sigma2"],
        loglik=loglik,
        aic=2 * k - 2 * loglik,
        aicc=2 * k - 2 * loglik + 2 * k * (k + 1) / (n - k - 1),
        bic=k * math.log(n) - 2 * loglik,
        aic_of_variance=found["aic_of_variance"],
        fpe=found["fpe"],
        residuals=found["residuals"],
        converged=found["converged"],
        flags=frozenset(found["flags"]),
        series=np.array(samples),
    )


def checked_order(order: Sequence[int]) -> tuple[int, int, int]:
    """p, d and q as whole numbers; their ranges are checked where they are used."""
    try:
        p, d, q = order
    except (TypeError, ValueError):
        raise InputError("order", shown(order), "three whole numbers: p, d, q") from None
    return arguments.count("p", p), arguments.count("d", d), arguments.count("q", q)


def _run(config: dict[str, Any], samples: Floats, steps: int) -> Floats:
    try:
        after: Floats = _core.Forecaster(json.dumps(config)).run(samples, steps)
    except ValueError as fault:
        raise InputError("series" + fault.args[0].removeprefix("xs"), *fault.args[1:]) from None
    return after
