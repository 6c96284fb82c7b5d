"""Padhye's formula: what a TCP sends when timeouts count too."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from parshall.engine.measure import measure
from parshall.scenario import BernoulliLoss, Bulk, Flow, Scenario, Tcp
from parshall.stats import mean_interval
from parshall.theory.tcp_laws import padhye_send_rate
from parshall_dev.theory.comparison import Comparison, Curve, Panel, Point, PointSeries
from parshall_dev.theory.network import one_link

if TYPE_CHECKING:
    from parshall.recording import Recording

    Recovery = Literal["reno", "newreno", "sack"]

__all__ = ["compare", "scenario"]

RTT = 0.1
TIMEOUT = 0.4
BACKOFF_LIMIT = 64
RATE = 1e11
LOSSES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2)
ACKED = (1, 2)
RECOVERIES: dict[Recovery, str] = {"reno": "Reno", "newreno": "NewReno", "sack": "SACK"}
LOSSES_A_RUN = 300


def scenario(recovery: Recovery, acked: int, loss: float, losses: int = LOSSES_A_RUN) -> Scenario:
    """A bulk flow in the model's conditions, long enough for about so many losses."""
    counted = losses / loss / padhye_send_rate(loss, RTT, TIMEOUT, acked)
    tcp = Tcp(
        recovery=recovery,
        delayed_ack=acked == 2,
        min_rto=TIMEOUT,
        initial_rto=TIMEOUT,
        max_rto=BACKOFF_LIMIT * TIMEOUT,
        # The model starts every sequence of timeouts at T0, and grows the window by 1/b a round trip.
        backoff_reset="new-ack",
        count_acked_packets=False,
        limited_transmit=False,
        max_window_packets=1_000_000,
        initial_ssthresh_packets=20,
    )
    return one_link(
        [Flow(name="f", source="sender", destination="receiver", transport=tcp, app=Bulk())],
        duration=1.1 * counted,
        warm_up=0.1 * counted,
        rate=RATE,
        delay=RTT / 2,
        loss=BernoulliLoss(probability=loss),
    )


def compare(seeds: int, jobs: int | None) -> Comparison:
    """Reno, NewReno and SACK, with and without delayed ACKs."""
    networks = {
        (acked, recovery, loss): scenario(recovery, acked, loss)
        for acked, recovery, loss in product(ACKED, RECOVERIES, LOSSES)
    }

    def rate(_: tuple[int, Recovery, float], run: Recording) -> tuple[float, float]:
        """Packets sent a second, and the share of losses found by timeout."""
        flow = run.columns("flows")
        timeouts, fast = int(flow["timeouts"][0]), int(flow["fast_retransmits"][0])
        return float(flow["packets_sent"][0]) / run.counted_seconds, timeouts / max(timeouts + fast, 1)

    found = measure(networks, range(seeds), rate, jobs=jobs, cache=None)
    points = {
        (acked, recovery, loss): Point(
            loss, padhye_send_rate(loss, RTT, TIMEOUT, acked), mean_interval([rate for rate, _ in runs])
        )
        for (acked, recovery, loss), runs in found.items()
    }
    panels = tuple(_panel(acked, points) for acked in ACKED)
    shares = {setting: float(np.mean([share for _, share in runs])) for setting, runs in found.items()}
    return Comparison("padhye", "Padhye's formula", panels, len(found) * seeds, _facts(shares))


def _panel(acked: int, points: dict[tuple[int, Recovery, float], Point]) -> Panel:
    x = tuple(float(loss) for loss in np.geomspace(LOSSES[0], LOSSES[-1], 60))
    curve = Curve("Padhye et al.", x, tuple(padhye_send_rate(loss, RTT, TIMEOUT, acked) for loss in x))
    series = tuple(
        PointSeries(label, tuple(points[acked, recovery, loss] for loss in LOSSES))
        for recovery, label in RECOVERIES.items()
    )
    title = f"b = {acked}: {'every packet' if acked == 1 else 'every second packet'} acknowledged"
    return Panel(
        title,
        "loss probability p",
        "packets sent per second",
        (curve,),
        series,
        log_x=True,
        log_y=True,
        legend="lower left",
    )


def _facts(shares: dict[tuple[int, Recovery, float], float]) -> dict[str, str]:
    least, most = LOSSES[0], LOSSES[-1]
    return {
        "rtt_ms": f"{1e3 * RTT:.0f}",
        "timeout_ms": f"{1e3 * TIMEOUT:.0f}",
        "limit": str(BACKOFF_LIMIT),
        "least": f"{least:g}",
        "most": f"{most:g}",
        "share_least": f"{shares[1, 'reno', least]:.0%}",
        "share_most": f"{shares[1, 'reno', most]:.0%}",
        "sack_share_least": f"{shares[1, 'sack', least]:.0%}",
    }
