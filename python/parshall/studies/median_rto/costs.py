"""What an RTO costs: retransmissions that were not needed, and time spent waiting when one was.

The two costs are those of Allman and Paxson, "On estimating end-to-end network path properties", SIGCOMM
1999. On a series of round-trip times every sample stands for both: a packet that arrived (needlessly
retransmitted if it took longer than the RTO in force), and the same packet, had it been lost (the wait is
the RTO in force). In the simulator nothing has to stand for anything: senders count their timeouts, and the
engine knows which were needed.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from parshall.errors import InputError
from parshall.studies.median_rto.measures import codes_of, column_of
from parshall.studies.median_rto.scenarios import TRAFFICS, Tuned, Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.estimators import RtoEstimator

    Series: TypeAlias = Sequence[NDArray[np.float64]]

__all__ = ["WARM_UP", "live_costs", "matched", "read_rtts", "series_costs", "simulated_rtts"]

WARM_UP = 10
"""Samples at the start of each series that are not judged: most windows are full by then."""

_COUNTED = ("timeouts", "spurious_timeouts", "timeout_wait", "packets_sent", "packets_delivered")

_Work: TypeAlias = "tuple[str, Tuned]"


class _Track(Protocol):
    """Yields the items of a list and tells how far they are done."""

    def __call__(self, items: Sequence[_Work], /) -> Iterator[_Work]: ...


def read_rtts(path: Path) -> NDArray[np.float64]:
    """Round-trip times in seconds, from a file with one column ``rtt_ms``. Raises InputError for another."""
    from pyarrow import csv

    try:
        with gzip.open(path) as file:
            table = csv.read_csv(pa.BufferReader(file.read()))
    except (OSError, EOFError, pa.ArrowInvalid) as error:
        raise InputError(
            str(path), str(error).splitlines()[0], "a gzipped table with the column rtt_ms"
        ) from None
    if "rtt_ms" not in table.column_names or not _is_number(table["rtt_ms"].type):
        raise InputError(str(path), f"columns {', '.join(table.column_names)}", "a column rtt_ms of numbers")
    rtts: NDArray[np.float64] = table["rtt_ms"].cast(pa.float64()).to_numpy() / 1e3
    return rtts


def simulated_rtts(rtt: pa.Table, variant: Variant, seeds: Sequence[int]) -> list[NDArray[np.float64]]:
    """The RTT samples of every flow of the variant's runs with these seeds, each flow's in order of time."""
    rows = rtt.filter((pc.field("variant") == variant.name) & pc.field("seed").isin(list(seeds)))
    flow, _ = codes_of(rows, "flow")
    seed = column_of(rows, "seed")
    order = np.lexsort((column_of(rows, "time"), flow, seed))
    breaks = np.flatnonzero((np.diff(seed[order]) != 0) | (np.diff(flow[order]) != 0)) + 1
    parts = np.split(column_of(rows, "rtt")[order], breaks)
    return [part for part in parts if len(part) > WARM_UP]


def series_costs(
    grid: Sequence[Tuned], series: Mapping[str, Series], track: _Track, jobs: int | None = None
) -> pa.Table:
    """The costs of every filter of the grid on every series, one row each; ``track`` reports progress."""
    work = [(name, tuned) for name in series for tuned in grid]
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda item: _judged(item[1], series[item[0]]), work)
        rows = [
            {"series": name, **_described(tuned), **costs}
            for (name, tuned), costs in zip(track(work), results, strict=True)
        ]
    return pa.Table.from_pylist(rows)


def live_costs(grid: Sequence[Tuned], flows: pa.Table) -> pa.Table:
    """What happened in runs of the simulator: mean counts per run, for each setting and kind of traffic.

    ``flows`` has the variants ``TRAFFIC/NAME`` of :meth:`Tuned.name`.
    """
    per_run = flows.group_by(["variant", "seed"]).aggregate([(name, "sum") for name in _COUNTED])
    means = per_run.group_by("variant").aggregate(
        [*((f"{name}_sum", "mean") for name in _COUNTED), ("seed", "count")]
    )
    found = {row["variant"]: row for row in means.to_pylist()}
    rows = []
    for traffic in TRAFFICS:
        for tuned in grid:
            row = found[f"{traffic}/{tuned.name}"]
            counts = {name: row[f"{name}_sum_mean"] for name in _COUNTED}
            rows.append({"traffic": traffic, **_described(tuned), **counts, "n": row["seed_count"]})
    return pa.Table.from_pylist(rows)


def matched(costs: pa.Table) -> pa.Table:
    """For each series and family: the least wait at no more spurious timeouts than RFC 6298's setting has.

    ``wait_ratio`` is that wait over the wait of RFC 6298's setting, so below 1 is better; none where no
    setting of the family fires that seldom.
    """
    rows = []
    for series in dict.fromkeys(costs["series"].to_pylist()):
        of_series = costs.filter(pc.field("series") == series)
        reference = of_series.filter((pc.field("family") == "Jacobson") & pc.field("standard")).to_pylist()[0]
        for family in dict.fromkeys(of_series["family"].to_pylist()):
            part = of_series.filter(
                (pc.field("family") == family) & (pc.field("spurious_share") <= reference["spurious_share"])
            )
            best = min(part.to_pylist(), key=lambda row: row["normalized_wait"], default=None)
            rows.append(
                {
                    "series": series,
                    "family": family,
                    "spurious_share": reference["spurious_share"],
                    "setting": f"{best['setting']}, multiplier {best['multiplier']:g}" if best else None,
                    "wait_ratio": best["normalized_wait"] / reference["normalized_wait"] if best else None,
                }
            )
    return pa.Table.from_pylist(rows)


def _judged(tuned: Tuned, parts: Series) -> dict[str, float]:
    """Costs over the parts of a series; the filter starts afresh with each."""
    from parshall.estimators import evaluate_rto

    each = [evaluate_rto(part, _filter(tuned), warm_up=WARM_UP) for part in parts]
    samples = sum(costs.samples for costs in each)
    wait, rtt = sum(costs.total_wait for costs in each), sum(costs.total_rtt for costs in each)
    return {
        "samples": samples,
        "spurious_share": sum(costs.spurious for costs in each) / samples,
        "mean_wait": wait / samples,
        "normalized_wait": wait / rtt,
    }


def _filter(tuned: Tuned) -> RtoEstimator:
    """The filter alone: no least and no initial RTO, which would hide what it estimates."""
    from parshall import estimators

    values = tuned.config.model_dump(exclude={"kind"})
    if "window" in values:
        values["k"] = values.pop("window")
    kinds: Mapping[str, Callable[..., RtoEstimator]] = {
        "jacobson": estimators.JacobsonRto,
        "median": estimators.MedianRto,
        "weighted-median": estimators.WeightedMedianRto,
    }
    return kinds[tuned.config.kind](**values, min_rto=0.0)


def _described(tuned: Tuned) -> dict[str, object]:
    return {
        "family": tuned.family,
        "setting": tuned.setting,
        "multiplier": tuned.multiplier,
        "standard": tuned.standard,
    }


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
