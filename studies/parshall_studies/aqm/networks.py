"""The network of Figure 25 with the mixes of Table VII, as a scenario for each cell of the grid.

What the document leaves out is taken from the runs of ns-2 that come nearest to its tables; see
:data:`parshall_studies.aqm.document.ASSUMPTIONS`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from parshall.scenario import (
    Bulk,
    Cbr,
    CoDel,
    Cubic,
    DropTail,
    Dumbbell,
    FlowGroup,
    FqCodel,
    OnOff,
    ParetoPeriods,
    Pie,
    Record,
    Red,
    Reverse,
    Scenario,
    Series,
    ShareSeries,
    Tcp,
    Transfer,
    Udp,
)
from parshall_studies.aqm.grid import LOW, Cell

if TYPE_CHECKING:
    from parshall_studies.aqm.grid import Part

PACKET_BYTES = 1000
"""Payload of every packet. TCP adds 40 bytes of headers, CBR none, as in ns-2."""
DELAY, ACCESS_DELAY = 0.05, 0.005
"""Propagation delay of the bottleneck and of an access link, in seconds (IV.A.1)."""
RTT = 2 * DELAY + 4 * ACCESS_DELAY
"""Round trip without queueing, in seconds."""
BUFFER_PACKETS: Mapping[int, Mapping[str, int]] = {
    5: {"1/3": 25, "1": 75, "3": 225},
    35: {"1/3": 200, "1": 500, "3": 1500},
    100: {"1/3": 500, "1": 1500, "3": 4500},
}
"""Table VI: packets by capacity in Mbit/s and multiple of the BWDP."""
LONG_FLOWS: Mapping[int, int] = {5: 8, 35: 55, 100: 157}
"""Long TCP flows (LTRF) by capacity: Table VII, scaled."""
SHORT_FLOWS: Mapping[int, Mapping[int, int]] = {
    5: {0: 0, 5: 36, 30: 186},
    35: {0: 0, 5: 250, 30: 1300},
    100: {0: 0, 5: 714, 30: 3714},
}
"""Short TCP flows (STF) by capacity and their load in %: Table VII, scaled."""
CBR_FLOWS: Mapping[int, Mapping[int, int]] = {
    5: {0: 6, 5: 6, 30: 4},
    35: {0: 22, 5: 22, 30: 14},
    100: {0: 47, 5: 47, 30: 25},
}
"""CBR flows (LTNRF) by capacity and load of short flows in %: see the assumptions."""
CBR_RATE: Mapping[int, float] = {5: 0.5e6, 35: 1e6, 100: 1e6}
"""Bit/s of a CBR flow by capacity (IV.A.1)."""
ACCESS_RATE: Mapping[int, float] = {5: 100e6, 35: 100e6, 100: 1e9}
"""Bit/s of access links, by capacity."""
THRESHOLD, LOW_THRESHOLD = 4, 12
"""The buffer over RED's lower threshold, as assumed and in another reading; the upper one is three times as
high.
"""
TUNE_ABOVE = 0.3
"""Share of non-responsive packets from which tuned RED turns into DropTail; it is one at 0.1 more. All mixes
of the chapter have more, if short flows count as non-responsive, as the chapter has it.
"""
TRANSFER_PACKETS = 10
"""Packets that a short flow sends at a time."""
CYCLE = 11.0
"""Seconds from one transfer of a short flow to its next: a pause of 10 s and a transfer of about one."""
ON_OFF_TIME = 20.0
"""Seconds on, and seconds off (Figure 28)."""
PROBE = "p"
"""Prefix of the names of short flows whose response time is taken."""
SAMPLING = 0.0473
"""Seconds between samples of the queue; no multiple of a CBR period, so that all its phases are met."""

_RECORD = Record(port_series=Series(of="bottleneck", interval=SAMPLING))
_RECORD_SHARE = _RECORD.replace("responsiveness", ShareSeries(of="bottleneck", interval=1.0))
"""Record of tuned RED: its estimates, too, at the same instants."""
_RECORD_FLOWS = _RECORD.replace("flow_series", Series(of="*", interval=1.0))
"""Where the load changes also who gets what when."""
_STARTS = 1.0
"""Seconds over which long flows start."""
_RESPONSE_TIME = 15.0
"""Seconds before the end in which no probe starts: it would hardly finish."""
_REGULAR = 50.0
"""Tail exponent of a short flow's cycle: 99 % of all cycles are within 8 % of the mean, and 97 % of all
transfers have ten packets, the others eleven."""


def product_packets(capacity: int, multiple: float = 1.0) -> int:
    """So many bandwidth-delay products in packets, rounded up, as IV.A.1 defines them."""
    return math.ceil(round(multiple * 1e6 * capacity * RTT / (8 * PACKET_BYTES), 6))


def network(cell: Cell, part: Part) -> Scenario:
    """The scenario of a cell. Names of flows tell their class: ``t`` long TCP, ``c`` CBR, ``s``, ``p`` short.

    Cells that differ in the queue alone share everything else, which is built once: it may be 4,000 flows.
    """
    ecn = cell.queue.startswith("red-ecn")
    whole = _with_any_queue(part, cell.capacity, cell.load, cell.senders, ecn)
    own = whole.replace("links[bottleneck].queue", queue_of(cell))
    return own.replace("record", _record(cell, part))


def _record(cell: Cell, part: Part) -> Record:
    if part.surge:
        return _RECORD_FLOWS
    return _RECORD_SHARE if cell.queue == "red-tuned" else _RECORD


@lru_cache(maxsize=4)
def _with_any_queue(part: Part, capacity: int, load: int, senders: str, ecn: bool) -> Scenario:
    """Every cell of these flows, but for its queue."""
    queue = "red-ecn" if ecn else "droptail"
    return dumbbell(Cell(part.name, queue, capacity, "1", load, senders), part).scenario()


def dumbbell(cell: Cell, part: Part) -> Dumbbell:
    """The dumbbell that the scenario of a cell is."""
    rate = 1e6 * cell.capacity
    return Dumbbell(
        title=cell.name,
        duration=part.duration,
        warm_up=part.warm_up,
        rate=rate,
        delay=DELAY,
        queue=queue_of(cell),
        reverse=Reverse(queue=DropTail()),
        access_rate=ACCESS_RATE[cell.capacity],
        access_delay=ACCESS_DELAY,
        flows=[_long(cell), *_unresponsive(cell, part), *_short(cell, part)],
        record=_record(cell, part),
    )


def queue_of(cell: Cell) -> DropTail | Red | CoDel | Pie | FqCodel:
    """The discipline with the cell's buffer; those of the RFCs have their defaults otherwise."""
    limit = BUFFER_PACKETS[cell.capacity][cell.buffer]
    if cell.queue == "codel":
        return CoDel(limit_packets=limit)
    if cell.queue == "pie":
        return Pie(limit_packets=limit)
    if cell.queue == "fq-codel":
        return FqCodel(limit_packets=limit, ecn=False)
    if cell.queue == "droptail":
        return DropTail(limit_packets=limit)
    tuning: dict[str, Any] = {}
    if cell.queue == "red-tuned":
        tuning = {"tune_by": "responsiveness", "tune_above": TUNE_ABOVE}
    if cell.queue == "red-tuned-queue":
        tuning = {"tune_by": "nonresponsive", "tune_above": TUNE_ABOVE, "tune_rtt": RTT}
    lowest = limit / (LOW_THRESHOLD if cell.queue.endswith(LOW) else THRESHOLD)
    return Red(
        min_threshold_packets=lowest,
        max_threshold_packets=3 * lowest,
        limit_packets=limit,
        max_probability=0.1,
        ecn=cell.queue.startswith("red-ecn"),
        **tuning,
    )


# --- Senders ------------------------------------------------------------------------------------------------


def _sender(cell: Cell) -> Tcp:
    """ns-2's Sack1 with the least RTO that it had in 2004, or with today's CUBIC and RFC 6298's timer."""
    ecn = cell.queue.startswith("red-ecn")
    if cell.senders == "cubic":
        return Tcp(
            recovery="sack",
            control=Cubic(),
            ecn=ecn,
            payload_bytes=PACKET_BYTES,
            header_bytes=40,
            min_rto=0.2,
        )
    return Tcp(
        profile="ns2",
        recovery="sack",
        ecn=ecn,
        min_rto=1.0,
        payload_bytes=PACKET_BYTES,
        header_bytes=40,
        max_window_packets=1000,
    )


def _user_sender(cell: Cell) -> Tcp:
    """A short flow that keeps its connection: each transfer starts again from the initial window.

    The chapter's windows, with the RFCs' least window of one packet: in ns-2 a mark halves a window of one,
    and what is left of it sends nothing until a timer that this flow, when idle, does not have.
    """
    if cell.senders == "cubic":
        return _sender(cell)
    return Tcp(
        recovery="sack",
        ecn=cell.queue.startswith("red-ecn"),
        min_rto=1.0,
        initial_rto=3.0,
        initial_window_packets=2,
        delayed_ack=False,
        handshake=False,
        payload_bytes=PACKET_BYTES,
        header_bytes=40,
        max_window_packets=1000,
    )


def _long(cell: Cell) -> FlowGroup:
    return FlowGroup(
        name="t",
        count=LONG_FLOWS[cell.capacity],
        transport=_sender(cell),
        app=Bulk(),
        start_spread=_STARTS,
    )


# --- Flows that do not respond ------------------------------------------------------------------------------


def _unresponsive(cell: Cell, part: Part) -> Iterator[FlowGroup]:
    """CBR flows, all the time or in pulses; the pulses of one period are a group of their own."""
    rate = CBR_RATE[cell.capacity]
    period = 8 * PACKET_BYTES / rate
    if part.surge:
        yield from _surging(cell, part, rate, period)
        return
    pulses = round(part.duration / (2 * ON_OFF_TIME) + 0.499) if part.on_off else 1
    for pulse in range(pulses):
        start = 2 * ON_OFF_TIME * pulse
        yield FlowGroup(
            name=f"c{pulse}-" if part.on_off else "c",
            count=CBR_FLOWS[cell.capacity][cell.load],
            transport=Udp(payload_bytes=PACKET_BYTES, header_bytes=0),
            app=Cbr(rate=rate),
            start=start,
            start_spread=0.0 if part.in_phase else period,
            stop=start + ON_OFF_TIME if part.on_off else None,
        )


def _surging(cell: Cell, part: Part, rate: float, period: float) -> Iterator[FlowGroup]:
    """A quarter of the CBR flows all the time, the others in the surge."""
    every = CBR_FLOWS[cell.capacity][cell.load]
    steady = max(1, every // 4)
    start, stop = part.surge or (0.0, 0.0)
    for name, count, begin, end in (("c", steady, 0.0, None), ("c-late-", every - steady, start, stop)):
        yield FlowGroup(
            name=name,
            count=count,
            transport=Udp(payload_bytes=PACKET_BYTES, header_bytes=0),
            app=Cbr(rate=rate),
            start=begin,
            start_spread=0.0 if part.in_phase else period,
            stop=end,
        )


# --- Short flows --------------------------------------------------------------------------------------------


def probe_starts(part: Part) -> list[float]:
    """When the short flows start whose response time is taken: new connections at regular instants."""
    last = part.duration - _RESPONSE_TIME
    count = int((last - part.warm_up) / part.probe_spacing)
    return [part.warm_up + index * part.probe_spacing for index in range(1, count + 1)]


def starts_of_probes(scenario: Scenario) -> dict[str, float]:
    """The flows whose response time is taken, and when each starts."""
    return {flow.name: flow.start for flow in scenario.flows if flow.name.startswith(PROBE)}


def _short(cell: Cell, part: Part) -> Iterator[FlowGroup]:
    """Users that transfer ten packets again and again, and single transfers that take the place of some."""
    count = SHORT_FLOWS[cell.capacity][cell.load]
    if not count:
        return
    burst_rate = 1e9
    yield FlowGroup(
        name="s",
        count=max(1, count - round(CYCLE / part.probe_spacing)),
        transport=_user_sender(cell),
        app=OnOff(
            law=ParetoPeriods(shape=_REGULAR),
            rate=burst_rate,
            on=TRANSFER_PACKETS * 8 * PACKET_BYTES / burst_rate,
            off=CYCLE,
        ),
        start_spread=CYCLE,
    )
    for start in probe_starts(part):
        yield FlowGroup(
            name=PROBE, transport=_sender(cell), app=Transfer(packets=TRANSFER_PACKETS), start=start
        )
