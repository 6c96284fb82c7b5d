"""Figures and tables of the report."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from parshall import plot
from parshall_studies import study as st
from parshall_studies.fluid.claims import NAMES, UNITS, model, packets
from parshall_studies.fluid.measures import CASES, ELSEWHERE, HOPS_CBR, MOVING, STEP_CBR
from parshall_studies.fluid.setting import CALM, CHAPTER, LADDER, Setting

_LOOKS = {name: look(marker="") for name, look in st.looks(NAMES).items()}
_PACKETS = st.Look("packets", plot.INK, "o", line="none", size=4.0)
_COURSE = st.Look("packets", plot.INK, width=1.0)
_ROOM = st.Axis("queue", "packets", limits=(0, None))
TABLES = (("chapter", 16), ("chapter", 22), ("chapter", 25), ("calm", 0), ("calm", STEP_CBR))
"""Networks whose rest is shown in full."""


def shown(results: st.Results, judged: st.Judgements) -> Iterator[st.Figure | st.Table]:
    """Everything that the page refers to."""
    del judged
    yield _loads(results)
    yield _errors(results)
    for network, cbr in TABLES:
        yield _rest(results, network, cbr)
    yield _hops(results)
    yield _step(results)
    yield _cycle(results)
    yield _swings(results)
    yield _stability(results)


# --- Rest ---------------------------------------------------------------------------------------------------


def _loads(results: st.Results) -> st.Figure:
    """Share, queue and drop rate over the load."""
    every = {
        "share": st.Axis("non-responsive\nshare"),
        "loss": st.Axis("drop rate", "%", log=True),
        "queue": _ROOM,
    }
    panels = []
    for measure, axis in every.items():
        lines = []
        for name in LADDER:
            solved = results.values("loads", measure, model=name)
            lines.append(st.Trace(_LOOKS[name], _numbers(solved.labels["cbr"]), solved.array))
        measured = st.means(_PACKETS, packets(measure).values(results), "cbr")
        panels.append(st.Panel((*lines, measured), y=axis))
    x = st.Axis("CBR flows of 1 Mbit/s")
    return st.drawn("rest-over-load", panels, x, _ROOM, height=6.0)


def errors(results: st.Results, name: str) -> dict[str, Any]:
    """How far a model is from the mean of packets at each load; the drop rate as a share of theirs."""
    found = {}
    for measure in ("share", "queue", "loss"):
        measured = packets(measure).values(results).mean("seed").array
        off = np.abs(model(name, measure).values(results).array - measured)
        found[measure] = off / measured if measure == "loss" else off
    return found


def _errors(results: st.Results) -> st.Table:
    rows = []
    for name in LADDER:
        off = errors(results, name)
        rows.append(
            (
                NAMES[name],
                st.Number(float(off["share"].max()), decimals=3),
                st.Number(float(off["queue"].mean()), decimals=1),
                st.Number(100 * float(off["loss"].mean()), decimals=0),
            )
        )
    heads = (
        st.Column("Model", "text", key=True),
        st.Column("Largest error of the share"),
        st.Column("Mean error of the queue, packets"),
        st.Column("Mean error of the drop rate, %"),
    )
    return st.Table("errors", heads, tuple(rows))


def network_name(network: str, cbr: int) -> str:
    """For a reader."""
    setting: Setting = {"chapter": CHAPTER, "calm": CALM}[network]
    return f"{setting.tcp} TCP and {cbr} CBR flows, {setting.rate / 1e6:g} Mbit/s"


def _rest(results: st.Results, network: str, cbr: int) -> st.Table:
    where: dict[str, Any] = {"network": network, "cbr": cbr, "elsewhere": 0.0}
    measured = [results.values("packets", each, **where).interval() for each in UNITS]
    rows: list[tuple[Any, ...]] = [("packets", *measured, None, None, None)]
    for name in LADDER:

        def of(column: str, name: str = name) -> float:
            return float(results.values("models", column, **where, model=name).array)

        if math.isnan(of("queue")):
            rows.append((NAMES[name], *["no rest"] * 7))
            continue
        queue = f"{of('queue'):.1f}{' (full)' if of('full') else ''}"
        rows.append(
            (
                NAMES[name],
                st.Number(of("share"), decimals=3),
                queue,
                st.Number(of("loss"), decimals=2),
                st.Number(of("window"), decimals=2),
                _root(of("growth"), of("swing")),
                None if math.isnan(of("delay_margin")) else st.Number(of("delay_margin"), decimals=0),
                st.Number(of("round_trip"), decimals=0),
            )
        )
    heads = (
        st.Column("Model", "text", key=True),
        *("Share", "Queue, packets", "Dropped, %", "Window, packets"),
        *("Rightmost root, 1/s", "Delay margin, ms", "RTT, ms"),
    )
    return st.Table(f"rest-{network}-{cbr}", heads, tuple(rows), "matrix").with_words(
        network_name(network, cbr),
        "Packets: mean over seeds ± half the 95 % interval. A positive real part of the rightmost root means "
        "that rest is left.",
    )


def _root(growth: float, swing: float) -> str:
    sign = "\N{MINUS SIGN}" if growth < 0 else "+"
    return f"{sign}{abs(growth):.2f}" + (f" ± {swing:.2f}i" if swing > 1e-9 else "")


def _hops(results: st.Results) -> st.Table:
    rows = []
    for loss in ELSEWHERE:
        where = {"network": "calm", "cbr": HOPS_CBR, "elsewhere": loss}
        row: list[Any] = [f"{100 * loss:g} %"]
        for measure in ("queue", "loss"):
            row.append(results.values("packets", measure, **where).interval())
            for name in MOVING:
                solved = float(results.values("models", measure, **where, model=name).array)
                row.append(st.Number(solved, decimals=1 if measure == "queue" else 2))
        rows.append(tuple(row))
    heads = (
        st.Column("Lost elsewhere", "text", key=True),
        *("Queue of packets", "the document's", "with a pause"),
        *("Dropped here of packets, %", "the document's, %", "with a pause, %"),
    )
    return st.Table("hops", heads, tuple(rows), "matrix")


# --- In time ------------------------------------------------------------------------------------------------


def _step(results: st.Results) -> st.Figure:
    values = results.values("step", "queue")
    time, runs = _numbers(values.labels["time"]), values.along("time", "seed")
    low, high = np.quantile(runs, (0.05, 0.95), axis=1)
    band = st.Trace(st.Look("90 % of runs", plot.GRID), time, runs.mean(axis=1), low, high)
    mean = st.Trace(_COURSE(label="packets, mean over runs"), time, runs.mean(axis=1))
    panel = st.Panel((mean, *_courses(results, "step_models")), bands=(band,))
    return st.drawn("step", panel, st.Axis("time", "s"), _ROOM, height=3.0)


def _cycle(results: st.Results) -> st.Figure:
    values = results.values("cycle", "queue", seed=results.labels("cycle", "seed")[0])
    run = st.Trace(_COURSE(label="packets, one run"), _numbers(values.labels["time"]), values.array)
    panel = st.Panel((run, *_courses(results, "cycle_models")))
    return st.drawn("cycle", panel, st.Axis("time", "s"), _ROOM, height=3.0)


def _courses(results: st.Results, table: str) -> Iterator[st.Trace]:
    for name in MOVING:
        rows = results.rows(table, model=name)
        yield st.Trace(_LOOKS[name], rows["time"].to_numpy(), rows["queue"].to_numpy())


def _swings(results: st.Results) -> st.Figure:
    """Deviation and frequency of the queue over the number of flows."""
    axes = {
        "deviation": st.Axis("deviation of\nthe queue", "packets", limits=(0, None)),
        "frequency": st.Axis("frequency", "1/s", limits=(0, None)),
    }
    panels = []
    for measure, axis in axes.items():
        lines = []
        for name in MOVING:
            solved = results.values("swings_of_models", measure, model=name)
            lines.append(st.Trace(_LOOKS[name](marker="s"), _numbers(solved.labels["flows"]), solved.array))
        measured = st.means(_PACKETS, results.values("swings", measure), "flows")
        panels.append(st.Panel((*lines, measured), y=axis))
    x = st.Axis("TCP flows", log=True)
    return st.drawn("swings", panels, x, _ROOM, height=4.8, legend=3)


# --- Stability ----------------------------------------------------------------------------------------------


def _stability(results: st.Results) -> st.Figure:
    """Borders between stable and unstable rest, for three capacities."""
    panels = []
    for rate in map(float, results.labels("growth", "rate")):
        traces = [_stable(results, rate)]
        for case, (name, share) in CASES.items():
            label = NAMES[name] + (", half of the load CBR" if share else "")
            look = _LOOKS[name]
            look = look(label=label, colour=plot.SERIES[5], line="--") if share else look
            traces += _border(results, case, rate, look)
        panels.append(st.Panel(tuple(traces), f"{rate / 1e6:g} Mbit/s"))
    x, y = st.Axis("TCP flows", log=True), st.Axis("round trip", "ms", log=True)
    return st.drawn("stability", panels, x, y, height=8.4, legend=1)


def _grid(results: st.Results, case: str, rate: float) -> tuple[Any, Any, Any]:
    """Flows, round trips in ms, and the growth of deviations, a row for each round trip."""
    found = results.values("growth", "growth", case=case, rate=rate)
    flows, delays = _numbers(found.labels["flows"]), 1000 * _numbers(found.labels["round_trip"])
    return flows, delays, found.along("round_trip", "flows")


def _stable(results: st.Results, rate: float) -> st.Trace:
    """Dots where rest is stable in the model with a pause."""
    flows, delays, growth = _grid(results, "whole", rate)
    rows, columns = np.nonzero(growth < 0)
    look = st.Look("stable (with a pause)", plot.FAINT, ".", size=2.5)
    return st.Trace(look, flows[columns], delays[rows], style="points")


def _border(results: st.Results, case: str, rate: float, look: st.Look) -> Iterator[st.Trace]:
    """Where the growth is zero; the figure is drawn on logarithmic axes, and so is the line."""
    from contourpy import contour_generator

    flows, delays, growth = _grid(results, case, rate)
    lines = contour_generator(np.log(flows), np.log(delays), np.ma.masked_invalid(growth)).lines(0.0)
    for place, line in enumerate(lines):
        x, y = np.exp(np.asarray(line)).T
        yield st.Trace(look, x, y, label=place == 0)


def _numbers(labels: Any) -> Any:
    return np.array([float(label) for label in labels])
