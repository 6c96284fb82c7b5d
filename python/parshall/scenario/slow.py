"""Rates at which a packet takes longer than the run: mostly a rate without its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parshall.units import format_duration, format_rate

if TYPE_CHECKING:
    from parshall.scenario.model import Scenario

__all__ = ["slow_links"]


def slow_links(scenario: Scenario) -> str | None:
    """A sentence about links that send no packet in the time of the run; none where there are none."""
    flows = scenario.flows
    largest = max((flow.transport.payload_bytes + flow.transport.header_bytes for flow in flows), default=0)
    least = 8 * largest / scenario.duration
    slow = [link for link in scenario.links if link.capacity is None and link.rate < least]
    if not slow:
        return None
    first = slow[0]
    name = first.name or "->".join(first.between)
    more = f", and so it is at {len(slow) - 1} more" if len(slow) > 1 else ""
    return (
        f"links[{name}].rate is {format_rate(first.rate)}, at which a packet of {largest} bytes takes "
        f"{format_duration(8 * largest / first.rate)}, more than the run{more}; "
        'a rate without a unit is in bit/s, expected one such as "5 Mbit/s"'
    )
