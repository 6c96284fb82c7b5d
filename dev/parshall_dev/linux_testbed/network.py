"""The testbed in the simulator: the same rates, delays, queue and traffic, and packets of equal lengths."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from parshall.scenario import (
    Bulk,
    Cbr,
    ChoiceLaw,
    Cubic,
    DropTail,
    Dumbbell,
    FlowGroup,
    Record,
    Red,
    Reverse,
    Series,
    Tcp,
    TransferSequence,
    Udp,
)
from parshall_dev.linux_testbed import settings as testbed
from parshall_dev.linux_testbed.samples import Samples
from parshall_dev.linux_testbed.script import cbr
from parshall_dev.linux_testbed.settings import Experiment, Scale

if TYPE_CHECKING:
    from parshall.recording import Recording

TABLES = ("flows", "ports", "port_series", "flow_series")
"""Tables of a recording that are read."""
_FAST = 10e9
"""Bit/s of what does not limit."""
_SPREAD = 1.0
"""Seconds over which flows begin."""
_TCP, _UDP, _PULSE, _WEB = "tcp", "udp", "pulse", "web"


def network(experiment: Experiment, scale: Scale, transport: Tcp | None = None) -> Dumbbell:
    """An experiment's network; ``transport`` is of the long flows, as Linux has it unless given."""
    duration = experiment.duration * scale.times
    groups = [
        FlowGroup(
            name=_TCP,
            count=scale.tcp_flows,
            transport=transport or linux_tcp(),
            app=Bulk(),
            start_spread=_SPREAD,
        ),
        _udp(_UDP, experiment.load, scale, 0.0, duration),
    ]
    if experiment.pulse is not None:
        pulse = experiment.pulse
        groups.append(_udp(_PULSE, pulse.load, scale, pulse.start * scale.times, pulse.stop * scale.times))
    if experiment.web is not None:
        groups.append(_web(experiment.web, scale))
    return Dumbbell(
        duration=duration,
        rate=scale.rate,
        delay=scale.one_way,
        queue=red(),
        reverse=Reverse(rate=_FAST, queue=DropTail()),
        access_rate=_FAST,
        access_delay=0,
        flows=groups,
        record=Record(
            port_series=Series(of="bottleneck", interval=scale.sampling),
            flow_series=Series(
                of=[f"{_TCP}{i}" for i in range(1, scale.tcp_flows + 1)], interval=scale.sampling
            ),
        ),
    )


def red() -> Red:
    """RED as Linux has it: in bytes, not gentle, without a wait, its weight a power of two, and drops that do
    not ask how long a packet is.
    """
    packet = testbed.MEAN_PACKET
    return Red(
        min_threshold_packets=testbed.LOW / packet,
        max_threshold_packets=testbed.HIGH / packet,
        limit_packets=testbed.LIMIT // packet,
        max_probability=testbed.MOST,
        weight=2.0**-testbed.EWMA,
        unit="bytes",
        by_size=False,
        mean_packet_bytes=packet,
        gentle=False,
        wait=False,
    )


def linux_tcp() -> Tcp:
    """CUBIC with SACK as Linux has it."""
    return Tcp(
        profile="linux",
        recovery="sack",
        control=Cubic.linux(),
        payload_bytes=testbed.TCP_PAYLOAD,
        header_bytes=testbed.TCP_HEADERS,
        ack_bytes=testbed.TCP_HEADERS,
    )


def samples(experiment: Experiment, scale: Scale, run: Recording) -> Samples:
    """Samples of the bottleneck."""
    series = run.columns("port_series")

    def counted(name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.diff(np.asarray(series[name], dtype=np.float64))

    arrived = counted("bytes_arrived")
    responsive = _sent(run, len(arrived))
    deaf = testbed.UDP_BYTES * counted("packets_arrived_udp")
    if experiment.web is not None:
        # What TCP brings besides the long flows; a packet sent is at the router at once.
        deaf = np.maximum(arrived - responsive, deaf)
    return Samples(
        scale.rate,
        time=np.asarray(series["time"], dtype=np.float64)[1:],
        backlog=np.asarray(series["backlog_bytes"], dtype=np.float64)[1:],
        arrived=arrived,
        deaf=deaf,
        packets=counted("packets_arrived"),
        drops=counted("packets_dropped"),
        delays=scale.delays,
    )


def _sent(run: Recording, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Bytes that the long flows sent in each interval."""
    series = run.columns("flow_series")
    packets = np.asarray(series["packets_sent"], dtype=np.float64)
    flows = len(np.unique(np.asarray(series["flow"])))
    whole = packets.reshape(-1, flows).sum(axis=1)
    sent: np.ndarray[tuple[int], np.dtype[np.float64]] = testbed.TCP_BYTES * np.diff(whole)[:count]
    return sent


def _udp(name: str, load: float, scale: Scale, start: float, stop: float) -> FlowGroup:
    count, rate = cbr(load, scale)
    return FlowGroup(
        name=name,
        count=count,
        transport=Udp(payload_bytes=testbed.UDP_PAYLOAD, header_bytes=testbed.UDP_HEADERS),
        app=Cbr(rate=rate * testbed.UDP_PAYLOAD / testbed.UDP_BYTES),
        start=start,
        start_spread=_SPREAD,
        stop=stop,
    )


def _web(when: tuple[float, float], scale: Scale) -> FlowGroup:
    """Clients that ask for one page after the other, each over a connection of its own."""
    begin, end = (instant * scale.times for instant in when)
    return FlowGroup(
        name=_WEB,
        count=scale.web_clients,
        transport=linux_tcp(),
        app=TransferSequence(
            packets=ChoiceLaw(
                values=[math.ceil(size / testbed.TCP_PAYLOAD) for size in testbed.WEB_SIZES],
                weights=list(testbed.WEB_SIZES.values()),
            ),
            requests=True,
        ),
        start=begin,
        stop=end,
    )
