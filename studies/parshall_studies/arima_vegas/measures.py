"""Runs of the study, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.scenario import Record
from parshall.stats import jain
from parshall_studies import study as st
from parshall_studies.arima_vegas import (
    backlog,
    controls,
    decisions,
    forecasts,
    models,
    networks,
    ns2,
    queues,
    timeouts,
)
from parshall_studies.arima_vegas.document import CFS, ERROR_RATES, KS, ROUND_TRIPS
from parshall_studies.arima_vegas.networks import FLOW, MAIN, SYMMETRIC, Path, network
from parshall_studies.arima_vegas.runs import ERRORS, PLACED, TABLES, of_run
from parshall_studies.arima_vegas.senders import (
    ABLATION,
    ARTT,
    DOCUMENT,
    PAYLOAD_BYTES,
    READINGS,
    TIMERS,
    TODAY,
    VEGAS,
    VENOS,
    Sender,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.recording import Recording
    from parshall.scenario import Dumbbell

    Variants = Mapping[Any, Callable[[], Dumbbell]]

CF = 16
"""Mbit/s downstream where the document does not say: the column of Tables 3 and 4 with the most traffic."""
HALVED = 2
"""By how much the heads of Tables 3 and 4 are below Table 2: K is then so much greater."""
GRID_KS = (*KS, HALVED * KS[-1])
"""K of both readings."""
OFFSETS = (*(round(-0.2 + 0.0125 * step, 4) for step in range(33)), 0.5, 1.0)
"""Seconds by which the downstream flow starts after the first upstream flow."""
_FEW_SEEDS = 10
"""Seeds where more show nothing new: for these offsets they move nothing but the phase of clocks."""
FIGURE_5 = Path(cf=CF, k=2, errors=MAIN)
DATA = (ns2.DATA, *timeouts.DATA)
OPTIONAL = frozenset({"ns2", *timeouts.TABLES})
"""Tables that are there only where the data for them is at hand."""


def measure(bench: st.Workbench) -> st.Measures:
    """Runs every setting with every sender."""
    tables: dict[str, Any] = {}
    for name, (what, dims, variants) in _parts().items():
        tables |= bench.measure(
            what, variants, lambda _, run: of_run(run), table=name, dims=dims, tables=TABLES
        )
    tables["by_rate"] = _by_rate(tables["grid"])
    tables["alone_by_rate"] = _alone_by_rate(tables["alone"])
    tables |= queues.measure(bench)
    tables |= controls.measure(bench)
    tables |= _offsets(bench)
    tables |= _windows(bench, tables["grid"])
    tables |= _decisions(bench)
    tables |= _on_the_path(bench)
    tables |= _meetings(bench)
    tables |= models.identify(bench)
    tables |= timeouts.weigh(bench)
    if ns2.DATA.path in bench.files:
        tables["ns2"] = ns2.ns2_cells(bench.files[ns2.DATA.path], CF)
    return tables


def _parts() -> dict[str, tuple[str, tuple[str, ...], Variants]]:
    """By the table's name: what it is, its dimensions, and a network for each combination of their labels."""
    return {
        "grid": (
            "Tables 3 and 4",
            ("sender", "errors", "cf", "k"),
            {
                (name, errors, cf, k): partial(network, sender, Path(cf, k, errors))
                for name, sender in DOCUMENT.items()
                for errors in PLACED
                for cf in CFS
                for k in GRID_KS
            },
        ),
        "readings": ("Readings", ("sender", "errors", "k"), dict(_over_k(READINGS, tuple(ERRORS)))),
        "alone": (
            "No backward traffic",
            ("sender", "k"),
            {
                (name, k): partial(network, sender, Path(CF, k, backward=False))
                for name, sender in DOCUMENT.items()
                for k in KS
            },
        ),
        "symmetric": ("Table 5", ("sender", "errors", "backward"), dict(_symmetric())),
        "error_rates": (
            "Figure 7",
            ("sender", "errors", "rate", "k"),
            {
                (name, errors, rate, k): partial(network, sender, Path(CF, k, errors, float(rate)))
                for name, sender in DOCUMENT.items()
                for errors in PLACED[1:]
                for rate in ERROR_RATES
                for k in KS
            },
        ),
        "round_trips": (
            "Figures 8 and 9",
            ("sender", "errors", "k", "rtt"),
            {
                (name, errors, k, rtt): partial(network, sender, Path(CF, k, errors, round_trip=rtt / 1e3))
                for name, sender in DOCUMENT.items()
                for errors in PLACED
                for k in KS
                for rtt in ROUND_TRIPS
            },
        ),
        "ablation": ("Forecasters", ("sender", "errors", "k"), dict(_over_k(ABLATION, ("none", MAIN)))),
        "today": ("Today", ("sender", "errors", "k"), dict(_over_k(TODAY, ("none", MAIN)))),
        "timers": ("Timeouts", ("sender", "errors", "k"), dict(_over_k(TIMERS, PLACED))),
        "veno": ("Veno", ("sender", "errors", "k"), dict(_over_k(VENOS, PLACED))),
    }


def _over_k(senders: Mapping[str, Sender], errors: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    for name, sender in senders.items():
        for each in errors:
            for k in KS:
                yield (name, each, k), partial(network, sender, Path(CF, k, each))


def _symmetric() -> Iterator[tuple[Any, Any]]:
    from dataclasses import replace

    for name, sender in READINGS.items():
        for errors in ERRORS:
            path = replace(SYMMETRIC, errors=errors)  # type: ignore[arg-type]
            yield (name, errors, "yes"), partial(network, sender, path)
        yield (name, "none", "no"), partial(network, sender, replace(SYMMETRIC, backward=False))


def _by_rate(grid: pa.Table) -> pa.Table:
    """The networks of the grid that differ: what counts is the rate upstream, and of cells that have it in
    common this has the one with the highest rate downstream.
    """
    found: dict[str, list[Any]] = {}
    for row in grid.to_pylist():
        cf, k = row.pop("cf"), row.pop("k")
        if k in KS and (cf == CF or k == KS[-1]):
            row["cr"] = Path(cf, k).cr
            for name, value in row.items():
                found.setdefault(name, []).append(value)
    return st.tidy(found, ("sender", "errors", "cr", st.SEED))


def _alone_by_rate(alone: pa.Table) -> pa.Table:
    """The runs without backward traffic by their upstream rate."""
    rows = [{**row, "cr": Path(CF, row["k"]).cr} for row in alone.to_pylist()]
    columns = {name: [row[name] for row in rows] for name in rows[0] if name != "k"}
    return st.tidy(columns, ("sender", "cr", st.SEED))


def _offsets(bench: st.Workbench) -> st.Measures:
    """The starts instead of the draw: throughput over the offset between them."""
    variants = {
        (name, offset): partial(networks.started, sender, Path(CF, KS[0]), offset)
        for name, sender in DOCUMENT.items()
        for offset in OFFSETS
    }
    return bench.measure(
        "Starts",
        variants,
        lambda _, run: of_run(run),
        table="offsets",
        dims=("sender", "offset"),
        seeds=bench.seeds[:_FEW_SEEDS],
        tables=TABLES,
    )


def _windows(bench: st.Workbench, grid: Any) -> st.Measures:
    """Figure 5: the window of the run whose throughput with Vegas is the median over seeds."""
    place = {"errors": FIGURE_5.errors, "cf": FIGURE_5.cf, "k": FIGURE_5.k}
    found = st.Results({"grid": grid}).values("grid", "throughput", sender=VEGAS, **place)
    order = np.argsort(found.seeds, kind="stable")
    seed = int(found.labels["seed"][order[(len(order) - 1) // 2]])
    return bench.measure(
        "Figure 5",
        {name: partial(network, DOCUMENT[name], FIGURE_5, Record(window=FLOW)) for name in (VEGAS, ARTT)},
        lambda _, run: {"windows": _window(run)},
        dims=("sender",),
        seeds=[seed],
        tables=("flows", "window"),
    )


def _window(run: Recording) -> st.RunSeries:
    window = run.columns("window")
    return st.RunSeries({"time": window["time"]}, {name: window[name] for name in ("cwnd", "ssthresh")})


def _decisions(bench: st.Workbench) -> st.Measures:
    """Decisions of the window rule with each forecaster, and those of stock Vegas."""
    rules = {name: None if name == VEGAS else sender.rule for name, sender in ABLATION.items()}
    variants = {
        (name, k): partial(network, ABLATION[name], Path(CF, k), decisions.RECORD)
        for name in rules
        for k in KS
    }
    return bench.measure(
        "Decisions",
        variants,
        lambda key, run: decisions.shares(run, rules[key[0]], Path(CF, key[1])),
        table="decisions",
        dims=("sender", "k"),
        seeds=bench.seeds[:_FEW_SEEDS],
        tables=("flows", "packets", "window"),
    )


def _on_the_path(bench: st.Workbench) -> st.Measures:
    """Forecasts of the round trips that the document's senders see, and what equations (25) to (27) make of
    them.
    """
    variants = {
        (name, errors, k): partial(network, sender, Path(CF, k, errors), backlog.RECORD)
        for name, sender in DOCUMENT.items()
        for errors in ("none", MAIN)
        for k in KS
    }
    return bench.measure(
        "Round trips on the path",
        variants,
        _seen_on_the_path,
        dims=("sender", "errors", "k"),
        tables=("flows", "packets", "window"),
    )


def _seen_on_the_path(place: Any, run: Recording) -> st.Rows:
    _, errors, k = place
    path = Path(CF, k, errors)
    return {"forecasts": forecasts.errors_of(run), "backlog": backlog.parts_of(run, path)}


def _meetings(bench: st.Workbench) -> st.Measures:
    """Two flows at one bottleneck."""
    return bench.measure(
        "Two flows meet",
        {pair: partial(networks.meeting, *pair) for pair in networks.PAIRS},
        lambda _, run: _of_meeting(run),
        table="meetings",
        dims=("first", "second"),
        tables=("flows", "ports"),
    )


def _of_meeting(run: Recording) -> dict[str, float]:
    """Rates in Mbit/s of payload, Jain's index of them, the mean delay at the bottleneck in ms, transmission
    included, and the share of packets dropped there.
    """
    flows, ports, port = run.columns("flows"), run.columns("ports"), run.scenario.ports.index("r0->r1")
    rates = 8e-6 * PAYLOAD_BYTES * flows["packets_delivered"] / run.counted_seconds
    x, y = map(float, rates)
    arrived = float(ports["packets_arrived"][port])
    return {
        "first_rate": x,
        "second_rate": y,
        "share": x / (x + y),
        "jain": jain((x, y)),
        "delay": 1e3 * float(ports["mean_delay"][port]),
        "drop": float(ports["packets_dropped"][port]) / arrived,
        "utilization": (x + y) * 1e6 / networks.MEETING_RATE,
    }
