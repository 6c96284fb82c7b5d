"""Sends runs to an executor in chunks, and hands on what comes back.

A chunk is sized so that it takes about a quarter of a second, by what runs have taken so far: long enough
for the cost of sending it to vanish, short enough for progress, for an interrupt, and for little to be done
again when a worker dies. It is never more than its share of what is left, so that all workers end together
(guided self-scheduling, Polychronopoulos and Kuck 1987). Runs of one scenario go together, since a chunk
compiles each of its scenarios once. What a chunk did not come to, because its runs took longer than those
before, goes into other chunks.

Chunks whose worker died are sent again by executors that can do so, as Dask does. A chunk that comes back as
an error is sent again run by run, which finds the run that is to blame.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from typing import TYPE_CHECKING, Any

from parshall.engine import work
from parshall.engine.executors import is_lost, tells_running, width
from parshall.engine.work import Chunk, Outcome, Task
from parshall.errors import ParshallError, RunError

if TYPE_CHECKING:
    from parshall.recording.tables import Key

__all__ = ["dispatch"]

_CHUNK_S = 0.25
_AHEAD = 2
"""Chunks a worker has at a time: the next one waits beside it."""
_WAIT_S = 0.05
_WEIGHT = 0.3
"""Weight of the newest chunk in the expected duration of a run."""


def dispatch(
    executor: Executor,
    runs: Sequence[Key],
    texts: Mapping[str, str],
    task: Task,
    take: Callable[[Outcome | None], None],
    interrupted: Callable[[], bool],
    enough: Callable[[], bool] = lambda: False,
) -> None:
    """Has runs done, and hands ``take`` their outcomes as they come, in any order; none from time to time,
    when there was nothing to tell. ``texts`` are the scenarios by hash.

    After an interrupt no further run is begun, those under way in this process end at once, and what had
    finished is still handed on; so it is when ``take`` raises something. When there is ``enough``, those
    under way finish. Raises RunError when the executor cannot go on.
    """
    dispatch = _Dispatch(executor, _by_scenario(runs), texts, task, take)
    try:
        dispatch.go_on(interrupted, enough)
    finally:
        dispatch.close()


def _own_parts(texts: Mapping[str, str]) -> dict[str, Any]:
    """The user's classes that scenarios refer to: a worker elsewhere does not have them."""
    if not any('"kind":"user"' in text for text in texts.values()):
        return {}
    from parshall.own.found import registered

    return {code: cls for text in texts.values() for code, cls in registered(text).items()}


class _Dispatch:
    def __init__(
        self,
        executor: Executor,
        runs: deque[list[Key]],
        texts: Mapping[str, str],
        task: Task,
        take: Callable[[Outcome | None], None],
    ) -> None:
        self.executor = executor
        self.runs = runs
        """Runs by scenario; those of a scenario that had its turn are at the end."""
        self.texts = texts
        self.task = task
        self.take = take
        self.again: deque[tuple[Key, ...]] = deque()
        """Single runs of chunks that came back as an error."""
        self.pending: dict[Future[Outcome], tuple[Key, ...]] = {}
        self.left = sum(map(len, runs))
        self.run_s: float | None = None

    def go_on(self, interrupted: Callable[[], bool], enough: Callable[[], bool]) -> None:
        """Until everything is done, or as much as may be."""
        while True:
            if interrupted():
                work.stop(self.task)
            stopped = interrupted() or enough()
            if stopped:
                self.halt()
            else:
                self.fill()
            if not self.pending:
                return
            done, _ = wait(self.pending, timeout=_WAIT_S, return_when=FIRST_COMPLETED)
            stopped = stopped or interrupted()
            for future in done:
                self.take(self.outcome(future, self.pending.pop(future), stopped))
            if not done:
                if is_lost(self.executor):
                    raise _broken(None)
                self.take(None)

    def fill(self) -> None:
        """Gives every worker what to do, and what to do next."""
        if not (self.left or self.again):
            return
        try:
            workers = width(self.executor)
        except OSError as error:
            raise _broken(error) from None
        while len(self.pending) < _AHEAD * workers and (self.left or self.again):
            self.send(self.again.popleft() if self.again else self.portion(workers))

    def send(self, runs: tuple[Key, ...]) -> None:
        texts = {scenario: self.texts[scenario] for scenario, _ in runs}
        try:
            future = self.executor.submit(work.execute, Chunk(self.task, runs, texts, _own_parts(texts)))
        except RuntimeError as error:  # also a BrokenExecutor
            raise _broken(error) from None
        self.pending[future] = runs

    def portion(self, workers: int) -> tuple[Key, ...]:
        """The runs of the next chunk: of one scenario, and of the next ones if that has not enough."""
        size = 1 if self.run_s is None else int(_CHUNK_S / max(self.run_s, 1e-6))
        size = max(1, min(size, math.ceil(self.left / (_AHEAD * workers))))
        taken: list[Key] = []
        while len(taken) < size and self.runs:
            own = self.runs.popleft()
            count = size - len(taken)
            taken += own[:count]
            if own[count:]:
                self.runs.append(own[count:])
        self.left -= len(taken)
        return tuple(taken)

    def outcome(self, future: Future[Outcome], runs: tuple[Key, ...], stopped: bool) -> Outcome | None:
        """Returns the outcome of a chunk. Raises RunError when no further chunk can do better."""
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            return self.learned(future.result(), runs)
        if stopped and isinstance(error, CancelledError | BrokenExecutor | KeyboardInterrupt):
            return None  # a terminal's Ctrl-C ends the processes of a pool as well
        if isinstance(error, CancelledError | BrokenExecutor | ImportError):
            raise _broken(error) from None
        if isinstance(error, ParshallError) or not isinstance(error, Exception):
            raise error
        if len(runs) == 1:
            return Outcome(None, ((runs[0], f"{type(error).__name__}: {error}"),), 0.0)
        self.again += [(run,) for run in runs]
        return None

    def learned(self, outcome: Outcome, runs: tuple[Key, ...]) -> Outcome:
        """Notes what a run takes, and what is left to do."""
        ended = outcome.keys
        latest = outcome.seconds / max(1, len(ended))
        self.run_s = latest if self.run_s is None else (1 - _WEIGHT) * self.run_s + _WEIGHT * latest
        if len(ended) < len(runs):
            rest = set(runs).difference(ended)
            self.runs.appendleft([run for run in runs if run in rest])
            self.left += len(rest)
        return outcome

    def halt(self) -> None:
        """Begins nothing more. What is under way elsewhere is waited for, and so is kept."""
        work.halt(self.task)
        self.left = 0
        self.again.clear()
        if tells_running(self.executor):
            for future in self.pending:
                future.cancel()

    def close(self) -> None:
        """Leaves nothing behind in an executor that goes on to live; hands on what finished meanwhile."""
        work.stop(self.task)
        for future in self.pending:
            future.cancel()
        if isinstance(self.executor, ThreadPoolExecutor):  # others do not share the halt
            wait(self.pending)
        work.allow(self.task)
        with contextlib.ExitStack() as stack:  # all of it, even if some cannot be told
            for future in self.pending:
                if future.done() and not future.cancelled() and future.exception() is None:
                    stack.callback(self.take, future.result())


def _by_scenario(runs: Sequence[Key]) -> deque[list[Key]]:
    """Runs by scenario, in their order."""
    by_scenario: dict[str, list[Key]] = {}
    for key in runs:
        by_scenario.setdefault(key[0], []).append(key)
    return deque(by_scenario.values())


def _broken(error: BaseException | None) -> RunError:
    reason = " ".join(str(error or "").split()) or "its work was cancelled, as when a scheduler ends"
    return RunError(
        f"the executor cannot go on: {reason}; finished runs are kept, the same call does the rest"
    )
