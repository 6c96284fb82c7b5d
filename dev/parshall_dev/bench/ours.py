"""One run of Parshall in a fresh process: ``python -m bench.ours '{"case": "P1", ...}'`` prints what it cost.

The time is that of ``parshall.run``: from a scenario to its finished recording. Nothing is cached.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from typing import Any

from parshall_dev.bench.cases import CASES
from parshall_dev.bench.figures import Counters
from parshall_dev.bench.networks import Bottlenecks
from parshall_dev.bench.process import ProcessError, resident, run
from parshall_dev.checkout import ROOT

__all__ = ["Cost", "measure"]


@dataclass(frozen=True)
class Cost:
    """Cost of one run."""

    seconds: float
    """From the scenario to the recording."""
    json_seconds: float
    """Part of these that writes the scenario as JSON for the engine."""
    events: int
    counters: Counters
    in_flight: int
    """Packets under way at the end."""
    peak_mb: float | None
    """Peak memory of the whole process."""
    growth_mb: float | None
    """By how much the process grew at most while it ran the scenario."""


def measure(case: str, which: str, seconds: float, seed: int) -> Cost:
    """A run of a case in a process of its own. ``which`` is its network: ``own``, ``few`` or a rival's name.

    Raises ProcessError.
    """
    asked = {"case": case, "which": which, "seconds": seconds, "seed": seed}
    done = run([sys.executable, "-m", "parshall_dev.bench.ours", json.dumps(asked)], ROOT)
    try:
        return Cost(**json.loads(done.output))
    except (ValueError, TypeError):
        raise ProcessError(f"parshall_dev.bench.ours: not understood: {done.output[-200:]!r}") from None


def network_of(case: str, which: str) -> Bottlenecks:
    """The network that is meant."""
    asked = CASES[case]
    if which == "own":
        return asked.network
    network = asked.few if which == "few" else asked.rivals[which].network
    assert network is not None, f"{case} has no network {which}"
    return network


def _run(case: str, which: str, seconds: float, seed: int) -> dict[str, Any]:
    import parshall

    scenario = network_of(case, which).scenario(seconds)
    _warm_up()
    before = _forget_peak()
    started = time.perf_counter()
    recording = parshall.run(scenario, seed)
    elapsed = time.perf_counter() - started
    peak = resident("self", "VmHWM")
    flows, ports = recording.columns("flows"), recording.columns("ports")
    started = time.perf_counter()
    scenario.to_json()
    return {
        "seconds": elapsed,
        "json_seconds": time.perf_counter() - started,
        "events": recording.events,
        "counters": {
            "packets_sent": int(flows["packets_sent"].sum()),
            "bytes_delivered": int(flows["bytes_delivered"].sum()),
            "packets_dropped": int(ports["packets_dropped"].sum()),
        },
        "in_flight": int(flows["packets_in_flight"].sum()),
        "peak_mb": peak,
        "growth_mb": None if peak is None or before is None else peak - before,
    }


def _warm_up() -> None:
    """Loads what a first run loads; a peer has loaded itself before its clock counts, too."""
    import parshall

    parshall.run(CASES["P1"].network.with_(tcp=1, cbr=0).scenario(0.1))


def _forget_peak() -> float | None:
    """Sets the peak of this process to what it has now, and returns it."""
    try:
        fd = os.open("/proc/self/clear_refs", os.O_WRONLY)
        try:
            os.write(fd, b"5")
        finally:
            os.close(fd)
    except OSError:
        return None
    return resident("self", "VmRSS")


if __name__ == "__main__":
    print(json.dumps(_run(**json.loads(sys.argv[1]))))
