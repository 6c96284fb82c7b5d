"""Shorter estimation intervals: the same load in intervals of several lengths.

'It is possible to estimate faster varying non-responsive loads by choosing an estimation interval smaller
than 700ms' (text of Figure 5). All are held against the true share in each of the shortest intervals: a long
one then errs by what the load does within it, a short one by what its few packets scatter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from parshall.scenario import ShareSeries
from parshall.studies.nonresponsive import networks as net
from parshall.studies.nonresponsive.cases import Case
from parshall.studies.nonresponsive.traces import by_interval

if TYPE_CHECKING:
    from parshall.studies.nonresponsive.contestants import Contestant, Settings
    from parshall.studies.nonresponsive.traces import Reals, Traces

__all__ = ["HALVES", "SAMPLES", "SHORTEST", "error_by_samples", "interval_cases"]

SAMPLES = (20, 10, 5)
"""Sampling intervals in an estimation interval, the document's first."""
SHORTEST = min(SAMPLES)
HALVES = (5, 1)
"""Seconds on and off: the fastest load of Figure 5, and one that is five times as fast."""


def interval_cases() -> dict[tuple[int, int], Case]:
    """By the seconds on and off and the sampling intervals in an estimation interval. The runs of a load
    differ in what is recorded only.
    """
    return {(half, samples): _case(half, samples) for half in HALVES for samples in SAMPLES}


def _case(half: int, samples: int) -> Case:
    flows = [net.responsive(), net.cbr(20), *net.pulses(6, half)]
    series = ShareSeries(of="bottleneck", interval=round(samples * net.SAMPLING, 6))
    network = net.single(flows).with_({"record.responsiveness": series})
    label = f"20 CBR, 6 more on and off for {half} s"
    return Case(f"intervals/{half}/{samples}", label, network, delay=net.RTT)


def error_by_samples(
    runs: Mapping[tuple[int, int], Traces], entries: Mapping[tuple[str, str], tuple[Contestant, Settings]]
) -> pa.Table:
    """A row a load, contestant, length of the interval and run: the mean square error against the true share
    in each of the shortest intervals. ``entries`` are contestants by name and kind of settings.
    """
    cases, parts = interval_cases(), []
    for (half, samples), traces in runs.items():
        truth = _fine_truth(traces)
        for (name, kind), (contestant, settings) in entries.items():
            estimates = _estimates(cases[half, samples], traces, contestant, settings, samples)
            held = np.repeat(estimates, samples // SHORTEST, axis=1)[:, : truth.shape[1]]
            parts.append(
                pa.table(
                    {
                        "half": [half] * len(truth),
                        "samples": [samples] * len(truth),
                        "estimator": [name] * len(truth),
                        "settings": [kind] * len(truth),
                        "seed": np.array(traces.seeds),
                        "mse": np.nanmean((held - truth[:, : held.shape[1]]) ** 2, axis=1),
                    }
                )
            )
    return pa.concat_tables(parts)


def _fine_truth(traces: Traces) -> Reals:
    """The true share in each of the shortest intervals, up to the end of the last of the longest."""
    longest = max(SAMPLES)
    kept = traces.arrivals.shape[1] // longest * longest
    udp, arrivals = (by_interval(counts[:, :kept], SHORTEST) for counts in (traces.udp, traces.arrivals))
    return np.divide(udp, arrivals, out=np.full_like(arrivals, np.nan), where=arrivals > 0)


def _estimates(case: Case, traces: Traces, contestant: Contestant, settings: Settings, samples: int) -> Reals:
    if contestant.ranges:
        return contestant.run(case, traces, settings, samples=samples)
    return contestant.run(case, traces, settings)
