"""Figures and tables of the report, and what its sentences are made of."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from parshall import plot
from parshall.fluid import equilibria, stability, whole_packets
from parshall_studies import study as st
from parshall_studies.fluid import measures, setting
from parshall_studies.fluid.assumptions import DEVIATION, fixed_loss
from parshall_studies.fluid.claims import NAMES as MODELS, UNITS, model, packets, share_error
from parshall_studies.fluid.measures import CASES, ELSEWHERE, HOPS_CBR, LOADS, MOVING, STEP_CBR
from parshall_studies.fluid.setting import CALM, CHAPTER, LADDER, Setting

_LOOKS = st.looks(MODELS, marker="")
_LADDER = {name: _LOOKS[name] for name in LADDER}
_MOVING = {name: _LOOKS[name] for name in MOVING}
_PACKETS = st.Look("packets", plot.INK, "o", line="none", size=4.0)
_COURSE = st.Look("packets", plot.INK, width=1.0)
_ROOM = st.Axis("queue", "packets", limits=(0, None))
_TIME = st.Axis("time", "s")
TABLES = (("chapter", 16), ("chapter", 22), ("chapter", 25), ("calm", 0), ("calm", STEP_CBR))
"""Networks whose rest is shown in full."""


# --- Rest ---------------------------------------------------------------------------------------------------


def off(name: str, measure: str) -> st.Expression:
    """Distance of a model from the mean of packets at each load; share and drop rate as a part of theirs."""
    if measure == "share":
        return abs(share_error(name).mean(st.SEED))
    measured = packets(measure).mean(st.SEED)
    error = abs(model(name, measure) - measured)
    return error / measured if measure == "loss" else error


def ratio(name: str, measure: str) -> st.Expression:
    """A model's queue or drop rate over that of packets, averaged over the loads that are there."""
    whole = st.Quantity("models", measure).at(network="chapter", elsewhere=0.0, model=name)
    return (whole / packets(measure)).mean("cbr")


_RATIOS = st.looks({"share": "share", "queue": "mean queue", "loss": "drop rate"})


def _ratio(measure: str) -> st.Expression:
    """The document's model over packets, at the loads that have flows that do not respond."""
    loads = [cbr for cbr in LOADS if cbr]
    return model("document", measure).at(cbr=loads) / packets(measure).at(cbr=loads).mean(st.SEED)


def _errors(results: st.Results, judged: st.Judgements) -> st.Table:
    of = st.NumbersOf(results)
    rows = [
        (
            MODELS[name],
            st.Number(100 * max(of.means(off(name, "share"))), decimals=1),
            st.Number(of.mean(off(name, "queue")), decimals=1),
            st.Number(100 * of.mean(off(name, "loss")), decimals=0),
        )
        for name in LADDER
    ]
    heads = (
        "Largest error of the share, %",
        "Mean error of the queue, packets",
        "Mean error of the drop rate, %",
    )
    return st.Table("errors", ("Model", *heads), rows)


def network_name(network: str, cbr: int) -> str:
    """For a reader."""
    setting: Setting = {"chapter": CHAPTER, "calm": CALM}[network]
    return f"{setting.tcp} TCP and {cbr} CBR flows, {setting.rate / 1e6:g} Mbit/s"


def _rest(network: str, cbr: int, results: st.Results, judged: st.Judgements) -> st.Table:
    where: dict[str, Any] = {"network": network, "cbr": cbr, "elsewhere": 0.0}
    measured = [results.values("packets", each, **where).interval() for each in UNITS]
    rows: list[tuple[Any, ...]] = [("packets", *measured, None, None, None)]
    for name in LADDER:

        def of(column: str, name: str = name) -> float:
            return float(results.values("models", column, **where, model=name).array)

        if math.isnan(of("queue")):
            rows.append((MODELS[name], *["no rest"] * 7))
            continue
        queue = f"{of('queue'):.1f}{' (full)' if of('full') else ''}"
        rows.append(
            (
                MODELS[name],
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
        *("Model", "Share", "Queue, packets", "Dropped, %", "Window, packets"),
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


def _hops(measure: str, decimals: int) -> list[tuple[str, Any]]:
    """Columns of packets and models."""
    where, unit = {"network": "calm", "cbr": HOPS_CBR}, "" if measure == "queue" else ", %"
    head = "Queue of packets" if measure == "queue" else "Dropped here of packets, %"
    return [
        (head, st.quantity(f"packets.{measure}", **where)),
        *(
            (f"{words}{unit}", (st.quantity(f"models.{measure}", **where, model=name), decimals))
            for name, words in (("document", "the document's"), ("whole", "with a pause"))
        ),
    ]


# --- Stability ----------------------------------------------------------------------------------------------


def _stability(results: st.Results, judged: st.Judgements) -> st.Figure:
    """Borders between stable and unstable rest, for three capacities."""
    panels = []
    for rate in map(float, results.labels("growth", "rate")):
        traces = [_stable(results, rate)]
        for case, (name, share) in CASES.items():
            label = MODELS[name] + (", half of the load CBR" if share else "")
            look = _LOOKS[name]
            look = look(label=label, colour=plot.SERIES[5], line="--") if share else look
            traces += _border(results, case, rate, look)
        panels.append(st.Panel(tuple(traces), f"{rate / 1e6:g} Mbit/s"))
    x, y = st.Axis("TCP flows", log=True), st.Axis("round trip", "ms", log=True)
    return st.drawn("stability", panels, x, y, height=8.4, legend=1)


def _grid(results: st.Results, case: str, rate: float) -> tuple[Any, Any, Any]:
    """Flows, round trips in ms, and the growth of deviations, a row for each round trip."""
    found = results.values("growth", "growth", case=case, rate=rate)
    flows, delays = (np.array(found.labels[dim], dtype=float) for dim in ("flows", "round_trip"))
    return flows, 1000 * delays, found.along("round_trip", "flows")


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


# --- What sentences say -------------------------------------------------------------------------------------


def chance(results: st.Results) -> list[float]:
    """Swing of the queue of packets where the model with a pause is at rest."""
    growth = results.values("swings_of_models", "growth", model="whole").array
    deviation = results.values("swings", "deviation").mean("seed").array
    return [float(each) for each in deviation[growth < 0]]


def unstable(results: st.Results, name: str) -> list[int]:
    """Loads of the chapter's network at which the model does not stay at rest."""
    growth = model(name, "growth").values(results).array
    return [cbr for cbr, each in zip(LOADS, growth, strict=True) if each > 0]


def fixed_roots() -> dict[str, Any]:
    """The rightmost roots at a fixed loss, found and in closed form (Lambert's W)."""
    from scipy.special import lambertw

    loss, cbr = 0.005, 10
    fixed = fixed_loss(loss, cbr, CHAPTER.round_trip)
    rest = equilibria(fixed).found[0]
    a = 1 / rest.window
    windows = (float(lambertw(-a * math.exp(a)).real) - a) / rest.round_trip
    queue = -(1 - rest.share) / rest.round_trip
    return {
        "loss": loss,
        "cbr": cbr,
        "found": [float(root.real) for root in stability(fixed, rest, 2).roots],
        "law": sorted((windows, queue), reverse=True),
    }


NAMES = {
    "chance": chance,
    "deviation": DEVIATION,
    "fixed_roots": fixed_roots,
    "loads": LOADS,
    "measures": measures,
    "model": model,
    "net": setting,
    "off": off,
    "packets": packets,
    "pause": whole_packets().pause,
    "ratio": ratio,
    "Span": st.Span,
    "tables": [f"rest-{network}-{cbr}" for network, cbr in TABLES],
    "unstable": unstable,
}
SHOWN: tuple[st.Shown, ...] = (
    st.drawing(
        "rest-over-load",
        [st.Means("loads.share", "cbr", _LADDER, "model"), st.Means(packets("share"), "cbr", _PACKETS)],
        st.Axis("CBR flows of 1 Mbit/s"),
        {
            "share": st.Axis("non-responsive\nshare"),
            "loss": st.Axis("drop rate", "%", log=True),
            "queue": _ROOM,
        },
        height=6.0,
    ),
    st.drawing(
        "ratios",
        [st.Means(_ratio(measure), "cbr", look) for measure, look in _RATIOS.items()],
        st.Axis("CBR flows of 1 Mbit/s"),
        st.Axis("model over packets", limits=(0, None)),
        height=3.0,
    ),
    st.Made(_errors),
    *(st.Made(partial(_rest, *each)) for each in TABLES),
    st.means_table(
        "hops",
        "Lost elsewhere",
        [(f"{100 * loss:g} %", {"elsewhere": loss}) for loss in ELSEWHERE],
        [*_hops("queue", 1), *_hops("loss", 2)],
        "matrix",
    ),
    st.drawing(
        "step",
        [
            st.Means("step.queue", "time", _COURSE(label="packets, mean over runs"), bare=True),
            st.Course("step_models", "time", "queue", _MOVING, "model"),
        ],
        _TIME,
        _ROOM,
        bands=[st.Spread("step.queue", "time", st.Look("90 % of runs", plot.GRID))],
        height=3.0,
    ),
    st.drawing(
        "cycle",
        [
            st.Means("cycle.queue", "time", _COURSE(label="packets, one run"), bare=True),
            st.Course("cycle_models", "time", "queue", _MOVING, "model"),
        ],
        _TIME,
        _ROOM,
        height=3.0,
    ),
    st.drawing(
        "swings",
        [
            st.Means(
                "swings_of_models.deviation",
                "flows",
                {name: look(marker="s") for name, look in _MOVING.items()},
                "model",
            ),
            st.Means("swings.deviation", "flows", _PACKETS),
        ],
        st.Axis("TCP flows", log=True),
        {
            "deviation": st.Axis("deviation of\nthe queue", "packets", limits=(0, None)),
            "frequency": st.Axis("frequency", "1/s", limits=(0, None)),
        },
        height=4.8,
        legend=3,
    ),
    st.Made(_stability),
)
