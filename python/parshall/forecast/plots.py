"""The table and the figure of an identification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parshall.forecast.correlation import Correlations, correlations
from parshall.forecast.files.numbers import in_unit
from parshall.plot import FAINT, GRID, INK, SERIES, drawing

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from parshall.forecast.identification import Candidate, Identification

    Floats = NDArray[np.float64]

__all__ = ["plot_identification", "table_of"]


def plot_identification(found: Identification, *, unit: str, lags: int) -> Figure:
    """Run sequence, the differenced series (if it is not, the residuals), ACF and PACF, histogram and normal
    plot of the residuals.
    """
    import numpy as np

    scale = in_unit(unit)
    differenced = np.diff(found.series, found.d) * scale
    correlated = correlations(differenced, min(lags, len(differenced) - 1))
    residuals = found.choice.fit.residuals * scale
    model = f"ARIMA({','.join(map(str, found.choice.order))})"
    named = f" ({unit})" if unit else ""
    with drawing(7.6, rows=3, columns=2, width=7.4) as (canvas, axes):
        _run_sequence(axes[0], found.series * scale, "Series", f"value{named}", 0)
        if found.d:
            title = "Differenced once" if found.d == 1 else "Differenced twice"
            _run_sequence(axes[1], differenced, title, f"change{named}", found.d)
        else:
            first = len(found.series) - len(residuals)
            _run_sequence(axes[1], residuals, "Residuals in their order", f"residual{named}", first)
        _stems(axes[2], correlated.acf, f"Autocorrelation (d = {found.d})", "autocorrelation")
        _bands(axes[2], correlated, bartlett=True)
        _stems(
            axes[3], correlated.pacf, f"Partial autocorrelation (d = {found.d})", "partial autocorrelation"
        )
        _bands(axes[3], correlated, bartlett=False)
        _histogram(axes[4], residuals, f"Residuals of {model}", f"residual{named}")
        _normal_plot(axes[5], residuals, f"Normal plot, {model}", f"residual{named}")
    return canvas


def _run_sequence(axis: Axes, values: Floats, title: str, label: str, first: int) -> None:
    axis.plot(
        range(first + 1, first + 1 + len(values)),
        values,
        color=SERIES[0],
        linewidth=0.7,
        rasterized=len(values) > 5000,
    )
    axis.set(title=title, xlabel="sample", ylabel=label)


def _stems(axis: Axes, values: Floats, title: str, label: str) -> None:
    from matplotlib.ticker import MaxNLocator

    lags = range(1, len(values))
    axis.vlines(lags, 0, values[1:], color=SERIES[0], linewidth=1.6)
    axis.plot(lags, values[1:], "o", color=SERIES[0], markersize=3)
    axis.axhline(0, color=FAINT, linewidth=0.8)
    axis.set(title=title, xlabel="lag (samples)", ylabel=label, xlim=(0.2, len(values) - 0.2))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))


def _bands(axis: Axes, found: Correlations, *, bartlett: bool) -> None:
    lags = range(1, found.lags + 1)
    if bartlett:
        band = found.bartlett[1:]
        axis.fill_between(lags, -band, band, color=GRID, alpha=0.8, linewidth=0, label="95 %, Bartlett")
    for side in (-1, 1):
        axis.axhline(
            side * found.white_noise,
            color=SERIES[1],
            linewidth=0.9,
            linestyle="--",
            label="95 %, white noise" if side > 0 else None,
        )
    low, high = axis.get_ylim()
    # Room above the stems for the legend.
    axis.set_ylim(low, high + 0.35 * (high - low))
    axis.legend(loc="upper right", ncols=2, fontsize=7.5, handlelength=1.3, columnspacing=1.0)


def _histogram(axis: Axes, residuals: Floats, title: str, label: str) -> None:
    """Bins over the middle 99 %, and the normal density of the same mean and variance."""
    import numpy as np
    from matplotlib.ticker import MaxNLocator

    low, high = np.quantile(residuals, [0.005, 0.995])
    inside = residuals[(residuals >= low) & (residuals <= high)]
    if np.ptp(inside) == 0:
        inside = residuals
    bins = int(np.clip(np.sqrt(len(inside)), 8, 50))
    _, edges, _ = axis.hist(
        inside,
        bins=bins,
        weights=np.full(len(inside), 1 / len(residuals)),
        color=SERIES[0],
        alpha=0.75,
        label="residuals",
    )
    mean, deviation, width = residuals.mean(), residuals.std(), edges[1] - edges[0]
    places = np.linspace(edges[0], edges[-1], 200)
    density = np.exp(-0.5 * ((places - mean) / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))
    axis.plot(places, density * width, color=SERIES[1], label="normal")
    axis.xaxis.set_major_locator(MaxNLocator(4))
    outside = len(residuals) - len(inside)
    axis.set(title=title, xlabel=label + (f"; {outside} lie outside" if outside else ""), ylabel="share")
    axis.legend(loc="upper right", fontsize=7.5)


def _normal_plot(axis: Axes, residuals: Floats, title: str, label: str) -> None:
    import numpy as np
    from scipy.special import ndtri

    n = len(residuals)
    quantiles = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    axis.plot(quantiles, np.sort(residuals), "o", color=SERIES[0], markersize=2.2, rasterized=n > 5000)
    ends = quantiles[[0, -1]]
    axis.plot(ends, residuals.mean() + residuals.std() * ends, color=INK, linewidth=0.9, label="normal")
    axis.set(title=title, xlabel="normal quantile", ylabel=label)
    axis.legend(loc="upper left", fontsize=7.5)


# --- Text ---------------------------------------------------------------------------------------------------


def table_of(found: Identification) -> str:
    """The candidates as a table, the choice marked, and the reasons below it."""
    head = ["", "model", "ar", "ma", "sigma2", "AIC (14)", "FPE (15)", "AIC", "BIC", "Ljung-Box p", "flags"]
    rows = [head, *(_row(candidate, candidate is found.choice) for candidate in found.candidates)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join([*(line.rstrip() for line in lines), "", found.why])


def _row(candidate: Candidate, chosen: bool) -> list[str]:
    fit = candidate.fit
    return [
        "*" if chosen else "",
        f"({','.join(map(str, fit.order))})",
        " ".join(f"{phi:.4f}" for phi in fit.ar),
        " ".join(f"{theta:.4f}" for theta in fit.ma),
        f"{fit.sigma2:.5g}",
        f"{fit.aic_of_variance:.4f}",
        f"{fit.fpe:.5g}",
        f"{fit.aic:.2f}",
        f"{fit.bic:.2f}",
        f"{candidate.ljung_box.p_value:.2g}",
        ", ".join([*sorted(fit.flags), *([] if fit.converged else ["not converged"])]),
    ]
