"""The dumbbell: a preset that stands for a network."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/dumbbell.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from parshall.scenario.base import Part, default
from parshall.scenario.methods.dumbbell import DumbbellMethods
from parshall.scenario.parts.network import Reverse
from parshall.scenario.parts.queues import DropTail
from parshall.scenario.parts.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.parts.events import AnyEvent, AnyEventGiven
    from parshall.scenario.parts.losses import AnyLoss, AnyLossGiven
    from parshall.scenario.parts.network import Capacity, Jitter
    from parshall.scenario.parts.queues import AnyQueue, AnyQueueGiven
    from parshall.scenario.parts.traffic import AnyApp, AnyAppGiven
    from parshall.scenario.parts.transport import AnyTransport, AnyTransportGiven
    from parshall.scenario.quantities import Given, Number, Table

__all__ = [
    "Dumbbell",
    "FlowGroup",
]


class Dumbbell(DumbbellMethods, Part):
    """A scenario with one bottleneck ``r0->r1``, named ``bottleneck``. Flow number i sends from host ``s<i>``
    to ``d<i>``. The round-trip time without queueing is twice the bottleneck's delay plus four times the
    access delay.
    """

    title: str = ""
    """For people; leaves no trace in the hash."""
    duration: Given[float, Number]
    """Simulated time; the run covers ``[0, duration)``."""
    warm_up: Given[float, Number] = default(0.0)
    """Counters count from this instant on."""
    rate: Given[float, Number]
    """Rate of the bottleneck."""
    delay: Given[float, Number]
    """Propagation delay of the bottleneck."""
    queue: Given[AnyQueue, AnyQueueGiven] = default(DropTail.known())
    """Queue in front of the bottleneck, one in each direction."""
    capacity: Given[Capacity | None, Capacity | Table | None] = default(None)
    """Instants at which packets may leave the bottleneck, forward direction, in place of the rate, which then
    only tells RED, and the observers of ``record.nonresponsive``, what to expect.
    """
    jitter: Given[Jitter | None, Jitter | Table | None] = default(None)
    """Random delay on top of the bottleneck's propagation delay, forward direction."""
    loss: Given[AnyLoss | None, AnyLossGiven | None] = default(None)
    """Packets lost on arrival at the bottleneck, forward direction."""
    events: Given[tuple[AnyEvent, ...], Sequence[AnyEventGiven]] = default(())
    """Events of the bottleneck at given times, forward direction: changes of rate, delay and losses, outages,
    stalls, reordering.
    """
    reverse: Given[Reverse, Reverse | Table] = default(Reverse.known())
    """Properties of the bottleneck's reverse direction that differ from the forward one."""
    access_rate: Given[float, Number]
    """Rate of the links between hosts and routers."""
    access_delay: Given[float, Number]
    """Propagation delay of the links between hosts and routers."""
    access_queue: Given[AnyQueue, AnyQueueGiven] = default(DropTail.known())
    """Queues in front of the links between hosts and routers."""
    flows: Given[tuple[FlowGroup, ...], Sequence[FlowGroup | Table]]
    """Groups of flows."""
    record: Given[Record, Record | Table] = default(Record.known())
    """Quantities to record besides the counters."""


class FlowGroup(Part):
    """Flows of one kind through a dumbbell. Each has a host of its own on either side."""

    name: str = "f"
    """Flows are named this and a number, from 1; groups of the same name are counted on."""
    count: int = 1
    """Number of flows."""
    transport: Given[AnyTransport, AnyTransportGiven]
    """Transport of the data."""
    app: Given[AnyApp, AnyAppGiven]
    """When there is data to send."""
    direction: Literal["forward", "reverse"] = "forward"
    """``forward`` sends from the left, from ``s1``, ``s2`` and so on; ``reverse`` from the right."""
    start: Given[float | tuple[float, ...], Number | Sequence[Number]] = default(0.0)
    """Earliest start; a list gives one to each flow of the group."""
    start_spread: Given[float, Number] = default(0.0)
    """Each start is drawn uniformly from ``[start, start + start_spread)``."""
    stop: Given[float | None, Number | None] = default(None)
    """From this instant on the applications hand nothing more to the transport."""
    dscp: Given[int, int | str] = default(0)
    """Code point of the packets that both ends of these flows send."""
    access_rate: Given[float | None, Number | None] = default(None)
    """Rate of these flows' access links where it differs from the dumbbell's."""
    access_delay: Given[float | tuple[float, ...] | None, Number | Sequence[Number] | None] = default(None)
    """Delay of each of these flows' access links where it differs; a list gives one to each flow of the
    group, so that their round-trip times differ.
    """
    access_queue: Given[AnyQueue | None, AnyQueueGiven | None] = default(None)
    """Queue of these flows' access links where it differs."""
    access_jitter: Given[Jitter | None, Jitter | Table | None] = default(None)
    """Random delay of what these flows send, on the sender's access link."""
