"""``make bench-gate``: fails when an event of the engine takes more instructions than it may.

Callgrind counts runs of P1, P2, P3 and P5, shorter than those of ``make bench``. Its counts repeat, whatever
else the machine does, so they show a loss that a clock would hide. They depend on the compiler, whose version
is kept beside the figures. ``make bench-gate UPDATE=1`` writes the figures anew.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from parshall_dev.bench import callgrind
from parshall_dev.bench.cases import CASES
from parshall_dev.checkout import ROOT

__all__ = ["ALLOWED", "FIGURES", "SECONDS", "Compiler", "Figure", "Figures", "complaints", "gains", "table"]

ALLOWED = 0.005
"""The largest increase, as a share of the committed figure."""
SECONDS = {"P1": 160.0, "P2": 10.0, "P3": 8.0, "P5": 160.0}
"""Simulated; each takes 3 to 7 s below callgrind."""
FIGURES = Path(__file__).with_name("gate.json")
"""The committed figures."""
_FOLDER = Path("target", "bench-gate")


@dataclass(frozen=True)
class Compiler:
    """The compiler that made the instructions."""

    rustc: str
    """Release, commit and its date."""
    target: str
    """The target triple."""

    def __str__(self) -> str:
        return f"rustc {self.rustc} for {self.target}"


@dataclass(frozen=True)
class Figure:
    """A case."""

    seconds: float
    """Simulated."""
    events: int
    """Events of the run."""
    instructions_per_event: float
    """Rounded to a hundredth."""

    @property
    def instructions(self) -> float:
        """Instructions of the run."""
        return self.events * self.instructions_per_event


@dataclass(frozen=True)
class Figures:
    """All cases by one compiler."""

    compiler: Compiler
    cases: dict[str, Figure]

    @classmethod
    def read(cls, path: Path) -> Figures:
        """Reads what ``write`` wrote."""
        kept = json.loads(path.read_text(encoding="utf-8"))
        cases = {name: Figure(**figure) for name, figure in kept["cases"].items()}
        return cls(Compiler(**kept["compiler"]), cases)

    def write(self, path: Path) -> None:
        """Writes them as JSON."""
        cases = {name: vars(figure) for name, figure in self.cases.items()}
        kept = {"compiler": vars(self.compiler), "cases": cases}
        path.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def complaints(counted: Figures, kept: Figures) -> list[str]:
    """Returns a line for each case that takes more than it may, or does not compare with what is kept."""
    if counted.compiler != kept.compiler:
        return [
            f"compiler: {counted.compiler}, expected {kept.compiler}, which made the committed figures; "
            "write them anew on the commit before yours"
        ]
    lines = (_complaint(name, figure, kept.cases.get(name)) for name, figure in counted.cases.items())
    return [line for line in lines if line]


def _complaint(name: str, counted: Figure, kept: Figure | None) -> str:
    if kept is None or kept.seconds != counted.seconds:
        return f"{name}: no figure for {counted.seconds:g} simulated seconds is committed"
    if counted.events != kept.events:
        change = counted.instructions / kept.instructions - 1
        return (
            f"{name}: {counted.events:,} events, expected {kept.events:,}; "
            f"instructions per event do not compare, those of the whole run change by {change:+.2%}"
        )
    most = round(kept.instructions_per_event * (1 + ALLOWED), 2)
    if counted.instructions_per_event > most:
        shown = f"{counted.instructions_per_event:.2f} instructions per event"
        return f"{name}: {shown}, expected at most {most:.2f}"
    return ""


def gains(counted: Figures, kept: Figures) -> list[str]:
    """Returns the cases that take so much less that the figures would not show if the gain were lost."""
    return [
        name
        for name, figure in counted.cases.items()
        if name in kept.cases
        and figure.instructions_per_event < kept.cases[name].instructions_per_event * (1 - ALLOWED)
    ]


def table(counted: Figures, kept: Figures | None) -> Iterator[str]:
    """A line for each case: its instructions per event beside the committed ones."""
    for name, figure in counted.cases.items():
        line = f"{name}: {figure.instructions_per_event:.2f} instructions per event"
        if kept is not None and name in kept.cases:
            committed = kept.cases[name].instructions_per_event
            line += f", {committed:.2f} committed, {figure.instructions_per_event / committed - 1:+.2%}"
        yield line


def _counted() -> Figures:
    """Builds the program and counts every case."""
    program = callgrind.build()
    (ROOT / _FOLDER).mkdir(parents=True, exist_ok=True)
    return Figures(_compiler(), {name: _figure(name, program) for name in SECONDS})


def _figure(name: str, program: Path) -> Figure:
    scenario, seconds = _FOLDER / f"{name}.json", SECONDS[name]
    (ROOT / scenario).write_text(CASES[name].network.scenario(seconds).to_json(), encoding="utf-8")
    count = callgrind.count(program, scenario, _FOLDER / f"{name}.callgrind")
    return Figure(seconds, count.events, round(count.per_event, 2))


def _compiler() -> Compiler:
    told = callgrind.run(["rustc", "-vV"]).stdout
    return Compiler(callgrind.found(r"^rustc (.+)", told), callgrind.found(r"host: (\S+)", told))


@click.command()
@click.option("--update", is_flag=True, help="Write the committed figures anew.")
def gate(update: bool) -> None:
    """Count instructions per event of P1, P2, P3 and P5, and compare them with the committed figures."""
    if callgrind.is_missing():
        click.echo("bench-gate is skipped: no valgrind", err=True)
        sys.exit(1 if update else 0)
    counted = _counted()
    kept = Figures.read(FIGURES) if FIGURES.exists() else None
    click.echo("\n".join(table(counted, kept)))
    if update:
        counted.write(FIGURES)
        return
    if kept is None:
        raise click.ClickException(f"{FIGURES.name}: expected committed figures, which UPDATE=1 writes")
    if failed := complaints(counted, kept):
        click.echo("\n".join(failed), err=True)
        sys.exit(1)
    if better := gains(counted, kept):
        click.echo(f"{', '.join(better)}: write the figures anew (UPDATE=1), so that the gain stays")


if __name__ == "__main__":
    gate()
