"""A count of UDP bytes beside estimators, where the protocol does not tell who responds (I.D.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parshall.estimators import UdpCounter
from parshall.scenario import Series
from parshall_studies import study as st
from parshall_studies.nonresponsive import networks as net
from parshall_studies.nonresponsive.cases import Case
from parshall_studies.nonresponsive.mixes import MIXES, Mix
from parshall_studies.nonresponsive.traces import RECORDED, Reals, by_interval, mean_square_error, traces_of
from parshall_studies.responsiveness import response
from parshall_studies.study.bench import tables_of

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall.scenario import Dumbbell
    from parshall_studies.nonresponsive.traces import Traces
    from parshall_studies.nonresponsive.tuned import Entry

COUNTER = "counter/none"
_ESTIMATORS = ("zero-drops/printed", "zero-drops/tuned", "responsiveness/none", "constant/tuned")
"""Entries that stand beside the count."""
START = net.START
"""When estimators are started, in seconds."""
_PLAIN_UDP, _TCP = net.PACKET_BYTES, net.PACKET_BYTES + 40
"""Bytes of a packet of a CBR flow, and of any other, headers included."""


@dataclass(frozen=True)
class _Seen:
    """A run, as a table has it, and as its twin is held against it."""

    told: st.RunSeries
    loss: float
    sent: Mapping[str, float]


def measure(bench: st.Workbench, entries: Sequence[Entry]) -> st.Measures:
    """Each entry in each mix, in the table ``counting``, and how much each group of flows responds, by twin
    runs, in the table ``groups``.
    """
    judged = [entry for entry in entries if entry.name in _ESTIMATORS]
    seen = bench.each(
        "Runs, counts of UDP bytes",
        {name: watched(mix) for name, mix in MIXES.items()},
        lambda name, run: _Seen(_told(name, judged, run), response.loss_at(run), response.sent(run)),
        tables=(*RECORDED, "flow_series"),
    )
    loss = {name: float(np.mean([each.loss for each in runs])) for name, runs in seen.items()}
    given = {name: response.treatment(mix.network(), loss[name]) for name, mix in MIXES.items()}
    twins = {name: response.twin(mix.network(), given[name]) for name, mix in MIXES.items()}
    more = bench.each("Twins with more loss", twins, lambda _, run: response.sent(run))
    counted = {name: [{"counting": each.told} for each in runs] for name, runs in seen.items()}
    groups = {
        name: [
            {"groups": _elasticities(given[name], each.sent, after)}
            for each, after in zip(runs, more[name], strict=True)
        ]
        for name, runs in seen.items()
    }
    return {**tables_of(counted, ("mix",), bench.seeds), **tables_of(groups, ("mix",), bench.seeds)}


def watched(mix: Mix) -> Dumbbell:
    """The network, with what flows of a known protocol or response send in each estimation interval."""
    known = mix.names(mix.udp | mix.responsive)
    series = Series(of=known, interval=round(net.ESTIMATION * net.SAMPLING, 6))
    return mix.network().with_({"record.flow_series": series})


def _told(name: str, entries: Sequence[Entry], run: Recording) -> st.RunSeries:
    """Mean estimate and errors of the count and of each entry."""
    mix = MIXES[name]
    case = Case(f"mixes/{name}", mix.label, watched(mix), delay=net.RTT, start=START)
    traces = traces_of(case, run)
    packets = by_interval(traces.arrivals)[0]
    truth = 1 - _sent(run, mix, mix.responsive, traces) / packets
    shares = {COUNTER: _count(run, mix, traces)}
    shares |= {entry.name: entry.contestant.run(case, traces, entry.settings)[0] for entry in entries}
    return st.RunSeries(
        {"entry": list(shares)},
        {
            "estimate": [np.nanmean(each) for each in shares.values()],
            "off": [np.nanmean(np.abs(each - truth)) for each in shares.values()],
            "mse": [mean_square_error(each[None], truth[None])[0] for each in shares.values()],
            "truth": [truth.mean()] * len(shares),
        },
    )


def _count(run: Recording, mix: Mix, traces: Traces) -> Reals:
    """Share by headers, in each estimation interval."""
    udp = sum(
        (_PLAIN_UDP if group == "c" else _TCP) * _sent(run, mix, frozenset({group}), traces)
        for group in mix.udp
    )
    arrived = by_interval(traces.bytes)[0]
    found: Reals = UdpCounter(1).run(arrived=arrived, udp=udp + np.zeros_like(arrived)).share
    return found


def _sent(run: Recording, mix: Mix, groups: frozenset[str], traces: Traces) -> Reals:
    """Packets that these groups sent in each estimation interval; they reach the port in the same instant."""
    series = run.columns("flow_series")
    names = set(mix.names(groups))
    wanted = np.array([name in names for name in run.flows])[series["flow"]]
    times, places = np.unique(series["time"], return_inverse=True)
    totals = np.bincount(places, weights=wanted * series["packets_sent"].astype(float))
    ends = np.concatenate([[traces.start], traces.times])
    return np.diff(np.interp(ends, times, totals))


def _elasticities(
    given: response.Treatment, before: Mapping[str, float], after: Mapping[str, float]
) -> st.RunSeries:
    found = response.elasticities(given, [(before, after)])
    return st.RunSeries({"group": list(found)}, {"elasticity": list(found.values())})
