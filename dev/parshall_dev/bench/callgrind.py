"""Callgrind, and the program that it counts: ``crates/sim/examples/time_run.rs``, built as wheels are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from parshall_dev.checkout import ROOT

__all__ = ["Count", "build", "count", "found", "inclusive", "is_missing", "run", "sets_build"]

_PROGRAM = Path("target", "release", "examples", "time_run")
_RUN = "time_run::run"
# It reads what memory is left every 20 ms of the clock, so a loaded machine does it more often.
_LEFT_OUT = "parshall_sim::headroom::shortage"
# Where the stack begins depends on the environment, and how memory is copied depends on where it lies.
_ENVIRONMENT = {"PATH": os.defpath}


@dataclass(frozen=True)
class Count:
    """Counts of one run."""

    events: int
    """Events of the engine."""
    instructions: int
    """Instructions of the run alone."""

    @property
    def per_event(self) -> float:
        """Instructions per event."""
        return self.instructions / self.events


def is_missing() -> bool:
    """Returns true if valgrind is not installed."""
    return shutil.which("valgrind") is None


def build() -> Path:
    """Builds the program with the release profile of ``Cargo.toml``. Returns its path below the checkout."""
    environment = {name: value for name, value in os.environ.items() if not sets_build(name)}
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", "target"]
    run([*command, "--package", "parshall-sim", "--example", _PROGRAM.name], environment)
    return _PROGRAM


def sets_build(variable: str) -> bool:
    """Returns true for an environment variable by which cargo would make other instructions."""
    profile = variable.startswith("CARGO_PROFILE_") or variable in ("CARGO_INCREMENTAL", "CARGO_BUILD_TARGET")
    return profile or variable.endswith("RUSTFLAGS")


def count(program: Path, scenario: Path, profile: Path) -> Count:
    """Counts the instructions of a run with seed 1, from its first event to the finished recording.

    Reading the scenario and building the network are left out: hash maps with random keys are used there.
    Looks at the memory are left out too. Paths are below the checkout; ``profile`` is written for
    ``callgrind_annotate``.
    """
    command = ["valgrind", "--tool=callgrind", f"--toggle-collect={_RUN}", f"--callgrind-out-file={profile}"]
    done = run([*command, str(program), str(scenario)], _ENVIRONMENT)
    written = (ROOT / profile).read_text(encoding="utf-8")
    # To toggle for them as well would count those that are made before the run.
    looks = inclusive(_LEFT_OUT, written)
    return Count(int(found(r"(\d+) events", done.stdout)), int(found(r"totals: (\d+)", written)) - looks)


def inclusive(function: str, profile: str) -> int:
    """Instructions of a function and of what it calls, in a profile by callgrind."""
    names: dict[str, str] = {}
    costs, callee, follows_call = [], "", False
    for line in profile.splitlines():
        if match := re.match(r"(c?)fn=(\(\d+\))(?: (.+))?", line):
            called, number, name = match.groups()
            # A name is written where its number comes first.
            names[number] = name or names[number]
            callee = names[number] if called else callee
        elif follows_call and callee == function:
            costs.append(int(line.split()[1]))
        follows_call = line.startswith("calls=")
    if not costs:
        raise click.ClickException(f"callgrind: expected calls of {function}, perhaps renamed")
    return sum(costs)


def run(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command in the checkout, with an environment in place of this process's."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment)
    if done.returncode != 0:
        raise click.ClickException(
            f"{command[0]}: status {done.returncode}, it said: {done.stderr.strip()[-200:]}"
        )
    return done


def found(pattern: str, text: str) -> str:
    """The group of a pattern in what valgrind printed, without commas."""
    match = re.search(pattern, text)
    if match is None:
        raise click.ClickException(f"valgrind: no {pattern!r} in what it printed")
    return match.group(1).replace(",", "").strip()
