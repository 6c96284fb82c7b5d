"""Tables and figures of the report, and what its sentences are made of."""

from __future__ import annotations

from typing import Any

from parshall import plot
from parshall_dev.linux_testbed import settings
from parshall_dev.linux_testbed.claims import SENDERS
from parshall_dev.linux_testbed.machine import SERIES
from parshall_dev.linux_testbed.measures import CHAPTER_2, CONSTANT, MACHINE, MODULE, SIMULATOR
from parshall_dev.linux_testbed.settings import (
    DYNAMIC,
    EXPERIMENTS,
    FORMS,
    LABELS,
    LOAD_NAMES,
    MIX,
    QUEUES,
    RATE_LOAD,
    SUPER,
    Scale,
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


def _beside(results: st.Results, judged: st.Judgements) -> st.Table:
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
        f"{what}: {where}" if where == "kernel" else where
        for what in _HEADS
        for where in ("kernel", "simulator")
    )
    return st.Table("beside", ("Experiment", *heads), rows, "matrix")


def _errors(results: st.Results, judged: st.Judgements) -> st.Table:
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
    return st.Table("errors", heads, rows, "matrix")


def _scales(results: st.Results, judged: st.Judgements) -> st.Table:
    """One experiment as it is run here and at the chapter's rate, in the kernel and in the simulator."""
    rows = []
    scaled = {"experiment": "load/76"}
    for label, port, error, place, gains in (
        ("kernel, scaled", "machine_ports", "machine_errors", scaled, {"gains": MODULE}),
        ("kernel, the chapter's rate", "machine_at_rate", "machine_at_rate", {}, {}),
        ("simulator, scaled", "ports", "errors", scaled, {"gains": SIMULATOR}),
        ("simulator, the chapter's rate", "at_rate", "at_rate", {"experiment": RATE_LOAD.name}, {}),
    ):
        found = [results.values(port, measure, **place) for measure in ("drop_rate", "backlog", "share")]
        found.append(results.values(error, "mse", **place, **gains))
        rows.append(
            (
                label,
                *(
                    st.Number(float(each.array.mean())) if port.startswith("machine") else each.interval()
                    for each in found
                ),
            )
        )
    return st.Table("at-rate", ("Where", *_HEADS, "Mean square error"), rows, "matrix")


def _gains(results: st.Results, judged: st.Judgements) -> st.Table:
    rows = []
    for gains in _CARRIED:
        found = {
            setting: float(results.values("gains", "value", gains=gains, setting=setting).array)
            for setting in ("gamma1", "gamma2", "share", "window")
        }
        rows.append((GAINS[gains], *(f"{value:.4g}" for value in found.values())))
    heads = ("Gains", "γ1", "γ2", "start value: share", "start value: window, packets")
    return st.Table("gains", heads, rows)


def scale_of(results: st.Results) -> Scale:
    """Rates at which machines ran."""
    rates, times, repetitions = (
        float(results.values("scale", "value", what=name).array) for name in ("rates", "times", "repetitions")
    )
    return Scale(rates, times, round(repetitions))


NAMES = {
    "experiments": list(EXPERIMENTS),
    "loads": list(LOAD_NAMES),
    "net": settings,
    "scale_of": scale_of,
    "series": SERIES,
    "super": SUPER,
}
_HEADS = ("Dropped, %", "Backlog, kB", "Share")
_CARRIED = (MACHINE, SIMULATOR, CHAPTER_2)
_SHARE = st.Axis("share of non-\nresponsive bytes", limits=(0.4, 1))
SHOWN: tuple[st.Shown, ...] = (
    *(
        st.drawing(
            id,
            [
                st.Course("machine_courses", "time", "measured", _MEASURED, where={"run": 1}),
                st.Course("machine_courses", "time", "estimated", _ESTIMATED, where={"run": 1}),
            ],
            st.Axis("time", "s"),
            _SHARE,
            panels=st.each("{experiment}", experiment={name: LABELS[name] for name in experiments}),
            bands=[st.Spread("courses.estimated", "time", _THERE)],
            height=2.0 + 1.5 * len(experiments),
        )
        for id, experiments in FIGURES.items()
    ),
    st.Made(_beside),
    st.Made(_scales, frozenset({"at_rate"})),
    st.Made(_errors),
    st.means_table(
        "carry-over",
        "Network",
        [
            (f"{rate}; {label}", {"scale": scale, "sender": sender})
            for scale, rate in (("as printed", "100 Mbit/s, 35 flows"), ("as here", "as in the machines"))
            for sender, label in SENDERS.items()
        ],
        {GAINS[gains]: st.quantity("carry_over.mse", gains=gains) for gains in _CARRIED},
        "matrix",
    ),
    st.means_table(
        "queues",
        "Queue",
        st.each("{queue}", queue=QUEUES),
        {
            "TCP, % of the link": ("queues.tcp", 1),
            "UDP, % of the link": ("queues.udp", 1),
            "Dropped, %": ("queues.drop_rate", 2),
            "Queueing delay, ms": ("queues.delay", 1),
        },
    ),
    st.Made(_gains),
    st.means_table(
        "hops",
        "Module",
        st.each("{form}", form=FORMS),
        {
            "Mean square error": ("hops.mse", 4),
            "Mean error": ("hops.bias", 3),
            "Share": ("hops.share", 3),
            "Dropped here, %": ("hops.drop_rate", 2),
            "Dropped at the second, %": ("hops.elsewhere", 2),
        },
    ),
)
