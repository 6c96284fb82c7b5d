"""Timeouts over the number of connections, with and without protection of small windows (V.B), and how many
of them come back to back.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import Record
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner.beyond import FAR, FEW_SEEDS
from parshall_studies.rtt_rto_conditioner.conditioners import (
    EDGES,
    PAID,
    READING,
    RTT,
    RTT_RTO,
    RTT_SW,
    STANDARD,
    SW,
)
from parshall_studies.rtt_rto_conditioner.networks import Setting, shared
from parshall_studies.rtt_rto_conditioner.quantities import PAIR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from parshall.recording import Recording

TIMED = (STANDARD, SW, RTT, RTT_SW, PAID, RTT_RTO, READING)
TIMED_NUMBERS = (2, 4, 20, 50, 200)
"""Connections in each aggregate."""
WATCHED = 10
"""Connections of each aggregate whose every timeout is recorded; all of them where there are fewer."""


def measure(bench: st.Workbench) -> st.Measures:
    """Timeouts at a round trip of F2 of 100 ms."""
    variants = {
        (name, number): partial(
            shared, EDGES[name], Setting(far=FAR, flows=(number, number)), Record(window=_watched(number))
        )
        for name in TIMED
        for number in TIMED_NUMBERS
    }
    return bench.measure(
        "Timeouts",
        variants,
        lambda _, run: of_timeouts(run),
        table="timeouts",
        dims=("edge", "flows"),
        seeds=bench.seeds[:FEW_SEEDS],
        tables=("flows", "window"),
    )


def _watched(number: int) -> list[str]:
    return [f"{name}-{i}" for name in PAIR for i in range(1, min(number, WATCHED) + 1)]


def of_timeouts(run: Recording) -> dict[str, float]:
    """Timeouts a second of all connections, and those of them that come back to back: while the timer is
    still backed off from the one before. Besides, timeouts of a connection a minute, timeouts for each packet
    that is lost, and the mean window in packets. The window, and the part of timeouts that come back to back,
    are those of watched connections.
    """
    flows = run.columns("flows")
    seconds = run.scenario.duration - run.scenario.warm_up
    row = {"timeouts": 0.0, "repeated": 0.0}
    windows = []
    for name in PAIR:
        own = np.array([flow.startswith(f"{name}-") for flow in run.flows])
        often = float(flows["timeouts"][own].sum()) / seconds
        seen, repeated, window = _seen(run, np.flatnonzero(own))
        row["timeouts"] += often
        row["repeated"] += often * repeated / max(seen, 1)
        windows += window
    lost = float(flows["packets_dropped"].sum()) / seconds
    return {
        **row,
        "each": 60 * row["timeouts"] / len(run.flows),
        "per_loss": row["timeouts"] / lost if lost else 0.0,
        "window": float(np.mean(windows)),
    }


def _seen(run: Recording, flows: Iterable[Any]) -> tuple[int, int, list[float]]:
    """Timeouts of watched connections, those of them that come back to back, and the mean windows."""
    table, warm_up = run.columns("window"), run.scenario.warm_up
    seen = repeated = 0
    windows = []
    for flow in flows:
        own = table["flow"] == flow
        time, backoff, cwnd = (table[column][own] for column in ("time", "backoff", "cwnd"))
        if len(time) < 2:
            continue
        later = time[1:] > warm_up
        expired = later & (backoff[1:] > backoff[:-1])
        seen += int(expired.sum())
        repeated += int((expired & (backoff[:-1] > 1)).sum())
        windows.append(float(np.average(cwnd[:-1], weights=np.diff(time))))
    return seen, repeated, windows
