"""Networks that carry the datagrams of your own transport, in simulated time.

    from parshall.sim import Arrival, Network

    net = Network("dsl.toml", seed=1)
    client, server = net.attach("echo", "client", "server")
    net.send(client, b"hello")
    for event in net:
        if isinstance(event, Arrival) and event.endpoint is server:
            net.send(server, event.data)
    print(net.finish().flow("echo").packets_delivered)

Nothing waits for a clock: a stack without sockets goes as fast as it computes, and the same scenario, seed
and datagrams give the same arrivals, to the picosecond. docs/how-to/own-stack.md leads from there to QUIC.
"""

from __future__ import annotations

from parshall._core import Arrival, Datagram, Dropped, Endpoint, Trace, TraceEntry, Wake
from parshall.sim.ecn import Ecn
from parshall.sim.network import Event, Network

__all__ = [
    "Arrival",
    "Datagram",
    "Dropped",
    "Ecn",
    "Endpoint",
    "Event",
    "Network",
    "Trace",
    "TraceEntry",
    "Wake",
]
