"""Speed of the simulator on this machine: two loads, on one core and on all.

    from parshall_dev.benchmark import measure

    for figure in measure():
        print(figure.load, figure.threads, figure.packets_per_second)

The engine alone is timed: scenarios are compiled before, and recordings are thrown away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from parshall.engine.limits import available_cores

if TYPE_CHECKING:
    from parshall.scenario import Dumbbell

__all__ = ["Figure", "as_json", "loads", "measure", "one_line"]

_SEED = 1


@dataclass(frozen=True)
class Figure:
    """One load on so many threads."""

    load: str
    """``mixed`` or ``bulk``, see :func:`loads`."""
    threads: int
    runs: int
    """Number of runs."""
    seconds: float
    """For all runs together."""
    packets: int
    """Packets that hosts sent in all runs, ACKs not counted."""
    events: int
    """Events that the engine executed in all runs."""

    @property
    def packets_per_second(self) -> float:
        """Packets sent per second of the clock."""
        return self.packets / self.seconds

    @property
    def ns_per_event(self) -> float:
        """Nanoseconds of one thread for an event."""
        return self.seconds * self.threads / self.events * 1e9


def loads() -> Mapping[str, Dumbbell]:
    """Simulated network: ``mixed``, 35 TCP and 22 CBR flows over 28 Mbit/s, which lose one packet in twenty;
    ``bulk``, 100 flows with SACK over 1 Gbit/s.
    """
    from parshall.scenario import Bulk, Cbr, DropTail, Dumbbell, FlowGroup, Tcp, Udp

    newreno = Tcp(profile="ns2", max_window_packets=64)
    sack = Tcp(profile="ns2", recovery="sack", payload_bytes=1460, max_window_packets=1000)
    call = Udp(payload_bytes=1000, header_bytes=0)
    mixed = Dumbbell(
        duration="40 s",
        rate="28 Mbit/s",
        delay="50 ms",
        queue=DropTail(limit_packets=60),
        access_rate="100 Mbit/s",
        access_delay="5 ms",
        flows=[
            FlowGroup(name="tcp", count=35, transport=newreno, app=Bulk(), start_spread="1 s"),
            FlowGroup(name="cbr", count=22, transport=call, app=Cbr(rate="1 Mbit/s"), start_spread="1 s"),
        ],
    )
    bulk = Dumbbell(
        duration="4 s",
        rate="1 Gbit/s",
        delay="40 ms",
        queue=DropTail(limit_packets=400),
        access_rate="1 Gbit/s",
        access_delay="5 ms",
        flows=[FlowGroup(name="tcp", count=100, transport=sack, app=Bulk(), start_spread="1 s")],
    )
    return {"mixed": mixed, "bulk": bulk}


def measure(seconds: float = 0.7, cores: int | None = None) -> list[Figure]:
    """Measures each load on one core and, where there are more, on all, for about ``seconds`` each."""
    threads = available_cores() if cores is None else cores
    figures = []
    for name, load in loads().items():
        figures += [_figure(name, load, count, seconds) for count in dict.fromkeys((1, threads))]
    return figures


def one_line(figures: Sequence[Figure]) -> str:
    """The figures in a line."""
    from parshall import __version__

    parts = []
    for threads in dict.fromkeys(figure.threads for figure in figures):
        loads = "; ".join(
            f"{figure.load} {figure.packets_per_second / 1e6:.2f} million packets/s, "
            f"{figure.ns_per_event:.0f} ns/event"
            for figure in figures
            if figure.threads == threads
        )
        parts.append(f"{threads} core{'s' if threads > 1 else ''}: {loads}")
    return f"parshall {__version__} on {' | '.join(parts)}"


def as_json(figures: Sequence[Figure]) -> dict[str, Any]:
    """The figures as plain values, with the versions that they belong to."""
    from parshall import __version__
    from parshall._core import ENGINE_VERSION

    plain = [
        {
            **asdict(figure),
            "packets_per_second": figure.packets_per_second,
            "ns_per_event": figure.ns_per_event,
        }
        for figure in figures
    ]
    return {"parshall": __version__, "engine": ENGINE_VERSION, "cores": available_cores(), "figures": plain}


def _figure(name: str, load: Dumbbell, threads: int, seconds: float) -> Figure:
    from parshall import _core
    from parshall.engine.run import run

    recording = run(load, _SEED)
    text = load.to_json()
    once = _core.engine_seconds(text, [_SEED], 1)
    # Every thread runs the same scenario and seed equally often: all end together.
    runs = threads * max(1, math.ceil(seconds / once))
    elapsed = _core.engine_seconds(text, [_SEED] * runs, threads)
    packets = sum(recording.flow(flow).packets_sent for flow in recording.flows)
    return Figure(name, threads, runs, elapsed, runs * packets, runs * recording.events)
