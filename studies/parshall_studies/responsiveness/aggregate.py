"""Accuracy of the share on random scenarios without a key per packet: from the queue, arrivals and
drops of the aggregate alone, and from its answer to a known dither.

The lock-in detects that answer: the router loses packets with a known probability, and what arrives after
them is compared with what arrives after the others. If a responsive flow's rate falls with one over the root
of its losses, as that of AIMD does, a loss costs half of the responsive share over ``p`` packets in the long
run, where ``p`` is the part of packets that is dropped or lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from parshall.estimators import NonresponsiveKaczmarz, NonresponsiveKalman
from parshall.scenario import BernoulliLoss
from parshall.stats import mean
from parshall_studies import study as st
from parshall_studies.responsiveness.drawn import INTERVAL, JUDGED_FROM, Drawn

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell
    from parshall_studies.study.values import Reals

PROBABILITY = 0.003
"""Probability of a loss by the known dither."""
HORIZONS: Mapping[str, float] = {"lock_in_short": 2.0, "lock_in": 8.0}
"""Round trips within which the answer is looked for."""
_MOST_BITS = 3e9
"""Scenarios that carry more than this are left out: each packet is recorded."""
SAMPLING = INTERVAL / 10
"""Seconds from one look at the port to the next."""
_LATEST = 5.0
"""Seconds before the end in which packets are not trials: too little is seen of what follows."""
_ARRIVAL, _DROP, _LOSS = 0, 2, 3
"""Events of a packet at the port. A drop on arrival and a loss come right after the arrival."""
_START_WINDOW = 6.3
"""Packets; the printed start of the document's model."""


def chosen(scenarios: Sequence[Drawn]) -> tuple[Drawn, ...]:
    """Those whose packets can be recorded, without traffic in the other direction."""
    return tuple(
        each for each in scenarios if each.rate * each.duration < _MOST_BITS and each.shape != "acks"
    )


def measure(
    bench: st.Workbench, scenarios: Sequence[Drawn], deaf: Mapping[str, Sequence[str]]
) -> st.Measures:
    """One row of the table ``aggregate`` for each of these scenarios, of the first seed."""
    by_name = {each.name: each for each in chosen(scenarios)}
    runs = {name: _watched(each, deaf[name]) for name, each in by_name.items()}
    return bench.measure(
        "Runs, aggregates",
        runs,
        lambda name, run: scored(by_name[name], run),
        table="aggregate",
        dims=("case",),
        seeds=bench.seeds[:1],
        tables=("packets", "port_series", "responsiveness"),
    )


def _watched(scenario: Drawn, deaf: Sequence[str]) -> Dumbbell:
    return scenario.network().with_(
        {
            "loss": BernoulliLoss(probability=PROBABILITY, of="data"),
            "record.responsiveness.deaf": list(deaf),
            "record.port_series.interval": SAMPLING,
            "record.packets": ["bottleneck"],
        }
    )


def scored(scenario: Drawn, run: Recording) -> Mapping[str, float]:
    """The truth, and squared errors of one half, of the Kalman filter as it comes, and of the lock-in."""
    seen = run.columns("responsiveness")
    late = (seen["time"] > JUDGED_FROM) & (seen["packets"] > 0)
    truth = seen["packets_deaf"][late] / seen["packets"][late]
    kalman = modelled(scenario, run, NonresponsiveKalman)[: len(late)][late]
    answers = {name: lock_in(scenario, run, round_trips) for name, round_trips in HORIZONS.items()}
    return {
        "truth": mean(truth),
        "half": mean((0.5 - truth) ** 2),
        "kalman": mean((np.nan_to_num(kalman, nan=0.5) - truth) ** 2),
        **{name: mean((share - truth) ** 2) for name, share in answers.items()},
    }


def modelled(
    scenario: Drawn, run: Recording, follows: type[NonresponsiveKalman] | type[NonresponsiveKaczmarz]
) -> Reals:
    """Shares by the document's model, whose unknowns a filter follows, nothing of which was tuned. The run
    has the port every :data:`SAMPLING` seconds.
    """
    counted = run.columns("port_series")
    arrived, dropped, size = (
        np.diff(counted[name].astype(float))
        for name in ("packets_arrived", "packets_dropped", "bytes_arrived")
    )
    capacity = scenario.rate / 8 / (size.sum() / arrived.sum())
    rtt = max(scenario.rtt, SAMPLING)  # The model samples at least once a round trip.
    model = follows(
        capacity,
        rtt,
        SAMPLING,
        estimation_samples=round(INTERVAL / SAMPLING),
        start_z0=0.5 * capacity * rtt,
        start_n_s=0.5 * capacity * rtt / _START_WINDOW,
        zero_drops_after=1,
        count_drops=True,
    )
    backlog = counted["backlog_packets"][1:].astype(float)
    return np.asarray(model.run(backlog=backlog, arrivals=arrived, drops=dropped).share)


def lock_in(scenario: Drawn, run: Recording, round_trips: float) -> float:
    """One share for the whole run, from what arrives within some round trips after a packet that the dither
    took, over what arrives after the others.
    """
    packets = run.columns("packets")
    events = packets["event"][~packets["ack"]]
    arrival = events == _ARRIVAL
    times = packets["time"][~packets["ack"]][arrival]
    within = round_trips * scenario.rtt + SAMPLING
    place = np.arange(len(times))
    after = np.searchsorted(times, times + within) - place - 1.0
    before = place - np.searchsorted(times, times - within).astype(float)
    trials = (times > JUDGED_FROM) & (times < times[-1] - _LATEST)
    taken = (np.append(events[1:], _ARRIVAL) == _LOSS)[arrival][trials]
    if not taken.any():
        return 0.5
    missing = -_freed(after[trials], before[trials])[taken].mean()
    signals = float(np.isin(events, (_DROP, _LOSS)).sum() / len(times))
    return float(np.clip(1 - 2 * signals * missing, 0.0, 1.0))


def _freed(after: Reals, before: Reals) -> Reals:
    """``after`` without its mean and what ``before`` explains of it: bursts."""
    y, x = after - after.mean(), before - before.mean()
    squares = float((x * x).sum())
    return np.asarray(y - (x * y).sum() / squares * x) if squares > 0 else y
