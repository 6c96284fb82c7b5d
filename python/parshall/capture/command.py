"""What ``parshall capture`` does: reads, prints the worst first, writes tables and a report."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from parshall.capture.findings import remarks
from parshall.capture.reading import Capture, Progress
from parshall.capture.share import Share, read_drops, share as share_of
from parshall.capture.shown import (
    as_csv,
    as_json,
    replay_lines,
    series_lines,
    share_line,
    spin_lines,
    table,
    worst_first,
)

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["capture_file"]

_MOST_ROWS = 20
_EVERY_S = 2.0


def capture_file(
    file: str,
    form: str,
    out: str | None,
    flow: int | None,
    filter: str | None,
    anonymise: bool,
    nanoseconds: bool,
    max_flows: int,
    share: bool,
    drops: str | None,
) -> None:
    """Raises InputError and OutputError."""
    dropped = None if drops is None else read_drops(drops)
    share = share or drops is not None
    if form == "parquet" and out is None:
        out = f"out/{Path(file).name.split('.')[0] if file != '-' else 'capture'}"
    with _progress(file) as tell:
        capture = Capture.read(
            file,
            filter=filter,
            anonymise=anonymise,
            nanoseconds=nanoseconds,
            max_flows=max_flows,
            passed=share,
            tell=tell,
        )
    found = share_of(capture, dropped) if share else None
    if flow is not None:
        capture = capture.flow(flow)
    if out is not None:
        from parshall.capture.report import write_report

        capture.write(out)
        write_report(capture, Path(out) / "report.html", found)
    if form == "json":
        click.echo(as_json(capture, found))
    elif form == "csv":
        click.echo(as_csv(capture), nl=False)
        if found is not None:
            click.echo(share_line(found), err=True)
    else:
        _print(capture, out, form, found)


def _print(capture: Capture, out: str | None, form: str, found: Share | None) -> None:
    from rich.console import Console

    console = Console()
    console = console if console.is_terminal else Console(width=160)
    if form == "table":
        directions = worst_first(capture)
        console.print(table(directions, _MOST_ROWS), highlight=False)
        if len(directions) > _MOST_ROWS:
            console.print(f"... and {len(directions) - _MOST_ROWS:,} more directions", highlight=False)
        _print_replay(capture, console)
        for line in spin_lines(capture, _MOST_ROWS):
            console.print(line, highlight=False)
    if found is not None:
        console.print(share_line(found), highlight=False)
    for remark in remarks(capture):
        console.print(remark, highlight=False)
    console.print(_summary(capture), highlight=False)
    if out is not None:
        console.print(f"tables and report.html written to {out}", highlight=False)


def _print_replay(capture: Capture, console: Console) -> None:
    """The filters and other estimators on the worst direction with enough round trips."""
    replayed = capture.replay() if capture.connections.num_rows <= _MOST_ROWS else []
    for way in worst_first(capture):
        if lines := replay_lines(replayed, way):
            title = f"RTO filters on {way['connection']}{way['direction']}, {way['from']} to {way['to']}:"
            more = series_lines(capture, way)
            console.print("\n".join([title, *lines, *more]), highlight=False)
            return


def _summary(capture: Capture) -> str:
    totals = capture.totals
    parts = [
        _several(totals["frames"], "frame"),
        _several(capture.connections.num_rows, "connection"),
        _several(capture.udp.num_rows, "UDP flow"),
        _several(capture.samples.num_rows, "RTT sample"),
    ]
    return f"{', '.join(parts)}; read in {capture.seconds:.2f} s"


def _several(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


@contextmanager
def _progress(file: str) -> Iterator[Callable[[Progress], None] | None]:
    """A bar with MB/s for a file on a terminal; lines for a stream."""
    if file == "-":
        yield _lines()
        return
    if not sys.stderr.isatty() or not Path(file).exists():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress as Bar,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=Path(file).stat().st_size)
        yield lambda progress: bar.update(task, completed=progress.bytes_read)


def _lines() -> Callable[[Progress], None]:
    """A line now and then of what a stream has brought so far."""
    last = time.monotonic()

    def tell(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last < _EVERY_S:
            return
        last = time.monotonic()
        click.echo(
            f"{progress.frames:,} frames, {progress.connections:,} connections, "
            f"{progress.retransmissions:,} retransmissions, {progress.timeouts:,} timeouts",
            err=True,
        )

    return tell
