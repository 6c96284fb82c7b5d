"""Measures: settings on training runs, every contestant in every case, the dither, shorter
intervals, the queues of Table III, and alarms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import DitherLoss
from parshall_studies import study as st
from parshall_studies.nonresponsive import (
    alarm,
    cases,
    counting,
    excitation,
    phase,
    shorter,
    treatments,
    windows,
)
from parshall_studies.nonresponsive.cases import Case, case
from parshall_studies.nonresponsive.contestants import contestant
from parshall_studies.nonresponsive.traces import (
    RECORDED,
    mean_square_error,
    relative_error,
    traces_of,
)
from parshall_studies.nonresponsive.tuned import Entry, Tuned, tuned
from parshall_studies.responsiveness import held_out
from parshall_studies.responsiveness.drawn import judging_set

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.recording import Recording
    from parshall_studies.nonresponsive.traces import Reals, Traces

DITHER = DitherLoss(of="data")
"""Where a port asks nobody to slow down, nobody shows whether he would. There the router drops a packet in
a thousand itself, at random, and these drops count beside the queue's own. The one number was chosen on
networks like Figure 11 with 8, 12, 14, 18 and 20 CBR flows in set B, on training seeds; nothing is judged
on those. Where the queue drops more than that by itself, the dither is silent. Data packets only: a lost
ACK asks nobody to slow down."""
DRAWN = ("load/16", "load/22", "load/25", "pulses", "short", "rtt-range", "vbr", "hops")
"""Cases, or groups of cases, of which every interval is kept."""
START_CASES = ("load/16", "load/22", "load/25")
DITHERED = "hops/16"
"""The case of which estimates with the dither are kept."""
STARTS = tuple(percent / 100 for percent in range(2, 99, 6))
_SWEEP_SEEDS = 4
"""Seeds of the curves around Table III: seeds hardly matter there."""


def measure(bench: st.Workbench) -> st.Measures:
    """Tunes on training runs, judges on the others, then the queues of Table III and the alarm."""
    found = tuned(bench)
    every = {each.name: each.network for each in cases.all_cases()}
    dithered = {name: with_dither(case(name)).network for name in every}
    tables: dict[str, pa.Table] = {
        **_measured(bench, "Runs", every, lambda name, run: _judged(found, case(name), run)),
        "tuning": found.table(),
    }
    with_it = _measured(
        bench, "Runs with a dither", dithered, lambda name, run: _dithered(found, case(name), run)
    )
    return {
        **tables,
        **with_it,
        "scores": _joined(tables["scores"], with_it["scores"]),
        **excitation.measure(bench),
        **held_out.without_dither(bench, judging_set()),
        **shorter.measure(bench, found.entries),
        **phase.measure(bench, bench.seeds[:_SWEEP_SEEDS]),
        **alarm.measure(bench, found.entries),
        **windows.measure(bench),
        **counting.measure(bench, found.entries),
        **treatments.measure(bench),
    }


def with_dither(case: Case) -> Case:
    """The case with the dither at its port."""
    from dataclasses import replace

    loss = f"links[{case.port}].loss" if case.several_hops else "loss"
    network = case.network.with_({loss: DITHER, "record.responsiveness.signals": "both"})
    return replace(case, network=network)


def _measured(
    bench: st.Workbench, what: str, variants: Mapping[str, Any], function: Any
) -> dict[str, pa.Table]:
    return bench.measure(what, variants, function, dims=("case",), tables=RECORDED)


def _joined(*tables: pa.Table) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables(tables)


# --- One run ------------------------------------------------------------------------------------------------


def _judged(found: Tuned, case: Case, run: Recording) -> st.Rows:
    """Every contestant, and what is drawn of them."""
    traces = traces_of(case, run)
    entries = [entry for entry in found.entries if not entry.contestant.dithered]
    entries += found.fitted.get(case.name, ())
    truth = traces.true_share
    rows: dict[str, Any] = {
        "scores": scores(case, traces, entries),
        "traffic": {
            "mean_share": float(np.nanmean(truth)),
            "share_variance": float(np.nanvar(truth)),
            "drop_rate": float(traces.drop_rate[0]),
        },
        "whole_numbers": _whole_numbers(case, traces, entries),
        "port": _port(case, run, traces),
    }
    if case.name in DRAWN or case.name.partition("/")[0] in DRAWN:
        shown = {**_shown(entries, case)}
        rows["intervals"] = st.RunSeries(
            {"time": traces.times},
            {"share": truth[0], **{k: _run(e, case, traces) for k, e in shown.items()}},
        )
    if case.name in excitation.CASES:
        rows["excitation"] = excitation.of_run(case, traces)
    if case.name in START_CASES:
        rows["starts"] = _starts(entries, case, traces)
    if case.name in found.homes:
        errors = [_mse(found.homes[home], case, traces) for home in found.homes]
        rows["transfer"] = st.RunSeries({"home": list(found.homes)}, {"mse": errors})
    if case.several_hops:
        rows["links"] = _links(run)
    if case.name == "short":
        sent = run.columns("flows")["packets_sent"][[name.startswith("s") for name in run.flows]].sum()
        rows["short_flows"] = {"packets_sent": float(sent)}
    return rows


def _dithered(found: Tuned, case: Case, run: Recording) -> st.Rows:
    """The contestant that is judged with the dither, and the port's counters."""
    traces = traces_of(case, run)
    entries = [entry for entry in found.entries if entry.contestant.dithered]
    rows: dict[str, Any] = {
        "scores": scores(case, traces, entries),
        "port_dithered": _port(case, run, traces),
    }
    if case.name == DITHERED:
        numbers = {"share": traces.true_share[0], "responsiveness": traces.recorded["responsiveness"][0]}
        rows["dithered_intervals"] = st.RunSeries({"time": traces.times}, numbers)
    return rows


def _run(entry: Entry, case: Case, traces: Traces) -> Reals:
    """Estimates of one run."""
    found: Reals = entry.contestant.run(case, traces, entry.settings)[0]
    return found


def scores(case: Case, traces: Traces, entries: Sequence[Entry]) -> st.RunSeries:
    """Mean square and relative error of each entry."""
    truth = traces.true_share
    estimates = [_run(entry, case, traces)[None] for entry in entries]
    return st.RunSeries(
        {"entry": [entry.name for entry in entries]},
        {
            "mse": [mean_square_error(each, truth)[0] for each in estimates],
            "relative_error": [relative_error(each, truth)[0] for each in estimates],
        },
    )


def _mse(settings: Any, case: Case, traces: Traces) -> float:
    estimates = contestant("zero-drops").run(case, traces, settings)
    return float(mean_square_error(estimates, traces.true_share)[0])


def _shown(entries: Sequence[Entry], case: Case) -> dict[str, Entry]:
    """Courses over time: the document's algorithm with both kinds of settings, and what needs none."""
    of_document = "several-hops" if case.several_hops else "zero-drops"
    return {
        entry.kind if entry.contestant.name == of_document else entry.contestant.name: entry
        for entry in entries
        if entry.kind != "fitted" and (entry.contestant.name == of_document or entry.kind == "none")
    }


def _whole_numbers(case: Case, traces: Traces, entries: Sequence[Entry]) -> st.RunSeries:
    """Distance of the form in whole numbers (Chapter III) from the floating one on the same samples: the
    mean distance over the mean of the floating estimate, and the greatest distance in any interval, in
    points of share.
    """
    rows = {}
    for entry in entries:
        if entry.contestant.name != "fixed-point":
            continue
        fixed = _run(entry, case, traces)
        floating = contestant("zero-drops").run(case, traces, entry.settings)[0]
        apart = np.abs(fixed - floating)
        rows[entry.kind] = (np.nanmean(apart) / np.nanmean(floating), 100 * np.nanmax(apart))
    relative, most = zip(*rows.values(), strict=True)
    return st.RunSeries({"settings": list(rows)}, {"relative": relative, "most": most})


def _starts(entries: Sequence[Entry], case: Case, traces: Traces) -> st.RunSeries:
    """The error of the basic algorithm over its start value, with printed and with tuned gains."""
    truth = traces.true_share
    rows = []
    for entry in entries:
        if entry.contestant.name == "basic":
            for start in STARTS:
                estimates = entry.contestant.run(case, traces, {**entry.settings, "start_share": start})
                error = mean_square_error(estimates, truth)[0]
                rows.append((entry.kind, start, error, np.nanmean(estimates)))
    kinds, starts, errors, estimates_of = zip(*rows, strict=True)
    dims = {"settings": kinds, "start_share": starts}
    return st.RunSeries(dims, {"mse": errors, "mean_estimate": estimates_of})


def _links(run: Recording) -> st.RunSeries:
    """Drop rates in % at the three bottlenecks of Figure 11, over the whole run."""
    ports = [run.port(name) for name in ("r1->r2", "r2->r3", "r2->r4")]
    rates = [100 * port.packets_dropped / port.packets_arrived for port in ports]
    return st.RunSeries({"link": [1, 2, 3]}, {"drop_rate": rates})


def _port(case: Case, run: Recording, traces: Traces) -> dict[str, float]:
    """Counters of the case's port over the whole run; estimates and responsive packets from the estimator's
    start.
    """
    port = run.port("r1->r2" if case.several_hops else "r0->r1")
    return {
        "queue_drops": 100 * port.packets_dropped / port.packets_arrived,
        "dither_drops": 100 * port.packets_lost / port.packets_arrived,
        "throughput": 8e-6 * port.bytes_departed / run.counted_seconds,
        "responsive": float((traces.arrivals - traces.udp).mean() / traces.sampling),
        "delay": 1e3 * port.mean_delay,
        "quiet": 100 * float((traces.signals == 0).mean()),
    }
