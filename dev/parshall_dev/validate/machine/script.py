"""Script of a machine: the network, and the runs of a place one after the other.

HTB gives the link its rate, since it takes a packet from the tested queue when the one before has been paid
for: as a link does that fetches a packet when it has sent the last. What it passes on has no transmission
time yet; the netem that delays ACKs has it on top of the round trip.
"""

from __future__ import annotations

from collections.abc import Sequence

from parshall_dev.validate.machine.cells import PACKET, Cell, Place, starts_ms

__all__ = ["MODULES", "PROGRAMS", "queue_words", "script"]

PROGRAMS = ("tc", "ip")
MODULES = (
    *("veth", "sch_htb", "sch_netem", "sch_red", "sch_codel", "sch_fq_codel", "sch_pie"),
    "tcp_bbr",
)

_BURST_S = 60e-6
"""Lateness up to which the link loses no time. In an emulated machine it is some microseconds late."""

_NETWORK = """\
for n in sender router receiver; do ip netns add $n; ip -n $n link set lo up; done
ip link add name s0 netns sender type veth peer name r0 netns router
ip link add name out netns router type veth peer name d0 netns receiver
ip -n sender addr add 10.0.1.2/24 dev s0; ip -n router addr add 10.0.1.1/24 dev r0
ip -n receiver addr add 10.0.2.2/24 dev d0; ip -n router addr add 10.0.2.1/24 dev out
ip -n sender link set s0 gso_max_segs 1
for x in "sender s0" "router r0" "router out" "receiver d0"; do
  set -- $x
  ip netns exec $1 sh -c "echo 1 > /proc/sys/net/ipv6/conf/$2/disable_ipv6"
  ip -n $1 link set $2 up
done
ip -n sender route add default via 10.0.1.1; ip -n receiver route add default via 10.0.2.1
ip netns exec router sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
for n in sender receiver; do
  # What Debian has on a machine with memory enough.
  ip netns exec $n sh -c 'cd /proc/sys/net/ipv4
    echo 1 > tcp_no_metrics_save; echo "4096 131072 6291456" > tcp_rmem; echo "4096 16384 4194304" > tcp_wmem'
done
ip netns exec receiver tc qdisc add dev d0 root netem delay {delay_us}us limit 100000
router() {{ ip netns exec router tc "$@"; }}
run() {{
  echo "== $1"
  router qdisc add dev out root handle 1: htb default 10
  router class add dev out parent 1: classid 1:10 htb rate {rate}bit ceil {rate}bit \
burst {burst} cburst {burst} quantum {packet}
  router qdisc add dev out parent 1:10 handle 10: {queue}
  ip netns exec sender ping -c 2 10.0.2.2 | grep -c "bytes from"
  shift; tcp_flows "$@"
  router qdisc del dev out root
  sleep 2
}}
"""


def script(place: Place, draw: int) -> str:
    """Runs all cells of a place, with flows that start as this draw has it."""
    rate = place.rate_mbit * 1_000_000
    network = _NETWORK.format(
        delay_us=round(1e3 * place.rtt_ms + 1e6 * place.packet_s),
        rate=rate,
        burst=round(_BURST_S * rate / 8),
        packet=PACKET,
        queue=" ".join(queue_words(place)),
    )
    return network + "".join(f"{_run(cell, draw)}\n" for cell in place.cells())


def _run(cell: Cell, draw: int) -> str:
    starts = " ".join(str(1000 * ms) for ms in starts_ms(cell.flows, draw))
    return f"run {cell.name} {cell.control} {cell.place.seconds} {starts}"


def queue_words(place: Place) -> Sequence[str]:
    """The tested queue as tc names it."""
    limit = place.limit
    if place.queue == "droptail":
        return ["pfifo", f"limit {limit}"]
    if place.queue == "red":
        red, size = place.red, f"limit {limit * PACKET} avpkt {PACKET}"
        bounds = f"min {red.low * PACKET} max {red.high * PACKET} burst {red.burst} probability 0.1"
        return ["red", size, bounds, f"bandwidth {place.rate_mbit}mbit"]
    if place.queue == "codel":
        return ["codel", f"limit {limit}", "target 5ms interval 100ms noecn"]
    if place.queue == "pie":
        return ["pie", f"limit {limit}", "target 15ms tupdate 15ms alpha 2 beta 20 noecn"]
    return ["fq_codel", f"limit {limit}", f"flows 1024 quantum {PACKET} target 5ms interval 100ms noecn"]
