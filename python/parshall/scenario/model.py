"""The scenario: a network, the flows that cross it, how long it runs and what is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import Field
from typing_extensions import Self

from parshall.scenario import paths
from parshall.scenario.base import Model, remembered
from parshall.scenario.canonical import canonical_json, hashed
from parshall.scenario.checking import check_json
from parshall.scenario.class_queues import DiffServ
from parshall.scenario.files import json_tables
from parshall.scenario.flow import Flow
from parshall.scenario.network import Link
from parshall.scenario.quantities import NO_NAMES, ZERO, Duration, Names, Period, Text
from parshall.scenario.queues import Red
from parshall.scenario.record import Record
from parshall.scenario.routing import SHORTEST, Route, Routing, routes_of
from parshall.units import format_duration

if TYPE_CHECKING:
    from parshall.scenario.dumbbell import Dumbbell
    from parshall.scenario.expected import Expected
    from parshall.scenario.quantities import Given

    Links: TypeAlias = Given[tuple[Link, ...], Sequence[Link]]
    Flows: TypeAlias = Given[tuple[Flow, ...], Sequence[Flow]]
else:
    Links = tuple[Link, ...]
    Flows = tuple[Flow, ...]

__all__ = ["Scenario"]


_DUMBBELL = "<dumbbell>"  # no name of an attribute
_OWN_FIELDS = {"hosts", "routers", "routing", "links", "flows"}
"""Those that a dumbbell does not have, or has as something else; both have the others."""


class _Held:
    """A dumbbell, whose value does not count when scenarios are compared: it holds the scenario itself."""

    __slots__ = ("bell",)

    def __init__(self, bell: Dumbbell) -> None:
        self.bell = bell


class Scenario(Model):
    """What is simulated: a plain value. Equal scenario and seed give an equal recording, bit for bit."""

    title: Text = Field(default="", exclude=True)
    """For people; leaves no trace in the hash."""
    duration: Period
    """Simulated time; the run covers ``[0, duration)``."""
    warm_up: Duration = ZERO
    """Counters count from this instant on."""
    hosts: Names
    """Nodes where flows start and end. A host forwards nothing."""
    routers: Names = NO_NAMES
    """Nodes that forward."""
    routing: Routing = SHORTEST
    """Which of several paths with the fewest links a flow takes."""
    links: Links
    """Full-duplex links; at most one between two nodes."""
    flows: Flows
    """Traffic."""
    record: Record = Record.known()
    """What is recorded besides the counters."""

    def made_from(self, bell: Dumbbell) -> Scenario:
        """The same, which knows that it is the network of a dumbbell."""
        self.__dict__[_DUMBBELL] = _Held(bell)
        return self

    def scenario(self) -> Scenario:
        """The scenario itself; a preset gives the network that it stands for."""
        return self

    @property
    def dumbbell(self) -> Dumbbell | None:
        """The dumbbell that it was made from, as one in a file, as long as it is the network of that."""
        held: _Held | None = self.__dict__.get(_DUMBBELL)
        return held.bell if held is not None and held.bell.to_json() == self.to_json() else None

    def replace(self, path: str, value: Any) -> Scenario:
        """A copy with another value at ``path``, for example ``links[bottleneck].queue.limit_packets``.

        As :meth:`parshall.Dumbbell.replace` for parts of the network. A scenario that was made from a
        dumbbell, as :func:`parshall.load` makes it, also has the paths of that, such as ``rate``, until
        something else than the dumbbell's own values is changed. Raises ScenarioError.
        """
        own = path.removeprefix("dumbbell.") if isinstance(path, str) else path
        first = paths.parse(own)[0] if isinstance(own, str) else ""
        bell = self.dumbbell if own != path or first not in _OWN_FIELDS else None
        if bell is not None:
            return bell.replace(own, value).scenario()
        return super().replace(path, value)

    @property
    def ports(self) -> tuple[str, ...]:
        """Names of the ports, ``a->b``, in the engine's order: each link's forward one, then its reverse."""
        return tuple(port for link in self.links for port in link.ports)

    @property
    def named_ports(self) -> dict[str, str]:
        """The forward port of each link that has a name, by that name."""
        return {link.name: link.ports[0] for link in self.links if link.name}

    @property
    def routes(self) -> dict[str, Route]:
        """The nodes that each flow's data and ACKs pass, by the flow's name. Raises ScenarioError."""
        text = self.to_json()
        return remembered(
            self,
            "routes",
            hashed(text),
            lambda: routes_of(text, self.ports, [flow.name for flow in self.flows]),
        )

    def recorded_tables(self) -> set[str]:
        """The tables that a recording may have besides the counters: what ``record`` asks for, and what tuned
        queues, class queues and conditioners tell of themselves.
        """
        tables = self.record.tables()
        queues = [queue for link in self.links for queue in (link.queue, link.reverse.queue)]
        if "port_series" in tables and any(isinstance(queue, Red) and queue.tune_by for queue in queues):
            tables.add("red_tuning")
        if any(isinstance(queue, DiffServ) for queue in queues):
            tables.add("classes")
        if any(link.conditioner or link.reverse.conditioner for link in self.links):
            tables.add("aggregates")
        return tables

    def __repr__(self) -> str:
        return f"<Scenario {self.summary}>"

    def _repr_html_(self) -> str:
        """For notebooks: a small picture of the network, and what it is in a line."""
        from parshall.scenario.picture import network_svg

        return f"<div>{network_svg(self) or ''}<p>{escape(self.summary)}</p></div>"

    @property
    def summary(self) -> str:
        """The title, and how much of what there is, in a line."""
        counts = (("host", self.hosts), ("router", self.routers), ("link", self.links), ("flow", self.flows))
        parts = [f"{len(items):,} {name}{'s' * (len(items) != 1)}" for name, items in counts]
        title = f"{self.title}: " if self.title else ""
        return f"{title}{', '.join(parts)}, {format_duration(self.duration)}"

    def to_json(self) -> str:
        """The canonical JSON, which the engine reads: SI base units, sorted keys, defaults left out."""
        return canonical_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads what :meth:`to_json` wrote. Raises ScenarioError."""
        return cls.from_dict(json_tables(text))

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical JSON, in hexadecimal: equal for equal scenarios."""
        return hashed(self.to_json())

    def check(self) -> Self:
        """Checks what needs the whole network: names, routes, duplicates. Raises ScenarioError."""
        _ = self.expected
        return self

    @property
    def expected(self) -> Expected:
        """What a run will take. Raises ScenarioError as :meth:`check` does."""
        text = self.to_json()
        return remembered(self, "expected", hashed(text), lambda: check_json(text))

    def to_toml(self) -> str:
        """A scenario file that :func:`parshall.load` reads back to an equal scenario."""
        from parshall.scenario.toml import write

        return write(self)
