"""``parshall sweep``: reads a file, runs it with a line of progress, writes the tables, shows the means."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from parshall.engine.executors import opened
from parshall.errors import InputError, OutputError, shown
from parshall.stats import mean_interval
from parshall.sweep.file import load_sweep
from parshall.sweep.result import SweepResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from parshall.stats import Interval
    from parshall.support.console import PlainConsole
    from parshall.sweep.sweep import Sweep

__all__ = ["list_points", "run_and_write"]

_MOST_ROWS = 60
"""Points whose means are shown; all are in the tables."""

_log = logging.getLogger("parshall")


def run_and_write(
    file: str,
    *,
    seeds: int | None = None,
    jobs: int | None = None,
    executor: str | None = None,
    out: str | None = None,
    partition: Sequence[str] = (),
    no_cache: bool = False,
) -> bool:
    """Runs the sweep in a file and writes its tables into ``out``, ``out/NAME`` unless given. Returns whether
    every run succeeded; those that failed have been logged.
    """
    from parshall.support.console import PlainConsole

    sweep = _loaded(file, seeds)
    folder = Path("out") / Path(file).stem if out is None else Path(out)
    _refuse_early(sweep, folder, partition)
    console = PlainConsole()
    with (
        opened(executor, jobs) as workers,
        _told_on_interrupt(sweep, no_cache),
        _progress(console) as advance,
    ):
        result = sweep.run(executor=workers, cache=None if no_cache else "default", progress=advance)
    if len(result.failures) == sum(map(len, result.seeds)):
        _log.error("every run failed: nothing is written")
        return False
    written = result.write(folder, list(partition) or None)
    _show(console, sweep, result, written)
    return not result.failures


def list_points(file: str, seeds: int | None = None, cache: bool = True) -> None:
    """Prints the points of a sweep, and how many of their runs the cache has, without running any."""
    from parshall.engine.cache import Cache
    from parshall.support.console import PlainConsole

    sweep = _loaded(file, seeds)
    wanted = sweep.first_runs
    known = Cache().find(wanted) if cache else set()
    console = PlainConsole()
    for point in sweep.points:
        console.say(f"{point.name}  scenario {point.hash[:12]}")
    least = " at least" if sweep.stop is not None else ""
    missing = sum(1 for key in wanted if key not in known)
    console.say(
        f"{_count(len(sweep.points), 'point')},{least} {_count(len(wanted), 'run')}, {missing:,} missing"
    )


def _loaded(file: str, seeds: int | None) -> Sweep:
    sweep = load_sweep(file)
    if seeds is None:
        return sweep
    if sweep.stop is not None:
        raise InputError("--seeds", shown(seeds), f"none: the stop rule of {file} decides")
    return replace(sweep, seeds=seeds)


def _refuse_early(sweep: Sweep, folder: Path, partition: Sequence[str]) -> None:
    """Checks faults that would only come to light after the runs."""
    known = [*sweep.checked_parameters, "seed"]
    for name in partition:
        if name not in known:
            raise InputError("--partition", shown(name), f"one of {', '.join(known)}")
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir():
        raise OutputError(str(folder), f"expected a folder, and {existing} is a file")


@contextmanager
def _told_on_interrupt(sweep: Sweep, no_cache: bool) -> Iterator[None]:
    """Says after Ctrl-C how many runs are kept, and how to go on."""
    from parshall.engine.cache import Cache

    try:
        yield
    except KeyboardInterrupt:
        wanted = dict.fromkeys(sweep.possible_runs)
        if no_cache:
            _log.warning("no run is kept, because of --no-cache")
        else:
            kept, most = len(Cache().find(wanted)), "at most " if sweep.stop is not None else ""
            runs = f"{kept:,} of {most}{_count(len(wanted), 'run')}"
            _log.warning(f"{runs} {'is' if kept == 1 else 'are'} kept; the same command does the rest")
        raise


@contextmanager
def _progress(console: PlainConsole) -> Iterator[Callable[[int, int], None]]:
    from parshall.support.progress import progress_bar

    with progress_bar(console) as bar:
        task = bar.add_task("Runs", total=None)

        def advance(done: int, asked: int) -> None:
            bar.update(task, completed=done, total=asked)

        yield advance


def _show(console: PlainConsole, sweep: Sweep, result: SweepResult, written: Path) -> None:
    """The means, which points a stop rule left too wide, and where the rest is."""
    _show_means(console, result, sweep.title)
    if sweep.stop is not None and (wide := _too_wide(sweep, result)):
        seeds = _count(sweep.stop.max_seeds, "seed")
        console.say(f"Not narrow enough after {seeds}: {_count(wide, 'point')}.")
    runs = _count(sum(map(len, result.seeds)), "run")
    failed = f", {len(result.failures):,} failed" if result.failures else ""
    done = f"{_count(len(result.points), 'point')}, {runs}, {result.executed:,} done now{failed}"
    console.say(f"{done}. Tables: {written}")


def _show_means(console: PlainConsole, result: SweepResult, title: str) -> None:
    """The mean of each metric at each point, and its 95 % interval."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        title=title or None,
        title_justify="left",
        caption="mean ± half of the 95 % interval over the seeds, or its ends",
        caption_justify="left",
    )
    shown = list(zip(result.points, result.seeds, strict=True))[:_MOST_ROWS]
    scales = {name: _scale(result, name) for name in (*result.parameters, *result.metrics)}
    for name in (*result.parameters, "seeds", *result.metrics):
        unit = scales[name][1] if name in scales else ""
        table.add_column(f"{name}, {unit}" if unit else name, justify="right", no_wrap=True)
    for point, seeds in shown:
        labels = [_number(label, scales[name][0]) for name, label in point.parameters.items()]
        cells = [_cell(result.interval(name, point), scales[name][0]) for name in result.metrics]
        table.add_row(*labels, str(len(seeds)), *cells)
    console.show(table, keys=len(result.parameters) + 1)
    if len(result.points) > _MOST_ROWS:
        console.say(f"... and {_count(len(result.points) - _MOST_ROWS, 'more point')}")


def _too_wide(sweep: Sweep, result: SweepResult) -> int:
    """Points that ended with an interval wider than the stop rule asks for."""
    rule = sweep.stop
    assert rule is not None
    values = (list(result.values(rule.metric, point).values()) for point in result.points)
    return sum(not rule.satisfied(mean_interval(own)) for own in values)


def _scale(result: SweepResult, name: str) -> tuple[float, str]:
    """The number that a column is divided by when it is shown, and the name of its unit."""
    from parshall.recording.pictures.units import scale_of

    if name in result.parameters:
        values = [point.parameters[name] for point in result.points]
        numbers = [float(value) for value in values if isinstance(value, int | float)]
    else:
        numbers = [result.interval(name, point).mean for point in result.points]
    return scale_of(numbers, result.units.get(name, ""))


def _cell(interval: Interval, scale: float) -> str:
    """A mean and its interval; a dash where there is none."""
    from parshall.recording.pictures.units import with_interval

    if not interval.n:
        return "-"
    return with_interval(interval, lambda value: _number(value, scale), lambda half: _number(half, scale, 2))


def _number(value: object, scale: float, digits: int = 4) -> str:
    """A number without an exponent where it can be read without one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) and scale == 1:
        return str(value)
    scaled = value / scale
    if not math.isfinite(scaled) or abs(scaled) >= 1e15:
        return f"{scaled:g}"
    return f"{scaled:,.0f}" if abs(scaled) >= 10**digits else f"{scaled:.{digits}g}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
