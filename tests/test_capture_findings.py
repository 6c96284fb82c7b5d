"""Findings of captures, and quantiles of a few round trips, against what the simulator did."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest

import parshall
from parshall import DropTail, Dumbbell, FlowGroup, Record, Tcp
from parshall.capture import Capture
from parshall.capture.findings import finding, remarks, ways
from parshall.capture.report import report
from parshall.cli.main import main


def captured(folder: Path, queue: int, packets: int | None = None, point: str = "s1->r0") -> Path:
    """A bulk transfer over 10 Mbit/s and 104 ms, whose pipe holds 87 packets."""
    tcp = Tcp(profile="linux", max_window_packets=packets) if packets else Tcp(profile="linux")
    bell = Dumbbell(
        duration="12 s",
        rate="10 Mbit/s",
        delay="50 ms",
        queue=DropTail(limit_packets=queue),
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        record=Record(pcap=point, pcap_both_directions=True),
        flows=[FlowGroup(transport=tcp, app="bulk")],
    )
    [data] = parshall.run(bell, seed=1).pcap.values()
    file = folder / "made.pcap"
    file.write_bytes(data)
    return file


def said(file: Path) -> str:
    [row] = Capture.read(file).connections.to_pylist()
    return finding(ways(row)[0])


@pytest.mark.parametrize("point", ["s1->r0", "r0->r1"])
def test_a_window_that_holds_up_a_sender_is_said_with_its_part_of_the_time(
    point: str, tmp_path: Path
) -> None:
    text = said(captured(tmp_path, 400, packets=20, point=point))
    found = re.search(r"limited by the receiver's window for (\d+) % of the time", text)
    assert found
    assert int(found[1]) >= 90
    assert "queue" not in text


def test_a_queue_that_never_drains_is_said_with_its_round_trips(tmp_path: Path) -> None:
    text = said(captured(tmp_path, 2000))
    found = re.search(r"a standing queue: round trips of (\d+) ms at rest, ([\d,]+) ms under load", text)
    assert found
    assert int(found[1]) == pytest.approx(105, abs=3)
    assert int(found[2].replace(",", "")) > 300
    assert "window" not in text


def test_a_queue_of_the_pipes_size_is_no_fault(tmp_path: Path) -> None:
    assert "queue" not in said(captured(tmp_path, 60))
    assert "window" not in said(tmp_path / "made.pcap")


def test_what_is_wrong_stands_in_front_of_the_counts(tmp_path: Path) -> None:
    capture = Capture.read(captured(tmp_path, 400, packets=20))
    head = re.findall(r"<th[^>]*>([^<]*)</th>", report(capture, tmp_path))
    assert head[:6] == ["#", "", "from", "to", "what is wrong", "packets"]


def test_packets_that_a_port_mirrors_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = captured(tmp_path, 60)
    raw, parts, at = file.read_bytes(), [file.read_bytes()[:24]], 24
    while at < len(raw):
        seconds, nanos, stored, wire = struct.unpack("<IIII", raw[at : at + 16])
        data = raw[at + 16 : at + 16 + stored]
        later = seconds * 10**9 + nanos + 3000
        again = struct.pack("<IIII", *divmod(later, 10**9), stored, wire) + data
        parts += [raw[at : at + 16 + stored], again]
        at += 16 + stored
    twice = tmp_path / "twice.pcap"
    twice.write_bytes(b"".join(parts))
    [one], [two] = (Capture.read(each).connections.to_pylist() for each in (file, twice))
    names = ("packets_f", "bytes_f", "data_bytes_f", "retransmissions_f", "timeouts_f", "acked_bytes_f")
    assert [one[name] for name in names] == [two[name] for name in names]
    assert any("captured twice" in line for line in remarks(Capture.read(twice)))
    assert main(["capture", str(twice)]) == 0
    assert "captured twice" in capsys.readouterr().out


def packet(forward: bool, numbers: tuple[int, int], payload: int, ident: int) -> bytes:
    ends = (b"\x0a\0\0\1", b"\x0a\0\0\2") if forward else (b"\x0a\0\0\2", b"\x0a\0\0\1")
    ports = (40000, 80) if forward else (80, 40000)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + payload, ident, 0x4000, 64, 6, 0) + ends[0] + ends[1]
    return ip + struct.pack(">HHIIBBHHH", *ports, *numbers, 0x50, 16, 60000, 0, 0) + bytes(payload)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 20])
def test_quantiles_of_a_few_round_trips_are_those_of_numpy(number: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(number)
    rtts = rng.integers(10_000, 900_000, number)
    time, parts = 1_000_000, [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)]
    for at, rtt in enumerate(rtts):
        seq = 1 + 100 * at
        for later, data in (
            (0, packet(True, (seq, 1), 100, at + 1)),
            (rtt, packet(False, (1, seq + 100), 0, at + 1)),
        ):
            parts.append(struct.pack("<IIII", *divmod(time + int(later), 10**6), len(data), len(data)) + data)
        time += 2_000_000
    file = tmp_path / "few.pcap"
    file.write_bytes(b"".join(parts))
    [row] = Capture.read(file).connections.to_pylist()
    assert row["rtt_seq_samples_f"] == number
    for name, part in (("min", 0.0), ("p25", 0.25), ("p50", 0.5), ("p95", 0.95), ("max", 1.0)):
        assert row[f"rtt_seq_{name}_f"] == pytest.approx(np.quantile(rtts, part) / 1e6, rel=0.0051)
