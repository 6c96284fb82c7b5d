"""Quantities of the model as packets show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_studies.fluid.setting import Setting
    from parshall_studies.study.values import Reals

__all__ = ["SAMPLE_EVERY", "of_run"]

SAMPLE_EVERY = 0.01
"""Seconds between samples of the queue."""
_COUNTED = ("packets_arrived", "packets_dropped")
_PORT = 0


def of_run(setting: Setting, run: Recording) -> dict[str, float]:
    """The model's quantities as packets show them; ``loss`` in %, ``queue`` with the packet in
    transmission, ``window`` as what a TCP flow sends in a round trip.
    """
    flows, ports = run.columns("flows"), run.columns("ports")
    sent = np.asarray(flows["packets_sent"], dtype=float)
    delay = float(ports["mean_delay"][_PORT])
    dropped = float(np.sum(np.asarray(flows["packets_dropped"])[: setting.tcp]))
    series = run.columns("port_series")
    late = np.asarray(series["time"]) >= run.scenario.warm_up
    backlog = np.asarray(series["backlog_packets"], dtype=float)[late]
    round_trips = setting.round_trip + backlog / setting.capacity
    return {
        "share": float(sent[setting.tcp :].sum() / sent.sum()),
        "loss": 100 * float(ports["packets_dropped"][_PORT]) / float(ports["packets_arrived"][_PORT]),
        "queue": delay * float(ports["packets_departed"][_PORT]) / run.counted_seconds,  # Little's law
        "window": float(sent[: setting.tcp].sum())
        / run.counted_seconds
        * (setting.round_trip + delay)
        / setting.tcp,
        "path_loss": 100 * dropped / max(float(sent[: setting.tcp].sum()), 1.0),
        "timeouts": float(np.sum(np.asarray(flows["timeouts"])[: setting.tcp])) / max(dropped, 1.0),
        "rtt_deviation": 100 * float(np.std(round_trips) / np.mean(round_trips)),
        **_in_a_round_trip(backlog, {name: np.asarray(series[name])[late] for name in _COUNTED}, round_trips),
    }


def _in_a_round_trip(backlog: Reals, counted: Mapping[str, Any], round_trips: Reals) -> dict[str, float]:
    """Root mean square of what changes within a mean round trip: of the queue, in its standard deviations,
    and of the drop rate, in its means.
    """
    steps = max(1, round(float(np.mean(round_trips)) / SAMPLE_EVERY))
    arrived, dropped = (np.diff(counted[name][::steps].astype(float)) for name in _COUNTED)
    rates = dropped / np.maximum(arrived, 1.0)
    moved = backlog[steps:] - backlog[:-steps]
    return {
        "queue_change": float(np.sqrt(np.mean(moved**2)) / np.std(backlog)),
        "drop_change": float(np.sqrt(np.mean(np.diff(rates) ** 2)) / np.mean(rates)),
    }
