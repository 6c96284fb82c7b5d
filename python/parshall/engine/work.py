"""Work of a worker: a chunk of runs, in the engine, without the GIL.

A chunk and its outcome can be pickled, so that they go through any executor: threads here, processes, or a
cluster. Where the worker shares this process's memory, :func:`halt` ends its chunk after the run under
way, and :func:`stop` at once.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parshall import _core
from parshall.errors import RunError
from parshall.recording.tables import Block, block

if TYPE_CHECKING:
    from parshall.recording.tables import Key, Runs

__all__ = ["Chunk", "Outcome", "Task", "allow", "execute", "halt", "stop"]

_LOOK_EVERY_S = 0.05
_LONGEST_S = 1.0
"""A chunk that takes longer begins no further run, so that little is lost with a worker that dies."""
_halted: set[str] = set()
"""Tasks of this process that begin no further run."""
_stopped: set[str] = set()
"""Those of them that were interrupted: runs under way end as well."""


@dataclass(frozen=True)
class Task:
    """Task for each of many runs, wherever they run."""

    tables: tuple[str, ...] | None = None
    """Tables that are wanted back; ``None`` for all that are recorded."""
    then: Callable[[Block], Any] | None = None
    """Function of the worker for the finished runs of a chunk besides, with everything that they recorded."""
    max_events: int | None = None
    """A run that takes more events fails."""
    name: str = field(default_factory=lambda: f"task-{uuid.uuid4()}")
    """No other task has it."""
    engine_version: str = _core.ENGINE_VERSION
    """Engine version that the worker needs for equal results."""


@dataclass(frozen=True)
class Chunk:
    """Runs that are sent to a worker together."""

    task: Task
    runs: tuple[Key, ...]
    texts: dict[str, str]
    """The canonical JSON of each scenario, by its hash."""
    controls: dict[str, Any] = field(default_factory=dict)
    """Classes of the user's own that the scenarios refer to, by their code."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a chunk. Runs that are in neither were not begun, or were stopped."""

    block: Block | None
    """The tables of the runs that finished."""
    failed: tuple[tuple[Key, str], ...]
    """Runs that the engine gave up, and why."""
    seconds: float
    """Duration of the chunk."""
    made: Any = None
    """Value that :attr:`Task.then` returned."""

    @property
    def keys(self) -> tuple[Key, ...]:
        """The runs that ended: those that finished, then those that failed."""
        finished = () if self.block is None else self.block.keys
        return (*finished, *(key for key, _ in self.failed))


def halt(task: Task) -> None:
    """Lets the workers in this process begin no further run of a task."""
    _halted.add(task.name)


def stop(task: Task) -> None:
    """Lets them end the runs under way, too."""
    _halted.add(task.name)
    _stopped.add(task.name)


def allow(task: Task) -> None:
    """Undoes :func:`halt` and :func:`stop`."""
    _halted.discard(task.name)
    _stopped.discard(task.name)


def execute(chunk: Chunk) -> Outcome:
    """Does the runs of a chunk one after the other on one thread of the engine, while this one waits without
    the GIL. Raises RunError on a worker whose engine is another one.
    """
    task = chunk.task
    if task.engine_version != _core.ENGINE_VERSION:
        raise RunError(
            f"a worker has engine {_core.ENGINE_VERSION}, expected {task.engine_version}: "
            "install the same version of Parshall on all machines"
        )
    if chunk.controls:
        from parshall.own.found import register

        register(chunk.controls)
    began = time.perf_counter()
    finished: list[Runs] = []
    failed: list[tuple[Key, str]] = []
    jobs = [(chunk.texts[scenario], seed) for scenario, seed in chunk.runs]
    batch = _core.JoiningBatch(jobs, 1, task.max_events)
    while (done := batch.next(_LOOK_EVERY_S)) is not None:
        for indices, result in done:
            keys = [chunk.runs[index] for index in indices]
            if not isinstance(result, Exception):
                finished.append((keys, result))
            elif task.name not in _stopped:  # what is stopped has not failed
                failed += [(key, str(result)) for key in keys]
        if task.name in _stopped:
            batch.stop()
        elif task.name in _halted or ((finished or failed) and time.perf_counter() - began > _LONGEST_S):
            batch.cancel()
    whole = block(finished) if finished else None
    made = task.then(whole) if task.then is not None and whole is not None else None
    joined = _wanted(whole, task.tables) if whole is not None else None
    return Outcome(joined, tuple(failed), time.perf_counter() - began, made)


def _wanted(whole: Block, tables: Sequence[str] | None) -> Block:
    """A block without the tables that were not asked for."""
    if tables is None:
        return whole
    return whole.with_tables(tables)
