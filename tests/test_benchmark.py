"""`parshall bench`, the figure for the user's own machine. Nothing is timed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from parshall import run
from parshall_dev import benchmark

PROGRAM = "import sys; from parshall.cli.main import main; sys.exit(main())"


def test_the_command_prints_a_line() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "bench"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert "1 core: mixed " in done.stdout
    assert " million packets/s" in done.stdout


def test_the_command_prints_json() -> None:
    command = [sys.executable, "-c", PROGRAM, "bench", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)["figures"]
    assert {figure["load"] for figure in figures} == {"mixed", "bulk"}
    for figure in figures:
        assert figure["packets_per_second"] == pytest.approx(figure["packets"] / figure["seconds"])


def test_figures_count_what_was_run() -> None:
    figures = benchmark.measure(seconds=0.001, cores=2)
    assert [(figure.load, figure.threads) for figure in figures] == [
        (load, threads) for load in ("mixed", "bulk") for threads in (1, 2)
    ]
    for figure in figures:
        recording = run(benchmark.loads()[figure.load])
        assert figure.events == figure.runs * recording.events
        assert figure.runs % figure.threads == 0
        nanoseconds = figure.seconds * figure.threads / figure.events * 1e9
        assert figure.ns_per_event == pytest.approx(nanoseconds)
    assert "| 2 cores: mixed" in benchmark.one_line(figures)


def test_one_core_is_measured_once() -> None:
    assert [figure.threads for figure in benchmark.measure(seconds=0.001, cores=1)] == [1, 1]
