"""Cost of a table that has room for a sample of the flows only: how far its share is from the truth,
beside that of a table that holds all of them, and whether its standard error says so.

Streams are made up, not simulated: flows of unequal rates, half of which halve theirs after a drop.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parshall.control import exp
from parshall.estimators import Responsiveness
from parshall.stats import NORMAL_95
from parshall_studies import study as st
from parshall_studies.responsiveness import senders

FLOWS = 400
SIZES = (4096, 256, 64, 16)
"""Flows that a table holds."""
DROPPED = 0.03
_RATE = 30.0
"""Median of the flows' rates, in packets/s."""
_SPREAD = 1.0
"""Standard deviation of the logarithm of a flow's rate."""
_JUDGED_FROM = 30.0
_SEEDS = 10


def measure(bench: st.Workbench) -> st.Measures:
    """The table ``sampled``: by room for flows and seed, what the estimates are worth."""
    seeds = bench.seeds[:_SEEDS]
    found = bench.work("Samples of flows", seeds, scored)
    columns: dict[str, list[object]] = {
        "room": [str(size) for _ in seeds for size in SIZES],
        "seed": [seed for seed in seeds for _ in SIZES],
    }
    rows = [by_size[size] for by_size in found for size in SIZES]
    for name in rows[0]:
        columns[name] = [row[name] for row in rows]
    return {"sampled": st.tidy(columns, ("room", "seed"))}


def scored(seed: int) -> Mapping[int, Mapping[str, float]]:
    """By size of the table, over the intervals of the second half of a stream: part of the packets that is
    watched, in %, mean square error of the share, mean of its squared standard error, and part of the
    intervals whose bounds hold the truth, in %.
    """
    times, keys, dropped, deaf = stream(seed)
    rows = {}
    for size in SIZES:
        found = Responsiveness(flows=size).run(time=times, flow=keys, signalled=dropped)
        late = found.time > _JUDGED_FROM
        ends = np.append(0.0, found.time)
        truth = np.histogram(times[deaf], ends)[0] / np.histogram(times, ends)[0]
        half = (found.share_upper - found.share_lower)[late] / 2
        error = (found.share_or_middle - truth)[late]
        inside = (truth >= found.share_lower) & (truth <= found.share_upper)
        rows[size] = {
            "watched": 100 * float(found.watched[late].mean()),
            "mse": float((error**2).mean()),
            "variance": float(((half / NORMAL_95) ** 2).mean()),
            "covered": 100 * float(inside[late].mean()),
        }
    return rows


def stream(seed: int) -> senders.Packets:
    """Half of the flows back off."""
    rng = np.random.default_rng(seed)
    rates = [_RATE * exp(_SPREAD * part) for part in rng.standard_normal(FLOWS)]
    keys = rng.integers(0, 2**62, FLOWS)
    parts = []
    for place in range(FLOWS):
        deaf = place % 2 == 1
        sender = senders.hostile if deaf else senders.honest
        times, dropped = sender(rng, DROPPED, rates[place])
        parts.append((times, np.full(len(times), keys[place]), dropped, np.full(len(times), deaf)))
    return senders.merged(parts)
