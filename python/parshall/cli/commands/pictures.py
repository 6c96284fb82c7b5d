"""Pictures of the folders that ``run --seeds`` and ``sweep`` write."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.cli.commands.results import ensemble_tables, read, sweep_rows
from parshall.recording.pictures import Distribution, Measured, Row, Strip, draw_strips, plot_points
from parshall.stats import AT_LEAST_ZERO, SHARE, mean_interval
from parshall.support.results import opened

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__all__ = ["ensemble_picture", "sweep_picture"]

_MOST_ROWS = 12
"""Flows that have a row each; of more there is a distribution."""


def sweep_picture(folder: Path, metrics: Sequence[str], x: str | None) -> Figure:
    """The metrics of a sweep over its parameters. Raises InputError for a metric or parameter that it does
    not have, and ParshallError for a folder that was damaged.
    """
    manifest = opened(folder / "sweep.json")
    names = manifest["parameters"]
    points = [each["parameters"] for each in manifest["points"]]
    values: dict[str, list[list[float]]] = {name: [[] for _ in points] for name in manifest["metrics"]}
    places = {_key(point, names): place for place, point in enumerate(points)}
    for row in sweep_rows(folder, manifest):
        for name, own in values.items():
            own[places[_key(row, names)]].append(float("nan") if row[name] is None else float(row[name]))
    title = manifest.get("title") or folder.name
    # None stands for no end of a range, since JSON has no infinity.
    ranges = {
        name: (-math.inf if least is None else least, math.inf if most is None else most)
        for name, (least, most) in manifest.get("ranges", {}).items()
    }
    measured = Measured(title, tuple(points), values, manifest.get("units", {}), ranges)
    return plot_points(measured, list(metrics) or None, x)


def _key(labels: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(labels[name] for name in names)


def ensemble_picture(folder: Path) -> Figure:
    """Draws the common course and the spread of several seeds: figures of each run, the flows, and
    how long transfers took.
    """
    result = read(folder)
    runs = list(result.points[""].values())
    strips: list[Strip | Distribution] = [
        _of_runs(name, [run[name] for run in runs])
        for name in runs[0]
        if any(np.isfinite(run[name]) for run in runs)
    ]
    manifest, tables = ensemble_tables(folder)
    flows = {name: tables["flows"][name].to_pylist() for name in ("flow", "bytes_delivered", "completed_at")}
    goodput = 8 * np.array(flows["bytes_delivered"], dtype=np.float64) / manifest["counted_seconds"]
    strips.append(_by_flow("goodput of flows", "bit/s", flows["flow"], goodput))
    if (times := _completion_times(tables["flows"])) is not None:
        strips.append(Distribution("flows completed within", "s", _groups(flows["flow"], times)))
    title = manifest.get("title") or folder.name
    return draw_strips(strips, f"{title}, {len(runs)} seeds: means with 95 % intervals")


def _of_runs(name: str, values: Sequence[float]) -> Strip:
    title, _, unit = name.rpartition(", ")
    within = SHARE if name.startswith("fairness") else (0.0, 100.0) if unit == "%" else AT_LEAST_ZERO
    row = Row("", mean_interval(list(values), within=within), tuple(values))
    return Strip(title or name, unit if title else "", (row,))


def _by_flow(
    title: str, unit: str, names: Sequence[str], values: NDArray[np.float64]
) -> Strip | Distribution:
    by_flow: dict[str, list[float]] = {}
    for name, value in zip(names, values.tolist(), strict=True):
        by_flow.setdefault(name, []).append(value)
    if len(by_flow) > _MOST_ROWS:
        return Distribution(f"{title}, at most", unit, _groups(names, values))
    rows = (Row(name, mean_interval(own, within=AT_LEAST_ZERO), tuple(own)) for name, own in by_flow.items())
    return Strip(title, unit, tuple(rows))


def _groups(names: Sequence[str], values: NDArray[np.float64]) -> tuple[tuple[str, NDArray[np.float64]], ...]:
    """Values by what flows of a group have in common: their names without the number. NaN in all is left
    out: such flows have nothing that completes.
    """
    groups: dict[str, list[float]] = {}
    for name, value in zip(names, values.tolist(), strict=True):
        groups.setdefault(name.rstrip("0123456789") or name, []).append(value)
    arrays = {name: np.array(own) for name, own in groups.items()}
    return tuple((name, own) for name, own in arrays.items() if np.isfinite(own).any())


def _completion_times(flows: Any) -> NDArray[np.float64] | None:
    """Seconds from start to completion; none where nothing completed, or where an older file has no
    starts.
    """
    if "started_at" not in flows.column_names:
        return None
    columns = (flows[name].to_numpy() for name in ("completed_at", "started_at"))
    ends, starts = columns
    times: NDArray[np.float64] = ends - starts
    return times if np.isfinite(times).any() else None
