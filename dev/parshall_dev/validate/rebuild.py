"""From an entry of ``scenarios.json`` to a scenario of ours, with the ``ns2`` profile.

Every field of an entry is used, or left aside with the reason given where that is done.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from parshall.scenario import (
    Bulk,
    DiffServ,
    DropTail,
    FixedWeight,
    Flow,
    Link,
    ListedLoss,
    Record,
    Reverse,
    Scenario,
    Schedule,
    Tcp,
    Udp,
)
from parshall_dev.validate.dsred import class_queues, conditioner
from parshall_dev.validate.events import PLACES
from parshall_dev.validate.fields import Fields
from parshall_dev.validate.settings import check_ns2_settings

__all__ = ["PORTS", "Rebuilt", "rebuild"]

PORTS = {"AB": "A->B", "BA": "B->A"}
"""The bottleneck's two directions, as ports of the scenario."""

_RECOVERY = {"tahoe": "tahoe", "reno": "reno", "newreno": "newreno", "sack1": "sack", "vegas": "vegas"}
_PARTIAL_ACK_TIMER = {"first partial ACK only": "first", "every partial ACK": "every"}
_TCP_HEADER = 40
_UDP_HEADER = 28
_MOST_PACKETS = 1_000_000
_SACK_BLOCKS = {"max_blocks": 3, "bytes_per_block": 8}
_VEGAS_THRESHOLDS = {"alpha_pkts": 1, "beta_pkts": 3, "gamma_pkts": 1}


@dataclass(frozen=True)
class Rebuilt:
    """A scenario of ours in place of ns-2's, and what to look at."""

    scenario: Scenario
    flows: tuple[int, ...]
    """Which flow of the entry each of the scenario is."""
    ports: dict[str, str]
    """Ports of the scenario by the names of their places."""
    classes: tuple[str, ...]
    """Places whose queues tell classes apart."""
    colours: dict[int, str] | None
    """Names of code points, where packets have any."""
    slack: float
    """Tolerance of averages: an arrival that coincides with an end of transmission counts a packet more
    or less, with its weight.
    """


def rebuild(entry: Fields) -> Rebuilt:
    """The scenario that an entry describes. Raises InputError for what cannot be rebuilt."""
    # Read already, or for people only.
    entry.leave("name", "category", "description")
    # Counted in the trace, which is compared row by row.
    entry.leave("counts")
    duration = entry.number("duration_s")
    bottleneck = entry.table("bottleneck")
    forward, backward = _port(bottleneck.table("AB")), _port(bottleneck.table("BA"))
    bottleneck.done()
    edges = _edges(entry)
    flows = entry.tables("flows")
    lost = _forced_drops(entry, len(flows))
    colours = _colours(entry)
    ties = _ties(entry)
    entry.done()
    links = [_bottleneck(forward, backward, lost), *(link for link, _ in edges.values())]
    access: dict[str, Link] = {}
    built, kinds = [], []
    for index, flow in enumerate(flows):
        kinds.append(flow.read.get("type"))
        hosts = _hosts(flow, index, colours is not None)
        _access_links(flow, hosts, edges, access)
        built.append(_flow(flow, index, hosts, duration))
        flow.done()
    ports = {**PORTS, **{edge: f"{edge}->{link.between[1]}" for edge, (link, _) in edges.items()}}
    queues = {
        "AB": forward["queue"],
        "BA": backward["queue"],
        **{e: link.queue for e, (link, _) in edges.items()},
    }
    classes = tuple(place for place, queue in queues.items() if isinstance(queue, DiffServ))
    # ns-2 has the bursts of a pattern in its list of events from the beginning, sources add theirs later.
    order = sorted(range(len(flows)), key=lambda index: kinds[index] != "udp")
    scenario = Scenario(
        duration=duration,
        hosts=list(access),
        routers=["A", "B", *edges],
        links=[*links, *access.values()],
        flows=[built[index] for index in order],
        record=Record(
            packets=list(ports.values()), deliveries="*", class_state=[ports[place] for place in classes]
        ),
    )
    slack = min(1.0, ties * _greatest_weight(queues.values()))
    return Rebuilt(scenario, tuple(order), ports, classes, colours, slack)


def _greatest_weight(queues: Iterable[Any]) -> float:
    """The greatest weight of a packet in an average."""
    weights = [
        precedence.weight.value
        for queue in queues
        if isinstance(queue, DiffServ)
        for physical in queue.queues
        for precedence in physical.precedences
        if physical.dropper != "drop-tail" and isinstance(precedence.weight, FixedWeight)
    ]
    return max(weights, default=0.0)


def _ties(entry: Fields) -> int:
    """Number of arrivals that coincide with an end of transmission; other margins do not concern us."""
    if "margins" not in entry.read:
        return 0
    margins = entry.table("margins")
    ties = margins.plain("simultaneous_arrival_and_end_of_transmission")
    return ties if isinstance(ties, int) else 0


def _colours(entry: Fields) -> dict[int, str] | None:
    if "colours" not in entry.read:
        return None
    colours = entry.table("colours")
    return {int(code_point): colours.word(code_point) for code_point in colours.left()}


def _edges(entry: Fields) -> dict[str, tuple[Link, str]]:
    """The link of each edge router to its side, and that side."""
    edges: dict[str, tuple[Link, str]] = {}
    for edge in entry.tables("edges") if "edges" in entry.read else []:
        name, side = edge.one_of("id", PLACES[3:]), edge.one_of("side", ["A", "B"])
        back = Reverse(**_port(edge.table("return_link")))
        edges[name] = (Link(between=(name, side), **_port(edge.table("port")), reverse=back), side)
        edge.done()
    return edges


def _port(fields: Fields) -> dict[str, Any]:
    """One direction of a link."""
    port: dict[str, Any] = {
        "rate": fields.number("rate_bps"),
        "delay": fields.number("delay_s", zero=True),
    }
    limit = fields.whole("queue_limit_pkts", 1)
    if fields.one_of("discipline", ["droptail", "dsred"]) == "droptail":
        port["queue"] = DropTail(limit_packets=limit)
    else:
        port["queue"] = class_queues(fields.table("queue"), limit)
        if fields.read.get("conditioner") is None:
            fields.leave("conditioner")
        else:
            port["conditioner"] = conditioner(fields.table("conditioner"))
    fields.done()
    return port


def _bottleneck(forward: dict[str, Any], backward: dict[str, Any], lost: dict[str, list[int]]) -> Link:
    losses = {place: ListedLoss(arrivals=sorted(lost[place])) if lost[place] else None for place in lost}
    reverse = Reverse(**backward, loss=losses["BA"])
    return Link(between=("A", "B"), name="bottleneck", **forward, loss=losses["AB"], reverse=reverse)


def _forced_drops(entry: Fields, flows: int) -> dict[str, list[int]]:
    """Arrival numbers at each place. The other fields name the same packet in other words: if it were
    another one in our run, the traces would differ.
    """
    lost: dict[str, list[int]] = {"AB": [], "BA": []}
    for drop in entry.tables("forced_drops"):
        lost[drop.one_of("place", list(lost))].append(drop.whole("arrival_index", 1))
        if drop.whole("flow", 0) >= flows:
            raise drop.error("flow", f"a flow from 0 to {flows - 1}")
        drop.one_of("kind", ["data", "ack"])
        drop.whole("seq", -1)
        drop.whole("transmission", 1)
        drop.number("time_s", zero=True)
        drop.done()
    return lost


def _hosts(flow: Fields, index: int, named: bool) -> tuple[str, str]:
    """The hosts of a flow: named ones may be shared."""
    if named:
        return flow.word("source_host"), flow.word("destination_host")
    return f"s{index}", f"d{index}"


def _access_links(
    flow: Fields, hosts: tuple[str, str], edges: dict[str, tuple[Link, str]], links: dict[str, Link]
) -> None:
    """Adds the access links of a flow, by their hosts."""
    near, far = ("A", "B") if flow.one_of("direction", ["forward", "reverse"]) == "forward" else ("B", "A")
    if flow.read.get("edge") is not None:
        edge = flow.one_of("edge", list(edges))
        if edges[edge][1] != near:
            raise flow.error("edge", f"an edge router of side {near}")
        near = edge
    flow.leave("edge")
    for host, router, name in zip(
        hosts, (near, far), ("source_access_link", "destination_access_link"), strict=True
    ):
        link = Link(between=(host, router), **_port(flow.table(name)))
        if links.setdefault(host, link) != link:
            raise flow.error(name, f"the link that host {host} has already")


def _flow(flow: Fields, index: int, hosts: tuple[str, str], duration: float) -> Flow:
    flow.exactly("id", index, "since flows are numbered in order")
    kind = flow.one_of("type", ["tcp", "cbr", "udp"])
    if kind == "tcp":
        parts = _tcp_flow(flow)
    else:
        parts = _cbr_flow(flow, duration) if kind == "cbr" else _udp_flow(flow)
    return Flow(name=f"f{index}", source=hosts[0], destination=hosts[1], **parts)


def _udp_flow(flow: Fields) -> dict[str, Any]:
    """Bursts of packets of several sizes, each burst at one instant."""
    bursts: list[tuple[Decimal, list[int]]] = []
    for pattern in flow.tables("pattern"):
        start, interval = pattern.number("start_s", zero=True), pattern.number("interval_s", zero=True)
        repeat = pattern.whole("repeat", 1)
        if repeat > _MOST_PACKETS:
            raise pattern.error("repeat", f"at most {_MOST_PACKETS} times")
        sizes = pattern.items("packet_wire_bytes")
        if not sizes or not all(isinstance(size, int) and size >= 2 for size in sizes):
            raise pattern.error("packet_wire_bytes", "sizes of at least 2 bytes")
        pattern.done()
        first, step = Decimal(repr(start)), Decimal(repr(interval))
        bursts += [(first + number * step, sizes) for number in range(repeat)]
    bursts.sort(key=lambda burst: burst[0])
    sizes = [size for _, burst in bursts for size in burst]
    header = min(_UDP_HEADER, min(sizes, default=2) - 1)
    return {
        "transport": Udp(payload_bytes=max(sizes, default=2) - header, header_bytes=header),
        "app": Schedule(
            writes=[(float(at), len(burst)) for at, burst in bursts],
            payloads=[size - header for size in sizes],
        ),
    }


def _cbr_flow(flow: Fields, duration: float) -> dict[str, Any]:
    """Packets at ``start_s + k interval_s`` before ``stop_s``.

    They are listed one by one: a rate in bit/s, rounded, would let them drift by nanoseconds.
    """
    size = flow.whole("packet_wire_bytes", 2)
    start, stop = flow.number("start_s", zero=True), flow.number("stop_s", zero=True)
    interval = flow.number("interval_s")
    end = min(stop, duration)
    if end - start > _MOST_PACKETS * interval:
        raise flow.error("interval_s", f"an interval that fits at most {_MOST_PACKETS} times")
    packets = _packets_before(end, start, interval, 8.0 * size)
    header = min(_UDP_HEADER, size - 1)
    return {
        "transport": Udp(payload_bytes=size - header, header_bytes=header),
        "app": Schedule(writes=[(float(k * Decimal(repr(interval))), 1) for k in range(packets)]),
        "start": start,
    }


def _packets_before(stop: float, start: float, interval: float, bits: float) -> int:
    """Number of packets that leave before ``stop``.

    ns-2 turns the interval into a rate and back and adds it up in double precision, so that a packet due at
    ``stop`` itself is sent if the sum falls short of it.
    """
    step = bits / (bits / interval)
    packets, at = 0, start
    while at < stop:
        packets += 1
        at += step
    return packets


def _tcp_flow(flow: Fields) -> dict[str, Any]:
    variant = flow.one_of("variant", list(_RECOVERY))
    options = {
        "recovery": _RECOVERY[variant],
        **_sizes(flow),
        **_windows(flow),
        **_timers(flow),
        **_delayed_ack(flow),
        **_variant_options(flow, variant),
        "limited_transmit": flow.flag("limited_transmit"),
        "dupack_threshold": flow.whole("dupack_threshold", 1),
        "fast_retransmit_guard": (
            "recover-or-first" if flow.flag("one_fast_retransmit_per_window") else "none"
        ),
        "idle_restart": "on-timer" if flow.flag("restart_after_idle") else "never",
    }
    check_ns2_settings(flow, variant)
    return {"transport": Tcp(profile="ns2", **options), **_source(flow)}


def _sizes(flow: Fields) -> dict[str, Any]:
    """Only the sum of payload and headers counts, and with a SYN its size, which is that of the headers."""
    handshake = flow.flag("syn_packet")
    size = flow.whole("data_wire_bytes", 2)
    if handshake:
        header = flow.whole("syn_wire_bytes", 1)
        if header >= size:
            raise flow.error("syn_wire_bytes", f"fewer than data_wire_bytes, {size}")
    else:
        flow.exactly("syn_wire_bytes", None, "since syn_packet is false")
        header = min(_TCP_HEADER, size - 1)
    return {
        "handshake": handshake,
        "payload_bytes": size - header,
        "header_bytes": header,
        "ack_bytes": flow.whole("ack_wire_bytes", 1),
    }


def _windows(flow: Fields) -> dict[str, Any]:
    return {
        "initial_window_packets": flow.number("initial_window_pkts"),
        "max_window_packets": flow.whole("max_window_pkts", 1),
        "initial_ssthresh_packets": flow.number("initial_ssthresh_pkts"),
    }


def _timers(flow: Fields) -> dict[str, Any]:
    tick, phase = flow.number("tick_s"), flow.number("tick_phase_s", zero=True)
    if phase >= tick:
        raise flow.error("tick_phase_s", f"less than tick_s, {tick:g}")
    least, most = flow.number("min_rto_s"), flow.number("max_rto_s")
    if most < least:
        raise flow.error("max_rto_s", f"at least min_rto_s, {least:g}")
    return {
        "clock_tick": tick,
        "clock_phase": phase,
        "min_rto": least,
        "max_rto": most,
        "initial_rto": flow.number("initial_rto_s"),
    }


def _delayed_ack(flow: Fields) -> dict[str, Any]:
    if flow.flag("delayed_ack"):
        return {"delayed_ack": True, "delayed_ack_timer": flow.number("delayed_ack_timer_s")}
    flow.exactly("delayed_ack_timer_s", None, "since delayed_ack is false")
    return {"delayed_ack": False}


def _variant_options(flow: Fields, variant: str) -> dict[str, Any]:
    """Fields that only one variant has."""
    if variant == "sack1":
        _fixed(flow.table("sack"), _SACK_BLOCKS, "what our receiver reports")
    if variant == "vegas":
        _fixed(flow.table("vegas"), _VEGAS_THRESHOLDS, "what our Vegas aims at")
    if variant == "newreno":
        timer = flow.one_of("newreno_timer_restart", list(_PARTIAL_ACK_TIMER))
        return {"partial_ack_timer": _PARTIAL_ACK_TIMER[timer]}
    return {}


def _fixed(fields: Fields, values: dict[str, int], why: str) -> None:
    for name, value in values.items():
        fields.exactly(name, value, why)
    fields.done()


def _source(flow: Fields) -> dict[str, Any]:
    start = flow.number("start_s", zero=True)
    source = flow.plain("source")
    if source == "unlimited":
        return {"app": Bulk(), "start": start}
    if not isinstance(source, list) or not source:
        raise flow.error("source", '"unlimited" or a list of packets added')
    writes: list[tuple[float, int]] = []
    for step in flow.tables("source"):
        writes.append((step.number("time_s", zero=True), step.whole("packets_added", 1)))
        if len(writes) > 1 and writes[-1][0] < writes[-2][0]:
            raise step.error("time_s", f"no earlier than the one before, {writes[-2][0]:g}")
        step.done()
    if writes[0][0] != start:
        raise flow.error("start_s", f"the first time_s of source, {writes[0][0]:g}")
    return {"app": Schedule(writes=writes)}
