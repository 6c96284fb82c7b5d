"""The network: nodes, links, recorded capacities, routing, flows."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/network.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from parshall.scenario.base import Part, default
from parshall.scenario.methods.network import CapacityMethods, LinkMethods, ScenarioMethods
from parshall.scenario.parts.queues import DropTail
from parshall.scenario.parts.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from parshall.scenario.parts.conditioner import Conditioner
    from parshall.scenario.parts.events import AnyEvent, AnyEventGiven
    from parshall.scenario.parts.losses import AnyLoss, AnyLossGiven
    from parshall.scenario.parts.queues import AnyQueue, AnyQueueGiven
    from parshall.scenario.parts.traffic import AnyApp, AnyAppGiven
    from parshall.scenario.parts.transport import AnyTransport, AnyTransportGiven
    from parshall.scenario.quantities import Bytes, Given, Number, Table

__all__ = [
    "AnyRouting",
    "Capacity",
    "Ecmp",
    "Flow",
    "Jitter",
    "Link",
    "Reverse",
    "Scenario",
    "ShortestPaths",
]


class ShortestPaths(Part):
    """The path with the fewest links for all flows; of several the one with the least propagation delay, and
    of equal ones the one whose links come first in the scenario.
    """

    kind: Literal["shortest"] = "shortest"
    """Names this routing."""


class Scenario(ScenarioMethods, Part):
    """Simulation to run: a plain value. Equal scenario and seed give an equal recording, bit for bit."""

    title: str = ""
    """For people; leaves no trace in the hash."""
    duration: Given[float, Number]
    """Simulated time; the run covers ``[0, duration)``."""
    warm_up: Given[float, Number] = default(0.0)
    """Counters count from this instant on."""
    hosts: Given[tuple[str, ...], Sequence[str] | str]
    """Nodes where flows start and end. A host forwards nothing."""
    routers: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Nodes that forward."""
    routing: Given[AnyRouting, AnyRoutingGiven] = default(ShortestPaths.known())
    """Which of several paths with the fewest links a flow takes."""
    links: Given[tuple[Link, ...], Sequence[Link | Table]]
    """Full-duplex links; at most one between two nodes."""
    flows: Given[tuple[Flow, ...], Sequence[Flow | Table]]
    """Traffic."""
    record: Given[Record, Record | Table] = default(Record.known())
    """Quantities to record besides the counters."""


class Ecmp(Part):
    """Equal-cost multipath: at each node a hash of the connection chooses one of the next hops that are on
    paths with the fewest links, whatever their delays, and a connection stays with it. Data and ACKs of a
    flow are hashed apart, so they may go different ways. The choice is that of the highest random weight (RFC
    2991, section 4): each next hop is as likely as the others, choices at two nodes are independent, the
    order of links does not matter, and where a next hop is taken away only its flows move. What is hashed are
    ``hash_seed``, the hosts from which and to which a packet goes, the name of the flow, and the two ends of
    the link (FNV-1a of 64 bits, finished as in SplitMix64). Each of the connections that ``web`` has at once
    is hashed by itself. Between the routers of ``via`` paths are chosen likewise.
    """

    kind: Literal["ecmp"] = "ecmp"
    """Names this routing."""
    hash_seed: int = 0
    """Another seed, other paths. That of the run changes none."""


class Capacity(CapacityMethods, Part):
    """A recorded capacity: at each of ``times`` a number of bytes may leave; what is not used then is gone.
    After ``period`` all repeats. In its place ``{ mahimahi = "FILE" }`` may stand: FILE, which is looked for
    beside the scenario's own file, has on each line a time in milliseconds at which 1500 bytes may leave, and
    repeats from its last time.
    """

    times: Given[tuple[float, ...], Sequence[Number]]
    """When packets may leave, in ascending order; equal times are allowed, and add up."""
    period: Given[float, Number]
    """After which all repeats; at least the last of the times."""
    bytes: Given[int, Bytes] = default(1500)
    """Bytes that may leave at one of the times."""


class Jitter(Part):
    """Random delay on a link, on top of its propagation delay, drawn uniformly from 0 to ``most``."""

    most: Given[float, Number]
    """Longest delay."""
    reorder: bool = False
    """True if a packet may overtake another; otherwise it waits for it."""


class Reverse(Part):
    """The reverse direction of a link, where it differs. A field left out is as in the forward direction,
    except ``loss``, ``jitter``, ``capacity``, ``conditioner`` and ``events``, which are none.
    """

    rate: Given[float | None, Number | None] = default(None)
    """Bits per second."""
    delay: Given[float | None, Number | None] = default(None)
    """Propagation delay."""
    queue: Given[AnyQueue | None, AnyQueueGiven | None] = default(None)
    """Queue in front of the link."""
    capacity: Given[Capacity | None, Capacity | Table | None] = default(None)
    """Instants at which packets may leave, in place of the rate."""
    jitter: Given[Jitter | None, Jitter | Table | None] = default(None)
    """Random delay on top of the propagation delay."""
    loss: Given[AnyLoss | None, AnyLossGiven | None] = default(None)
    """Packets lost on arrival at the port, before the queue."""
    conditioner: Given[Conditioner | None, Conditioner | Table | None] = default(None)
    """Conditioner of arriving packets, before all else: classes are metered, marked and dropped."""
    events: Given[tuple[AnyEvent, ...], Sequence[AnyEventGiven]] = default(())
    """Events at given times: changes of rate, delay and losses, outages, stalls, reordering."""


class Link(LinkMethods, Part):
    """A full-duplex link. With ``between = ["a", "b"]`` its ports are ``a->b`` and ``b->a``."""

    between: Given[tuple[str, str], Sequence[str]]
    """The two nodes; the first is where the forward direction starts."""
    name: str | None = None
    """A short name for the forward direction, for recordings and figures."""
    rate: Given[float, Number]
    """Bits per second, in each direction."""
    delay: Given[float, Number]
    """Propagation delay, in each direction."""
    queue: Given[AnyQueue, AnyQueueGiven] = default(DropTail.known())
    """Queue in front of the link, one in each direction."""
    capacity: Given[Capacity | None, Capacity | Table | None] = default(None)
    """Instants at which packets may leave in the forward direction, in place of the rate, which then only
    tells RED, and the observers of ``record.nonresponsive``, what to expect.
    """
    jitter: Given[Jitter | None, Jitter | Table | None] = default(None)
    """Random delay on top of the propagation delay, in the forward direction."""
    loss: Given[AnyLoss | None, AnyLossGiven | None] = default(None)
    """Packets lost on arrival at the forward port, before the queue."""
    conditioner: Given[Conditioner | None, Conditioner | Table | None] = default(None)
    """Conditioner of packets that arrive at the forward port, before all else: classes are metered, marked
    and dropped.
    """
    events: Given[tuple[AnyEvent, ...], Sequence[AnyEventGiven]] = default(())
    """Events in the forward direction at given times: changes of rate, delay and losses, outages, stalls,
    reordering.
    """
    reverse: Given[Reverse, Reverse | Table] = default(Reverse.known())
    """Properties of the direction from the second node to the first that differ."""


class Flow(Part):
    """An application over a transport between two hosts."""

    name: str
    """Unique. Random draws of the flow depend on the seed and on this name only."""
    source: str
    """Host that sends data."""
    destination: str
    """Host that receives it."""
    transport: Given[AnyTransport, AnyTransportGiven]
    """Transport of the data."""
    app: Given[AnyApp, AnyAppGiven]
    """When there is data to send."""
    start: Given[float, Number] = default(0.0)
    """Earliest start."""
    start_spread: Given[float, Number] = default(0.0)
    """The start is drawn uniformly from ``[start, start + start_spread)``."""
    stop: Given[float | None, Number | None] = default(None)
    """From this instant on the application hands nothing more to the transport."""
    dscp: Given[int, int | str] = default(0)
    """Code point of the packets that both ends send."""
    via: Given[tuple[str, ...], Sequence[str] | str] = default(())
    """Routers that data passes, in this order; ACKs pass the same links in the opposite direction. Between
    them, and without any, paths have the fewest links.
    """


AnyRouting: TypeAlias = ShortestPaths | Ecmp
"""Any routing."""

if TYPE_CHECKING:
    AnyRoutingGiven: TypeAlias = AnyRouting | Table | Literal["shortest", "ecmp"]
