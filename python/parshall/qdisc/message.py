"""Answers of the kernel to ``RTM_GETQDISC``: messages in, values out, no socket.

The layout is that of ``linux/rtnetlink.h``, ``linux/pkt_sched.h`` and ``linux/gen_stats.h``; numbers are in
the computer's own order. A message that is cut off is left out: nothing here fails on what the kernel sent.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from parshall.errors import InputError, shown
from parshall.qdisc.estmred import Estmred

__all__ = ["DONE", "ERROR", "Qdisc", "messages", "parse"]

DONE, ERROR, NEW_QDISC = 3, 2, 36

HEADER = struct.Struct("=IHHII")
TCMSG = struct.Struct("=B3xiIII")
ATTRIBUTE = struct.Struct("=HH")

KIND, STATS2 = 1, 7
STATS_BASIC, STATS_QUEUE, STATS_APP, STATS_PACKETS = 1, 3, 4, 8
TYPE_BITS = 0x3FFF
"""Mask of an attribute's type without its flags."""

MARKS_AT = {"red": 12, "codel": 24, "fq_codel": 12, "pie": 36}
"""Where a discipline's own statistics have the count of marked packets, in bytes."""


@dataclass(frozen=True)
class Qdisc:
    """A queue discipline and its counters since it was added."""

    interface: int
    """Number of the network device."""
    kind: str
    handle: str
    """As tc writes it, ``8001:``."""
    parent: str
    """``root``, ``ingress`` or a class."""
    bytes: int
    """Sent."""
    packets: int
    """Sent."""
    drops: int
    overlimits: int
    requeues: int
    backlog_bytes: int
    backlog_packets: int
    marks: int | None
    """Packets marked instead of dropped; ``None`` for a discipline that does not mark, or is not known to."""
    estmred: Estmred | None = None
    """The estimate, of kind ``estmred`` only."""


def messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Type and content of each message in `data`."""
    at = 0
    while at + HEADER.size <= len(data):
        length, kind, _flags, _sequence, _port = HEADER.unpack_from(data, at)
        if length < HEADER.size or at + length > len(data):
            return
        yield kind, data[at + HEADER.size : at + length]
        at += -(-length // 4) * 4


def parse(data: bytes) -> list[Qdisc]:
    """The queue disciplines that messages in `data` tell of. Raises InputError for what is no bytes."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InputError("data", shown(data), "bytes that netlink sent")
    found = [_qdisc(content) for kind, content in messages(data) if kind == NEW_QDISC]
    return [qdisc for qdisc in found if qdisc is not None]


def _attributes(data: bytes) -> dict[int, bytes]:
    found = {}
    at = 0
    while at + ATTRIBUTE.size <= len(data):
        length, kind = ATTRIBUTE.unpack_from(data, at)
        if length < ATTRIBUTE.size or at + length > len(data):
            break
        found[kind & TYPE_BITS] = data[at + ATTRIBUTE.size : at + length]
        at += -(-length // 4) * 4
    return found


def _qdisc(content: bytes) -> Qdisc | None:
    if len(content) < TCMSG.size:
        return None
    _family, interface, handle, parent, _info = TCMSG.unpack_from(content)
    attributes = _attributes(content[TCMSG.size :])
    kind = attributes.get(KIND, b"").split(b"\0")[0].decode("ascii", "replace")
    stats = _attributes(attributes.get(STATS2, b""))
    if not kind:
        return None
    sent_bytes, sent = _numbers("=QI", stats.get(STATS_BASIC, b""))
    if STATS_PACKETS in stats:
        (sent,) = _numbers("=Q", stats[STATS_PACKETS])
    length, backlog, drops, requeues, overlimits = _numbers("=IIIII", stats.get(STATS_QUEUE, b""))
    own = stats.get(STATS_APP, b"")
    estmred = Estmred.parse(own) if kind == "estmred" else None
    return Qdisc(
        interface=interface,
        kind=kind,
        handle=f"{handle >> 16:x}:",
        parent=_parent(parent),
        bytes=sent_bytes,
        packets=sent,
        drops=drops,
        overlimits=overlimits,
        requeues=requeues,
        backlog_bytes=backlog,
        backlog_packets=length,
        marks=estmred.marks if estmred else _marks(kind, own),
        estmred=estmred,
    )


def _numbers(form: str, data: bytes) -> tuple[int, ...]:
    """Zeros where `data` is too short."""
    return struct.unpack_from(form, data.ljust(struct.calcsize(form), b"\0"))


def _marks(kind: str, own: bytes) -> int | None:
    at = MARKS_AT.get(kind)
    if at is None or len(own) < at + 4:
        return None
    return int(struct.unpack_from("=I", own, at)[0])


def _parent(number: int) -> str:
    named = {0xFFFFFFFF: "root", 0xFFFFFFF1: "ingress", 0: "none"}
    minor = number & 0xFFFF
    return named.get(number, f"{number >> 16:x}:{minor:x}" if minor else f"{number >> 16:x}:")
