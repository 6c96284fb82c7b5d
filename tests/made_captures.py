"""Captures that are put together byte by byte: a connection, and headers in front of its packets."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address

SEGMENT = 1000
SEGMENTS = 6
FIN, SYN, ACK = 1, 2, 16

Packet = tuple[int, bytes, bool]
"""Microseconds, bytes, and whether it goes from the client."""


def ip(
    source: str, destination: str, protocol: int, above: bytes, number: int = 0, fragment: int = 0
) -> bytes:
    """A packet of IPv4 or IPv6."""
    ends = ip_address(source).packed + ip_address(destination).packed
    if ":" in source:
        return struct.pack(">IHBB", 0x60000000, len(above), protocol, 64) + ends + above
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(above), number, fragment, 64, protocol, 0)
    total = sum(struct.unpack(">10H", head + ends))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = ~(total + (total >> 16)) & 0xFFFF
    return head[:10] + struct.pack(">H", checksum) + ends + above


def tcp(ports: tuple[int, int], seq: int, ack: int, flags: int, payload: bytes = b"") -> bytes:
    """A segment."""
    return struct.pack(">HHIIBBHHH", *ports, seq, ack, 0x50, flags, 65535, 0, 0) + payload


def udp(ports: tuple[int, int], payload: bytes) -> bytes:
    """A datagram."""
    return struct.pack(">HHHH", *ports, 8 + len(payload), 0) + payload


@dataclass(frozen=True)
class Connection:
    """A connection of six segments, each of which is acknowledged."""

    client: str = "10.0.0.1"
    server: str = "10.0.0.2"
    ports: tuple[int, int] = (40000, 80)
    first: tuple[int, int] = (1000, 5000)
    """First sequence numbers of client and server."""
    start: int = 0
    handshake: bool = True

    def packets(self) -> Iterator[Packet]:
        """Its packets in order."""
        mine, theirs = self.first[0] + 1, self.first[1] + 1
        steps = []
        if self.handshake:
            steps = [(True, mine - 1, 0, SYN, 0), (False, theirs - 1, mine, SYN | ACK, 0)]
            steps.append((True, mine, theirs, ACK, 0))
        for at in range(SEGMENTS):
            seq = mine + SEGMENT * at
            steps += [(True, seq, theirs, ACK, SEGMENT), (False, theirs, seq + SEGMENT, ACK, 0)]
        number = self.first[0] % 50000
        for at, (forward, seq, ack, flags, length) in enumerate(steps):
            ends = (self.client, self.server) if forward else (self.server, self.client)
            ports = self.ports if forward else self.ports[::-1]
            segment = tcp(ports, seq % 2**32, ack % 2**32, flags, bytes(length))
            yield self.start + 10_000 * at, ip(*ends, 6, segment, number + at), forward


def pcap(link: int, records: Iterable[tuple[int, bytes]], nanoseconds: bool = False) -> bytes:
    """A file of frames with their times, in microseconds or nanoseconds."""
    magic, second = (0xA1B23C4D, 10**9) if nanoseconds else (0xA1B2C3D4, 10**6)
    parts = [struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 262144, link)]
    for time, data in records:
        parts += [struct.pack("<IIII", *divmod(time, second), len(data), len(data)), data]
    return b"".join(parts)


def block(kind: int, body: bytes) -> bytes:
    """A block of pcapng."""
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


def section(*links: int) -> bytes:
    """The beginning of a pcapng section with interfaces of these link types."""
    head = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    return head + b"".join(block(1, struct.pack("<HHI", link, 0, 0)) for link in links)


def enhanced(interface: int, time: int, data: bytes) -> bytes:
    """An Enhanced Packet Block."""
    fields = (interface, time >> 32, time & 0xFFFFFFFF, len(data), len(data))
    return block(6, struct.pack("<5I", *fields) + data)


MACS = bytes.fromhex("020000000002020000000001")


def ethernet(kind: int, data: bytes) -> bytes:
    """A frame of Ethernet."""
    return MACS + struct.pack(">H", kind) + data


def vlan(number: int, data: bytes, inner: int = 0x0800, outer: int = 0x8100) -> bytes:
    """A frame of Ethernet with a VLAN tag."""
    return ethernet(outer, struct.pack(">HH", number, inner) + data)


def tunnel(forward: bool, protocol: int, data: bytes, number: int = 1) -> bytes:
    """A frame with an outer IP header between two routers."""
    ends = ("192.0.2.1", "192.0.2.2") if forward else ("192.0.2.2", "192.0.2.1")
    return ethernet(0x0800, ip(*ends, protocol, data, number))


def within(port: int, header: bytes, data: bytes, forward: bool) -> bytes:
    """A frame with an outer datagram between two routers."""
    return tunnel(forward, 17, udp((50000, port), header + data))


Wrap = Callable[[bytes, bool], bytes]
"""Puts headers in front of a packet of IPv4 that goes from the client, or back."""


def _snap(data: bytes) -> bytes:
    return bytes.fromhex("aaaa03000000") + b"\x08\x00" + data


def _wireless(data: bytes, quality: bytes = b"", padding: bytes = b"") -> bytes:
    head = bytes([0x88 if quality else 0x08, 1, 0, 0]) + MACS + MACS[:6] + bytes(2)
    return head + quality + padding + _snap(data)


def _pflog(data: bytes) -> bytes:
    return bytes([61, 2, 0, 0]) + b"em0".ljust(60, b"\0") + data


def _pktap(data: bytes) -> bytes:
    return struct.pack("<III", 108, 1, 1) + b"en0".ljust(96, b"\0") + ethernet(0x0800, data)


def _erf(data: bytes) -> bytes:
    return bytes(8) + struct.pack(">BBHHHH", 2, 4, 18 + len(data), 0, len(data), 0) + data


def _erspan(version: int, network: int, data: bytes) -> bytes:
    first = struct.pack(">HH", version << 12 | network, 7)
    more = {1: bytes(4), 2: bytes(8)}[version]
    return first + more + ethernet(0x0800, data)


def _mpls(*labels: int) -> bytes:
    last = len(labels) - 1
    return b"".join(
        struct.pack(">I", label << 12 | (0x100 if at == last else 0) | 64) for at, label in enumerate(labels)
    )


WRAPS: dict[str, tuple[int, Wrap]] = {
    "Ethernet": (1, lambda data, _: ethernet(0x0800, data)),
    "raw": (101, lambda data, _: data),
    "pflog": (117, lambda data, _: _pflog(data)),
    "Cisco HDLC": (104, lambda data, _: bytes.fromhex("0f000800") + data),
    "PKTAP": (258, lambda data, _: _pktap(data)),
    "PPI": (192, lambda data, _: struct.pack("<BBHI", 0, 0, 8, 105) + _wireless(data)),
    "PPI, Ethernet": (192, lambda data, _: struct.pack("<BBHI", 0, 0, 8, 1) + ethernet(0x0800, data)),
    "enc": (109, lambda data, _: struct.pack("<III", 2, 0, 0) + data),
    "pppd": (166, lambda data, forward: bytes([not forward, 3, 0, 0x21]) + data),
    "PPP with a direction": (204, lambda data, forward: bytes([forward, 0xFF, 3, 0, 0x21]) + data),
    "Juniper": (178, lambda data, _: b"MGC\x80" + struct.pack(">H", 6) + bytes(6) + ethernet(0x0800, data)),
    "802.11": (105, lambda data, _: _wireless(data)),
    "radiotap, padded": (
        127,
        lambda data, _: struct.pack("<BBHIB", 0, 0, 9, 2, 0x20) + _wireless(data, bytes(2), bytes(2)),
    ),
    "SNAP": (1, lambda data, _: ethernet(8 + len(data), _snap(data))),
    "VN-Tag": (1, lambda data, _: ethernet(0x8926, bytes.fromhex("000a0001") + b"\x08\x00" + data)),
    "E-Tag": (1, lambda data, _: ethernet(0x893F, bytes.fromhex("000010010000") + b"\x08\x00" + data)),
    "HSR": (1, lambda data, _: ethernet(0x892F, bytes.fromhex("00400001") + b"\x08\x00" + data)),
    "VLAN": (1, lambda data, _: vlan(10, data)),
    "QinQ": (1, lambda data, _: vlan(5, vlan(10, data)[14:], 0x8100, 0x88A8)),
    "PBB": (1, lambda data, _: ethernet(0x88E7, bytes.fromhex("00000123") + ethernet(0x0800, data))),
    "MPLS": (1, lambda data, _: ethernet(0x8847, _mpls(17, 100) + data)),
    "PPPoE": (
        1,
        lambda data, _: ethernet(
            0x8864, struct.pack(">BBHH", 0x11, 0, 9, 2 + len(data)) + b"\x00\x21" + data
        ),
    ),
    "ERSPAN I": (1, lambda data, up: tunnel(up, 47, bytes.fromhex("000088be") + ethernet(0x0800, data))),
    "ERSPAN II": (
        1,
        lambda data, up: tunnel(up, 47, bytes.fromhex("100088be00000001") + _erspan(1, 10, data)),
    ),
    "ERSPAN III": (
        1,
        lambda data, up: tunnel(up, 47, bytes.fromhex("100022eb00000001") + _erspan(2, 10, data)),
    ),
    "TZSP": (1, lambda data, up: within(37008, bytes.fromhex("0100000101"), ethernet(0x0800, data), up)),
    "VXLAN": (
        1,
        lambda data, up: within(4789, struct.pack(">II", 0x08000000, 100 << 8), ethernet(0x0800, data), up),
    ),
    "Geneve": (1, lambda data, up: within(6081, struct.pack(">HHI", 0, 0x0800, 100 << 8), data, up)),
    "GRE": (1, lambda data, up: tunnel(up, 47, struct.pack(">HHI", 0x2000, 0x0800, 7) + data)),
    "IP in IP": (1, lambda data, up: tunnel(up, 4, data)),
    "AH": (1, lambda data, _: ethernet(0x0800, _authenticated(data))),
    "IEEE 1394": (138, lambda data, _: bytes(16) + b"\x08\x00" + data),
    "ERF": (197, lambda data, _: _erf(ethernet(0x0800, data))),
}
"""Link types and headers in front of packets, by what they are."""


def _authenticated(data: bytes) -> bytes:
    """A packet with an authentication header between IP and TCP."""
    source, destination = (str(ip_address(data[at : at + 4])) for at in (12, 16))
    header = struct.pack(">BBHII", 6, 4, 0, 1, 1) + bytes(12)
    return ip(source, destination, 51, header + data[20:], struct.unpack(">H", data[4:6])[0])


def wrapped(packets: Iterable[Packet], wrap: Wrap) -> list[tuple[int, bytes]]:
    """Frames of packets."""
    return [(time, wrap(data, forward)) for time, data, forward in packets]
