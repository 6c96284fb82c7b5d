"""Completions of the shell after the line of the guide: files, studies, flows, ports and paths of
``--set``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import parshall
from parshall import Dumbbell
from parshall.cli.completion import Bash
from parshall.cli.main import cli, main

COMMAND = Path(sys.executable).parent / "parshall"
BASH = shutil.which("bash")


def offered(line: str, folder: Path) -> list[str]:
    """Kind and text of each completion of a command line, which ends where the word to complete ends."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        *arguments, incomplete = line.split(" ")[1:]
        bash = Bash(cli, {}, "parshall", "_PARSHALL_COMPLETE")
        return [bash.format_completion(item) for item in bash.get_completions(arguments, incomplete)]
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("completion")
    assert main(["new", str(place / "bell.toml")]) == 0
    scenario = parshall.load(place / "bell.toml").with_(duration="2 s", warm_up=0)
    parshall.run(scenario, seed=1).save(place / "run")
    return place


@pytest.mark.parametrize(
    "line",
    ["run b", "check ", "sweep b", "compare a", "compare a b", "forecast p", "rto p", "hurst p", "capture p"],
)
def test_files_complete(line: str, folder: Path) -> None:
    assert offered(f"parshall {line}", folder) == [f"file,{line.rpartition(' ')[2]}"]


@pytest.mark.parametrize(
    "line", ["plot r", "run bell.toml --out r", "reproduce aqm --from r", "sweep a --out "]
)
def test_folders_complete(line: str, folder: Path) -> None:
    assert offered(f"parshall {line}", folder) == [f"dir,{line.rpartition(' ')[2]}"]


def test_commands_and_studies_complete(folder: Path) -> None:
    assert offered("parshall fo", folder) == ["plain,forecast"]
    assert offered("parshall reproduce med", folder) == ["plain,median-rto"]


def test_flows_and_ports_of_a_recording_complete(folder: Path) -> None:
    assert offered("parshall plot run --flow tc", folder) == ["plain,tcp1", "plain,tcp2"]
    assert offered("parshall plot run --port bo", folder) == ["plain,bottleneck"]
    assert r"plain,r0-\>r1" in offered("parshall plot run --port r0", folder)
    assert offered("parshall plot nothing --port r0", folder) == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("rat", ["more,rate="]),
        ("contr", ["more,control="]),
        ("links[bo", ["more,links[bottleneck]"]),
        ("links[bottleneck].rat", ["more,links[bottleneck].rate="]),
        ("links[bottleneck].queue.limit_p", ["more,links[bottleneck].queue.limit_packets="]),
        ("flows[tcp].tr", ["more,flows[tcp].transport."]),
        ("flows[tcp].transport.frt", ["more,flows[tcp].transport.frto="]),
        ("flows[*].nam", ["more,flows[*].name="]),
        ("nothing.here", []),
        ("rate=5", []),
        ("links[[", []),
    ],
)
def test_paths_of_changes_complete(path: str, expected: list[str], folder: Path) -> None:
    found = offered(f"parshall run bell.toml --set {path}", folder)
    assert found == expected
    checked = offered(f"parshall check bell.toml --set {path}", folder)
    assert checked == expected


def test_a_path_that_is_offered_can_be_set(folder: Path) -> None:
    bell = parshall.load(folder / "bell.toml").dumbbell
    assert isinstance(bell, Dumbbell)
    names = [each.partition(",")[2] for each in offered("parshall run bell.toml --set ", folder)]
    assert {"rate=", "delay=", "queue.", "flows[", "links[", "control=", "min_rto="} <= set(names)
    rate = next(each for each in names if each.startswith("rate"))
    assert main(["check", str(folder / "bell.toml"), "--set", f"{rate}5 Mbit/s"]) == 0


@pytest.mark.parametrize("own", ['"loud_own:Own"', '"own.so"', '{ kind = "user", source = "loud_own:Own" }'])
@pytest.mark.parametrize(
    "option",
    [
        "control = OWN",
        "rto = OWN",
        'rto = { kind = "arima", forecaster = OWN }',
        'control = { kind = "arima-vegas", forecaster = OWN }',
    ],
)
def test_completing_runs_no_code_of_a_file(option: str, own: str, folder: Path) -> None:
    (folder / "loud_own.py").write_text("raise SystemExit('run')")
    text = (folder / "bell.toml").read_text()
    (folder / "own.toml").write_text(
        re.sub(
            r"(?m)^transport = .*",
            f"transport = {{ kind = 'tcp', {option.replace('OWN', own)} }}",
            text,
            count=1,
        )
    )
    assert offered("parshall run own.toml --set rat", folder) == ["more,rate="]
    assert "loud_own" not in sys.modules


def test_a_file_that_is_wrong_completes_nothing(folder: Path) -> None:
    (folder / "wrong.toml").write_text("rate = ")
    assert offered("parshall run wrong.toml --set ra", folder) == []
    assert offered("parshall run missing.toml --set ra", folder) == []


@pytest.mark.skipif(BASH is None, reason="needs bash")
def test_the_line_of_the_guide_works_in_bash(folder: Path, repository: Path) -> None:
    line = 'eval "$(_PARSHALL_COMPLETE=bash_source parshall)"'
    assert line in (repository / "docs/guide/everyday.md").read_text()
    program = f"""
    {line}
    complete -p parshall
    compopt() {{ echo compopt "$1" "$2"; }}
    try() {{
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
        _parshall_completion parshall; printf '%s\\n' "${{COMPREPLY[@]}}"
    }}
    try parshall run bell.toml --set links[bottleneck].queue.limit_p
    try parshall plot run --port r0
    try parshall run be
    """
    assert BASH is not None
    path = f"{COMMAND.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [BASH, "--norc", "-c", program],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    first, *others = done.stdout.splitlines()
    assert first == "complete -o default -o nosort -F _parshall_completion parshall"
    assert others[:2] == ["compopt -o nospace", "links[bottleneck].queue.limit_packets="]
    assert r"r0-\>r1" in others
    assert "compopt -o default" in others
    assert done.stderr == ""


def test_other_shells_get_their_scripts() -> None:
    for shell in ("zsh", "fish"):
        asked = {**os.environ, "_PARSHALL_COMPLETE": f"{shell}_source"}
        done = subprocess.run([COMMAND], env=asked, capture_output=True, text=True, check=True)
        assert "_PARSHALL_COMPLETE" in done.stdout
