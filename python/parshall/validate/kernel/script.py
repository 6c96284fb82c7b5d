"""What a machine is told: sender, router, a host that delays, receiver, and one cell after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from parshall.validate.kernel import cells as grid

if TYPE_CHECKING:
    from parshall.validate.kernel.cells import Cell

SOCKETS = "ip netns exec sender ss -tinHO state established dport = :{port}"
"""Counters of each connection to a cell's server."""

HOSTS = """
for host in sender router delay receiver; do
  ip netns add $host; ip -n $host link set lo up
  for key in ip_forward tcp_no_metrics_save; do ip netns exec $host sysctl -q net.ipv4.$key=1; done
done
join() {
  ip link add $2 netns $1 type veth peer name $5 netns $4
  ip -n $1 addr add $3/24 dev $2; ip -n $4 addr add $6/24 dev $5
  ip -n $1 link set $2 up; ip -n $4 link set $5 up
}
join sender out 10.0.1.2 router in 10.0.1.1
join router out 10.0.2.1 delay in 10.0.2.2
join delay out 10.0.3.1 receiver in 10.0.3.2
ip -n sender link set out gso_max_segs 1
ip -n sender route add default via 10.0.1.1
ip -n router route add 10.0.3.0/24 via 10.0.2.2
ip -n delay route add default via 10.0.2.1
ip -n receiver route add default via 10.0.3.1
"""


def script(cells: Sequence[Cell]) -> str:
    """Of cells with one link and one queue."""
    return "\n".join(_lines(cells))


def _lines(cells: Sequence[Cell]) -> Iterator[str]:
    first = cells[0]
    half = f"{1e3 * first.round_trip / 2:g}ms"
    yield HOSTS
    for device in ("in", "out"):
        yield f"ip netns exec delay tc qdisc add dev {device} root netem delay {half} limit 100000"
    for port, cell in enumerate(cells, start=5201):
        yield from _cell(cell, port)
    yield 'echo "== complaints"'
    yield 'dmesg | grep -iE "BUG|oops|warn|call trace|stall" | grep -v "report a bug"; true'


def _cell(cell: Cell, port: int) -> Iterator[str]:
    """A cell has a server of its own, for one that ends badly is busy for a while."""
    tc = "ip netns exec router tc qdisc"
    yield f"{tc} add dev out root handle 1: tbf rate {cell.rate:.0f}bit burst {2 * grid.PACKET} limit 100m"
    yield f"{tc} add dev out parent 1: handle 2: {_queue(cell)}"
    yield f"ip netns exec receiver iperf3 -s -p {port} > /dev/null 2>&1 &"
    yield "SERVER=$!; sleep 0.5"
    flows = f"-p {port} -P {cell.flows} -t {grid.DURATION + 5:g} -C {cell.control}"
    yield f"ip netns exec sender iperf3 -c 10.0.3.2 {flows} > /dev/null 2>&1 &"
    yield "CLIENT=$!"
    # It opens its connections one after the other, and sends when it has them all.
    sockets = SOCKETS.format(port=port)
    yield f"until {sockets} | grep -q 'data_segs_out:[1-9][0-9]'; do sleep 0.01; done"
    every = f"{1e3 * grid.EVERY:g} {grid.DURATION:g}"
    yield f"ip netns exec router watch_port out {cell.queue} {every} in > /tmp/port &"
    yield "WATCH=$!"
    yield f"sleep {grid.WARM_UP:g}"
    yield f"{sockets} > /tmp/before"
    yield "wait $WATCH"
    yield f"{sockets} > /tmp/after"
    yield f'echo "== {cell.name}"'
    yield "gzip -9 < /tmp/port | base64"
    for when in ("before", "after"):
        yield f"echo '-- {when}'; cat /tmp/{when}"
    yield "kill $CLIENT $SERVER; wait $CLIENT $SERVER 2> /dev/null"
    yield f"{tc} del dev out root"
    yield f"sleep {1 + 2 * cell.round_trip:g}"


def _queue(cell: Cell) -> str:
    low, high = cell.thresholds
    codel = f"target {1e3 * grid.CODEL_TARGET:g}ms interval {1e3 * grid.CODEL_INTERVAL:g}ms"
    red = (
        f"limit {cell.limit * grid.PACKET} min {low * grid.PACKET} max {high * grid.PACKET}"
        f" avpkt {grid.PACKET} burst {burst(cell)} probability {grid.RED_MOST} bandwidth {cell.rate:.0f}bit"
    )
    return {
        "pfifo": f"pfifo limit {cell.limit}",
        "red": f"red {red}",
        "codel": f"codel limit {cell.limit} {codel}",
        "pie": f"pie limit {cell.limit} target {1e3 * grid.PIE_TARGET:g}ms tupdate 15ms alpha 2 beta 20",
        "fq_codel": f"fq_codel limit {cell.limit} flows 1024 quantum {grid.PACKET} {codel}",
    }[cell.queue]


def burst(cell: Cell) -> int:
    """Packets that RED's average lets pass; tc makes its weight of them."""
    low, high = cell.thresholds
    return (2 * low + high) // 3 + 1


def ewma(low: float, burst: int) -> int:
    """Exponent of the power of two that tc makes RED's weight: the first at which a burst that meets an empty
    queue lifts the average no higher than the lower threshold, in packets (Floyd and Jacobson 1993).
    """
    for exponent in range(1, 32):
        weight = 2.0**-exponent
        if burst + 1 - low <= (1 - (1 - weight) ** burst) / weight:
            return exponent
    raise ValueError(f"low {low:g}, burst {burst}: no weight")
