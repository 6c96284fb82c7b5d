"""Readings of the queues, whose size the document does not give: throughput and losses with queues from a
few packets to ns-2's default, which only a large window makes overflow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from parshall_studies import study as st
from parshall_studies.arima_vegas.document import CFS, ERROR_RATES, KS, ROUND_TRIPS
from parshall_studies.arima_vegas.networks import LIMIT, MAIN, SYMMETRIC, Path, network
from parshall_studies.arima_vegas.runs import PLACED, TABLES, of_run
from parshall_studies.arima_vegas.senders import ABLATION, ALWAYS, ARTT, DOCUMENT, VEGAS

if TYPE_CHECKING:
    import pyarrow as pa

    from parshall.scenario import Dumbbell
    from parshall_studies.arima_vegas.networks import Errors

    Variants = Mapping[Any, Callable[[], Dumbbell]]

QUEUES = (LIMIT, 20, 10, 5)
"""Packets that each queue holds, by reading."""
SHORT = 10
"""The reading beside ns-2's default where a sweep over all of them would take too long."""
COMPARED = (VEGAS, ARTT, ALWAYS)
"""The document's senders, and the window that nothing stops."""
PATHS: Mapping[float, Path] = {
    path.cr: path for path in (Path(cf, k) for cf in CFS for k in KS if cf == CFS[-1] or k == KS[-1])
}
"""The networks of Table 2 that differ, by their upstream rate in kbit/s; the other rate does not matter."""
_LOW = ERROR_RATES[:-1]


def measure(bench: st.Workbench) -> st.Measures:
    """Tables over the queue, and those of Figures 7 to 9 with a short one."""
    tables: dict[str, Any] = {}
    for name, (what, dims, variants) in _parts().items():
        tables |= bench.measure(
            what, variants, lambda _, run: of_run(run), table=name, dims=dims, tables=TABLES
        )
    tables["majority"] = majority(tables["queues"])
    return tables


def over_queues(
    senders: Sequence[str], errors: Sequence[Errors], sizes: Sequence[int], rates: Sequence[float]
) -> Variants:
    """A network for each sender, place of errors, size of queues and upstream rate."""
    return {
        (name, where, queue, cr): partial(
            network, ABLATION[name], replace(PATHS[cr], errors=where, queue=queue)
        )
        for name in senders
        for where in errors
        for queue in sizes
        for cr in rates
    }


def _parts() -> dict[str, tuple[str, tuple[str, ...], Variants]]:
    return {
        "queues": (
            "Sizes of queues",
            ("sender", "errors", "queue", "cr"),
            over_queues(COMPARED, ("none", MAIN), QUEUES, tuple(PATHS)),
        ),
        "symmetric_queues": (
            "Table 5, sizes of queues",
            ("sender", "errors", "queue"),
            dict(_symmetric()),
        ),
        "error_rates_short": (
            f"Figure 7, a queue of {SHORT}",
            ("sender", "errors", "rate", "k"),
            {
                (name, errors, rate, k): partial(
                    network, sender, Path(CFS[-1], k, errors, float(rate), queue=SHORT)
                )
                for name, sender in DOCUMENT.items()
                for errors in PLACED[1:]
                for rate in _LOW
                for k in KS
            },
        ),
        "round_trips_short": (
            f"Figures 8 and 9, a queue of {SHORT}",
            ("sender", "errors", "k", "rtt"),
            {
                (name, errors, k, rtt): partial(
                    network, sender, Path(CFS[-1], k, errors, round_trip=rtt / 1e3, queue=SHORT)
                )
                for name, sender in DOCUMENT.items()
                for errors in PLACED
                for k in KS
                for rtt in ROUND_TRIPS
            },
        ),
    }


def _symmetric() -> Iterator[tuple[Any, Any]]:
    for name, sender in DOCUMENT.items():
        for errors in PLACED:
            for queue in QUEUES:
                path = replace(SYMMETRIC, errors=errors, queue=queue)
                yield (name, errors, queue), partial(network, sender, path)


def majority(queues: pa.Table) -> pa.Table:
    """Share of the upstream rates at which CA-ARTT delivers more than Vegas, run by run."""
    found: dict[tuple[str, int, int], dict[float, dict[str, float]]] = {}
    for row in queues.to_pylist():
        cell = found.setdefault((row["errors"], row["queue"], row[st.SEED]), {})
        cell.setdefault(row["cr"], {})[row["sender"]] = row["throughput"]
    rows: dict[str, list[Any]] = {name: [] for name in ("errors", "queue", st.SEED, "better")}
    for (errors, queue, seed), rates in found.items():
        better = sum(own[ARTT] > own[VEGAS] for own in rates.values()) / len(rates)
        for name, value in zip(rows, (errors, queue, seed, better), strict=True):
            rows[name].append(value)
    return st.tidy(rows, ("errors", "queue", st.SEED))
