"""A cell in the simulator: the same link, queue and senders, with the kernel's own parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import (
    Bulk,
    CoDel,
    Cubic,
    DropTail,
    Dumbbell,
    FlowGroup,
    FqCodel,
    Pie,
    Record,
    Red,
    Reverse,
    Series,
    Tcp,
)
from parshall.scenario.control import Aimd, Bbr
from parshall.validate.kernel import cells as grid
from parshall.validate.kernel.reading import Measured, measured
from parshall.validate.kernel.script import burst, ewma

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.validate.kernel.cells import Cell

TABLES = ("port_series", "flow_series")
"""Of a recording, that are looked at."""
_FAST = 10e9
"""Bit/s of what does not limit."""
_SPREAD = 0.02
"""Seconds over which flows begin; iperf3 opens its connections one by one and starts them together."""
_CONTROLS: dict[str, Any] = {"reno": Aimd(), "cubic": Cubic.linux(), "bbr": Bbr()}


def network(cell: Cell) -> Dumbbell:
    """The cell's network."""
    transport = Tcp(
        profile="linux",
        recovery="sack",
        control=_CONTROLS[cell.control],
        payload_bytes=grid.PAYLOAD,
        header_bytes=grid.HEADERS,
        ack_bytes=grid.HEADERS,
    )
    flows = FlowGroup(name="f", count=cell.flows, transport=transport, app=Bulk(), start_spread=_SPREAD)
    names = [f"f{number}" for number in range(1, cell.flows + 1)]
    return Dumbbell(
        duration=grid.DURATION,
        rate=cell.rate,
        delay=cell.round_trip / 2,
        queue=queue(cell),
        reverse=Reverse(rate=_FAST, queue=DropTail()),
        access_rate=_FAST,
        access_delay=0,
        flows=[flows],
        record=Record(
            port_series=Series(of="bottleneck", interval=grid.EVERY),
            flow_series=Series(of=names, interval=grid.WARM_UP),
        ),
    )


def queue(cell: Cell) -> Any:
    """The kernel's queue. Its limit counts the packet in transmission, ours does not."""
    waiting = cell.limit - 1
    low, high = cell.thresholds
    if cell.queue == "red":
        return Red(
            min_threshold_packets=low,
            max_threshold_packets=high,
            limit_packets=waiting,
            max_probability=grid.RED_MOST,
            weight=2.0 ** -ewma(low, burst(cell)),
            unit="bytes",
            by_size=False,
            mean_packet_bytes=grid.PACKET,
            gentle=False,
            wait=False,
        )
    codel: dict[str, Any] = {"target": grid.CODEL_TARGET, "interval": grid.CODEL_INTERVAL}
    codel |= {"limit_packets": waiting, "mtu_bytes": grid.PACKET}
    if cell.queue == "codel":
        return CoDel(**codel)
    if cell.queue == "fq_codel":
        return FqCodel(**codel, quantum_bytes=grid.PACKET, mtu_of_all=True, ecn=False)
    if cell.queue == "pie":
        return Pie(target=grid.PIE_TARGET, limit_packets=waiting, mean_packet_bytes=grid.PACKET)
    return DropTail(limit_packets=waiting)


def of_run(cell: Cell, run: Recording) -> Measured:
    """What a run showed."""
    series, flows = run.columns("port_series"), run.columns("flow_series")

    def column(name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.asarray(series[name], dtype=np.float64)

    delivered = np.asarray(flows["packets_delivered"], dtype=np.float64).reshape(-1, cell.flows)
    return measured(
        cell,
        time=column("time"),
        sent=column("bytes_departed"),
        packets=column("packets_departed") + column("packets_dropped"),
        drops=column("packets_dropped"),
        backlog=column("backlog_bytes"),
        acknowledged=delivered[-1] - delivered[1],
    )
