"""Captures in every form that people have: what is read, what is named, and to which network it belongs."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.made_captures import (
    SEGMENT,
    SEGMENTS,
    WRAPS,
    Connection,
    block,
    enhanced,
    ethernet,
    ip,
    pcap,
    section,
    udp,
    vlan,
    wrapped,
)
from tests.wireshark import needs_tshark

from parshall.capture import Capture
from parshall.capture.findings import remarks

BYTES = SEGMENT * SEGMENTS


def _read(content: bytes, folder: Path, **how: object) -> Capture:
    file = folder / "made.pcap"
    file.write_bytes(content)
    return Capture.read(file, **how)  # type: ignore[arg-type]


def _is_counted(capture: Capture) -> bool:
    totals = capture.totals
    known = ("tcp", "udp", "fragments", "filtered", "damaged")
    named = sum(count for _, _, count in capture.unread)
    return totals["frames"] == sum(totals[name] for name in known) + named


@pytest.mark.parametrize("name", WRAPS)
def test_a_connection_is_read_in_every_wrapping(name: str, tmp_path: Path) -> None:
    link, wrap = WRAPS[name]
    capture = _read(pcap(link, wrapped(Connection().packets(), wrap)), tmp_path)
    [row] = capture.connections.to_pylist()
    assert (row["a"], row["aport"], row["data_bytes_f"], row["acked_bytes_f"]) == (
        "10.0.0.1",
        40000,
        BYTES,
        BYTES,
    )
    assert row["retransmissions_f"] == row["missing_bytes_f"] == 0
    assert remarks(capture) == []


@needs_tshark
def test_tshark_reads_the_same_connections(tmp_path: Path) -> None:
    # It does not read what pppd writes; tcpdump does.
    wraps = [wrap for name, wrap in WRAPS.items() if name != "pppd"]
    parts = [section(*(link for link, _ in wraps))]
    for number, (_, wrap) in enumerate(wraps):
        parts += [enhanced(number, *frame) for frame in wrapped(Connection().packets(), wrap)]
    file = tmp_path / "made.pcapng"
    file.write_bytes(b"".join(parts))
    fields = ["-T", "fields", "-e", "frame.interface_id", "-e", "tcp.len"]
    done = subprocess.run(
        ["tshark", "-n", "-r", str(file), *fields], capture_output=True, text=True, check=True
    )
    read = [line.split("\t") for line in done.stdout.splitlines()]
    for number in range(len(wraps)):
        assert sum(int(length) for each, length in read if int(each) == number) == BYTES


@pytest.mark.parametrize("link", [17, 143, 147, 189, 220, 252, 305])
def test_a_link_type_that_is_not_read_is_named(link: int, tmp_path: Path) -> None:
    frames = wrapped(Connection().packets(), lambda data, _: data)
    capture = _read(pcap(link, frames), tmp_path)
    names = {143: " (DOCSIS)", 147: " (USER0)", 189: " (USB_LINUX)", 220: " (USB_LINUX_MMAPPED)"}
    names |= {252: " (WIRESHARK_UPPER_PDU)"}
    [line] = remarks(capture)
    assert line == f"left out: 15 frames of link type {link}{names.get(link, '')}, which is not read"
    assert _is_counted(capture)


def test_frames_without_tcp_and_udp_are_named(tmp_path: Path) -> None:
    packet = ip("10.0.0.1", "10.0.0.2", 1, bytes(8))
    frames = [ethernet(0x0806, bytes(28)), ethernet(0x88CC, bytes(20)), ethernet(0x0806, bytes(28))]
    frames += [
        ethernet(0x0800, packet),
        ethernet(0x0800, packet[:10]),
        ethernet(38, b"\x42\x42\x03" + bytes(35)),
    ]
    capture = _read(pcap(1, enumerate(frames)), tmp_path)
    assert remarks(capture) == [
        "left out: 4 frames without IP (2 ARP, 1 spanning tree, 1 LLDP)",
        "left out: 1 frame of IP with neither TCP nor UDP (1 ICMP)",
        "1 frames have headers that are cut or damaged",
    ]
    assert _is_counted(capture)


def test_blocks_of_pcapng_are_read_or_named(tmp_path: Path) -> None:
    packets = [(time, data) for time, data, _ in Connection().packets()]
    old = b"".join(
        block(2, struct.pack("<HHIIII", 0, 3, 0, time, len(data), len(data)) + data) for time, data in packets
    )
    capture = _read(section(101) + old, tmp_path)
    assert capture.connections["data_bytes_f"].to_pylist() == [BYTES]
    new = b"".join(enhanced(0, time, data) for time, data in packets)
    assert _read(section(101) + new, tmp_path).connections.equals(capture.connections)
    simple = b"".join(block(3, struct.pack("<I", len(data)) + data) for _, data in packets)
    mixed = _read(section(101) + simple + enhanced(4, 0, packets[0][1]) + new, tmp_path)
    assert remarks(mixed) == [
        "left out: 15 frames that have no time in the file (Simple Packet Blocks)",
        "left out: 1 frame of an interface that the file does not describe",
    ]
    assert mixed.connections["data_bytes_f"].to_pylist() == [BYTES]
    assert _is_counted(mixed)


def test_two_networks_with_the_same_addresses_are_two(tmp_path: Path) -> None:
    one, two = Connection(), Connection(first=(3_000_000_000, 2_000_000_000), start=3000)
    frames = [(time, vlan(10, data)) for time, data, _ in one.packets()]
    frames += [(time, vlan(20, data)) for time, data, _ in two.packets()]
    capture = _read(pcap(1, sorted(frames)), tmp_path)
    assert capture.connections["data_bytes_f"].to_pylist() == [BYTES, BYTES]
    assert remarks(capture) == [
        "1 connections or flows have the addresses and ports of another one, in another VLAN, network or"
        " tunnel, and are told apart"
    ]
    query = ip("10.0.0.1", "10.0.0.2", 17, udp((5000, 53), b"query"), 7)
    answer = ip("10.0.0.2", "10.0.0.1", 17, udp((53, 5000), b"answer"), 9)
    tagged = [(20_000 * at, vlan(10 + at, query)) for at in range(3)]
    capture = _read(pcap(1, [*tagged, (60_000, vlan(30, answer))]), tmp_path)
    # The same query with the same number within a second is a copy.
    assert capture.udp["source"].to_pylist() == ["10.0.0.1", "10.0.0.2"]
    others = [ip("10.0.0.1", "10.0.0.2", 17, udp((5000, 53), b"query"), number) for number in (7, 8, 9)]
    tagged = [(20_000 * at, vlan(10 + at, query)) for at, query in enumerate(others)]
    assert _read(pcap(1, tagged), tmp_path).udp["packets"].to_pylist() == [1, 1, 1]


def test_clocks_are_looked_at_one_by_one(tmp_path: Path) -> None:
    packets = [(time, data) for time, data, _ in Connection().packets()]
    # The ACKs of another interface, which hands them over in the end.
    late = [enhanced(0, time, data) for time, data in packets if data[12:16] == packets[0][1][12:16]]
    late += [enhanced(1, time, data) for time, data in packets if data[12:16] != packets[0][1][12:16]]
    capture = _read(section(101, 101) + b"".join(late), tmp_path)
    assert remarks(capture) == [
        "6 packets stood behind later ones of another interface and were put right by their times"
    ]
    ordered = _read(pcap(101, packets), tmp_path)
    names = [name for name in ordered.connections.column_names if "rtt" in name]
    assert capture.connections.select(names).equals(ordered.connections.select(names))
    # One clock that is set back is told, whatever the other says.
    back = [*late[:4], enhanced(0, 5, packets[0][1]), *late[4:]]
    capture = _read(section(101, 101) + b"".join(back), tmp_path)
    assert capture.totals["steps_back"] == 1
    far = [*late, enhanced(0, 9_000_000, packets[0][1]), enhanced(1, 2_000_000, packets[1][1])]
    capture = _read(section(101, 101) + b"".join(far), tmp_path)
    assert (capture.totals["far_behind"], capture.totals["steps_back"]) == (1, 0)


def test_absolute_times_keep_nanoseconds(tmp_path: Path) -> None:
    start, drawn = 1_700_000_000, np.random.default_rng(1)
    packets = list(Connection().packets())
    exact = np.sort(drawn.integers(0, 10**9, len(packets))) + start * 10**9
    records = [(int(time), data) for time, (_, data, _) in zip(exact, packets, strict=True)]
    capture = _read(pcap(101, records, nanoseconds=True), tmp_path, nanoseconds=True)
    frames = np.asarray(capture.samples["frame"])
    assert len(frames) > 5
    assert np.array_equal(np.asarray(capture.samples["time_ns"]), exact[frames - 1])
    [row] = capture.connections.to_pylist()
    assert (row["start_ns"], row["end_ns"]) == (exact[0], exact[-1])
    nearest = [float(f"{time // 10**9}.{time % 10**9:09}") for time in exact]
    assert np.array_equal(np.asarray(capture.samples["time"]), np.array(nearest)[frames - 1])
    assert (row["start"], row["end"]) == (nearest[0], nearest[-1])
