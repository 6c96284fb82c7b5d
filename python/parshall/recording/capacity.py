"""The rate that a port could carry in the counted time, and the share of it that was used."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parshall.scenario import Scenario

__all__ = ["mean_rate", "utilization"]


def mean_rate(scenario: Scenario, port: int) -> float:
    """The mean rate of a port, by its index, from the warm-up to the end, in bit/s: of a recorded capacity if
    every opportunity is used, otherwise of the link's rate with its changes. Outages and stalls leave the
    rate as it is, since the queue goes on transmitting.
    """
    link = scenario.links[port // 2]
    end = link if port % 2 == 0 else link.reverse
    start, stop = scenario.warm_up, scenario.duration
    if end.capacity is not None:
        return end.capacity.mean_rate(start, stop)
    steps = [(0.0, end.rate or link.rate)]
    steps += [(event.at, event.rate) for event in end.events if event.kind == "rate-change"]
    if len(steps) == 1:
        return steps[0][1]
    times = [min(max(at, start), stop) for at, _ in steps] + [stop]
    bits = sum(
        rate * (until - since) for (_, rate), (since, until) in zip(steps, pairwise(times), strict=True)
    )
    return bits / (stop - start)


def utilization(throughput: float, rate: float) -> float:
    """Throughput as a share of the rate, at most 1; NaN where nothing can leave.

    A packet that is in transmission when the warm-up ends is counted as a whole, so that the quotient of the
    two may exceed 1 by less than a packet.
    """
    return min(throughput / rate, 1.0) if rate else float("nan")
