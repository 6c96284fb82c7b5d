"""A run in a few figures, which two runs can be compared by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.stats import jain

if TYPE_CHECKING:
    from parshall.recording import Recording

__all__ = ["figures_of", "of_recording"]


def of_recording(recording: Recording) -> dict[str, float]:
    """The figures of a recording."""
    flows, ports = recording.columns("flows"), recording.columns("ports")
    return figures_of(flows, ports, recording.counted_seconds)


def figures_of(flows: Mapping[str, Any], ports: Mapping[str, Any], seconds: float) -> dict[str, float]:
    """Figures by name, from the counters of flows and ports over so many seconds. Those of nothing are NaN.

    Fairness is Jain's index of the flows' goodputs (Jain, Chiu and Hawe 1984); the bottleneck is the port at
    which packets spent most time in all.
    """
    delivered = _reals(flows["bytes_delivered"])
    sent, delay = _reals(flows["packets_sent"]).sum(), _reals(ports["mean_delay"])
    spent = np.nan_to_num(delay) * _reals(ports["packets_departed"])
    bottleneck = int(spent.argmax())
    return {
        "goodput, Mbit/s": float(8e-6 * delivered.sum() / seconds),
        "fairness (Jain)": jain(delivered),
        "dropped, %": 100 * _ratio(_reals(flows["packets_dropped"]).sum(), sent),
        "retransmitted, %": 100 * _ratio(_reals(flows["packets_retransmitted"]).sum(), sent),
        "timeouts": float(_reals(flows["timeouts"]).sum()),
        "delay at the bottleneck, ms": float(1e3 * delay[bottleneck]),
        "most held at the bottleneck": float(_reals(ports["max_backlog_packets"])[bottleneck]),
    }


def _reals(values: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray(values, dtype=np.float64)


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else float("nan")
