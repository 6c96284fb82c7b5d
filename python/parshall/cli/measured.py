"""Commands that read measured files: series of round-trip times and packet captures."""

from __future__ import annotations

from typing import Any

import click

from parshall.cli.options import FILES, FOLDERS, form

__all__ = ["COMMANDS"]


@click.command()
@click.argument("file", shell_complete=FILES)
@click.option(
    "--horizons",
    default="1,2,5,10,20,50",
    show_default=True,
    help="Samples ahead to forecast, with commas between.",
)
@click.option(
    "--warm-up", type=click.IntRange(0), help="Samples not scored; a tenth, at most 2000, unless given."
)
@click.option("--coverage", default=0.9, show_default=True, help="Nominal coverage of the intervals.")
@click.option("--column", metavar="NAME", help="Column of a CSV file with the round-trip times.")
@click.option("--unit", metavar="UNIT", help="Unit of numbers where FILE names none: s, ms, us or ns.")
@click.option(
    "--out",
    shell_complete=FOLDERS,
    metavar="DIR",
    default="out/forecast",
    show_default=True,
    help="Folder for the figure.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print all scores as JSON, in seconds, instead of the table."
)
def forecast(file: str, **options: Any) -> None:
    """Compare forecasters on the round-trip times in FILE.

    FILE is a CSV file or the output of ping, fping or another tool; - is the standard input. Prints the
    table of the first horizon, in the unit of FILE, and draws error against horizon.
    """
    from parshall.forecast.command import forecast_file

    forecast_file(file, **options)


@click.command()
@click.argument("file", shell_complete=FILES)
@click.option("--column", metavar="NAME", help="Column of a CSV file with the series.")
@click.option(
    "--block",
    type=click.IntRange(1, 2**32 - 1),
    default=1,
    show_default=True,
    metavar="M",
    help="Average blocks of M samples first.",
)
@click.option(
    "--out",
    metavar="DIR",
    shell_complete=FOLDERS,
    default="out/hurst",
    show_default=True,
    help="Folder for the figure.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all estimates as JSON instead of the table.")
def hurst(file: str, **options: Any) -> None:
    """Estimate the long memory of the series in FILE.

    FILE is read as by parshall forecast; - is the standard input. Prints the Hurst parameter by every
    method with its standard error, and whether the level shifts; draws the log-log diagrams.
    """
    from parshall.long_memory.command import hurst_file

    hurst_file(file, **options)


@click.command()
@click.argument("file", shell_complete=FILES)
@form(
    "table",
    "json",
    "csv",
    "parquet",
    help="Output; parquet prints nothing and writes to out/NAME unless --out is given.",
)
@click.option(
    "--out",
    metavar="DIR",
    shell_complete=FOLDERS,
    help="Folder for tables as Parquet and a report as HTML.",
)
@click.option("--flow", type=click.IntRange(1), metavar="N", help="Show this connection only, by its number.")
@click.option(
    "--filter", metavar="EXPRESSION", help="Packets to read, such as 'tcp and host 10.0.0.1 and port 443'."
)
@click.option("--anonymise", is_flag=True, help="Replace addresses by hashes.")
@click.option("--nanoseconds", is_flag=True, help="Keep times finer than a microsecond.")
@click.option(
    "--max-flows",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    help="Flows tracked at once; the oldest are ended to make room for new ones.",
)
@click.option(
    "--rows",
    type=click.IntRange(1),
    default=500_000,
    show_default=True,
    help="Rows of samples, and of events, kept in memory to show; --out has all.",
)
@click.option(
    "--connections",
    type=click.IntRange(100),
    default=10_000,
    show_default=True,
    help="Connections kept in memory to show, the worst ones; --out has all.",
)
@click.option(
    "--share", is_flag=True, help="Estimate the share of packets whose flows do not respond to congestion."
)
@click.option(
    "--drops",
    metavar="FILE",
    shell_complete=FILES,
    help="Numbers of the frames dropped after the capture point, one a line, for --share.",
)
def capture(file: str, **options: Any) -> None:
    """Analyse the TCP connections in the capture FILE.

    FILE is pcap or pcapng, also compressed by gzip or zstd; - is the standard input, as of tcpdump -w -.
    Prints connections, the worst first: retransmissions by kind, spurious ones, round trips, and the effect
    that other retransmission timeouts would have had.
    """
    from parshall.capture.command import capture_file

    capture_file(file, **options)


@click.command()
@click.argument("file", shell_complete=FILES)
@click.option(
    "--risk",
    type=click.FloatRange(1e-6, 0.2),
    default=0.01,
    show_default=True,
    help="Accepted share of early timeouts.",
)
@click.option(
    "--min-rto", default="0 s", show_default=True, help='Least RTO of all filters, such as "10 ms".'
)
@click.option(
    "--filter",
    "own",
    multiple=True,
    metavar="MODULE:CLASS",
    help="Also compare a filter of your own; may be repeated.",
)
@click.option("--column", metavar="NAME", help="Column of a CSV file with the round-trip times.")
@click.option("--unit", metavar="UNIT", help="Unit of numbers where FILE names none: s, ms, us or ns.")
@click.option(
    "--out",
    metavar="DIR|FILE",
    default="out/rto",
    show_default=True,
    shell_complete=FILES,
    help="Folder for the figure, or its name if that ends in .svg, .png or .pdf.",
)
@click.option("--open", "show", is_flag=True, help="Open the figure.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the costs as JSON, in seconds, instead of the table."
)
def rto(file: str, **options: Any) -> None:
    """Compare retransmission timeouts on round-trip times in FILE.

    FILE is a CSV file or the output of ping, fping or another tool; - is the standard input. Prints for
    every filter how many timeouts would have been early and how long a lost packet would have waited, and
    recommends one. Draws one against the other.
    """
    from parshall.cli.commands.rto import rto_file

    rto_file(file, **options)


COMMANDS = (forecast, hurst, rto, capture)
