"""Cost of a packet as flows, hops and rate grow.

``python -m parshall_dev.bench.growth`` writes the plot of docs/performance.md and the figures behind it.

The cost is the engine's own time by the packets that were sent, the least of three runs: what else the
machine does can only add to it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from parshall_dev.bench import machine
from parshall_dev.bench.cases import CASES
from parshall_dev.bench.networks import Bottlenecks, ParkingLot

_BELL = CASES["P2"].network.with_(delay=0.02)
_LOT = ParkingLot(
    tcp=20,
    cbr=0,
    rate=100e6,
    delay=0.005,
    limit=200,
    access=1e9,
    access_delays=(0.001, 0.005),
    cross=0,
)

PACKETS = 1_000_000
"""About as many are sent in each run, but for the largest networks, which start up for longer."""
BYTES = 1500


@dataclass(frozen=True)
class Point:
    """Cost of a packet in one network."""

    along: str
    """Growing quantity: flows, hops or rate."""
    value: float
    ns_per_packet: float
    ns_per_event: float
    events_per_packet: float


def seconds_for(network: Bottlenecks) -> float:
    """Simulated time in which a full bottleneck sends about ``PACKETS``, and at least ten round trips."""
    return max(PACKETS * 8 * BYTES / network.rate, 1.0)


def measure(along: str, value: float, network: Bottlenecks, seconds: float | None = None) -> Point:
    """Runs a network three times, for as long as :func:`seconds_for` says unless told otherwise."""
    import parshall
    from parshall import _core

    scenario = network.scenario(seconds or seconds_for(network))
    recording = parshall.run(scenario, seed=1)
    packets = int(recording.columns("flows")["packets_sent"].sum())
    least = min(_core.engine_seconds(scenario.to_json(), [1], 1) for _ in range(3))
    events = recording.events
    return Point(along, value, least / packets * 1e9, least / events * 1e9, events / packets)


def networks(most_flows: int) -> Iterable[tuple[str, float, Bottlenecks]]:
    """All points: what grows, how far, and the network."""
    for flows in (1, 10, 100, 1_000, 10_000, 100_000):
        if flows <= most_flows:
            # Each flow has room for a few packets a round trip, and the bottleneck for each a packet.
            yield "flows", flows, _BELL.with_(tcp=flows, rate=max(1e9, flows * 1e6), limit=max(400, flows))
    for hops in (1, 2, 4, 8, 16, 32):
        yield "hops", hops, replace(_LOT, hops=hops)
    for rate in (1e7, 1e8, 1e9, 1e10, 1e11):
        yield (
            "rate",
            rate,
            _BELL.with_(
                rate=rate, access=max(rate, 1e9), window=20_000, limit=int(rate * 0.01 / 8 / BYTES) + 50
            ),
        )


def draw(points: list[Point], path: Path) -> None:
    """One panel for each thing that grows."""
    from parshall import plot

    labels = {"flows": "flows", "hops": "bottlenecks in a row", "rate": "rate of the bottleneck (Gbit/s)"}
    with plot.drawing(3.0, columns=3, width=9.5) as (canvas, axes):
        for axis, (along, label) in zip(axes, labels.items(), strict=True):
            of = [point for point in points if point.along == along]
            x = [point.value * (1e-9 if along == "rate" else 1.0) for point in of]
            axis.plot(x, [point.ns_per_packet for point in of], marker="o", label="a packet")
            axis.plot(x, [point.ns_per_event for point in of], marker="s", label="an event")
            axis.set_xscale("log", base=2 if along == "hops" else 10)
            axis.xaxis.set_major_formatter(
                lambda value, _: f"{value:,g}" if value < 1e4 else f"{value / 1e3:,g}k"
            )
            axis.set_ylim(bottom=0)
            axis.set_xlabel(label)
            axis.set_ylabel("nanoseconds")
        axes[0].legend(loc="upper left")
        title, text = "Cost of a packet and of an event", "Nanoseconds against flows, hops and rate."
        svg = plot.to_svg(canvas, "growth", title, text)
    path.write_text(plot.standalone(svg), encoding="utf-8")


@click.command()
@click.option("--out", metavar="DIR", default="docs/figures", show_default=True, help="Where the plot goes.")
@click.option("--json", "json_path", metavar="FILE", default="out/bench/growth.json", show_default=True)
@click.option(
    "--most-flows", type=int, default=100_000, show_default=True, help="No network larger than this."
)
def growth(out: str, json_path: str, most_flows: int) -> None:
    """Measure how the cost of a packet grows with flows, hops and rate, and plot it."""
    points = []
    for along, value, network in networks(most_flows):
        point = measure(along, value, network)
        points.append(point)
        click.echo(
            f"{along:6} {value:12g} {point.ns_per_packet:7.0f} ns a packet {point.ns_per_event:5.0f} an event"
        )
    cases = {
        name: asdict(measure("case", case.network.tcp, case.network, case.seconds))
        for name, case in CASES.items()
        if name in ("P2", "P4") and case.network.tcp <= most_flows
    }
    Path(json_path).parent.mkdir(parents=True, exist_ok=True)
    figures = {"machine": machine.facts(), "points": [asdict(point) for point in points], "cases": cases}
    Path(json_path).write_text(json.dumps(figures, indent=2), encoding="utf-8")
    Path(out).mkdir(parents=True, exist_ok=True)
    draw(points, Path(out) / "performance-growth.svg")


if __name__ == "__main__":
    growth()
