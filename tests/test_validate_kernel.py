"""``parshall validate linux`` without a folder: cells of a real kernel in an emulated machine, and ours."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import numpy as np
import pytest
from tests import linux_machine as linux

from parshall import run
from parshall.cli import main
from parshall.emulated import Workshop
from parshall.errors import ParshallError
from parshall.validate.kernel import cells as grid
from parshall.validate.kernel import machines, ours
from parshall.validate.kernel.cells import Cell
from parshall.validate.kernel.compare import Compared, rows
from parshall.validate.kernel.page import BEGIN, END, as_csv, table, write
from parshall.validate.kernel.reading import Measured, read
from parshall.validate.kernel.script import burst, ewma, script

CELL = Cell("cubic", "red", 1e6, 0.05, 4)
RATE_BYTES = CELL.rate / 8


ACKNOWLEDGED = {"before": (300, 1000, 1000, 1000, 1000), "after": (400, 2000, 3000, 2000, 2000)}
"""Bytes of each connection; the first is iperf3's own."""
ANSWERED = " bytes_received:4"


def said(**changes: str) -> str:
    """What a machine prints of a full link with a constant backlog, of which flow 2 gets twice as much."""
    count = round(grid.DURATION / grid.EVERY) + 1
    step = np.arange(count)
    lines = [
        f"{50_000 * i} {int(RATE_BYTES * grid.EVERY * i)} {10 * i} {i} 12500 8 0 -1 -1 0 0 0 0" for i in step
    ]
    port = base64.b64encode(gzip.compress("\n".join(lines).encode())).decode()
    sockets = {
        when: "\n".join(
            f"0 0 10.0.1.2:{4000 + flow} 10.0.3.2:5201 bytes_acked:{acked}{'' if flow else ANSWERED}"
            for flow, acked in enumerate(amounts)
        )
        for when, amounts in ACKNOWLEDGED.items()
    }
    parts = {"port": port, **sockets, "complaints": "", **changes}
    return (
        f"== {CELL.name}\n{parts['port']}\n-- before\n{parts['before']}\n-- after\n{parts['after']}\n"
        f"== complaints\n{parts['complaints']}"
    )


def test_the_grid_is_what_it_says() -> None:
    every = list(grid.cells())
    assert len(every) == len({cell.name for cell in every}) == 3 * 5 * 3 * 3 * 3
    assert sum(map(len, grid.machines(every))) == len(every)
    assert {len(group) for group in grid.machines(every)} == {9}


def test_counters_become_measures() -> None:
    found = read(said(), [CELL])[CELL.name]
    assert found.throughput == pytest.approx(100, abs=0.1)
    assert found.share_early == pytest.approx(100, abs=0.1)
    assert found.delay == pytest.approx(100)  # 12,500 bytes at 1 Mbit/s
    assert found.loss == pytest.approx(100 / 11)
    assert found.fairness == pytest.approx(25 / (4 * 7))  # 1, 2, 1, 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "KeyError: 'complaints'"),
        (said(port="nothing"), "Error"),
        (said(after="none"), "0 flows, and not 4"),
        (said(complaints="[1.0] BUG: bad"), "the kernel complained of '\\[1.0\\] BUG: bad'"),
    ],
)
def test_what_is_no_answer_is_refused(answer: str, reason: str) -> None:
    with pytest.raises(ParshallError, match=f"the machine's answer: .*{reason}.*, expected counters"):
        read(answer, [CELL])


def test_a_script_has_every_cell_with_its_queue() -> None:
    (group,) = grid.machines([cell for cell in grid.cells() if cell.name.startswith("cubic/pie/1M/10ms/")])
    told = script(group)
    for cell in group:
        assert f'echo "== {cell.name}"' in told
    assert told.count("handle 2: pie limit 50 target 15ms tupdate 15ms alpha 2 beta 20") == 3
    assert "tbf rate 1000000bit" in told


def test_tcs_weight_of_red() -> None:
    """tests/data/linux/tc.txt has what tc says: ewma 4 for min 15Kb max 45Kb avpkt 1000, a burst of 25."""
    assert ewma(15.36, 25) == 4
    assert {ewma(cell.thresholds[0], burst(cell)) for cell in grid.cells()} <= set(range(3, 9))


def test_what_differs_by_more_than_seeds_do_is_not_alike() -> None:
    kernel = Measured(100.0, 50.0, 2.0, 1.0, 90.0)
    near = [Measured(100.0, 50.0 + i, 2.0, 1.0, 90.0) for i in range(-2, 3)]
    far = [Measured(100.0, 90.0 + i, 2.0, 1.0, 90.0) for i in range(-2, 3)]
    assert Compared(CELL, kernel, near).alike("delay")
    assert not Compared(CELL, kernel, far).alike("delay")
    (row,) = rows([Compared(CELL, kernel, near), Compared(CELL, kernel, far)])
    assert (row.cells, row.alike["delay"], row.alike["loss"]) == (2, 1, 2)
    assert row.typical["delay"] == pytest.approx(20)


def test_a_page_keeps_what_is_around_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}outdated{END}\nafter\n")
    kernel = Measured(100.0, 50.0, 2.0, 1.0, 90.0)
    found = [Compared(CELL, kernel, [kernel, kernel])]
    write(page, found, "told")
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "outdated" not in text
    assert list(table(found))[2] in text
    assert (tmp_path / "figures" / "validation-linux.csv").read_text() == as_csv(found)
    assert "<svg" in (tmp_path / "figures" / "validation-linux.svg").read_text()
    page.write_text("a page without marks")
    with pytest.raises(ParshallError, match="expected a new file or a page with such marks"):
        write(page, found, "told")


def test_a_pattern_that_names_no_cell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "linux", "--only", "vegas/*"]) != 0
    expected = 'only: got "vegas/*", expected a pattern of names such as cubic/red/1M/50ms/16 or bbr/*'
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("queue", list(grid.QUEUES))
def test_ours_fills_the_link(queue: str) -> None:
    cell = Cell("cubic", queue, 1e6, 0.05, 4)
    found = ours.of_run(cell, run(ours.network(cell), seed=1))
    assert found.throughput == pytest.approx(100, abs=3)
    assert 0 < found.loss < 30
    assert 0 < found.delay < 1e3 * 8 * cell.limit * grid.PACKET / cell.rate


def test_kernel_and_simulator_agree_in_some_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linux.kernel("6.1")
    lacking = Workshop.open().lacking("6.1", machines.PROGRAMS)
    if lacking:
        pytest.skip(lacking)
    monkeypatch.setenv("PARSHALL_CACHE", str(tmp_path))
    chosen = [Cell(control, "pfifo", 1e6, 0.05, 1) for control in grid.CONTROLS]
    (kernel,) = machines.run("6.1", chosen, 1)
    for cell in chosen:
        runs = [ours.of_run(cell, run(ours.network(cell), seed=seed)) for seed in (1, 2)]
        found = Compared(cell, kernel[cell.name], runs)
        assert found.alike("throughput"), cell.name
        assert found.difference("delay") == pytest.approx(0, abs=0.35 * found.values("delay")[0]), cell.name
