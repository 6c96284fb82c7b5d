"""Numbers of a run: the document's counts, and the course of the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import Tcp
from parshall_studies.arima_vegas.networks import FLOW, Errors
from parshall_studies.arima_vegas.senders import PAYLOAD_BYTES, WINDOW

if TYPE_CHECKING:
    from parshall.recording import Recording

ERRORS: Mapping[str, str] = {
    "none": "no errors",
    "down": "1 % downstream",
    "up": "1 % upstream",
    "both": "1 % on both",
}
PLACED: tuple[Errors, ...] = ("none", "down", "up")
"""Places of errors that the document's tables and figures are run with."""
TABLES = ("flows", "flow_series")
"""Tables of a recording that :func:`of_run` needs."""


def of_run(run: Recording) -> dict[str, float]:
    """Rates in kbit/s of payload that arrived, counts of packets, of ACKs that did not come back and of
    timeouts, and the window of the downstream flow: its mean in packets, the share of time in which it is
    the receiver's or more, how long slow start lasts, at first in seconds and in all as a share of the run,
    and the round trip in ms, a mean over time.
    """
    flows, own = run.columns("flows"), run.flows.index(FLOW)
    kilobits = 8e-3 * PAYLOAD_BYTES / run.scenario.duration
    delivered = flows["packets_delivered"]
    series = run.columns("flow_series")
    cwnd, slow = series["cwnd"], series["cwnd"] < series["ssthresh"]
    # ns-2's Vegas has data in packet 0, which stands for a SYN otherwise and is not counted.
    transport = run.scenario.flows[own].transport
    first = isinstance(transport, Tcp) and transport.recovery == "vegas" and delivered[own] > 0
    return {
        "throughput": float(delivered[own] + first) * kilobits,
        "upstream": float(delivered.sum() - delivered[own]) * kilobits,
        "retransmitted": float(flows["packets_retransmitted"][own]),
        "acks_dropped": float(flows["acks_dropped"][own]),
        "timeouts": float(flows["timeouts"][own]),
        "window": float(np.minimum(cwnd, WINDOW).mean()),
        "full": float((cwnd >= WINDOW).mean()),
        "first_slow_start": _first_slow_start(run, series["time"], slow),
        "slow_start": float(slow.mean()),
        "round_trip": 1e3 * _mean(series["rtt"]),
    }


def _first_slow_start(run: Recording, time: Any, slow: Any) -> float:
    """When the window first is not below the threshold; the end of the run where it always is."""
    over = np.flatnonzero(~slow)
    return float(time[over[0]]) if over.size else run.scenario.duration


def _mean(values: Any) -> float:
    """The mean of those that are known; NaN without any."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")
