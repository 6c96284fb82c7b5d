"""The share of a capture's traffic that does not respond, where a simulator or an emulator knows it."""

from __future__ import annotations

import csv
import gzip
import heapq
import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import parshall
from parshall import Bulk, Cbr, DropTail, Dumbbell, FlowGroup, Record, Tcp, Udp
from parshall.capture import Capture
from parshall.capture.share import read_drops
from parshall.cli.main import main
from parshall.errors import InputError

REFERENCE = Path(__file__).parents[2] / "shared/reference/captures/real"

needs_reference = pytest.mark.skipif(not REFERENCE.exists(), reason="no captures with known truth beside it")

TCP, UDP = 8, 4


def records(raw: bytes) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Records of a pcap, each with its time."""
    at = 24
    while at < len(raw):
        seconds, part, stored = struct.unpack("<III", raw[at : at + 12])
        yield (seconds, part), raw[at : at + 16 + stored]
        at += 16 + stored


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, float]:
    """A capture in front of a bottleneck of eight connections and four flows of UDP, the frames that are
    dropped there, and the share of UDP among the packets.
    """
    bell = Dumbbell(
        duration="60 s",
        rate="10 Mbit/s",
        delay="10 ms",
        queue=DropTail(limit_packets=40),
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        flows=[
            FlowGroup(name="t", count=TCP, transport=Tcp(recovery="sack"), app=Bulk()),
            FlowGroup(name="u", count=UDP, transport=Udp(), app=Cbr(rate="0.8 Mbit/s")),
        ],
        record=Record(
            pcap=[f"s{n}->r0" for n in range(1, TCP + UDP + 1)],
            pcap_both_directions=True,
            packets=["bottleneck"],
        ),
    )
    recording = parshall.run(bell.scenario(), seed=1)
    captures = list(recording.pcap.values())
    merged = list(heapq.merge(*map(records, captures), key=lambda record: record[0]))
    folder = tmp_path_factory.mktemp("share")
    file, drops = folder / "front.pcap", folder / "drops.txt"
    file.write_bytes(captures[0][:24] + b"".join(record for _, record in merged))
    lost, share = dropped(recording)
    frames = sent_frames([record for _, record in merged])
    numbers = [frames[flow][at] for flow, at in lost if at < len(frames[flow])]
    drops.write_text("frame\n" + "".join(f"{number}\n" for number in sorted(numbers)))
    return file, drops, share


def dropped(recording: parshall.Recording) -> tuple[list[tuple[int, int]], float]:
    """Flow and place among its packets of every packet that the bottleneck drops, and the share of UDP."""
    rows = recording.columns("packets")
    arrived, udp, lost = [0] * (TCP + UDP), 0, []
    for event, ack, flow in zip(rows["event"], rows["ack"], rows["flow"], strict=True):
        if ack:
            continue
        if event == 0:
            arrived[flow] += 1
            udp += recording.flows[flow].startswith("u")
        elif event == 2:
            lost.append((int(flow), arrived[flow] - 1))
    return lost, udp / sum(arrived)


def sent_frames(merged: list[bytes]) -> list[list[int]]:
    """Numbers of the frames with payload that each sender sent, by flow."""
    frames: dict[bytes, list[int]] = {}
    for number, record in enumerate(merged, 1):
        packet = record[16:]
        length = struct.unpack("!H", packet[2:4])[0] - 20
        header = 8 if packet[9] == 17 else (packet[32] >> 4) * 4
        if length > header:
            frames.setdefault(packet[12:16], []).append(number)
    return [frames[key] for key in sorted(frames)]


def test_a_share_is_told_where_drops_are_given(mixed: tuple[Path, Path, float]) -> None:
    file, drops, truth = mixed
    found = Capture.read(file, passed=True).responsiveness(drops)
    assert found.share is not None
    assert found.share_se is not None
    assert found.udp == pytest.approx(truth, abs=0.01)
    assert abs(found.share - truth) < 0.025
    assert found.given
    assert found.reason == ""


def test_without_them_bounds_are_told_that_hold(mixed: tuple[Path, Path, float]) -> None:
    file, _, truth = mixed
    found = Capture.read(file, passed=True).responsiveness()
    assert found.share is None
    assert "do not show in a capture" in found.reason
    assert found.low is not None
    assert found.low < truth
    assert found.high == pytest.approx(truth, abs=0.05)
    # What is inferred of TCP is what was dropped of it.
    assert found.low < 0.15


def test_drops_of_tcp_are_inferred_as_they_were(mixed: tuple[Path, Path, float]) -> None:
    file, drops, _ = mixed
    capture = Capture.read(file, passed=True)
    assert capture.passed is not None
    frames = np.loadtxt(drops, skiprows=1, dtype=int)
    tcp = np.asarray(capture.passed["frame"])[np.asarray(capture.passed["direction"]) >= 0]
    assert capture.responsiveness().signals == pytest.approx(np.isin(frames, tcp).sum(), rel=0.02)


def test_a_line_says_what_is_known(
    mixed: tuple[Path, Path, float], capsys: pytest.CaptureFixture[str]
) -> None:
    file, drops, truth = mixed
    guide = (Path(__file__).parents[1] / "docs/guide/captures-in.md").read_text()
    for options in (["--share"], ["--drops", str(drops)]):
        assert main(["capture", str(file), *options]) == 0
        out = capsys.readouterr().out
        _, start, rest = out.partition("Packets of flows that do not respond")
        words = " ".join((start + rest).split())
        line = re.match(r".* drops and marks, (inferred|given)", words)[0]
        assert f"    {line}\n" in guide
        assert ("cannot be known, because drops of UDP" in line) == (options == ["--share"])
    assert f"the truth is {100 * truth:.1f} %" in guide
    assert main(["capture", str(file), "--drops", str(drops), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["responsiveness"]["given"] is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("7\nx\n", 'drops, line 2: got "x"'),
        ("0\n", "from 1"),
        ("99999999\n", "expected a frame of the capture"),
    ],
)
def test_bad_drops_get_one_line(
    text: str, said: str, mixed: tuple[Path, Path, float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "drops.txt"
    file.write_text(text)
    assert main(["capture", str(mixed[0]), "--drops", str(file)]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_capture_that_kept_no_packets_says_so(mixed: tuple[Path, Path, float]) -> None:
    with pytest.raises(parshall.InputError, match="passed=True"):
        Capture.read(mixed[0]).responsiveness()


@needs_reference
@pytest.mark.parametrize("name", ["share_10", "share_50", "udp_mix"])
def test_six_seconds_of_real_traffic_are_too_few(name: str, tmp_path: Path) -> None:
    """A few flows and some dozens of drops: with all of them given the estimate is in doubt, and not told."""
    drops = tmp_path / "drops.csv"
    with gzip.open(REFERENCE / f"{name}.labels.csv.gz", "rt", newline="") as rows:
        lost = [
            row["frame"] for row in csv.DictReader(rows) if row["point"] == "mid" and row["lost_later"] == "1"
        ]
    drops.write_text("frame\n" + "\n".join(lost))
    capture = Capture.read(REFERENCE / f"{name}.mid.pcap.gz", passed=True)
    links = json.loads((REFERENCE / f"{name}.truth.json").read_text())["link_totals"]["L2f"]
    given, inferred = capture.responsiveness(drops), capture.responsiveness()
    # One may be an ACK.
    assert given.signals == pytest.approx(links["fates"]["Q"], abs=1)
    assert inferred.signals == pytest.approx(links["tcp_lost_pkts"], abs=3)
    truth = links["udp_pkts"] / (links["udp_pkts"] + links["tcp_pkts"])
    assert given.udp == pytest.approx(truth, abs=0.01)
    for found in (given, inferred):
        assert found.share is None
        assert found.reason


@pytest.mark.parametrize("text", ["9" * 5000, "1," + "x" * 200_000, "x" * 200_000])
def test_a_list_of_drops_that_is_none_gets_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "drops.csv"
    file.write_text(text)
    if text.startswith("1,"):
        with pytest.raises(InputError, match="numbers of frames"):
            read_drops(file)
        return
    with pytest.raises(InputError, match="drops"):
        read_drops(file)


def test_a_list_of_drops_may_come_from_a_spreadsheet(tmp_path: Path) -> None:
    file = tmp_path / "drops.csv"
    file.write_bytes("\ufeffframe,port\r\n7,1\r\n".encode())
    assert read_drops(file).tolist() == [7]
