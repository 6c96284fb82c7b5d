"""Table 1 and Figures 1 to 3 of the report, of every series at hand."""

from __future__ import annotations

from collections.abc import Iterable

from parshall import plot
from parshall_studies import study as st
from parshall_studies.arima_vegas.document import TABLE_1
from parshall_studies.arima_vegas.models import KPSS_LIMIT, LAGS, MODELS, model_name

_LINE = st.Look("series", plot.SERIES[0], line="-", width=0.8)
_ROUND_TRIPS, _RESIDUALS = _LINE(label="round trip"), _LINE(label="residuals")
_RESIDUAL = st.Axis("residual", "sd")


def _series(results: st.Results) -> list[str]:
    return [str(each) for each in results.labels("models", "series")]


def _table_1(results: st.Results, judged: st.Judgements) -> st.Table:
    """AIC of each model less the least of its series, as printed and on each series."""
    printed = {model_name(order): float(aic) for order, (aic, _) in TABLE_1.items()}
    columns = {"printed": {model: aic - min(printed.values()) for model, aic in printed.items()}}
    for series in _series(results):
        found = results.values("models", "aic", series=series)
        columns[series] = dict(zip(map(str, found.labels["model"]), found.array, strict=True))
    rows = [
        (model, *(st.Number(float(column[model]), decimals=4) for column in columns.values()))
        for model in MODELS
    ]
    return st.Table("table-1", ("Model", *columns), rows, "matrix")


def _figure_1(results: st.Results, judged: st.Judgements) -> st.Figure:
    """Run sequences and autocorrelations."""
    return _grid(
        "fig-1",
        (
            panel
            for series in _series(results)
            for panel in (
                st.Panel(
                    [
                        *st.Course(
                            "sequence", "sample", "rtt", _ROUND_TRIPS, where={"series": series}
                        ).traces(results)
                    ],
                    series,
                    st.Axis("round trip", "ms"),
                    st.Axis("sample"),
                ),
                _correlogram(results, series, "acf", "autocorrelation"),
            )
        ),
    )


def _figure_2(results: st.Results, judged: st.Judgements) -> st.Figure:
    """Correlations of the differences."""
    return _grid(
        "fig-2",
        (
            _correlogram(results, series, column, label)
            for series in _series(results)
            for column, label in (("acf_once", "autocorrelation"), ("pacf_once", "partial"))
        ),
    )


def _figure_3(results: st.Results, judged: st.Judgements) -> st.Figure:
    """Histograms and normal plots of the residuals."""
    panels = []
    for series in _series(results):
        own, normal = (results.rows(table, series=series) for table in ("histogram", "normal"))
        density = st.Trace(_RESIDUALS, own["bin"].to_numpy(), own["density"].to_numpy(), style="steps")
        dots = _RESIDUALS(marker=".")
        straight = st.Trace(
            dots, normal["quantile"].to_numpy(), normal["residual"].to_numpy(), style="points", label=False
        )
        panels += [
            st.Panel([density], series, st.Axis("density"), _RESIDUAL),
            st.Panel([straight], series, _RESIDUAL, st.Axis("normal quantile"), [st.Mark()]),
        ]
    return _grid("fig-3", panels)


def _correlogram(results: st.Results, series: str, column: str, label: str) -> st.Panel:
    own = results.rows("correlations", series=series)
    lag, found = own["lag"].to_numpy(), own[column].to_numpy()
    band = float(own["band"].to_numpy()[0])
    look = _LINE(label=label, marker=".", width=1.0)
    line = st.Trace(look, lag, found, low=[0.0] * len(lag), high=found, style="points", label=False)
    x = st.Axis("lag", limits=(0, LAGS + 1))
    return st.Panel([line], series, st.Axis(label), x, [st.Mark(y=(-band, band))])


def _grid(id: str, panels: Iterable[st.Panel]) -> st.Figure:
    every = list(panels)
    x, y = st.Axis("lag"), st.Axis("correlation")
    return st.drawn(id, every, x, y, columns=2, height=1.9 * (len(every) // 2), share=(False, False))


SHOWN: tuple[st.Shown, ...] = (
    st.Made(_table_1),
    st.means_table(
        "fits",
        "Series",
        "chosen.series",
        st.columns(
            "chosen", samples="samples", phi1="\u03c6\u2081", phi2="\u03c6\u2082", theta1="\u03b8\u2081"
        )
        | st.columns("chosen", kpss_once=f"KPSS (limit {KPSS_LIMIT})", ljung_box="Ljung\u2013Box p")
        | st.columns("chosen", straightness="normal plot"),
    ),
    st.Made(_figure_1),
    st.Made(_figure_2),
    st.Made(_figure_3),
)
