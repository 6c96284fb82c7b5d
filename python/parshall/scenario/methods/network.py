"""Methods of networks, links and recorded capacities."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from typing_extensions import Self

from parshall.errors import InputError, ParshallError, ScenarioError, shown
from parshall.scenario import paths
from parshall.scenario.base import Part, remembered
from parshall.scenario.canonical import canonical_json, hashed
from parshall.scenario.checking import check_json
from parshall.scenario.files import json_tables
from parshall.scenario.routing import Route, routes_of
from parshall.units import format_duration

if TYPE_CHECKING:
    from parshall.scenario.expected import Expected
    from parshall.scenario.parts.dumbbell import Dumbbell
    from parshall.scenario.parts.network import Scenario

__all__ = ["CapacityMethods", "LinkMethods", "ScenarioMethods"]

_DUMBBELL = "<dumbbell>"  # no name of an attribute
_OWN_FIELDS = {"hosts", "routers", "routing", "links", "flows"}
"""Those that a dumbbell does not have, or has as something else; both have the others."""


class _Origin:
    """A dumbbell, whose value does not count when scenarios are compared: it holds the scenario itself."""

    __slots__ = ("bell",)

    def __init__(self, bell: Dumbbell) -> None:
        self.bell = bell


class ScenarioMethods:
    """Methods of ``Scenario``."""

    _unwritten: ClassVar[Collection[str]] = ("title",)

    def made_from(self, bell: Dumbbell) -> Self:
        """Remembers the dumbbell that this is the network of."""
        self.__dict__[_DUMBBELL] = _Origin(bell)
        return self

    def __getstate__(self: Any) -> dict[str, Any]:
        """For copies and pickles: the fields, and the dumbbell that it was made from."""
        origin = {name: value for name, value in self.__dict__.items() if name == _DUMBBELL}
        return {**self.given(), **origin}

    def scenario(self) -> Self:
        """The scenario itself; a preset gives the network that it stands for."""
        return self

    @property
    def dumbbell(self: Any) -> Dumbbell | None:
        """The dumbbell that it was made from, as one in a file, as long as it is the network of that."""
        origin: _Origin | None = self.__dict__.get(_DUMBBELL)
        return origin.bell if origin is not None and origin.bell.to_json() == self.to_json() else None

    def replace(self, path: str, value: Any) -> Self:
        """A copy with another value at ``path``, for example ``links[bottleneck].queue.limit_packets``.

        As :meth:`parshall.Dumbbell.replace` for parts of the network. A scenario that was made from a
        dumbbell, as :func:`parshall.load` makes it, also has the paths of that, such as ``rate``, until
        something else than the dumbbell's own values is changed. Raises ScenarioError.
        """
        own = path.removeprefix("dumbbell.") if isinstance(path, str) else path
        first = paths.parse(own)[0] if isinstance(own, str) else ""
        bell: Any = self.dumbbell if own != path or first not in _OWN_FIELDS else None
        if bell is not None:
            return cast(Self, bell.replace(own, value).scenario())
        return cast(Self, Part.replace(cast(Any, self), path, value))

    @property
    def ports(self: Any) -> tuple[str, ...]:
        """Names of the ports, ``a->b``, in the engine's order: each link's forward one, then its reverse."""
        return tuple(port for link in self.links for port in link.ports)

    @property
    def named_ports(self: Any) -> dict[str, str]:
        """The forward port of each link that has a name, by that name."""
        return {link.name: link.ports[0] for link in self.links if link.name}

    @property
    def port_names(self: Any) -> tuple[str, ...]:
        """The name that recordings have for each port, in the order of ``ports``: that of the link for the
        forward port of a link with a name, else ``a->b``.
        """
        return tuple(name for link in self.links for name in (link.name or link.ports[0], link.ports[1]))

    @property
    def port_numbers(self: Any) -> dict[str, int]:
        """The place of each port in ``ports``, by the name of its link and by ``a->b``."""
        own = {link.name: 2 * number for number, link in enumerate(self.links) if link.name}
        return own | {port: number for number, port in enumerate(self.ports)}

    @property
    def routes(self: Any) -> dict[str, Route]:
        """The nodes that each flow's data and ACKs pass, by the flow's name. Raises ScenarioError."""
        text = self.to_json()
        return remembered(
            self,
            "routes",
            hashed(text),
            lambda: routes_of(text, self.ports, [flow.name for flow in self.flows]),
        )

    def recorded_tables(self: Any) -> set[str]:
        """The tables that a recording may have besides the counters: what ``record`` asks for, and what tuned
        queues, class queues and conditioners tell of themselves.
        """
        tables: set[str] = self.record.tables()
        queues = [queue for link in self.links for queue in (link.queue, link.reverse.queue)]
        if "port_series" in tables and any(getattr(queue, "tune_by", None) for queue in queues):
            tables.add("red_tuning")
        losses = [loss for link in self.links for loss in (link.loss, link.reverse.loss)]
        if any(loss is not None and loss.kind == "treatment" for loss in losses):
            tables.add("treatment")
        if any(queue is not None and queue.kind == "diffserv" for queue in queues):
            tables.add("classes")
        if any(link.conditioner or link.reverse.conditioner for link in self.links):
            tables.add("aggregates")
        return tables

    def __repr__(self: Any) -> str:
        return f"<Scenario {self.summary}>"

    def _repr_html_(self: Any) -> str:
        """For notebooks: a small picture of the network, and what it is in a line."""
        from parshall.scenario.picture import network_svg

        return f"<div>{network_svg(self) or ''}<p>{escape(self.summary)}</p></div>"

    @property
    def summary(self: Any) -> str:
        """The title, and how much of what there is, in a line."""
        counts = (("host", self.hosts), ("router", self.routers), ("link", self.links), ("flow", self.flows))
        parts = [f"{len(items):,} {name}{'s' * (len(items) != 1)}" for name, items in counts]
        title = f"{self.title}: " if self.title else ""
        return f"{title}{', '.join(parts)}, {format_duration(self.duration)}"

    def to_json(self: Any) -> str:
        """The canonical JSON, which the engine reads: SI base units, sorted keys, defaults left out."""
        return canonical_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads what :meth:`to_json` wrote. Raises ScenarioError."""
        return cast(Self, cast(Any, cls).from_dict(json_tables(text)))

    @property
    def hash(self: Any) -> str:
        """SHA-256 of the canonical JSON, in hexadecimal: equal for equal scenarios."""
        return hashed(self.to_json())

    def check(self) -> Self:
        """Checks what needs the whole network: names, routes, duplicates. Raises ScenarioError."""
        _ = cast(Any, self).expected
        return self

    @property
    def expected(self: Any) -> Expected:
        """Time and memory that a run will take. Raises ScenarioError as :meth:`check` does."""
        text = self.to_json()
        return remembered(self, "expected", hashed(text), lambda: check_json(text))

    def to_toml(self: Any) -> str:
        """A scenario file that :func:`parshall.load` reads back to an equal scenario."""
        from parshall.scenario.toml import write

        return write(cast("Scenario", self))


class LinkMethods:
    """Methods of ``Link``."""

    @property
    def ports(self: Any) -> tuple[str, str]:
        """Names of its ports: the forward one, ``a->b``, and the reverse one."""
        a, b = self.between
        return f"{a}->{b}", f"{b}->{a}"


class CapacityMethods:
    """Methods of ``Capacity``."""

    _unshown: ClassVar[Collection[str]] = ("times",)

    @classmethod
    def from_mahimahi(cls, path: str | Path) -> Self:
        """Reads a file of times in milliseconds, plain or compressed by gzip.

        Raises ParshallError for a file that cannot be read, and ScenarioError, which names the line, for one
        that is no recording.
        """
        from parshall import _core

        if not isinstance(path, str | Path):
            raise InputError("path", shown(path), "the name of a recorded capacity")
        times, fault = _core.mahimahi_times(path)
        if times is not None:
            return cast(Self, cast(Any, cls)(times=times, period=times[-1]))
        value, expected, line, is_read = fault or ("nothing", "a recorded capacity", None, False)
        if not is_read:
            raise ParshallError(f"{path}: {value}, expected {expected}")
        raise ScenarioError("", value, expected, file=str(path), line=line)

    def mean_rate(self: Any, start: float, end: float) -> float:
        """Mean rate from ``start`` until before ``end``, in bit/s, if every opportunity is used."""
        instants: int = self._instants_before(end) - self._instants_before(start)
        return 8 * float(self.bytes) * instants / (end - start)

    def _instants_before(self: Any, time: float) -> int:
        """Number of the times, repeated for ever, before ``time``."""
        repeats, rest = divmod(time, self.period)
        if repeats and rest == 0:  # a last time that is the period lies at this instant, not before it
            repeats, rest = repeats - 1, self.period
        return int(repeats) * len(self.times) + bisect_left(self.times, rest)
