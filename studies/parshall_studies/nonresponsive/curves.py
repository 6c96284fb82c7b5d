"""Curves of alarms, from results: hits over false alarms, and time to detect over false alarms."""

from __future__ import annotations

import numpy as np

from parshall_studies import study as st
from parshall_studies.nonresponsive.rules import LEVELS

__all__ = ["detection_curve", "roc_curve"]


def roc_curve(results: st.Results, crowd: str, name: str, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Shares in % of other intervals and of intervals of the attack with an alarm, by level."""
    of = {
        column: results.values("alarms", column, crowd=crowd, estimator=name, rule=rule)
        .along("level", "seed")
        .sum(axis=1)
        for column in ("hits", "attacks", "falses", "others")
    }
    return 100 * of["falses"] / of["others"], 100 * of["hits"] / of["attacks"]


def detection_curve(results: st.Results, crowd: str, name: str, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Means over runs of the false alarms an hour and the seconds to detect, at every other level."""
    false, delay = (
        results.values(
            "alarms", column, crowd=crowd, estimator=name, rule=rule, level=[float(x) for x in LEVELS[::2]]
        )
        .mean("seed")
        .array
        for column in ("false_alarms_per_hour", "delay")
    )
    return false, delay
