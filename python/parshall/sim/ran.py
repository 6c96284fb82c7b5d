"""The scenario of a recording in which endpoints took the place of flows, or were added to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.scenario import Scenario

__all__ = ["as_it_ran"]


def as_it_ran(
    scenario: Scenario, endpoints: Mapping[str, tuple[str, str]], recorded: Collection[str]
) -> Scenario:
    """``scenario`` with the flows of endpoints, by their names, that were recorded. They send nothing by
    themselves.
    """
    from parshall.scenario import Flow, Schedule, Udp

    own = {flow.name for flow in scenario.flows}
    known = set(recorded)
    silent: dict[str, Any] = {"transport": Udp(payload_bytes=1), "app": Schedule(writes=[])}
    outside = {
        name: Flow(name=name, source=source, destination=destination, **silent)
        for name, (source, destination) in endpoints.items()
        if name in known
    }
    if not outside:
        return scenario
    flows = [outside.get(flow.name, flow) for flow in scenario.flows]
    flows += [flow for name, flow in outside.items() if name not in own]
    ends = {end for flow in outside.values() for end in (flow.source, flow.destination)}
    hosts = [*scenario.hosts, *sorted(ends.difference(scenario.hosts))]
    routers = [router for router in scenario.routers if router not in ends]
    return scenario.with_(flows=flows, hosts=hosts, routers=routers)
