"""Queue disciplines beside ns-3's: `python -m parshall_dev.bench.queues.run`.

Prints a table for each load. With --out the tables go into a file, as Markdown.
"""

from __future__ import annotations

from pathlib import Path

import click

from parshall.support.files import write_file
from parshall_dev.bench.compiled import Missing
from parshall_dev.bench.ns3_builds import debian
from parshall_dev.bench.process import ProcessError
from parshall_dev.bench.queues.compare import compare
from parshall_dev.bench.queues.loads import DISCIPLINES, LOADS
from parshall_dev.bench.queues.page import HEAD, meetings_section, section
from parshall_dev.bench.queues.responsive import COMPARED, Meeting, Ns3Dumbbell, meet
from parshall_dev.bench.queues.sides import Ns3Queues

WARM_UP = 10.0
"""Seconds that are not counted where there is TCP."""
TCP_TITLE = (
    "**With TCP**: 12 TCP flows with SACK and 6 constant-rate flows of 1 Mbit/s over 20 Mbit/s, round trips "
    "of 24 to 72 ms."
)


@click.command(help=__doc__)
@click.option("--seeds", default=20, show_default=True, type=click.IntRange(2), help="Seeds of each pair.")
@click.option("--seconds", default=30.0, show_default=True, help="Simulated seconds of a run.")
@click.option("--only", multiple=True, type=click.Choice(sorted(DISCIPLINES)), help="Some disciplines.")
@click.option("--loads", multiple=True, type=click.Choice(sorted(LOADS)), help="Some loads.")
@click.option(
    "--tcp-seeds", default=6, show_default=True, type=click.IntRange(0), help="With TCP; 0 for none."
)
@click.option("--out", type=click.Path(path_type=Path), help="Where the tables go, as Markdown.")
def main(
    seeds: int,
    seconds: float,
    only: tuple[str, ...],
    loads: tuple[str, ...],
    tcp_seeds: int,
    out: Path | None,
) -> None:
    """Compares and prints."""
    meetings: list[Meeting] = []
    try:
        build = debian()
        peer = Ns3Queues(build)
        pairs = [(load, name) for load in loads or LOADS for name in only or DISCIPLINES]
        chosen = range(1, seeds + 1)
        rows = [compare(load, name, seconds, chosen, peer, _progress) for load, name in pairs]
        if tcp_seeds > 1:
            dumbbell, drawn = Ns3Dumbbell(build), range(1, tcp_seeds + 1)
            meetings = [meet(name, seconds, WARM_UP, drawn, dumbbell, _progress) for name in COMPARED]
    except Missing as missing:
        raise click.ClickException(f"not compared, for want of {missing}") from None
    except ProcessError as error:
        raise click.ClickException(str(error)) from None
    text = section(rows, seconds, build.name)
    if meetings:
        text += "\n" + TCP_TITLE + "\n\n" + meetings_section(meetings, seconds, WARM_UP, build.name)
    click.echo(text)
    if out is not None:
        write_file(out, f"{HEAD}\n{text}")


def _progress(line: str) -> None:
    click.echo(f"\r\033[K{line}", nl=False, err=True)


if __name__ == "__main__":
    main()
