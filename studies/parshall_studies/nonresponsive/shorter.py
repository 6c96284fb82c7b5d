"""Shorter estimation intervals: the same load in intervals of several lengths.

'It is possible to estimate faster varying non-responsive loads by choosing an estimation interval smaller
than 700ms' (text of Figure 5). All are held against the true share in each of the shortest intervals: a long
one then errs by what the load does within it, a short one by what its few packets scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from parshall.scenario import ShareSeries
from parshall_studies import study as st
from parshall_studies.nonresponsive import networks as net
from parshall_studies.nonresponsive.cases import Case
from parshall_studies.nonresponsive.traces import RECORDED, by_interval, traces_of

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_studies.nonresponsive.traces import Reals, Traces
    from parshall_studies.nonresponsive.tuned import Entry

SAMPLES = (20, 10, 5)
"""Sampling intervals in an estimation interval, the document's first."""
SHORTEST = min(SAMPLES)
HALVES = (5, 1)
"""Seconds on and off: the fastest load of Figure 5, and one that is five times as fast."""
_JUDGED = ("zero-drops", "responsiveness")


@cache
def interval_case(half: int, samples: int) -> Case:
    """The runs of a load differ in what is recorded only."""
    flows = [net.responsive(), net.cbr(20), *net.pulses(6, half)]
    series = ShareSeries(of="bottleneck", interval=round(samples * net.SAMPLING, 6))
    network = net.single(flows).with_({"record.responsiveness": series})
    label = f"20 CBR, 6 more on and off for {half} s"
    return Case(f"intervals/{half}/{samples}", label, network, delay=net.RTT)


def measure(bench: st.Workbench, entries: Sequence[Entry]) -> st.Measures:
    """The mean square error against the true share in each of the shortest intervals."""
    keys = [(half, samples) for half in HALVES for samples in SAMPLES]
    judged = [entry for entry in entries if entry.contestant.name in _JUDGED]

    def errors(key: tuple[int, int], run: Recording) -> st.Rows:
        case, samples = interval_case(*key), key[1]
        traces = traces_of(case, run)
        found = [_error(entry, case, traces, samples) for entry in judged]
        return {"shorter": st.RunSeries({"entry": [entry.name for entry in judged]}, {"mse": found})}

    variants = {key: interval_case(*key).network for key in keys}
    return bench.measure(
        "Runs, shorter intervals", variants, errors, dims=("half", "samples"), tables=RECORDED
    )


def _error(entry: Entry, case: Case, traces: Traces, samples: int) -> float:
    truth = fine_truth(traces)
    options = {"samples": samples} if entry.contestant.ranges else {}
    estimates = entry.contestant.run(case, traces, entry.settings, **options)
    held = np.repeat(estimates, samples // SHORTEST, axis=1)[:, : truth.shape[1]]
    return float(np.nanmean((held - truth[:, : held.shape[1]]) ** 2))


def fine_truth(traces: Traces) -> Reals:
    """The true share in each of the shortest intervals, up to the end of the last of the longest."""
    longest = max(SAMPLES)
    kept = traces.arrivals.shape[1] // longest * longest
    udp, arrivals = (by_interval(counts[:, :kept], SHORTEST) for counts in (traces.udp, traces.arrivals))
    return np.divide(udp, arrivals, out=np.full_like(arrivals, np.nan), where=arrivals > 0)
