"""The time-sequence picture of a flow: packets sent, the ACK line, drops and retransmissions.

It is the picture in which loss recovery is read (Jacobson 1988; Fall and Floyd 1996). Time runs to the right,
packet numbers upwards; a packet is a dot at the port where it was recorded, ACKs are the stairs below the
dots.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.errors import ParshallError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from parshall.recording.recording import Recording

    Reals = NDArray[np.float64]
    Numbers = NDArray[np.int64]

__all__ = ["Sequence", "draw_sequence", "plot_sequence", "sequence_of"]

ARRIVAL, DROP, LOSS, RECEIVED = 0, 2, 3, 4
"""Codes of packet events."""


@dataclass(frozen=True)
class Events:
    """Packets, or ACKs, in order of time."""

    time: Reals
    """Seconds."""
    seq: Numbers
    """Packet numbers; of an ACK, the highest packet received in order."""

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class Sequence:
    """Data of a flow for the picture."""

    port: str
    """Where the packets were seen."""
    sent: Events
    """Packets that arrived there for the first time."""
    resent: Events
    """Packets that had been there before."""
    dropped: Events
    """Packets that the queue dropped or the link lost, at any port that was recorded."""
    acked: Events
    """The ACK line at the sender; empty for a flow without ACKs."""


def plot_sequence(recording: Recording, flow: str, ax: Axes | None = None) -> Figure:
    """Draws the picture of a flow onto ``ax``, or onto a figure of its own in the project's style.

    Returns the figure, which a notebook shows. Raises as :func:`sequence_of`.
    """
    from parshall.plot import drawing, legend_of

    sequence = sequence_of(recording, flow)
    if ax is not None:
        draw_sequence(sequence, ax)
        ax.legend()
        # Axes of a part of a figure name that part, which names the figure.
        return ax.figure.figure
    with drawing(3.6, width=6.0) as (canvas, (axis,)):
        draw_sequence(sequence, axis)
        legend_of(canvas, [axis], columns=4)
    return canvas


def draw_sequence(sequence: Sequence, ax: Axes) -> None:
    """Draws onto axes, with labels for a legend but without one, so that several panels may share it."""
    from parshall.plot import FAINT, INK, SERIES

    if len(sequence.acked):
        ax.step(
            sequence.acked.time,
            sequence.acked.seq,
            where="post",
            color=FAINT,
            linewidth=0.9,
            label="acknowledged",
        )
    dots: dict[str, Any] = {"linestyle": "none", "markersize": 2.6, "markeredgewidth": 0}
    ax.plot(sequence.sent.time, sequence.sent.seq, marker="s", color=SERIES[0], label="sent", **dots)
    again: dict[str, Any] = {"linestyle": "none", "markersize": 5.5, "fillstyle": "none"}
    ax.plot(
        sequence.resent.time, sequence.resent.seq, marker="o", color=SERIES[1], label="retransmitted", **again
    )
    cross: dict[str, Any] = {"linestyle": "none", "markersize": 6.5, "markeredgewidth": 1.5}
    ax.plot(sequence.dropped.time, sequence.dropped.seq, marker="x", color=INK, label="dropped", **cross)
    ax.set_xlabel("time, s")
    ax.set_ylabel("packet number")


def sequence_of(recording: Recording, flow: str) -> Sequence:
    """Reads the picture's data from the recording.

    Packets come from a port of the flow's path that ``record.packets`` names: the first that a packet
    reached. The ACK line comes from ``record.deliveries``, or from ``record.window``, where an ACK that
    changed nothing else shows with the next change. Raises ParshallError, which says what to record, when
    either is missing, and InputError for a flow that is not there.
    """
    index = recording.flow(flow)._index
    packets = recording.columns("packets") if "packets" in recording.tables else None
    if packets is None or not _seen(packets, index).any():
        raise ParshallError(
            f"{flow}: no packet recorded at a port, expected record.packets to name a port on its path, "
            f'such as "{_first_port(recording, flow)}"'
        )
    here = _seen(packets, index)
    port = int(packets["port"][here][0])
    at_port = _events(packets, here & (packets["port"] == port) & (packets["event"] == ARRIVAL))
    lost = _of(packets, index) & ((packets["event"] == DROP) | (packets["event"] == LOSS))
    first = _first_times(at_port.seq)
    return Sequence(
        port=recording.ports[port],
        sent=Events(at_port.time[first], at_port.seq[first]),
        resent=Events(at_port.time[~first], at_port.seq[~first]),
        dropped=_events(packets, lost),
        acked=_acked(recording, flow),
    )


def _of(packets: Mapping[str, Any], index: int) -> NDArray[np.bool_]:
    """Rows of the flow's data."""
    mine: NDArray[np.bool_] = (packets["flow"] == index) & ~packets["ack"]
    return mine


def _seen(packets: Mapping[str, Any], index: int) -> NDArray[np.bool_]:
    """Rows of the flow's data at ports."""
    at_port: NDArray[np.bool_] = packets["port"] >= 0
    return _of(packets, index) & at_port


def _events(packets: Mapping[str, Any], chosen: NDArray[np.bool_]) -> Events:
    return Events(packets["time"][chosen], packets["seq"][chosen])


def _first_times(seq: Numbers) -> NDArray[np.bool_]:
    """Marks first occurrences of numbers."""
    first = np.zeros(len(seq), dtype=np.bool_)
    first[np.unique(seq, return_index=True)[1]] = True
    return first


def _acked(recording: Recording, flow: str) -> Events:
    """The ACK line, as steps; before the first ACK there is none."""
    if _transport(recording, flow) == "udp":
        return Events(np.empty(0), np.empty(0, np.int64))
    view = recording.flow(flow)
    with suppress(ParshallError):
        packets = view.deliveries
        acks = packets.ack & (packets.event == RECEIVED)
        return _rises(packets.time[acks], packets.seq[acks])
    with suppress(ParshallError):
        return _rises(view.window.time, view.window.high_ack)
    raise ParshallError(
        f"{flow}: no acknowledgements recorded, expected record.deliveries or record.window to name it"
    )


def _rises(time: Reals, seq: Numbers) -> Events:
    """The instants at which the highest acknowledged packet went up."""
    highest = np.maximum.accumulate(seq) if len(seq) else seq
    up = np.diff(highest, prepend=-1) > 0
    return Events(time[up], highest[up])


def _transport(recording: Recording, flow: str) -> str:
    return next(each.transport.kind for each in recording.scenario.flows if each.name == flow)


def _first_port(recording: Recording, flow: str) -> str:
    """The port that the flow's source sends through, when only one link leaves it."""
    source = next(each.source for each in recording.scenario.flows if each.name == flow)
    for link in recording.scenario.links:
        if source in link.between:
            other = link.between[1] if link.between[0] == source else link.between[0]
            return f"{source}->{other}"
    return recording.ports[0]
