"""A million packets in a capture: processor time and memory, beside tcptrace, tshark and pping.

Run as `python -m parshall_dev.bench.captures`, or as part of `make bench`.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from parshall_dev.bench.process import ProcessError

__all__ = ["CASES", "lines", "measure", "summary", "write_capture"]

PACKETS = 1_000_000
CASES = (1_000, 30_000)
"""Connections that are open at once."""

_SNAP = 96
_PAYLOAD = 1448
_REPEATED = 97
"""One in so many data packets is sent again."""

_ANALYSE = """import sys
from parshall._core import CaptureReader
reader = CaptureReader(sys.argv[1], None, False, 1_000_000, False)
while reader.step(50_000): reader.rows(True)
while reader.end(10_000): reader.rows(True)
reader.finish(True)"""
_COMMAND = "import sys; from parshall.cli.main import main; sys.exit(main())"


def write_capture(file: Path, connections: int, packets: int = PACKETS) -> None:
    """Ethernet, IPv4 and TCP with time stamps, cut to 96 bytes: connections that open, and take turns with
    two data packets and an ACK, one in 97 data packets twice. The same arguments give the same bytes.
    """
    with file.open("wb", buffering=1 << 20) as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, _SNAP, 1))
        for number, (forward, flow, seq, ack, flags, payload) in enumerate(_segments(connections, packets)):
            at = 1_600_000_000_000_000 + number
            head = _header(forward, flow, (seq, ack, flags, payload), number)
            stored = (head + bytes(payload))[:_SNAP]
            sizes = (len(stored), len(head) + payload)
            out.write(struct.pack("<IIII", at // 1_000_000, at % 1_000_000, *sizes) + stored)


def _segments(connections: int, packets: int) -> Iterator[tuple[bool, int, int, int, int, int]]:
    """Direction, connection, sequence number, acknowledgment, flags and payload of each packet."""
    left = packets
    sent = 0
    for turn in range(packets):
        for flow in range(connections):
            seq = 1 + 2 * _PAYLOAD * (turn - 1)
            if turn == 0:
                some = [(True, 0, 0, 2, 0), (False, 0, 1, 18, 0), (True, 1, 1, 16, 0)]
            else:
                sent += 2
                some = [(True, seq, 1, 16, _PAYLOAD), (True, seq + _PAYLOAD, 1, 24, _PAYLOAD)]
                some += some[:1] if sent % _REPEATED < 2 else []
                some += [(False, 1, seq + 2 * _PAYLOAD, 16, 0)]
            for forward, *rest in some[:left]:
                yield forward, flow, rest[0], rest[1], rest[2], rest[3]
            left -= len(some)
            if left <= 0:
                return


def _header(forward: bool, flow: int, tcp: tuple[int, int, int, int], number: int) -> bytes:
    seq, ack, flags, payload = tcp
    client, server = 0x0A000001 + flow, 0x0AFF0001
    ends = (client, server) if forward else (server, client)
    ports = (1024 + flow % 60_000, 443) if forward else (443, 1024 + flow % 60_000)
    stamp = number // 1000
    options = struct.pack("!BBBBII", 1, 1, 8, 10, stamp, max(0, stamp - 1))
    ip = struct.pack("!BBHHHBBHII", 0x45, 0, 52 + payload, number % 65536, 0x4000, 60, 6, 0, ends[0], ends[1])
    segment = struct.pack("!HHIIBBHHH", *ports, seq % 2**32, ack % 2**32, 8 << 4, flags, 501, 0, 0)
    return bytes(12) + b"\x08\0" + ip + segment + options


def _readers() -> Mapping[str, Sequence[str]]:
    """Commands of the readers that are installed."""
    every = {
        "analysis": (sys.executable, "-c", _ANALYSE),
        "parshall capture": (sys.executable, "-c", _COMMAND, "capture", "--format", "csv"),
        "tcptrace": ("tcptrace", "-n"),
        "tcptrace -l -r": ("tcptrace", "-n", "-l", "-r"),
        "pping": ("pping", "-m", "-r"),
        "tshark": ("tshark", "-n", "-q", "-z", "conv,tcp", "-r"),
    }
    return {name: command for name, command in every.items() if shutil.which(command[0])}


_LAUNCH = """
import os, subprocess, sys
nothing = subprocess.DEVNULL
child = subprocess.Popen(sys.argv[1:], stdin=nothing, stdout=nothing, stderr=nothing)
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def _cost(command: Sequence[str]) -> tuple[float, float]:
    """Processor time in seconds and most resident memory in 10^6 bytes. Raises ProcessError.

    A process begins with the most memory of the one that starts it, so that this is a small one.
    """
    launched = subprocess.run(
        [sys.executable, "-S", "-c", _LAUNCH, *command], capture_output=True, text=True, check=True
    )
    status, seconds, kilobytes = launched.stdout.split()
    if status != "0":
        raise ProcessError(f"{command[0]}: status {status}")
    return float(seconds), int(kilobytes) * 1024 / 1e6


def measure(runs: int, packets: int = PACKETS) -> list[dict[str, Any]]:
    """Processor time and memory of each reader in each case, the median of its runs in turn, and beside them
    those for a capture without packets. tshark runs once. Raises ProcessError.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.pcap"
        write_capture(empty, 1, 0)
        for connections in CASES:
            file = Path(folder) / "big.pcap"
            write_capture(file, connections, packets)
            costs: dict[str, list[tuple[float, float]]] = {name: [] for name in _readers()}
            for turn in range(runs):
                for name, command in _readers().items():
                    # tshark takes a quarter of a minute.
                    if name != "tshark" or turn == 0:
                        costs[name].append(_cost([*command, str(file)]))
            for name, command in _readers().items():
                start = _cost([*command, str(empty)])
                seconds, memory = (median(each[at] for each in costs[name]) for at in (0, 1))
                row = {"connections": connections, "reader": name, "seconds": seconds, "start": start[0]}
                found.append(row | {"memory_mb": memory, "packets": packets, "start_mb": start[1]})
    return found


def summary(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For the JSON: what was measured, with packets a second of processor time."""
    return [
        {**row, "packets_per_second": row["packets"] / max(1e-3, row["seconds"] - row["start"])}
        for row in found
    ]


def lines(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line a reader and case."""
    for row in summary(found):
        yield (
            f"{row['connections']:>7,} connections  {row['reader']:<17} {row['seconds']:6.2f} s, "
            f"{row['packets_per_second'] / 1e6:5.2f} M packets/s, {row['memory_mb']:5.0f} MB "
            f"(start {row['start']:.2f} s, {row['start_mb']:.0f} MB)"
        )


if __name__ == "__main__":
    for text in lines(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 3)):
        print(text)
