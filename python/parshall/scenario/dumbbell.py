"""The dumbbell: hosts on either side of one bottleneck, as a preset that stands for a network."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from pydantic import Field

from parshall.errors import ScenarioError
from parshall.scenario.base import Model, remembered
from parshall.scenario.canonical import canonical_json
from parshall.scenario.capacity import MaybeCapacity
from parshall.scenario.events import NO_EVENTS, Events
from parshall.scenario.flow import Flow
from parshall.scenario.losses import MaybeLoss
from parshall.scenario.model import Scenario
from parshall.scenario.network import Link, MaybeJitter, Reverse
from parshall.scenario.quantities import (
    ABSENT,
    DEFAULT_CLASS,
    ZERO,
    CodePoint,
    Duration,
    DurationOrList,
    FlowCount,
    MaybeDuration,
    MaybeDurationOrList,
    MaybeRate,
    Name,
    Period,
    Rate,
    Text,
)
from parshall.scenario.queues import UNLIMITED, MaybeQueue, Queue
from parshall.scenario.record import Record
from parshall.scenario.traffic import App
from parshall.scenario.transport import Transport

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given

__all__ = ["Dumbbell", "FlowGroup"]


class FlowGroup(Model):
    """Flows of one kind through a dumbbell. Each has a host of its own on either side."""

    name: Name = "f"
    """Flows are named this and a number, from 1; groups of the same name are counted on."""
    count: FlowCount = 1
    """How many flows."""
    transport: Transport
    """How data travels."""
    app: App
    """When there is data to send."""
    direction: Literal["forward", "reverse"] = "forward"
    """``forward`` sends from the left, from ``s1``, ``s2`` and so on; ``reverse`` from the right."""
    start: DurationOrList = ZERO
    """Earliest start; a list gives one to each flow of the group."""
    start_spread: Duration = ZERO
    """Each start is drawn uniformly from ``[start, start + start_spread)``."""
    stop: MaybeDuration = ABSENT
    """From this instant on the applications hand nothing more to the transport."""
    dscp: CodePoint = DEFAULT_CLASS
    """Code point of the packets that both ends of these flows send."""
    access_rate: MaybeRate = ABSENT
    """Rate of these flows' access links where it differs from the dumbbell's."""
    access_delay: MaybeDurationOrList = ABSENT
    """Delay of each of these flows' access links where it differs; a list gives one to each flow of the
    group, so that their round-trip times differ."""
    access_queue: MaybeQueue = ABSENT
    """Queue of these flows' access links where it differs."""
    access_jitter: MaybeJitter = ABSENT
    """Random delay of what these flows send, on the sender's access link."""


if TYPE_CHECKING:
    FlowGroups: TypeAlias = Given[tuple[FlowGroup, ...], Sequence[FlowGroup]]
else:
    FlowGroups = tuple[FlowGroup, ...]


class _Member(NamedTuple):
    """One flow of a group: the number of its hosts, its name, its start, and its access delay where it has
    its own.
    """

    number: int
    name: str
    group: FlowGroup
    start: float
    access_delay: float | None


class Dumbbell(Model):
    """A scenario with one bottleneck ``r0->r1``, named ``bottleneck``. Flow number i sends from host ``s<i>``
    to ``d<i>``.

    The round-trip time without queueing is twice the bottleneck's delay plus four times the access delay.
    """

    title: Text = Field(default="", exclude=True)
    """For people; leaves no trace in the hash."""
    duration: Period
    """Simulated time; the run covers ``[0, duration)``."""
    warm_up: Duration = ZERO
    """Counters count from this instant on."""
    rate: Rate
    """Rate of the bottleneck."""
    delay: Duration
    """Propagation delay of the bottleneck."""
    queue: Queue = UNLIMITED
    """Queue in front of the bottleneck, one in each direction."""
    capacity: MaybeCapacity = ABSENT
    """Instants at which packets may leave the bottleneck, forward direction, in place of the rate, which then
    only tells RED, and the observers of ``record.nonresponsive``, what to expect."""
    jitter: MaybeJitter = ABSENT
    """Random delay on top of the bottleneck's propagation delay, forward direction."""
    loss: MaybeLoss = ABSENT
    """Packets lost on arrival at the bottleneck, forward direction."""
    events: Events = NO_EVENTS
    """Events of the bottleneck at given times, forward direction: changes of rate, delay and losses, outages,
    stalls, reordering."""
    reverse: Reverse = Reverse.known()
    """What differs in the bottleneck's reverse direction."""
    access_rate: Rate
    """Rate of the links between hosts and routers."""
    access_delay: Duration
    """Propagation delay of the links between hosts and routers."""
    access_queue: Queue = UNLIMITED
    """Queues in front of the links between hosts and routers."""
    flows: FlowGroups
    """Groups of flows."""
    record: Record = Record.known()
    """What is recorded besides the counters."""

    def scenario(self) -> Scenario:
        """The network that it stands for. Raises ScenarioError for a list without one value for each flow."""
        own = (self.title, canonical_json(self))
        network, known = remembered(self, "network", own, self._built)
        if network.hash == known:
            return network
        # Somebody has changed the network that was handed out.
        return self._built()[0]

    def _built(self) -> tuple[Scenario, str]:
        """The network, and its hash."""
        with _no_collection():
            network = self._network().made_from(self)
        return network, network.hash

    def _network(self) -> Scenario:
        members = list(self._members())
        return Scenario(
            title=self.title,
            duration=self.duration,
            warm_up=self.warm_up,
            hosts=[f"{side}{member.number}" for side in "sd" for member in members],
            routers=["r0", "r1"],
            links=[self._bottleneck(), *self._links(members)],
            flows=list(_flows(members)),
            record=self.record,
        )

    def _repr_html_(self) -> str:
        """For notebooks: that of the network that it stands for."""
        return self.scenario()._repr_html_()

    @property
    def hash(self) -> str:
        """The hash of the network that the dumbbell stands for."""
        return self.scenario().hash

    def to_json(self) -> str:
        """The canonical JSON of the network that the dumbbell stands for."""
        return self.scenario().to_json()

    def to_toml(self) -> str:
        """A scenario file with a ``[dumbbell]`` table."""
        from parshall.scenario.toml import write

        return write(self)

    def _members(self) -> Iterator[_Member]:
        named: Counter[str] = Counter()
        number = 0
        for index, group in enumerate(self.flows):
            starts = _one_each(group.start, group.count, f"flows[{index}].start", "starts")
            delays = _one_each(group.access_delay, group.count, f"flows[{index}].access_delay", "delays")
            for start, delay in zip(starts, delays, strict=True):
                number += 1
                named[group.name] += 1
                yield _Member(number, f"{group.name}{named[group.name]}", group, start, delay)

    def _bottleneck(self) -> Link:
        return Link(
            between=("r0", "r1"),
            name="bottleneck",
            rate=self.rate,
            delay=self.delay,
            queue=self.queue,
            capacity=self.capacity,
            jitter=self.jitter,
            loss=self.loss,
            events=self.events,
            reverse=self.reverse,
        )

    def _links(self, members: Iterable[_Member]) -> Iterator[Link]:
        """Those of hosts: two of each flow, alike within a group but for their ends and delays."""
        first: dict[tuple[int, bool], Link] = {}
        for member in members:
            group = member.group
            delay = self.access_delay if member.access_delay is None else member.access_delay
            for left, between in ((True, (f"s{member.number}", "r0")), (False, ("r1", f"d{member.number}"))):
                key = (id(group), left or group.access_jitter is None)
                if (known := first.get(key)) is not None:
                    yield known.alike(between=between, delay=delay)
                    continue
                first[key] = Link(
                    between=between,
                    rate=self.access_rate if group.access_rate is None else group.access_rate,
                    delay=delay,
                    queue=group.access_queue or self.access_queue,
                    **_jitter(group, left),
                )
                yield first[key]


def _jitter(group: FlowGroup, left: bool) -> dict[str, Any]:
    """The jitter of an access link, in the direction in which its host sends."""
    if group.access_jitter is None or left != (group.direction == "forward"):
        return {}
    if left:
        return {"jitter": group.access_jitter}
    return {"reverse": Reverse(jitter=group.access_jitter)}


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keeps Python from looking for garbage while millions of objects are made: none of them is any."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _one_each(given: Any, count: int, place: str, what: str) -> Sequence[Any]:
    """One of the values for each of ``count`` flows: the same for all, or those of a list."""
    if not isinstance(given, tuple):
        return [given] * count
    if len(given) != count:
        raise ScenarioError(place, f"{len(given)} {what}", f"one for each of {count} flows")
    return given


def _flows(members: Iterable[_Member]) -> Iterator[Flow]:
    """The flows of a dumbbell, alike within a group but for their names and hosts."""
    first: dict[int, Flow] = {}
    for member in members:
        group = member.group
        left, right = f"s{member.number}", f"d{member.number}"
        source, destination = (left, right) if group.direction == "forward" else (right, left)
        if (known := first.get(id(group))) is not None:
            yield known.alike(name=member.name, source=source, destination=destination, start=member.start)
            continue
        first[id(group)] = Flow(
            name=member.name,
            source=source,
            destination=destination,
            transport=group.transport,
            app=group.app,
            start=member.start,
            start_spread=group.start_spread,
            stop=group.stop,
            dscp=group.dscp,
        )
        yield first[id(group)]
