"""Counts over all of a capture, whatever of its rows is kept; and which connections are worst."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.recording.columns import numbers, values

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["Whole", "worst_directions", "worst_rows"]


_MANY_COPIES = 10
"""Packets to a copy from which on the capture may have doubled them."""


@dataclass
class Whole:
    """Counts over all rows."""

    connections: int = 0
    directions: int = 0
    """Directions of connections that carried data."""
    one_way: int = 0
    """Connections of which only one direction was captured."""
    captured_again: int = 0
    copies_in_doubt: int = 0
    """Copies by the network, of connections in which every tenth packet or more has one."""
    early_acks: int = 0
    strays: int = 0
    missing_bytes: int = 0
    samples: int = 0
    events: int = 0
    udp: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """Events of each kind of retransmission."""

    def add(self, connections: pa.Table, events: pa.Table, udp: pa.Table) -> None:
        """Counts rows."""
        self.connections += connections.num_rows
        for way in ("f", "b"):
            self.directions += int(np.sum(_carried(connections, way)))
            for name in ("captured_again", "early_acks", "strays", "missing_bytes"):
                number = int(np.sum(values(connections[f"{name}_{way}"])))
                setattr(self, name, getattr(self, name) + number)
            copies, all_packets = (
                values(connections[f"{name}_{way}"]) for name in ("network_copies", "packets")
            )
            self.copies_in_doubt += int(np.sum(copies[_MANY_COPIES * copies >= all_packets]))
        packets = [values(connections[f"packets_{way}"]) for way in ("f", "b")]
        self.one_way += int(np.sum((packets[0] == 0) | (packets[1] == 0)))
        self.kinds.update(kind for kind in events["kind"].to_pylist() if kind)
        self.events += events.num_rows
        self.udp += udp.num_rows


def _carried(rows: pa.Table, way: str) -> NDArray[np.bool_]:
    data, repeats = (values(rows[f"{name}_{way}"]) for name in ("data_packets", "retransmissions"))
    return np.asarray((data != 0) | (repeats != 0))


def worst_directions(rows: pa.Table, most: int) -> list[tuple[int, str]]:
    """Rows of connections and their directions that carried data, the worst first: a timeout costs more than
    a fast retransmission.
    """
    carried, cost, size = (np.empty((rows.num_rows, 2), np.int64) for _ in range(3))
    for at, way in enumerate("fb"):
        column = {name: values(rows[f"{name}_{way}"]) for name in _COSTS}
        carried[:, at] = _carried(rows, way)
        cost[:, at] = sum(weight * column[name] for name, weight in _COSTS.items())
        size[:, at] = values(rows[f"data_bytes_{way}"])
    places = np.flatnonzero(carried)
    order = places[np.lexsort((-size.ravel()[places], -cost.ravel()[places]))][:most]
    return [(int(place) // 2, "fb"[place % 2]) for place in order]


_COSTS = {"timeouts": 10, "syns": 10, "synacks": 10, "probes": 3, "retransmissions": 1}


def worst_rows(rows: pa.Table, most: int) -> pa.Table:
    """The connections of the worst directions, so many at most; in the order that they have."""
    found = dict.fromkeys(row for row, _ in worst_directions(rows, 2 * most))
    kept: list[Any] = [*found][:most]
    if len(kept) < most:
        known = set(kept)
        kept += [row for row in range(rows.num_rows) if row not in known][: most - len(kept)]
    return rows.take(numbers(np.sort(np.array(kept, np.int64))))
