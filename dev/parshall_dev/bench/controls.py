"""P8: what a control of one's own costs: ``python -m bench.controls`` measures once.

AIMD in each form, on the same network with the same seed; all forms send the same packets. A callback is an
ACK, and what it costs is the time of a run less that of the engine's own AIMD. The paced control beside it is
the engine's own and measures the path as well, which is most of what a compiled control costs besides. The
sweep is of many short runs on two threads.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from parshall_dev.bench.process import ProcessError, run
from parshall_dev.checkout import ROOT

__all__ = ["measure", "summary"]

EXAMPLES = ROOT / "examples" / "controls"
SECONDS = 300.0
SHORT = 20.0
RUNS = 200
THREADS = 2


def measure() -> dict[str, Any]:
    """In a process of its own. Raises ProcessError."""
    done = run([sys.executable, "-m", "parshall_dev.bench.controls"], ROOT)
    try:
        figures: dict[str, Any] = json.loads(done.output)
    except ValueError:
        raise ProcessError(f"parshall_dev.bench.controls: not understood: {done.output[-200:]!r}") from None
    return figures


def summary(turns: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Medians, for the JSON and the table."""
    if not turns:
        return None
    return {
        figure: {form: median(turn[figure][form] for turn in turns) for form in turns[0][figure]}
        for figure in turns[0]
    }


def _forms(folder: Path) -> dict[str, Any]:
    """AIMD in each form."""
    from parshall import SharedControl
    from parshall.control import header

    sys.path.insert(0, str(EXAMPLES))
    import aimd

    library = folder / "aimd.so"
    command = ["cc", "-O2", "-fPIC", "-shared", "-ffp-contract=off", "-I", str(header.INSTALLED)]
    subprocess.run([*command, str(EXAMPLES / "aimd.c"), "-o", str(library)], check=True)
    return {
        "engine": "aimd",
        "python": aimd.Aimd(),
        "numba": aimd.CompiledAimd(),
        "c": SharedControl(library),
    }


def _network(control: Any, seconds: float) -> Any:
    from parshall import Bulk, DropTail, Dumbbell, FlowGroup, Tcp

    tcp = Tcp(recovery="sack", control=control)
    return Dumbbell(
        duration=seconds,
        rate="10 Mbit/s",
        delay="20 ms",
        access_rate="100 Mbit/s",
        access_delay="1 ms",
        queue=DropTail(limit_packets=30),
        flows=[FlowGroup(name="f", count=4, transport=tcp, app=Bulk(), start_spread="1 s")],
    ).scenario()


def _measured() -> dict[str, Any]:
    from parshall import _core, run, run_many

    with tempfile.TemporaryDirectory() as folder:
        forms = _forms(Path(folder))
        long = {form: _network(control, SECONDS) for form, control in forms.items()}
        acks = {
            form: int(run(network).columns("flows")["acks_received"].sum()) for form, network in long.items()
        }
        if len(set(acks.values())) != 1:
            raise SystemExit(f"the forms did not send the same packets: {acks}")
        seconds = {form: _core.engine_seconds(network.to_json(), [1], 1) for form, network in long.items()}
        return {
            "ns_a_callback_more": {
                form: (spent - seconds["engine"]) / acks[form] * 1e9 for form, spent in seconds.items()
            },
            "runs_a_second": {form: _rate(run_many, _network(each, SHORT)) for form, each in forms.items()},
        }


def _rate(run_many: Any, network: Any) -> float:
    """Short runs a second, on two threads."""
    variants: Mapping[str, Any] = {"short": network}
    run_many(variants, range(2), cache=None)
    start = time.perf_counter()
    run_many(variants, range(RUNS), jobs=THREADS, cache=None)
    return RUNS / (time.perf_counter() - start)


if __name__ == "__main__":
    print(json.dumps(_measured()))
