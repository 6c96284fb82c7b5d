"""Runs of several kernels of Linux in emulated machines, beside the profile of each.

A folder holds ``scenarios*.json``, what was run, ``summary.csv``, a line for each run and kernel, and samples
in ``NAME.kKERNEL.series.csv.gz``. ACKs have the whole delay, the queue is a queue discipline of ``tc`` behind
HTB.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parshall.engine.run import run
from parshall.errors import ParshallError
from parshall.scenario import (
    BernoulliLoss,
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
from parshall_dev.validate.linux_hosts import CONTROLS, FAST, PAYLOAD, RECEIVE_BUFFER
from parshall_dev.validate.slow_start import Beginning, beginnings, packets, samples_of
from parshall_studies import study as st

__all__ = ["Compared", "compare_folder", "is_kernels", "network_of", "table"]

_PACKET = 1514
"""Bytes of a full packet where it waits: Ethernet's header counts."""
_HEADER = _PACKET - PAYLOAD
_PIE_UPDATE_S = 0.016
"""``tupdate`` of 15 ms in ticks of 4 ms."""


@dataclass(frozen=True)
class Compared:
    """A run of a kernel, its numbers and ours. Rates are Mbit/s from a third of the run on."""

    name: str
    kernel: str
    goodput: tuple[tuple[float, float], ...]
    drops: tuple[int, int]
    beginnings: tuple[tuple[Beginning, Beginning], ...]


def is_kernels(folder: Path) -> bool:
    """True for a folder of this kind."""
    try:
        with (folder / "summary.csv").open(encoding="utf-8", newline="") as file:
            return "kernel" in next(csv.reader(file), [])
    except OSError:
        return False


def compare_folder(folder: Path) -> Iterator[Compared]:
    """Every run of a folder that has one network here, as it is done. Raises ParshallError."""
    try:
        asked: dict[str, Any] = {}
        for file in sorted(folder.glob("scenarios*.json")):
            asked |= {each["name"]: each for each in json.loads(file.read_text(encoding="utf-8"))}
        with (folder / "summary.csv").open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                if "events" not in asked[line["name"]]:
                    yield _compared(folder, asked[line["name"]], line)
    except (OSError, EOFError, ValueError, LookupError, TypeError) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ParshallError(f"{folder}: {reason}, expected runs of Linux") from None


def network_of(asked: Mapping[str, Any], kernel: str) -> Scenario:
    """The path of a run, and senders as the kernel has them."""
    flows = []
    for index, text in enumerate(asked["flows"]):
        control, start, *_ = text.split(",")
        transport = Tcp(
            profile=profile_of(kernel),
            control=CONTROLS[control],
            payload_bytes=PAYLOAD,
            header_bytes=_HEADER,
            ack_bytes=_HEADER,
            receive_buffer=RECEIVE_BUFFER,
        )
        flows.append(
            Flow(
                name=f"f{index}",
                source="sender",
                destination="receiver",
                start=float(start),
                transport=transport,
                app=Bulk(),
            )
        )
    queue, loss = _queue(asked["qdisc"])
    bottleneck = Link(
        name="bottleneck",
        between=("router", "receiver"),
        rate=asked["rate"] * 1e6,
        delay=0,
        queue=queue,
        reverse=Reverse(rate=FAST, delay=asked["rtt"] / 1e3, queue=DropTail()),
        **loss,
    )
    return Scenario(
        duration=asked["secs"],
        hosts=["sender", "receiver"],
        routers=["router"],
        links=[Link(between=("sender", "router"), rate=FAST, delay=0, queue=DropTail()), bottleneck],
        flows=flows,
        record=Record(flow_series=Series(of="*", interval=asked["sample"] / 1e3)),
    )


def profile_of(kernel: str) -> Any:
    """The profile of a kernel's release, such as 6.12.117."""
    return f"linux-{'.'.join(kernel.split('.')[:2])}"


def _queue(words: str) -> tuple[Any, dict[str, Any]]:
    """The queue that ``tc`` calls so, and the losses of a link."""
    kind, *rest = words.split()
    # Words with a value follow each other in pairs.
    said = dict(zip(rest[::2], rest[1::2], strict=False))
    match kind:
        case "pfifo":
            return DropTail(limit_packets=int(said["limit"])), {}
        case "netem":
            share = float(said["loss"].rstrip("%")) / 100
            return DropTail(limit_packets=int(said["limit"])), {"loss": BernoulliLoss(probability=share)}
        case "codel":
            return CoDel(limit_packets=1000, mtu_bytes=_PACKET, variant="linux"), {}
        case "fq_codel":
            return FqCodel(quantum_bytes=_PACKET, mtu_bytes=_PACKET, ecn=False, variant="linux"), {}
        case "pie":
            return Pie(
                limit_packets=1000,
                update=_PIE_UPDATE_S,
                mean_packet_bytes=_PACKET,
                derandomize=True,
                cap_increase=True,
                variant="linux",
            ), {}
        case "red":
            size = float(said["avpkt"])
            return Red(
                min_threshold_packets=float(said["min"]) / size,
                max_threshold_packets=float(said["max"]) / size,
                limit_packets=int(float(said["limit"]) / _PACKET),
                max_probability=float(said["probability"]),
                weight=_red_weight(float(said["min"]), float(said["burst"]), size),
                unit="bytes",
                by_size=False,
                mean_packet_bytes=int(size),
                gentle=False,
                wait=False,
            ), {}
    raise ValueError(f"the queue {words!r}")


def _red_weight(low: float, burst: float, packet: float) -> float:
    """The weight that ``tc`` finds for a burst (``tc_red_eval_ewma``)."""
    for log in range(1, 32):
        weight = 0.5**log
        if burst + 1 - low / packet < (1 - (1 - weight) ** burst) / weight:
            return weight
    raise ValueError(f"no weight for bursts of {burst:g} packets")


def _compared(folder: Path, asked: Mapping[str, Any], line: Mapping[str, str]) -> Compared:
    name, kernel = asked["name"], line["kernel"]
    linux = samples_of(folder / f"{name}.k{kernel}.series.csv.gz")
    network = network_of(asked, kernel)
    whole = run(network, seed=1)
    start = float(line["from_s"])
    settled = run(network.replace("warm_up", start), seed=1)
    flows = range(len(asked["flows"]))
    megabits = 8e-6 / (asked["secs"] - start)
    ours = [megabits * settled.flow(f"f{index}").bytes_delivered for index in flows]
    goodput = tuple((float(line[f"goodput{index}_mbit"]), ours[index]) for index in flows)
    starts = [float(flow.split(",")[1]) for flow in asked["flows"]]
    dropped = sum(int(whole.flow(f"f{index}").packets_dropped) for index in flows)
    drops = (int(line["drops_all"]), dropped)
    return Compared(name, kernel, goodput, drops, tuple(beginnings(linux, whole, starts)))


def table(found: Iterator[Compared]) -> Iterator[str]:
    """As Markdown, line by line."""
    measures = ("end of slow start", "0.5, 1 and 2 s", "goodput, Mbit/s", "drops")
    heads = ["run", "kernel", *(head for each in measures for head in (f"{each}: Linux", "ours"))]
    yield from ("# Kernels beside their profiles", "")
    yield (
        "The greatest window until slow start has ended, and the windows 0.5, 1 and 2 s after the start of"
        " each flow, in packets; goodput from a third of the run on; drops of the whole run."
    )
    yield ""
    rows = [_row(each) for each in found]
    yield from st.markdown(st.Table("runs", [st.Column(head, "text") for head in heads], rows))


def _row(each: Compared) -> tuple[str, ...]:
    first = ["; ".join(packets(pair[side].slow_start) for pair in each.beginnings) for side in (0, 1)]
    later = [
        "; ".join(", ".join(map(packets, pair[side].later)) for pair in each.beginnings) for side in (0, 1)
    ]
    goodput = ["; ".join(f"{pair[side]:.2f}" for pair in each.goodput) for side in (0, 1)]
    return (each.name, each.kernel, *first, *later, *goodput, *map(str, each.drops))
