"""BBR and DCTCP beside ns-3's: `python -m parshall_dev.bench.controls_ns3.run`.

Prints a table for each control. With --out the tables go into a file, as Markdown.
"""

from __future__ import annotations

from pathlib import Path

import click

from parshall.support.files import write_file
from parshall_dev.bench.compiled import Missing
from parshall_dev.bench.controls_ns3.linux import delays
from parshall_dev.bench.controls_ns3.page import HEAD, beside_linux, section
from parshall_dev.bench.controls_ns3.settings import SETTINGS
from parshall_dev.bench.controls_ns3.sides import Ns3Controls, compare
from parshall_dev.bench.ns3_builds import BUILDS
from parshall_dev.bench.process import ProcessError


@click.command(help=__doc__)
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(2), help="Seeds of each side.")
@click.option("--only", multiple=True, type=click.Choice(sorted(SETTINGS)), help="One control.")
@click.option("--out", type=click.Path(path_type=Path), help="Where the tables go, as Markdown.")
def main(seeds: int, only: tuple[str, ...], out: Path | None) -> None:
    """Compares and prints."""
    settings = [setting for control in only or SETTINGS for setting in SETTINGS[control]]
    try:
        peers = [Ns3Controls(build()) for build in BUILDS]
        pairs = [
            pair for setting in settings for pair in compare(setting, range(1, seeds + 1), peers, _progress)
        ]
    except Missing as missing:
        raise click.ClickException(f"not compared, for want of {missing}") from None
    except ProcessError as error:
        raise click.ClickException(str(error)) from None
    text = section(pairs) + beside_linux(pairs, delays())
    click.echo(text)
    if out is not None:
        write_file(out, f"{HEAD}\n{text}")


def _progress(line: str) -> None:
    click.echo(f"\r\033[K{line}", nl=False, err=True)


if __name__ == "__main__":
    main()
