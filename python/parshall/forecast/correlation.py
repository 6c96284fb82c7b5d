"""Autocorrelations, partial autocorrelations, their bands, and the test of Ljung and Box.

Lag 0 comes first in every array. The mean is removed, and every sum is divided by the number of samples
(Jeyasekar et al. 2014, eq. 12), so that the autocorrelations are those of some stationary process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parshall import _core
from parshall.errors import InputError
from parshall.estimators import arguments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["Correlations", "LjungBox", "acf", "correlations", "ljung_box", "pacf"]


@dataclass(frozen=True, slots=True, eq=False)
class Correlations:
    """Autocorrelations of a series, with the bands in which they would lie without correlation."""

    acf: Floats
    """Autocorrelations."""
    pacf: Floats
    """Partial autocorrelations, by Levinson and Durbin's recursion."""
    bartlett: Floats
    """Half widths of the bands of ``acf`` if this lag and those beyond are 0 (Bartlett 1946)."""
    white_noise: float
    """Half width of the band of ``pacf``, and of ``acf`` if no lag is correlated: z / sqrt(n)."""
    n: int
    """Samples."""

    @property
    def lags(self) -> int:
        """The greatest lag."""
        return len(self.acf) - 1

    def significant_pacf(self) -> tuple[int, ...]:
        """Lags above 0 whose partial autocorrelation lies outside its band."""
        return tuple(lag for lag in range(1, len(self.pacf)) if abs(self.pacf[lag]) > self.white_noise)


@dataclass(frozen=True, slots=True)
class LjungBox:
    """The test that the first autocorrelations are all 0 (Ljung and Box 1978)."""

    statistic: float
    """``n (n + 2) sum r^2 / (n - lag)``."""
    lags: int
    """Number of autocorrelations."""
    degrees: int
    """Degrees of freedom: lags less fitted coefficients."""
    p_value: float
    """Probability that white noise has as much correlation."""


def correlations(series: ArrayLike, lags: int = 20, *, confidence: float = 0.95) -> Correlations:
    """Autocorrelations and partial autocorrelations of lags 0 to ``lags``, with bands of this ``confidence``.

    >>> found = correlations([1.0, 2.0, 4.0], lags=1)
    >>> round(found.acf[1], 4), round(found.white_noise, 3)
    (np.float64(-0.0238), 1.132)
    """
    from scipy.special import ndtri

    samples = arguments.samples("series", series)
    count = arguments.count("lags", lags)
    if not 0 < (sure := arguments.real("confidence", confidence)) < 1:
        raise InputError("confidence", str(confidence), "a number above 0 and below 1")
    z = float(ndtri(0.5 + sure / 2))
    found = _correlations(samples, count)
    return Correlations(
        acf=found[0],
        pacf=found[1],
        bartlett=z * found[2],
        white_noise=z / float(len(samples)) ** 0.5,
        n=len(samples),
    )


def acf(series: ArrayLike, lags: int = 20) -> Floats:
    """Autocorrelations of lags 0 to ``lags`` (Jeyasekar et al. 2014, eq. 12)."""
    return _correlations(arguments.samples("series", series), arguments.count("lags", lags))[0]


def pacf(series: ArrayLike, lags: int = 20) -> Floats:
    """Partial autocorrelations of lags 0 to ``lags`` (Jeyasekar et al. 2014, eq. 13)."""
    return _correlations(arguments.samples("series", series), arguments.count("lags", lags))[1]


def ljung_box(series: ArrayLike, lags: int = 20, *, fitted: int = 0) -> LjungBox:
    """The test of Ljung and Box on ``series``; of residuals, ``fitted`` is p + q of the model.

    Raises InputError unless ``lags`` is above ``fitted`` and below the number of samples.
    """
    from scipy.special import chdtrc

    count, taken = arguments.count("lags", lags), arguments.count("fitted", fitted)
    if count <= taken:
        raise InputError("lags", str(count), f"more than the {taken} coefficients that were fitted")
    statistic = float(_correlations(arguments.samples("series", series), count)[3][-1])
    return LjungBox(statistic, count, count - taken, float(chdtrc(count - taken, statistic)))


def _correlations(samples: Floats, lags: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Autocorrelations, partial ones, Bartlett's standard errors, and the statistics of Ljung and Box."""
    try:
        return _core.correlations(samples, lags)
    except ValueError as fault:
        raise InputError(*fault.args) from None
