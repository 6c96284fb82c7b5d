"""Whole processes of the command: what a user at a terminal waits for."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from parshall_dev.bench.cases import Case
from parshall_dev.bench.networks import Bell
from parshall_dev.bench.process import run

__all__ = ["starting", "whole_run"]

_COMMAND = (sys.executable, "-c", "import sys; from parshall.cli.main import main; sys.exit(main())")
_SMALL = Bell(tcp=1, cbr=0, rate=1e6, delay=0.01, limit=10, access=1e7, access_delays=(0.001, 0.001))
_RUNS = 3


def starting(runs: int) -> dict[str, float]:
    """Medians of `parshall --help` and of `parshall run` on a tiny scenario. Raises ProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "small.toml"
        file.write_text(_SMALL.scenario(0.2).to_toml())
        return {
            "parshall --help": _median(runs, "--help"),
            "parshall run, 1 flow, 0.2 s": _median(runs, "run", str(file)),
        }


def whole_run(case: Case) -> float:
    """Median time of `parshall run` on a case, reading its file included. Raises ProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{case.name}.toml"
        file.write_text(case.network.scenario(case.seconds).to_toml())
        return _median(_RUNS, "run", str(file))


def _median(runs: int, *arguments: str) -> float:
    return median(run([*_COMMAND, *arguments]).seconds for _ in range(runs))
