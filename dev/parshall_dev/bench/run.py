"""The benchmark suite: `python -m parshall_dev.bench.run`, or `make bench`.

Every case is run by Parshall and its peers in turns. The table and out/bench/bench.json hold the medians. The
status is 0 only if all sides simulated the same thing and nothing failed. Ctrl-C keeps what is finished.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from parshall_dev.bench import captures, controls, machine, parts, processes, sweep
from parshall_dev.bench.cases import CASES
from parshall_dev.bench.contest import Result, Turns, compete
from parshall_dev.bench.display import show
from parshall_dev.bench.peers import PEERS, Missing, Peer, install, ready
from parshall_dev.bench.process import ProcessError

SWEEP, CONTROLS, CAPTURES, PARTS = "P7", "P8", "P9", "P10"
NAMES = (*CASES, SWEEP, CONTROLS, CAPTURES, PARTS)


@dataclass
class Suite:
    """Measurements so far."""

    runs: int
    peers: dict[str, Peer] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    sweeps: list[sweep.Sweep] = field(default_factory=list)
    controls: list[dict[str, Any]] = field(default_factory=list)
    captures: list[dict[str, Any]] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    processes: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    interrupted: bool = False

    def report(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """For the JSON and the tables."""
        report = {
            "machine": dict(facts),
            "runs": self.runs,
            "peers": {name: peer.version for name, peer in self.peers.items()},
            "missing": self.missing,
            "cases": [result.summary() for result in self.results],
            "sweep": sweep.summary(self.sweeps),
            "controls": controls.summary(self.controls),
            "captures": captures.summary(self.captures),
            "parts": parts.summary(self.parts),
            "processes": self.processes,
            "failures": self.failures,
            "interrupted": self.interrupted,
        }
        return {**report, "passed": self.passed}

    @property
    def passed(self) -> bool:
        """True if nothing failed and all sides did the same work."""
        contests = [contest for result in self.results for contest in result.contests]
        return not self.failures and all(contest.passed for contest in contests)


def measure(suite: Suite, names: Sequence[str], say: Any) -> None:
    """Runs the cases; a case that fails is noted, and the next one follows."""
    try:
        _attempt(suite, "start", lambda: suite.processes.update(processes.starting(suite.runs)))
        for name in names:
            if name == SWEEP:
                _attempt(suite, name, lambda: _sweep(suite, say))
            elif name == CONTROLS:
                _attempt(suite, name, lambda: _controls(suite, say))
            elif name == CAPTURES:
                _attempt(suite, name, lambda: _captures(suite, say))
            elif name == PARTS:
                _attempt(suite, name, lambda: _parts(suite, say))
            else:
                _attempt(suite, name, lambda name=name: _case(suite, name, say))
    except KeyboardInterrupt:
        suite.interrupted = True


def _attempt(suite: Suite, name: str, work: Any) -> None:
    try:
        work()
    except ProcessError as error:
        suite.failures.append(f"{name}: {error}")


def _case(suite: Suite, name: str, say: Any) -> None:
    result = Result(CASES[name], Turns(), [])
    suite.results.append(result)
    compete(result, suite.peers, suite.runs, say)
    if result.case.whole_process:
        say(f"{name}: parshall run, whole process")
        suite.processes[f"parshall run, {name}"] = processes.whole_run(result.case)


def _sweep(suite: Suite, say: Any) -> None:
    for turn in range(1, suite.runs + 1):
        say(f"{SWEEP} {turn}/{suite.runs}: {sweep.RUNS:,} runs on one thread and on two")
        suite.sweeps.append(sweep.measure())


def _controls(suite: Suite, say: Any) -> None:
    for turn in range(1, suite.runs + 1):
        say(f"{CONTROLS} {turn}/{suite.runs}: AIMD in each form that a control can have")
        suite.controls.append(controls.measure())


def _parts(suite: Suite, say: Any) -> None:
    say(f"{PARTS}: parts of one's own of each kind, in each form")
    suite.parts.append(parts.measure())


def _captures(suite: Suite, say: Any) -> None:
    say(f"{CAPTURES}: captures of {captures.PACKETS:,} packets, {suite.runs} times each, tshark once")
    suite.captures.extend(captures.measure(suite.runs))
    for line in captures.lines(suite.captures):
        say(line)


def prepare(suite: Suite, wanted: Sequence[str], say: Any) -> None:
    """Makes the peers ready; one that is not here is noted, and the suite goes on without it."""
    if wanted:
        say("peers: looking, installing and compiling")
        complaint = install()
        if complaint is not None:
            say(complaint)
    for name in wanted:
        try:
            suite.peers[name] = ready(name)
        except Missing as missing:
            suite.missing.append(str(missing))


def _listed(known: Sequence[str], none: bool) -> Any:
    def read(_context: click.Context, _parameter: click.Parameter, text: str | None) -> list[str]:
        if text is None:
            return list(known)
        if none and text == "none":
            return []
        names = [name.strip() for name in text.split(",")]
        for name in names:
            if name not in known:
                expected = ", ".join(known) + (" or none" if none else "")
                raise click.BadParameter(f"got {name!r}, expected some of {expected}")
        return names

    return read


@click.command(help=__doc__)
@click.option(
    "--only", metavar="P1,P2", callback=_listed(NAMES, none=False), help="These cases; all unless given."
)
@click.option("--runs", type=click.IntRange(1), default=5, show_default=True, help="Of everybody, in turns.")
@click.option(
    "--peers", metavar="ns2,ns3,htsim|none", callback=_listed(tuple(PEERS), none=True), help="Beside whom."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("out/bench/bench.json"),
    show_default=True,
    help="Where the JSON goes.",
)
def main(only: list[str], runs: int, peers: list[str], out: Path) -> None:
    """The command."""
    console = Console(stderr=True)

    def say(line: str) -> None:
        console.print(line, highlight=False, soft_wrap=True)

    suite = Suite(runs)
    facts = machine.facts()
    try:
        prepare(suite, peers, say)
        measure(suite, only, say)
    except KeyboardInterrupt:
        suite.interrupted = True
    report = suite.report(facts)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=2) + "\n")
    terminal = Console()
    show(report, terminal if terminal.is_terminal else Console(width=160))
    say(f"{out} written")
    if suite.interrupted:
        sys.exit(130)
    sys.exit(0 if suite.passed else 1)


if __name__ == "__main__":
    main()
