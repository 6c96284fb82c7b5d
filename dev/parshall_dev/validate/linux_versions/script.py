"""Script of a machine: small scenarios that each show a rule of Linux's TCP.

A sender, a router and a receiver are namespaces. The router's device ``out`` is the bottleneck: HTB with a
burst of 60 us and a drop-tail queue; the receiver delays its ACKs by the round trip.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BBR_PLACES", "MODULES", "PROGRAMS", "SCENARIOS", "TOOLS", "Scenario", "script"]

PROGRAMS = ("tc", "ip")
TOOLS = ("watch_tcp", "tcp_flows")
"""Programs of ``linux/emulate``."""
MODULES = ("veth", "sch_htb", "sch_netem", "tcp_bbr")

PACKET = 1514
"""Bytes of a full packet with Ethernet's header, which queues count."""
_DEAD = "/bin/tc qdisc replace dev out root netem loss 100%"
_ALIVE = "/bin/tc qdisc replace dev out root pfifo limit 1000"
_LARGE = ("tcp_rmem=4096 16777216 33554432", "tcp_wmem=4096 16777216 33554432")
"""Buffers that never limit, as in the measurements of CUBIC's slow start."""


BBR_PLACES = ((10, 20), (10, 80))
"""Rates in Mbit/s and round trips in ms of BBR alone, in a queue of four bandwidth-delay products."""


@dataclass(frozen=True)
class Scenario:
    """One connection in a fresh network."""

    name: str
    command: str
    rtt_ms: int = 20
    rate_mbit: int = 10
    limit: int = 1000
    """Packets of the queue."""
    sysctls: tuple[str, ...] = ()
    """Settings of both hosts, ``NAME=VALUE``; one that a kernel lacks is left out."""
    dead: bool = False
    """True if packets vanish behind the router from the start."""

    def lines(self) -> str:
        """The part of the machine's script."""
        words = " ".join(f"'{each}'" for each in self.sysctls)
        before = f"router {_DEAD.removeprefix('/bin/')}\n" if self.dead else ""
        return (
            f"echo '== {self.name}'\n"
            f"net {self.rtt_ms} {self.rate_mbit} {self.limit} {words}\n{before}{self.command}\n"
        )


def _bulk(name: str, rate: int, rtt: int, limit: int, *sysctls: str, packets: int = 0) -> Scenario:
    return Scenario(name, f"watch_tcp cubic 2.1 {packets} -1", rtt, rate, limit, sysctls)


def _bbr(rate: int, rtt: int) -> Scenario:
    limit = round(4 * rate * 1e3 * rtt / (8 * PACKET))
    return Scenario(f"bbr_{rate}_{rtt}", "tcp_flows bbr 10 0", rtt, rate, limit)


def _recovery(value: int) -> Scenario:
    """A packet is lost and two behind it arrive, so that duplicate ACKs are too few without RACK."""
    times = f"1000 '{_DEAD}' 1100 +1448 1110 '{_ALIVE}' 1150 +2896"
    return Scenario(
        f"recovery{value}", f"watch_tcp cubic 3 100 1448 {times}", 200, sysctls=(f"tcp_recovery={value}",)
    )


def _ecn(name: str, *sysctls: str) -> Scenario:
    return Scenario(f"ecn_{name}", "watch_tcp cubic 0.3 20 8000", sysctls=sysctls)


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("syn", "watch_tcp cubic 40 40 0", dead=True),
    Scenario("syn_lost_1", f"watch_tcp cubic 3 200 60000 500 '{_ALIVE}'", 60, dead=True),
    Scenario("syn_lost_2", f"watch_tcp cubic 5 200 60000 1500 '{_ALIVE}'", 60, dead=True),
    Scenario("probe_20", f"watch_tcp cubic 3 60 1448 950 '{_DEAD}' 1000 +1448"),
    Scenario("probe_400", f"watch_tcp cubic 4 60 1448 1450 '{_DEAD}' 1500 +1448", 400),
    Scenario("timeouts", f"watch_tcp cubic 9 400 -1 60 '{_DEAD}'"),
    Scenario("timeouts_max", f"watch_tcp cubic 9 400 -1 60 '{_DEAD}'", sysctls=("tcp_rto_max_ms=1000",)),
    _recovery(1),
    _recovery(0),
    _ecn("default"),
    _ecn("1", "tcp_ecn=1"),
    _ecn("3", "tcp_ecn=3"),
    _bulk("receiver_20_40", 20, 40, 1000, packets=800),
    _bulk("hystart_10_20", 10, 20, 50, *_LARGE),
    _bulk("hystart_20_40", 20, 40, 67, *_LARGE),
    _bulk("hystart_50_80", 50, 80, 333, *_LARGE),
    *(_bbr(rate, rtt) for rate, rtt in BBR_PLACES),
)

_NETWORK = """\
echo "kernel $(uname -rv)"
router() { ip netns exec router "$@"; }
receiver() { ip netns exec receiver "$@"; }
mac() { echo 02:00:00:00:00:$1; }
# NAMESPACE DEVICE ADDRESS PEER PEERS_MAC
host() {
  ip netns exec $1 sh -c "echo 1 > /proc/sys/net/ipv6/conf/$2/disable_ipv6"
  ip -n $1 addr add $3/24 dev $2
  ip -n $1 link set $2 up
  ip -n $1 neigh add $4 lladdr $(mac $5) dev $2
}
# NAME=VALUE for both hosts, unless the kernel has no such setting
setting() {
  file=/proc/sys/net/ipv4/${1%%=*}
  [ -e $file ] || return
  for n in sender receiver; do
    ip netns exec $n sh -c "echo '${1#*=}' > $file" 2>/dev/null || echo "refused $1"
  done
}
net() {
  rtt=$1; rate=$2; limit=$3; shift 3
  for n in sender router receiver; do
    ip netns del $n 2>/dev/null
    ip netns add $n
    ip -n $n link set lo up
  done
  ip link add s0 netns sender address $(mac 1) type veth peer name in netns router address $(mac 2)
  ip link add out netns router address $(mac 3) type veth peer name d0 netns receiver address $(mac 4)
  ip -n sender link set s0 gso_max_segs 1
  host sender s0 10.0.1.2 10.0.1.1 2
  host router in 10.0.1.1 10.0.1.2 1
  host router out 10.0.2.1 10.0.2.2 4
  host receiver d0 10.0.2.2 10.0.2.1 3
  ip -n sender route add default via 10.0.1.1
  ip -n receiver route add default via 10.0.2.1
  router sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
  for s in tcp_no_metrics_save=1 "$@"; do setting "$s"; done
  receiver tc qdisc add dev d0 root netem delay ${rtt}ms limit 100000
  burst=$((rate * 60 / 8))
  router tc qdisc add dev out root handle 1: htb default 10
  router tc class add dev out parent 1: classid 1:10 htb rate ${rate}mbit ceil ${rate}mbit \
    burst $burst cburst $burst quantum 1514
  router tc qdisc add dev out parent 1:10 handle 10: pfifo limit $limit
}
echo "== sysctls"
cd /proc/sys/net/ipv4
for f in tcp_*; do echo "sysctl $f $(cat $f 2>/dev/null | tr '\\t\\n' '  ')"; done
"""


def script(scenarios: tuple[Scenario, ...] = SCENARIOS) -> str:
    """Script of a machine that runs `scenarios` one after the other."""
    return _NETWORK + "".join(each.lines() for each in scenarios) + "echo '== end'\n"
