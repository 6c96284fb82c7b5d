"""The path, the events and the applications of a run in a regime, as a scenario."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from parshall.scenario import (
    Bulk,
    DropTail,
    Flow,
    Link,
    Outage,
    RateChange,
    Record,
    Reordering,
    Reverse,
    Scenario,
    Schedule,
    Series,
    Stall,
    Tcp,
)
from parshall_dev.validate.linux_hosts import CONTROLS, FAST, HEADER, PAYLOAD, RECEIVE_BUFFER
from parshall_dev.validate.regimes import reading

__all__ = ["INTERVAL", "network_of"]

INTERVAL = 0.01
"""Seconds between samples of the series."""
_MOST = 2**31
"""Packets of an application that writes without end: more than any link takes."""


def network_of(asked: reading.Asked, late: Sequence[float] = ()) -> Scenario:
    """The network of a run, with series of its flows, which start so many seconds later than asked. Its limit
    counts the packet in transmission too.
    """
    delays = itertools.chain(late, itertools.repeat(0.0))
    bottleneck = Link(
        name="bottleneck",
        between=("router", "receiver"),
        rate=asked.rate_mbit * 1e6,
        delay=asked.base_rtt_ms / 2e3,
        queue=DropTail(limit_packets=asked.limit_packets - 1),
        events=[_event(each) for each in asked.events],
        reverse=Reverse(rate=FAST, queue=DropTail(), events=list(_backward(asked))),
    )
    flows = [
        _flow(f"f{index}", each, asked, delay)
        for index, (each, delay) in enumerate(zip(asked.flows, delays, strict=False))
    ]
    return Scenario(
        duration=asked.duration,
        hosts=["sender", "receiver"],
        routers=["router"],
        links=[Link(between=("sender", "router"), rate=FAST, delay=0, queue=DropTail()), bottleneck],
        flows=flows,
        record=Record(flow_series=Series(of=[flow.name for flow in flows], interval=INTERVAL)),
    )


def _event(event: reading.Event) -> Any:
    match event.kind:
        case "rate":
            return RateChange(at=event.start, rate=event.mbit * 1e6)
        case "outage":
            return Outage(start=event.start, end=event.end)
        case "hold":
            return Stall(start=event.start, end=event.end)
    return Reordering(
        start=event.start,
        end=event.end,
        delay=event.extra_ms / 1e3,
        probability=event.probability,
        of="data",
    )


def _backward(asked: reading.Asked) -> Iterator[Outage]:
    """Outages of the way back, which packets meet where they set out."""
    return (Outage(start=each.start, end=each.end) for each in asked.events if each.both_ways)


def _flow(name: str, flow: reading.Flow, asked: reading.Asked, late: float) -> Flow:
    restart: Mapping[str, Any] = {} if asked.restarts else {"idle_restart": "never"}
    transport = Tcp(
        profile="linux",
        control=CONTROLS[flow.control],
        receive_buffer=RECEIVE_BUFFER,
        payload_bytes=PAYLOAD,
        header_bytes=HEADER,
        ack_bytes=HEADER,
        **restart,
    )
    return Flow(
        name=name,
        source="sender",
        destination="receiver",
        start=flow.connect + late,
        transport=transport,
        app=_app(flow),
    )


def _app(flow: reading.Flow) -> Any:
    first = flow.writes[0]
    if first.packets < 0 and first.at == flow.connect:
        return Bulk()
    writes = [
        (write.at + number * write.every - flow.connect, write.packets if write.packets >= 0 else _MOST)
        for write in flow.writes
        for number in range(write.times)
    ]
    return Schedule(writes=[(max(0.0, round(at, 9)), packets) for at, packets in sorted(writes)])
