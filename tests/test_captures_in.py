"""Captures that are read: a simulated one gives the simulator's numbers, in every form of file."""

from __future__ import annotations

import csv
import gzip
import json
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.test_captures import SENDERS, network

import parshall
from parshall.capture import Capture
from parshall.cli.main import main
from parshall.long_memory import hurst

REFERENCE = Path(__file__).parents[2] / "shared/reference/captures/real"

needs_reference = pytest.mark.skipif(not REFERENCE.exists(), reason="no captures with known truth beside it")


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recording = parshall.run(network(SENDERS["rack"]), seed=1)
    file = tmp_path_factory.mktemp("capture") / "sender.pcap"
    file.write_bytes(recording.pcap["s1->r0"])
    return file


@pytest.mark.parametrize("name", SENDERS)
def test_a_simulated_capture_gives_the_simulators_numbers(name: str, tmp_path: Path) -> None:
    recording = parshall.run(network(SENDERS[name]), seed=1)
    file = tmp_path / "sender.pcap"
    file.write_bytes(recording.pcap["s1->r0"])
    [row] = Capture.read(file).connections.to_pylist()
    flows, at = recording.columns("flows"), recording.flows.index("f1")
    assert row["retransmissions_f"] == flows["packets_retransmitted"][at]
    # A timeout of ns-2's NewReno during its own recovery looks like one more retransmission of that.
    if name != "newreno-ns2":
        assert row["timeouts_f"] + row["probes_f"] == flows["timeouts"][at]
    if name == "no-handshake":
        return
    # Propagation to the receiver and back is 22 ms; a packet takes 4.2 ms, and ten fit into the queue.
    assert 0.022 < row["rtt_seq_min_f"] <= row["rtt_seq_p50_f"] < 0.022 + 12 * 0.0042


def rewritten(pcap: bytes, magic: int, order: str, link: int, before: bytes, scale: int) -> bytes:
    """A capture of raw IP in nanoseconds, in another form."""
    result = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, link)]
    at = 24
    while at < len(pcap):
        seconds, part, stored, wire = struct.unpack("<IIII", pcap[at : at + 16])
        data = before + pcap[at + 16 : at + 16 + stored]
        head = struct.pack(order + "IIII", seconds, part // scale, len(data), wire + len(before))
        result += [head, data]
        at += 16 + stored
    return b"".join(result)


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "microseconds": lambda raw: rewritten(raw, 0xA1B2C3D4, "<", 101, b"", 1000),
    "big-endian": lambda raw: rewritten(raw, 0xA1B23C4D, ">", 101, b"", 1),
    "ethernet": lambda raw: rewritten(raw, 0xA1B23C4D, "<", 1, b"\2" * 12 + b"\x08\0", 1),
    "vlans": lambda raw: rewritten(raw, 0xA1B23C4D, "<", 1, b"\2" * 12 + b"\x88\xa8\0\7\x81\0\0\5\x08\0", 1),
    "mpls": lambda raw: rewritten(
        raw, 0xA1B23C4D, "<", 1, b"\2" * 12 + b"\x88\x47\0\6\x40\x40\0\xc8\1\x40", 1
    ),
    "cooked": lambda raw: rewritten(raw, 0xA1B23C4D, "<", 113, b"\0" * 14 + b"\x08\0", 1),
    "gzip": gzip.compress,
    "gzip of two members": lambda raw: gzip.compress(raw[:5000]) + gzip.compress(raw[5000:]),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_as_good_as_another(form: str, simulated: Path, tmp_path: Path) -> None:
    raw = simulated.read_bytes()
    assert struct.unpack("<I", raw[20:24])[0] == 101
    other = tmp_path / "other.pcap"
    other.write_bytes(FORMS[form](raw))
    first, second = Capture.read(simulated), Capture.read(other)
    assert first.samples.num_rows > 100
    assert all(first.tables()[name].equals(second.tables()[name]) for name in first.tables())
    assert first.totals == second.totals


def test_a_cut_file_says_so_and_gives_what_it_has(simulated: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(simulated.read_bytes()[:-37])
    capture = Capture.read(cut)
    assert capture.ending == "cut"
    assert capture.totals["frames"] == Capture.read(simulated).totals["frames"] - 1


def test_packets_captured_twice_count_once(simulated: Path, tmp_path: Path) -> None:
    raw, parts, at = simulated.read_bytes(), [simulated.read_bytes()[:24]], 24
    while at < len(raw):
        stored = struct.unpack("<I", raw[at + 8 : at + 12])[0]
        record = raw[at : at + 16 + stored]
        # A router's other interface: the time to live is one less (byte 8 of the IP header).
        parts += [record, record[:24] + bytes([record[24] - 1]) + record[25:]]
        at += 16 + stored
    twice = tmp_path / "twice.pcap"
    twice.write_bytes(b"".join(parts))
    [one], [two] = (Capture.read(file).connections.to_pylist() for file in (simulated, twice))
    for name in ("retransmissions_f", "timeouts_f", "packets_f", "rtt_seq_samples_f", "duplicate_acks_b"):
        assert one[name] == two[name], name
    assert two["captured_again_f"] == two["packets_f"]


def test_tables_are_written_with_the_columns_that_were_promised(simulated: Path, tmp_path: Path) -> None:
    assert main(["capture", str(simulated), "--out", str(tmp_path / "out")]) == 0
    events = parquet.read_table(tmp_path / "out/events.parquet")
    promised = ["frame", "connection", "direction", "kind", "needless", "network_copy", "late"]
    assert set(promised) <= set(events.column_names)
    assert events.schema.field("needless").type == pa.bool_()
    samples = parquet.read_table(tmp_path / "out/samples.parquet")
    names = ["time", "frame", "connection", "direction", "half", "method", "rtt"]
    assert samples.column_names[: len(names)] == names
    assert set(samples["half"].to_pylist()) <= {"receiver", "sender"}
    assert set(samples["method"].to_pylist()) == {"seq", "ts", "handshake"}
    page = (tmp_path / "out/report.html").read_text()
    assert "losses, repaired without a timeout" in page or "sent again" in page


def test_json_and_csv_hold_the_connection(simulated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capture", str(simulated), "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert main(["capture", str(simulated), "--format", "csv"]) == 0
    [row] = csv.DictReader(capsys.readouterr().out.splitlines())
    assert row["a"] == record["connections"][0]["a"] == "10.0.0.0"


def test_a_filter_an_anonymous_name_and_a_stream(simulated: Path) -> None:
    assert Capture.read(simulated, filter="udp").connections.num_rows == 0
    assert Capture.read(simulated, filter="src host 10.0.0.0").connections["packets_b"].to_pylist() == [0]
    hidden = Capture.read(simulated, anonymise=True).connections
    assert len(hidden["a"][0].as_py()) == 12
    script = (
        "import sys; from parshall.cli.main import main; sys.exit(main(['capture', '-', '--format', 'csv']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=simulated.read_bytes(), capture_output=True, check=True
    )
    assert b"10.0.0.0" in done.stdout


def test_one_direction_tells_retransmissions_and_nothing_else(simulated: Path) -> None:
    whole, half = Capture.read(simulated), Capture.read(simulated, filter="src host 10.0.0.0")
    kinds = set(half.events["kind"].to_pylist())
    assert half.connections["retransmissions_f"] == whole.connections["retransmissions_f"]
    assert kinds <= {"retransmission", "rto"}
    assert half.events["needless"].null_count == half.events.num_rows
    assert half.samples.num_rows == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["/nonexistent"], "/nonexistent: no such file, expected a capture"),
        ([__file__], "not a capture, expected pcap or pcapng"),
        (["{simulated}", "--filter", "prot 80"], 'filter: got "prot"'),
        (["{simulated}", "--flow", "9"], "expected a connection, 1 to 1"),
    ],
)
def test_bad_input_gets_one_line(
    arguments: list[str], said: str, simulated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [each.replace("{simulated}", str(simulated)) for each in arguments]
    assert main(["capture", *given]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_replay_knows_what_a_steady_path_asks_of_linux(simulated: Path) -> None:
    replayed = {each.filter: each for each in Capture.read(simulated).replay()}
    assert set(replayed) == {"linux", "jacobson", "median", "weighted median", "quantile", "arima"}
    assert replayed["linux"].spurious <= replayed["jacobson"].spurious
    assert 0.2 < replayed["linux"].mean_rto < 1


@needs_reference
def test_the_truth_of_every_frame_is_told() -> None:
    """At sender and middle, the bounds of docs/validation/captures.md; at the receiver what it can see."""
    from parshall_dev.validate.captures import DESIGN, JUDGE, judge

    for part, kinds in ((DESIGN, 0.97), (JUDGE, 0.99)):
        found = judge(REFERENCE, [*part])
        for point in ("snd", "mid"):
            judged = found[point]
            assert judged.precision("retransmission") == 1
            assert (judged.recall("retransmission") or 0) >= 0.99
            assert (judged.recall("fast") or 0) >= kinds
            assert (judged.recall("needless") or 0) >= 0.98
            assert judged.precision("needless") == 1
            assert np.mean(np.array(judged.p95_errors) <= 0.05) >= 0.95
            assert np.mean(np.array(judged.median_errors) <= 0.05) >= 0.94
        assert (found["rcv"].precision("retransmission") or 0) >= 0.99
        assert np.quantile(found["snd"].rto_errors, 0.5) < 0.05


def test_a_simulated_path_has_the_capacity_of_its_link(tmp_path: Path) -> None:
    recording = parshall.run(network(SENDERS["sack"]), seed=1)
    file = tmp_path / "sender.pcap"
    file.write_bytes(recording.pcap["s1->r0"])
    [found] = Capture.read(file).deliveries()
    # 1,040 bytes on a link of 2 Mbit/s, of which 1,000 are payload.
    assert found.capacity == pytest.approx(2e6 * 1000 / 1040, rel=0.01)
    assert found.rate <= found.capacity * 1.01
    assert found.rate_p95 < 1.1 * found.capacity
    assert 0 <= found.idle < found.seconds < 8.1


@needs_reference
@pytest.mark.parametrize("point", ["snd", "mid", "rcv"])
def test_capacities_are_those_of_the_links(point: str) -> None:
    known = 0
    for name in ("cubic_droptail", "ecn_cubic", "udp_mix", "reno_nosack", "app_limited", "tso_sender", "tlp"):
        links = json.loads((REFERENCE / f"{name}.truth.json").read_text())["links"]
        for each in Capture.read(REFERENCE / f"{name}.{point}.pcap.gz").deliveries():
            if each.capacity is not None:
                rates = [float(rate) for link in links for rate in re.findall(r"rate=([\d.]+)", link["f"])]
                # Payload of 1,448 of 1,500 bytes.
                assert 0.88 < each.capacity / 1e6 / min(rates) < 1.0, name
                known += 1
    # Near the receiver its ACKs come as soon as the data: nothing has spread them.
    assert known == 0 if point == "rcv" else known >= 3


@needs_reference
def test_the_spin_bit_tells_the_round_trips_of_quic(capsys: pytest.CaptureFixture[str]) -> None:
    for point, halves in (("snd", (52.0, 1.6)), ("mid", (48.0, 5.6)), ("rcv", (21.4, 32.2))):
        file = REFERENCE / f"quic_spin.{point}.pcap.gz"
        flows = Capture.read(file).udp.to_pylist()
        assert [flow["spin_path_p50"] for flow in flows] == pytest.approx([0.0536, 0.0536], rel=0.01)
        assert [1e3 * flow["spin_receiver_p50"] for flow in flows] == pytest.approx(halves, rel=0.02)
    assert main(["capture", str(file)]) == 0
    assert "by the spin bit" in capsys.readouterr().out


def test_traffic_is_counted_in_equal_intervals(simulated: Path) -> None:
    capture = Capture.read(simulated)
    traffic = capture.traffic
    assert np.sum(np.asarray(traffic["packets"])) == capture.totals["tcp"]
    assert np.diff(np.asarray(traffic["time"])) == pytest.approx(0.001, abs=1e-6)
    assert capture.hurst().h == hurst(np.asarray(traffic["bytes"], float)).h
    assert capture.forecasts()[1, "f"].samples == capture.connections["rtt_seq_samples_f"][0].as_py()


def test_a_short_capture_has_no_long_memory(simulated: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.pcap"
    short.write_bytes(simulated.read_bytes()[:400])
    with pytest.raises(parshall.InputError, match="512 ms of traffic or more"):
        Capture.read(short).hurst()


@needs_reference
def test_the_guide_shows_what_is_printed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capture", str(REFERENCE / "cubic_droptail.snd.pcap.gz")]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    guide = (repository / "docs" / "guide" / "captures-in.md").read_text()
    assert len(shown) == 9
    assert all(line in guide for line in shown[-3:])


@needs_reference
@pytest.mark.parametrize(
    "name", ["cubic_droptail", "cubic_nots", "dup", "ecn_cubic", "reno_nosack", "reorder", "spurious_rto"]
)
def test_what_is_in_flight_at_the_sender_is_the_kernels_window(name: str) -> None:
    with gzip.open(REFERENCE / f"{name}.kernel.csv.gz", "rt", newline="") as file:
        kernel = np.median([float(row["cwnd"]) for row in csv.DictReader(file)])
    capture = Capture.read(REFERENCE / f"{name}.snd.pcap.gz")
    [found], [row] = capture.deliveries(), capture.connections.to_pylist()
    packets = found.window / (row["data_bytes_f"] / row["data_packets_f"])
    assert packets == pytest.approx(kernel, rel=0.05)


@needs_reference
@pytest.mark.parametrize("point", ["snd", "mid"])
def test_fragments_belong_to_the_flow_of_the_first(point: str) -> None:
    capture = Capture.read(REFERENCE / f"fragments.{point}.pcap.gz")
    known = json.loads((REFERENCE / "fragments.truth.json").read_text())["link_totals"]["L1f"]
    rows = [row for row in capture.udp.to_pylist() if row["source"] == "10.1.0.1"]
    assert sum(row["packets"] for row in rows) == known["udp_pkts"]
    assert sum(row["bytes"] for row in rows) == known["udp_bytes"]
    assert capture.totals["fragments"] > 0
    assert capture.totals["lone_fragments"] == 0
    counted = sum(np.asarray(capture.traffic["packets"]))
    assert counted == capture.totals["tcp"] + capture.totals["udp"] + capture.totals["fragments"]


@needs_reference
def test_what_two_interfaces_captured_counts_once_in_the_traffic() -> None:
    twice, once = (Capture.read(REFERENCE / f"any_router.{point}.pcap.gz") for point in ("mid", "snd"))
    [row] = [row for row in twice.connections.to_pylist() if row["data_bytes_f"] > 10_000][:1]
    again = sum(twice.connections[f"captured_again_{way}"].to_pylist()[0] for way in ("f", "b"))
    assert again > 0.9 * (row["packets_f"] + row["packets_b"])
    sums = [sum(np.asarray(each.traffic["bytes"])) for each in (twice, once)]
    assert sums[0] == pytest.approx(sums[1], rel=0.02)
