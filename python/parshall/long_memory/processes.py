"""Fractional Gaussian noise and FARIMA(0,d,0): exact paths and autocovariances; and the aggregated series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, SupportsIndex

from parshall import _core
from parshall.errors import InputError, shown
from parshall.estimators import arguments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["aggregate", "farima", "fgn", "theoretical_autocovariance"]

Family = Literal["fgn", "farima"]


def fgn(h: float, n: SupportsIndex, seed: int | None = None) -> Floats:
    """A path of fractional Gaussian noise with mean 0 and variance 1: ``n`` samples.

    ``h`` lies between 0 and 1. The path is exact, by circulant embedding (Davies and Harte 1987). Equal seeds
    give equal paths; ``None`` takes fresh random numbers. Raises InputError.
    """
    return _path("fgn", arguments.real("h", h), n, seed)


def farima(d: float, n: SupportsIndex, seed: int | None = None) -> Floats:
    """A path of FARIMA(0,d,0), ``(1 - B)^d x = e``, scaled to variance 1: ``n`` samples.

    ``d`` lies between -1/2 and 1/2; H is d + 1/2. Otherwise as :func:`fgn`.
    """
    return _path("farima", arguments.real("d", d), n, seed)


def theoretical_autocovariance(family: Family, h: float, lags: SupportsIndex) -> Floats:
    """Autocovariances of lags 0 to ``lags`` of the process of variance 1 with this H.

    ``family`` is ``"fgn"`` (Mandelbrot and Van Ness 1968) or ``"farima"``, FARIMA(0, H - 1/2, 0) (Hosking
    1981). Raises InputError.
    """
    arguments.choice("family", family, ("fgn", "farima"))
    h = arguments.real("h", h)
    if not 0 < h < 1:
        raise InputError("h", shown(h), "a number between 0 and 1, both excluded")
    parameter = h if family == "fgn" else h - 0.5
    return _core.long_memory_autocovariances(family, parameter, arguments.count("lags", lags))


def aggregate(series: ArrayLike, m: SupportsIndex) -> Floats:
    """Means of consecutive, disjoint blocks of ``m`` samples (He et al., eq. 1).

    A rest that fills no block is left out. Raises InputError for NaN and for ``m = 0``.
    """
    samples = arguments.samples("series", series)
    try:
        return _core.aggregate(samples, arguments.count("m", m))
    except ValueError as fault:
        raise InputError(*fault.args) from None


def _path(family: Family, parameter: float, n: SupportsIndex, seed: int | None) -> Floats:
    import numpy as np

    count = arguments.count("n", n)
    if seed is not None:
        arguments.count("seed", seed)
    try:
        generator = _core.PathGenerator(family, parameter, count)
    except ValueError as fault:
        raise InputError(*fault.args) from None
    return generator.path(np.random.default_rng(seed).standard_normal(generator.normals))
