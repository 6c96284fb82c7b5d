"""The logic of the benchmark suite: figures, checks, missing peers, what is kept. Nothing is timed."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

import parshall
from parshall_dev.bench import contest, controls, ours, parts, peers, processes, run, sweep
from parshall_dev.bench.cases import CASES, Case, Rival, Tolerance
from parshall_dev.bench.display import show
from parshall_dev.bench.figures import checks, net_times, rates, ratio_of_medians
from parshall_dev.bench.instructions import FUNCTIONS, missing, share
from parshall_dev.bench.networks import Bell, ParkingLot
from parshall_dev.bench.page import many_flows, page
from parshall_dev.bench.process import Finished, ProcessError, run as run_process

BELL = Bell(tcp=3, cbr=2, rate=2e6, delay=0.01, limit=10, access=1e7, access_delays=(0.001, 0.004))
COUNTERS = {"packets_sent": 1000, "bytes_delivered": 900_000, "packets_dropped": 40}
RESULT = "RESULT packets_sent 1000 bytes_delivered 900000 packets_dropped 40"
LOOSE = Tolerance(packets_sent=0.05, bytes_delivered=0.05, packets_dropped=0.2)


# --- Figures ----------------------------------------------------------------------------------------------


def test_a_peers_time_is_its_process_less_one_for_zero_seconds() -> None:
    assert net_times([3.0, 4.0, 9.0], [1.0, 0.5, 2.0]) == [2.0, 3.0, 8.0]


def test_ratios_are_of_medians() -> None:
    assert ratio_of_medians([10.0, 20.0, 900.0], [0.1, 2.0, 2.5]) == 10.0


def test_a_start_longer_than_the_whole_process_leaves_no_ratio() -> None:
    assert ratio_of_medians(net_times([60.0, 61.0], [62.0]), [0.5]) is None


def test_rates() -> None:
    cost = rates(seconds=2.0, packets=1e6, events=4e6)
    assert (cost.packets_per_second, cost.events_per_packet) == (5e5, 4.0)
    assert (cost.ns_per_event, cost.ns_per_packet) == (500.0, 2000.0)


def test_checks_compare_means_and_show_what_is_allowed() -> None:
    ours_ = [{**COUNTERS, "packets_sent": 1000}, {**COUNTERS, "packets_sent": 1080}]
    found = {check.what: check for check in checks(ours_, [COUNTERS, COUNTERS], LOOSE)}
    assert found["packets_sent"].difference == pytest.approx(0.04)
    assert found["packets_sent"].passed
    worse = checks([{**COUNTERS, "packets_dropped": 49}], [COUNTERS], LOOSE)
    assert [check.passed for check in worse] == [True, True, False]
    assert str(worse[2]) == "packets_dropped: 49 here, 40 there, +22.5%, allowed 20.0%"


def test_nothing_lost_on_either_side_agrees_but_a_loss_beside_none_does_not() -> None:
    none = {**COUNTERS, "packets_dropped": 0}
    assert checks([none], [none], LOOSE)[2].passed
    assert not checks([COUNTERS], [none], LOOSE)[2].passed


# --- Networks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("network", [BELL, ParkingLot(**{**vars(BELL), "cbr": 1}, hops=3, cross=2)])
def test_both_sides_get_the_same_flows(network: Any) -> None:
    scenario, options = network.scenario(5.0), network.options(5.0)
    starts = [float(start) for start in options["starts"].split()]
    delays = [float(delay) for delay in options["accessdelays"].split()]
    assert [flow.start for flow in scenario.flows] == starts
    assert len(set(starts)) == len(scenario.flows)
    access = [link.delay for link in scenario.links if link.between[0].startswith("s")]
    assert access == delays
    assert all(0.001 <= delay <= 0.004 for delay in delays)
    parshall.run(scenario)


def test_a_parking_lot_has_through_and_cross_traffic() -> None:
    lot = ParkingLot(**{**vars(BELL), "tcp": 2, "cbr": 1}, hops=3, cross=2)
    ends = [(source, target) for _, source, target in lot.flows()]
    assert ends[:2] == [("r0", "r3")] * 2
    assert ends[2:5] == [("r0", "r1")] * 3
    assert len(ends) == 2 + 3 * 3
    assert sum(tcp for tcp, _, _ in lot.flows()) == 2 + 3 * 2


def test_series_are_recorded_as_asked() -> None:
    plain = BELL.with_(red=True)
    recorded = plain.with_(record_every=0.01, record_flows=True)
    assert set(parshall.run(recorded.scenario(1.0)).tables) == {
        "flows",
        "ports",
        "port_series",
        "flow_series",
    }
    assert set(parshall.run(plain.scenario(1.0)).tables) == {"flows", "ports"}


def test_every_case_can_be_written_down() -> None:
    for case in CASES.values():
        small = case.network.with_(tcp=2)
        assert parshall.Scenario.from_json(small.scenario(1.0).to_json()).flows
        scripts = {rival.script for rival in case.rivals.values()} - {""}
        assert all((peers.HERE / "ns2" / f"{script}.tcl").exists() for script in scripts)
        if (rival := case.rivals.get("htsim")) is not None:
            assert (peers.HERE / "htsim" / f"{rival.script}.cc").exists()
            assert case.network.cbr == 0


# --- Peers ------------------------------------------------------------------------------------------------


def test_the_result_line_is_found_among_others() -> None:
    assert peers.parse_result(f"a warning\n{RESULT}\n") == COUNTERS


@pytest.mark.parametrize("output", ["", "RESULT packets_sent 5", "RESULT packets_sent x bytes_delivered 1"])
def test_output_without_counters_is_a_failure(output: str) -> None:
    with pytest.raises(ProcessError, match="no line RESULT with packets_sent"):
        peers.parse_result(output)


def test_a_missing_peer_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parshall_dev.bench.peers.shutil.which", lambda name: None)
    monkeypatch.setattr("parshall_dev.bench.run.install", lambda: "please install: everything")
    said: list[str] = []
    suite = run.Suite(1)
    monkeypatch.delenv(peers.HTSIM, raising=False)
    run.prepare(suite, ["ns2", "ns3", "htsim"], said.append)
    assert suite.peers == {}
    ns3 = "ns-3 (Debian's packages libns3-dev, libgsl-dev, g++, pkg-config)"
    htsim = "htsim (PARSHALL_HTSIM names the folder of its headers and of libhtsim.a)"
    assert suite.missing == ["ns-2 (Debian's package ns2)", ns3, htsim]
    assert "please install: everything" in said
    assert suite.passed


def test_nobody_but_root_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parshall_dev.bench.peers.shutil.which", lambda name: None)
    monkeypatch.setattr("parshall_dev.bench.peers.os.geteuid", lambda: 1000)
    assert peers.install() == f"please install: {' '.join(peers.PACKAGES)}"


def test_a_failing_program_is_one_line() -> None:
    with pytest.raises(ProcessError, match=r"status 3, it said: last words$"):
        run_process(
            [sys.executable, "-c", "import sys; print('first\\nlast words', file=sys.stderr); sys.exit(3)"]
        )
    with pytest.raises(ProcessError, match="No such file"):
        run_process(["/nowhere/at/all"])


def test_a_process_tells_its_memory() -> None:
    done = run_process(
        [sys.executable, "-c", "import time; x = b'x' * 10**8; time.sleep(0.2); print(len(x))"]
    )
    assert done.output == "100000000\n"
    assert done.peak_mb is None or 100 < done.peak_mb < 1000


# --- Turns ------------------------------------------------------------------------------------------------


class FakePeer:
    """Takes 2 s to start and 1 s more for each simulated second."""

    version = "1"

    def __init__(self, log: list[str], counters: str = RESULT) -> None:
        self.log, self.counters = log, counters

    def run(self, script: str, network: Any, seconds: float, seed: int) -> Finished:
        self.log.append(f"peer {seconds:g} s, seed {seed}")
        return Finished(2.0 + seconds, self.counters, 20.0)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of those that ran, in order; our own runs take half a second."""
    log: list[str] = []

    def measure(case: str, which: str, seconds: float, seed: int) -> ours.Cost:
        log.append(f"{which} {seconds:g} s, seed {seed}")
        growth = {"few": 10.0}.get(which, 12.0)
        return ours.Cost(0.5, 0.1, 2000, COUNTERS, 7, 60.0, growth)

    monkeypatch.setattr(ours, "measure", measure)
    return log


def case(**rivals: Rival) -> Case:
    return Case("P0", "a case", BELL, 10.0, rivals)


def test_everybody_runs_in_turn_with_the_same_seed(log: list[str]) -> None:
    result = contest.Result(case(ns2=Rival(10.0, LOOSE, "dumbbell")), contest.Turns(), [])
    contest.compete(result, {"ns2": FakePeer(log)}, 2, lambda line: None)  # type: ignore[dict-item]
    turn = ["own 10 s, seed {0}", "peer 0 s, seed {0}", "peer 10 s, seed {0}"]
    assert log == [line.format(seed) for seed in (1, 2) for line in turn]
    summary = result.summary()["contests"][0]
    assert summary["theirs"] == [10.0, 10.0]
    assert (summary["ratio"], summary["ratio_whole_process"]) == (20.0, 24.0)
    assert summary["passed"]


def test_a_shorter_contest_measures_us_over_as_many_seconds(log: list[str]) -> None:
    result = contest.Result(case(ns3=Rival(4.0, LOOSE, "dumbbell")), contest.Turns(), [])
    contest.compete(result, {"ns3": FakePeer(log)}, 1, lambda line: None)  # type: ignore[dict-item]
    assert log == ["own 10 s, seed 1", "own 4 s, seed 1", "peer 0 s, seed 1", "peer 4 s, seed 1"]


def test_a_slow_start_is_not_measured_in_every_turn(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contest, "_SLOW_START_S", 1.0)
    monkeypatch.setattr(contest, "_SLOW_STARTS", 2)
    result = contest.Result(case(ns2=Rival(10.0, LOOSE, "dumbbell")), contest.Turns(), [])
    contest.compete(result, {"ns2": FakePeer(log)}, 3, lambda line: None)  # type: ignore[dict-item]
    assert [line for line in log if line.startswith("peer 0 s")] == ["peer 0 s, seed 1", "peer 0 s, seed 2"]


def test_a_peer_that_is_missing_is_left_out(log: list[str]) -> None:
    result = contest.Result(case(ns2=Rival(10.0, LOOSE, "dumbbell")), contest.Turns(), [])
    contest.compete(result, {}, 1, lambda line: None)
    assert (log, result.summary()["contests"]) == (["own 10 s, seed 1"], [])


def test_memory_of_a_further_flow(log: list[str]) -> None:
    crowd = replace(case(), network=BELL.with_(tcp=2003), few=BELL)
    result = contest.Result(crowd, contest.Turns(), [])
    contest.compete(result, {}, 1, lambda line: None)
    assert result.bytes_per_flow() == 1000.0


# --- The suite --------------------------------------------------------------------------------------------


@pytest.fixture
def suite(log: list[str], monkeypatch: pytest.MonkeyPatch) -> run.Suite:
    fast = {"P0": case(ns2=Rival(10.0, LOOSE, "dumbbell"))}
    monkeypatch.setattr(run, "CASES", fast)
    monkeypatch.setattr(processes, "starting", lambda runs: {"parshall --help": 0.1})
    monkeypatch.setattr(processes, "whole_run", lambda case: 0.9)
    monkeypatch.setattr(sweep, "measure", lambda: sweep.Sweep(1000, 1.2, 0.625, 1.25, 0.125, 1.1, 0.6))
    forms = {
        "ns_a_callback_more": {"engine": 0.0, "numba": 21.5},
        "runs_a_second": {"engine": 400.0, "numba": 1234.5},
    }
    monkeypatch.setattr(controls, "measure", lambda: forms)
    calls = {"rto": {"python": 431.0, "numba": 17.0, "c": 16.0}}
    monkeypatch.setattr(parts, "measure", lambda: calls)
    return run.Suite(1, {"ns2": FakePeer(log)})  # type: ignore[dict-item]


def test_a_report_can_be_read_back_and_shown(suite: run.Suite) -> None:
    run.measure(suite, ["P0", "P7", "P8", "P10"], lambda line: None)
    report = json.loads(json.dumps(suite.report({"cpu": "abacus", "cores": 1, "python": "3"})))
    assert report["passed"]
    assert report["sweep"]["of_linear"] == pytest.approx(0.96)
    assert report["sweep"]["outside_the_engine"] == pytest.approx(0.1)
    console = Console(width=160, record=True, file=io.StringIO())
    show(report, console)
    text = console.export_text()
    for expected in (
        "20.0x",
        "24.0x",
        "96.0%",
        "10.0%",
        "abacus",
        "ns-2 1",
        "0.900 s",
        "numba",
        "1,234",
        "431",
    ):
        assert expected in text


def test_sides_that_differ_fail_the_suite_and_are_shown(suite: run.Suite, log: list[str]) -> None:
    suite.peers = {"ns2": FakePeer(log, RESULT.replace("1000", "2000"))}  # type: ignore[dict-item]
    run.measure(suite, ["P0"], lambda line: None)
    assert not suite.passed
    console = Console(width=160, record=True, file=io.StringIO())
    show(suite.report({"cpu": "abacus", "cores": 1, "python": "3"}), console)
    assert "P0, ns-2: packets_sent differs by -50.0%, allowed 5.0%" in console.export_text()


def test_a_failing_case_is_noted_and_the_next_one_follows(
    suite: run.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise ProcessError("it broke")

    monkeypatch.setattr(ours, "measure", fail)
    run.measure(suite, ["P0", "P7"], lambda line: None)
    assert suite.failures == ["P0: it broke"]
    assert len(suite.sweeps) == 1
    assert not suite.passed


def test_an_interrupt_keeps_what_is_finished(suite: run.Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(sweep, "measure", interrupt)
    run.measure(suite, ["P0", "P7"], lambda line: None)
    report = suite.report({})
    assert report["interrupted"]
    assert report["cases"][0]["contests"][0]["ratio"] == 20.0
    assert report["sweep"] is None


def test_a_contest_that_was_interrupted_half_way_is_left_out(
    suite: run.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(FakePeer, "run", interrupt)
    run.measure(suite, ["P0"], lambda line: None)
    assert suite.report({})["cases"][0]["ours"]["seconds"] == 0.5
    assert suite.report({})["cases"][0]["contests"] == []


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--only", "P0"], "got 'P0', expected some of P1, P2"),
        (["--peers", "opnet"], "got 'opnet', expected some of ns2, ns3, htsim or none"),
        (["--runs", "0"], "0 is not in the range"),
    ],
)
def test_a_fault_of_the_command_line(arguments: list[str], complaint: str) -> None:
    outcome = CliRunner().invoke(run.main, arguments)
    assert outcome.exit_code == 2
    assert complaint in outcome.output


# --- For real, and small ----------------------------------------------------------------------------------


def test_a_run_in_a_fresh_process() -> None:
    cost = ours.measure("P1", "own", 1.0, 1)
    recording = parshall.run(CASES["P1"].network.scenario(1.0), 1)
    assert cost.events == recording.events
    assert cost.counters["packets_sent"] == sum(recording.flow(name).packets_sent for name in recording.flows)
    assert cost.in_flight > 0


def test_a_sweep_in_a_fresh_process() -> None:
    measured = sweep.measure(3)
    assert measured.runs == 3
    assert min(measured.one, measured.two, measured.engine_one, measured.engine_two) > 0


def test_ns2_simulates_what_we_do(tmp_path: Path) -> None:
    try:
        peer = peers.ready("ns2")
    except peers.Missing as missing:
        pytest.skip(str(missing))
    counted = peers.parse_result(peer.run("dumbbell", BELL, 20.0, 1).output)
    recording = parshall.run(BELL.scenario(20.0), 1)
    sent = sum(recording.flow(name).packets_sent for name in recording.flows)
    assert counted["packets_sent"] == pytest.approx(sent, rel=0.05)
    assert counted["packets_dropped"] > 0
    empty = peers.parse_result(peer.run("dumbbell", BELL, 0.0, 1).output)
    assert set(empty.values()) == {0}


def test_shares_of_functions_are_read_from_callgrinds_listing() -> None:
    listing = """\
348,303,395 (96.94%)  /x/engine.rs:parshall_sim::engine::Simulation::run [/x/time_run]
147,146,838 (40.95%)  /x/engine.rs:parshall_sim::engine::Simulation::forward [/x/time_run]
 37,011,671 (10.30%)  /x/port.rs:parshall_sim::engine::Simulation::forward [/x/time_run]
 21,215,616 ( 5.90%)  /x/engine.rs:parshall_sim::engine::Simulation::forward'2 [/x/time_run]
  1,000,000 ( 0.28%)  /x/ends.rs:x::engine::ends::<impl x::engine::Simulation>::write [/x/time_run]
"""
    assert share("Simulation::forward", listing) == pytest.approx(0.4095)
    assert share("Simulation::write", listing) == pytest.approx(0.0028)
    assert share("EventQueue::sink", listing) == 0


def test_a_function_that_no_case_calls_is_missed() -> None:
    there, gone = [*FUNCTIONS][:2]
    profiles = [{"shares": {**dict.fromkeys(FUNCTIONS, 0.25), there: part, gone: 0.0}} for part in (0.0, 0.5)]
    assert missing(profiles) == [gone]


def test_the_page_names_what_differed_and_what_its_start_hid() -> None:
    cost = {
        "seconds": 0.1,
        "packets_per_second": 1e7,
        "events_per_packet": 1.5,
        "ns_per_event": 60.0,
        "ns_per_packet": 90.0,
        "growth_mb": None,
    }
    contest = {
        "rival": "ns2",
        "simulated_seconds": 320.0,
        "ours": [0.1, 0.2, 0.1],
        "seconds": 1.0,
        "ratio": None,
        "ratio_whole_process": 12.34,
        "peak_mb": 23.0,
        "passed": False,
    }
    report = {
        "machine": {"cpu": "a", "cores": 2, "system": "b", "python": "3", "engine": "0"},
        "peers": {"ns2": "2.35"},
        "runs": 3,
        "cases": [{"name": "P1", "title": "t", "ours": cost, "contests": [contest], "bytes_per_flow": None}],
        "sweep": None,
        "controls": None,
        "processes": {},
        "failures": [],
    }
    counted = {
        "case": "P1",
        "instructions": 779.4,
        "mispredictions": 5.4,
        "first_level_misses": 0.8,
        "last_level_misses": 0.03,
        "shares": dict.fromkeys(FUNCTIONS, 0.25),
    }
    point = {
        "along": "rate",
        "value": 1e9,
        "ns_per_packet": 190.0,
        "ns_per_event": 63.0,
        "events_per_packet": 3.0,
    }
    text = page(report, {"points": [point], "cases": {}}, [counted])
    assert "A packet of P4" not in text
    assert "| P1 | ns-2 | 320 s | 0.100 s | 1.00 s | hidden | 12.3x | 23 MB |" in text
    assert "Not all went well: P1 and ns2 differ." in text
    assert "| instructions | 779 |" in text
    assert "| rate | 1 Gbit/s | 190 | 63 | 3.00 |" in text


def test_the_page_compares_many_flows_with_few() -> None:
    whole = [{"name": name, "ours": {"ns_per_packet": ns}} for name, ns in (("P2", 100.0), ("P4", 330.0))]
    alone = {"P2": {"ns_per_packet": 90.0}, "P4": {"ns_per_packet": 225.0}}
    (line,) = many_flows({"cases": whole}, alone)
    assert "3.30 times one of P2" in line
    assert "2.50 times in the engine alone (225 and 90 ns, least of three runs)" in line
    assert not list(many_flows({"cases": whole[:1]}, alone))


def test_the_page_has_each_kind_of_own_parts() -> None:
    section = parts.PAGE.read_text(encoding="utf-8").partition(parts.BEGINS)[2].partition(parts.ENDS)[0]
    head, rule, *rows = section.split("\n\n")[1].splitlines()
    known = {kind: {"python": 431.0, "numba": 17.0, "c": 16.0} for kind in parts.CASES}
    expected = list(parts.lines(known))
    assert [head, rule] == expected[:2]
    assert [row.split("|")[1:3] for row in rows] == [row.split("|")[1:3] for row in expected[2:]]
    assert all(float(cell.split()[0]) < 1000 for row in rows for cell in row.split("|")[3:-1])
