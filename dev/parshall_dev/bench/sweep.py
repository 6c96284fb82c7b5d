"""P7: a thousand short runs on one thread and on two: ``python -m bench.sweep 1000`` measures once.

The engine runs in threads of its own. What ``run_many`` does beyond it (conversion, tables, bookkeeping) is
done by the thread that called it, and is counted in processor time, because a free core would hide it. Only
the joining of what short runs recorded is done by the engine's threads and not told apart. Beside that stands
the engine alone: the same runs, whose results are thrown away one by one.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from parshall_dev.bench.networks import Bell
from parshall_dev.bench.process import ProcessError, run
from parshall_dev.checkout import ROOT

__all__ = ["RUNS", "SWEEP", "Sweep", "measure", "summary"]

RUNS = 1000
THREADS = 2
SECONDS = 15.0
SWEEP = Bell(tcp=4, cbr=0, rate=2e6, delay=0.02, limit=20, access=10e6, access_delays=(0.001, 0.004))
"""Less than a millisecond a run."""


@dataclass(frozen=True)
class Sweep:
    """One measurement."""

    runs: int
    one: float
    """Seconds of ``run_many`` on one thread."""
    two: float
    """On two."""
    busy: float
    """Processor seconds of ``run_many`` on one thread, the engine's included,"""
    outside_busy: float
    """and those of the calling thread only."""
    engine_one: float
    """Seconds of the engine alone on one thread."""
    engine_two: float
    """On two."""

    @property
    def of_linear(self) -> float:
        """Share of the ideal speed-up that two threads give; 1 is twice as fast as one."""
        return self.one / (THREADS * self.two)

    @property
    def outside(self) -> float:
        """Share of the processor time that is not the engine's."""
        return self.outside_busy / self.busy


def measure(runs: int = RUNS) -> Sweep:
    """In a process of its own. Raises ProcessError."""
    done = run([sys.executable, "-m", "parshall_dev.bench.sweep", str(runs)], ROOT)
    try:
        return Sweep(**json.loads(done.output))
    except (ValueError, TypeError):
        raise ProcessError(f"parshall_dev.bench.sweep: not understood: {done.output[-200:]!r}") from None


def summary(sweeps: list[Sweep]) -> dict[str, Any] | None:
    """Medians, for the JSON and the table."""
    if not sweeps:
        return None
    return {
        "runs": sweeps[0].runs,
        "simulated_seconds": SECONDS,
        "one_thread_s": median(sweep.one for sweep in sweeps),
        "two_threads_s": median(sweep.two for sweep in sweeps),
        "engine_one_thread_s": median(sweep.engine_one for sweep in sweeps),
        "engine_two_threads_s": median(sweep.engine_two for sweep in sweeps),
        "of_linear": median(sweep.of_linear for sweep in sweeps),
        "outside_the_engine": median(sweep.outside for sweep in sweeps),
    }


def _measured(runs: int) -> Sweep:
    from parshall import _core, run_many

    scenario = SWEEP.scenario(SECONDS)

    def sweep(threads: int) -> None:
        run_many({"short": scenario}, range(runs), jobs=threads, cache=None).table("flows")

    def engine(threads: int) -> None:
        _core.engine_seconds(scenario.to_json(), range(runs), threads)

    run_many({"short": scenario}, range(2), cache=None).table("flows")
    one, busy, outside = _timed(sweep, 1)
    engine_one, _, _ = _timed(engine, 1)
    two, _, _ = _timed(sweep, THREADS)
    engine_two, _, _ = _timed(engine, THREADS)
    return Sweep(runs, one, two, busy, outside, engine_one, engine_two)


def _timed(work: Callable[[int], None], threads: int) -> tuple[float, float, float]:
    """Seconds by the clock, of the processor in all threads, and of the processor in this one."""
    clocks = (time.perf_counter, time.process_time, time.thread_time)
    before = [clock() for clock in clocks]
    work(threads)
    elapsed, busy, here = (clock() - start for clock, start in zip(clocks, before, strict=True))
    return elapsed, busy, here


if __name__ == "__main__":
    from dataclasses import asdict

    print(json.dumps(asdict(_measured(int(sys.argv[1])))))
