"""Paths that flows have through a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Route", "routes_of"]


@dataclass(frozen=True)
class Route:
    """The way of a flow through the network."""

    data: tuple[str, ...]
    """The nodes that its data passes, from its source to its destination."""
    acks: tuple[str, ...]
    """The nodes that its ACKs pass, from its destination to its source."""

    def __str__(self) -> str:
        there, back = (" -> ".join(nodes) for nodes in (self.data, self.acks))
        return there if self.data == self.acks[::-1] else f"{there}; ACKs {back}"


def routes_of(scenario_json: str, ports: Sequence[str], flows: Iterable[str]) -> dict[str, Route]:
    """The ways of all flows, by their names. Raises ScenarioError."""
    from parshall import _core
    from parshall.scenario.checking import engine_error

    try:
        found = _core.routes(scenario_json)
    except (_core.ScenarioError, ValueError) as error:
        raise engine_error(error) from None
    ends = [tuple(port.split("->")) for port in ports]

    def nodes(numbers: Sequence[int]) -> tuple[str, ...]:
        return (ends[numbers[0]][0], *(ends[number][1] for number in numbers))

    return {name: Route(nodes(data), nodes(acks)) for name, (data, acks) in zip(flows, found, strict=True)}
