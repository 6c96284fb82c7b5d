"""Table 1 and Figures 1 to 3 on other series: the document's data set cannot be had, so its eight models are
fitted to measured round trips and to those of a simulated run, as the document does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.stats import NORMAL_95
from parshall_studies import study as st
from parshall_studies.arima_vegas import decisions, networks
from parshall_studies.arima_vegas.document import TABLE_1
from parshall_studies.arima_vegas.senders import DOCUMENT
from parshall_studies.median_rto.costs import measured_rtts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.forecast import ArimaFit

    Reals = NDArray[np.float64]

SAMPLES = 5000
"""Samples of each measured series, from its beginning."""
LAGS = 20
SIGNIFICANCE = 0.05
KPSS_LIMIT = 0.463
"""Above it the KPSS test refuses stationarity at 5 % (Kwiatkowski et al. 1992)."""
SHOWN = 500
"""Samples of the run sequence that are drawn."""
_QUANTILES = np.arange(1, 200) / 200
_BINS = 60
_HISTOGRAM = 5.0
"""Standard deviations to either side that the histogram spans."""


def model_name(order: tuple[int, int, int]) -> str:
    """As the document writes it."""
    return f"ARIMA({','.join(map(str, order))})"


MODELS = tuple(map(model_name, TABLE_1))
ORDER = (2, 1, 1)
CHOSEN = model_name(ORDER)
ARMA, AR = (2, 0, 1), (2, 0, 0)
"""Model without differences, which the document does not think suitable."""


def identify(bench: st.Workbench) -> dict[str, Any]:
    """Tables of fits, correlations and residuals, by series."""
    series = {name: 1e3 * parts[0][:SAMPLES] for name, parts in measured_rtts(bench).items()}
    series |= _simulated(bench)
    found = bench.work("Models", list(series.values()), _of_series)
    return {
        table: st.tidy(_joined({name: rows[table] for name, rows in zip(series, found, strict=True)}), dims)
        for table, dims in (
            ("models", ("series", "model")),
            ("chosen", ("series",)),
            ("correlations", ("series", "lag")),
            ("sequence", ("series", "sample")),
            ("normal", ("series", "quantile")),
            ("histogram", ("series", "bin")),
        )
    }


def _simulated(bench: st.Workbench) -> dict[str, Reals]:
    """Round trips of both senders at the greatest upstream rate, in one run each, in milliseconds. The start
    is left out, in which one step is all that happens, and so are paths without errors, on which nothing
    happens after it.
    """
    path = networks.Path(16, 2, networks.MAIN)
    start_up = networks.DURATION / 10
    variants = {
        f"simulated, {sender.label}": partial(networks.network, sender, path, decisions.RECORD)
        for sender in DOCUMENT.values()
    }
    found = bench.each(
        "Round trips",
        variants,
        lambda _, run: decisions.acks_of(run).since(start_up).known,
        seeds=bench.seeds[:1],
        tables=("flows", "packets", "window"),
    )
    return {str(name): 1e3 * rtts[0][:SAMPLES] for name, rtts in found.items()}


Columns = Mapping[str, Any]


def _of_series(rtts: Reals) -> dict[str, Columns]:
    """Rows of each table for a series of round trips in milliseconds."""
    from parshall import forecast

    once = np.diff(rtts)
    fits = {model_name(order): forecast.fit(rtts, order, method="css") for order in TABLE_1}
    plain, differenced = (forecast.correlations(each, LAGS) for each in (rtts, once))
    arma, ar = (forecast.fit(rtts, order, method="css") for order in (ARMA, AR))
    best_aic = min(fit.aic_of_variance for fit in fits.values())
    best_fpe = min(fit.fpe for fit in fits.values())
    count = min(SHOWN, len(rtts))
    return {
        "models": {
            "model": list(fits),
            "aic": [fit.aic_of_variance - best_aic for fit in fits.values()],
            "fpe": [fit.fpe / best_fpe for fit in fits.values()],
            "sigma": [float(np.sqrt(fit.sigma2)) for fit in fits.values()],
        },
        "chosen": _chosen(fits[CHOSEN], rtts, once, arma, ar),
        "correlations": {
            "lag": list(range(1, LAGS + 1)),
            "acf": plain.acf[1:],
            "acf_once": differenced.acf[1:],
            "pacf_once": differenced.pacf[1:],
            "band": [NORMAL_95 / np.sqrt(len(once))] * LAGS,
        },
        "sequence": {"sample": list(range(count)), "rtt": rtts[:count]},
        **_residuals(fits[CHOSEN].residuals),
    }


def _chosen(fit: ArimaFit, rtts: Reals, once: Reals, arma: ArimaFit, ar: ArimaFit) -> Columns:
    """The document's model: its coefficients, what its residuals are like, and what they are over those of
    models without differences. Squares of residuals that are correlated show what no linear model has
    (McLeod and Li); both shares are 1 or 0 for a series.
    """
    from parshall import forecast

    kpss = forecast.kpss(rtts)
    squares = forecast.ljung_box(fit.residuals**2, LAGS, fitted=0).p_value

    return {
        "samples": [float(len(once) + 1)],
        "phi1": [fit.ar[0]],
        "phi2": [fit.ar[1]],
        "theta1": [fit.ma[0]],
        "kpss": [kpss],
        "kpss_once": [forecast.kpss(once)],
        "ljung_box": [forecast.ljung_box(fit.residuals, LAGS, fitted=3).p_value],
        "straightness": [_straightness(fit.residuals)],
        "one_law": [_one_law(fit.residuals)],
        "over_arma": [float(np.sqrt(fit.sigma2 / arma.sigma2))],
        "over_ar": [float(np.sqrt(fit.sigma2 / ar.sigma2))],
        "not_linear": [float(squares < SIGNIFICANCE)],
        "varies": [float(kpss > KPSS_LIMIT)],
    }


def _normal_quantiles(levels: Iterable[float]) -> Reals:
    from statistics import NormalDist

    return np.array([NormalDist().inv_cdf(float(level)) for level in levels])


def _straightness(residuals: Reals) -> float:
    """The correlation of the normal probability plot; 1 where it is a straight line."""
    levels = [(rank - 0.375) / (len(residuals) + 0.25) for rank in range(1, len(residuals) + 1)]
    return float(np.corrcoef(np.sort(residuals), _normal_quantiles(levels))[0, 1])


def _one_law(residuals: Reals) -> float:
    """Probability, if both halves had one law, of a distance between their distributions that is as large
    (Kolmogorov and Smirnov).
    """
    from scipy.stats import ks_2samp

    half = len(residuals) // 2
    return float(ks_2samp(residuals[:half], residuals[half:]).pvalue)


def _residuals(residuals: Reals) -> dict[str, Columns]:
    """The histogram and the normal probability plot, in standard deviations."""
    scaled = (residuals - residuals.mean()) / (residuals.std() or 1.0)
    counts, edges = np.histogram(scaled, bins=_BINS, range=(-_HISTOGRAM, _HISTOGRAM))
    middles = (edges[1:] + edges[:-1]) / 2
    return {
        "normal": {
            "quantile": _normal_quantiles(_QUANTILES).round(6),
            "residual": np.quantile(scaled, _QUANTILES),
        },
        "histogram": {
            "bin": middles.round(6),
            "density": counts / (len(scaled) * (edges[1] - edges[0])),
        },
    }


def _joined(by_series: Mapping[str, Columns]) -> dict[str, list[Any]]:
    """The rows of all series below each other."""
    found: dict[str, list[Any]] = {"series": []}
    for name, columns in by_series.items():
        lengths = {len(values) for values in columns.values()}
        found["series"] += [name] * lengths.pop()
        for column, values in columns.items():
            found.setdefault(column, []).extend(np.asarray(values).tolist())
    return found
