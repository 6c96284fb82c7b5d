"""Measures of what the model assumes: flows that are alike, windows that change slowly, small signals."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from parshall.fluid import FixedLoss, FluidModel, equilibria, simulate
from parshall_studies import study as st
from parshall_studies.fluid.packets import SAMPLE_EVERY, of_run
from parshall_studies.fluid.setting import CBR_RATE, CHAPTER, PACKET_BYTES, UDP_HEADER, Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording
    from parshall.scenario import Dumbbell

    Reals = NDArray[np.float64]

FIXED_LOSSES, FIXED_LOADS, FIXED_DELAYS = (0.001, 0.005, 0.02, 0.1), (0, 10, 25), (0.01, 0.1, 0.4)
"""Drop rates, CBR flows and round trips of networks in which nothing feeds back."""
MIXED = {35: CHAPTER, 140: CHAPTER.with_(tcp=140, cbr=88, rate=112e6, low=60, high=180, limit=240)}
"""The chapter's network, and one that is four times as large, by the number of TCP flows."""
KINDS = ("alike", "different")
WINDOW_LOADS = (4, 16, 22, 25)
"""CBR flows of the networks in which windows are looked at."""
DURATION, WARM_UP = 60.0, 20.0
DEVIATION = 0.05
"""Part of the window at rest by which it is set off."""
_SPREAD = np.array([0.25, 1.75])
"""Least and greatest round trip of flows that differ, over the mean: those of II.C.5 are 24 to 176 ms."""
_RATES = (0.5, 1.5)
"""Least and greatest rate of non-responsive flows that differ, over the mean (II.C.6)."""
_ROUND_TRIPS, _SAMPLES, _SMALLER = 20, 400, 0.01


def fixed_loss(loss: float, cbr: int, delay: float) -> FluidModel:
    """The document's model, with a loss that does not depend on the queue."""
    model = CHAPTER.with_(cbr=cbr, round_trip=delay).model("document")
    return model.with_(loss=FixedLoss(loss), limit=np.inf, weight=None)


# --- Flows that differ --------------------------------------------------------------------------------------


def mixed(bench: st.Workbench) -> st.Measures:
    """Packets of flows that are alike, as the model has them, and of flows that differ."""
    variants = {
        (flows, kind): bell if kind == "alike" else _different(setting, bell)
        for flows, setting in MIXED.items()
        for bell in [_bell(setting)]
        for kind in KINDS
    }

    def rest(key: tuple[int, str], run: Recording) -> dict[str, float]:
        found = of_run(MIXED[key[0]], run)
        return {name: found[name] for name in ("share", "queue", "loss")}

    return bench.measure(
        "Flows that differ",
        variants,
        rest,
        table="mixed",
        dims=("flows", "kind"),
        tables=("flows", "ports", "port_series"),
    )


def _bell(setting: Setting) -> Dumbbell:
    bell = setting.scenario(DURATION, WARM_UP, sample_every=SAMPLE_EVERY)
    assert not setting.elsewhere
    return bell  # type: ignore[return-value]


def _different(setting: Setting, bell: Dumbbell) -> Dumbbell:
    """Flows with round trips and rates of their own, around the same means."""
    from parshall.scenario import Cbr

    tcp, cbr = bell.flows
    least = float(_SPREAD[0]) * setting.round_trip
    delays = (np.linspace(_SPREAD[0], _SPREAD[1], setting.tcp) * setting.round_trip - least) / 4
    payload = PACKET_BYTES - UDP_HEADER
    singles = [
        cbr.replace("count", 1)
        .replace("access_delay", (setting.round_trip - least) / 4)
        .replace("app", Cbr(rate=float(rate) * CBR_RATE * payload / PACKET_BYTES))
        for rate in np.linspace(*_RATES, setting.cbr)
    ]
    own = tcp.replace("access_delay", [float(each) for each in delays])
    return bell.replace("delay", least / 2).replace("flows", [own, *singles])


# --- Windows ------------------------------------------------------------------------------------------------


def windows(bench: st.Workbench) -> st.Measures:
    """How far windows move within a round trip."""
    from parshall.scenario import Record, Series

    settings = {cbr: CHAPTER.with_(cbr=cbr) for cbr in WINDOW_LOADS}
    interval = CHAPTER.round_trip
    record = Record(flow_series=Series(of=[f"tcp{n}" for n in range(1, CHAPTER.tcp + 1)], interval=interval))
    return bench.measure(
        "Windows",
        {cbr: _bell(each).replace("record", record) for cbr, each in settings.items()},
        lambda _, run: {"window_change": _change(run)},
        table="windows",
        dims=("cbr",),
        tables=("flow_series",),
    )


def _change(run: Recording) -> float:
    """Root mean square of what a window changes by from one round trip to the next, over its mean."""
    rows = run.columns("flow_series")
    late = np.asarray(rows["time"]) >= run.scenario.warm_up
    flow, window = np.asarray(rows["flow"])[late], np.asarray(rows["cwnd"], dtype=float)[late]
    by_flow = [window[flow == each] for each in np.unique(flow)]
    moved = np.concatenate([np.diff(each) for each in by_flow])
    return float(np.sqrt(np.mean(moved**2)) / np.mean(window))


# --- Small signals ------------------------------------------------------------------------------------------


def small_signals(bench: st.Workbench) -> st.Measures:
    """How far the model's course after a small deviation is from the course of its linear equation."""
    keys = list(product(FIXED_LOSSES, FIXED_LOADS))
    models = [fixed_loss(loss, cbr, CHAPTER.round_trip) for loss, cbr in keys]
    errors = bench.work("Small signals", models, small_signal_error)
    losses, loads = zip(*keys, strict=True)
    columns = {"loss": list(losses), "cbr": list(loads), "error": list(errors)}
    return {"small_signals": st.tidy(columns, ("loss", "cbr"))}


def small_signal_error(model: FluidModel) -> float:
    """Largest distance of the two courses of window and queue, over the largest deviation of each. A queue
    that stays empty has no course. The linear course is that of a deviation a hundred times smaller.
    """
    found, small = _deviation(model, DEVIATION), _deviation(model, _SMALLER * DEVIATION)
    off, size = np.abs(found - small / _SMALLER).max(axis=0), np.abs(found).max(axis=0)
    return float(np.max(off[size > 0] / size[size > 0]))


def _deviation(model: FluidModel, part: float) -> Reals:
    """Deviations of window and queue from rest, over time, after windows were set off by a part of theirs."""
    rest = equilibria(model).found[0]
    seconds = _ROUND_TRIPS * rest.round_trip
    start = model.state(rest.window * (1 + part), rest.queue)
    samples = simulate(model, seconds, start, rtol=1e-9, atol=1e-11).at(np.linspace(0.0, seconds, _SAMPLES))
    return np.column_stack([samples.window - rest.window, samples.queue - rest.queue])
