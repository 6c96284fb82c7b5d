"""The forecast as a retransmission timeout, which the document leaves as future work, and a timeout whose
only setting is the risk of firing too early, on measured round-trip times: how often each fires too early,
and how long it waits (Allman and Paxson 1999).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall import estimators
from parshall_studies import study as st
from parshall_studies.median_rto.costs import DATA, WARM_UP, measured_rtts

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from parshall.estimators import RtoEstimator

__all__ = ["DATA", "FAMILIES", "QUANTILE", "RISKS", "STANDARD", "TABLES", "Setting", "settings", "weigh"]

TABLES = ("timeouts", "matched", "risks")
"""A row for each setting on each series; the best of each family on each; what becomes of each risk."""
FAMILIES: Mapping[str, str] = {
    "jacobson": "mean, RFC 6298",
    "median": "median of 5",
    "artt": "ARIMA(2,1,1)",
    "quantile": "quantile, by its risk",
}
QUANTILE = "quantile"
"""The one that is set by a risk; the others are by a multiplier of their deviation."""
STANDARD = 4.0
"""The multiplier of RFC 6298."""
_MULTIPLIERS = (
    0.0,
    0.25,
    0.5,
    1.0,
    1.5,
    2.0,
    2.5,
    3.0,
    STANDARD,
    5.0,
    6.0,
    8.0,
    10.0,
    12.0,
    16.0,
    20.0,
    24.0,
)
RISKS = (0.1, 0.03, 0.01)
"""Shares of early timeouts that are asked for. Of a smaller one the shortest series has too few to tell."""
_FURTHER_RISKS = (0.003, 0.001)


@dataclass(frozen=True)
class Setting:
    """A filter with one choice of what trades early timeouts for waiting."""

    family: str
    knob: float
    """The multiplier of the deviation, or the risk."""
    make: Callable[[], RtoEstimator]

    @property
    def name(self) -> str:
        """Unique among all."""
        return f"{self.family} {self.knob:g}"


def settings() -> list[Setting]:
    """Every family over its knob, without a least RTO, which would hide what is estimated."""
    kinds: Mapping[str, Callable[..., RtoEstimator]] = {
        "jacobson": estimators.JacobsonRto,
        "median": partial(estimators.MedianRto, window=5),
        "artt": estimators.ArimaRto,
    }
    return [
        Setting(family, multiplier, partial(kinds[family], multiplier=multiplier, min_rto=0.0))
        for family in kinds
        for multiplier in _MULTIPLIERS
    ] + [
        Setting(QUANTILE, risk, partial(estimators.QuantileRto, risk=risk))
        for risk in (*RISKS, *_FURTHER_RISKS)
    ]


def weigh(bench: st.Workbench) -> dict[str, pa.Table]:
    """Both costs of every setting on every series that is at hand."""
    series = {name: parts[0] for name, parts in measured_rtts(bench).items()}
    if not series:
        return {}
    work = [(name, setting) for name in series for setting in settings()]
    found = bench.work("Timeouts", work, lambda item: _costs(series[item[0]], item[1]))
    columns: dict[str, list[Any]] = {
        "series": [name for name, _ in work],
        "family": [setting.family for _, setting in work],
        "knob": [setting.knob for _, setting in work],
        "early": [early for early, _ in found],
        "wait": [wait for _, wait in found],
    }
    return {
        "timeouts": st.tidy(columns, ("series", "family", "knob")),
        "matched": st.tidy(_matched(columns), ("series", "family")),
        "risks": st.tidy(_risks(columns), ("series", "risk")),
    }


def _costs(rtts: NDArray[np.float64], setting: Setting) -> tuple[float, float]:
    """The share of samples above the RTO in force, and the mean RTO over the mean sample."""
    costs = estimators.evaluate_rto(rtts, setting.make(), warm_up=WARM_UP)
    return costs.spurious / costs.samples, costs.normalized_wait


def _matched(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """For each series and family the least wait among settings that fire too early no more often than RFC
    6298's, over that setting's wait; NaN where none fires that seldom.
    """
    rows = list(zip(*(columns[name] for name in ("series", "family", "knob", "early", "wait")), strict=True))
    found: dict[str, list[Any]] = {"series": [], "family": [], "wait_ratio": []}
    for series in dict.fromkeys(columns["series"]):
        _, _, _, risk, reference = next(row for row in rows if row[:3] == (series, "jacobson", STANDARD))
        for family in FAMILIES:
            waits = [wait for s, f, _, early, wait in rows if (s, f) == (series, family) and early <= risk]
            found["series"].append(series)
            found["family"].append(family)
            found["wait_ratio"].append(min(waits) / reference if waits else float("nan"))
    return found


def _risks(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """For each series and risk the share of early timeouts over the risk, and the wait over that of the best
    other family, with whatever multiplier has that share.
    """
    rows = list(zip(*(columns[name] for name in ("series", "family", "knob", "early", "wait")), strict=True))
    found: dict[str, list[Any]] = {"series": [], "risk": [], "kept": [], "wait_ratio": []}
    for series in dict.fromkeys(columns["series"]):
        curves = {
            family: [(early, wait) for s, f, _, early, wait in rows if (s, f) == (series, family)]
            for family in FAMILIES
            if family != QUANTILE
        }
        for risk in RISKS:
            _, _, _, early, wait = next(row for row in rows if row[:3] == (series, QUANTILE, risk))
            found["series"].append(series)
            found["risk"].append(risk)
            found["kept"].append(early / risk)
            waits = [found_wait for curve in curves.values() if (found_wait := _wait_at(early, curve))]
            found["wait_ratio"].append(wait / min(waits) if waits else float("nan"))
    return found


def _wait_at(early: float, curve: list[tuple[float, float]]) -> float | None:
    """The wait of a family at a share of early timeouts, along straight lines between its multipliers; none
    where no multiplier leads there.
    """
    shares, waits = np.array(sorted(curve)).T
    inside = shares[0] <= early <= shares[-1]
    return float(np.interp(early, shares, waits)) if inside else None
