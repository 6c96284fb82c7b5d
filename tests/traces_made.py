"""A folder of traces that is made up: our own runs, written down as if they were a reference."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

import parshall
from parshall_dev.validate import Compared, Events, load_folder, validate
from parshall_dev.validate.events import recorded_events
from parshall_dev.validate.fields import Fields
from parshall_dev.validate.rebuild import rebuild

COLUMNS = ("time_s", "event", "kind", "flow", "seq", "size_bytes", "place", "note")
Rows = list[dict[str, str]]


def port(rate: int = 1_000_000, delay: float = 0.02, limit: int = 12) -> dict[str, Any]:
    return {"rate_bps": rate, "delay_s": delay, "queue_limit_pkts": limit, "discipline": "droptail"}


def links(delay: float) -> dict[str, Any]:
    return {
        "source_access_link": port(20_000_000, delay, 5000),
        "destination_access_link": port(25_000_000, delay, 5000),
    }


def tcp_flow(index: int, variant: str, **changes: Any) -> dict[str, Any]:
    sack = variant == "sack1"
    sender = {"reno": "/Reno", "newreno": "/Newreno", "sack1": "/Sack1", "vegas": "/Vegas"}.get(variant, "")
    flow = {
        "id": index,
        "type": "tcp",
        "direction": "forward",
        **links(0.00123 + index / 1000),
        "variant": variant,
        "data_wire_bytes": 1000,
        "ack_wire_bytes": 40,
        "syn_packet": False,
        "syn_wire_bytes": None,
        "initial_window_pkts": 2,
        "max_window_pkts": 40,
        "initial_ssthresh_pkts": 40,
        "delayed_ack": False,
        "delayed_ack_timer_s": None,
        "tick_s": 0.01,
        "tick_phase_s": 0.0034,
        "min_rto_s": 0.2,
        "max_rto_s": 60.0,
        "initial_rto_s": 3.0,
        "limited_transmit": False,
        "dupack_threshold": 3,
        "one_fast_retransmit_per_window": True,
        "restart_after_idle": True,
        "start_s": 0.1 + index / 10,
        "source": "unlimited",
        "ns2_classes": [f"Agent/TCP{sender}", "Agent/TCPSink" + ("/Sack1" if sack else "")],
        "ns2_settings": {"packetSize_": 1000, "window_": 40, "syn_": "false", "bugFix_": "true"},
    }
    if sack:
        flow["sack"] = {"max_blocks": 3, "bytes_per_block": 8}
    if variant == "vegas":
        flow["vegas"] = {"alpha_pkts": 1, "beta_pkts": 3, "gamma_pkts": 1}
    if variant == "newreno":
        flow["newreno_timer_restart"] = "first partial ACK only"
    return {**flow, **changes}


def cbr_flow(index: int, **changes: Any) -> dict[str, Any]:
    flow = {
        "id": index,
        "type": "cbr",
        "direction": "reverse",
        **links(0.00345),
        "packet_wire_bytes": 500,
        "interval_s": 0.00803,
        "start_s": 0.5003,
        "stop_s": 2.0,
    }
    return {**flow, **changes}


def scenario(name: str, flows: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    entry = {
        "name": name,
        "category": "made up",
        "description": "A small one.",
        "duration_s": 4,
        "bottleneck": {"AB": port(), "BA": port(delay=0.03)},
        "flows": flows,
        "forced_drops": [
            {
                "place": "AB",
                "arrival_index": 30,
                "flow": 0,
                "kind": "data",
                "seq": 29,
                "transmission": 1,
                "time_s": 1.0,
            }
        ],
        "counts": {"AB": {"arrivals": 1}},
    }
    return {**entry, **changes}


def all_kinds() -> list[dict[str, Any]]:
    """One flow of each kind; the second one writes now and then, the third has a SYN and delayed ACKs."""
    written = [{"time_s": 0.2, "packets_added": 30}, {"time_s": 1.7, "packets_added": 30}]
    delayed = {
        "syn_packet": True,
        "syn_wire_bytes": 40,
        "delayed_ack": True,
        "delayed_ack_timer_s": 0.05,
        "ns2_classes": ["Agent/TCP/Sack1", "Agent/TCPSink/Sack1/DelAck"],
        "ns2_settings": {"packetSize_": 960, "useHeaders_": "true", "singledup_": 0, "numdupacks_": 3},
    }
    return [
        tcp_flow(0, "newreno"),
        tcp_flow(1, "vegas", source=written),
        tcp_flow(2, "sack1", **delayed),
        cbr_flow(3),
    ]


def own_events(entry: dict[str, Any]) -> Events:
    rebuilt = rebuild(Fields(entry, "test"))
    return recorded_events(parshall.run(rebuilt.scenario), rebuilt.flows, rebuilt.ports)


def rows_of(events: Events) -> Rows:
    return [
        {name: repr(v) if isinstance(v, float) else str(v) for name, v in vars(events[index]).items()}
        for index in range(len(events))
    ]


def write_trace(file: Path, rows: Rows) -> None:
    text = io.StringIO()
    # The code points of packets have a column in traces of queues for classes only.
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    file.write_bytes(gzip.compress(text.getvalue().encode()))


def write_folder(folder: Path, entries: list[Any], traces: dict[str, Rows]) -> Path:
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    (folder / "scenarios.json").write_text(json.dumps(entries))
    for name, rows in traces.items():
        write_trace(folder / "traces" / f"{name}.csv.gz", rows)
    return folder


@pytest.fixture(scope="module")
def entry() -> dict[str, Any]:
    return scenario("mixed", all_kinds())


@pytest.fixture(scope="module")
def rows(entry: dict[str, Any]) -> Rows:
    return rows_of(own_events(entry))


@pytest.fixture
def folder(tmp_path: Path, entry: dict[str, Any], rows: Rows) -> Path:
    """Our own run, written down as if it were a reference."""
    return write_folder(tmp_path / "reference", [entry], {"mixed": rows})


def only_verdict(folder: Path) -> Compared:
    (verdict,) = validate(load_folder(folder))
    return verdict


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]
