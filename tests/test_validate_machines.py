"""`parshall validate linux` without a folder: cells, scripts, what machines say, and some from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests import linux_machine

from parshall import CoDel, DropTail, FqCodel, InputError, ParshallError, Pie, Red
from parshall.cli.main import main
from parshall_dev.validate.machine import runs as machine_runs
from parshall_dev.validate.machine.cells import PACKET, Cell, Place, cells, chosen, starts_ms
from parshall_dev.validate.machine.judge import Judged, judge
from parshall_dev.validate.machine.measures import MEASURES, measures_of
from parshall_dev.validate.machine.ours import queue_of, scenario_of, simulate
from parshall_dev.validate.machine.page import agreement, numbers, section, write
from parshall_dev.validate.machine.reading import Run, read_runs
from parshall_dev.validate.machine.script import queue_words, script

RECORDED = Path(__file__).parent / "data" / "linux" / "flows.txt"
PLACE = Place("droptail", 1, 10)
DELAY, LOSS = MEASURES[1], MEASURES[2]


def run_of(taken: list[list[float]], backlog: float = 0.0, dropped: float = 0.0) -> Run:
    """Steps in which flows get packets, with a backlog and drops that are the same in each."""
    array = np.array(taken)
    ones = np.ones(len(array))
    return Run(backlog * ones, array.sum(axis=1), array.sum(axis=1) / 1000, dropped * ones, array)


# --- Cells and scripts --------------------------------------------------------------------------------------


def test_there_are_405_cells_with_names_of_their_own() -> None:
    assert len({cell.name for cell in cells()}) == 405
    assert Cell(Place("red", 1, 50), "bbr", 4).name == "red-1M-50ms-bbr-4"


def test_cells_are_chosen_by_patterns() -> None:
    assert chosen([]) == cells()
    found = chosen(["pie-3M-10ms-bbr-?", "pie-3M-10ms-bbr-1"])
    assert [cell.name for cell in found] == ["pie-3M-10ms-bbr-1", "pie-3M-10ms-bbr-4"]
    assert {cell.place.queue for cell in chosen(["red-*", "codel-*"])} == {"red", "codel"}
    with pytest.raises(InputError, match=r"--only: got rde-\*, expected the name of a cell"):
        chosen(["red-*", "rde-*"])


def test_starts_are_those_of_the_draw() -> None:
    assert starts_ms(16, 1) == starts_ms(16, 1) != starts_ms(16, 2)
    starts = starts_ms(16, 3)
    assert len(set(starts)) == 16
    assert starts == sorted(starts)
    assert all(0 <= start < 1000 and start % 5 == 0 for start in starts)


def test_a_queue_holds_two_products_of_bandwidth_and_delay() -> None:
    assert Place("pie", 10, 200).limit == 331  # 2 * 10 Mbit/s * 200 ms / (8 * 1514) is 330.3
    assert Place("pie", 1, 10).limit == 50


def test_tc_and_the_simulator_are_told_the_same() -> None:
    words = {queue: " ".join(queue_words(Place(queue, 3, 50))) for queue in ("droptail", "red", "pie")}
    assert words["droptail"] == "pfifo limit 50"
    assert queue_of(Place("droptail", 3, 50)) == DropTail(limit_packets=51)
    red = queue_of(Place("red", 3, 50))
    assert isinstance(red, Red)
    assert (
        f"min {red.min_threshold_packets * PACKET:g} max {red.max_threshold_packets * PACKET:g}"
        in words["red"]
    )
    assert f"limit {red.limit_packets * PACKET} " in words["red"]
    assert red.weight.value == 2**-4
    assert "target 15ms" in words["pie"]
    kinds = {"codel": CoDel, "pie": Pie, "fq-codel": FqCodel}
    for queue, kind in kinds.items():
        assert isinstance(queue_of(Place(queue, 3, 50)), kind)
        assert queue_of(Place(queue, 3, 50)).limit_packets == 50
        assert "limit 50" in " ".join(queue_words(Place(queue, 3, 50)))


def test_a_script_runs_each_cell_once_and_pays_for_the_packet_that_leaves() -> None:
    text = script(PLACE, 1)
    assert [line.split()[1] for line in text.splitlines() if line.startswith("run ")] == [
        cell.name for cell in PLACE.cells()
    ]
    # 10 ms of the path, and 1514 bytes at 1 Mbit/s.
    assert "netem delay 22112us" in text
    assert text != script(PLACE, 2)


def test_the_simulator_has_the_network_of_the_script() -> None:
    scenario = scenario_of(Cell(PLACE, "cubic", 4), 2)
    assert [flow.start for flow in scenario.flows] == [ms / 1e3 for ms in starts_ms(4, 2)]
    link = scenario.links[1]
    assert (link.rate, link.delay, link.reverse.delay) == (1e6, 0.0, 0.01)
    assert {flow.transport.profile for flow in scenario.flows} == {"linux"}


# --- What machines say --------------------------------------------------------------------------------------


def test_what_a_machine_said_is_read() -> None:
    found = read_runs(RECORDED.read_text())
    assert list(found) == ["droptail-1M-10ms-reno-1", "droptail-1M-10ms-reno-4"]
    four = found["droptail-1M-10ms-reno-4"]
    assert four.taken.shape == (100, 4)
    # A full link sends 125,000 bytes a second.
    assert four.sent_bytes[50:].sum() == pytest.approx(10 * 125_000, rel=0.01)
    assert four.sent_bytes.sum() / four.sent.sum() == pytest.approx(PACKET, rel=0.01)
    assert four.counters is not None
    assert four.counters["TCPSackRecovery"] > 0


def test_what_no_program_of_ours_says_is_a_fault() -> None:
    for text in (
        "== a\n2\n@@ tcp_flows: bind: Address already in use\n",
        "== a\nat 1 2 x\n",
        "== a\nat 1 2 3 4\n",
    ):
        with pytest.raises(ParshallError, match=r"^a: the machine said .*, expected a run of flows$"):
            read_runs(text)


# --- Measures and verdicts ----------------------------------------------------------------------------------


def test_measures_are_those_worked_out_by_hand() -> None:
    cell = Cell(PLACE, "reno", 2)
    # 20 s in steps of 0.2 s: one flow gets 2000 bytes a step, the other nothing for 4 s and 1000 then.
    taken = [[2000.0, 0.0 if step < 20 else 1000.0] for step in range(100)]
    found = measures_of(cell, run_of(taken, backlog=600.0, dropped=1.0))
    assert found["throughput"] == pytest.approx(8e-6 * 3000 / 0.2)
    assert found["delay"] == pytest.approx(1e3 * 600 / (3000 / 0.2))
    packets = 20 * 2 + 80 * 3
    assert found["loss"] == pytest.approx(100 * 100 / (packets + 100))
    assert found["jain"] == pytest.approx(9 / (2 * 5))
    # At the end the index of a span is 0.9. Nine tenths of it, 0.81, need (2 + x)^2 / (2 (4 + x^2)) and so
    # x = 0.68 or more, and nine tenths of the bytes x = 0.7: 7 of the 10 steps of the span.
    assert found["steady"] == pytest.approx(0.2 * 27)


def test_verdicts_go_by_nearness_or_scatter() -> None:
    cell = Cell(PLACE, "reno", 4)
    near = Judged(cell, DELAY, (100.0, 101.0), (105.0, 105.1, 104.9))
    assert near.near
    assert not near.within_scatter
    assert near.agrees
    noisy = Judged(cell, DELAY, (100.0, 180.0), (120.0, 200.0, 190.0))
    assert not noisy.near
    assert noisy.agrees
    apart = Judged(cell, LOSS, (1.0, 1.01), (1.5, 1.51, 1.49))
    assert not apart.agrees
    # Student's t of 3 degrees of freedom at 99 % is 5.84.
    assert apart.scatter == pytest.approx(5.841 * (0.00025 / 3) ** 0.5 * (1 / 2 + 1 / 3) ** 0.5, rel=1e-3)


def test_a_page_keeps_what_stands_around_its_tables(tmp_path: Path) -> None:
    four, one = Cell(PLACE, "reno", 4), Cell(PLACE, "reno", 1)
    values = dict.fromkeys((measure.key for measure in MEASURES), 1.0)
    judged = judge(
        {cell: [values, values] for cell in (one, four)},
        {cell: [values | {"delay": 5.0}] * 3 for cell in (one, four)},
    )
    assert len(judged) == 9, "a single flow shares with nobody"
    made = section(judged, "6.1", 2, 3)
    assert "Of 9 comparisons 7 agree (78 %)" in made
    assert "| droptail | reno | 2 (2) of 2 | 0 (0) of 2 | 2 (2) of 2 | 1 (1) of 1 | 2 (2) of 2 |" in list(
        agreement(judged)
    )
    assert "| droptail-1M-10ms-reno-1 | 1.00 | 1.00 | 1.0 | 5.0 ° | 1.00 | 1.00 |  |  | 1.0 | 1.0 |" in list(
        numbers(judged)
    )
    page = write(tmp_path, made, {"a.svg": "<svg/>"})
    assert page.read_text() == made
    assert (tmp_path / "figures" / "a.svg").read_text() == "<svg/>"


# --- Commands -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--only", "rde-*"], "--only: got rde-*, expected the name of a cell"),
        (["--quick", "--only", "red-*"], "got --quick and --only, expected one of them"),
        (["DIR", "--quick"], "got DIR and --quick, expected one of them"),
        (["DIR", "--seeds", "5"], "got DIR and --seeds, expected one of them"),
        (["--kernel", "5.4"], "'5.4' is not one of '6.1', '6.12'"),
        (["--repeats", "0"], "0 is not in the range"),
        (["--seeds", "one"], "'one' is not a whole number"),
    ],
)
def test_what_is_typed_wrong_is_said_in_a_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "linux", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_what_is_missing_is_said_in_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        machine_runs.Workshop, "lacking", lambda *_: "there is no kernel 6.1: make -C linux kernels"
    )
    assert main(["validate", "linux"]) == 1
    assert capsys.readouterr().err == "parshall: there is no kernel 6.1: make -C linux kernels\n"


@pytest.mark.exhaustive
def test_cells_from_end_to_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    linux_machine.kernel("6.1")  # or skips
    monkeypatch.setenv("PARSHALL_CACHE", str(tmp_path / "cache"))
    command = ["validate", "linux", "--quick", "--seeds", "3", "--out", str(tmp_path / "out")]
    assert main(command) == 0
    said = capsys.readouterr()
    assert "machine 1 of 1: droptail-1M-10ms, draw 1" in said.err
    lines = said.out.splitlines()
    assert sum(line.startswith("| droptail-1M-10ms-") for line in lines) == 9
    values = [
        cell.strip(" °") for cell in next(line for line in lines if "-reno-1 " in line).split("|")[2:-1]
    ]
    linux, ours = float(values[2]), float(values[3])
    assert linux == pytest.approx(445, abs=5), "the machine says the same wherever it runs"
    assert ours == pytest.approx(linux, rel=0.05)
    page = (tmp_path / "out" / "linux-machines.md").read_text()
    assert page.count("| droptail-1M-10ms-") == 9
    assert "linux-cells.svg" in page
    figure = (tmp_path / "out" / "figures" / "linux-cells.svg").read_text()
    assert figure.startswith("<svg")
    # What ran is kept: no machine is needed a second time.
    monkeypatch.setattr(machine_runs.Machine, "run", None)
    assert main(command) == 0
    again = capsys.readouterr()
    assert again.out == said.out
    assert "machine" not in again.err


def test_runs_of_ours_are_read_as_the_machines() -> None:
    cell = Cell(Place("fq-codel", 1, 50), "reno", 4)
    (run,) = simulate([(cell, 1)], 1, None).values()
    assert run.taken.shape == (100, 4)
    assert run.sent_bytes[50:].sum() == pytest.approx(10 * 125_000, rel=0.02)
    assert json.dumps(measures_of(cell, run))
