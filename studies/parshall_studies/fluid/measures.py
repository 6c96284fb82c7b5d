"""Measures of packets and solutions of the models: where they rest, and how they move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall.fluid import DOCUMENT, FluidModel, critical, equilibria, simulate, stability
from parshall_studies import study as st
from parshall_studies.fluid.assumptions import (
    FIXED_DELAYS,
    FIXED_LOADS,
    FIXED_LOSSES,
    fixed_loss,
    mixed,
    small_signals,
    windows,
)
from parshall_studies.fluid.packets import SAMPLE_EVERY, of_run
from parshall_studies.fluid.setting import CALM, CHAPTER, LADDER, Setting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.recording import Recording

    Reals = NDArray[np.float64]

LOADS = (0, 4, 8, 12, 16, 19, 22, 25, 27)
"""CBR flows of 1 Mbit/s beside the chapter's 35 TCP flows."""
STEP_CBR = 40
HOPS_CBR = 20
ELSEWHERE = (0.0, 0.01, 0.02, 0.03)
"""Share of TCP's packets that is lost behind the bottleneck."""
MOVING = ("document", "whole")
"""Models whose course in time is shown."""
STEP = (15.0, 25.0, 40.0)
"""CBR flows come and go, and the run ends; seconds."""
CYCLE_CBR = 8
CYCLE = (20.0, 100.0)
"""Times of a network whose rest is unstable: from when on it is looked at, and when the run ends; seconds."""
CYCLE_SHOWN = 4.0
SWING_FLOWS = (20, 30, 40, 50, 60, 80, 100, 140, 200)
SWING_SPAN = (20.0, 60.0)
RATES = (10e6, 30e6, 100e6)
CASES = {"document": ("document", 0.0), "whole": ("whole", 0.0), "loaded": ("whole", 0.5)}
"""A model, and the CBR flows' share of the capacity, in the maps of stability."""
GRID_FLOWS, GRID_DELAYS = np.geomspace(5, 300, 31), np.geomspace(0.01, 0.4, 16)
ANY_FLOWS, ANY_DELAYS, ANY_MOST, ANY_LAWS = (15, 35, 100), (0.03, 0.1, 0.3), (0.05, 0.1, 0.5), (1.0, 2.0)
"""TCP flows, round trips, RED's greatest probabilities and factors of windows of other models."""

_DURATION, _WARM_UP = 120.0, 20.0
_SEGMENT = 1024
_SLOWEST = 0.3


def networks() -> dict[tuple[str, int, float], Setting]:
    """States at rest, by the name of the network, CBR flows, and losses elsewhere."""
    return {
        **{("chapter", cbr, 0.0): CHAPTER.with_(cbr=cbr) for cbr in LOADS},
        **{("calm", cbr, 0.0): CALM.with_(cbr=cbr) for cbr in (0, STEP_CBR)},
        **{("calm", HOPS_CBR, loss): CALM.with_(cbr=HOPS_CBR, elsewhere=loss) for loss in ELSEWHERE},
    }


def measure(bench: st.Workbench) -> st.Measures:
    """Packets over seeds, and every model."""
    assumed = {**mixed(bench), **windows(bench), **small_signals(bench)}
    return {**_rest(bench), **assumed, **_step(bench), **_cycle(bench), **_swings(bench), **_stability(bench)}


# --- Rest ---------------------------------------------------------------------------------------------------


def _rest(bench: st.Workbench) -> st.Measures:
    loads = [
        ({"cbr": cbr, "model": name}, CHAPTER.with_(cbr=cbr).model(name))
        for cbr in range(LOADS[0], LOADS[-1] + 1)
        for name in LADDER
    ]
    return {
        **at_rest(bench, networks(), _DURATION, _WARM_UP),
        "any_model": _solved(bench, "Rest of other models", _other_models(), _share_of_load),
        "loads": _solved(bench, "Rest at every load", loads, rest),
    }


def at_rest(
    bench: st.Workbench, settings: Mapping[tuple[str, int, float], Setting], duration: float, warm_up: float
) -> st.Measures:
    """Packets and models of these networks, by name, CBR flows and losses elsewhere."""
    dims = ("network", "cbr", "elsewhere")
    packets = bench.measure(
        "Packets",
        {key: each.scenario(duration, warm_up, sample_every=SAMPLE_EVERY) for key, each in settings.items()},
        lambda key, run: of_run(settings[key], run),
        table="packets",
        dims=dims,
        tables=("flows", "ports", "port_series"),
    )
    models = [
        ({**dict(zip(dims, key, strict=True)), "model": name}, setting.model(name))
        for key, setting in settings.items()
        for name in LADDER
    ]
    return {**packets, "models": _solved(bench, "Rest of the models", models, rest)}


def _other_models() -> list[tuple[dict[str, Any], FluidModel]]:
    """The document's model with other numbers, and with windows that are right or twice as large."""
    return [
        (
            {"flows": flows, "round_trip": delay, "most": most, "factor": factor},
            CHAPTER.with_(tcp=flows, round_trip=delay, most=most)
            .model("document")
            .with_(limit=math.inf, response=replace(DOCUMENT, fraction=DOCUMENT.fraction / factor**2)),
        )
        for flows, delay, most, factor in product(ANY_FLOWS, ANY_DELAYS, ANY_MOST, ANY_LAWS)
    ]


def _share_of_load(model: FluidModel) -> dict[str, float]:
    """Distance of the share at rest from the offered rate of non-responsive flows over the capacity."""
    only = equilibria(model).found[0]
    offered = model.unresponsive.arrivals(only.round_trip) / model.capacity
    return {"off": abs(only.share - offered), "queue": only.queue, "loss": 100 * only.loss}


def rest(model: FluidModel) -> dict[str, float]:
    """The only equilibrium and what becomes of a deviation; NaN unless there is exactly one."""
    only = equilibria(model).only
    if only is None:
        names = ("share", "loss", "queue", "window", "round_trip", "full", "growth", "swing", "delay_margin")
        return dict.fromkeys(names, math.nan)
    near = stability(model, only, 2)
    return {
        "share": only.share,
        "loss": 100 * only.loss,
        "queue": only.queue,
        "window": only.window,
        "round_trip": 1000 * only.round_trip,
        "full": float(only.regime == "full"),
        "growth": near.growth,
        "swing": abs(float(near.roots[0].imag)),
        "delay_margin": 1000 * near.delay_margin,
    }


# --- In time ------------------------------------------------------------------------------------------------


def _step(bench: st.Workbench) -> st.Measures:
    """CBR flows that come and go, after the settling of the start."""
    begin, stop, end = STEP
    loaded = CALM.with_(cbr=STEP_CBR)
    network = loaded.scenario(end, 0.0, sample_every=SAMPLE_EVERY, cbr_between=(begin, stop))
    packets = bench.measure(
        "A load that comes and goes",
        {(): network},
        lambda _, run: _late(queue_of(run), begin - 5),
        table="step",
        dims=(),
        tables=("port_series",),
    )

    def course(name: str) -> st.RunSeries:
        quiet, busy = CALM.model(name), loaded.model(name)
        first = simulate(quiet, begin)
        second = simulate(busy, stop - begin, first)
        parts = [each.every(SAMPLE_EVERY) for each in (first, second, simulate(quiet, end - stop, second))]
        time = np.concatenate([part.time[:-1] for part in parts])  # each begins where the one before ends
        queue = np.concatenate([part.queue[:-1] for part in parts])
        return _late(st.RunSeries({"time": time}, {"queue": queue}), begin - 5)

    return {**packets, "step_models": _courses(bench, "The models in time", course)}


def _cycle(bench: st.Workbench) -> st.Measures:
    """A network whose rest is unstable: one run and the models, and how often each swings."""
    begin, end = CYCLE
    setting = CHAPTER.with_(cbr=CYCLE_CBR)
    network = {(): setting.scenario(end, 0.0, sample_every=SAMPLE_EVERY)}
    times = np.arange(begin, end, SAMPLE_EVERY)
    shown = times < begin + CYCLE_SHOWN

    def of_packets(_: object, run: Recording) -> dict[str, Any]:
        queue = _late(queue_of(run), begin).numbers["queue"]
        return {"cycle_lengths": {"length": 1 / busiest_frequency(queue)}}

    def of_models(name: str) -> Reals:
        queue: Reals = simulate(setting.model(name), end).at(times).queue
        return queue

    packets = bench.measure("Cycles", network, of_packets, dims=(), tables=("port_series",))
    example = bench.measure(
        "One cycle",
        network,
        lambda _, run: _late(queue_of(run), begin, begin + CYCLE_SHOWN),
        table="cycle",
        dims=(),
        seeds=bench.seeds[:1],
        tables=("port_series",),
    )
    queues = dict(zip(MOVING, bench.work("Cycles of the models", MOVING, of_models), strict=True))
    courses = {
        name: st.RunSeries({"time": times[shown]}, {"queue": queue[shown]}) for name, queue in queues.items()
    }
    lengths = {
        "model": list(queues),
        "length": [1 / busiest_frequency(queue) for queue in queues.values()],
    }
    return {
        **packets,
        **example,
        "cycle_models": _by_model(courses),
        "cycle_lengths_of_models": st.tidy(lengths, ("model",)),
    }


def _swings(bench: st.Workbench) -> st.Measures:
    """Size and frequency of the queue's swings with few and many flows."""
    begin, end = SWING_SPAN
    settings = {flows: CALM.with_(tcp=flows) for flows in SWING_FLOWS}

    def of_packets(_: object, run: Recording) -> dict[str, float]:
        queue = _late(queue_of(run), begin).numbers["queue"]
        return {"deviation": float(np.std(queue)), "frequency": busiest_frequency(queue)}

    def of_model(model: FluidModel) -> dict[str, float]:
        found = rest(model)
        if found["growth"] < 0:
            return {"deviation": 0.0, "frequency": found["swing"] / (2 * math.pi), "growth": found["growth"]}
        queue = simulate(model, end).at(np.arange(begin, end, SAMPLE_EVERY)).queue
        return {
            "deviation": float(queue.std()),
            "frequency": busiest_frequency(queue),
            "growth": found["growth"],
        }

    packets = bench.measure(
        "Swings",
        {flows: each.scenario(end, 0.0, sample_every=SAMPLE_EVERY) for flows, each in settings.items()},
        of_packets,
        table="swings",
        dims=("flows",),
        tables=("port_series",),
    )
    models = [
        ({"flows": flows, "model": name}, each.model(name))
        for flows, each in settings.items()
        for name in MOVING
    ]
    return {**packets, "swings_of_models": _solved(bench, "Swings of the models", models, of_model)}


def queue_of(run: Recording) -> st.RunSeries:
    """The backlog of the bottleneck in packets, as it was sampled."""
    series = run.columns("port_series")
    backlog = np.asarray(series["backlog_packets"], dtype=float)
    return st.RunSeries({"time": np.asarray(series["time"])}, {"queue": backlog})


def busiest_frequency(queue: Reals, interval: float = SAMPLE_EVERY) -> float:
    """Where the power spectrum of a series is highest, per second (Welch's method)."""
    from scipy.signal import welch

    frequencies, power = welch(queue, fs=1 / interval, nperseg=min(_SEGMENT, len(queue)))
    power[frequencies < _SLOWEST] = 0.0  # slow wander is no swing
    return float(frequencies[int(np.argmax(power))])


def _late(series: st.RunSeries, begin: float, end: float = math.inf) -> st.RunSeries:
    time = np.round(series.dims["time"], 6)
    kept = (time >= begin) & (time < end)
    return st.RunSeries({"time": time[kept]}, {"queue": series.numbers["queue"][kept]})


# --- Stability ----------------------------------------------------------------------------------------------


def _stability(bench: st.Workbench) -> st.Measures:
    """The growth of deviations, per second: over a grid of networks with RED, and at fixed losses."""
    grid = [
        (
            {"case": case, "rate": rate, "round_trip": delay, "flows": flows},
            CALM.with_(rate=rate, limit=100_000, cbr=round(CASES[case][1] * rate / 1e6), round_trip=delay)
            .model(CASES[case][0])
            .with_(flows=flows),
        )
        for case, rate in product(CASES, RATES)
        for delay, flows in product(GRID_DELAYS.tolist(), GRID_FLOWS.tolist())
    ]
    fixed = [
        ({"loss": loss, "cbr": cbr, "delay": delay}, fixed_loss(loss, cbr, delay))
        for loss, cbr, delay in product(FIXED_LOSSES, FIXED_LOADS, FIXED_DELAYS)
    ]
    borders = [
        {"model": name, "flows": critical(lambda n, m=name: CALM.model(m).with_(flows=n), 20, 100)}  # type: ignore[misc]
        for name in MOVING
    ]
    return {
        "growth": _solved(bench, "Stability with RED", grid, _free_growth),
        "fixed_loss": _solved(bench, "Stability at a fixed loss", fixed, _growth),
        "borders": _listed(borders, ("model",)),
    }


def _growth(model: FluidModel) -> dict[str, float]:
    """Growth at the least stable of all equilibria."""
    found = equilibria(model).found
    return {"growth": max((stability(model, each, 2).growth for each in found), default=math.nan)}


def _free_growth(model: FluidModel) -> dict[str, float]:
    """NaN where a model has no equilibrium in which the queue is free, or not one alone."""
    only = equilibria(model).only
    free = only is not None and only.regime == "free"
    return {"growth": stability(model, only, 2).growth if free and only is not None else math.nan}


# --- Tables -------------------------------------------------------------------------------------------------


def _solved(
    bench: st.Workbench, what: str, models: Sequence[tuple[dict[str, Any], FluidModel]], function: Any
) -> Any:
    """A row for each model."""
    found = bench.work(what, [model for _, model in models], function)
    return _listed(
        [{**labels, **row} for (labels, _), row in zip(models, found, strict=True)], tuple(models[0][0])
    )


def _listed(rows: Sequence[Mapping[str, Any]], dims: tuple[str, ...]) -> Any:
    return st.tidy({name: [row[name] for row in rows] for name in rows[0]}, dims)


def _courses(bench: st.Workbench, what: str, course: Any) -> Any:
    return _by_model(dict(zip(MOVING, bench.work(what, MOVING, course), strict=True)))


def _by_model(courses: Mapping[str, st.RunSeries]) -> Any:
    rows = [
        {"model": name, "time": time, "queue": queue}
        for name, each in courses.items()
        for time, queue in zip(each.dims["time"].tolist(), each.numbers["queue"].tolist(), strict=True)
    ]
    return _listed(rows, ("model", "time"))
