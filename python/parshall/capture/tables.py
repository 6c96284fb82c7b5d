"""The tables of a capture, from what the engine says: names in place of codes, addresses hashed if wanted."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from parshall.recording.columns import named, numbers, table, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Name",
    "anonymous",
    "connections",
    "datagrams",
    "events",
    "passed",
    "plain",
    "samples",
    "spun",
    "traffic",
]

_WAYS = ("f", "b")
_HALVES = ("receiver", "sender")
_SPANS = ("path", "receiver")
_METHODS = ("seq", "ts", "handshake")
_KINDS = ("syn", "synack", "fast", "rto", "rto_next", "tlp", "retransmission")


Name = Callable[[str], str]
"""Gives an address the name that it is shown by."""


def samples(found: Mapping[str, NDArray[Any]]) -> pa.Table:
    """Samples of round trips."""
    columns = {name: numbers(found[name]) for name in ("time", "frame", "connection")}
    columns["direction"] = _words(found["direction"], _WAYS)
    columns["half"] = _words(found["half"], _HALVES)
    columns["method"] = _words(found["method"], _METHODS)
    for name in ("rtt", "acked", "until", "in_flight", "time_ns"):
        columns[name] = numbers(found[name])
    return table(columns)


def events(found: Mapping[str, Any]) -> pa.Table:
    """Frames that are more than first transmissions."""
    columns = {name: numbers(found[name]) for name in ("frame", "time", "connection")}
    columns["direction"] = _words(found["direction"], _WAYS)
    columns["kind"] = _words(found["kind"], _KINDS)
    columns["needless"] = _masked(found["needless"] == 1, found["needless"] < 0)
    for name in ("network_copy", "late", "captured_again", "seq", "payload"):
        columns[name] = numbers(found[name])
    columns["copy_before"] = _or_null(found["copy_before"])
    columns["time_ns"] = numbers(found["time_ns"])
    before = found["copy_before_ns"]
    columns["copy_before_ns"] = _masked(before, before == np.iinfo(np.int64).min)
    return table(columns)


def connections(found: Mapping[str, Any], name_of: Name) -> pa.Table:
    """A row a connection; columns that end with _f and _b are of its two directions."""
    columns: dict[str, pa.Array] = {"connection": numbers(found["connection"])}
    for end in ("a", "b"):
        columns[end] = texts([name_of(name) for name in found[end]])
        columns[f"{end}port"] = numbers(found[f"{end}port"])
    for name, column in found.items():
        if name not in columns:
            columns[name] = _or_null(column)
    return table(columns)


def datagrams(found: Mapping[str, Any], name_of: Name) -> pa.Table:
    """A row a flow of UDP, one direction; round trips by the spin bit where it is of QUIC and spins."""
    columns: dict[str, pa.Array] = {"flow": numbers(found["flow"])}
    for end, port in (("source", "sport"), ("destination", "dport")):
        columns[end] = texts([name_of(name) for name in found[end]])
        columns[port] = numbers(found[port])
    for name, column in found.items():
        if name not in columns:
            columns[name] = _or_null(column)
    return table(columns)


def spun(found: Mapping[str, NDArray[Any]]) -> pa.Table:
    """Round trips of flows of UDP by the spin bit of QUIC."""
    columns = {name: numbers(found[name]) for name in ("time", "frame", "flow")}
    columns["span"] = _words(found["span"], _SPANS)
    columns["rtt"] = numbers(found["rtt"])
    columns["time_ns"] = numbers(found["time_ns"])
    return table(columns)


def passed(found: Mapping[str, NDArray[Any]]) -> pa.Table:
    """A row a packet with payload: of TCP with the connection's number and 0 or 1 for its direction, of UDP
    with the flow's and -1.
    """
    names = ("time", "frame", "number", "direction", "marked", "time_ns")
    return table({name: numbers(found[name]) for name in names})


def traffic(found: Mapping[str, NDArray[Any]]) -> pa.Table:
    """Packets and bytes in equal intervals, by when these begin."""
    return table({name: numbers(found[name]) for name in ("time", "packets", "bytes", "time_ns")})


def _or_null(column: NDArray[Any]) -> pa.Array:
    """A column of numbers, where NaN is no value."""
    if column.dtype.kind != "f":
        return numbers(column)
    return _masked(column, np.isnan(column))


def _words(codes: NDArray[Any], names: Sequence[str]) -> pa.Array:
    """A column of words, from indices into a list of them; none where the index is negative."""
    return named(codes, names).dictionary_decode()


def _masked(column: NDArray[Any], absent: NDArray[np.bool_]) -> pa.Array:
    return _with_gaps(numbers(column), absent)


def _with_gaps(column: pa.Array, absent: NDArray[np.bool_]) -> pa.Array:
    if not absent.any():
        return column
    present = pa.py_buffer(np.packbits(~absent, bitorder="little"))
    return pa.Array.from_buffers(column.type, len(column), [present, *column.buffers()[1:]])


def plain(name: str) -> str:
    """An address as it is."""
    return name


def anonymous() -> Name:
    """Names for addresses, by a key that nobody keeps. Equal addresses have equal names."""
    key = secrets.token_bytes(32)
    return lambda name: hashlib.blake2s(name.encode(), key=key, digest_size=6).hexdigest()
