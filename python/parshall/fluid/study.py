"""What the page on the fluid model shows: rest, trajectories, swings, stability, beside runs of packets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parshall.fluid.equilibrium import Equilibrium, equilibria
from parshall.fluid.measured import Measured, busiest_frequency, measure, queues
from parshall.fluid.setting import CALM, CHAPTER, LADDER, Setting
from parshall.fluid.stability import Stability, stability
from parshall.fluid.trajectory import simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from parshall.fluid.model import FluidModel

    Reals = NDArray[np.float64]

__all__ = [
    "CYCLE",
    "LOADS",
    "SHOWN",
    "STEP",
    "Rest",
    "Swing",
    "Trace",
    "cycle",
    "load_step",
    "region",
    "rest_of",
    "rests",
    "swings",
]

LOADS = (0, 4, 8, 12, 16, 19, 22, 25, 27)
"""CBR flows of 1 Mbit/s beside 35 TCP flows."""
SHOWN = ("document", "whole")
"""Models whose dynamics are shown."""
STEP = (15.0, 25.0, 40.0)
"""CBR flows come and go, and the run ends."""
STEP_CBR = 40
CYCLE = (20.0, 24.0)
"""What is shown of a cycle, seconds."""
CYCLE_CBR = 8
SWING_FLOWS = (20, 30, 40, 50, 60, 80, 100, 140, 200)
SWING_SPAN = (20.0, 60.0)
RATES = (10e6, 30e6, 100e6)
GRID_FLOWS, GRID_DELAYS = np.geomspace(5, 300, 40), np.geomspace(0.01, 0.4, 20)


@dataclass(frozen=True)
class Rest:
    """Where a model rests, and whether it stays there."""

    equilibrium: Equilibrium
    stability: Stability


class Trace(NamedTuple):
    """A queue in the course of time."""

    time: Reals
    queue: Reals


class Swing(NamedTuple):
    """How far and how often a queue swings."""

    deviation: float
    """Standard deviation in packets; of packets the mean over runs."""
    frequency: float
    """Per second; where nothing swings, that of the rightmost root."""


def rest_of(model: FluidModel) -> Rest | None:
    """The only equilibrium; none if there is none, or not one alone."""
    only = equilibria(model).only
    return None if only is None else Rest(only, stability(model, only, 2))


def rests(
    settings: list[Setting], seeds: int, threads: int | None
) -> list[tuple[Setting, Measured, dict[str, Rest | None]]]:
    """Each setting as packets and as every model."""
    measured = measure(settings, seeds, threads)
    return [
        (setting, found, {name: rest_of(setting.model(name)) for name in LADDER})
        for setting, found in zip(settings, measured, strict=True)
    ]


def load_step(seeds: int, threads: int | None) -> tuple[Trace, Reals, dict[str, Trace]]:
    """CBR flows that come and go: the mean queue over runs, its deviation over runs, and the models."""
    begin, stop, end = STEP
    loaded = CALM.with_(cbr=STEP_CBR)
    time, backlogs = queues(loaded, seeds, threads, end, (begin, stop))
    models = {}
    for name in SHOWN:
        quiet, busy = CALM.model(name), loaded.model(name)
        first = simulate(quiet, begin)
        second = simulate(busy, stop - begin, first)
        third = simulate(quiet, end - stop, second)
        parts = [path.every(0.01) for path in (first, second, third)]
        models[name] = Trace(
            np.concatenate([part.time for part in parts]), np.concatenate([part.queue for part in parts])
        )
    return Trace(time, backlogs.mean(axis=0)), backlogs.std(axis=0), models


def cycle(threads: int | None) -> tuple[Trace, dict[str, Trace]]:
    """A setting whose rest is unstable: one run, and the models."""
    setting = CHAPTER.with_(cbr=CYCLE_CBR)
    time, backlogs = queues(setting, 1, threads, CYCLE[1])
    shown = time >= CYCLE[0]
    times = np.arange(*CYCLE, 0.005)
    models = {}
    for name in SHOWN:
        path = simulate(setting.model(name), CYCLE[1])
        models[name] = Trace(times, path.at(times).queue)
    return Trace(time[shown], backlogs[0][shown]), models


def swings(seeds: int, threads: int | None) -> list[tuple[int, Swing, dict[str, Swing]]]:
    """How the queue swings with few and many flows: packets and models."""
    found = []
    begin, end = SWING_SPAN
    for flows in SWING_FLOWS:
        setting = CALM.with_(tcp=flows)
        time, backlogs = queues(setting, seeds, threads, end)
        late = backlogs[:, time >= begin]
        packets = Swing(float(late.std(axis=1).mean()), busiest_frequency(late))
        found.append((flows, packets, {name: _swing(setting.model(name)) for name in SHOWN}))
    return found


def _swing(model: FluidModel) -> Swing:
    rest = rest_of(model)
    begin, end = SWING_SPAN
    if rest is not None and rest.stability.stable:
        return Swing(0.0, rest.stability.frequency)
    queue = simulate(model, end).at(np.arange(begin, end, 0.01)).queue
    return Swing(float(queue.std()), busiest_frequency(queue))


def region(rate: float, name: str, share: float = 0.0) -> Reals:
    """The rate at which deviations grow, per second, over round-trip times (rows) and flows (columns).

    ``share`` is what CBR flows have of the capacity. Where a model has no equilibrium in which the queue is
    free, or not one alone, it is NaN.
    """
    base = CALM.with_(rate=rate, limit=100000, cbr=round(share * rate / 1e6))
    growth = np.full((len(GRID_DELAYS), len(GRID_FLOWS)), np.nan)
    for row, delay in enumerate(GRID_DELAYS.tolist()):
        for column, flows in enumerate(GRID_FLOWS.tolist()):
            model = base.with_(round_trip=delay).model(name).with_(flows=flows)
            rest = rest_of(model)
            if rest is not None and rest.equilibrium.regime == "free":
                growth[row, column] = rest.stability.growth
    return growth
