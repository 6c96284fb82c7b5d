"""The command, as somebody at a terminal meets it."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import parshall
from parshall import Dumbbell, Recording
from parshall.cli.main import main
from parshall_studies import study

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@pytest.fixture
def file(bell: Dumbbell, tmp_path: Path) -> Path:
    path = tmp_path / "bell.toml"
    path.write_text(bell.to_toml())
    return path


class Outcome:
    """Output of a command, and its exit status."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: object) -> None:
        self.status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        self.out, self.err = captured.out, captured.err

    def fails_with(self, pattern: str, status: int) -> None:
        """One line on standard error, nothing else."""
        assert re.fullmatch(rf"parshall: {pattern}\n", self.err), self.err
        assert (self.status, self.out) == (status, "")


def command(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    program = [sys.executable, "-c", "import sys; from parshall.cli.main import main; sys.exit(main())"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([*program, *map(str, arguments)], text=True, **streams)


# --- What it is for ---------------------------------------------------------------------------------------


def test_run_prints_a_summary_and_writes_a_recording(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = Outcome(capsys, "run", file, "--seed", 3, "--out", tmp_path / "out")
    assert (outcome.status, outcome.err) == (0, "")
    assert "A small bell: 4 s, seed 3, scenario" in outcome.out
    assert "bottleneck (r0->r1)" in outcome.out
    assert f"written to {tmp_path / 'out'}" in outcome.out
    recording = Recording.load(tmp_path / "out")
    assert recording.seed == 3
    assert f"{recording.flow('tcp1').packets_sent:,}" in outcome.out
    assert all(len(line) <= 120 for line in outcome.out.splitlines())


def test_run_without_a_folder_writes_nothing(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    outcome = Outcome(capsys, "run", file)
    assert outcome.status == 0
    assert "seed 1" in outcome.out
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_run_of_many_flows_stays_readable(
    bell: Dumbbell, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "many.toml"
    path.write_text(bell.replace("flows[tcp].count", 60).to_toml())
    outcome = Outcome(capsys, "run", path)
    assert "and 45 more flows" in outcome.out
    assert len(outcome.out.splitlines()) < 45


def test_check(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome(capsys, "check", file)
    assert outcome.status == 0
    counts = "6 hosts, 2 routers, 7 links, 3 flows, 4 s"
    scenario = parshall.load(file)
    assert outcome.out == f"{file}: ok, {counts}; {scenario.expected}; scenario {scenario.hash}\n"


def test_schema(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome(capsys, "schema")
    assert outcome.status == 0
    jsonschema.validate(tomllib.loads(file.read_text()), json.loads(outcome.out))


def test_studies_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = Outcome(capsys, "studies")
    assert outcome.status == 0
    for known in study.list_studies():
        assert re.search(rf"^{known.name} +{re.escape(known.title)}$", outcome.out, re.MULTILINE)


def test_reproduce_hands_on_what_it_was_given(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(study, "reproduce", lambda name, **options: calls.append((name, options)))
    given = ("--seeds", 12, "--jobs", 2, "--out", "there", "--data", "here", "--data", "and/here")
    given += ("--from", "before", "--no-cache", "--full", "--verbose")
    assert Outcome(capsys, "reproduce", "median-rto", *given).status == 0
    assert Outcome(capsys, "reproduce", "median-rto").status == 0
    chosen, plain = ({k: v for k, v in options.items() if k != "console"} for _, options in calls)
    assert chosen == {
        "seeds": 12,
        "jobs": 2,
        "out": "there",
        "data": ("here", "and/here"),
        "source": "before",
        "cache": False,
        "full": True,
        "quick": False,
        "verbose": True,
    }
    assert plain == {
        "seeds": None,
        "jobs": None,
        "out": None,
        "data": (),
        "source": None,
        "cache": True,
        "full": False,
        "quick": False,
        "verbose": False,
    }
    assert [name for name, _ in calls] == ["median-rto"] * 2


@pytest.mark.parametrize("group", ["", "cache", "calibrate", "qdisc", "validate"])
def test_lists_of_commands_cut_no_sentence(capsys: pytest.CaptureFixture[str], group: str) -> None:
    listed = Outcome(capsys, *group.split(), "--help").out.partition("Commands:")[2]
    assert listed
    assert "..." not in listed


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ((), ("--help",), ("-h",), ("run", "--help"), ("validate", "--help")):
        outcome = Outcome(capsys, *arguments)
        assert (outcome.status, outcome.err) == (0, "")
        assert outcome.out.startswith("Usage: parshall")
    versions = rf"parshall {re.escape(parshall.__version__)} \(engine \S+\)\n"
    assert re.fullmatch(versions, Outcome(capsys, "--version").out)


# --- What can be wrong with the command line ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        (["frobnicate"], r"No such command 'frobnicate'\."),
        (["validate"], r"Missing command\."),
        (["validate", "fluid"], r"No such command 'fluid'\."),
        (["run"], r"Missing argument 'FILE'\."),
        (["run", "a", "b"], r"Got unexpected extra argument \(b\)"),
        (["run", "a", "--sed", "1"], r"No such option:? '?--sed'?.*"),
        (["run", "a", "--seed", "x"], r"Invalid value for '--seed': 'x' is not a whole number.*"),
        (["run", "a", "--seed", "1.5"], r"Invalid value for '--seed': '1.5' is not a whole number.*"),
        (["forecast", "a", "--coverage", "x"], r"Invalid value for '--coverage': 'x' is not a number\."),
        (["run", "a", "--seed", "-1"], r"Invalid value for '--seed': -1 is not in the range 0<=x.*"),
        (["run", "a", "--seed"], r"Option '--seed' requires an argument\."),
        (["reproduce", "median-rto", "--seeds", "0"], r"Invalid value for '--seeds': 0 .* 1<=x<=1000000\."),
        (["reproduce", "median-rto", "--seeds", "-3"], r"Invalid value for '--seeds': -3 .* 1<=x<=1000000\."),
        (["reproduce", "median-rto", "--jobs", "0"], r"Invalid value for '--jobs': 0 .* 1<=x<=1024\."),
        (["reproduce", "median-rto", "--jobs", "two"], r"Invalid value for '--jobs': 'two' is not .*"),
    ],
)
def test_misuse_is_one_line(arguments: list[str], pattern: str, capsys: pytest.CaptureFixture[str]) -> None:
    Outcome(capsys, *arguments).fails_with(rf"{pattern} \(see parshall ?\w* --help\)", 2)


def test_an_unknown_study(capsys: pytest.CaptureFixture[str]) -> None:
    Outcome(capsys, "reproduce", "mean-rto").fails_with(
        r'study: got "mean-rto", expected one of .*median-rto.*', 1
    )


# --- What can be wrong with a file --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run", "check"])
def test_files_that_cannot_be_read(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = tmp_path / "absent.toml"
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    Outcome(capsys, name, absent).fails_with(rf"{absent}: no such file, expected a scenario file", 1)
    folder = "a folder without .*" if name == "check" else "is a folder"
    Outcome(capsys, name, tmp_path).fails_with(rf"{tmp_path}: {folder}, expected a scenario file.*", 1)
    Outcome(capsys, name, binary).fails_with(rf"{binary}: byte 1 is not UTF-8, expected a scenario file", 1)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.chmod(0)
    Outcome(capsys, "run", file).fails_with(rf"{file}: permission denied, expected a scenario file", 1)


@pytest.mark.parametrize(
    ("right", "wrong", "pattern"),
    [
        ("[dumbbell]", "[dumbbell", r"got text that is not TOML: .*, expected a scenario file"),
        ('"10 ms"', '"10 Mbit/s"', r'dumbbell\.delay: got "10 Mbit/s", expected a duration .*'),
        ('"2 Mbit/s"', "0", r"dumbbell\.rate: got 0, expected a rate above 0 .*"),
        ('"2 Mbit/s"', '"-2 Mbit/s"', r'dumbbell\.rate: got "-2 Mbit/s", expected a rate above 0 .*'),
        (
            "limit_packets",
            "limit_packet",
            r'dumbbell\.queue\.limit_packet: got an unknown key, .* "limit_packets"',
        ),
        ('kind = "tcp"', 'kind = "sctp"', r'dumbbell\.flows\[0\]\.transport\.kind: got "sctp", .*'),
        ('warm_up = "1 s"', 'warm_up = "5 s"', r"warm_up: got 5 s, expected less than the duration, 4 s"),
        ('name = "call"', 'name = "tcp"\ncount = 1', None),
    ],
)
def test_a_fault_names_file_line_field_value_and_what_is_expected(
    right: str,
    wrong: str,
    pattern: str | None,
    file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = file.read_text()
    assert right in text
    file.write_text(text.replace(right, wrong, 1))
    outcome = Outcome(capsys, "run", file, "--out", tmp_path / "out")
    if pattern is None:
        assert outcome.status == 0, "groups of one name are counted on"
        return
    outcome.fails_with(rf"{file}(:\d+)?: {pattern}", 1)
    assert not (tmp_path / "out").exists()


def test_each_fault_has_its_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(file.read_text().replace('"10 ms"', "nan").replace('"2 Mbit/s"', "0"))
    outcome = Outcome(capsys, "check", file)
    assert outcome.status == 1
    assert [line.split(": ")[2] for line in outcome.err.splitlines()] == ["dumbbell.rate", "dumbbell.delay"]


def test_hosts_that_cannot_be_reached_and_names_used_twice(
    bell: Dumbbell, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "net.toml"
    text = bell.scenario().to_toml()
    faults = {
        text.replace('between = ["r1", "d1"]', 'between = ["r1", "d9"]').replace(
            '"d1"', '"d9", "d1"', 1
        ): "flows",
        text.replace('name = "tcp2"', 'name = "tcp1"'): r"flows\[1\]\.name",
        text.replace('"d3"]', '"d3", "s1"]', 1): r"hosts\[6\]",
    }
    for fault, path in faults.items():
        assert fault != text
        file.write_text(fault)
        Outcome(capsys, "check", file).fails_with(rf"{file}:\d+: {path}.*: got .+, expected .+", 1)


# --- What can be wrong with the system ----------------------------------------------------------------------


def test_a_folder_that_cannot_be_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Outcome(capsys, "run", file, "--out", file).fails_with(rf"{file}: is a file, expected a folder", 1)
    assert Outcome(capsys, "run", file, "--out", "/proc/nowhere").err.startswith("parshall: /proc/nowhere: ")


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A file system that holds 64 kB."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("a file system can be mounted only by root")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="needs tmpfs")
def test_a_disk_that_is_really_full(
    everything: parshall.Scenario, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bell.toml"
    file.write_text(everything.to_toml())
    with small_disk(tmp_path / "disk"):
        for out in (tmp_path / "disk", tmp_path / "disk" / "out"):
            Outcome(capsys, "run", file, "--out", out).fails_with(rf"{out}: the disk is full", 1)
            assert list((tmp_path / "disk").iterdir()) == []


def test_a_disk_that_says_it_is_full(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pyarrow.parquet.write_table", full)
    out = tmp_path / "out"
    Outcome(capsys, "run", file, "--out", out).fails_with(rf"{out}: the disk is full", 1)
    assert not out.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["schema"], ["studies"], ["--version"]])
def test_an_output_that_is_full(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        process = command(*arguments, stdout=full)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "parshall: standard output: the disk is full\n")


def test_a_reader_that_goes_away(file: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = command("schema", stdout=writing)
    os.close(writing)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (1, "")


def test_control_c_ends_it_in_one_line(bell: Dumbbell, tmp_path: Path) -> None:
    program = (
        "import sys, parshall\n"
        "from parshall_studies import study\n"
        "from parshall.cli.main import main\n"
        "scenario = parshall.load(sys.argv[1])\n"
        "def reproduce(*_, **__):\n"
        "    parshall.run_many({'v': scenario}, range(5000), jobs=1,\n"
        "                      progress=lambda done, total: print(done, flush=True))\n"
        "study.reproduce = reproduce\n"
        "sys.exit(main(['reproduce', 'median-rto']))\n"
    )
    path = tmp_path / "bell.toml"
    path.write_text(bell.replace("duration", "60 s").to_toml())
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], **streams)
    assert process.stdout
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.strip()) == (130, "parshall: interrupted")


def test_what_happens_on_the_way_is_a_line_too(
    bell: Dumbbell, own_cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reproduce(*_: object, **__: object) -> None:
        parshall.run_many({"v": bell}, [1])

    monkeypatch.setattr(study, "reproduce", reproduce)
    assert Outcome(capsys, "reproduce", "median-rto").err == ""
    (index,) = own_cache.glob("v2/*/*/index.json")
    index.write_bytes(b"")
    outcome = Outcome(capsys, "reproduce", "median-rto")
    assert outcome.status == 0
    assert re.fullmatch(
        rf"parshall: {re.escape(str(index.parent))}: damaged .*; its runs are done again\n", outcome.err
    )


def test_a_missing_engine_is_one_line(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'parshall._core'", name="parshall._core")

    monkeypatch.setattr("parshall._core.read_scenario", missing)
    Outcome(capsys, "check", file).fails_with("the compiled engine is missing; build it with make setup", 1)
