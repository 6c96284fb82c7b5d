"""Packet events as columns, the same for a trace of ns-2 and for a recording of ours."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

__all__ = ["EVENTS", "KINDS", "NOTES", "PLACES", "Event", "Events", "recorded_events"]

PLACES = ("AB", "BA", "host", *(f"E{number}" for number in range(8)))
"""The bottleneck's ports, the hosts where packets end, and the ports of edge routers."""
EVENTS = ("+", "-", "d", "r")
"""Arrival at a port, start of transmission, drop at a port, reception by a host."""
KINDS = ("data", "ack")
NOTES = ("", "queue", "forced", "limit", "precedence", "average", "early")
"""Notes of drops: who dropped the packet, or, in a queue for classes, why."""

# The engine's event numbers (docs/architecture.md): arrival, departure, drop, loss, reception.
_EVENT_OF = np.array([0, 1, 2, 2, 3])
_NOTE_OF = np.array([0, 0, 1, 2, 0])
# The engine's reasons of a drop: full, precedence, average, early; a conditioner is not one of ns-2's.
_REASON_OF = np.array([3, 4, 5, 6, 1])


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
    code_point: int = 0


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
    code_point: NDArray[np.int64]

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
            int(self.code_point[index]),
        )

    def groups(self, before: float) -> dict[int, NDArray[np.int64]]:
        """Indices of the events before an instant, in order, for each place, event, kind and flow."""
        code = ((self.flow * len(PLACES) + self.place) * len(EVENTS) + self.event) * len(KINDS) + self.kind
        chosen = np.flatnonzero(self.time < before)
        order = chosen[np.argsort(code[chosen], kind="stable")]
        codes, starts = np.unique(code[order], return_index=True)
        parts = np.split(order, starts[1:]) if len(order) else []
        return dict(zip(codes.tolist(), parts, strict=True))


def recorded_events(
    recording: Recording, flows: Sequence[int], ports: Mapping[str, str], classes: Collection[str] = ()
) -> Events:
    """Events of a recording at ports, which are named by their places, and at the hosts. Its flows get the
    numbers ``flows``. The queues of the places ``classes`` tell why they drop.
    """
    columns = recording.columns("packets")
    # Port -1, a host, picks the last entry.
    place = np.full(len(recording.ports) + 1, PLACES.index("host"), dtype=np.int64)
    tells = np.zeros(len(place), dtype=bool)
    for name, port in ports.items():
        place[recording.scenario.ports.index(port)] = PLACES.index(name)
        tells[recording.scenario.ports.index(port)] = name in classes
    note = _NOTE_OF[columns["event"]]
    code_point = np.zeros(len(note), dtype=np.int64)
    if "dscp" in columns:
        code_point = columns["dscp"].astype(np.int64)
        told = tells[columns["port"]] & (note == NOTES.index("queue"))
        note = np.where(told, _REASON_OF[columns["reason"]], note)
    return Events(
        time=columns["time"],
        place=place[columns["port"]],
        event=_EVENT_OF[columns["event"]],
        kind=columns["ack"].astype(np.int64),
        flow=np.array(flows, dtype=np.int64)[columns["flow"]],
        seq=columns["seq"].astype(np.int64),
        size=columns["size_bytes"].astype(np.int64),
        note=note,
        code_point=code_point,
    )
