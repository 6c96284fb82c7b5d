"""Little's law: the backlog that is sampled is the rate of arrivals times the delay that is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parshall.stats import mean_interval
from parshall.theory.queue_laws import little_backlog
from parshall_dev.theory.comparison import Comparison, Curve, Panel, Point, PointSeries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from parshall.recording import Recording

__all__ = ["backlog_and_product", "compare"]


def backlog_and_product(run: Recording, port: int) -> tuple[float, float]:
    """The mean of the sampled backlog of a port, in packets, and what Little's law makes of its counters.

    The two are counted independently: samples of the queue's length, and delays of single packets.
    """
    series, ports, counted_seconds = run.columns("port_series"), run.columns("ports"), run.counted_seconds
    end = float(series["time"][-1])
    chosen = (series["port"] == port) & (series["time"] >= end - counted_seconds)
    accepted = int(
        ports["packets_arrived"][port] - ports["packets_dropped"][port] - ports["packets_lost"][port]
    )
    product = little_backlog(accepted / counted_seconds, float(ports["mean_delay"][port]))
    return float(np.mean(series["backlog_packets"][chosen])), product


def compare(groups: Mapping[str, Sequence[Sequence[tuple[float, float]]]]) -> Comparison:
    """Groups of settings; a setting is one pair of :func:`backlog_and_product` for each seed."""
    series = tuple(
        PointSeries(label, tuple(_point(pairs) for pairs in settings)) for label, settings in groups.items()
    )
    pairs = [pair for settings in groups.values() for setting in settings for pair in setting]
    most = max(point.law for each in series for point in each.points)
    least = min(point.law for each in series for point in each.points)
    curve = Curve("L = λW", (least, most), (least, most))
    panel = Panel(
        "Little's law",
        "λW, packets",
        "sampled mean backlog, packets",
        (curve,),
        series,
        log_x=True,
        log_y=True,
    )
    furthest = max(abs(sampled / product - 1) for sampled, product in pairs)
    return Comparison(
        "little",
        "Little's law",
        (panel,),
        len(pairs),
        {"furthest_run": f"{100 * furthest:.2f}"},
    )


def _point(pairs: Sequence[tuple[float, float]]) -> Point:
    """Over seeds; what differs between seeds is in both, so the interval is that of their ratio."""
    sampled, product = np.transpose(pairs)
    law = float(np.mean(product))
    return Point(law, law, mean_interval(sampled / product).scaled(law))
