"""Table 1 and Figures 1 to 3 of the report."""

from __future__ import annotations

from collections.abc import Iterator

from parshall import plot
from parshall_studies import study as st
from parshall_studies.arima_vegas.document import TABLE_1
from parshall_studies.arima_vegas.models import KPSS_LIMIT, LAGS, MODELS, model_name

_LINE = st.Look("series", plot.SERIES[0], line="-", width=0.8)
_BAND = plot.FAINT


def model_figures(results: st.Results) -> Iterator[st.Figure | st.Table]:
    """Of every series at hand."""
    series = [str(each) for each in results.labels("models", "series")]
    yield _table_1(results, series)
    yield _fits(results, series)
    yield _figure_1(results, series)
    yield _figure_2(results, series)
    yield _figure_3(results, series)


def _table_1(results: st.Results, series: list[str]) -> st.Table:
    """AIC of each model less the least of its series, as printed and on each series."""
    printed = {model_name(order): float(aic) for order, (aic, _) in TABLE_1.items()}
    least = min(printed.values())
    rows = [
        (
            model,
            st.Number(printed[model] - least, decimals=4),
            *(
                st.Number(float(results.values("models", "aic", series=name, model=model).array), decimals=4)
                for name in series
            ),
        )
        for model in MODELS
    ]
    return st.Table("table-1", (st.Column("Model", "text", key=True), "printed", *series), rows, "matrix")


def _fits(results: st.Results, series: list[str]) -> st.Table:
    """ARIMA(2,1,1) as it is fitted to each series."""
    columns = ("samples", "phi1", "phi2", "theta1", "kpss_once", "ljung_box", "straightness")
    rows = [
        (name, *(float(results.values("chosen", column, series=name).array) for column in columns))
        for name in series
    ]
    heads = (
        *("samples", "\u03c6\u2081", "\u03c6\u2082", "\u03b8\u2081"),
        *(f"KPSS (limit {KPSS_LIMIT})", "Ljung\u2013Box p", "normal plot"),
    )
    return st.Table("fits", (st.Column("Series", "text", key=True), *heads), rows)


def _figure_1(results: st.Results, series: list[str]) -> st.Figure:
    """Run sequences and autocorrelations."""
    panels = []
    for name in series:
        own = results.rows("sequence", series=name)
        sample, rtt = (own[column].to_numpy() for column in ("sample", "rtt"))
        panels.append(
            st.Panel(
                (st.Trace(_LINE(label="round trip"), sample, rtt),),
                name,
                st.Axis("round trip", "ms"),
                st.Axis("sample"),
            )
        )
        panels.append(_correlogram(results, name, "acf", "autocorrelation"))
    return _grid("fig-1", panels)


def _figure_2(results: st.Results, series: list[str]) -> st.Figure:
    """Correlations of the differences."""
    panels = [
        _correlogram(results, name, column, label)
        for name in series
        for column, label in (("acf_once", "autocorrelation"), ("pacf_once", "partial"))
    ]
    return _grid("fig-2", panels)


def _figure_3(results: st.Results, series: list[str]) -> st.Figure:
    """Histograms and normal plots of the residuals."""
    panels = []
    for name in series:
        own, normal = (results.rows(table, series=name) for table in ("histogram", "normal"))
        density = own["bin"].to_numpy(), own["density"].to_numpy()
        straight = normal["quantile"].to_numpy(), normal["residual"].to_numpy()
        panels += [
            st.Panel(
                (st.Trace(_LINE(label="residuals"), *density, style="steps"),),
                name,
                st.Axis("density"),
                st.Axis("residual", "sd"),
            ),
            st.Panel(
                (st.Trace(_LINE(label="residuals", marker="."), *straight, style="points", label=False),),
                name,
                st.Axis("residual", "sd"),
                st.Axis("normal quantile"),
                marks=(st.Mark(),),
            ),
        ]
    return _grid("fig-3", panels)


def _correlogram(results: st.Results, name: str, column: str, label: str) -> st.Panel:
    own = results.rows("correlations", series=name)
    lag, found = own["lag"].to_numpy(), own[column].to_numpy()
    band = float(own["band"].to_numpy()[0])
    look = _LINE(label=label, marker=".", width=1.0)
    return st.Panel(
        (st.Trace(look, lag, found, low=[0.0] * len(lag), high=found, style="points", label=False),),
        name,
        st.Axis(label),
        st.Axis("lag", limits=(0, LAGS + 1)),
        marks=(st.Mark(y=(-band, band)),),
    )


def _grid(id: str, panels: list[st.Panel]) -> st.Figure:
    height = 1.9 * (len(panels) // 2)
    x, y = st.Axis("lag"), st.Axis("correlation")
    return st.drawn(id, panels, x, y, columns=2, height=height, share=(False, False))
