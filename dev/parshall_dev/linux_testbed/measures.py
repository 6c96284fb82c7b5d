"""Runs and measures: machines, the same in the simulator, gains, and the carry-over check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_dev.linux_testbed import network, settings, tuning
from parshall_dev.linux_testbed.machine import Bench
from parshall_dev.linux_testbed.samples import PRINTED, Gains, Samples, Shares
from parshall_dev.linux_testbed.settings import (
    AT_RATE,
    BESIDE,
    CHANGES,
    EXPERIMENTS,
    FULL,
    HOPS,
    LOAD_NAMES,
    RATE_LOAD,
    SMALL,
    TRAINING,
    VARIANTS,
    Scale,
)
from parshall_studies import study as st

if TYPE_CHECKING:
    from parshall_dev.linux_testbed.reading import Seen
    from parshall_dev.linux_testbed.settings import Experiment

TRAINING_SEEDS = range(1001, 1005)
"""Seeds of the simulator's training runs; nothing is judged on them."""
_JUDGED = {**EXPERIMENTS, **VARIANTS, **BESIDE, **HOPS}
TRAINING_RUN = 1001
"""Training run of machines."""
CARRY_LOAD = 0.80
"""Load of the chapter's simulation: 80 CBR flows of 1 Mbit/s at 100 Mbit/s (III.D)."""
MODULE, MACHINE, SIMULATOR, CHAPTER_2, CONSTANT = "module", "machine", "simulator", "chapter II", "constant"
"""Where an estimate or its gains come from. ``module`` is what the kernel estimated itself, with gains tuned
in the simulator; the others are made of samples of the queue, 33 ms each, in the same arithmetic."""


def measure(bench: st.Workbench) -> st.Measures:
    """Nothing is started where machines cannot run."""
    scale = FULL if bench.full else SMALL
    machines = Bench.open()
    simulated = _tuned_in_simulator(bench, scale)
    runs = range(1, scale.repetitions + 1)
    jobs = [
        # The longest one first.
        *([] if bench.full else [_Job(RATE_LOAD, 1, simulated, AT_RATE)]),
        *(_Job(each, TRAINING_RUN, simulated, scale) for each in TRAINING.values()),
        *(_Job(each, run, simulated, scale) for each in _JUDGED.values() for run in runs),
    ]
    seen = _in_machines(bench, machines, jobs)
    beside = {key: seen.pop(key) for key in list(seen) if key[0] in BESIDE}
    hops = {key: seen.pop(key) for key in list(seen) if key[0] in HOPS}
    at_rate = [seen.pop(key) for key in list(seen) if key[0] == RATE_LOAD.name]
    training = [_seen_samples(seen.pop((name, TRAINING_RUN)), scale) for name in TRAINING]
    gains = {SIMULATOR: simulated, MACHINE: tuning.tune(training, scale.alpha), CHAPTER_2: PRINTED}
    constant = tuning.constant(training)
    return {
        **_of_machines(seen, gains, constant, scale),
        "queues": _of_queues(beside, scale),
        "hops": _of_hops(hops, scale),
        **_at_rate(bench, at_rate, simulated),
        **_of_simulator(bench, gains, constant, scale),
        **_carry_over(bench, gains, scale),
        **_retuned(bench, simulated),
        "gains": _table_of_gains(gains, constant),
        "scale": _table_of_scale(scale),
    }


def quick(bench: st.Workbench) -> st.Measures:
    """Measures of the five experiments in the simulator; no machine is started."""
    training = _simulated_training(bench, SMALL)
    gains = {SIMULATOR: tuning.tune(training, SMALL.alpha)}
    return _of_simulator(bench, gains, tuning.constant(training), SMALL)


def _tuned_in_simulator(bench: st.Workbench, scale: Scale) -> Gains:
    return tuning.tune(_simulated_training(bench, scale), scale.alpha)


def _simulated_training(bench: st.Workbench, scale: Scale) -> list[Samples]:
    networks = {name: network.network(each, scale) for name, each in TRAINING.items()}
    found = bench.each(
        "Simulator, for tuning",
        networks,
        lambda name, run: network.samples(TRAINING[name], scale, run).since(scale.start),
        seeds=list(TRAINING_SEEDS),
        tables=network.TABLES,
    )
    return [each for runs in found.values() for each in runs]


# --- Machines -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Job:
    experiment: Experiment
    run: int
    gains: Gains
    scale: Scale


def _in_machines(bench: st.Workbench, machines: Bench, jobs: Sequence[_Job]) -> dict[tuple[str, int], Seen]:
    """Output of each job's machine, by experiment and run."""

    def done(job: _Job) -> Seen:
        options = job.gains.options(job.scale.rate)
        return machines.run(job.experiment, job.scale, options, job.run, keep=bench.cache)

    found = bench.work("Machines", jobs, done)
    return {(job.experiment.name, job.run): seen for job, seen in zip(jobs, found, strict=True)}


def _seen_samples(seen: Seen, scale: Scale) -> Samples:
    return seen.samples(scale.rate).since(scale.start)


def _of_machines(
    seen: Mapping[tuple[str, int], Seen], gains: Mapping[str, Gains], constant: float, scale: Scale
) -> st.Measures:
    ports: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    flows: list[dict[str, Any]] = []
    courses: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for (name, run), each in seen.items():
        place = {"experiment": name, "run": run}
        samples = _seen_samples(each, scale)
        own = each.shares(scale.alpha)
        ports.append({**place, **_port(samples)})
        rows = {MODULE: own, **{of: samples.shares(found, scale.alpha) for of, found in gains.items()}}
        errors += [{**place, "gains": of, **_judged(shares)} for of, shares in rows.items()]
        errors.append({**place, "gains": CONSTANT, **_judged(_constant(own, constant))})
        if each.packets is not None:
            flows.append({**place, **_judged(each.packets.shares(scale.start, scale.alpha))})
        courses += [{**place, **row} for row in _course(own)]
        estm, average = each.last_average
        shown.append(
            {
                **place,
                "estm": float(estm),
                "average": average,
                "filtered": float(own.estimated[-1]),
                "complaints": float(bool(each.complaints)),
                "lost_elsewhere": each.lost_elsewhere(scale.start),
                "saturated": float(each.saturated),
                "saturated_in_bytes": float(samples.saturated(gains[MACHINE], 1)),
            }
        )
    dims = ("experiment", "run")
    tc = seen[next(iter(LOAD_NAMES)), 1].tc.splitlines()
    return {
        "tc": st.tidy({"line": list(range(len(tc))), "text": tc}, ("line",)),
        "machine_ports": _tidy(ports, dims),
        "machine_errors": _tidy(errors, (*dims, "gains")),
        "machine_courses": _tidy(courses, (*dims, "time")),
        "shown": _tidy(shown, dims),
        "flows": _tidy(flows, dims),
    }


def _of_queues(seen: Mapping[tuple[str, int], Seen], scale: Scale) -> Any:
    """Results of each queue discipline of the kernel with the same traffic."""
    rows = []
    for (name, run), each in seen.items():
        samples = _seen_samples(each, scale)
        through = 100 * samples.load
        rows.append(
            {
                "queue": BESIDE[name].queue,
                "run": run,
                "tcp": through * each.delivered,
                "udp": through * (1 - each.delivered),
                "drop_rate": samples.drop_rate,
                "delay": 8e3 * float(samples.backlog.mean()) / scale.rate,
            }
        )
    return _tidy(rows, ("queue", "run"))


def _of_hops(seen: Mapping[tuple[str, int], Seen], scale: Scale) -> Any:
    """Estimates of both forms of the module at the first of two bottlenecks."""
    rows = []
    for (name, run), each in seen.items():
        judged = _judged(each.shares(scale.alpha))
        told = {"mse": judged["mse"], "bias": judged["bias"], **_port(_seen_samples(each, scale))}
        rows.append({"form": HOPS[name].form, "run": run, **told, "elsewhere": each.elsewhere})
    return _tidy(rows, ("form", "run"))


def _at_rate(bench: st.Workbench, seen: Iterable[Seen], gains: Gains) -> dict[str, Any]:
    """One experiment at the chapter's rates, in a machine and in the simulator."""
    found = [
        {"run": 1, **_port(_seen_samples(each, AT_RATE)), **_judged(each.shares(AT_RATE.alpha))}
        for each in seen
    ]
    if not found:
        return {}

    def of_run(name: str, run: Any) -> st.Rows:
        samples = network.samples(RATE_LOAD, AT_RATE, run).since(AT_RATE.start)
        return {"at_rate": {**_port(samples), **_judged(samples.shares(gains, AT_RATE.alpha))}}

    networks = {RATE_LOAD.name: network.network(RATE_LOAD, AT_RATE)}
    there = bench.measure(
        "Simulator at the chapter's rate", networks, of_run, dims=("experiment",), tables=network.TABLES
    )
    return {"machine_at_rate": _tidy(found, ("run",)), **there}


# --- The simulator ------------------------------------------------------------------------------------------


def _of_simulator(
    bench: st.Workbench, gains: Mapping[str, Gains], constant: float, scale: Scale
) -> dict[str, Any]:
    def of_run(name: str, run: Any) -> st.Rows:
        samples = network.samples(EXPERIMENTS[name], scale, run).since(scale.start)
        rows = {of: samples.shares(found, scale.alpha) for of, found in gains.items()}
        rows[CONSTANT] = _constant(rows[SIMULATOR], constant)
        course = rows[SIMULATOR]
        judged = [_judged(shares) for shares in rows.values()]
        return {
            "ports": _port(samples),
            "errors": st.RunSeries(
                {"gains": np.array(list(rows), dtype=object)},
                {column: [each[column] for each in judged] for column in judged[0]},
            ),
            "courses": st.RunSeries(
                {"time": course.time.round(3)}, {"measured": course.measured, "estimated": course.estimated}
            ),
        }

    networks = {name: network.network(each, scale) for name, each in EXPERIMENTS.items()}
    return bench.measure("Simulator", networks, of_run, dims=("experiment",), tables=network.TABLES)


def _table_of_scale(scale: Scale) -> Any:
    told = {"rates": scale.rates, "times": scale.times, "repetitions": float(scale.repetitions)}
    return st.tidy({"what": list(told), "value": list(told.values())}, ("what",))


def _table_of_gains(gains: Mapping[str, Gains], constant: float) -> Any:
    rows = [
        {"gains": of, "setting": name, "value": getattr(found, name)}
        for of, found in gains.items()
        for name in tuning.RANGES
    ]
    return _tidy([*rows, {"gains": CONSTANT, "setting": "share", "value": constant}], ("gains", "setting"))


# --- Carry-over ---------------------------------------------------------------------------------------------


def _carry_over(bench: st.Workbench, gains: Mapping[str, Gains], scale: Scale) -> dict[str, Any]:
    """The testbed's gains in the simulator, with its TCP flows and as many CBR flows as make 80 %."""
    load = settings.Experiment("carry-over", CARRY_LOAD)
    scales = {"as here": scale, "as printed": Scale(1.0, 1.0, 1)}
    sack = network.linux_tcp().with_(control="aimd", profile="ns2")
    senders = {"cubic": network.linux_tcp(), "sack": sack}
    networks = {
        (where, sender): network.network(load, of, transport)
        for (where, of), (sender, transport) in product(scales.items(), senders.items())
    }

    def of_run(key: tuple[str, str], run: Any) -> st.Rows:
        of = scales[key[0]]
        samples = network.samples(load, of, run).since(of.start)
        rows = {name: _judged(samples.shares(found, of.alpha)) for name, found in gains.items()}
        return {
            "carry_over": st.RunSeries(
                {"gains": np.array(list(rows), dtype=object)}, {"mse": [row["mse"] for row in rows.values()]}
            )
        }

    return bench.measure("Carry-over", networks, of_run, dims=("scale", "sender"), tables=network.TABLES)


def _retuned(bench: st.Workbench, before: Gains) -> dict[str, Any]:
    """Gains of the simulator after each change of the network, beside gains that were tuned after it."""
    gains = {
        change: {"before": before, "after": _tuned_in_simulator(bench, scale)}
        for change, (_, scale) in CHANGES.items()
    }
    networks = {
        (change, name): network.network(EXPERIMENTS[name], scale)
        for (change, (_, scale)), name in product(CHANGES.items(), LOAD_NAMES)
    }

    def of_run(key: tuple[str, str], run: Any) -> st.Rows:
        change, name = key
        scale = CHANGES[change][1]
        samples = network.samples(EXPERIMENTS[name], scale, run).since(scale.start)
        errors = [samples.shares(found, scale.alpha).mean_square_error for found in gains[change].values()]
        dims = {"gains": np.array(list(gains[change]), dtype=object)}
        return {"retuned": st.RunSeries(dims, {"mse": errors})}

    dims = ("change", "experiment")
    return bench.measure("Changed networks", networks, of_run, dims=dims, tables=network.TABLES)


# --- Rows ---------------------------------------------------------------------------------------------------


def _port(samples: Samples) -> dict[str, float]:
    return {
        "drop_rate": samples.drop_rate,
        "backlog": samples.mean_backlog,
        "share": samples.share,
        "load": samples.load,
    }


def _judged(shares: Shares) -> dict[str, float]:
    """Mean square error, how far both curves have moved by the end of the second third of the time, and how
    far every estimate there lies above all of the first third.
    """
    third = len(shares.time) // 3
    moved = {
        f"{name}_moved": float(np.mean(of[2 * third - third // 2 : 2 * third]) - np.mean(of[: third // 2]))
        for name, of in (("measured", shares.measured), ("estimated", shares.estimated))
    }
    calm, later = shares.estimated[:third], shares.estimated[2 * third - third // 2 : 2 * third]
    return {
        "mse": shares.mean_square_error,
        "bias": float(np.mean(shares.estimated - shares.measured)),
        "above_calm": float(np.min(later) - np.max(calm)) if len(later) else float("nan"),
        **moved,
    }


def _constant(like: Shares, share: float) -> Shares:
    return Shares(like.time, like.measured, np.full_like(like.measured, share))


def _course(shares: Shares) -> Iterator[dict[str, float]]:
    for time, measured, estimated in zip(shares.time, shares.measured, shares.estimated, strict=True):
        yield {"time": round(float(time), 3), "measured": float(measured), "estimated": float(estimated)}


def _tidy(rows: Sequence[Mapping[str, Any]], dims: Sequence[str]) -> Any:
    return st.tidy({name: [row[name] for row in rows] for name in rows[0]}, dims)
