"""The relay in real time: what passes, what is recorded, how it ends, and what is said of bad input.

No test looks at how fast anything is.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import parshall
from parshall.cli.main import main
from parshall.engine.link import Relayed, checked_address
from parshall.errors import InputError, OutputError, RunError, ScenarioError

COMMAND = str(Path(sys.executable).parent / "parshall")

SCENARIO = """
duration = "{duration}"
hosts = ["a", "b"]

[[links]]
name = "bottleneck"
between = ["a", "b"]
rate = "{rate}"
delay = "1 ms"
{link}

[[flows]]
name = "f"
source = "a"
destination = "b"
transport = "tcp"
app = "bulk"

[record]
packets = "bottleneck"
port_series = {{ of = "bottleneck", interval = "10 ms" }}
"""


def scenario(link: str = "", duration: str = "60 s", rate: str = "100 Mbit/s", top: str = "") -> str:
    return top + SCENARIO.format(link=link, duration=duration, rate=rate)


@contextmanager
def echo() -> Iterator[str]:
    """A server that sends back what it gets; its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.1)
        ends = threading.Event()

        def answer() -> None:
            while not ends.is_set():
                try:
                    content, client = server.recvfrom(2000)
                    server.sendto(content, client)
                except OSError:
                    continue

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield f"127.0.0.1:{server.getsockname()[1]}"
        finally:
            ends.set()
            thread.join()


def asked(relay: str, times: int = 1, size: int = 100) -> int:
    """Sends datagrams one after the other, each when the answer is there; how many answers came."""
    host, port = relay.split(":")
    came = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(10)
        for number in range(times):
            client.sendto(bytes([number % 256]) * size, (host, int(port)))
            came += client.recv(2000) == bytes([number % 256]) * size
    return came


def relayed(text: str, times: int = 3) -> Relayed:
    with echo() as server, parshall.Relay(parshall.loads(text), to=server) as relay:
        assert asked(relay.listening, times) == times
        return relay.finish()


def test_what_passes_is_recorded_as_by_a_simulated_port() -> None:
    result = relayed(scenario())
    recording = result.recording
    port, back = recording.port("bottleneck"), recording.port("b->a")
    assert (port.packets_departed, back.packets_departed) == (3, 3)
    assert port.bytes_arrived == 3 * 128
    assert recording.flow("f").bytes_delivered == 300
    assert recording.scenario.duration == result.elapsed
    assert recording.tables == ("flows", "ports", "port_series", "packets")
    assert len(port.series.time) >= 1
    assert recording.table("packets")["event"].to_pylist() == [0, 1] * 3
    assert (result.peers, result.datagrams, result.overflowed, result.undeliverable) == (1, 6, 0, 0)
    assert 0 <= result.late_p50 <= result.late_p99 <= result.late_most
    assert result.lateness.startswith("6 datagrams left ")


def test_a_recording_of_a_relay_is_saved_and_read_as_any_other(tmp_path: Path) -> None:
    recording = relayed(scenario()).recording
    read = parshall.Recording.load(recording.save(tmp_path / "out"))
    assert read.tables == recording.tables
    assert read.table("packets").equals(recording.table("packets"))
    assert main(["plot", str(tmp_path / "out")]) == 0


def test_a_capture_has_the_bytes_of_the_datagrams() -> None:
    network = parshall.loads(scenario()).replace("record.pcap", ["bottleneck", "b->a"])
    with echo() as server, parshall.Relay(network, to=server) as relay:
        assert asked(relay.listening, 3) == 3
        captures = relay.finish().recording.pcap
    for port in ("bottleneck", "b->a"):
        assert [captures[port].count(bytes([number]) * 100) for number in (1, 2, 3)] == [1, 1, 0]


def test_losses_are_those_of_the_scenario_and_its_seed() -> None:
    """Losses hit the same arrivals as in a run: a law that draws goes by the order of packets alone."""
    text = scenario('loss = { kind = "bernoulli", probability = 0.3 }')
    with echo() as server, parshall.Relay(parshall.loads(text), to=server, seed=5) as relay:
        host, port = relay.listening.split(":")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            for _ in range(100):
                client.sendto(b"x" * 1012, (host, int(port)))
            while relay.elapsed is None or relay.elapsed < 0.3:
                time.sleep(0.01)
        result = relay.finish()
    assert result.overflowed == 0
    arrived = result.recording.port("bottleneck").packets_arrived
    same = text.replace('transport = "tcp"', 'transport = "udp"').replace(
        'app = "bulk"', f'app = {{ kind = "schedule", writes = [[0, {arrived}]] }}'
    )
    simulated = parshall.run(parshall.loads(same), seed=5)
    assert result.recording.port("bottleneck").packets_lost == simulated.port("bottleneck").packets_lost > 0


def test_a_relay_that_nobody_uses_and_one_that_ends_in_its_warm_up_have_no_recording() -> None:
    with echo() as server, parshall.Relay(parshall.loads(scenario()), to=server) as relay:
        assert relay.elapsed is None
        with pytest.raises(RunError, match="before a datagram came"):
            relay.finish()
    with pytest.raises(RunError, match=r"within warm_up = 50 s: nothing was counted"):
        relayed(scenario(top='warm_up = "50 s"'))


def test_a_duration_ends_a_relay() -> None:
    with echo() as server, parshall.Relay(parshall.loads(scenario()), to=server, duration="0.2 s") as relay:
        assert not relay.wait(0.05)
        assert asked(relay.listening) == 1
        assert relay.wait(20)
        result = relay.finish()
    assert (result.elapsed, result.recording.scenario.duration) == (0.2, 0.2)


def test_an_ecn_mark_of_a_queue_reaches_the_receiver() -> None:
    """A queue of CoDel that marks all that waits longer than nothing."""
    queue, sent = 'queue = { kind = "codel", ecn = true, ce_threshold = 0 }', 10
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client,
    ):
        server.bind(("127.0.0.1", 0))
        server.settimeout(20)
        server.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        to = f"127.0.0.1:{server.getsockname()[1]}"
        with parshall.Relay(parshall.loads(scenario(queue, rate="1 Mbit/s")), to=to) as relay:
            host, port = relay.listening.split(":")
            client.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 2)
            for _ in range(sent):
                client.sendto(b"x" * 1000, (host, int(port)))
            bits = [
                control[0][2][0] & 3 for _, control, *_ in (server.recvmsg(2000, 100) for _ in range(sent))
            ]
            marked = relay.finish().recording.port("bottleneck").packets_marked
    # The first packet finds the link free. Each takes 8 ms, and they come together: others wait.
    assert bits[0] == 2
    assert bits.count(3) == marked > 0


BAD = {
    "127.0.0.1": "an address and a port, such as 127.0.0.1:5000 or [::1]:5000",
    "127.0.0.1:70000": "an address and a port",
    "127.0.0.1:x": "an address and a port",
    "::1:5000": "an address and a port",
    "nowhere.example:5000": "an address and a port",
    "": "an address and a port",
    "localhost6:5000": "an address and a port",
    "[localhost]:5000": "an address and a port",
    "[::1:5000": "an address and a port",
    "::1]:5000": "an address and a port",
    "[127.0.0.1]:5000": "an address and a port",
    "[fe80::1%eth0]:5000": "an address and a port",
}


@pytest.mark.parametrize("address", BAD)
def test_what_is_no_address_is_told(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=BAD[address].split(",")[0]):
        parshall.Relay(parshall.loads(scenario()), to="127.0.0.1:9", listen=address)
    file = tmp_path / "link.toml"
    file.write_text(scenario())
    assert main(["link", str(file), "--listen", "127.0.0.1:0", "--to", address]) == 1
    said = capsys.readouterr().err
    assert said.startswith("parshall: --to: got ")
    assert said.count("\n") == 1


def test_an_address_in_use_or_of_the_relay_itself_is_told() -> None:
    network = parshall.loads(scenario())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(OutputError, match=f"cannot listen at {address}: address already in use"):
            parshall.Relay(network, listen=address, to="127.0.0.1:9")
    with pytest.raises(OutputError, match="it is where the relay listens"):
        parshall.Relay(network, listen=address, to=address)
    with pytest.raises(InputError, match="an address and a port"):
        parshall.Relay(network, to="127.0.0.1:0")


def test_a_relay_that_would_hear_itself_is_told() -> None:
    network = parshall.loads(scenario())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("0.0.0.0", 0))
        port = free.getsockname()[1]
    with pytest.raises(OutputError, match="it is where the relay listens"):
        parshall.Relay(network, listen=f"0.0.0.0:{port}", to=f"127.0.0.1:{port}")


def test_localhost_is_an_address_by_itself_alone() -> None:
    assert checked_address("to", "localhost:6000", 1) == "127.0.0.1:6000"
    assert checked_address("to", " [::1]:6000 ", 1) == "[::1]:6000"


def test_several_threads_ask_a_relay_and_end_it() -> None:
    with echo() as server, parshall.Relay(parshall.loads(scenario()), to=server) as relay:
        assert asked(relay.listening) == 1
        failed: list[BaseException] = []
        ends = threading.Event()

        def ask() -> None:
            try:
                while not ends.is_set():
                    relay.wait(0.05)
                    elapsed = relay.elapsed
                    assert elapsed is None or elapsed > 0
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        assert relay.finish().peers == 1
        ends.set()
        for thread in threads:
            thread.join()
        assert failed == []
        assert relay.wait()


def test_after_its_with_statement_a_relay_says_that_it_has_ended() -> None:
    with echo() as server, parshall.Relay(parshall.loads(scenario()), to=server) as relay:
        listening = relay.listening
    assert relay.listening == listening
    assert relay.elapsed is None
    assert relay.wait(0)
    with pytest.raises(RunError, match="the relay has ended"):
        relay.finish()


def test_datagrams_pass_several_queues_and_are_recorded_at_each() -> None:
    network = parshall.parking_lot(
        hops=2, rate="1 Mbit/s", delay="1 ms", access_rate="1 Gbit/s", access_delay="1 ms", duration="60 s"
    )
    network = network.replace("record.packets", ["hop1", "hop2"])
    with echo() as server, parshall.Relay(network, to=server) as relay:
        assert asked(relay.listening, 3) == 3
        recording = relay.finish().recording
    assert [recording.port(name).packets_departed for name in ("hop1", "hop2")] == [3, 3]
    assert recording.flow("long1").packets_delivered == 3
    assert recording.table("packets").num_rows == 12


def test_classes_go_by_the_code_points_of_datagrams_which_pass() -> None:
    top = """conditioner = { rules = [{ dscp = "AF11", if_green = "AF12" }] }
queue = { kind = "diffserv", queues = [
  { limit_packets = 9, precedences = [{ dscp = ["AF11", "AF12"] }] },
  { limit_packets = 9, precedences = [{ dscp = 0 }] },
] }"""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client,
    ):
        server.bind(("127.0.0.1", 0))
        server.settimeout(20)
        server.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        to = f"127.0.0.1:{server.getsockname()[1]}"
        with parshall.Relay(parshall.loads(scenario(top)), to=to) as relay:
            host, port = relay.listening.split(":")
            got = []
            for tos in (10 << 2 | 1, 0):
                client.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
                client.sendto(b"x", (host, int(port)))
                got.append(server.recvmsg(2000, 100)[1])
            recording = relay.finish().recording
    assert [data[0] for control in got for _, _, data in control] == [12 << 2 | 1, 0]
    classes = recording.table("classes").to_pandas()
    of_port = classes[(classes["port"] == "bottleneck") & (classes["packets_sent"] > 0)]
    assert sorted(of_port["dscp"]) == [0, 12]


class Patient(parshall.Queue):
    pass


class Green(parshall.Marker):
    def colour(self, packet: parshall.own.MeteredPacket) -> int:
        return parshall.own.GREEN


class Silent(parshall.Source):
    pass


def test_a_relay_refuses_classes_in_python_at_links_and_needs_none_of_its_flows() -> None:
    network = parshall.loads(scenario())
    edge = parshall.Conditioner(rules=[parshall.Rule(meter=Green(), if_red="drop")])
    told = "expected one of the engine's, or compiled code: a relay does not wait for Python"
    for field, part, path, name in (
        ("queue", Patient(), "queue", "Patient"),
        ("conditioner", edge, "conditioner.rules[0].meter", "Green"),
    ):
        for link in ("links[0]", "links[0].reverse"):
            place = re.escape(f"{link}.{path}")
            with pytest.raises(ScenarioError, match=rf"^{place}: got .*:{name}, {told}"):
                parshall.Relay(network.replace(f"{link}.{field}", part), to="127.0.0.1:9")
    with echo() as server, parshall.Relay(network.replace("flows[0].app", Silent()), to=server) as relay:
        assert asked(relay.listening) == 1


def test_a_meter_that_needs_tcp_is_told() -> None:
    meter = '{ kind = "fair-excess", cir = "1 Mbit/s" }'
    text = scenario(f'conditioner = {{ rules = [{{ meter = {meter}, if_red = "drop" }}] }}')
    with pytest.raises(
        ScenarioError, match=r"^links\[0\]\.conditioner\.rules\[0\]\.meter: got .* of TCP flows; a relay"
    ):
        parshall.Relay(parshall.loads(text), to="127.0.0.1:9")


def test_datagrams_pass_the_access_links_of_a_dumbbell() -> None:
    dumbbell = parshall.Dumbbell(
        duration=60.0,
        rate="100 Mbit/s",
        delay="10 ms",
        access_rate="1 Gbit/s",
        access_delay="20 ms",
        flows=[parshall.FlowGroup(transport=parshall.Tcp(), app=parshall.Bulk())],
    )
    with echo() as server, parshall.Relay(dumbbell, to=server) as relay:
        began = time.monotonic()
        assert asked(relay.listening) == 1
        assert time.monotonic() - began >= 0.1
        assert relay.finish().recording.port("bottleneck").packets_departed == 1


@contextmanager
def command(tmp_path: Path, server: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command at work, and the address at which it listens."""
    file = tmp_path / "link.toml"
    file.write_text(scenario())
    parts = [COMMAND, "link", str(file), "--listen", "127.0.0.1:0", "--to", server, *options]
    with subprocess.Popen(parts, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        watch = threading.Timer(120, process.kill)
        watch.start()
        try:
            assert process.stderr is not None
            yield process, process.stderr.readline().split(" from ")[1].split(" to ")[0]
        finally:
            watch.cancel()
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_command_and_keeps_what_was_recorded(number: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with echo() as server, command(tmp_path, server, "--out", str(out)) as (process, address):
        assert asked(address, 2) == 2
        process.send_signal(number)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0
    assert "4 datagrams left " in said
    assert f"written to {out}" in said
    assert parshall.Recording.load(out).port("bottleneck").packets_departed == 2


def test_the_command_ends_when_its_time_is_over(tmp_path: Path) -> None:
    options = ("--duration", "0.3 s", "--format", "json", "--no-realtime", "--seed", "3")
    with echo() as server, command(tmp_path, server, *options) as (process, address):
        assert asked(address) == 1
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 0
    shown = json.loads(said)
    assert shown["link"]["datagrams"] == 2
    assert (shown["link"]["elapsed"], shown["link"]["realtime"], shown["seed"]) == (0.3, False, 3)


def test_bad_options_of_the_command_are_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "link.toml"
    file.write_text(scenario())
    usual = ["--listen", "127.0.0.1:0", "--to", "127.0.0.1:9"]
    for options, status, said in [
        (["--duration", "soon"], 1, "parshall: --duration: got"),
        (["--duration", "0 s"], 1, "parshall: --duration: got"),
        (["--seed", "-1"], 2, "--seed"),
        (["--out", ""], 1, "--out"),
        (["--set", "links[0].rate=0"], 1, "rate"),
    ]:
        assert main(["link", str(file), *usual, *options]) == status, options
        error = capsys.readouterr().err
        assert said in error, error
        assert error.count("\n") == 1, error
    meter = 'meter = { kind = "fair-excess", cir = "1 Mbit/s" }'
    file.write_text(scenario(f"conditioner = {{ rules = [{{ {meter}, if_red = 'drop' }}] }}"))
    assert main(["link", str(file), *usual]) == 1
    assert capsys.readouterr().err.startswith(f"parshall: {file}: links[0].conditioner.rules[0].meter: got ")
    file.write_text(scenario())
    assert main(["link", str(file), "--to", "127.0.0.1:9"]) == 2
    assert main(["link", str(tmp_path / "none.toml"), *usual]) == 1
    assert capsys.readouterr().err.count("\n") == 2
