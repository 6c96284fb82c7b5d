"""What is shown of timeouts on measured round-trip times: both costs of each, and what becomes of a risk."""

from __future__ import annotations

from collections.abc import Iterator

from parshall import plot
from parshall_studies import study as st
from parshall_studies.arima_vegas.timeouts import FAMILIES, RISKS, STANDARD

__all__ = ["shown"]


def shown(results: st.Results) -> Iterator[st.Figure | st.Table]:
    """All of it."""
    yield _frontiers(results)
    yield _matched(results)
    yield _risks(results)


_FAMILY_LOOKS = st.looks(FAMILIES)


def _frontiers(results: st.Results) -> st.Figure:
    """Both costs of every setting, series by series; a large mark is the multiplier of RFC 6298."""
    panels = []
    for series in results.labels("timeouts", "series"):
        traces = []
        for family, look in _FAMILY_LOOKS.items():
            early, wait = (
                results.values("timeouts", cost, series=series, family=family) for cost in ("early", "wait")
            )
            traces.append(st.Trace(look, 100 * early.array, wait.array))
            at = early.labels["knob"].index(STANDARD) if STANDARD in early.labels["knob"] else None
            if at is not None:
                marked = look(size=10.0, edge=plot.INK)
                point = [100 * float(early.array[at])], [float(wait.array[at])]
                traces.append(st.Trace(marked, *point, style="points", label=False))
        panels.append(st.Panel(tuple(traces), str(series)))
    x = st.Axis("early timeouts", "%", log=True)
    y = st.Axis("wait / mean round trip", log=True)
    return st.drawn("timeouts", panels, x, y, columns=2, height=5.2, share=(False, False))


def _matched(results: st.Results) -> st.Table:
    rows = []
    for series in results.labels("matched", "series"):
        ratios = [
            float(results.values("matched", "wait_ratio", series=series, family=f).array) for f in FAMILIES
        ]
        early = [
            100 * float(results.values("timeouts", "early", series=series, family=f, knob=STANDARD).array)
            for f in ("jacobson", "artt")
        ]
        rows.append((str(series), *early, *ratios))
    heads = ("early, RFC 6298 (%)", "early, ARIMA (%)", *(f"wait, {label}" for label in FAMILIES.values()))
    return st.Table("matched", (st.Column("Series", "text", key=True), *heads), rows)


def _risks(results: st.Results) -> st.Table:
    """What becomes of each risk that is asked for."""
    rows = [
        (
            str(series),
            *(
                float(results.values("risks", what, series=series, risk=risk).array)
                for what in ("kept", "wait_ratio")
                for risk in RISKS
            ),
        )
        for series in results.labels("risks", "series")
    ]
    heads = [f"{what}, {100 * risk:g} %" for what in ("share over risk", "wait over best") for risk in RISKS]
    return st.Table("risks", (st.Column("Series", "text", key=True), *heads), rows)
