"""Script of the emulated machine: the testbed of Figure 20, and an experiment on it.

Hosts are network namespaces: senders of TCP, of UDP and a Web server, each with a link of its own to the
router, so that what each kind of traffic brings is counted by a device of its own; behind the router's
bottleneck, or behind two of them, a host that delays what passes by 50 ms each way, and behind that the
receiver. UDP ends where the delay begins: nobody answers it, and half of the machine's work would be to
delay it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from parshall_dev.linux_testbed import settings as testbed
from parshall_dev.linux_testbed.settings import Experiment, Pulse, Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = ("tcp", "udp", "web")
"""Kinds of traffic, and the router's devices by which it comes."""

HOSTS = """
for host in tcp udp web router delay receiver; do
  ip netns add $host; ip -n $host link set lo up
  for key in ip_forward tcp_no_metrics_save; do ip netns exec $host sysctl -q net.ipv4.$key=1; done
done
join() {
  ip link add $2 netns $1 type veth peer name $5 netns $4
  ip -n $1 addr add $3/24 dev $2; ip -n $4 addr add $6/24 dev $5
  ip -n $1 link set $2 up; ip -n $4 link set $5 up
}
join tcp out 10.0.1.2 router tcp 10.0.1.1
join udp out 10.0.2.2 router udp 10.0.2.1
join web out 10.0.3.2 router web 10.0.3.1
"""
ONE_BOTTLENECK = """
join router out 10.0.4.1 delay in 10.0.4.2
ip -n delay route add default via 10.0.4.1
"""
TWO_BOTTLENECKS = """
for host in hop udp2; do ip netns add $host; ip -n $host link set lo up; done
ip netns exec hop sysctl -q net.ipv4.ip_forward=1
join router out 10.0.4.1 hop in 10.0.4.2
join hop out 10.0.6.1 delay in 10.0.6.2
join udp2 out 10.0.7.2 hop udp 10.0.7.1
ip -n udp2 route add default via 10.0.7.1
ip -n hop route add 10.0.5.0/24 via 10.0.6.2
ip -n hop route add default via 10.0.4.1
ip -n delay route add default via 10.0.6.1
"""
ROUTES = """
join delay out 10.0.5.1 receiver in 10.0.5.2
for sender in tcp:1 udp:2 web:3; do ip -n ${sender%:*} route add default via 10.0.${sender#*:}.1; done
ip -n router route add 10.0.5.0/24 via 10.0.4.2
ip -n receiver route add default via 10.0.5.1
ip netns exec delay tc qdisc add dev out root netem delay 50ms limit 100000
ip netns exec delay tc qdisc add dev in root netem delay 50ms limit 100000
"""
SINGLE = """
for host in tcp udp web; do ip -n $host link set out gso_max_segs 1; done
"""
LISTENERS = """
ip netns exec receiver iperf3 -s > /dev/null 2>&1 &
ip netns exec web httpd -h /tmp/www -p 80
sleep 0.5
"""
CLIENTS = "protocol = HTTP/1.0\\nconnection = close\\nlimit = 1024\\ncache = false\\nparser = false\\n"
END = """
echo "== counted"
gzip -9 < /tmp/counted | base64
echo "== queues"
ip netns exec router tc -s -d qdisc show dev out
echo "== json"
ip netns exec router tc -j -s -d qdisc show dev out
echo "== elsewhere"
ip netns exec hop tc -j -s qdisc show dev out 2>/dev/null
echo "== packets"
[ ! -f /tmp/packets ] || gzip -1 < /tmp/packets | base64
echo "== delivered"
cat /tmp/delivered
echo "== web"
cat /tmp/web 2>/dev/null | tail -20
echo "== complaints"
dmesg | grep -iE "BUG|oops|warn|call trace|stall" | grep -v "report a bug"; true
"""


def script(experiment: Experiment, scale: Scale, estimator: Mapping[str, float], seed: int) -> str:
    """Script of one experiment. ``estimator`` has options of the queue discipline by their names."""
    return "\n".join(_lines(experiment, scale, estimator, seed))


def _lines(experiment: Experiment, scale: Scale, estimator: Mapping[str, float], seed: int) -> Iterator[str]:
    duration = experiment.duration * scale.times
    yield HOSTS + (ONE_BOTTLENECK if experiment.second is None else TWO_BOTTLENECKS) + ROUTES
    if not experiment.super_packets:
        yield SINGLE
    yield "insmod /lib/sch_estmred.ko"
    yield from _files()
    yield from _bottleneck("router", _queue(experiment.queue, scale, estimator), scale)
    yield LISTENERS
    kind = _kind(experiment.queue)
    every = f"{1e3 * testbed.SAMPLING:g} {duration:g}"
    yield f"ip netns exec router watch_port out {kind} {every} {' '.join(KINDS)} > /tmp/counted &"
    yield "WATCH=$!"
    if experiment.packets:
        yield f"ip netns exec router watch_packets {duration:g} out {' '.join(KINDS)} > /tmp/packets &"
    if kind == testbed.ESTMRED and experiment.queue != testbed.OFF:
        begin = f"tc qdisc change dev out parent 1: handle 2: estmred estimate {experiment.form}"
        yield f"(sleep {scale.start:g}; ip netns exec router {begin}) &"
    yield f"(sleep {scale.start:g}; ip netns exec delay cat /proc/net/dev > /tmp/delivered) &"
    yield from _traffic(experiment, scale, seed)
    yield "wait $WATCH"
    yield "ip netns exec delay cat /proc/net/dev >> /tmp/delivered"
    yield END


def _traffic(experiment: Experiment, scale: Scale, seed: int) -> Iterator[str]:
    """Long flows, UDP, and what comes and goes; all of it in the background."""
    duration = experiment.duration * scale.times
    flows = f"-P {scale.tcp_flows} -t {math.ceil(duration) + 5} -C cubic"
    yield f"ip netns exec tcp iperf3 -c 10.0.5.2 {flows} > /dev/null 2>&1 &"
    yield f"{_udp(experiment.load, duration, scale, seed)} &"
    if experiment.second is not None:
        yield from _bottleneck("hop", _queue("red", scale, {}), scale)
        there = _udp(experiment.second, duration, scale, 2000 + seed, "udp2", "10.0.6.2")
        yield f"{there} &"
    if experiment.pulse is not None:
        yield _later(experiment.pulse, scale, 1000 + seed)
    if experiment.web is not None:
        yield from _web(experiment.web, scale)


def _bottleneck(host: str, queue: str, scale: Scale) -> Iterator[str]:
    """The link that leaves a router, at the scale's rate, and its queue."""
    tc = f"ip netns exec {host} tc qdisc add dev out"
    yield f"{tc} root handle 1: tbf rate {scale.rate:.0f}bit burst 3028 limit 10m"
    yield f"{tc} parent 1: handle 2: {queue}"


def _later(pulse: Pulse, scale: Scale, seed: int) -> str:
    """UDP that comes on top for a while."""
    flows = _udp(pulse.load, (pulse.stop - pulse.start) * scale.times, scale, seed)
    return f"(sleep {pulse.start * scale.times:g}; {flows}) &"


def _kind(queue: str) -> str:
    """As tc calls it."""
    return testbed.ESTMRED if queue in (testbed.TUNED, testbed.OFF) else queue


def _queue(queue: str, scale: Scale, estimator: Mapping[str, float]) -> str:
    """A queue discipline with its options; those of one kind are the same for all."""
    red = (
        f"limit {testbed.LIMIT} min {testbed.LOW} max {testbed.HIGH} avpkt {testbed.MEAN_PACKET}"
        f" probability {testbed.MOST:.6f} bandwidth {scale.rate:.0f}bit"
    )
    packets = testbed.LIMIT // testbed.MEAN_PACKET
    tuned = f" tune-above {testbed.TUNE_ABOVE} tune-band {testbed.TUNE_BAND}"
    estmred = f"estmred {red} {' '.join(_estimator(scale, estimator))} estimate off"
    return {
        testbed.ESTMRED: estmred,
        testbed.TUNED: estmred + tuned,
        testbed.OFF: estmred,
        "red": f"red {red} burst {(2 * testbed.LOW + testbed.HIGH) // (3 * testbed.MEAN_PACKET)}",
        "codel": f"codel limit {packets} target 5ms interval 100ms",
        "fq_codel": f"fq_codel limit {packets} flows 1024 target 5ms interval 100ms",
        "bfifo": f"bfifo limit {testbed.LIMIT}",
    }[queue]


def _estimator(scale: Scale, estimator: Mapping[str, float]) -> Iterator[str]:
    """Options of ESTMRED beyond RED's."""
    yield f"delay {1e3 * testbed.ONE_WAY:g}ms"
    yield f"sampling {1e3 * testbed.SAMPLING:g}ms interval {testbed.ESTIMATION} pzthd {testbed.PZTHD}"
    yield f"backlog-alpha {testbed.BACKLOG_ALPHA} signal-alpha {testbed.SIGNAL_ALPHA}"
    yield f"average-alpha {scale.alpha:.6g}"
    yield from (f"{name} {value:.6g}" for name, value in estimator.items())


def cbr(load: float, scale: Scale) -> tuple[int, float]:
    """Number of UDP flows of a load, and the rate of each in bit/s."""
    whole = load * scale.rate
    count = max(1, round(whole / testbed.CBR_RATE))
    return count, whole / count


def _udp(
    load: float, lasts: float, scale: Scale, seed: int, sender: str = "udp", to: str = "10.0.4.2"
) -> str:
    count, rate = cbr(load, scale)
    told = f"{to} {count} {rate:.3f} {testbed.UDP_PAYLOAD} {lasts:g} {seed}"
    return f"ip netns exec {sender} send_cbr {told} > /dev/null"


def _files() -> Iterator[str]:
    """Pages of the five sizes, and a list of addresses in which each stands as often as it weighs."""
    yield "mkdir -p /tmp/www"
    for size, weight in testbed.WEB_SIZES.items():
        yield f"head -c {size} /dev/zero > /tmp/www/{size}"
        yield f"yes http://10.0.3.2/{size} | head -{weight} >> /tmp/pages"


def _web(when: tuple[float, float], scale: Scale) -> Iterator[str]:
    """Clients that ask for one page after the other, each over a connection of its own."""
    begin, end = (instant * scale.times for instant in when)
    yield f"mkdir -p /tmp/.siege; printf '{CLIENTS}' > /tmp/.siege/siege.conf"
    yield (
        f"(sleep {begin:g}; ip netns exec receiver siege -b -i -f /tmp/pages -c {scale.web_clients}"
        f" -t {end - begin:.0f}S > /tmp/web 2>&1) &"
    )
