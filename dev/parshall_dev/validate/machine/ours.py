"""Runs of the cells in the simulator: the network of the machine, queue by queue in our words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.engine.measure import measure
from parshall.scenario import (
    Bulk,
    CoDel,
    DropTail,
    Flow,
    FqCodel,
    Link,
    Pie,
    Record,
    Red,
    Reverse,
    Scenario,
    Series,
    Tcp,
)
from parshall_dev.validate.linux_hosts import CONTROLS, FAST, PAYLOAD
from parshall_dev.validate.machine.cells import PACKET, Cell, Place, starts_ms
from parshall_dev.validate.machine.reading import LINE_S, Run

if TYPE_CHECKING:
    from parshall.recording import Recording

__all__ = ["queue_of", "scenario_of", "simulate"]

_HEADER = PACKET - PAYLOAD
_LOOKS = 40
"""Looks at the backlog in each step, as the machine's program has it."""
_PIE_UPDATE_S = 0.016
"""15 ms in ticks of 4 ms."""


def simulate(
    wanted: Sequence[tuple[Cell, int]], threads: int | None, progress: Callable[[int, int], object] | None
) -> dict[tuple[Cell, int], Run]:
    """Runs cells, each with flows that start as a draw has it, from the cache where they are there."""
    variants = {each: (lambda each=each: scenario_of(*each)) for each in wanted}
    found = measure(
        variants,
        {each: [each[1]] for each in wanted},
        lambda each, recording: _read(each[0], recording),
        tables=("flows", "ports", "flow_series", "port_series"),
        jobs=threads,
        progress=progress,
    )
    return {each: runs[0] for each, runs in found.items()}


def scenario_of(cell: Cell, draw: int) -> Scenario:
    """The machine's network and flows."""
    place = cell.place
    flows = [
        Flow(
            name=f"f{index}",
            source="sender",
            destination="receiver",
            start=ms / 1e3,
            transport=Tcp(
                profile="linux",
                control=CONTROLS[cell.control],
                payload_bytes=PAYLOAD,
                header_bytes=_HEADER,
                ack_bytes=_HEADER,
            ),
            app=Bulk(),
        )
        for index, ms in enumerate(starts_ms(cell.flows, draw))
    ]
    fast = Link(between=("sender", "router"), rate=FAST, delay=0, queue=DropTail())
    # ACKs have the whole delay here as there.
    bottleneck = Link(
        name="bottleneck",
        between=("router", "receiver"),
        rate=place.rate_mbit * 1e6,
        delay=0,
        queue=queue_of(place),
        reverse=Reverse(rate=FAST, delay=place.rtt_ms / 1e3, queue=DropTail()),
    )
    return Scenario(
        # A little longer, since there is no sample at the very end.
        duration=place.seconds + LINE_S / _LOOKS,
        hosts=["sender", "receiver"],
        routers=["router"],
        links=[fast, bottleneck],
        flows=flows,
        record=Record(
            flow_series=Series(of="*", interval=LINE_S),
            port_series=Series(of="bottleneck", interval=LINE_S / _LOOKS),
        ),
    )


def queue_of(place: Place) -> Any:
    """The queue with the kernel's parameters. Limits are of what waits, as they are at HTB's link."""
    limit = place.limit
    if place.queue == "droptail":
        return DropTail(limit_packets=limit + 1)  # which counts the packet in transmission
    if place.queue == "red":
        return Red(
            min_threshold_packets=place.red.low,
            max_threshold_packets=place.red.high,
            limit_packets=limit,
            max_probability=0.1,
            weight=0.5**place.red.weight_log,
            unit="bytes",
            by_size=False,
            mean_packet_bytes=PACKET,
            gentle=False,
            wait=False,
        )
    if place.queue == "codel":
        return CoDel(limit_packets=limit, mtu_bytes=PACKET, variant="linux")
    if place.queue == "pie":
        return Pie(
            limit_packets=limit,
            update=_PIE_UPDATE_S,
            mean_packet_bytes=PACKET,
            derandomize=True,
            cap_increase=True,
            variant="linux",
        )
    return FqCodel(limit_packets=limit, quantum_bytes=PACKET, mtu_bytes=PACKET, ecn=False, variant="linux")


def _read(cell: Cell, recording: Recording) -> Run:
    steps = round(cell.place.seconds / LINE_S)
    port, flows = recording.port("bottleneck").series, recording.columns("flow_series")
    # The first sample is at the start; later ones end a look or a step.
    waiting = np.maximum(np.asarray(port.backlog_bytes, dtype=float) - PACKET, 0)[1 : steps * _LOOKS + 1]
    ends = slice(_LOOKS, steps * _LOOKS + 1, _LOOKS)
    delivered = [
        flows["packets_delivered"][flows["flow"] == flow][1 : steps + 1] for flow in range(cell.flows)
    ]
    return Run(
        waiting.reshape(steps, _LOOKS).mean(axis=1),
        _steps(port.bytes_departed[ends]),
        _steps(port.packets_departed[ends]),
        _steps(port.packets_dropped[ends]),
        PAYLOAD * np.array([_steps(each) for each in delivered]).T,
        int(sum(recording.columns("flows")["acks_received"])),
    )


def _steps(counts: Any) -> Any:
    """Counts of each step, from counts so far."""
    return np.diff(np.asarray(counts, dtype=float), prepend=0.0)
