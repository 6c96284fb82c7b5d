"""Choosing among the paths between two hosts, and the paths that flows have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from parshall.scenario.base import Model, one_of
from parshall.scenario.quantities import CountOrNone

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from parshall.scenario.quantities import Given, Table

__all__ = ["Ecmp", "Route", "ShortestPaths"]


class ShortestPaths(Model):
    """The path with the fewest links for all flows; of several the one with the least propagation delay, and
    of equal ones the one whose links come first in the scenario.
    """

    kind: Literal["shortest"] = "shortest"
    """Names this routing."""


class Ecmp(Model):
    """Equal-cost multipath: at each node a hash of the connection chooses one of the next hops that are on
    paths with the fewest links, whatever their delays, and a connection stays with it. Data and ACKs of a
    flow are hashed apart, so they may go different ways. The choice is that of the highest random weight (RFC
    2991, section 4): each next hop is as likely as the others, choices at two nodes are independent, the
    order of links does not matter, and where a next hop is taken away only its flows move. What is hashed
    are ``hash_seed``, the hosts from which and to which a packet goes, the name of the flow, and the two
    ends of the link (FNV-1a of 64 bits, finished as in SplitMix64). Each of the connections that ``web`` has
    at once is hashed by itself. Between the routers of ``via`` paths are chosen likewise.
    """

    kind: Literal["ecmp"] = "ecmp"
    """Names this routing."""
    hash_seed: CountOrNone = 0
    """Another seed, other paths. That of the run changes none."""


SHORTEST: Any = ShortestPaths.known()

if TYPE_CHECKING:
    Routing: TypeAlias = Given[
        ShortestPaths | Ecmp, ShortestPaths | Ecmp | Table | Literal["shortest", "ecmp"]
    ]
else:
    Routing = one_of(ShortestPaths, Ecmp)


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
