"""``parshall validate linux``: TCP of a real Linux kernel at a known bottleneck, and the profile ``linux``.

A folder holds ``scenarios.json``, what was run, and ``summary.csv``, a line for each run and flow. Repeats of
a run and variants of its hosts are left out: they have one network here.
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
from parshall.scenario import Bulk, DropTail, Flow, Link, Reverse, Scenario, Tcp
from parshall_dev.validate.linux_hosts import CONTROLS, FAST, HEADER, PAYLOAD, QUICK_ACKS
from parshall_studies import study as st

__all__ = ["Compared", "compare_folder", "network_of", "table"]

_FROM = 5.0
"""Seconds from which on goodput and delay are counted; drops are those of the whole run."""
_PACKET_BITS = 12_000
"""Bytes of a full packet on the wire."""


@dataclass(frozen=True)
class Compared:
    """A run, Linux's numbers and ours."""

    name: str
    controls: tuple[str, ...]
    goodput: tuple[tuple[float, float], ...]
    """Goodput of each flow, Mbit/s, Linux's and ours."""
    delay: tuple[float, float]
    """Mean queueing delay in ms, own transmission not included."""
    drops: tuple[tuple[int, int], ...]


def compare_folder(folder: Path) -> Iterator[Compared]:
    """Every run of a folder, as it is done. Raises ParshallError for a folder that holds none."""
    try:
        asked = json.loads((folder / "scenarios.json").read_text(encoding="utf-8"))
        with (folder / "summary.csv").open(encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        for each in asked:
            if each["repeat"] == 1 and not each["name"].endswith(("_gso", "_defbuf")):
                yield _compared(each, [line for line in lines if line["name"] == each["name"]])
    except FileNotFoundError as error:
        raise ParshallError(f"{error.filename}: no such file, expected runs of Linux") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ParshallError(f"{folder}: {reason}, expected runs of Linux") from None


def network_of(asked: Mapping[str, Any], warm_up: float) -> Scenario:
    """The path of a run. Its limit counts the packet in transmission, ours does not."""
    flows = [
        Flow(
            name=f"f{index}",
            source="sender",
            destination="receiver",
            start=flow["start_s"],
            transport=Tcp(
                profile="linux",
                control=CONTROLS[flow["cc"]],
                quick_acks=QUICK_ACKS,
                payload_bytes=PAYLOAD,
                header_bytes=HEADER,
                ack_bytes=HEADER,
            ),
            app=Bulk(),
        )
        for index, flow in enumerate(asked["flows"])
    ]
    fast = Link(between=("sender", "router"), rate=FAST, delay=0, queue=DropTail())
    bottleneck = Link(
        name="bottleneck",
        between=("router", "receiver"),
        rate=asked["rate_mbit"] * 1e6,
        delay=asked["base_rtt_ms"] / 2e3,
        queue=DropTail(limit_packets=asked["limit_packets"] - 1),
        reverse=Reverse(rate=FAST, queue=DropTail()),
    )
    hosts, routers = ["sender", "receiver"], ["router"]
    return Scenario(
        duration=asked["duration_s"],
        warm_up=warm_up,
        hosts=hosts,
        routers=routers,
        links=[fast, bottleneck],
        flows=flows,
    )


def _compared(asked: Mapping[str, Any], lines: list[dict[str, str]]) -> Compared:
    whole, settled = (run(network_of(asked, warm_up), seed=1) for warm_up in (0.0, _FROM))
    seconds = asked["duration_s"] - _FROM
    own = _PACKET_BITS / (asked["rate_mbit"] * 1e6)
    delay = 1e3 * (float(settled.port("bottleneck").mean_delay) - own)
    names = [f"f{index}" for index in range(len(lines))]
    goodput = [8e-6 * settled.flow(name).bytes_delivered / seconds for name in names]
    return Compared(
        asked["name"],
        tuple(line["cc"] for line in lines),
        tuple((float(line["thr_5_end"]), ours) for line, ours in zip(lines, goodput, strict=True)),
        (float(lines[0]["queue_delay_mean_ms"]), delay),
        tuple(
            (int(line["drops"]), int(whole.flow(name).packets_dropped))
            for line, name in zip(lines, names, strict=True)
        ),
    )


def table(found: Iterator[Compared]) -> Iterator[str]:
    """As Markdown, line by line."""
    measures = ("goodput, Mbit/s", "mean queueing delay, ms", "drops")
    heads = ["run", *(head for each in measures for head in (f"{each}: Linux", "ours"))]
    yield from ("# Runs beside Linux", "")
    rows = []
    for each in found:
        goodput = [", ".join(f"{pair[side]:.2f}" for pair in each.goodput) for side in (0, 1)]
        drops = [", ".join(str(pair[side]) for pair in each.drops) for side in (0, 1)]
        rows.append((each.name, *goodput, *(f"{value:.1f}" for value in each.delay), *drops))
    yield from st.markdown(st.Table("runs", [st.Column(head, "text") for head in heads], rows))
