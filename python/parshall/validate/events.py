"""Packet events as columns, the same for a trace of ns-2 and for a recording of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

__all__ = ["EVENTS", "KINDS", "NOTES", "PLACES", "Event", "Events", "recorded_events"]

PLACES = ("AB", "BA", "host")
"""The bottleneck's ports, and the hosts where packets end."""
EVENTS = ("+", "-", "d", "r")
"""Arrival at a port, start of transmission, drop at a port, reception by a host."""
KINDS = ("data", "ack")
NOTES = ("", "queue", "forced")
"""Of a drop: who dropped the packet."""

# The engine's event numbers (docs/architecture.md): arrival, departure, drop, loss, reception.
_EVENT_OF = np.array([0, 1, 2, 2, 3])
_NOTE_OF = np.array([0, 0, 1, 2, 0])


@dataclass(frozen=True)
class Event:
    """One packet event."""

    time_s: float
    place: str
    event: str
    kind: str
    flow: int
    seq: int
    size_bytes: int
    note: str


@dataclass(frozen=True)
class Events:
    """Packet events in the order in which they happened. All columns but ``time`` are whole numbers:
    places, events, kinds and notes are indices into the tuples above.
    """

    time: NDArray[np.float64]
    place: NDArray[np.int64]
    event: NDArray[np.int64]
    kind: NDArray[np.int64]
    flow: NDArray[np.int64]
    seq: NDArray[np.int64]
    size: NDArray[np.int64]
    note: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, index: int) -> Event:
        return Event(
            float(self.time[index]),
            PLACES[self.place[index]],
            EVENTS[self.event[index]],
            KINDS[self.kind[index]],
            int(self.flow[index]),
            int(self.seq[index]),
            int(self.size[index]),
            NOTES[self.note[index]],
        )

    def groups(self, before: float) -> dict[int, NDArray[np.int64]]:
        """Indices of the events before an instant, in order, for each place, event, kind and flow."""
        code = ((self.flow * len(PLACES) + self.place) * len(EVENTS) + self.event) * len(KINDS) + self.kind
        chosen = np.flatnonzero(self.time < before)
        order = chosen[np.argsort(code[chosen], kind="stable")]
        codes, starts = np.unique(code[order], return_index=True)
        parts = np.split(order, starts[1:]) if len(order) else []
        return dict(zip(codes.tolist(), parts, strict=True))


def recorded_events(recording: Recording, ports: tuple[str, str]) -> Events:
    """What a recording saw at two ports, in the order A to B and B to A, and at the hosts."""
    columns = recording.columns("packets")
    # Port -1, a host, picks the last entry.
    place = np.full(len(recording.ports) + 1, PLACES.index("host"), dtype=np.int64)
    for index, port in enumerate(ports):
        place[recording.ports.index(port)] = index
    return Events(
        time=columns["time"],
        place=place[columns["port"]],
        event=_EVENT_OF[columns["event"]],
        kind=columns["ack"].astype(np.int64),
        flow=columns["flow"].astype(np.int64),
        seq=columns["seq"].astype(np.int64),
        size=columns["size_bytes"].astype(np.int64),
        note=_NOTE_OF[columns["event"]],
    )
