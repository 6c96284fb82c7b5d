"""The lines of progress that commands show while runs are under way, with the time left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["progress_bar", "relayed", "simulated"]

_SHOW_AFTER_S = 1.0
"""A run that ends before needs no line."""


def progress_bar(console: Console) -> Progress:
    """A bar for each task: how many are done, time spent, time left. It leaves nothing behind in a file."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=not console.is_terminal,
    )


def simulated(duration: float) -> AbstractContextManager[Callable[[float], None]]:
    """Shows on a terminal's standard error how much of ``duration`` seconds a run has simulated so far.

    Yields the function to tell it.
    """
    return _seconds(duration, "simulated")


def relayed(duration: float) -> AbstractContextManager[Callable[[float], None]]:
    """Shows the progress of a relay in real time."""
    return _seconds(duration, "relayed")


@contextmanager
def _seconds(duration: float, done: str) -> Iterator[Callable[[float], None]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from parshall.support.console import PlainConsole

    began = time.monotonic()
    console = PlainConsole(stderr=True)
    columns = (
        TextColumn(f"{{task.completed:.3g}} of {{task.total:g}} s {done}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("", total=duration)

    def advance(seconds: float) -> None:
        if time.monotonic() - began > _SHOW_AFTER_S:
            bar.start()
            bar.update(task, completed=seconds)

    try:
        yield advance
    finally:
        bar.stop()
