"""``python -m parshall_dev.bench.instructions`` counts with callgrind what an event of P1 and P2 takes.

It counts instructions, mispredicted branches and cache misses of ``crates/sim/examples/time_run.rs``, for
docs/performance.md. Callgrind's predictor and caches are simulated ones. Instruction counts repeat, whatever
else the machine does.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from parshall_dev.bench.callgrind import build, found, is_missing, run
from parshall_dev.bench.cases import CASES
from parshall_dev.checkout import ROOT

SECONDS = {"P1": 40.0, "P2": 3.0}
"""Simulated; long enough that the start does not count."""
FUNCTIONS = {
    "Simulation::on_ack": "senders, and what they send",
    "TcpReceiver::on_data": "receivers",
    "Simulation::write_ahead": "sources of UDP, and the first ports of what they send",
    "Port::space_for_mixed": "queues in which packets of several sizes wait",
    "Calendar::order": "putting a bucket of several packets in order",
}
"""Functions that are not inlined, and what they do; each includes what it calls, so they nest."""


def profile(case: str, program: Path, folder: Path) -> dict[str, Any]:
    """Counts of callgrind in a run of a case, for each event, and the shares of functions."""
    scenario, counts = folder / f"{case}.json", folder / f"{case}.out"
    scenario.write_text(CASES[case].network.scenario(SECONDS[case]).to_json(), encoding="utf-8")
    command = ["valgrind", "--tool=callgrind", "--branch-sim=yes", "--cache-sim=yes"]
    output = run([*command, f"--callgrind-out-file={counts}", str(program), str(scenario)])
    events = int(found(r"(\d+) events", output.stdout))
    total = found(r"I +refs: +([\d,]+)", output.stderr)
    listing = run(
        ["callgrind_annotate", "--inclusive=yes", "--show=Ir", "--threshold=100", str(counts)]
    ).stdout
    return {
        "case": case,
        "events": events,
        "instructions": int(total) / events,
        "mispredictions": int(found(r"Mispredicts: +([\d,]+)", output.stderr)) / events,
        "first_level_misses": int(found(r"D1 +misses: +([\d,]+)", output.stderr)) / events,
        "last_level_misses": int(found(r"LLd misses: +([\d,]+)", output.stderr)) / events,
        "shares": {name: share(name, listing) for name in FUNCTIONS},
    }


def share(function: str, listing: str) -> float:
    """The share of a function in the inclusive listing; 0 if it is not there, or inlined everywhere.

    A method that stands in another module than its type is listed as ``<impl Type>::method``.
    """
    name = function.replace("::", ">?::")
    lines = (line for line in listing.splitlines() if re.search(rf"::{name} ", line))
    shares = (float(found(r"\(([ \d.]+)%\)", line)) / 100 for line in lines)
    return max(shares, default=0.0)


def missing(profiles: Sequence[Mapping[str, Any]]) -> list[str]:
    """Functions that are in no listing."""
    return [name for name in FUNCTIONS if not any(counted["shares"][name] for counted in profiles)]


@click.command()
@click.option("--json", "path", metavar="FILE", default="out/bench/instructions.json", show_default=True)
def write(path: str) -> None:
    """Count what an event takes."""
    if is_missing():
        raise click.ClickException("valgrind is missing; tools/install-packages valgrind installs it")
    program = ROOT / build()
    with tempfile.TemporaryDirectory() as folder:
        profiles = [profile(case, program, Path(folder)) for case in SECONDS]
    for name in missing(profiles):
        raise click.ClickException(f"{name}: no case calls it; it is inlined or gone, and FUNCTIONS names it")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(profiles, indent=2), encoding="utf-8")
    for counted in profiles:
        click.echo(f"{counted['case']}: {counted['instructions']:.0f} instructions an event")


if __name__ == "__main__":
    write()
