"""The square-root law: what a TCP without delayed ACKs sends when losses are rare."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from parshall.engine.measure import measure
from parshall.scenario import BernoulliLoss, Bulk, Flow, ListedLoss, Scenario, Tcp
from parshall.stats import mean_interval
from parshall.theory.tcp_laws import (
    periodic_loss_window,
    random_loss_constant,
    random_loss_window,
    stepped_window,
)
from parshall_dev.theory.comparison import Comparison, Curve, Panel, Point, PointSeries
from parshall_dev.theory.network import one_link

if TYPE_CHECKING:
    from parshall.recording import Recording

__all__ = ["compare", "scenario"]

RTT = 0.1
LOSSES = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2)
RATE = 1e11
"""So fast that a window takes no time: the round-trip time is the propagation delay."""
PACKETS = 1_000_000
CYCLES = (40, 400)
"""Losses in the counted part of a run: for so many packets, but within these bounds."""
PERIODIC, RANDOM = "every 1/p-th packet lost", "each packet lost with probability p"
_LAWS = {PERIODIC: periodic_loss_window, RANDOM: random_loss_window}


def scenario(loss: float, *, periodic: bool, offset: int = 0, packets: int = PACKETS) -> Scenario:
    """A bulk flow with SACK, long enough for about ``packets``; ``offset`` packets come before the first
    cycle of periodic losses.
    """
    cycles = min(max(round(packets * loss), CYCLES[0]), CYCLES[1])
    law = _LAWS[PERIODIC if periodic else RANDOM](loss)
    counted = cycles / loss / law * RTT
    warm_up = 0.2 * counted
    gap = round(1 / loss)
    tcp = Tcp(
        recovery="sack",
        delayed_ack=False,
        initial_ssthresh_packets=law,
        max_window_packets=1_000_000,
    )
    losses = ListedLoss(arrivals=[offset + gap * n for n in range(1, 2 * cycles)])
    return one_link(
        [Flow(name="f", source="sender", destination="receiver", transport=tcp, app=Bulk())],
        duration=warm_up + counted,
        warm_up=warm_up,
        rate=RATE,
        delay=RTT / 2,
        loss=losses if periodic else BernoulliLoss(probability=loss),
    )


def compare(seeds: int, jobs: int | None) -> Comparison:
    """Both kinds of losses. Runs of periodic losses differ in where the first cycle starts."""
    runs = [(kind, loss, seed) for kind in _LAWS for loss in LOSSES for seed in range(seeds)]
    networks = {
        (kind, loss, seed): scenario(loss, periodic=kind == PERIODIC, offset=round(seed / seeds / loss))
        for kind, loss, seed in runs
    }

    def window(_: tuple[str, float, int], run: Recording) -> float:
        """Packets sent in a round-trip time."""
        return float(run.columns("flows")["packets_sent"][0]) / run.counted_seconds * RTT

    found = measure(networks, {run: [run[2]] for run in runs}, window, jobs=jobs, cache=None)
    windows = {(kind, loss): [found[kind, loss, seed][0] for seed in range(seeds)] for kind, loss, _ in runs}
    points = {
        (kind, loss): Point(loss, _LAWS[kind](loss), mean_interval(row))
        for (kind, loss), row in windows.items()
    }
    series = tuple(PointSeries(kind, tuple(points[kind, loss] for loss in LOSSES)) for kind in _LAWS)
    return Comparison("square-root", "The square-root law", (_panel(series),), len(runs), _facts(series))


def _panel(series: tuple[PointSeries, ...]) -> Panel:
    x = tuple(float(loss) for loss in np.geomspace(LOSSES[0], LOSSES[-1], 50))
    labels = {PERIODIC: "sqrt(1.5 / p)", RANDOM: f"{random_loss_constant():.4f} / sqrt(p)"}
    curves = tuple(Curve(labels[kind], x, tuple(law(loss) for loss in x)) for kind, law in _LAWS.items())
    return Panel(
        "AIMD without delayed ACKs",
        "loss probability p",
        "packets per RTT",
        curves,
        series,
        log_x=True,
        log_y=True,
        legend="lower left",
    )


def _facts(series: tuple[PointSeries, ...]) -> dict[str, str]:
    """By how many packets a round trip the flow stays behind, which explains the deviation."""
    periodic = next(each for each in series if each.label == PERIODIC)
    behind = [point.law - point.measured.mean for point in periodic.points]
    losses = [point.x for point in periodic.points]
    return {
        "behind_steps": _shortfall(losses, whole=False, pause=False),
        "behind_whole": _shortfall(losses, whole=True, pause=False),
        "behind_pause": _shortfall(losses, whole=False, pause=True),
        "behind_all": _shortfall(losses, whole=True, pause=True),
        "behind_least": f"{min(behind):.1f}",
        "behind_most": f"{max(behind):.1f}",
        "constant": f"{random_loss_constant():.4f}",
        "rtt_ms": f"{1e3 * RTT:.0f}",
        "first_loss": f"{LOSSES[0]:g}",
        "last_loss": f"{LOSSES[-1]:g}",
        "sqrt_half": f"{math.sqrt(1.5):.4f}",
    }


def _shortfall(losses: list[float], *, whole: bool, pause: bool) -> str:
    """Packets a round trip by which the stepped model stays behind the law, on average over losses."""
    behind = [periodic_loss_window(loss) - stepped_window(loss, whole=whole, pause=pause) for loss in losses]
    return f"{float(np.mean(behind)):.1f}"
