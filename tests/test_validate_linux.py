"""`parshall validate linux`: the profile `linux` beside what a real kernel did at the same bottleneck."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

import parshall
from parshall import Tcp
from parshall.cli.main import main
from parshall_dev.validate import kernels
from parshall_dev.validate.linux import Compared, compare_folder, network_of
from parshall_dev.validate.slow_start import agrees

FOLDER = Path(__file__).parents[2] / "shared" / "reference" / "linux-tcp"
KERNELS = FOLDER.parent / "linux-7.3" / "tcp"
ASKED = {
    "name": "x",
    "repeat": 1,
    "rate_mbit": 20,
    "base_rtt_ms": 40,
    "limit_packets": 67,
    "duration_s": 20,
    "flows": [{"cc": "reno", "start_s": 0}, {"cc": "bbr", "start_s": 5}],
}


@pytest.fixture(scope="module")
def found() -> dict[str, Compared]:
    if not FOLDER.is_dir():
        pytest.skip("needs ../shared/reference/linux-tcp")
    return {each.name: each for each in compare_folder(FOLDER)}


def test_the_path_is_that_of_the_emulator() -> None:
    network = network_of(ASKED, 5.0)
    bottleneck = network.links[1]
    assert (bottleneck.rate, bottleneck.delay) == (20e6, 0.02)
    assert bottleneck.queue.limit_packets == 66  # theirs counts the packet in transmission
    assert [flow.transport.control.kind for flow in network.flows] == ["aimd", "bbr"]
    assert {flow.transport.profile for flow in network.flows} == {"linux"}
    assert [flow.start for flow in network.flows] == [0.0, 5.0]
    of_hosts = {"receive_buffer", "payload_bytes", "header_bytes", "ack_bytes"}
    assert {name for flow in network.flows for name in flow.transport.given()} - of_hosts == {
        "profile",
        "control",
    }


def test_nothing_but_the_profile_and_a_controls_name_does_as_linux_does() -> None:
    """Packets have the size of Linux's."""
    if not FOLDER.is_dir():
        pytest.skip("needs ../shared/reference/linux-tcp")
    with (FOLDER / "summary.csv").open(encoding="utf-8", newline="") as file:
        measured = {line["name"]: line for line in csv.DictReader(file)}
    asked = json.loads((FOLDER / "scenarios.json").read_text(encoding="utf-8"))
    for control, name in (("reno", "aimd"), ("cubic", "cubic"), ("bbr", "bbr")):
        alone = next(each for each in asked if each["name"] == f"r20_t40_b1_{control}")
        tcp = Tcp(profile="linux", control=name, payload_bytes=1448, header_bytes=52, ack_bytes=52)
        network = network_of(alone, 5.0).replace("flows[*].transport", tcp)
        linux, settled = measured[alone["name"]], parshall.run(network, seed=1)
        goodput = 8e-6 * settled.flow("f0").bytes_delivered / (alone["duration_s"] - 5)
        delay = 1e3 * (settled.port("bottleneck").mean_delay - 12_000 / 20e6)
        assert goodput == pytest.approx(float(linux["thr_5_end"]), rel=0.01)
        assert delay == pytest.approx(float(linux["queue_delay_mean_ms"]), rel=0.1, abs=1.0)
        drops = parshall.run(network.replace("warm_up", 0), seed=1).flow("f0").packets_dropped
        assert drops == pytest.approx(int(linux["drops"]), rel=0.1), control


def test_single_flows_do_as_linux_does(found: dict[str, Compared]) -> None:
    alone = [each for each in found.values() if len(each.controls) == 1]
    assert len(alone) == 21
    assert {each.controls[0] for each in alone} == {"reno", "cubic", "bbr"}
    for each in alone:
        (linux, ours), *_ = each.goodput
        assert ours == pytest.approx(linux, rel=0.01), each.name
        assert each.delay[1] == pytest.approx(each.delay[0], rel=0.16, abs=1.5), each.name
    near = [each for each in alone if each.delay[1] == pytest.approx(each.delay[0], rel=0.1, abs=1.0)]
    assert len(near) >= 16
    drops = [each for each in alone if each.drops[0][1] == pytest.approx(each.drops[0][0], rel=1 / 3)]
    assert len(drops) >= 17


def test_flows_begin_as_linuxs_do(found: dict[str, Compared]) -> None:
    """The window at which slow start ends is Linux's in all runs, and so are those soon after, but for runs
    that lose packets a few times a second: there the same instant may be before a loss in one and after it in
    the other.
    """
    off = []
    for name, each in found.items():
        linux, ours = each.beginnings[0]
        assert agrees(linux.slow_start, ours.slow_start), name
        pairs = zip(linux.later, ours.later, strict=True)
        off += [name for pair in pairs if not agrees(*pair)]
    assert len(off) <= 8
    assert {name.rsplit("_", 1)[0] for name in off} <= {"r20_t10_b1", "r5_t10_b4", "r5_t40_b1"}


def test_hosts_of_their_own_need_no_option(found: dict[str, Compared]) -> None:
    linux, ours = found["r20_t40_b1_cubic_defbuf"].beginnings[0]
    assert ours.slow_start == pytest.approx(linux.slow_start, abs=2)
    given = network_of({**ASKED, "name": "x_defbuf"}, 0.0).flows[0].transport.given()
    assert "receive_buffer" not in given


@pytest.mark.skipif(not KERNELS.is_dir(), reason="needs ../shared/reference/linux-7.3")
def test_kernels_do_as_their_profiles(capsys: pytest.CaptureFixture[str]) -> None:
    every = list(kernels.compare_folder(KERNELS))
    assert {each.kernel.rsplit(".", 1)[0] for each in every} == {"6.1", "6.12", "7.3"}
    for each in every:
        linux, ours = each.beginnings[0]
        assert agrees(linux.slow_start, ours.slow_start), each.name
        if "droptail" in each.name:
            assert all(map(agrees, linux.later[:2], ours.later[:2])), each.name
            if each.kernel != "6.1.176":
                assert each.drops[1] == pytest.approx(each.drops[0], rel=0.1)
        if "netem" not in each.name:
            assert sum(ours for _, ours in each.goodput) == pytest.approx(
                sum(linux for linux, _ in each.goodput), rel=0.02
            )
    assert main(["validate", "linux", str(KERNELS)]) == 0
    page = Path(__file__).parents[1] / "docs" / "validation" / "linux-kernels.md"
    assert page.read_text(encoding="utf-8") == capsys.readouterr().out, "write there what the command prints"


def test_slow_start_overshoots_as_linuxs_does(found: dict[str, Compared]) -> None:
    """Reno's drops at large buffers are those of slow start alone; a window that grew by half in a round trip
    would lose half as many.
    """
    for name in ("r20_t40_b1_reno", "r20_t40_b4_reno", "r50_t100_b1_reno"):
        linux, ours = found[name].drops[0]
        assert ours == pytest.approx(linux, rel=0.05), name


def test_bbr_loses_what_linuxs_loses(found: dict[str, Compared]) -> None:
    """It floods a small buffer until it finds the pipe full, and what is lost again is sent again at once."""
    for each in found.values():
        if each.controls == ("bbr",):
            linux, ours = each.drops[0]
            assert ours == pytest.approx(linux, rel=0.1), each.name


def test_bbr_wins_against_cubic_as_in_linux(found: dict[str, Compared]) -> None:
    for name, each in found.items():
        if each.controls == ("cubic", "bbr"):
            assert each.goodput[1][1] > 2.0 * each.goodput[0][1], name


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str], found: dict[str, Compared]) -> None:
    assert main(["validate", "linux", str(FOLDER)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("| run | goodput, Mbit/s: Linux | ours |")
    assert sum(line.startswith("| r") and not line.startswith("| run ") for line in lines) >= 2 * len(found)
    file = Path(__file__).parents[1] / "docs" / "validation" / "linux-runs.md"
    assert file.read_text(encoding="utf-8").splitlines() == lines, "write there what the command prints"


def test_a_folder_that_holds_something_else_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "linux", str(tmp_path)]) == 1
    assert "no such file, expected runs of Linux" in capsys.readouterr().err
    (tmp_path / "summary.csv").write_text("name\n")
    for text in ("{", "[{}]", json.dumps([{**ASKED, "flows": [{"cc": "vegas", "start_s": 0}]}])):
        (tmp_path / "scenarios.json").write_text(text)
        assert main(["validate", "linux", str(tmp_path)]) == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "expected runs of Linux" in error
    shutil.rmtree(tmp_path)
