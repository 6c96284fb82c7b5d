"""Numbers that the report's sentences are made with."""

from __future__ import annotations

from typing import Any

import numpy as np

from parshall_studies import study as st
from parshall_studies.arima_vegas import document, measures, networks, senders
from parshall_studies.arima_vegas.document import KS
from parshall_studies.arima_vegas.measures import ERRORS
from parshall_studies.arima_vegas.models import CHOSEN, SHOWN
from parshall_studies.arima_vegas.quantities import gain, grid, of
from parshall_studies.arima_vegas.senders import ABLATION, ARTT, FORECASTERS, VEGAS
from parshall_studies.arima_vegas.timeouts import STANDARD


def facts(results: st.Results, judged: st.Judgements) -> dict[str, Any]:
    """By the names under which the page knows them."""
    del judged
    by_errors = {errors: _gains(results, errors) for errors in ("none", "up")}
    together = [each for each in measures.OFFSETS if abs(each) <= 2 * networks.START_SPREAD]
    aic = results.values("models", "aic", model=CHOSEN)
    return {
        "series": [str(each) for each in results.labels("models", "series")],
        "shown_samples": SHOWN,
        "chosen_on": int((aic.array == 0).sum()),
        "lacks": float(aic.array.max()),
        "timeouts": _timeouts(results) if "timeouts" in results else [],
        "risks": {
            what: results.values("risks", what).array.ravel().tolist() if "risks" in results else []
            for what in ("kept", "wait_ratio")
        },
        "net": networks,
        "senders": senders,
        "document": document,
        "errors": ERRORS,
        "cf": measures.CF,
        "gains": by_errors,
        "printed_gains": document.gains(document.TABLE_3),
        "replaced": {errors: _replaced(results, errors) for errors in ("none", "up")},
        "windows": {
            name: [
                _mean(of("ablation", "window", name, errors=each, k=list(KS)), results) for each in by_errors
            ]
            for name in ABLATION
        },
        "full": {
            name: [
                100 * _mean(of("ablation", "full", name, errors=each, k=list(KS)), results)
                for each in by_errors
            ]
            for name in ABLATION
        },
        "offsets": {
            name: [_mean(of("offsets", "throughput", name, offset=each), results) for each in together]
            for name in (VEGAS, ARTT)
        },
        "late": {
            name: _mean(of("offsets", "throughput", name, offset=1.0), results) for name in (VEGAS, ARTT)
        },
        "today": {
            name: [
                _mean(of("today", "throughput", name, errors="none", k=k), results)
                / _mean(of("today", "throughput", VEGAS, errors="none", k=k), results)
                for k in KS
            ]
            for name in senders.TODAY
        },
        "grows": {
            name: [100 * _mean(of("decisions", "grows", name, k=k), results) for k in KS]
            for name in (ARTT, "last-value")
        },
        "slow": [
            _mean(grid("first_slow_start", name, "up", cf=measures.CF, k=2), results)
            for name in (VEGAS, ARTT)
        ],
        "meetings": {
            (x, y): [_mean(_meeting(rate, x, y), results) for rate in ("first_rate", "second_rate")]
            for x, y in networks.PAIRS
        },
        "delays": {(x, y): _mean(_meeting("delay", x, y), results) for x, y in networks.PAIRS},
        "example": int(results.labels("windows", "seed")[0]),
    }


def _timeouts(results: st.Results) -> list[tuple[str, float, float, float]]:
    """For each series, beside RFC 6298's timeout: early timeouts and wait with its multiplier, and the least
    wait at its share of early timeouts.
    """

    def beside(series: str, cost: str) -> float:
        return _mean(_cost(cost, series, "artt") / _cost(cost, series, "jacobson"), results)

    return [
        (
            str(series),
            beside(str(series), "early"),
            beside(str(series), "wait"),
            _mean(st.Quantity("matched", "wait_ratio").at(series=series, family="artt"), results),
        )
        for series in results.labels("timeouts", "series")
    ]


def _cost(cost: str, series: str, family: str) -> st.Expression:
    return st.Quantity("timeouts", cost).at(series=series, family=family, knob=STANDARD)


def _meeting(metric: str, first: str, second: str) -> st.Expression:
    return st.Quantity("meetings", metric).at(first=first, second=second)


def _mean(expression: st.Expression, results: st.Results) -> float:
    return float(np.mean(expression.values(results).array))


def _gains(results: st.Results, errors: str) -> list[float]:
    """Per cent of throughput that CA-ARTT has more, a mean over seeds for each of the 20 cells."""
    return [float(np.mean(values)) for _, values in gain(errors).values(results).members()]


def _replaced(results: st.Results, errors: str) -> dict[str, list[float]]:
    """Throughput with each other forecaster over that with ARIMA, at each K."""
    return {
        name: [
            _mean(of("ablation", "throughput", name, errors=errors, k=k), results)
            / _mean(of("ablation", "throughput", ARTT, errors=errors, k=k), results)
            for k in KS
        ]
        for name in FORECASTERS
    }
