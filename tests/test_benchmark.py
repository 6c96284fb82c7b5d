"""`parshall bench`, the figure for the user's own machine. Nothing is timed."""

from __future__ import annotations

import json
from functools import partial

import pytest
from click.testing import CliRunner

from parshall import run
from parshall.cli.main import cli
from parshall_dev import benchmark


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "measure", partial(benchmark.measure, 0.01))


def test_the_command_prints_a_line() -> None:
    done = CliRunner().invoke(cli, ["bench"], catch_exceptions=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert "1 core: mixed " in done.stdout
    assert " million packets/s" in done.stdout


def test_the_command_prints_json() -> None:
    done = CliRunner().invoke(cli, ["bench", "--json"], catch_exceptions=False)
    figures = json.loads(done.stdout)["figures"]
    assert {figure["load"] for figure in figures} == {"mixed", "bulk"}
    for figure in figures:
        assert figure["packets_per_second"] == pytest.approx(figure["packets"] / figure["seconds"])


def test_figures_count_what_was_run() -> None:
    figures = benchmark.measure(cores=2)
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
    assert [figure.threads for figure in benchmark.measure(cores=1)] == [1, 1]
