"""A network that grows host by host and flow by flow, as ns-2's scripts make theirs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from parshall.scenario import Scenario

__all__ = ["Access", "Network", "Part", "droptail"]

Part = dict[str, Any]
"""A part of a scenario, as it stands in a file."""


def droptail(limit: int | None) -> Part:
    """A queue of ns-2's ``limit_``: one packet less may wait, so that with the one in transmission it holds
    ``limit`` packets, as ours counts them.
    """
    return {"kind": "droptail", "limit_packets": limit}


@dataclass(frozen=True)
class Access:
    """The link between a host and its router, the same in both directions."""

    rate: float
    delay: float
    limit: int | None
    """ns-2's ``limit_`` of its queues."""

    def link(self, host: str, router: str) -> Part:
        return {
            "between": (host, router),
            "rate": self.rate,
            "delay": self.delay,
            "queue": droptail(self.limit),
        }


@dataclass
class Network:
    """The parts of a scenario, in the order in which they were added."""

    routers: list[str]
    links: list[Part]
    hosts: list[str] = field(default_factory=list)
    flows: list[Part] = field(default_factory=list)

    def host(self, name: str, router: str, access: Access) -> str:
        """The host of that name at that router; made when it is new."""
        if name not in self.hosts:
            self.hosts.append(name)
            self.links.append(access.link(name, router))
        return name

    def flow(self, name: str, ends: tuple[str, str], **parts: Any) -> None:
        """A flow from the first of ``ends``, a host, to the second."""
        self.flows.append({"name": name, "source": ends[0], "destination": ends[1], **parts})

    def scenario(
        self, *, duration: float, warm_up: float = 0.0, packets_at: tuple[str, ...] = ()
    ) -> Scenario:
        """The network as a scenario that records every packet at some ports."""
        parts: Part = {
            "hosts": self.hosts,
            "routers": self.routers,
            "links": self.links,
            "flows": self.flows,
            "record": {"packets": packets_at},
        }
        return Scenario(duration=duration, warm_up=warm_up, **parts)
