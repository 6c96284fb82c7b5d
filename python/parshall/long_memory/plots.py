"""Log-log diagrams of estimates of H."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from parshall.errors import InputError
from parshall.estimators import arguments
from parshall.plot import FAINT, SERIES, drawing, standalone, to_svg

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from parshall.long_memory.estimates import HurstEstimate

__all__ = ["TITLES", "plot_all", "svg_of"]

TITLES = {
    "local-whittle": "Local Whittle",
    "wavelet": "Wavelets",
    "whittle-fgn": "Whittle, fGn",
    "whittle-farima": "Whittle, FARIMA",
    "aggregated-variance": "Aggregated variance",
    "rescaled-range": "Rescaled range",
    "anis-lloyd": "Anis-Lloyd",
}

LABELS = {
    "wavelet": ("octave", "log2 energy"),
    "aggregated-variance": ("log2 block size", "log2 variance of means"),
    "rescaled-range": ("log2 block size", "log2 R/S"),
    "anis-lloyd": ("log2 block size", "log2 R/S, corrected"),
}
SPECTRUM = ("log2 frequency (cycles a sample)", "log2 periodogram")


def slope_of(found: HurstEstimate) -> float:
    """The slope of the line that stands for H in the diagram of a method."""
    if found.method == "aggregated-variance":
        return 2 * found.h - 2
    if found.method in ("rescaled-range", "anis-lloyd"):
        return found.h
    return (2 * found.h - 1) * (1 if found.method == "wavelet" else -1)


def plot_all(estimates: Sequence[HurstEstimate]) -> Figure:
    """A diagram for each estimate: what it is made of, and the line whose slope stands for H."""
    with _panels(estimates) as canvas:
        return canvas


def svg_of(estimates: Sequence[HurstEstimate], title: str) -> str:
    """The figure as the text of an SVG file."""
    description = (
        "Log-log diagrams of estimates of the Hurst parameter H, and lines whose slopes stand for it."
    )
    with _panels(estimates) as canvas:
        return standalone(to_svg(canvas, "hurst", title, description))


@contextmanager
def _panels(estimates: Sequence[HurstEstimate]) -> Iterator[Figure]:
    found = list(estimates) if isinstance(estimates, Iterable) else [estimates]
    if not all(hasattr(each, "standard_error") for each in found):
        raise arguments.wrong_type("estimates", estimates, "estimates of hurst()")
    if not found:
        raise InputError("estimates", "none", "at least one estimate")
    columns = min(len(found), 2)
    rows = -(-len(found) // columns)
    with drawing(2.6 * rows, rows=rows, columns=columns, width=3.7 * columns) as (canvas, axes):
        for axis, each in zip(axes, found, strict=False):
            _diagram(axis, each)
        for axis in axes[len(found) :]:
            axis.set_visible(False)
        yield canvas


def _diagram(axis: Axes, found: HurstEstimate) -> None:
    spectral = found.method not in LABELS
    size, color = (1.2, FAINT) if spectral else (4, SERIES[0])
    axis.plot(found.x, found.y, "o", markersize=size, color=color, rasterized=len(found.x) > 5000)
    slope = slope_of(found)
    # A periodogram's logarithm lies below that of the spectrum by Euler's constant on average.
    middle = np.average(found.y, weights=found.weight) + (np.euler_gamma / np.log(2) if spectral else 0.0)
    ends = np.array([found.x.min(), found.x.max()])
    centre = np.average(found.x, weights=found.weight)
    label = f"H = {found.h:.3f} ± {found.standard_error:.3f}"
    axis.plot(ends, middle + slope * (ends - centre), color=SERIES[1], label=label)
    across, up = LABELS.get(found.method, SPECTRUM)
    axis.set(title=TITLES[found.method], xlabel=across, ylabel=up)
    axis.legend(loc="best", fontsize=7.5)
