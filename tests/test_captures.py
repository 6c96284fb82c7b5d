"""Captures, judged by Wireshark: what its analysis finds is what was recorded."""

from __future__ import annotations

import io
import socket
import struct
from pathlib import Path
from typing import Any, cast

import dpkt
import numpy as np
import pytest
from tests.wireshark import CWR, ECE, SYN, Dissected, dissect, needs_tshark

import parshall
from parshall import (
    Aimd,
    ArimaVegas,
    Bbr,
    BernoulliLoss,
    Binomial,
    Bulk,
    Cbr,
    CoDel,
    Copa,
    Cubic,
    Dctcp,
    DropTail,
    Dual,
    Dumbbell,
    Flow,
    FlowGroup,
    Jitter,
    Link,
    Record,
    Recording,
    Red,
    Reverse,
    Scenario,
    Tcp,
    TcpTp,
    Transfer,
    TransferSequence,
    Udp,
    VegasControl,
    Veno,
    json_schema,
)

SENDERS = {
    "tahoe": Tcp(recovery="tahoe"),
    "tahoe-ns2": Tcp(recovery="tahoe", profile="ns2"),
    "reno": Tcp(recovery="reno"),
    "reno-ns2": Tcp(recovery="reno", profile="ns2"),
    "newreno": Tcp(recovery="newreno"),
    "newreno-ns2": Tcp(profile="ns2"),
    "newreno-linux": Tcp(recovery="newreno", profile="linux", control="aimd"),
    "sack": Tcp(recovery="sack"),
    "sack1-ns2": Tcp(recovery="sack", profile="ns2"),
    "sack-prr": Tcp(recovery="sack", prr=True),
    "rack": Tcp(recovery="sack", profile="linux", control=Cubic()),
    "vegas": Tcp(recovery="vegas"),
    "vegas-ns2": Tcp(recovery="vegas", profile="ns2"),
    "aimd": Tcp(control=Aimd()),
    "cubic": Tcp(recovery="sack", control=Cubic()),
    "veno": Tcp(control=Veno()),
    "bbr": Tcp(recovery="sack", control=Bbr()),
    "copa": Tcp(recovery="sack", control=Copa()),
    "binomial": Tcp(control=Binomial.iiad()),
    "vegas-window": Tcp(recovery="sack", control=VegasControl()),
    "dctcp": Tcp(recovery="sack", control=Dctcp(), ecn=True),
    "dual": Tcp(control=Dual()),
    "arima-vegas": Tcp(control=ArimaVegas()),
    "tcp-tp": Tcp(control=TcpTp()),
    "no-handshake": Tcp(handshake=False, recovery="sack"),
    "small-window": Tcp(max_window_packets=9, recovery="sack"),
    "paced": Tcp(pacing=True, recovery="sack"),
}


def network(transport: Tcp, *, link: dict[str, Any] | None = None, **record: Any) -> Scenario:
    """Two flows through a bottleneck that drops, captured at the first sender and at the bottleneck."""
    bell = Dumbbell(
        duration="8 s",
        rate="2 Mbit/s",
        delay="10 ms",
        queue=DropTail(limit_packets=10),
        access_rate="10 Mbit/s",
        access_delay="1 ms",
        flows=[FlowGroup(name="f", count=2, transport=transport, app=Bulk())],
        record=Record(
            **{
                "pcap": ["s1->r0", "bottleneck"],
                "pcap_both_directions": True,
                "packets": ["s1->r0", "bottleneck"],
                "deliveries": "*",
                **record,
            }
        ),
    )
    scenario = bell.scenario()
    for field, value in (link or {}).items():
        scenario = scenario.replace(f"links[bottleneck].{field}", value)
    return scenario


def packets(recording: Recording, event: int, *, port: str | None = None, flow: str = "f1") -> dict[str, Any]:
    """Rows of the packet table: of one event, at a port or at hosts, of one flow."""
    table = recording.columns("packets")
    place = -1 if port is None else recording.ports.index(port)
    rows = (table["event"] == event) & (table["port"] == place)
    rows &= table["flow"] == recording.flows.index(flow)
    return {name: values[rows] for name, values in table.items()}


def below_the_highest(seqs: np.ndarray) -> int:
    """How many packets do not go beyond those before them."""
    before = np.maximum.accumulate(np.concatenate([[-1], seqs[:-1]]))
    return int((seqs <= before).sum())


def has_sack(transport: Tcp) -> bool:
    """Returns whether a transport uses SACK: as it says, or by the default of its profile."""
    return transport.recovery == "sack" or (transport.recovery is None and transport.profile != "ns2")


def test_every_recovery_and_control_is_judged() -> None:
    tcp = json_schema()["$defs"]["Tcp"]["properties"]
    recoveries = {"sack" if has_sack(transport) else transport.recovery for transport in SENDERS.values()}
    assert set(tcp["recovery"]["enum"]) == recoveries - {None}
    known = tcp["control"]["anyOf"][0]["discriminator"]["mapping"]
    controls = {transport.resolved().control.kind for transport in SENDERS.values()}
    assert set(known) - {"user"} == controls


@needs_tshark
@pytest.mark.parametrize("name", SENDERS)
def test_wireshark_sees_what_the_sender_did(name: str, tmp_path: Path) -> None:
    """A capture at the sender: every count of the recording, from the sequence numbers alone."""
    transport = SENDERS[name]
    recording = parshall.run(network(transport), seed=1)
    check_sender(recording, transport, dissect(recording.pcap["s1->r0"], tmp_path))


def check_sender(recording: Recording, transport: Tcp, seen: list[Dissected]) -> None:
    data, acks = [p for p in seen if not p.ack], [p for p in seen if p.ack]
    sent, came = packets(recording, 1, port="s1->r0"), packets(recording, 4)
    came = {column: values[came["ack"]] for column, values in came.items()}
    made = 0 if transport.handshake is not False else 1
    assert len(data) == len(sent["seq"]) + made
    assert len(acks) == len(came["seq"]) + made
    repeated = sum(p.repeats for p in data)
    assert repeated == below_the_highest(sent["seq"])
    # What is sent in the last instants of the run has not left the port.
    assert 0 <= recording.flow("f1").packets_retransmitted - repeated <= 1
    assert repeated > 0
    assert sum(p.is_a("duplicate_ack") for p in acks) == int((np.diff(came["seq"]) == 0).sum())
    blocks = (came["size_bytes"].astype(int) - transport.ack_bytes) // 8
    assert sum(p.number("tcp.options.sack.count") for p in acks) == blocks.sum()
    assert (blocks.sum() > 0) == has_sack(transport)
    assert not any(p.is_a("zero_window", "keep_alive", "lost_segment", "ack_lost_segment") for p in seen)
    assert not any(p.number("ip.dsfield.ecn") == 3 for p in seen)
    assert sum(p.flags(SYN) for p in data) == 1
    assert not any(p.repeats for p in acks)


@needs_tshark
@pytest.mark.parametrize("name", ["tahoe", "newreno", "sack", "rack", "no-handshake"])
def test_wireshark_sees_what_passed_the_bottleneck(name: str, tmp_path: Path) -> None:
    """Behind a queue that drops, a first copy may be missing: what Wireshark can tell is the order."""
    recording = parshall.run(network(SENDERS[name]), seed=1)
    seen = dissect(recording.pcap["bottleneck"], tmp_path)
    for flow in ("f1", "f2"):
        own = f"10.0.0.{recording.flows.index(flow)}"
        passed = packets(recording, 1, port="bottleneck", flow=flow)["seq"]
        data = [p for p in seen if p.fields["ip.src"] == own]
        assert sum(p.repeats for p in data) == below_the_highest(passed)
        missing = int((np.diff(np.maximum.accumulate(passed)) > 1).sum())
        assert sum(p.is_a("lost_segment") for p in data) == missing > 0


@needs_tshark
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("name", ["newreno", "sack", "newreno-linux", "no-handshake"])
def test_wireshark_bears_losses_of_all_kinds(name: str, seed: int, tmp_path: Path) -> None:
    """SYNs, their answers and other ACKs are lost as well, and retransmissions are lost again."""
    loss = BernoulliLoss(probability=0.2)
    scenario = network(SENDERS[name], link={"loss": loss, "reverse": Reverse(loss=loss)})
    recording = parshall.run(scenario.replace("duration", 20), seed)
    seen = dissect(recording.pcap["s1->r0"], tmp_path)
    data, acks = [p for p in seen if not p.ack], [p for p in seen if p.ack]
    sent, came = packets(recording, 1, port="s1->r0")["seq"], packets(recording, 4)
    came = came["seq"][came["ack"]]
    assert sum(p.repeats for p in data) == below_the_highest(sent)
    # The answer to a SYN that was sent again is no duplicate ACK to Wireshark but a SYN again.
    again = sum(p.flags(SYN) for p in acks) - 1
    assert sum(p.is_a("duplicate_ack") for p in acks) == int((np.diff(came) == 0).sum()) - again
    assert sum(p.repeats for p in acks) == again
    if name != "no-handshake":
        assert sum(p.flags(SYN) for p in data) == int((sent == 0).sum())


@needs_tshark
def test_reordered_packets_are_out_of_order(tmp_path: Path) -> None:
    scenario = network(
        Tcp(recovery="sack"), link={"jitter": Jitter(most="12 ms", reorder=True)}, pcap=["r1->r0", "r1->d1"]
    )
    recording = parshall.run(scenario, seed=1)
    came = packets(recording, 4)
    seqs = came["seq"][~came["ack"]]
    for port in ("r1->r0", "r1->d1"):
        own = [p for p in dissect(recording.pcap[port], tmp_path) if p.fields["ip.src"] == "10.0.0.0"]
        found, expected = sum(p.repeats for p in own), below_the_highest(seqs)
        # Seen at the far end of the bottleneck some are not yet at their host.
        assert expected > 100
        assert abs(found - expected) <= 2


@needs_tshark
@pytest.mark.parametrize(
    "transport", [Tcp(ecn=True), Tcp(recovery="sack", ecn=True), Tcp(control=Dctcp(), ecn=True)]
)
def test_marks_are_seen(transport: Tcp, tmp_path: Path) -> None:
    """CE in the IP header, ECE and CWR in TCP's, negotiated in the SYNs; and the mark is a comment."""
    queue = Red(min_threshold_packets=3, max_threshold_packets=50, limit_packets=500, ecn=True, weight=1.0)
    scenario = network(transport, link={"queue": queue}, pcap_format="pcapng")
    scenario = scenario.replace("flows[*].app", Transfer(packets=800)).replace("duration", 60)
    recording = parshall.run(scenario, seed=1)
    seen = dissect(recording.pcap["bottleneck"], tmp_path)
    data, acks = [p for p in seen if not p.ack], [p for p in seen if p.ack]
    port = recording.port("bottleneck")
    assert (port.packets_dropped, port.packets_queued) == (0, 0)
    marked = [p for p in data if p.number("ip.dsfield.ecn") == 3]
    assert len(marked) == port.packets_marked > 5
    assert all("Marked by the queue of bottleneck" in p.comments for p in marked)
    assert sum("Marked" in comment for p in seen for comment in p.comments) == len(marked)
    # A SYN asks for ECN by both flags, its answer grants it by one.
    assert [p.flags(ECE, CWR) for p in data if p.flags(SYN)] == [True, True]
    assert [(p.flags(ECE), p.flags(CWR)) for p in acks if p.flags(SYN)] == [(True, False)] * 2
    assert all(p.number("ip.dsfield.ecn") in (2, 3) for p in data if not p.flags(SYN))
    reductions = sum(recording.flow(name).mark_reductions for name in recording.flows)
    announced = sum(p.flags(CWR) and not p.flags(SYN) for p in data)
    # A flow may end with a reduction after which it has nothing new to send.
    assert reductions - 2 <= announced <= reductions
    assert announced > 2
    assert sum(p.flags(ECE) and not p.flags(SYN) for p in acks) >= len(marked) / 2


@needs_tshark
def test_windows_are_those_of_the_receiver(tmp_path: Path) -> None:
    """Scaled as the SYNs say; rounded up to what the scale can tell."""
    for most, handshake in [(9, True), (65, True), (300, False), (3000, True), (2**20, False)]:
        transport = Tcp(max_window_packets=most, handshake=handshake)
        recording = parshall.run(network(transport).replace("duration", 1), seed=1)
        acks = [p for p in dissect(recording.pcap["s1->r0"], tmp_path) if p.ack]
        offered = {p.number("tcp.window_size") for p in acks if not p.flags(SYN)}
        true = min(most * 1000, 65_535 << 14)
        assert len(offered) == 1
        assert true <= offered.pop() < true + max(1, true // 32_000)


@needs_tshark
def test_a_window_that_is_full_is_seen(tmp_path: Path) -> None:
    transport = Tcp(max_window_packets=9)
    recording = parshall.run(network(transport, link={"queue": DropTail()}), seed=1)
    seen = dissect(recording.pcap["s1->r0"], tmp_path)
    assert sum(p.is_a("window_full") for p in seen) > 100


@needs_tshark
def test_time_stamps_are_there_when_the_sender_uses_them(tmp_path: Path) -> None:
    for sampling in ("one-packet", "timestamps"):
        recording = parshall.run(network(Tcp(rtt_sampling=sampling)).replace("duration", 1), seed=1)
        acks = [p for p in dissect(recording.pcap["s1->r0"], tmp_path) if p.ack]
        echoes = [p.fields["tcp.options.timestamp.tsecr"] != "" for p in acks]
        assert all(echoes) if sampling == "timestamps" else not any(echoes)


@needs_tshark
def test_udp_is_whole(tmp_path: Path) -> None:
    scenario = network(Tcp()).replace("flows[f2].transport", Udp(payload_bytes=160))
    scenario = scenario.replace("flows[f2].app", Cbr(rate="64 kbit/s"))
    recording = parshall.run(scenario, seed=1)
    udp = dissect(recording.pcap["bottleneck"], tmp_path, show="udp")
    assert len(udp) == len(packets(recording, 1, port="bottleneck", flow="f2")["seq"]) > 100
    sizes = {(p.number("frame.len"), p.number("frame.cap_len"), p.number("udp.length")) for p in udp}
    assert sizes == {(188, 188, 168)}
    assert not any(p.fields["_ws.expert.message"] for p in udp)


@needs_tshark
def test_connections_have_ports_of_their_own(tmp_path: Path) -> None:
    app = TransferSequence(packets=5, think=0.1, connection="new")
    scenario = network(Tcp()).with_({"flows[f1].app": app, "flows[f2].start": "7.9 s"})
    recording = parshall.run(scenario, seed=1)
    seen = [p for p in dissect(recording.pcap["s1->r0"], tmp_path) if not p.ack]
    syns = [p for p in seen if p.flags(SYN)]
    assert len(syns) == len({p.fields["tcp.stream"] for p in syns}) > 10
    assert not any(p.repeats or p.is_a("reused_ports") for p in seen)


@needs_tshark
@pytest.mark.parametrize("queue", [DropTail(limit_packets=10), CoDel(limit_packets=20)])
@pytest.mark.parametrize("both", [False, True])
def test_every_drop_is_a_comment(queue: DropTail | CoDel, both: bool, tmp_path: Path) -> None:
    link = {"queue": queue, "loss": BernoulliLoss(probability=0.02)}
    scenario = network(Tcp(recovery="sack"), link=link, pcap_format="pcapng", pcap_both_directions=both)
    recording = parshall.run(scenario, seed=1)
    seen = dissect(recording.pcap["bottleneck"], tmp_path)
    comments = [comment for p in seen for comment in p.comments]
    port = recording.port("bottleneck")
    dropped = [c for c in comments if c.startswith("Dropped by the queue of bottleneck at ")]
    assert len(dropped) == port.packets_dropped
    assert sum(c.startswith("Lost on the link bottleneck at ") for c in comments) == port.packets_lost > 0
    assert port.packets_dropped > 0
    assert sum(c == "Flow f1" for c in comments) == 1
    # Where Wireshark misses a segment, the comment says what has become of it.
    gaps = [p for p in seen if p.is_a("lost_segment")]
    assert gaps
    assert all(any(" at " in comment for comment in p.comments) for p in gaps)


@needs_tshark
def test_made_handshakes_can_be_told_and_left_out(tmp_path: Path) -> None:
    made = {}
    for handshakes in ("all", "simulated"):
        scenario = network(SENDERS["no-handshake"], pcap_format="pcapng", pcap_handshakes=handshakes)
        recording = parshall.run(scenario, seed=1)
        made[handshakes] = dissect(recording.pcap["s1->r0"], tmp_path)
    syns = [p for p in made["all"] if p.flags(SYN)]
    assert len(syns) == len(made["all"]) - len(made["simulated"]) == 2
    assert all(p.comments == ["Not simulated: written for the options of the connection."] for p in syns)
    assert [p.fields["tcp.seq_raw"] for p in made["all"][2:]] == [
        p.fields["tcp.seq_raw"] for p in made["simulated"]
    ]


@needs_tshark
def test_code_points_are_in_the_header(tmp_path: Path) -> None:
    recording = parshall.run(network(Tcp()).replace("flows[f1].dscp", "AF11"), seed=1)
    seen = dissect(recording.pcap["bottleneck"], tmp_path)
    points = {(p.fields["ip.src"], p.number("ip.dsfield.dscp")) for p in seen}
    assert ("10.0.0.0", 10) in points
    assert ("10.0.0.1", 0) in points


# --- Without tshark --------------------------------------------------------------------------------------


def test_bytes_are_numbered_modulo_2_to_the_32() -> None:
    """More than 4 GiB of large packets: numbers of bytes go round, and acknowledgments with them."""
    fast = Scenario(
        duration="4 s",
        hosts=["a", "b"],
        links=[Link(between=["a", "b"], rate="10 Gbit/s", delay="10 us")],
        flows=[
            Flow(
                name="f",
                source="a",
                destination="b",
                transport=Tcp(payload_bytes=60_000, max_window_packets=50),
                app=Bulk(),
            )
        ],
        record=Record(pcap="a->b", pcap_both_directions=True),
    )
    capture = parshall.run(fast, seed=1).pcap["a->b"]
    seqs, acks = [], []
    for _, content in dpkt.pcap.Reader(io.BytesIO(capture)):
        ip = dpkt.ip.IP(content)
        (acks if ip.data.sport == 80 else seqs).append(ip.data.ack if ip.data.sport == 80 else ip.data.seq)
    for numbers in (np.array(seqs, dtype=np.int64), np.array(acks, dtype=np.int64)):
        steps = np.diff(numbers[1:])
        assert (steps < 0).sum() == 1, "they go round once"
        assert set((steps % 2**32).tolist()) <= {60_000, 120_000}


@pytest.mark.parametrize("form", ["pcap", "pcapng"])
def test_files_are_named_by_their_format(form: str, tmp_path: Path) -> None:
    recording = parshall.run(network(Tcp(), pcap_format=form).replace("duration", 1), seed=1)
    folder = recording.save(tmp_path / "run")
    files = sorted(file.name for file in (folder / "pcap").iterdir())
    assert files == [f"bottleneck.{form}", f"s1-to-r0.{form}"]
    reader = dpkt.pcap.Reader if form == "pcap" else dpkt.pcapng.Reader
    with (folder / "pcap" / files[0]).open("rb") as file:
        times = [time for time, _ in reader(file)]
    assert len(times) > 100
    assert times == sorted(times)
    assert Recording.load(folder).pcap == recording.pcap


def test_a_capture_changes_nothing_else() -> None:
    plain = network(SENDERS["rack"], pcap=[], pcap_both_directions=False)
    captured = parshall.run(network(SENDERS["rack"]), seed=3)
    without = parshall.run(plain, seed=3)
    for name in without.tables:
        for column, values in without.columns(name).items():
            assert values.tobytes() == captured.columns(name)[column].tobytes(), (name, column)


def test_checksums_are_right() -> None:
    """Over the payload, too, which is zeros and adds nothing."""
    recording = parshall.run(network(SENDERS["rack"]).replace("duration", 2), seed=1)
    for _, content in dpkt.pcap.Reader(io.BytesIO(recording.pcap["bottleneck"])):
        header, segment = content[:20], content[20:]
        assert ones_complement(header) == 0xFFFF
        length = struct.unpack(">H", header[2:4])[0] - 20
        pseudo = header[12:20] + struct.pack(">BBH", 0, socket.IPPROTO_TCP, length)
        assert ones_complement(pseudo + segment) == 0xFFFF


def ones_complement(content: bytes) -> int:
    total = sum(cast("tuple[int, ...]", struct.unpack(f">{len(content) // 2}H", content)))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total
