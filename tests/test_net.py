"""Networks that Python drives: they are the engine's networks, and nothing about datagrams is lost."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import parshall
from parshall import Dumbbell, InputError, Link, Recording, RunError, Scenario, ScenarioError
from parshall.errors import InputTypeError
from parshall.sim import Arrival, Datagram, Dropped, Ecn, Endpoint, Network, Wake


def line(rate: str = "8 Mbit/s", delay: str = "10 ms", duration: str = "10 s", **fields: Any) -> Scenario:
    """Two hosts, and a link on which a byte takes a microsecond."""
    record = fields.pop("record", {})
    link = Link(name="line", between=("a", "b"), rate=rate, delay=delay, **fields)
    return Scenario(duration=duration, hosts=["a", "b"], links=[link], flows=[], record=record)


def attached(scenario: Scenario, **options: Any) -> tuple[Network, Endpoint, Endpoint]:
    net = Network(scenario, **options)
    return net, *net.attach("outside", "a", "b")


def rows(recording: Recording) -> dict[str, object]:
    return {name: recording.table(name).to_pylist() for name in recording.tables}


def test_silent_endpoints_leave_the_recording_of_a_run(everything: Scenario) -> None:
    net = Network(everything, seed=3)
    flow = everything.flows[0]
    first, _ = net.attach("outside", flow.source, flow.destination)
    net.wake(first, 0.7)
    assert [type(event) for event in net] == [Wake]
    ours, alone = net.finish(), parshall.run(everything, seed=3)
    assert repr(rows(ours)) == repr(rows(alone))
    assert ours.flows == alone.flows
    assert ours.pcap == alone.pcap
    assert ours.scenario == everything


def test_an_echo_takes_what_the_link_takes() -> None:
    net, a, b = attached(line())
    net.send(a, b"hello", at="1 s", tag=7)
    there = next(net)
    assert isinstance(there, Arrival)
    assert there.endpoint is b
    # 5 bytes and 28 of headers, a microsecond each.
    assert there.at_ps == 1_010_033_000_000
    assert (there.sent_at, there.sent_at_ps) == (1.0, 10**12)
    assert (there.data, there.tag, there.ecn) == (b"hello", 7, Ecn.NOT_ECT)
    net.send(b, there.datagram)
    back = next(net)
    assert isinstance(back, Arrival)
    assert (back.endpoint, back.at, back.tag) == (a, 1.020066, 7)
    assert list(net) == []
    assert net.now == net.end == 10.0
    recording = net.finish()
    flow = recording.flow("outside")
    assert (flow.packets_delivered, flow.acks_received) == (1, 1)
    assert recording.port("line").packets_departed == 1


def test_bytes_come_back_without_a_copy() -> None:
    net, a, _ = attached(line())
    data = bytes(1200)
    net.send(a, data)
    net.send(a, bytearray(b"abc"))
    net.send(a, memoryview(b"abcdef")[::2])
    first, *others = net
    assert isinstance(first, Arrival)
    assert first.data is data
    assert [event.data for event in others if isinstance(event, Arrival)] == [b"abc", b"ace"]


def test_captures_have_the_bytes() -> None:
    net, a, _ = attached(line(record={"pcap": "line"}))
    net.send(a, b"to be found in a capture")
    list(net)
    assert b"to be found in a capture" in net.finish().pcap["line"]


def test_drops_are_told_with_their_causes() -> None:
    queue = {"kind": "droptail", "limit_packets": 2}
    net = Network(line(queue=queue, loss={"kind": "listed", "arrivals": [2]}), mtu=1500)
    a, _ = net.attach("outside", "a", "b", path_mtu=1400)
    for tag in range(5):
        net.send(a, 1000, tag=tag)
    net.send(a, 1401, tag=5)
    dropped = {event.tag: event.cause for event in net if isinstance(event, Dropped)}
    assert dropped == {1: "link", 3: "queue", 4: "queue", 5: "path-mtu"}


def test_a_queue_marks_what_may_be_marked() -> None:
    codel = {"kind": "codel", "ecn": True, "target": "5 ms", "interval": "100 ms"}
    net, a, _ = attached(line(rate="1 Mbit/s", queue=codel))
    for number in range(200):
        net.send(a, 1000, at=0.002 * number, ecn=("ect0", Ecn.ECT1)[number % 2])
    arrived = [event.ecn for event in net if isinstance(event, Arrival)]
    assert len(arrived) == 200
    assert {Ecn.CE, Ecn.ECT0, Ecn.ECT1} == set(arrived)


def test_an_ip_packet_keeps_its_header_and_gets_a_mark() -> None:
    header = bytes.fromhex(
        "4502 0020 0000 0000 4011 0000 c0000201 c0000202 1388 0035 000c 0000".replace(" ", "")
    )
    packet = header + b"data"
    net, a, _ = attached(line())
    net.send(a, packet, ip=True)
    net.send(a, packet, ip=True, ecn=Ecn.CE)
    first, second = net
    assert isinstance(first, Arrival)
    assert isinstance(second, Arrival)
    assert (first.data, first.ecn) == (packet, Ecn.ECT0)
    assert (second.data[1], second.ecn) == (0x03, Ecn.CE)
    assert first.datagram.key == second.datagram.key is not None


def test_a_replaced_flow_is_recorded_under_its_name(bell: Dumbbell, tmp_path: Path) -> None:
    net = Network(bell)
    source, destination = net.replace("call1")
    assert (source.name, destination.host) == ("call1 at s3", "d3")
    for number in range(100):
        net.send(source, 500, at=0.03 * number)
    list(net)
    recording = net.finish()
    assert recording.flow("call1").packets_sent > 50
    assert recording.flow("tcp1").packets_delivered > 100
    assert recording.plot() is not None
    read = Recording.load(recording.save(tmp_path / "out"))
    assert repr(rows(read)) == repr(rows(recording))


def test_a_network_that_ends_early_has_the_recording_so_far(bell: Dumbbell) -> None:
    net = Network(bell)
    assert list(net.until("2 s")) == []
    assert (net.now, net.now_ps) == (2.0, 2 * 10**12)
    recording = net.finish()
    assert recording.counted_seconds == 1.0
    whole = parshall.run(bell.replace("duration", "2 s"))
    assert repr(rows(recording)) == repr(rows(whole))
    early = Network(bell)
    list(early.until(0.5))
    with pytest.raises(RunError, match=r"within warm_up = 1 s: nothing was counted"):
        early.finish()


def test_a_wake_is_not_before_what_was_asked_for() -> None:
    net, a, b = attached(line())
    asked = [0.1 + 0.2, 1 / 3, 2 / 3, 1.1, 7.000000000000001]
    for at in asked:
        net.wake(b, at)
        event = next(net)
        assert isinstance(event, Wake)
        assert at <= event.at < at + 2e-12
        assert event.endpoint is b
    net.wake(a, 9.0)
    net.wake(a, None)
    assert list(net) == []


DRIVEN = """
import parshall
from parshall.sim import Network, Arrival
bell = parshall.loads({text!r})
net = Network(bell, seed=5, trace=True)
near, far = net.attach("outside", "s1", "d2")
net.send(near, 300)
for event in net:
    if isinstance(event, Arrival):
        net.send(event.endpoint, 100 + event.at_ps % 1000, ecn="ect0")
        net.send(event.endpoint, 40, at=event.at + 0.003) if net.now < 1.5 else None
print(net.trace.digest, len(net.trace))
"""


def driven(bell: Dumbbell) -> str:
    code = DRIVEN.format(text=bell.scenario().to_toml())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_one_seed_has_one_trace_in_every_process(bell: Dumbbell) -> None:
    first, second = driven(bell), driven(bell)
    assert first == second
    assert int(first.split()[1]) > 100


def test_a_trace_is_a_sequence_of_lines() -> None:
    traces = []
    for size in (100, 100, 101):
        net, a, _ = attached(line(), trace=True)
        net.send(a, size, ecn="ect0")
        list(net)
        traces.append(net.trace)
        net.finish()
        assert net.trace == traces[-1]
    first, second, other = traces
    assert first == second != other
    assert first is not None
    assert other is not None
    assert first.digest == second.digest != other.digest
    sent, received = first
    assert str(sent) == "0.000000000 s outside at a: sent 100 bytes ect0"
    assert (received.event, received.at, received.cause, received.ecn) == ("received", 0.0101, None, Ecn.ECT0)
    assert first[-1].at_ps == received.at_ps
    assert len(first.between(0, "5 ms")) == 1
    with pytest.raises(IndexError):
        first[2]
    untraced, *_ = attached(line())
    assert untraced.trace is None


class Short(parshall.Queue):
    """Holds three packets."""

    def on_arrival(self, packet: Any) -> int:
        return parshall.own.DROP if packet.packets >= 3 else parshall.own.PASS


class Failing(parshall.Queue):
    """Knows no answer to the fourth packet."""

    def on_arrival(self, packet: Any) -> int:
        if packet.packets == 3:
            raise ValueError("it does not know")
        return parshall.own.PASS


def test_a_queue_of_ones_own_takes_part() -> None:
    net, a, _ = attached(line(queue=Short()))
    for _ in range(10):
        net.send(a, 1000)
    kinds = [type(event) for event in net]
    assert (kinds.count(Arrival), kinds.count(Dropped)) == (4, 6)
    assert net.finish().port("line").packets_dropped == 6


def test_a_queue_that_fails_is_named_and_the_recording_so_far_is_there() -> None:
    net, a, _ = attached(line(queue=Failing()))
    for _ in range(10):
        net.send(a, 1000, at=0.001)
    said = r"^scenario \w{12}, seed 1: .*Failing.on_arrival.*it does not know"
    with pytest.raises(RunError, match=said) as raised:
        list(net)
    assert isinstance(raised.value.__cause__, ValueError)
    with pytest.raises(RunError, match="has failed before"):
        next(net)
    assert net.finish().flow("outside").packets_sent > 0


BAD_SENDS: list[tuple[tuple[Any, dict[str, Any]], type[Exception], str]] = [
    ((0, {}), InputError, "send at 0.5 s: got 0 bytes, expected 1 to 1500, the MTU"),
    ((b"x" * 1500, {}), InputError, "send at 0.5 s: got 1528 bytes, expected 1 to 1500, the MTU"),
    ((-1, {}), InputError, "data: got -1, expected"),
    ((10**30, {}), InputError, "data: got 1000"),
    ((True, {}), InputTypeError, "data: got true, expected bytes, or a size"),
    (("text", {}), InputTypeError, 'data: got "text", expected bytes, or a size'),
    ((None, {}), InputTypeError, "data: got nothing"),
    ((b"", {"ip": True}), InputError, "data: got no bytes, expected an IP packet"),
    ((5, {"ip": True}), InputTypeError, "data: got 5, expected the bytes of an IP packet"),
    ((5, {"at": float("nan")}), InputError, "at: got nan, expected seconds"),
    ((5, {"at": -1}), InputError, "at: got -1, expected seconds"),
    ((5, {"at": float("inf")}), InputError, "at: got inf, expected seconds"),
    (
        (5, {"at": 0.25}),
        InputError,
        "send at 0.25 s: got an instant that has passed, expected 0.5 s or later",
    ),
    ((5, {"at": "soon"}), InputError, 'at: got "soon", expected seconds'),
    ((5, {"at": []}), InputTypeError, "at: got [], expected seconds"),
    ((5, {"ecn": "ect2"}), InputError, 'ecn: got "ect2", expected a member of Ecn'),
    ((5, {"ecn": 4}), InputError, "ecn: got 4, expected a member of Ecn"),
    ((5, {"ecn": 1.0}), InputTypeError, "ecn: got 1.0, expected a member of Ecn"),
    ((5, {"dscp": 64}), InputError, "dscp: got 64, expected a whole number from 0 to 63"),
    ((5, {"key": "k"}), InputTypeError, 'key: got "k", expected a whole number'),
    ((5, {"tag": -1}), InputError, "tag: got -1, expected a whole number"),
    (
        (Datagram(5), {"tag": 1}),
        InputTypeError,
        "data: got <Datagram 5 bytes, not-ect>, expected bytes or a size",
    ),
]


@pytest.mark.parametrize(("given", "kind", "said"), BAD_SENDS, ids=[said for _, _, said in BAD_SENDS])
def test_a_bad_datagram_is_one_line(
    given: tuple[Any, dict[str, Any]], kind: type[Exception], said: str
) -> None:
    net, a, _ = attached(line(), mtu=1500)
    list(net.until(0.5))
    data, options = given
    with pytest.raises(kind) as raised:
        net.send(a, data, **options)
    text = str(raised.value)
    assert text.startswith("endpoint outside at a, send at 0.")
    assert said in text
    assert len(text.splitlines()) == 1
    # Nothing of it is left.
    assert list(net) == []
    assert net.finish().flows == ()


def test_what_is_unknown_is_named() -> None:
    for call, said in (
        (lambda net: net.attach("x", "a", "c"), 'endpoints x: got "c", expected a host: a, b'),
        (lambda net: net.attach("x", "a", "a"), 'endpoints x: got "a" twice, expected two hosts'),
        (lambda net: net.replace("q"), 'endpoints q: got "q", expected a flow'),
        (
            lambda net: net.attach("x", "a", "b", protocol="sctp"),
            'attach, protocol: got "sctp", expected one of udp, tcp',
        ),
        (lambda net: net.attach("x", "a", "b", path_mtu=0), "attach, path_mtu: got 0, expected"),
        (lambda net: net.attach("x", 3, "b"), "attach, source: got 3, expected a name"),
        (lambda net: next(net.until(float("nan"))), "until: got nan, expected seconds"),
    ):
        with pytest.raises(InputError) as raised:
            call(Network(line()))
        assert str(raised.value).startswith(said)
    net, a, _ = attached(line())
    for stranger in (3, None, "a", attached(line())[1]):
        with pytest.raises(
            InputTypeError, match=r"^send, endpoint: got .*, expected an endpoint that this network's"
        ):
            net.send(stranger, 10)  # type: ignore[arg-type]
        with pytest.raises(InputTypeError, match=r"^wake, endpoint: got "):
            net.wake(stranger, 1.0)  # type: ignore[arg-type]
    net.send(a, 10)
    with pytest.raises(RunError, match=r"^attach: the network is in operation"):
        net.attach("other", "a", "b")


def test_a_network_is_made_of_what_can_be_run(bell: Dumbbell, tmp_path: Path) -> None:
    file = tmp_path / "bell.toml"
    file.write_text(bell.to_toml())
    for scenario in (bell, bell.scenario(), file, str(file)):
        assert Network(scenario).end == 4.0
    faulty = bell.scenario().replace("flows[0].source", "nowhere")
    with pytest.raises(ScenarioError, match=r"^flows\[0\].source: got"):
        Network(faulty)
    with pytest.raises(parshall.ParshallError, match="no such file"):
        Network(tmp_path / "absent.toml")
    for options in ({"seed": -1}, {"mtu": 0}, {"mtu": 1.5}, {"trace": "yes"}):
        with pytest.raises(InputError, match=f"^{next(iter(options))}: got "):
            Network(bell, **options)


def test_nothing_but_time_and_trace_is_left_after_the_end() -> None:
    net, a, _ = attached(line(), trace=True)
    net.send(a, 10)
    list(net.until(5.0))
    net.finish()
    assert (net.now, len(net.trace or ())) == (5.0, 2)
    for call in (net.finish, lambda: net.send(a, 10), lambda: next(net), lambda: net.wake(a, 1.0)):
        with pytest.raises(RunError, match=r"^the network has ended, and its recording was taken$"):
            call()


def test_an_endpoint_that_asks_for_one_instant_for_ever_is_named() -> None:
    net, a, _ = attached(line())

    def ask() -> None:
        for _ in range(20_000):
            net.wake(a, 1.0)
            next(net)

    said = r"^endpoint outside at a, timer at 1.*again and again"
    with pytest.raises(parshall.ParshallError, match=said) as raised:
        ask()
    assert len(str(raised.value).splitlines()) == 1


LONG = """
import signal, sys
import parshall
from parshall.sim import Network
net = Network(parshall.loads(sys.stdin.read()))
print("at work", flush=True)
try:
    next(net)
except KeyboardInterrupt:
    print("interrupted", 0 < net.now < net.end, flush=True)
    before = net.now
    list(net.until(before + 0.001))
    print("goes on", net.now > before, net.finish().flow("tcp1").packets_sent > 0)
"""


def interrupted(code: str, text: str) -> str:
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        watch = threading.Timer(60, process.kill)
        watch.start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(text)
        process.stdin.close()
        assert process.stdout.readline() == "at work\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
        watch.cancel()
    return said


def test_ctrl_c_ends_a_stretch_without_events_and_the_network_goes_on(bell: Dumbbell) -> None:
    long = bell.with_({"duration": "1e6 s", "warm_up": "0 s"})
    assert interrupted(LONG, long.to_toml()) == "interrupted True\ngoes on True True\n"


def test_ctrl_c_ends_an_event_that_takes_for_ever(bell: Dumbbell) -> None:
    code = """
import sys
import parshall
from parshall.sim import Network
net = Network(parshall.loads(sys.stdin.read()))
print("at work", flush=True)
try:
    next(net)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    busy = bell.with_({"duration": "1e6 s", "queue": {"kind": "pie", "update": "1 ps"}})
    assert interrupted(code, busy.to_toml()) == "interrupted\n"


def test_other_threads_go_on_meanwhile(bell: Dumbbell) -> None:
    """A long stretch lets the GIL go; the network says that it is at work."""
    net = Network(bell.with_({"duration": "1e6 s", "warm_up": "0 s"}))
    failures: list[BaseException] = []
    stopped = threading.Event()

    def drive() -> None:
        for until in range(1, 1000):
            if stopped.is_set():
                return
            list(net.until(100.0 * until))

    thread = threading.Thread(target=drive)
    thread.start()
    deadline = time.monotonic() + 60
    while not failures and time.monotonic() < deadline:
        try:
            _ = net.now
        except RunError as error:
            failures.append(error)
    stopped.set()
    thread.join()
    assert "the network is at work" in str(failures[0])


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux tells how much memory is resident"
)
def test_memory_is_given_back() -> None:
    def use() -> None:
        net, a, _ = attached(line(queue={"kind": "droptail", "limit_packets": 10}), trace=True)
        for _ in range(1000):
            net.send(a, bytes(50_000))
        assert len(list(islice(net, 500))) == 500

    use()
    gc.collect()
    before = resident()
    for _ in range(20):  # a gigabyte in all
        use()
    gc.collect()
    assert resident() - before < 100 << 20
