"""A network in a few lines: run it once, look at one flow, save everything."""

from __future__ import annotations

import tempfile
from pathlib import Path

import parshall
from parshall import DropTail, Dumbbell, FlowGroup, OnOff, ParetoPeriods, Record, Tcp
from parshall.units import Mbit, ms, s

bell = Dumbbell(
    duration=100 * s,
    rate=1 * Mbit,
    delay="100 ms",
    queue=DropTail(limit_packets=40),
    access_rate="10 Mbit/s",
    access_delay=10 * ms,
    flows=[
        FlowGroup(
            count=6,
            transport=Tcp(recovery="newreno"),
            app=OnOff(law=ParetoPeriods(shape=2.5), rate="370 kbit/s", on="1 s", off="2 s"),
        )
    ],
    record=Record(rtt="*"),
)
recording = parshall.run(bell, seed=1)

flow, bottleneck = recording.flow("f1"), recording.port("bottleneck")
print(
    f"f1 got {flow.goodput / 1e3:.1f} kbit/s with {flow.timeouts} timeouts, {flow.spurious_timeouts} spurious"
)
print(f"largest RTT {1e3 * flow.rtt.rtt.max():.0f} ms, largest RTO {1e3 * flow.rtt.rto.max():.0f} ms")
print(
    f"the bottleneck was {bottleneck.utilization:.0%} busy and dropped {bottleneck.packets_dropped} packets"
)

with tempfile.TemporaryDirectory() as folder:
    recording.save(Path(folder, "run"))
    again = parshall.Recording.load(Path(folder, "run"))
    assert again.table("rtt").equals(recording.table("rtt"))
