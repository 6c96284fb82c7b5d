"""A run in a few figures, which two runs can be compared by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.recording.counters import LOST
from parshall.recording.fairness import compared_flows, fairness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

    Reals = NDArray[np.float64]

__all__ = ["Figures", "figures_of", "of_recording", "with_bottleneck"]


@dataclass(frozen=True)
class Figures:
    """Figures of a run by name, and what one of its ports adds to them, in the order of the ports."""

    values: Mapping[str, float]
    ports: tuple[str, ...]
    shown: NDArray[np.bool_]
    """Returns true if ``parshall run`` shows the port: its link has a name, or it lost packets."""
    spent: Reals
    """Seconds that packets spent there in all."""
    delay: Reals
    """Mean, in seconds."""
    most_held: Reals
    """Packets."""


def with_bottleneck(runs: Sequence[Figures]) -> tuple[str, list[dict[str, float]]]:
    """The bottleneck of these runs of one scenario, and the figures of each run with those of that port.

    It is the port at which packets spent most time, all runs together, among those that ``parshall run``
    shows; among all, where it shows none.
    """
    shown = np.any([run.shown for run in runs], axis=0)
    spent = np.sum([run.spent for run in runs], axis=0)
    place = int(np.where(shown | ~shown.any(), spent, -1.0).argmax())
    return runs[0].ports[place], [
        {
            **run.values,
            "delay at the bottleneck, ms": 1e3 * float(run.delay[place]),
            "most held at the bottleneck, packets": float(run.most_held[place]),
        }
        for run in runs
    ]


def of_recording(recording: Recording) -> Figures:
    """The figures of a recording."""
    flows, ports = recording.columns("flows"), recording.columns("ports")
    named = set(recording.scenario.named_ports)
    compared = compared_flows(recording.scenario)
    return figures_of(flows, ports, recording.counted_seconds, recording.ports, named, compared)


def figures_of(
    flows: Mapping[str, Any],
    ports: Mapping[str, Any],
    seconds: float,
    names: Sequence[str],
    named: set[str],
    compared: Sequence[int],
) -> Figures:
    """Figures from the counters of flows and ports over so many seconds. Those of nothing are NaN.

    ``names`` are those of the ports, of which some are ``named`` after a link; fairness is that of the flows
    ``compared``, by their rows.
    """
    delivered = _reals(flows["bytes_delivered"])
    sent = _reals(flows["packets_sent"]).sum()
    delay = _reals(ports["mean_delay"])
    lost = np.sum([_reals(ports[column]) for column in LOST], axis=0) > 0
    values = {
        "goodput, Mbit/s": float(8e-6 * delivered.sum() / seconds),
        "fairness (Jain)": fairness(delivered.tolist(), compared),
        "dropped, %": 100 * _ratio(_reals(flows["packets_dropped"]).sum(), sent),
        "retransmitted, %": 100 * _ratio(_reals(flows["packets_retransmitted"]).sum(), sent),
        "timeouts": float(_reals(flows["timeouts"]).sum()),
    }
    return Figures(
        values,
        tuple(names),
        lost | np.array([name in named for name in names], dtype=np.bool_),
        np.nan_to_num(delay) * _reals(ports["packets_departed"]),
        delay,
        _reals(ports["max_backlog_packets"]),
    )


def _reals(values: Sequence[Any]) -> Reals:
    return np.asarray(values, dtype=np.float64)


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else float("nan")
