"""The rows of a capture that stay in memory for what is shown of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from parshall.recording.columns import numbers, values

__all__ = ["Best", "Bounds", "First", "ShareRows", "largest_flows", "only"]


@dataclass(frozen=True)
class Bounds:
    """Rows of a capture that are wanted; None is all of them."""

    rows: int | None = None
    """Samples, events and round trips by the spin bit, of each."""
    connections: int | None = None
    """Connections, the worst of them, and flows of UDP."""
    shown: int | None = None
    """Connections up to which samples are looked at: of a capture with more none are kept."""
    flow: int | None = None
    """The only connection whose rows are wanted."""
    passed: bool = False
    """Packets with payload are kept, too, for a share."""
    anonymise: bool = False
    """Addresses have hashes in their places."""


class First:
    """The first rows of a table."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._parts: list[pa.Table] = []
        self._count = 0
        self.left_out = 0

    def add(self, rows: pa.Table) -> None:
        """Takes in rows."""
        room = rows.num_rows if self._most is None else self._most - self._count
        self.left_out += max(0, rows.num_rows - room)
        # Even an empty part of a table holds all of it.
        if self._parts and not (room and rows.num_rows):
            return
        self._parts.append(rows.slice(0, room))
        self._count += self._parts[-1].num_rows

    def rows(self) -> pa.Table:
        """The rows that were kept."""
        return pa.concat_tables(self._parts)

    def clear(self) -> None:
        """Keeps no row of those that came so far."""
        self._parts, self._count = [part.slice(0, 0) for part in self._parts[:1]], 0


class Best:
    """The rows of a table that ``choose`` finds best."""

    def __init__(self, most: int | None, choose: Callable[[pa.Table, int], pa.Table]) -> None:
        self._most = most
        self._choose = choose
        self._parts: list[pa.Table] = []
        self._count = 0

    def add(self, rows: pa.Table) -> None:
        """Takes in rows."""
        if self._parts and not rows.num_rows:
            return
        self._parts.append(rows)
        self._count += rows.num_rows
        if self._most is not None and self._count > 2 * self._most:
            self._parts = [self.rows()]
            self._count = self._parts[0].num_rows

    def rows(self) -> pa.Table:
        """The rows that were kept, in the order in which they came."""
        rows = pa.concat_tables(self._parts)
        return rows if self._most is None or rows.num_rows <= self._most else self._choose(rows, self._most)


def largest_flows(rows: pa.Table, most: int) -> pa.Table:
    """Flows of UDP whose spin bit tells round trips, then those of most bytes."""
    order = np.lexsort((-values(rows["bytes"]), values(rows["spin_edges"]) == 0))
    return rows.take(numbers(np.sort(order[:most])))


def only(rows: pa.Table, connection: int | None) -> pa.Table:
    """The rows of a connection, or all."""
    if connection is None:
        return rows
    return rows.filter(numbers(values(rows["connection"]) == connection))


class ShareRows:
    """The packets that a share goes by, so many at most, with what is needed of their flows and events."""

    def __init__(self, most: int | None) -> None:
        self._passed = First(most)
        self._parts: dict[str, list[pa.Table]] = {"connections": [], "events": [], "udp": []}

    def add(self, passed: pa.Table, connections: pa.Table, events: pa.Table, udp: pa.Table) -> None:
        """Takes in rows."""
        self._passed.add(passed)
        if self._passed.left_out:
            self._cut()
        sizes = values(connections["data_bytes_f"]) + values(connections["data_bytes_b"])
        names = ["connection", "a", "b", "data_bytes_f", "data_bytes_b"]
        self._parts["connections"].append(connections.select(names).filter(numbers(sizes > 0)))
        known = events["copy_before_ns"].is_valid()
        names = ["connection", "direction", "needless", "copy_before_ns"]
        self._parts["events"].append(events.select(names).filter(known))
        self._parts["udp"].append(udp.select(["flow", "source", "destination", "bytes"]))

    def _cut(self) -> None:
        """Takes no more packets: what begins later is of no use."""
        rows = self._passed.rows()
        number, udp = values(rows["number"]), values(rows["direction"]) < 0
        last = {
            "connections": ("connection", int(np.max(number[~udp], initial=0))),
            "udp": ("flow", int(np.max(number[udp], initial=0))),
        }
        for name, (key, most) in last.items():
            parts = self._parts[name]
            self._parts[name] = [part.filter(numbers(values(part[key]) <= most)) for part in parts]

    @property
    def left_out(self) -> int:
        """Packets beyond those that were kept."""
        return self._passed.left_out

    def tables(self) -> Mapping[str, pa.Table]:
        """The packets, ``passed``, and the other rows."""
        joined = {name: pa.concat_tables(parts) for name, parts in self._parts.items()}
        return {"passed": self._passed.rows(), **joined}
