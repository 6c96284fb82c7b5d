"""Applications that hear back: what a user types, what comes out, and ns-2 beside them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import (
    DropTail,
    ExponentialLaw,
    Flow,
    Link,
    LomaxLaw,
    ParetoLaw,
    Record,
    Scenario,
    ScenarioError,
    Tcp,
    Telnet,
    TransferSequence,
    Udp,
    UniformLaw,
    Web,
)

TOML = """
duration = "60 s"
hosts = ["server", "client"]

[[links]]
between = ["server", "client"]
rate = "1 Mbit/s"
delay = "10 ms"

[[flows]]
name = "web"
source = "server"
destination = "client"
transport = "tcp"

[flows.app]
kind = "web"
pages = 5
inter_page = { kind = "exponential", mean = "500 ms" }
objects = { kind = "uniform", low = 1, high = 4 }
inter_object = "10 ms"
object_packets = { kind = "lomax", mean = 12, shape = 1.2 }
request_bytes = 300

[record]
transfers = "web"
"""


def one(app: Any, duration: Any = 60, **tcp: Any) -> Scenario:
    """A flow between two hosts with a link of 1 Mbit/s and 10 ms."""
    transport = Tcp(**tcp)
    return Scenario(
        duration=duration,
        hosts=["server", "client"],
        links=[Link(between=("server", "client"), rate="1 Mbit/s", delay="10 ms", queue=DropTail())],
        flows=[
            Flow(name="f", source="server", destination="client", transport=transport, app=app, start="1 s")
        ],
        record=Record(transfers="*"),
    )


def test_toml_and_python_say_the_same() -> None:
    app = Web(
        pages=5,
        inter_page=ExponentialLaw(mean=0.5),
        objects=UniformLaw(low=1, high=4),
        inter_object=0.01,
        object_packets=LomaxLaw(mean=12, shape=1.2),
        request_bytes="300 B",
    )
    read = parshall.loads(TOML)
    assert read.flows[0].app == app
    assert parshall.loads(read.to_toml()).hash == read.hash
    transfers = parshall.run(read, seed=1).flow("web").transfers
    assert transfers.page.max() == 4
    assert list(np.flatnonzero(transfers.last)) == [len(transfers) - 1]
    assert (transfers.response_time > 0.03).all()


def test_defaults_of_the_web_are_those_of_ns2() -> None:
    assert Web() == Web(
        pages=250,
        inter_page=ExponentialLaw(mean="15 s"),
        objects=1,
        inter_object=ExponentialLaw(mean="10 ms"),
        object_packets=LomaxLaw(mean=12, shape=1.2),
    )
    assert one("web").flows[0].app == Web()


def test_telnet_delays_are_those_of_packets() -> None:
    recording = parshall.run(one("telnet", duration=2000, payload_bytes=1, delayed_ack=False), seed=4)
    transfers = recording.flow("f").transfers
    later = np.flatnonzero(np.diff(transfers.session.astype(int)) == 0) + 1
    crossing = 0.010328
    # Most packets find the link empty; what a handshake or an ACK holds back comes later.
    assert np.median(transfers.response_time[later]) == pytest.approx(crossing, abs=1e-9)
    assert (transfers.response_time >= crossing - 1e-9).all()
    gaps = np.diff(transfers.start)[later - 1]
    # Exponential with a mean of 1 s: the standard error of the mean is 1 s / sqrt(n).
    assert abs(gaps.mean() - 1) < 4 / np.sqrt(len(gaps))
    lengths = np.bincount(transfers.session.astype(int))[:-1]
    # An exponential number, rounded up, is geometric: here of mean 20.5 and deviation 20.0.
    assert abs(lengths.mean() - 20.5) < 4 * 20 / np.sqrt(len(lengths))


def test_transfers_are_a_table_and_survive_a_file(tmp_path: Path) -> None:
    app = TransferSequence(packets=ParetoLaw(mean=8, shape=1.5), think="100 ms", connection="persistent")
    recording = parshall.run(one(app), seed=2)
    table = recording.table("transfers")
    assert table.column_names == [
        *("flow", "number", "session", "page", "start", "first_byte", "end", "packets", "bytes", "last")
    ]
    ended = np.isfinite(np.asarray(table["end"]))
    packets = np.asarray(table["packets"])
    delivered = recording.flow("f").packets_delivered
    assert packets[ended].sum() <= delivered <= packets.sum()
    assert (np.asarray(table["bytes"]) == 1000 * packets).all()
    again = parshall.Recording.load(recording.save(tmp_path / "run"))
    assert again.table("transfers").equals(table)


def test_many_runs_have_the_table_too() -> None:
    ensemble = parshall.run_many({"one": one("web")}, seeds=range(3), tables=["transfers"])
    table = ensemble.table("transfers")
    assert set(table["flow"].to_pylist()) == {"f"}
    assert set(table["seed"].to_pylist()) == {0, 1, 2}


@pytest.mark.parametrize(
    ("make", "path", "expected"),
    [
        (lambda: Web(pages={"kind": "exponential", "mean": "3 s"}), "pages.mean", "a number of at least 0"),
        (lambda: Web(pages="3 s"), "pages", "a number of at least 0"),
        (lambda: Web(inter_page=-1), "inter_page", "a number of at least 0"),
        (lambda: Web(inter_page="3 pages"), "inter_page", "a duration"),
        (lambda: Web(objects={"kind": "zipf"}), "objects.kind", '"constant" or "exponential"'),
        (lambda: Web(requests="http/2"), "requests", "'http' or 'ns2'"),
        (lambda: Web(connections=0), "connections", "a whole number from 1"),
        (lambda: LomaxLaw(mean=12, shape=1), "shape", "a number above 1"),
        (lambda: TransferSequence(packets=1, connection="old"), "connection", "'new' or 'persistent'"),
        (lambda: Telnet(sessions=0), "sessions", "a whole number from 1"),
        (
            lambda: parshall.run(one(Telnet(interval=0)), seed=1),
            "flows[0].app.interval",
            "a mean of at least",
        ),
        (
            lambda: parshall.run(one("web").replace("flows[0].transport", Udp()), seed=1),
            "flows[0].app.kind",
            "the transport is udp",
        ),
        (
            lambda: parshall.run(one("bulk").replace("record", Record(transfers="f")), seed=1),
            "record.transfers[0]",
            "a flow whose application",
        ),
    ],
)
def test_faults_name_place_and_expectation(make: Any, path: str, expected: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        make()
    assert caught.value.path == path
    assert expected.replace("'", '"') in caught.value.expected.replace("'", '"')
    assert "\n" not in str(caught.value)


NS2 = """
set ns [new Simulator]
$ns trace-all [open [lindex $argv 0] w]
set s [$ns node]
set c [$ns node]
$ns duplex-link $s $c 1Mb 10ms DropTail
PagePool/WebTraf set TCPTYPE_ Newreno
set pool [new PagePool/WebTraf]
$pool set-num-client 1
$pool set-num-server 1
$pool set-client 0 $c
$pool set-server 0 $s
$pool set-num-session 1
proc constant {value} {
    set law [new RandomVariable/Constant]
    $law set val_ $value
    return $law
}
$pool create-session 0 2 1.0 [constant 1] [constant 1] [constant 0.01] [constant [lindex $argv 1]]
$ns at 20 "$ns flush-trace; exit 0"
$ns run
"""


@pytest.mark.skipif(shutil.which("ns") is None, reason="there is no ns-2")
@pytest.mark.parametrize("packets", [1, 3, 31])
def test_two_pages_take_as_long_as_in_ns2(packets: int, tmp_path: Path) -> None:
    (tmp_path / "web.tcl").write_text(NS2)
    subprocess.run(["ns", "web.tcl", "trace", str(packets)], cwd=tmp_path, check=True, timeout=60)
    lines = [line.split() for line in (tmp_path / "trace").read_text().splitlines()]
    # Packet 0 of each connection is a SYN.
    arrived = [
        float(line[1]) for line in lines if line[:5:4] == ["r", "tcp"] and line[3] == "1" and line[10] != "0"
    ]
    asked = [
        float(line[1]) for line in lines if line[:5:4] == ["+", "tcp"] and line[2] == "1" and line[10] == "0"
    ]
    assert (len(arrived), len(asked)) == (2 * packets, 2)
    app = Web(pages=2, inter_page=1, inter_object=0.01, object_packets=packets, requests="ns2")
    transfers = parshall.run(one(app, profile="ns2"), seed=1).flow("f").transfers
    # ns-2 writes six digits.
    assert transfers.start == pytest.approx(asked, abs=5e-6)
    assert transfers.first_byte == pytest.approx([arrived[0], arrived[packets]], abs=5e-6)
    assert transfers.end == pytest.approx([arrived[packets - 1], arrived[-1]], abs=5e-6)
