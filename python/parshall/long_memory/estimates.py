"""The Hurst parameter of a series, by several methods."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, SupportsIndex

from parshall import _core
from parshall.errors import InputError, shown
from parshall.estimators import arguments

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = ["METHODS", "HurstEstimate", "hurst", "hurst_all"]

Method = Literal[
    "local-whittle",
    "wavelet",
    "whittle-fgn",
    "whittle-farima",
    "aggregated-variance",
    "rescaled-range",
    "anis-lloyd",
]
METHODS: tuple[Method, ...] = (
    "local-whittle",
    "wavelet",
    "whittle-fgn",
    "whittle-farima",
    "aggregated-variance",
    "rescaled-range",
    "anis-lloyd",
)
"""Names of the methods, the most trustworthy first."""


@dataclass(frozen=True, slots=True, eq=False)
class HurstEstimate:
    """An estimate of H, with what is known of its error."""

    method: Method
    """Method of the estimate."""
    h: float
    """The estimate. It is not forced into (0, 1); outside, it is flagged."""
    standard_error: float
    """If the series is what the method takes it for. Those of aggregated variance, R/S and Anis-Lloyd are
    roots of mean square errors in fractional Gaussian noise, bias included."""
    flags: frozenset[str]
    """``"level-shift"``: the level shifts or has a trend, and H may be due to that. ``"out-of-range"``: not
    in (0, 1), so the series is not stationary, or was differenced too often. ``"at-bound"``: a search ended
    where it may not go on. ``"constant-blocks"``: blocks without variance were left out of R/S."""
    shift_at: int | None
    """Index of the first sample after the first level shift; ``None`` if none was found."""
    points: int
    """Number of frequencies, octaves or block sizes that it rests on."""
    samples: int
    """Length of the series."""
    x: Floats = field(repr=False)
    """Abscissas of its diagram: octaves, or logarithms to base 2 of block sizes or of frequencies in cycles a
    sample."""
    y: Floats = field(repr=False)
    """Ordinates: logarithms to base 2."""
    weight: Floats = field(repr=False)
    """Weights of the points in the line that is fitted."""

    def interval(self, coverage: float = 0.95) -> tuple[float, float]:
        """An interval that holds H with this probability, from the normal distribution."""
        if not 0 < arguments.real("coverage", coverage) < 1:
            raise InputError("coverage", shown(coverage), "a share between 0 and 1, both excluded")
        reach = NormalDist().inv_cdf(0.5 + coverage / 2) * self.standard_error
        return self.h - reach, self.h + reach

    def plot(self) -> Figure:
        """The log-log diagram that the estimate is the slope of."""
        from parshall.long_memory.plots import plot_all

        return plot_all([self])


def hurst(
    series: ArrayLike,
    method: Method = "local-whittle",
    *,
    power: float | None = None,
    frequencies: SupportsIndex | None = None,
    first_octave: SupportsIndex | None = None,
) -> HurstEstimate:
    """Estimate the Hurst parameter of a series.

    ``"local-whittle"`` (Robinson 1995) uses the lowest ``n^power`` Fourier frequencies, 0.65 if nothing is
    given, or so many ``frequencies``. ``"wavelet"`` (Abry and Veitch 1998) uses octaves from ``first_octave``
    on, 3 if nothing is given. ``"whittle-fgn"`` and ``"whittle-farima"`` maximise Whittle's likelihood of a
    family over all frequencies: sharp if the series belongs to it, wrong otherwise.
    ``"aggregated-variance"``, ``"rescaled-range"`` and ``"anis-lloyd"`` are customary, biased, and here for
    comparison.

    Raises InputError for a series that is too short (32 samples, 80 for wavelets, 256 for blocks), constant,
    or not finite, and for settings that the method does not have.
    """
    if not isinstance(method, str) or method not in METHODS:
        raise InputError("method", shown(method), ", ".join(METHODS))
    if method != "local-whittle" and (power is not None or frequencies is not None):
        name, value = ("power", power) if power is not None else ("frequencies", frequencies)
        raise InputError(name, shown(value), "a bandwidth with the method local-whittle only")
    if method != "wavelet" and first_octave is not None:
        raise InputError("first_octave", shown(first_octave), "an octave with the method wavelet only")
    if power is not None and frequencies is not None:
        raise InputError("frequencies", shown(frequencies), "a power or a number of frequencies, not both")
    samples = arguments.samples("series", series)
    try:
        found = _core.hurst(
            samples,
            method,
            power=None if power is None else arguments.real("power", power),
            frequencies=None if frequencies is None else arguments.count("frequencies", frequencies),
            first_octave=None if first_octave is None else arguments.count("first_octave", first_octave),
        )
    except ValueError as fault:
        raise InputError(*fault.args) from None
    return HurstEstimate(
        method=method,
        h=found["h"],
        standard_error=found["standard_error"],
        flags=frozenset(flag.replace(" ", "-") for flag in found["flags"].split(", ") if flag),
        shift_at=found["shift_at"],
        points=found["points"],
        samples=len(samples),
        x=found["x"],
        y=found["y"],
        weight=found["weight"],
    )


def hurst_all(series: ArrayLike) -> dict[str, HurstEstimate]:
    """All methods side by side, those that the series is long enough for.

    Raises InputError as :func:`hurst` does, if not even the first of them can be used.
    """
    samples = arguments.samples("series", series)
    found: dict[str, HurstEstimate] = {METHODS[0]: hurst(samples)}
    for method in METHODS[1:]:
        try:
            found[method] = hurst(samples, method)
        except InputError:
            continue
    return found
