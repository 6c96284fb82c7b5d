"""Linux's TCP from version to version: what is read of a machine, what is kept of it, and the page."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from parshall import Cubic, Tcp
from parshall_dev.commands import validate
from parshall_dev.emulated import EmulationError, machine
from parshall_dev.emulated.cpio import Archive
from parshall_dev.validate.linux_versions.page import RULES, page
from parshall_dev.validate.linux_versions.reading import Facts, read
from parshall_dev.validate.linux_versions.script import SCENARIOS, Scenario, script
from parshall_dev.validate.linux_versions.seen import keep, kept

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT.parent / "shared" / "reference" / "linux-7.3" / "timers" / "timers.csv"
THEIRS = {"6.1.176": "6.1", "6.12.117": "6.12", "6.18.15": "6.18", "7.3.4": "7.3"}
"""Series of the kernels in the reference."""
HEAD = (
    "kernel 7.3.4+deb13-cloud-amd64 #1 PREEMPT Debian 7.3.4-1~bpo13+1 (2026)\n== sysctls\nsysctl tcp_ecn 2 \n"
)


def facts_of(name: str, lines: str) -> Facts:
    """Facts of one scenario whose lines a machine said."""
    return read(f"{HEAD}== {name}\n{lines}== end\n", [Scenario(name, "")])


# --- What is read -----------------------------------------------------------------------------------------


def test_the_kernel_and_its_settings_are_read() -> None:
    found = facts_of("syn", "sent 40 0 0 002 0\n")
    assert found["version"] == "7.3.4"
    assert found["release"] == "7.3.4+deb13-cloud-amd64"
    assert found["sysctl.tcp_ecn"] == "2"


def test_the_first_window_is_what_goes_out_before_an_ack_of_data() -> None:
    sent = "".join(f"sent {2000 + i} {1 + 1448 * i} 1448 010 0\n" for i in range(3))
    later = "sent 63000 4345 1448 010 0\n"
    said = f"sent 0 0 0 002 0\nsent 1000 0 0 002 0\nack 1900 1 012 0\n{sent}ack 62000 1449 010 0\n{later}"
    found = facts_of("syn_lost_1", said)
    assert found["syn_lost_1.times"] == "0.000 0.001"
    assert found["syn_lost_1.initial_window"] == "3"


def test_probes_and_timeouts_count_from_the_last_ack() -> None:
    said = (
        "sent 0 0 0 002 0\nack 20000 1 012 0\nsent 20100 1 1448 010 0\nack 40000 1449 010 0\n"
        "sent 40100 1449 1448 010 0\nsent 100000 1449 1448 010 0\nsent 330000 1449 1448 010 0\n"
    )
    # The packet that the ACK let go is neither.
    assert facts_of("timeouts", said)["timeouts.times"] == "0.060 0.290"


def test_slow_start_ends_where_the_threshold_is_first_finite() -> None:
    said = "cwnd 0 10 -1\ncwnd 40000 20 -1\ncwnd 60000 31 30\ncwnd 700000 44 30\ncwnd 1500000 25 25\n"
    found = facts_of("hystart_10_20", said)
    assert found["hystart_10_20.ends_at"] == "30"
    assert found["hystart_10_20.cwnd"] == "31 44 25"


def test_acks_of_one_packet_are_counted() -> None:
    numbers = [1449, 2897, 5793, 7241]
    acks = "".join(f"ack {us} {number} 010 0\n" for us, number in enumerate(numbers, start=50))
    said = f"sent 0 0 0 002 0\nack 20 1 012 0\nsent 30 1 1448 010 0\n{acks}cwnd 0 10 -1\ncwnd 60 12 12\n"
    found = facts_of("receiver_20_40", said)
    assert found["receiver_20_40.single_of_100"] == "3"
    assert found["receiver_20_40.single_at_first"] == "2"


def test_queues_are_counted_behind_the_warm_up() -> None:
    lines = ["at 90000 0 0 0 0"] * 20 + ["at 15140 0 0 0 250000"] * 30
    found = facts_of("bbr_10_20", "\n".join([*lines, ""]))
    assert float(found["bbr_10_20.goodput"]) == pytest.approx(10.0)
    assert float(found["bbr_10_20.waiting_packets"]) == pytest.approx(10.0)


@pytest.mark.parametrize("said", ["", "sent 1 2\n", "@@ watch_tcp: in: no such device\n"])
def test_what_a_scenario_did_not_say_is_an_error_that_names_it(said: str) -> None:
    with pytest.raises(EmulationError, match="syn"):
        facts_of("syn", said)


def test_output_of_no_kernel_of_debian_is_an_error() -> None:
    with pytest.raises(EmulationError, match="no kernel of Debian"):
        read("kernel 6.1.0 #1\n")


# --- What is kept -----------------------------------------------------------------------------------------


def test_the_page_is_what_the_command_makes_of_what_is_kept() -> None:
    made = CliRunner().invoke(validate, ["linux-versions"])
    assert made.exit_code == 0
    assert made.output == (ROOT / "docs" / "validation" / "linux-versions.md").read_text(encoding="utf-8")


def test_facts_that_are_kept_come_back(tmp_path: Path) -> None:
    file = tmp_path / "seen.csv"
    keep({"6.12": {"a": "1 2"}, "6.2": {"b": "x, y"}}, file)
    assert list(kept(file)) == ["6.2", "6.12"]
    assert kept(file) == {"6.12": {"a": "1 2"}, "6.2": {"b": "x, y"}}


def test_every_kernel_has_every_fact() -> None:
    kernels = kept()
    assert {"6.1", "6.12", "7.3"} <= set(kernels)
    for facts in kernels.values():
        for rule in RULES:
            assert rule.value(facts)


@pytest.mark.skipif("receive_buffer" not in Tcp.model_fields, reason="profiles have no versions of Linux")
def test_options_are_those_of_a_scenario() -> None:
    known = {*Tcp.model_fields, *Cubic.model_fields}
    named = {name for rule in RULES for name in re.findall(r"`(?:\w+\()?([a-z]\w*)=?[^`]*`", rule.option)}
    assert named <= known


def test_rules_that_no_version_changed_are_not_marked() -> None:
    one = kept()["7.3"]
    assert "**" not in page({"7.2": one, "7.3": one}).replace("**bold**", "")
    assert "**11**" in page({"7.2": one, "7.3": {**one, "syn_lost_1.initial_window": "11"}})


@pytest.mark.skipif(not REFERENCE.is_file(), reason="the reference of Linux 7.3 is not here")
def test_other_runs_of_linux_sent_syns_at_the_same_times() -> None:
    with REFERENCE.open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["scenario"] == "syn"]
    versions = {
        version: [float(row["t_s"]) for row in rows if row["kernel"] == version] for version in THEIRS
    }
    for version, theirs in versions.items():
        ours = kept()[THEIRS[version]]["syn.times"].split()
        # Timers of two seconds and more wait for the next bucket of 256 ms, and the wheel's phase is any.
        assert list(map(float, ours)) == pytest.approx(
            [time - theirs[0] for time in theirs], rel=0.025, abs=0.03
        )


# --- The machine ------------------------------------------------------------------------------------------


def test_each_scenario_has_a_part_of_the_script() -> None:
    text = script()
    assert [text.count(f"echo '== {scenario.name}'\n") for scenario in SCENARIOS] == [1] * len(SCENARIOS)


@pytest.mark.skipif(shutil.which("ldd") is None, reason="libraries are found by ldd")
def test_a_busybox_that_needs_libraries_brings_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A program that prints its words stands for one that lists its applets.
    shutil.copy2(str(shutil.which("echo")), tmp_path / "busybox")
    monkeypatch.setattr(machine, "_needed", lambda name: str(tmp_path / name))
    archive = Archive()
    machine._add_busybox(archive)
    assert "/bin/busybox" in archive
    assert b"libc.so" in archive.to_bytes()
