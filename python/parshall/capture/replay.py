"""Replays other retransmission timeouts on a recorded connection.

The round trips of a direction, by data and ACK, go through every RTO filter of the library. A round trip
longer than the RTO in force would have been a spurious timeout; a timeout that happened would have waited for
the RTO in force instead. The base is the filter of Linux.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.rto.filters import LINUX as BASE, LINUX_MIN_RTO, filters, with_own

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.capture.reading import Capture
    from parshall.estimators.rto import RtoEstimator
    from parshall.own import RtoFilter, SharedRtoFilter

__all__ = ["BASE", "LEAST_SAMPLES", "MOST_REPLAYED", "PathRtts", "Replayed", "path_rtts", "replay"]

LEAST_SAMPLES = 20

MOST_REPLAYED = 200
"""Connections of a capture whose report has the filters on each."""


@dataclass(frozen=True)
class Replayed:
    """A filter on a direction of a connection."""

    connection: int
    direction: str
    filter: str
    samples: int
    spurious: int
    """Round trips that were longer than the RTO in force."""
    timeouts: int
    """Timeouts that happened."""
    wait: float
    """Time that these would have waited, in seconds, without backoff."""
    mean_rto: float
    """Mean RTO in force, in seconds."""


@dataclass(frozen=True)
class PathRtts:
    """Round trips of a direction over the whole path, in the order of their answers."""

    time: NDArray[Any]
    """Seconds at which each answer came."""
    rtt: NDArray[Any]
    """Seconds."""
    amid_round: NDArray[np.bool_]
    """The answer is to data that was sent before the last round trip ended, as Linux counts round trips: to
    bytes that were on their way then."""


def path_rtts(capture: Capture, row: Mapping[str, Any], way: str) -> PathRtts:
    """The round trips to the receiver, each with the handshake's to the sender.

    At a point near the sender the latter is next to nothing; near the receiver it is nearly all, and what
    varies on the way there is not seen.
    """
    samples = capture.samples
    of = np.asarray(samples["connection"]) == row["connection"]
    of &= np.asarray(samples["direction"]) == way
    of &= np.asarray(samples["method"]) == "seq"
    other = row["handshake_sender" if way == "f" else "handshake_receiver"] or 0.0
    columns = ("time", "rtt", "acked", "until", "in_flight")
    time, rtt, acked, until, flight = (np.asarray(samples[name])[of] for name in columns)
    return PathRtts(time, rtt + other, _amid_round(until, until - acked + flight))


def _amid_round(until: NDArray[Any], sent: NDArray[Any]) -> NDArray[np.bool_]:
    """Answers up to ``until``, none of which is beyond what was ``sent`` when the last round trip ended."""
    amid = np.zeros(len(until), np.bool_)
    end = None
    for at, (reached, high) in enumerate(zip(until.tolist(), sent.tolist(), strict=True)):
        # Numbers are of 32 bits.
        if end is not None and (reached - end - 1) % 2**32 >= 2**31:
            amid[at] = True
        else:
            end = high
    return amid


def _is_near_receiver(row: Mapping[str, Any], way: str) -> bool:
    """Returns true if the delay varies between the sender and the point, so that no timeout can be judged."""
    far, near = row["handshake_sender"], row["handshake_receiver"]
    if far is None or near is None:
        return False
    return bool(far > near if way == "f" else near > far)


def replay(
    capture: Capture, others: Mapping[str, RtoFilter | SharedRtoFilter | RtoEstimator] | None = None
) -> list[Replayed]:
    """Every filter, and those of one's own, on every direction with at least 20 samples, captured nearer to
    its sender. Raises InputError.
    """
    events = capture.events
    by_timer = np.asarray(events["kind"]) == "rto"
    timeouts, owner, side = (
        np.asarray(events[name])[by_timer] for name in ("time", "connection", "direction")
    )
    found = []
    for row in capture.connections.to_pylist():
        for way in ("f", "b"):
            if row[f"rtt_seq_samples_{way}"] < LEAST_SAMPLES or _is_near_receiver(row, way):
                continue
            rtts = path_rtts(capture, row, way)
            # There may be more samples than are kept.
            if len(rtts.rtt) < LEAST_SAMPLES:
                continue
            own = timeouts[(owner == row["connection"]) & (side == way)]
            for name, estimator in with_own(filters(), others, LINUX_MIN_RTO).items():
                found.append(_replayed(row["connection"], way, name, estimator, (rtts, own)))
    return found


def _replayed(
    connection: int,
    way: str,
    name: str,
    estimator: RtoEstimator,
    series: tuple[PathRtts, NDArray[Any]],
) -> Replayed:
    path, timeouts = series
    rtts = path.rtt
    rtos = np.asarray(estimator.run_rounds(rtts, path.amid_round))
    in_force = np.searchsorted(path.time, timeouts) - 1
    return Replayed(
        connection=connection,
        direction=way,
        filter=name,
        samples=len(rtts),
        spurious=int(np.sum(rtts[1:] > rtos[:-1])),
        timeouts=len(timeouts),
        wait=float(np.sum(rtos[in_force[in_force >= 0]])),
        mean_rto=float(np.mean(rtos)),
    )
