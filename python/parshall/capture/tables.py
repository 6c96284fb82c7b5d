"""The tables of a capture, from what the engine says: names in place of codes, addresses hashed if wanted."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from parshall.recording.columns import numbers, table, texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["anonymous", "connections", "datagrams", "events", "samples", "spun", "traffic"]

_WAYS = ("f", "b")
_HALVES = ("receiver", "sender")
_SPANS = ("path", "receiver")
_METHODS = ("seq", "ts", "handshake")
_KINDS = ("syn", "synack", "fast", "rto", "rto_next", "tlp", "retransmission")


def samples(parts: Sequence[Mapping[str, NDArray[Any]]]) -> pa.Table:
    """Samples of round trips, from those of several steps."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    # A sample in doubt is decided by a later answer, and came behind its time.
    order = np.argsort(joined["time"], kind="stable")
    joined = {name: column[order] for name, column in joined.items()}
    columns = {name: numbers(joined[name]) for name in ("time", "frame", "connection")}
    columns["direction"] = _words(joined["direction"], _WAYS)
    columns["half"] = _words(joined["half"], _HALVES)
    columns["method"] = _words(joined["method"], _METHODS)
    for name in ("rtt", "acked", "until", "in_flight"):
        columns[name] = numbers(joined[name])
    return table(columns)


def events(found: Mapping[str, Any]) -> pa.Table:
    """Frames that are more than first transmissions, by their number."""
    order = np.argsort(found["frame"], kind="stable")
    columns = {name: numbers(found[name][order]) for name in ("frame", "time", "connection")}
    columns["direction"] = _words(found["direction"][order], _WAYS)
    columns["kind"] = _words(found["kind"][order], _KINDS)
    columns["needless"] = _masked(found["needless"][order] == 1, found["needless"][order] < 0)
    for name in ("network_copy", "late", "captured_again", "seq", "payload"):
        columns[name] = numbers(found[name][order])
    columns["copy_before"] = _or_null(found["copy_before"][order])
    return table(columns)


def connections(found: Mapping[str, Any], hide: Mapping[str, str]) -> pa.Table:
    """A row a connection; columns that end with _f and _b are of its two directions."""
    columns: dict[str, pa.Array] = {"connection": numbers(found["connection"])}
    for end in ("a", "b"):
        columns[end] = texts([hide.get(name, name) for name in found[end]])
        columns[f"{end}port"] = numbers(found[f"{end}port"])
    for name, column in found.items():
        if name not in columns:
            columns[name] = _or_null(column)
    return table(columns)


def datagrams(found: Mapping[str, Any], hide: Mapping[str, str]) -> pa.Table:
    """A row a flow of UDP, one direction; round trips by the spin bit where it is of QUIC and spins."""
    columns: dict[str, pa.Array] = {"flow": numbers(found["flow"])}
    for end, port in (("source", "sport"), ("destination", "dport")):
        columns[end] = texts([hide.get(name, name) for name in found[end]])
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
    return table(columns)


def passed(parts: Sequence[Mapping[str, NDArray[Any]]]) -> pa.Table:
    """A row a packet with payload: of TCP with the connection's number and 0 or 1 for its direction, of UDP
    with the flow's and -1.
    """
    names = ("time", "frame", "number", "direction", "marked")
    return table({name: numbers(np.concatenate([part[name] for part in parts])) for name in names})


def traffic(found: Mapping[str, NDArray[Any]]) -> pa.Table:
    """Packets and bytes in equal intervals, by when these begin."""
    return table({name: numbers(found[name]) for name in ("time", "packets", "bytes")})


def _or_null(column: NDArray[Any]) -> pa.Array:
    """A column of numbers, where NaN is no value."""
    if column.dtype.kind != "f":
        return numbers(column)
    return _masked(column, np.isnan(column))


def _words(codes: NDArray[Any], names: Sequence[str]) -> pa.Array:
    """A column of words, from indices into a list of them; none where the index is negative."""
    column = texts([names[code] if code >= 0 else "" for code in codes])
    return _with_gaps(column, codes < 0)


def _masked(column: NDArray[Any], absent: NDArray[np.bool_]) -> pa.Array:
    return _with_gaps(numbers(column), absent)


def _with_gaps(column: pa.Array, absent: NDArray[np.bool_]) -> pa.Array:
    if not absent.any():
        return column
    present = pa.py_buffer(np.packbits(~absent, bitorder="little"))
    return pa.Array.from_buffers(column.type, len(column), [present, *column.buffers()[1:]])


def anonymous(found: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """A name for every address, by a key that nobody keeps. Equal addresses of a capture have equal names."""
    key = secrets.token_bytes(32)
    ends = [("connections", "a"), ("connections", "b"), ("datagrams", "source"), ("datagrams", "destination")]
    known = {name for part, column in ends for name in found[part][column]}
    return {name: hashlib.blake2s(name.encode(), key=key, digest_size=6).hexdigest() for name in known}
