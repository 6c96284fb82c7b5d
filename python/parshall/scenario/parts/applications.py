"""Applications that hear back."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/applications.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from parshall.scenario.base import Part, default
from parshall.scenario.parts.laws import ConstantLaw, ExponentialLaw, LomaxLaw

if TYPE_CHECKING:
    from parshall.scenario.parts.laws import AnyLaw, AnyLawGiven
    from parshall.scenario.quantities import Bytes, Given, Number

__all__ = [
    "Barrier",
    "Telnet",
    "TransferSequence",
    "Web",
]


class TransferSequence(Part):
    """One transfer after the other over TCP, with time to think in between. A transfer that nobody asks for
    is complete when its last packet is acknowledged, one that is asked for when the destination has it.
    """

    kind: Literal["transfer-sequence"] = "transfer-sequence"
    """Names this application."""
    packets: Given[AnyLaw, AnyLawGiven | float]
    """Packets of a transfer; a fraction counts as a whole packet, and there is at least one."""
    think: Given[AnyLaw, AnyLawGiven | Number] = default(ConstantLaw.known(value=0.0))
    """Time between the end of one transfer and the start of the next."""
    transfers_at_most: int | None = None
    """Number of them; none is as many as the run has time for."""
    connection: Literal["new", "persistent"] = "new"
    """Use of connections: a new one for each transfer, with handshake, initial window and all estimates anew,
    or one that all share.
    """
    requests: bool = False
    """True if the destination, a client, asks the source, a server, for each. The client opens the
    connection, its request is a packet that crosses the network (and is sent again if it is lost), and the
    response follows on the same connection.
    """
    request_bytes: Given[int | None, Bytes | None] = default(None)
    """Payload of a request; none is that of the flow's packets."""


class Barrier(Part):
    """Rounds of many transfers at once over TCP: a client asks all sources of a group for an answer of the
    same length, and asks again when it has all answers (a barrier: reads that are spread over servers, the
    workers of a computation). The flow's source is the server, its destination the client, whose request is a
    packet that crosses the network. All flows with the same ``group`` make a round together, and have the
    same fields here; the first round begins when the last of them has started. In the table of transfers the
    session is the number of the round.
    """

    kind: Literal["barrier"] = "barrier"
    """Names this application."""
    group: str = ""
    """Flows with the same text here wait for one another."""
    packets: int
    """Packets of an answer."""
    rounds: int | None = None
    """Number of them; none is as many as the run has time for."""
    think: Given[AnyLaw, AnyLawGiven | Number] = default(ConstantLaw.known(value=0.0))
    """Time between the end of one round and the start of the next."""
    connection: Literal["new", "persistent"] = "persistent"
    """One connection for all answers of a flow, or one for each, with handshake, initial window and all
    estimates anew.
    """
    request_bytes: Given[int | None, Bytes | None] = default(None)
    """Payload of a request; none is that of the flow's packets."""


class Telnet(Part):
    """Sessions in which a user types: single packets over TCP, written at random intervals whatever has
    become of those before. Each packet is a transfer of its own in the table of transfers. Intervals are
    exponential with a mean of 1 s as in ns-2's Application/Telnet (``interval_``), but the first packet of a
    session comes at once. Lengths and breaks of sessions are laws of ours, for ns-2's never ends. The table
    of intervals of tcplib (Danzig and Jamin 1991), which ns-2 takes for an ``interval_`` of 0, is not here.
    """

    kind: Literal["telnet"] = "telnet"
    """Names this application."""
    packets: Given[AnyLaw, AnyLawGiven | float] = default(ExponentialLaw.known(mean=20.0))
    """Packets of a session; with a mean of m, a share of ``exp(-n / m)`` of the sessions has more than n."""
    interval: Given[AnyLaw, AnyLawGiven | Number] = default(ExponentialLaw.known(mean=1.0))
    """Time between the packets of a session, with a mean of at least 1 us."""
    idle: Given[AnyLaw, AnyLawGiven | Number] = default(ExponentialLaw.known(mean=10.0))
    """Time from the acknowledgement of a session's last packet to the start of the next session."""
    sessions: int | None = None
    """Number of them; none is as many as the run has time for."""
    connection: Literal["new", "persistent"] = "new"
    """Use of connections: a new one for each session, or one that all share."""


class Web(Part):
    """Sessions of a user of the Web over HTTP/1.0 (Feldmann, Gilbert, Huang and Willinger 1999), as ns-2's
    PagePool/WebTraf has them. The flow's source is the server, its destination the client. A session is
    pages, a page is objects, and each object has a connection of its own. Objects of a page start one after
    another whatever has become of those before; the time to the next page begins when all objects of this one
    are there. Defaults are the laws of ns-2's examples of large-scale Web traffic: 250 pages of 1 object, 15
    s and 10 ms between pages and objects (exponential), objects of 12 packets (Pareto of the second kind with
    shape 1.2). ns-2 starts a session each second on average (exponential): give each session a flow and a
    start, or use ``start_spread``. What differs from ns-2: it also draws a server for each page. With
    ``requests = "http"`` the client opens a connection and the response follows on it; in ns-2 a request is a
    packet on a connection of its own, and when the client has its acknowledgement the server opens another
    connection, which ``requests = "ns2"`` does too. A page is complete when the client has all objects; in
    ns-2, and with ``"ns2"``, when the server has the acknowledgements.
    """

    kind: Literal["web"] = "web"
    """Names this application."""
    pages: Given[AnyLaw, AnyLawGiven | float] = default(ConstantLaw.known(value=250.0))
    """Pages of a session."""
    inter_page: Given[AnyLaw, AnyLawGiven | Number] = default(ExponentialLaw.known(mean=15.0))
    """Time between the end of a page and the start of the next."""
    objects: Given[AnyLaw, AnyLawGiven | float] = default(ConstantLaw.known(value=1.0))
    """Objects of a page, at most 10000."""
    inter_object: Given[AnyLaw, AnyLawGiven | Number] = default(ExponentialLaw.known(mean=0.01))
    """Time between the starts of two objects of a page."""
    object_packets: Given[AnyLaw, AnyLawGiven | float] = default(LomaxLaw.known(mean=12.0, shape=1.2))
    """Packets of an object; a fraction counts as a whole packet, and there is at least one."""
    inter_session: Given[AnyLaw | None, AnyLawGiven | Number | None] = default(None)
    """Time between the end of a session and the start of the next; none has one session only."""
    connections: int | None = None
    """Most connections at once, up to 256; an object beyond that waits for one, and the wait counts. None is
    the most objects that a page can have, or ten times their mean where they have no bound.
    """
    requests: Literal["http", "ns2"] = "http"
    """Form of the request for an object."""
    request_bytes: Given[int | None, Bytes | None] = default(None)
    """Payload of a request, which is one packet; none is that of the flow's packets, as in ns-2."""
