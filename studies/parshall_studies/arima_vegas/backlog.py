"""Equations (25) to (27) on packets: how much of a round trip is backlog, where, and of whose packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parshall.scenario import Record
from parshall_studies.arima_vegas import decisions
from parshall_studies.arima_vegas.networks import FLOW

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall_studies.arima_vegas.networks import Path

    Reals = NDArray[np.float64]

DOWN, UP = "r0->r1", "r1->r0"
RECORD = Record(packets=[DOWN, UP], deliveries=FLOW, window=FLOW)
"""Records that this needs of a run."""
PARTS = ("explained", "downstream", "own_acks", "base", "rtt", "data_wait", "ack_wait")
_ARRIVAL, _DEPARTURE, _DROP = 0, 1, 2


class _Queued(NamedTuple):
    """Bytes that packets of the downstream flow, or its ACKs, find before them, by the packets' numbers."""

    ahead: dict[int, float]
    """Bytes that have not left."""
    own: dict[int, float]
    """Those of them that are the flow's own."""


def parts_of(run: Recording, path: Path) -> dict[str, float]:
    """Over all known round trips: the sum of N_f / C_f + N_r / C_r over that of RTT - baseRTT (26); of the
    former the part downstream (27), and the part of N_r that is ACKs of the flow; baseRTT, and the mean round
    trip, over the round trip without queues; and how long a packet waits downstream and its ACK upstream, in
    ms on the mean. N is what a packet and its ACK find before them, in bytes. NaN without any.
    """
    down, up = 1e6 * path.cf, 1e3 * path.cr
    there, back = _queued(run, DOWN, down, ack=False), _queued(run, UP, up, ack=True)
    acks = decisions.acks_of(run)
    found = [
        (rtt, there.ahead[seq], back.ahead[seq], back.own[seq])
        for seq, rtt in zip(acks.seq.tolist(), acks.rtt.tolist(), strict=True)
        if np.isfinite(rtt) and seq in there.ahead and seq in back.ahead
    ]
    if not found:
        return dict.fromkeys(PARTS, float("nan"))
    rtt, n_f, n_r, own = np.array(found).T
    base = float(acks.known.min())
    delay = 8 * (n_f / down + n_r / up)
    shares = (_part(delay, rtt - base), _part(8 * n_f / down, delay), _part(own, n_r))
    trips = (base / path.without_queues, float(rtt.mean()) / path.without_queues)
    waits = (1e3 * float((8 * n_f / down).mean()), 1e3 * float((8 * n_r / up).mean()))
    return dict(zip(PARTS, (*shares, *trips, *waits), strict=True))


def _part(some: Reals, whole: Reals) -> float:
    return float(some.sum() / whole.sum()) if whole.any() else float("nan")


def _queued(run: Recording, port: str, rate: float, *, ack: bool) -> _Queued:
    """At a port that serves first in, first out, so that what was taken first leaves first."""
    packets: Any = run.columns("packets")
    here = packets["port"] == run.scenario.ports.index(port)
    dropped = set(zip(*(packets[name][here & (packets["event"] == _DROP)] for name in _WHICH), strict=True))
    came = np.flatnonzero(here & (packets["event"] == _ARRIVAL))
    taken = np.array([i for i in came if tuple(packets[name][i] for name in _WHICH) not in dropped], int)
    left = packets["time"][here & (packets["event"] == _DEPARTURE)]
    time, size = packets["time"][taken], packets["size_bytes"][taken].astype(float)
    gone = np.full(len(taken), np.inf)
    gone[: len(left)] = left[: len(taken)] + 8 * size[: len(left)] / rate
    first = np.searchsorted(gone, time, side="right")
    mine = (packets["flow"][taken] == run.flows.index(FLOW)) & (packets["ack"][taken].astype(bool) == ack)
    ahead, own = (_before(each, first) for each in (size, size * mine))
    numbers = packets["seq"][taken]
    places = {int(numbers[i]): i for i in np.flatnonzero(mine)[::-1]}
    return _Queued(*({seq: float(each[i]) for seq, i in places.items()} for each in (ahead, own)))


_WHICH = ("time", "flow", "ack", "seq")
"""Columns by which a drop is told to be of an arrival."""


def _before(size: Reals, first: NDArray[np.int64]) -> Reals:
    """The sum of the sizes from the first that is still there to the one before each."""
    total = np.r_[0.0, np.cumsum(size)]
    before: Reals = total[:-1] - total[first]
    return before
