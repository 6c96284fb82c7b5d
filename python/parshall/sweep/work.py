"""What a worker does: a chunk of runs, in the engine, without the GIL.

A chunk and its outcome can be pickled, so that they go through any executor: threads here, processes, or a
cluster. Where the worker shares this process's memory, :func:`halt` ends its chunk after the run under
way, and :func:`stop` at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from parshall import _core
from parshall.errors import RunError
from parshall.recording.tables import Block, block

if TYPE_CHECKING:
    from parshall.recording.tables import Key, Runs

__all__ = ["Chunk", "Outcome", "allow", "execute", "halt", "stop"]

_LOOK_EVERY_S = 0.05
_halted: set[str] = set()
"""Sweeps of this process that begin no further run."""
_stopped: set[str] = set()
"""Those of them that were interrupted: runs under way end as well."""


@dataclass(frozen=True)
class Chunk:
    """Runs that are sent to a worker together."""

    sweep: str
    """A name of the sweep that no other has."""
    runs: tuple[Key, ...]
    texts: dict[str, str]
    """The canonical JSON of each scenario, by its hash."""
    tables: tuple[str, ...] | None
    """Tables that are wanted back; ``None`` for all that are recorded."""
    engine_version: str
    """That the worker has to have, for its results to be those of any other worker."""
    then: Callable[[Block], Any] | None = None
    """What the worker makes of the finished runs besides, with everything that they recorded."""
    controls: dict[str, Any] = field(default_factory=dict)
    """Classes of the user's own that the scenarios refer to, by their code."""


@dataclass(frozen=True)
class Outcome:
    """What became of a chunk. Runs that are in neither were not begun, or were stopped."""

    block: Block | None
    """The tables of the runs that finished."""
    failed: tuple[tuple[Key, str], ...]
    """Runs that the engine gave up, and why."""
    seconds: float
    """That the chunk took."""
    made: Any = None
    """What :attr:`Chunk.then` returned."""


def halt(sweep: str) -> None:
    """Lets the workers in this process begin no further run of a sweep."""
    _halted.add(sweep)


def stop(sweep: str) -> None:
    """Lets them end the runs under way, too."""
    _halted.add(sweep)
    _stopped.add(sweep)


def allow(sweep: str) -> None:
    """Undoes :func:`halt` and :func:`stop`."""
    _halted.discard(sweep)
    _stopped.discard(sweep)


def execute(chunk: Chunk) -> Outcome:
    """Does the runs of a chunk one after the other on one thread of the engine, while this one waits without
    the GIL. Raises RunError on a worker whose engine is another one.
    """
    if chunk.engine_version != _core.ENGINE_VERSION:
        raise RunError(
            f"a worker has engine {_core.ENGINE_VERSION}, expected {chunk.engine_version}: "
            "install the same version of Parshall on all machines"
        )
    if chunk.controls:
        from parshall.control.found import register

        register(chunk.controls)
    began = time.perf_counter()
    finished: list[Runs] = []
    failed: list[tuple[Key, str]] = []
    batch = _core.JoiningBatch([(chunk.texts[scenario], seed) for scenario, seed in chunk.runs], 1)
    while (done := batch.next(_LOOK_EVERY_S)) is not None:
        for indices, result in done:
            keys = [chunk.runs[index] for index in indices]
            if not isinstance(result, Exception):
                finished.append((keys, result))
            elif chunk.sweep not in _stopped:  # what is stopped has not failed
                failed += [(key, str(result)) for key in keys]
        if chunk.sweep in _stopped:
            batch.stop()
        elif chunk.sweep in _halted:
            batch.cancel()
    whole = block(finished) if finished else None
    made = chunk.then(whole) if chunk.then is not None and whole is not None else None
    joined = _wanted(whole, chunk.tables) if whole is not None else None
    return Outcome(joined, tuple(failed), time.perf_counter() - began, made)


def _wanted(whole: Block, tables: Sequence[str] | None) -> Block:
    """A block without the tables that were not asked for."""
    if tables is None:
        return whole
    names = [name for name in tables if name in whole.tables]
    return Block(
        whole.keys, {name: whole.tables[name] for name in names}, {name: whole.rows[name] for name in names}
    )
