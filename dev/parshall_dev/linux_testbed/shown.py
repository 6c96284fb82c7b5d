"""Tables and figures of the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from parshall import plot
from parshall_dev.linux_testbed.claims import SENDERS
from parshall_dev.linux_testbed.measures import CHAPTER_2, CONSTANT, MACHINE, MODULE, SIMULATOR
from parshall_dev.linux_testbed.settings import (
    DYNAMIC,
    EXPERIMENTS,
    LABELS,
    LOAD_NAMES,
    MIX,
    QUEUES,
    SUPER,
)
from parshall_studies import study as st

GAINS = {
    MODULE: "the module itself",
    SIMULATOR: "tuned in the simulator",
    MACHINE: "tuned in machines",
    CHAPTER_2: "Chapter II's",
    CONSTANT: "a constant",
}
FIGURES = {"figure-22": list(LOAD_NAMES), "figure-23": [DYNAMIC], "figure-24": [MIX]}

_MEASURED = st.Look("kernel, measured", plot.INK, line="--")
_ESTIMATED = st.Look("kernel, estimated", plot.SERIES[0])
_THERE = st.Look("simulator, estimated (90 % of runs)", plot.GRID)
_BAND = (0.05, 0.95)


def shown(results: st.Results, judged: st.Judgements) -> Iterator[Any]:
    """In no order."""
    del judged
    for id, experiments in FIGURES.items():
        yield _courses(results, id, experiments)
    yield _beside(results)
    yield _errors(results)
    yield _carry_over(results)
    yield _queues(results)
    yield _gains(results)


def _courses(results: st.Results, id: str, experiments: list[str]) -> st.Figure:
    """Measured and estimated shares in time: the kernel's first run, and the spread of the simulator's."""
    panels = []
    for name in experiments:
        rows = results.rows("machine_courses", experiment=name, run=1)
        time, measured, estimated = (rows[column].to_numpy() for column in ("time", "measured", "estimated"))
        there = results.values("courses", "estimated", experiment=name)
        low, high = np.quantile(there.along("time", "seed"), _BAND, axis=1)
        ends = np.array([float(label) for label in there.labels["time"]])
        band = st.Trace(_THERE, ends, there.along("time", "seed").mean(axis=1), low, high)
        traces = (st.Trace(_MEASURED, time, measured), st.Trace(_ESTIMATED, time, estimated))
        panels.append(st.Panel(traces, LABELS[name], bands=(band,)))
    share = st.Axis("share of non-\nresponsive bytes", limits=(0.4, 1))
    return st.drawn(id, panels, st.Axis("time", "s"), share, height=2.0 + 1.5 * len(panels), legend=2)


def _beside(results: st.Results) -> st.Table:
    """Kernel and simulator beside each other."""
    rows = []
    for name in [*EXPERIMENTS, SUPER]:
        row: list[Any] = [LABELS[name]]
        for measure, decimals in (("drop_rate", 2), ("backlog", 1), ("share", 3)):
            seen = results.values("machine_ports", measure, experiment=name).array
            row.append(st.Number(float(seen.mean()), decimals=decimals))
            there = None
            if name in EXPERIMENTS:
                there = results.values("ports", measure, experiment=name).interval()
            row.append(there)
        rows.append(tuple(row))
    heads = (
        st.Column("Experiment", "text", key=True),
        *("Dropped, %: kernel", "simulator"),
        *("Backlog, kB: kernel", "simulator"),
        *("Share: kernel", "simulator"),
    )
    return st.Table("beside", tuple(_column(head) for head in heads), tuple(rows), "matrix")


def _errors(results: st.Results) -> st.Table:
    """Mean square errors in the kernel, by where gains come from."""
    rows = []
    for name in [*EXPERIMENTS, SUPER]:
        found = [
            float(results.values("machine_errors", "mse", experiment=name, gains=gains).array.mean())
            for gains in GAINS
        ]
        there = (
            results.values("errors", "mse", experiment=name, gains=SIMULATOR).interval()
            if name in EXPERIMENTS
            else None
        )
        by_flows = None
        if name in LOAD_NAMES:
            mse = results.values("flows", "mse", experiment=name).array.mean()
            by_flows = st.Number(float(mse), decimals=4)
        rows.append((LABELS[name], *(st.Number(each, decimals=4) for each in found), there, by_flows))
    heads = ("Experiment", *GAINS.values(), "tuned in the simulator, there", "by flows")
    columns = (st.Column(heads[0], "text", key=True), *(st.Column(head) for head in heads[1:]))
    return st.Table("errors", columns, tuple(rows), "matrix")


def _carry_over(results: st.Results) -> st.Table:
    rows = []
    for scale, rate in (("as printed", "100 Mbit/s, 35 flows"), ("as here", "as in the machines")):
        for sender, label in SENDERS.items():
            where = {"scale": scale, "sender": sender}
            row = [results.values("carry_over", "mse", **where, gains=gains).interval() for gains in _CARRIED]
            rows.append((f"{rate}; {label}", *row))
    heads = ("Network", *(GAINS[gains] for gains in _CARRIED))
    columns = (st.Column(heads[0], "text", key=True), *(st.Column(head) for head in heads[1:]))
    return st.Table("carry-over", columns, tuple(rows), "matrix")


def _queues(results: st.Results) -> st.Table:
    rows = []
    for queue, label in QUEUES.items():
        cells = [
            st.Number(float(results.values("queues", column, queue=queue).array.mean()), decimals=decimals)
            for column, decimals in _QUEUE_COLUMNS.items()
        ]
        rows.append((label, *cells))
    heads = ("Queue", "TCP, % of the link", "UDP, % of the link", "Dropped, %", "Queueing delay, ms")
    columns = (st.Column(heads[0], "text", key=True), *(st.Column(head) for head in heads[1:]))
    return st.Table("queues", columns, tuple(rows), "records")


_QUEUE_COLUMNS = {"tcp": 1, "udp": 1, "drop_rate": 2, "delay": 1}
"""And digits after the point."""
_CARRIED = (MACHINE, SIMULATOR, CHAPTER_2)


def _gains(results: st.Results) -> st.Table:
    rows = []
    for gains in _CARRIED:
        found = {
            setting: float(results.values("gains", "value", gains=gains, setting=setting).array)
            for setting in ("gamma1", "gamma2", "share", "window")
        }
        rows.append((GAINS[gains], *(f"{value:.4g}" for value in found.values())))
    heads = ("Gains", "γ1", "γ2", "start value: share", "start value: window, packets")
    columns = (st.Column(heads[0], "text", key=True), *(st.Column(head) for head in heads[1:]))
    return st.Table("gains", columns, tuple(rows), "records")


def _column(head: st.Column | str) -> st.Column:
    return st.Column(head) if isinstance(head, str) else head
