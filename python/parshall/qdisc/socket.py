"""Asks the kernel by netlink."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable

from parshall.errors import InputError, ParshallError, shown
from parshall.qdisc.message import DONE, ERROR, HEADER, TCMSG, Qdisc, messages, parse

__all__ = ["QdiscError", "device_number", "read"]

GET_QDISC = 38
REQUEST_DUMP = 0x301
ROOM = 1 << 17


class QdiscError(ParshallError):
    """The kernel did not answer."""


def read(device: str | None = None) -> list[Qdisc]:
    """The queue disciplines of this network namespace, or those of `device`.

    ``InputError`` where there is no such device, ``QdiscError`` where there is no netlink.
    """
    number = device_number(device) if device is not None else None
    if not hasattr(socket, "AF_NETLINK"):
        raise QdiscError("queue disciplines are read by netlink, which only Linux has")
    request = TCMSG.pack(0, 0, 0, 0, 0)
    header = HEADER.pack(HEADER.size + len(request), GET_QDISC, REQUEST_DUMP, 1, 0)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
            kernel.settimeout(10)
            kernel.send(header + request)
            answer = collect(lambda: kernel.recv(ROOM))
    except OSError as error:
        raise QdiscError(f"netlink: {error.strerror or error}") from None
    return [each for each in parse(answer) if number in (None, each.interface)]


def collect(receive: Callable[[], bytes]) -> bytes:
    """Datagrams up to the one that ends a dump."""
    parts = []
    while True:
        part = receive()
        parts.append(part)
        for kind, content in messages(part):
            if kind == ERROR:
                code = -struct.unpack_from("=i", content.ljust(4, b"\0"))[0]
                raise QdiscError(f"netlink: {os.strerror(code)}")
            if kind == DONE:
                return b"".join(parts)
        if not part:
            raise QdiscError("netlink: the answer was cut off")


def device_number(name: str) -> int:
    """The number of the network device `name`."""
    try:
        if isinstance(name, str):
            return socket.if_nametoindex(name)
    except (OSError, ValueError):  # not there, or no name at all
        pass
    known = ", ".join(each for _, each in socket.if_nameindex()) or "none"
    raise InputError("device", shown(name), f"a network device of this computer ({known})")
