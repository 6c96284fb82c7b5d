"""Decisions of the window rule, and input: N of equation (33), computed once more from what was sent and
acknowledged in runs of CA-ARTT, for the forecaster that decided; and that of stock Vegas, by baseRTT.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from parshall.scenario import ArimaVegas, Record
from parshall_studies.arima_vegas.networks import ACCESS_RATE, FLOW
from parshall_studies.arima_vegas.senders import HEADER_BYTES, PAYLOAD_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall_studies.arima_vegas.networks import Path

    Reals = NDArray[np.float64]

RECORD = Record(packets="r0->r1", deliveries=FLOW, window=FLOW)
"""Records that this needs of a run."""
_ARRIVAL, _RECEIVED = 0, 4


class Acks(NamedTuple):
    """The ACKs of new data: when each came, the packet that it acknowledges, and that packet's round trip,
    NaN where it was sent more than once.
    """

    time: Reals
    seq: NDArray[np.int64]
    rtt: Reals

    def since(self, time: float) -> Acks:
        """Those that came from a time on."""
        late = self.time >= time
        return Acks(self.time[late], self.seq[late], self.rtt[late])

    @property
    def known(self) -> Reals:
        """The round trips that are known."""
        return self.rtt[np.isfinite(self.rtt)]


STOCK = ArimaVegas()
"""Bounds of N in stock Vegas: the document's rule takes them over."""


def shares(run: Recording, rule: ArimaVegas | None, path: Path) -> dict[str, float]:
    """Shares of the decisions in congestion avoidance, one a round, on which the window grows, stays and
    shrinks, the median of N, and that of the packets of the window that wait, which the round trip without
    queues tells; NaN where there was none. Without a rule they are those of stock Vegas.
    """
    rounds = np.array([[*each] for each in decided(run, rule)])
    if not rounds.size:
        return dict.fromkeys(("grows", "stays", "shrinks", "backlog", "waiting"), float("nan"))
    found, cwnd, rtt = rounds.T
    waiting = cwnd * (1 - path.without_queues / rtt)
    bounds = rule or STOCK
    grows, shrinks = float((found < bounds.alpha).mean()), float((found > bounds.beta).mean())
    return {
        "grows": grows,
        "stays": 1 - grows - shrinks,
        "shrinks": shrinks,
        "backlog": float(np.median(found)),
        "waiting": float(np.median(waiting)),
    }


class Decided(NamedTuple):
    """A decision: N, the window in packets and the mean round trip of the round, in seconds."""

    backlog: float
    cwnd: float
    rtt: float


def decided(run: Recording, rule: ArimaVegas | None) -> Iterator[Decided]:
    """The decisions, one at the end of each round in congestion avoidance; stock Vegas's without a rule."""
    acks = acks_of(run)
    window = run.columns("window")
    forecasts = None if rule is None else _forecasts(rule, acks.known)
    base, artt, taken, mark = np.inf, np.nan, 0, 0
    own: list[float] = []
    for time, seq, sample in zip(*acks, strict=True):
        if seq >= mark:
            row = max(int(np.searchsorted(window["time"], time, side="left")) - 1, 0)
            cwnd, mark = float(window["cwnd"][row]), int(window["next_seq"][row])
            if own and cwnd >= window["ssthresh"][row] and np.isfinite(artt):
                rtt = float(np.mean(own))
                yield Decided(_backlog(cwnd, rtt, base, None if forecasts is None else artt), cwnd, rtt)
            own = []
        if np.isfinite(sample):
            own.append(sample)
            base = min(base, sample)
            artt = base if forecasts is None else float(forecasts[taken])
            taken += 1


def _backlog(cwnd: float, rtt: float, base: float, artt: float | None) -> float:
    """N of equation (33); without a forecast that of stock Vegas, which ns-2 has in whole packets."""
    if artt is None:
        return float(np.floor(cwnd * (1 - base / rtt) + 0.5))
    return (cwnd / artt - cwnd / rtt) * (artt - base)


def acks_of(run: Recording) -> Acks:
    """From the packets of the flow at the bottleneck and its ACKs at the host."""
    packets: Any = run.columns("packets")
    data = (packets["flow"] == run.flows.index(FLOW)) & (packets["ack"] == 0)
    sent = data & (packets["event"] == _ARRIVAL) & (packets["port"] == run.scenario.ports.index("r0->r1"))
    heard = (packets["flow"] == run.flows.index(FLOW)) & (packets["ack"] == 1)
    heard &= packets["event"] == _RECEIVED
    seq, time = packets["seq"][heard].astype(np.int64), packets["time"][heard]
    new = seq > np.maximum.accumulate(np.r_[-1, seq[:-1]])
    seq, time = seq[new], time[new]
    access = 8 * (PAYLOAD_BYTES + HEADER_BYTES) / ACCESS_RATE
    first: dict[int, float] = {}
    again: set[int] = set()
    for number, at in zip(packets["seq"][sent].tolist(), packets["time"][sent].tolist(), strict=True):
        again.add(number) if number in first else first.setdefault(number, at - access)
    rtt = [np.nan if number in again else at - first[number] for number, at in zip(seq, time, strict=True)]
    return Acks(time, seq, np.array(rtt))


def _forecasts(rule: ArimaVegas, rtts: Reals) -> Reals:
    """After each sample; one that is no time is replaced by the sample."""
    from parshall import _core
    from parshall.scenario.canonical import canonical_json

    found = _core.Forecaster(canonical_json(rule.forecaster)).run(np.ascontiguousarray(rtts))
    return np.where(np.isfinite(found) & (found > 0), found, rtts)
