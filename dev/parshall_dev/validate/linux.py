"""``parshall validate linux``: TCP of a real Linux kernel at a known bottleneck, and the profile ``linux``.

A folder holds ``scenarios.json``, what was run, ``summary.csv``, a line for each run and flow, and samples of
each run in ``NAME.series.csv.gz``. Repeats of a run are left out, and so are those whose hosts left segments
together (``_gso``): they have one network here. Where the hosts had the receive buffers of their kernel
(``_defbuf``) ours has no option set.
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
from parshall.scenario import Bulk, DropTail, Flow, Link, Record, Reverse, Scenario, Series, Tcp
from parshall_dev.validate.linux_hosts import CONTROLS, FAST, HEADER, PAYLOAD, RECEIVE_BUFFER
from parshall_dev.validate.slow_start import Beginning, Floats, beginnings, packets, samples_of
from parshall_studies import study as st

__all__ = ["Compared", "compare_folder", "network_of", "table"]

_FROM = 5.0
"""Seconds from which on goodput and delay are counted; drops are those of the whole run."""
_PACKET_BITS = 12_000
"""Bits of a full packet on the wire."""
_INTERVAL = 0.02
"""Seconds between samples of windows, Linux's and ours."""


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
    beginnings: tuple[tuple[Beginning, Beginning], ...]
    """The beginning of each flow, Linux's and ours."""


def compare_folder(folder: Path) -> Iterator[Compared]:
    """Every run of a folder, as it is done. Raises ParshallError for a folder that holds none."""
    try:
        asked = json.loads((folder / "scenarios.json").read_text(encoding="utf-8"))
        with (folder / "summary.csv").open(encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        for each in asked:
            if each["repeat"] == 1 and not each["name"].endswith("_gso"):
                mine = [line for line in lines if line["name"] == each["name"]]
                yield _compared(each, mine, samples_of(folder / f"{each['name']}.series.csv.gz"))
    except FileNotFoundError as error:
        raise ParshallError(f"{error.filename}: no such file, expected runs of Linux") from None
    except (OSError, EOFError, ValueError, LookupError, TypeError) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ParshallError(f"{folder}: {reason}, expected runs of Linux") from None


def network_of(asked: Mapping[str, Any], warm_up: float) -> Scenario:
    """The path of a run, with series of the windows. Its limit counts the packet in transmission, ours does
    not.
    """
    hosts_own = asked["name"].endswith("_defbuf")
    buffer = None if hosts_own else RECEIVE_BUFFER
    flows = [
        Flow(
            name=f"f{index}",
            source="sender",
            destination="receiver",
            start=flow["start_s"],
            transport=Tcp(
                profile="linux",
                control=CONTROLS[flow["cc"]],
                payload_bytes=PAYLOAD,
                header_bytes=HEADER,
                ack_bytes=HEADER,
                receive_buffer=buffer,
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
        record=Record(flow_series=Series(of="*", interval=_INTERVAL)),
    )


def _compared(
    asked: Mapping[str, Any], lines: list[dict[str, str]], samples: Mapping[str, Floats]
) -> Compared:
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
        tuple(beginnings(samples, whole, [flow["start_s"] for flow in asked["flows"]])),
    )


def table(found: Iterator[Compared]) -> Iterator[str]:
    """As Markdown, line by line."""
    runs = list(found)
    measures = ("goodput, Mbit/s", "mean queueing delay, ms", "drops")
    yield from ("# Runs beside Linux", "")
    yield from _table("runs", measures, [_measures(each) for each in runs])
    yield from ("", "## How flows begin", "")
    yield (
        "The greatest window until slow start has ended, and the windows 0.5, 1 and 2 s after the start of a"
        " flow, in packets. A dash is a window that was not sampled."
    )
    yield ""
    begins = [
        (f"{each.name}, flow {index}" if len(each.controls) > 1 else each.name, *_begins(*pair))
        for each in runs
        for index, pair in enumerate(each.beginnings)
    ]
    yield from _table("beginnings", ("end of slow start", "later"), begins)


def _table(name: str, measures: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    heads = ["run", *(head for each in measures for head in (f"{each}: Linux", "ours"))]
    yield from st.markdown(st.Table(name, [st.Column(head, "text") for head in heads], rows))


def _measures(each: Compared) -> tuple[str, ...]:
    goodput = [", ".join(f"{pair[side]:.2f}" for pair in each.goodput) for side in (0, 1)]
    drops = [", ".join(str(pair[side]) for pair in each.drops) for side in (0, 1)]
    return (each.name, *goodput, *(f"{value:.1f}" for value in each.delay), *drops)


def _begins(linux: Beginning, ours: Beginning) -> tuple[str, ...]:
    first = [packets(each.slow_start) for each in (linux, ours)]
    later = [", ".join(map(packets, each.later)) for each in (linux, ours)]
    return (*first, *later)
