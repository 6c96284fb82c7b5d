"""Runs of the document, and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from parshall.scenario import Record, Series
from parshall_studies import study as st
from parshall_studies.rtt_rto_conditioner import beyond, judging, timeouts, traffic
from parshall_studies.rtt_rto_conditioner.conditioners import DOCUMENT, EDGES, RTT, RTT_RTO, RTT_SW, STANDARD
from parshall_studies.rtt_rto_conditioner.document import FARS, PRINTED_FAR
from parshall_studies.rtt_rto_conditioner.networks import Setting, domains, shared
from parshall_studies.rtt_rto_conditioner.quantities import FIVE, counts, equations, errors

if TYPE_CHECKING:
    from parshall.recording import Recording

TABLES = ("flows", "ports", "aggregates", "classes")
CORE_RATES = {"under": 6e6, "over": 10e6, "extreme": 40e6}
"""Bit/s of the domains' links; F1 to F4 may send 8 Mbit/s together."""
NUMBERS = (2, 4, 10, 20, 50, 100, 200)
"""Connections in each aggregate: 'small and large numbers of flows'."""
QUICK_NUMBERS = (2, 20, 200)
"""Those of the quick form."""
SHOWN = "F1-1"
"""The connection of Figure 5."""


def measure(bench: st.Workbench) -> st.Measures:
    """Everything: the document's networks, and what goes beyond them."""
    tables: dict[str, Any] = {}
    tables |= document(bench)
    tables |= beyond.measure(bench)
    tables |= judging.measure(bench)
    return tables


def quick(bench: st.Workbench) -> st.Measures:
    """How evenly edges divide with few connections and with many."""
    return _numbers(bench, QUICK_NUMBERS)


def document(bench: st.Workbench) -> st.Measures:
    """Figures 3 to 6, Tables I and II."""
    return {
        **_grid(bench),
        **_numbers(bench),
        **timeouts.measure(bench),
        **_windows(bench),
        **_domains(bench),
        **traffic.measure(bench),
    }


def _grid(bench: st.Workbench) -> st.Measures:
    """Figures 3 and 4, with what is proposed here beside the document's."""
    record = Record(edges=Series(of=["edge-F1", "edge-F2"], interval=1.0))
    variants = {
        (name, far): partial(shared, edge, Setting(far=far / 1000), record if edge.asks_around else Record())
        for name, edge in EDGES.items()
        for far in FARS
    }

    def of_run(key: tuple[str, int], run: Recording) -> dict[str, Any]:
        rows: dict[str, Any] = {"grid": counts(run)}
        if EDGES[key[0]].asks_around:
            rows["knowledge"] = errors(run)
        return rows

    return bench.measure("Two aggregates", variants, of_run, dims=("edge", "far"), tables=(*TABLES, "edges"))


def _numbers(bench: st.Workbench, numbers: Sequence[int] = NUMBERS) -> st.Measures:
    """Few connections and many, and what the equations say of them."""
    listened = Series(of=["edge-F1", "edge-F2"], interval=1.0)
    record = Record(edges=listened, rtt=["F1-1", "F2-1"])
    variants = {
        (name, number): partial(
            shared,
            DOCUMENT[name],
            Setting(far=PRINTED_FAR / 1000, flows=(number, number)),
            record if DOCUMENT[name].asks_around else Record(),
        )
        for name in (STANDARD, RTT, RTT_RTO, RTT_SW)
        for number in numbers
    }

    def of_run(key: tuple[str, int], run: Recording) -> dict[str, Any]:
        rows: dict[str, Any] = {"numbers": counts(run)}
        if DOCUMENT[key[0]].asks_around:
            rows["equations"] = equations(run)
        return rows

    return bench.measure(
        "Few and many connections",
        variants,
        of_run,
        dims=("edge", "flows"),
        seeds=bench.seeds[: beyond.FEW_SEEDS],
        tables=(*TABLES, "edges", "rtt"),
    )


def _windows(bench: st.Workbench) -> st.Measures:
    """Figure 5: the window of one connection of the first seed."""
    setting, record = Setting(far=PRINTED_FAR / 1000), Record(window=SHOWN)
    variants = {(name,): partial(shared, DOCUMENT[name], setting, record) for name in (STANDARD, RTT, RTT_SW)}

    def of_run(_: Any, run: Recording) -> dict[str, Any]:
        window = run.columns("window")
        return {"windows": st.RunSeries({"time": window["time"]}, {"cwnd": window["cwnd"]})}

    return bench.measure(
        "A window", variants, of_run, dims=("edge",), seeds=bench.seeds[:1], tables=("window",)
    )


def _domains(bench: st.Workbench) -> st.Measures:
    """Figure 6."""
    variants = {
        (name, core): partial(domains, edge, Setting(rate=rate))
        for name, edge in EDGES.items()
        for core, rate in CORE_RATES.items()
    }
    return bench.measure(
        "Several domains",
        variants,
        lambda _, run: counts(run, FIVE),
        table="domains",
        dims=("edge", "core"),
        tables=TABLES,
    )
