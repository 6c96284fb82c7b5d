"""Costs of an RTO: retransmissions that were not needed, and time spent waiting when one was.

The two costs are those of Allman and Paxson, "On estimating end-to-end network path properties", SIGCOMM
1999. On a series of round-trip times every sample stands for both: a packet that arrived (needlessly
retransmitted if it took longer than the RTO in force), and the same packet, had it been lost (the wait is
the RTO in force). In the simulator nothing has to stand for anything: senders count their timeouts, and the
engine knows which were needed.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from parshall.errors import InputError
from parshall_studies import study as st
from parshall_studies.median_rto.scenarios import Tuned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.estimators import RtoEstimator
    from parshall.recording import Recording

    Parts: TypeAlias = Sequence[NDArray[np.float64]]

COSTS = ("spurious_share", "normalized_wait")
"""Costs of a filter: the share of RTTs longer than the RTO, and the mean RTO over the mean RTT."""
SIDES: Mapping[str, tuple[str, ...]] = {
    "median": ("Median", "Median, MAD"),
    "mean": ("Jacobson",),
    "weighted": ("Weighted median",),
    "quantile": ("Quantile",),
}
"""Families whose least waits are compared; the first are the document's, in either reading."""
WARM_UP = 10
"""Samples at the start of each series that are not judged: most windows are full by then."""
_WHAT = "Costs on measured round-trip times"
_SOURCE = (
    "the first 200,000 rows of a series of the public data set 'Roundtrip Times in Networked Telerobots for "
    "Sensory Data Transmissions' (Fern\N{LATIN SMALL LETTER A WITH ACUTE}ndez-Madrigal and others, 2025), as "
    "CSV with one column, rtt_ms"
)
DATA = tuple(
    st.Data(f"rtt/{name}.csv.gz", sha256, _WHAT, _SOURCE)
    for name, sha256 in (
        ("4g-fiber-1k", "036678d0bc99606b31b50404f288eb6d370780849bbbc940d225a6dcaa4ed0f5"),
        ("ros-wifi-static", "a1899a7c38bb859d75fa3642bb64a7712e87189c6d75cc28ad32da57be4597f7"),
        ("wifi-fiber-64k", "bf53f45ff6c68130e167f90df79f7cb570bb2c6735731a1ecc7b38f36c862505"),
        ("wifi-repeater-fiber-1k", "99d7799080979d8a8230f7d98fd8ef5c121bfb5c393769f3201a2e20f434ebeb"),
    )
)
"""Measured series of RTTs."""


def measured_rtts(bench: st.Workbench) -> dict[str, Parts]:
    """The series that are at hand, by name."""
    return {
        Path(data.path).name.removesuffix(".csv.gz"): [read_rtts(bench.files[data.path])]
        for data in DATA
        if data.path in bench.files
    }


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


def rtts_of(run: Recording) -> list[NDArray[np.float64]]:
    """The RTT samples of every flow of a run, each flow's in order of time."""
    rtt = run.columns("rtt")
    order = np.argsort(rtt["flow"], kind="stable")
    parts = np.split(rtt["rtt"][order], np.flatnonzero(np.diff(rtt["flow"][order])) + 1)
    return [part for part in parts if len(part) > WARM_UP]


def series_costs(bench: st.Workbench, grid: Sequence[Tuned], series: Mapping[str, Parts]) -> pa.Table:
    """The costs of every filter of the grid on every series, one row each."""
    work = [(name, tuned) for name in series for tuned in grid]
    found = bench.work("Costs on series of RTTs", work, lambda item: _judged(item[1], series[item[0]]))
    columns: dict[str, list[Any]] = {
        "series": [name for name, _ in work],
        "setting": [tuned.name for _, tuned in work],
    }
    columns |= {name: [costs[name] for costs in found] for name in found[0]}
    return st.tidy(columns, ("series", "setting"))


def matched(results: st.Results, grid: Sequence[Tuned]) -> list[dict[str, Any]]:
    """For each series and family: the least wait at no more spurious timeouts than RFC 6298's setting has.

    ``wait_ratio`` is that wait over the wait of RFC 6298's setting, so below 1 is better; none where no
    setting of the family fires that seldom.
    """
    rows = []
    standard = next(each for each in grid if each.family == "Jacobson" and each.standard)
    families = dict.fromkeys(each.family for each in grid)
    for series in results.labels("series_costs", "series"):
        risk, wait = (results.values("series_costs", name, series=series) for name in COSTS)
        limit, reference = (float(each.at(setting=standard.name).array) for each in (risk, wait))
        for family in families:
            own = [each for each in grid if each.family == family]
            allowed = {
                each: float(wait.at(setting=each.name).array)
                for each in own
                if float(risk.at(setting=each.name).array) <= limit
            }
            best = min(allowed, key=lambda each: allowed[each], default=None)
            rows.append(
                {
                    "series": series,
                    "family": family,
                    "spurious_share": limit,
                    "setting": best,
                    "wait_ratio": None if best is None else allowed[best] / reference,
                }
            )
    return rows


def least_waits(results: st.Results, grid: Sequence[Tuned]) -> pa.Table:
    """For each series, at RFC 6298's risk: the least ``wait_ratio`` of each of :data:`SIDES`, and of all but
    the medians as ``other``; infinite where no setting fires that seldom.
    """
    best: dict[str, dict[str, float]] = {}
    for row in matched(results, grid):
        waits = best.setdefault(row["series"], dict.fromkeys(SIDES, np.inf))
        side = next(side for side, families in SIDES.items() if row["family"] in families)
        waits[side] = min(waits[side], np.inf if row["wait_ratio"] is None else row["wait_ratio"])
    columns: dict[str, list[Any]] = {"series": list(best)}
    columns |= {side: [waits[side] for waits in best.values()] for side in SIDES}
    columns["other"] = [min(waits[side] for side in SIDES if side != "median") for waits in best.values()]
    return st.tidy(columns, ("series",))


def frontier_id(series: str) -> str:
    """Id of the figure of a series."""
    return "frontier-" + "".join(c if c.isalnum() else "-" for c in series.lower())


def _judged(tuned: Tuned, parts: Parts) -> dict[str, float]:
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
    kinds: Mapping[str, Callable[..., RtoEstimator]] = {
        "jacobson": estimators.JacobsonRto,
        "median": estimators.MedianRto,
        "weighted-median": estimators.WeightedMedianRto,
        "quantile": estimators.QuantileRto,
    }
    return kinds[tuned.config.kind](**values, min_rto=0.0)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
