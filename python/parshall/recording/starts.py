"""Instants at which the flows of a run start."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parshall.scenario import Scenario

__all__ = ["flow_starts"]


def flow_starts(scenario: Scenario, seed: int) -> tuple[float, ...]:
    """Seconds at which each flow starts in a run with this seed, in the order of the scenario."""
    if not any(flow.start_spread for flow in scenario.flows):
        return tuple(float(flow.start) for flow in scenario.flows)
    from parshall import _core

    return tuple(_core.flow_starts(scenario.to_json(), seed))
