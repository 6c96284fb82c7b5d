"""Questions beyond the document: over which traffic its claims hold, where the rule leads connections that
meet, what the forecast is good for, and who starves whom.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import Record, Series
from parshall.stats import jain
from parshall_studies import study as st
from parshall_studies.tcp_tp import networks
from parshall_studies.tcp_tp.networks import MAIN, SOURCES, Setting, arrival, mixed, single
from parshall_studies.tcp_tp.quantities import counts, shares_of
from parshall_studies.tcp_tp.senders import (
    ABLATION,
    DOCUMENT,
    NEWRENO,
    OURS,
    PAYLOAD_BYTES,
    READINGS,
    RULES,
    TP,
)

if TYPE_CHECKING:
    from parshall.recording import Recording
    from parshall_studies.tcp_tp.quantities import Reals

FEW_SEEDS = 10
"""Seeds of what goes beyond the document, at most, but for connections that arrive, which scatter more."""
SOME_NS = (40, 60, 100)
"""Connections that fill the link and more."""
SMALLER = "smaller"
"""The link of section IV: 10 Mbit/s with 40 packets."""
TRAFFIC = {name: source.label for name, source in SOURCES.items()} | {
    SMALLER: "Pareto, 1 Mbit/s, at 10 Mbit/s with 40 packets"
}
HALVES = (5, 30)
"""Connections without end that as many more join."""
ARRIVING = {**RULES, "held": READINGS["held"], "oracle": ABLATION["oracle"]}
PAIRS = (
    *((TP, other) for other in (NEWRENO, "cubic", "vegas")),
    *((OURS, other) for other in (NEWRENO, "cubic", "vegas")),
    (NEWRENO, "cubic"),
    (NEWRENO, "vegas"),
)
MIXED_SOURCES = ("bulk", MAIN)
_SAMPLING = 0.5
_LAST = 30.0
"""Seconds at the end of which Jain's index is taken."""
_AS_MUCH = 0.8
"""Share of the others' rate with which those that came later have converged."""


def measure(bench: st.Workbench) -> st.Measures:
    """All of it."""
    return {**_sources(bench), **_readings(bench), **_ablation(bench), **_arrivals(bench), **_mixed(bench)}


def _sources(bench: st.Workbench) -> st.Measures:
    settings = {name: Setting(60, name) for name in SOURCES}
    settings[SMALLER] = Setting(60, MAIN, rate=10e6, limit=40)
    variants = {
        (name, source): partial(single, sender, setting)
        for name, sender in DOCUMENT.items()
        for source, setting in settings.items()
    }
    return _counted(bench, "Traffic of other kinds", variants, "sources", ("sender", "source"))


def _readings(bench: st.Workbench) -> st.Measures:
    variants = {
        (name, n): partial(single, sender, Setting(n)) for name, sender in READINGS.items() for n in SOME_NS
    }
    return _counted(bench, "Readings", variants, "readings", ("sender", "n"))


def _ablation(bench: st.Workbench) -> st.Measures:
    variants = {
        (name, n): partial(single, sender, Setting(n)) for name, sender in ABLATION.items() for n in SOME_NS
    }
    return _counted(bench, "Forecasters", variants, "ablation", ("sender", "n"))


def _counted(bench: st.Workbench, what: str, variants: Any, table: str, dims: tuple[str, ...]) -> st.Measures:
    seeds = bench.seeds[:FEW_SEEDS]
    return bench.measure(what, variants, lambda _, run: counts(run), table=table, dims=dims, seeds=seeds)


def _arrivals(bench: st.Workbench) -> st.Measures:
    record = Record(flow_series=Series(of="*", interval=_SAMPLING))
    variants = {
        (name, half): partial(arrival, sender, half, record)
        for name, sender in ARRIVING.items()
        for half in HALVES
    }
    return bench.measure(
        "Connections arrive",
        variants,
        lambda _, run: _of_arrival(run),
        dims=("sender", "half"),
        tables=("flows", "ports", "flow_series"),
    )


def _of_arrival(run: Recording) -> dict[str, Any]:
    """Time that later connections need to get nearly as much as the others; what all get in the end; and
    the mean rates of both over time.
    """
    time, first, _, _ = shares_of(run, "a")
    _, second, _, _ = shares_of(run, "b")
    later = time > networks.ARRIVAL
    even = time[later][second[later] > _AS_MUCH * first[later]]
    rates = _last_rates(run)
    longest = networks.ARRIVAL_END - networks.ARRIVAL
    row = {
        **counts(run),
        "convergence": float(even[0]) - networks.ARRIVAL if even.size else longest,
        "last_jain": jain(rates),
        "last_throughput": float(rates.sum()),
    }
    phases = st.RunSeries({"time": time}, {"first_rate": first, "second_rate": second})
    return {"arrivals": row, "phases": phases}


def _last_rates(run: Recording) -> Reals:
    """Payload of each connection towards the end, in Mbit/s."""
    table = run.columns("flow_series")
    end = float(table["time"].max())
    before, after = (
        table["packets_delivered"][np.isclose(table["time"], at)].astype(np.float64)
        for at in (end - _LAST, end)
    )
    rates: Reals = (after - before) * 8e-6 * PAYLOAD_BYTES / _LAST
    return rates


def _mixed(bench: st.Workbench) -> st.Measures:
    variants = {
        (first, second, source): partial(mixed, RULES[first], RULES[second], source)
        for first, second in PAIRS
        for source in MIXED_SOURCES
    }

    def of_run(_: Any, run: Recording) -> dict[str, float]:
        halves = [counts(run, flows=group)["throughput"] for group in "ab"]
        return {
            "first_rate": halves[0],
            "second_rate": halves[1],
            "share": halves[0] / sum(halves),
            "loss": counts(run)["loss"],
        }

    return bench.measure(
        "Two kinds meet",
        variants,
        of_run,
        table="mixed",
        dims=("first", "second", "source"),
        seeds=bench.seeds[:FEW_SEEDS],
    )
