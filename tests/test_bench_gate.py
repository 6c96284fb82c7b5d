"""The gate on instructions per event: what it lets pass, and what it says. Nothing is counted."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from parshall_dev.bench import callgrind
from parshall_dev.bench.callgrind import Count, sets_build
from parshall_dev.bench.cases import CASES
from parshall_dev.bench.gate import (
    FIGURES,
    SECONDS,
    Compiler,
    Figure,
    Figures,
    complaints,
    gains,
    gate,
    table,
)

KEPT = Figures(
    Compiler("1.95.0 (59807616e 2026-04-14)", "x86_64-unknown-linux-gnu"),
    {"P1": Figure(160.0, 1_000_000, 800.0), "P2": Figure(10.0, 2_000_000, 900.0)},
)


def with_first(**changes: float) -> Figures:
    """The figures that are kept, with another P1."""
    return replace(KEPT, cases={**KEPT.cases, "P1": replace(KEPT.cases["P1"], **changes)})


def test_what_takes_as_much_or_less_passes() -> None:
    assert complaints(KEPT, KEPT) == []
    assert complaints(with_first(instructions_per_event=640.0), KEPT) == []


def test_half_a_percent_more_passes_and_a_hundredth_beyond_does_not() -> None:
    assert complaints(with_first(instructions_per_event=804.0), KEPT) == []
    assert complaints(with_first(instructions_per_event=804.01), KEPT) == [
        "P1: 804.01 instructions per event, expected at most 804.00"
    ]


def test_each_case_is_judged_by_its_own_figure() -> None:
    worse = {name: replace(figure, instructions_per_event=905.0) for name, figure in KEPT.cases.items()}
    (first, second) = complaints(replace(KEPT, cases=worse), KEPT)
    assert first.startswith("P1: 905.00")
    assert second.endswith("at most 904.50")


def test_fewer_events_are_no_loss_but_do_not_compare() -> None:
    fewer = with_first(events=500_000, instructions_per_event=1200.0)
    assert complaints(fewer, KEPT) == [
        "P1: 500,000 events, expected 1,000,000; "
        "instructions per event do not compare, those of the whole run change by -25.00%"
    ]


def test_runs_of_another_length_or_of_a_new_case_do_not_compare() -> None:
    expected = ["P1: no figure for 80 simulated seconds is committed"]
    assert complaints(with_first(seconds=80.0), KEPT) == expected
    new = replace(KEPT, cases={"P3": KEPT.cases["P1"]})
    assert complaints(new, KEPT) == ["P3: no figure for 160 simulated seconds is committed"]


@pytest.mark.parametrize(
    "other", [{"rustc": "1.96.0 (0 2026-06-01)"}, {"target": "aarch64-unknown-linux-gnu"}]
)
def test_another_compiler_gets_one_line_and_no_judgement(other: dict[str, str]) -> None:
    counted = replace(with_first(instructions_per_event=9000.0), compiler=replace(KEPT.compiler, **other))
    (line,) = complaints(counted, KEPT)
    assert next(iter(other.values())) in line
    assert "expected rustc 1.95.0 (59807616e 2026-04-14) for x86_64-unknown-linux-gnu" in line


def test_a_gain_is_told_once_it_is_as_large_as_what_is_allowed() -> None:
    assert gains(with_first(instructions_per_event=796.0), KEPT) == []
    assert gains(with_first(instructions_per_event=795.9), KEPT) == ["P1"]


def test_the_table_has_the_change() -> None:
    first, _ = table(with_first(instructions_per_event=802.0), KEPT)
    assert first == "P1: 802.00 instructions per event, 800.00 committed, +0.25%"
    assert next(table(KEPT, None)) == "P1: 800.00 instructions per event"


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    KEPT.write(tmp_path / "gate.json")
    assert Figures.read(tmp_path / "gate.json") == KEPT


def test_the_committed_figures_are_of_the_runs_that_are_counted() -> None:
    kept = Figures.read(FIGURES)
    assert {name: figure.seconds for name, figure in kept.cases.items()} == SECONDS
    assert all(figure.events > 100_000 for figure in kept.cases.values())
    assert all(seconds <= CASES[name].seconds for name, seconds in SECONDS.items())


def test_instructions_are_divided_by_events() -> None:
    assert Count(events=200, instructions=150_100).per_event == 750.5


def test_the_profile_is_that_of_the_workspace() -> None:
    ours = ["CARGO_PROFILE_RELEASE_LTO", "CARGO_INCREMENTAL", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"]
    assert all(map(sets_build, ours))
    assert not any(map(sets_build, ["PATH", "CARGO_HOME", "CARGO_BUILD_JOBS", "CARGO_NET_OFFLINE"]))


PROFILE = """fn=(1) time_run::run
10 500
cfi=(2) limits.rs
cfn=(7) headroom::shortage
calls=3 36
11 300
12 40
cfn=(8) engine::on_ack
calls=9 5
13 900

fn=(7)
36 20

fn=(9) limits::Steps::check
cfn=(7)
calls=1 36
+2 15
"""


def test_a_function_takes_what_its_calls_take() -> None:
    assert callgrind.inclusive("headroom::shortage", PROFILE) == 315
    assert callgrind.inclusive("engine::on_ack", PROFILE) == 900


def test_a_function_that_is_never_called_is_not_left_out_silently() -> None:
    with pytest.raises(Exception, match="expected calls of time_run::run"):
        callgrind.inclusive("time_run::run", PROFILE)


def test_a_failed_command_tells_its_status_and_words() -> None:
    with pytest.raises(Exception, match="status 3, it said: no such thing"):
        callgrind.run(
            [sys.executable, "-c", "import sys; print('no such thing', file=sys.stderr); sys.exit(3)"]
        )


@pytest.mark.parametrize(("options", "status"), [([], 0), (["--update"], 1)])
def test_without_valgrind_it_is_skipped_in_one_line(
    options: list[str], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callgrind, "is_missing", lambda: True)
    done = CliRunner().invoke(gate, options)
    assert (done.exit_code, done.output) == (status, "bench-gate is skipped: no valgrind\n")
