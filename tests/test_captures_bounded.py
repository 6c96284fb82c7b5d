"""Captures that are read in bounded memory: what is kept and written, and that nothing grows."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from parshall.capture import Capture
from parshall.capture.kept import Bounds
from parshall.capture.reading import Source, bounded
from parshall.capture.spool import Spool
from parshall.cli.main import main
from parshall.recording.columns import numbers, table

_PAYLOAD = 1448
_STEP_US = 1000

# Flags, payload, sequence number and acknowledgment of each packet of a connection, and its direction. One
# is sent again after 300 ms, by the time of the connections beside it.
_SEGMENTS = (
    (True, 2, 0, 0, 0),
    (False, 18, 0, 0, 1),
    (True, 16, 0, 1, 1),
    (True, 24, _PAYLOAD, 1, 1),
    (True, 24, _PAYLOAD, 1, 1),
    (False, 16, 0, 1, 1 + _PAYLOAD),
    (True, 24, _PAYLOAD, 1 + _PAYLOAD, 1),
    (False, 16, 0, 1, 1 + 2 * _PAYLOAD),
    (True, 17, 0, 1 + 2 * _PAYLOAD, 1),
    (False, 17, 0, 1, 2 + 2 * _PAYLOAD),
)


def _record(forward: bool, flags: int, payload: int, seq: int, ack: int) -> bytes:
    ends, ports = ((0x0A000001, 0x0AFF0001), (0, 443)) if forward else ((0x0AFF0001, 0x0A000001), (443, 0))
    ip = struct.pack("!BBHHHBBHII", 0x45, 0, 40 + payload, 0, 0x4000, 60, 6, 0, *ends)
    tcp = struct.pack("!HHIIBBHHH", *ports, seq, ack, 5 << 4, flags, 501, 0, 0)
    return struct.pack("<IIII", 0, 0, 40, 40 + payload) + ip + tcp


def write_short(file: Path, connections: int, together: int = 400) -> None:
    """Raw IPv4: connections of ten packets, so many at a time, a packet a millisecond."""
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 96, 101)
    template = np.array([np.frombuffer(_record(*each), np.uint8) for each in _SEGMENTS])
    forward = np.array([each[0] for each in _SEGMENTS])
    with file.open("wb") as out:
        out.write(head)
        for first in range(0, connections, together):
            own = first + np.arange(min(together, connections - first))
            rows = np.repeat(template[:, None], len(own), axis=1)
            number = 10 * first + np.arange(10 * len(own)).reshape(10, -1)
            at = 1_600_000_000_000_000 + _STEP_US * number
            _put(rows, 0, (at // 1_000_000).astype("<u4"))
            _put(rows, 4, (at % 1_000_000).astype("<u4"))
            _put(rows, 20, (1 + number % 65_535).astype(">u2"))
            host, port = (0x0A000001 + own // 60_000).astype(">u4"), (1024 + own % 60_000).astype(">u2")
            for way, address, place in ((forward, 28, 36), (~forward, 32, 38)):
                part = rows[way]
                _put(part, address, np.broadcast_to(host, part.shape[:2]))
                _put(part, place, np.broadcast_to(port, part.shape[:2]))
                rows[way] = part
            out.write(rows.tobytes())


def _put(rows: Any, at: int, column: Any) -> None:
    width = column.dtype.itemsize
    rows[:, :, at : at + width] = np.ascontiguousarray(column).view(np.uint8).reshape(*column.shape, width)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bounded") / "short.pcap"
    write_short(file, 3000)
    return file


def test_a_spool_gives_back_what_came_in_order(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    keys = (np.arange(9000) + random.normal(0, 400, 9000)).round().astype(np.int64)
    rows = table({"key": numbers(keys), "came": numbers(np.arange(9000))})
    spool = Spool(lambda: tmp_path, "key", 700)
    for at in range(0, 9000, 60):
        spool.add(rows.slice(at, 60))
    order = np.argsort(keys, kind="stable")
    for _ in range(2):
        found = pa.concat_tables(spool.batches())
        assert np.array_equal(np.asarray(found["came"]), order)
    assert len(list(tmp_path.iterdir())) > 10


def test_what_is_printed_and_written_is_the_same_with_little_memory(
    short: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = Capture.read(short)
    assert whole.events.num_rows == 3000
    little = ["--rows", "70", "--connections", "100"]
    for form in ("csv", "json", "table"):
        said = []
        for options in ([], little):
            assert main(["capture", str(short), "--format", form, *options]) == 0
            said.append(capsys.readouterr().out)
        if form == "json":
            records = [json.loads(each) for each in said]
            assert records[1].pop("remarks") != records[0].pop("remarks")
            assert records[0].pop("deliveries") == records[1].pop("deliveries") == []
            assert records[0] == records[1]
        else:
            assert said[0].split("; read in")[0] == said[1].split("; read in")[0]
    out = tmp_path / "out"
    assert main(["capture", str(short), "--out", str(out), *little]) == 0
    for name, rows in whole.tables().items():
        assert parquet.read_table(out / f"{name}.parquet").equals(rows), name
    assert (
        "Retransmissions" in (out / "report.html").read_text()
        or "sent again" in (out / "report.html").read_text()
    )
    assert sorted(path.suffix for path in out.iterdir()) == [".html", ".json", *[".parquet"] * 6]


def test_the_worst_connections_are_kept(short: Path) -> None:
    source = Source(short)
    with bounded(source, Bounds(rows=50, connections=100), "shown") as capture:
        assert capture.connections.num_rows == 100
        assert capture.counts.connections == 3000
        assert capture.left_out["samples"] == capture.counts.samples - 50
    with bounded(source, Bounds(flow=2999), "shown") as capture:
        assert capture.connections["connection"].to_pylist() == [2999]
        assert capture.events.num_rows == 1
        expected = Capture.read(short).flow(2999)
        assert all(capture.tables()[name].equals(expected.tables()[name]) for name in capture.tables())


def _most_memory(file: Path, *options: str) -> int:
    """Most resident memory of the command, in MB."""
    script = (
        "import sys; from parshall.cli.main import main; "
        "assert main(['capture', *sys.argv[1:]]) == 0; "
        "print(*(line for line in open('/proc/self/status') if 'VmHWM' in line), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file), *options], capture_output=True, text=True, check=True
    )
    return int(done.stderr.split()[-2]) // 1024


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted otherwise")
def test_a_long_capture_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    files = [tmp_path / "short.pcap", tmp_path / "long.pcap"]
    # A quarter of an hour, and two hours: connections last for 4 s, and closed ones stay for minutes.
    for file, connections in zip(files, (100_000, 800_000), strict=True):
        write_short(file, connections)
    little = ["--rows", "50000"]
    for options in (little, ["--format", "csv", *little], ["--out", str(tmp_path / "out"), *little]):
        least, most = (_most_memory(file, *options) for file in files)
        assert most - least < 40, (options, least, most)
    files[1].unlink()
