"""Filters choose the packets that tcpdump chooses, or are refused."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.made_captures import ethernet, ip, pcap, tcp, udp, vlan

from parshall.capture import Capture
from parshall.capture.findings import remarks
from parshall.errors import InputError

needs_tcpdump = pytest.mark.skipif(shutil.which("tcpdump") is None, reason="tcpdump is not installed")

HOSTS = ("10.0.0.1", "10.0.0.2", "10.0.1.3", "192.0.2.4")
HOSTS_SIX = ("2001:db8::1", "2001:db8::2", "2001:db8:1::3")
PORTS = (22, 53, 80, 443, 40000)


def _frame(drawn: random.Random, number: int) -> list[bytes]:
    """A frame, or those of a packet in fragments."""
    six = drawn.random() < 0.3
    kind, hosts = (0x86DD, HOSTS_SIX) if six else (0x0800, HOSTS)
    ends, ports = drawn.sample(hosts, 2), tuple(drawn.sample(PORTS, 2))
    above = drawn.choice(
        [
            (6, tcp((ports[0], ports[1]), drawn.randrange(2**32), 0, 16, bytes(drawn.randrange(40)))),
            (17, udp((ports[0], ports[1]), bytes(drawn.randrange(40)))),
        ]
    )
    if drawn.random() < 0.1:
        above = (58 if six else 1, bytes(16))
    if drawn.random() < 0.05:
        return [ethernet(0x0806, bytes.fromhex("0001080006040001") + bytes(20))]
    if not six and above[0] != 1 and drawn.random() < 0.15:
        whole = above[1] + bytes(64)
        parts = [(whole[:40], 0x2000), (whole[40:], 5)]
        return [ethernet(kind, ip(*ends, above[0], part, number, place)) for part, place in parts]
    return [ethernet(kind, ip(*ends, *above, number) if not six else ip(*ends, *above))]


def _file(drawn: random.Random) -> bytes:
    frames = [frame for number in range(1, 150) for frame in _frame(drawn, number)]
    return pcap(1, [(1000 * at, frame) for at, frame in enumerate(frames)])


def _primitive(drawn: random.Random) -> str:
    side = drawn.choice(["", "", "src ", "dst "])
    return drawn.choice(
        [
            drawn.choice(["tcp", "udp", "ip", "ip6"]),
            f"{drawn.choice(['', 'tcp ', 'udp '])}{side}port {drawn.choice(PORTS)}",
            f"{side}host {drawn.choice(HOSTS + HOSTS_SIX)}",
            f"{side}net {drawn.choice(['10.0.0.0/24', '10.0.0.0/8', '192.0.2.4', '0.0.0.0/0'])}",
            f"{side}net {drawn.choice(['2001:db8::/48', '2001:db8:1::/64', '::/0'])}",
        ]
    )


def _expression(drawn: random.Random, deep: int = 2) -> str:
    terms = []
    for _ in range(drawn.randrange(1, 4)):
        nested = deep and drawn.random() < 0.3
        term = f"({_expression(drawn, deep - 1)})" if nested else _primitive(drawn)
        terms.append(drawn.choice(["", "", "not ", "! "]) + term)
    joined = terms[0]
    for term in terms[1:]:
        joined += f" {drawn.choice(['and', 'or', '&&', '||'])} {term}"
    return joined


def _chosen_by_tcpdump(file: Path, expression: str) -> Path | None:
    """Returns what tcpdump chooses; nothing if it refuses the expression.

    Without its optimizer, which in libpcap 1.10.3 changes what some expressions with networks of IPv6 choose.
    """
    chosen = file.with_suffix(".chosen")
    done = subprocess.run(
        ["tcpdump", "-O", "-r", str(file), "-w", str(chosen), expression], capture_output=True, check=False
    )
    return None if done.returncode else chosen


def _told(capture: Capture) -> tuple[object, ...]:
    """The rows of a capture but for the numbers of frames."""
    totals = capture.totals
    packets = totals["tcp"], totals["udp"], totals["fragments"] - totals["lone_fragments"]
    return packets, capture.connections.to_pylist(), capture.udp.to_pylist()


@needs_tcpdump
def test_a_filter_chooses_what_tcpdump_chooses(tmp_path: Path) -> None:
    drawn = random.Random(7)
    compared, some = 0, 0
    for number in range(2):
        file = tmp_path / f"{number}.pcap"
        file.write_bytes(_file(drawn))
        for _ in range(50):
            expression = _expression(drawn)
            chosen = _chosen_by_tcpdump(file, expression)
            if chosen is None:  # "expression rejects all packets"
                continue
            ours, theirs = Capture.read(file, filter=expression), Capture.read(chosen)
            assert _told(ours) == _told(theirs), expression
            compared += 1
            some += 0 < theirs.totals["frames"] < ours.totals["frames"]
    assert compared > 80
    assert some > 40


@needs_tcpdump
@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("tcp host 10.0.0.1", "host"),
        ("port 053", "053"),
        ("port http", "http"),
        ("net 10.0.0.1/8", "10.0.0.1/8"),
        ("port 80 or 443", "443"),
        ("vlan 10 and tcp", "vlan"),
        ("portrange 1-80", "portrange"),
        ("host ::ffff:10.0.0.1", "::ffff:10.0.0.1"),
    ],
)
def test_what_is_not_read_as_tcpdump_reads_it_is_refused(expression: str, word: str, tmp_path: Path) -> None:
    file = tmp_path / "few.pcap"
    file.write_bytes(_file(random.Random(1)))
    with pytest.raises(InputError, match=f'filter: got "{word}'):
        Capture.read(file, filter=expression)


def test_what_tcpdump_does_not_look_at_is_said(tmp_path: Path) -> None:
    file = tmp_path / "tagged.pcap"
    segment = ip("10.0.0.1", "10.0.0.2", 6, tcp((40000, 80), 1, 0, 16, b"x"))
    file.write_bytes(pcap(1, [(0, vlan(10, segment)), (1000, ethernet(0x0800, segment))]))
    capture = Capture.read(file, filter="tcp port 80")
    assert any(line.startswith("1 packets were chosen by headers behind tags") for line in remarks(capture))
    capture = Capture.read(file, filter="port 81")
    assert remarks(capture) == ["2 packets were left out because the filter does not choose them"]
