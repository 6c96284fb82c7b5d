"""The work of ``parshall capture``: reads, prints the worst first, writes tables and a report."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.capture.findings import remarks
from parshall.capture.gathering import Goal
from parshall.capture.kept import Bounds
from parshall.capture.reading import Capture, Progress, Source, bounded
from parshall.capture.replay import MOST_REPLAYED
from parshall.capture.share import Share, read_drops, share as share_of
from parshall.capture.shown import (
    csv_parts,
    json_parts,
    replay_lines,
    series_lines,
    share_line,
    spin_lines,
    table,
    worst_first,
)
from parshall.errors import checked_path
from parshall.support.terminal import echo

if TYPE_CHECKING:
    from parshall.support.console import PlainConsole

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
    rows: int,
    connections: int,
    share: bool,
    drops: str | None,
) -> None:
    """Raises InputError and OutputError."""
    dropped = None if drops is None else read_drops(drops)
    share = share or drops is not None
    if form == "parquet" and out is None:
        out = f"out/{Path(file).name.split('.')[0] if file != '-' else 'capture'}"
    place = None if out is None else checked_path("out", out, "a path")
    shown = None if form == "json" else MOST_REPLAYED if place else _MOST_ROWS if form == "table" else 0
    bounds = Bounds(rows, connections, shown, flow, share, anonymise)
    goal: Goal = "written" if place else "shown" if form == "table" else "read"
    with ExitStack() as stack:
        with _progress(file) as tell:
            source = Source(file, filter, nanoseconds, max_flows, tell)
            capture = stack.enter_context(bounded(source, bounds, goal, place))
        found = share_of(capture, dropped) if share else None
        if place is not None:
            from parshall.capture.report import report
            from parshall.capture.written import write

            write(capture, place, lambda folder: report(capture, folder, found))
        _show(capture, form, out, found)


def _show(capture: Capture, form: str, out: str | None, found: Share | None) -> None:
    if form == "json":
        for part in json_parts(capture, found):
            echo(part, nl=False)
        echo()
    elif form == "csv":
        for part in csv_parts(capture):
            echo(part, nl=False)
        if found is not None:
            echo(share_line(found), err=True)
    else:
        _print(capture, out, form, found)


def _print(capture: Capture, out: str | None, form: str, found: Share | None) -> None:
    from parshall.support.console import PlainConsole

    console = PlainConsole()
    if form == "table":
        console.show(table(worst_first(capture, _MOST_ROWS)), keys=2)
        if (more := capture.counts.directions - _MOST_ROWS) > 0:
            console.say(f"... and {more:,} more directions")
        _print_replay(capture, console)
        for line in spin_lines(capture, _MOST_ROWS):
            console.say(line)
    if found is not None:
        console.say(share_line(found))
    for remark in remarks(capture):
        console.say(remark)
    console.say(_summary(capture))
    if out is not None:
        console.say(f"tables and report.html written to {out}")


def _print_replay(capture: Capture, console: PlainConsole) -> None:
    """The filters and other estimators on the worst direction with enough round trips."""
    if capture.counts.connections > _MOST_ROWS:
        return
    replayed = capture.replay()
    for way in worst_first(capture, 2 * _MOST_ROWS):
        if lines := replay_lines(replayed, way):
            title = f"RTO filters on {way['connection']}{way['direction']}, {way['from']} to {way['to']}:"
            more = series_lines(capture, way)
            for line in (title, *lines, *more):
                console.say(line)
            return


def _summary(capture: Capture) -> str:
    totals = capture.totals
    parts = [
        _several(totals["frames"], "frame"),
        _several(capture.counts.connections, "connection"),
        _several(capture.counts.udp, "UDP flow"),
        _several(capture.counts.samples, "RTT sample"),
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
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress as Bar,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    from parshall.support.console import PlainConsole

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Bar(*columns, console=PlainConsole(stderr=True), transient=True) as bar:
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
        echo(
            f"{progress.frames:,} frames, {progress.connections:,} connections, "
            f"{progress.retransmissions:,} retransmissions, {progress.timeouts:,} timeouts",
            err=True,
        )

    return tell
