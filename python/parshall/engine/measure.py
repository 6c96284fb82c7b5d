"""A function of each of many runs: on all cores, in bounded memory, each run done once and kept.

The function is called where the run was done, on the thread that waits for the engine, and only what it
returns is held. Scenarios are made when their turn comes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from parshall.engine.dispatch import dispatch
from parshall.engine.executors import EngineExecutor
from parshall.engine.interrupt import HeldInterrupt
from parshall.engine.kept import Kept
from parshall.engine.limits import checked_jobs, checked_seeds, checked_tables
from parshall.engine.runs import Failure, Progress
from parshall.engine.unblocked import names_of, results_of
from parshall.engine.work import Outcome, Task
from parshall.errors import InputError, ParshallError, RunError
from parshall.recording import Recording
from parshall.scenario.canonical import hashed

if TYPE_CHECKING:
    from parshall.engine.cache import Cache
    from parshall.recording.tables import Block, Key
    from parshall.scenario import Dumbbell, Scenario

    Made: TypeAlias = Scenario | Dumbbell | Callable[[], Scenario | Dumbbell]

__all__ = ["measure"]

_K = TypeVar("_K", bound=Hashable)
_T = TypeVar("_T")

_Made: TypeAlias = "list[tuple[_K, int, _T]]"
"""Variant, seed, and what the function returned."""

_PORTION_BYTES = 64 << 20
"""Scenarios that are in memory together, as JSON."""
_AHEAD = 4
"""Segments of the cache that are read ahead."""
_WAIT_S = 0.05


def measure(
    variants: Mapping[_K, Made],
    seeds: Sequence[int] | Mapping[_K, Sequence[int]],
    function: Callable[[_K, Recording], _T],
    *,
    tables: Sequence[str] = ("flows", "ports"),
    jobs: int | None = None,
    cache: Cache | Literal["default"] | None = "default",
    progress: Progress | None = None,
) -> dict[_K, list[_T]]:
    """``function(variant, recording)`` of every variant with every seed, or with its own seeds, in their
    order.

    A variant is a scenario, or a function that makes it when it is needed, for those that are large.
    ``tables`` are what the function looks at; the recording has no other. ``jobs`` is the number of threads,
    all cores unless given. ``cache=None`` keeps nothing. After Ctrl-C what has finished is kept, and
    KeyboardInterrupt is raised; a second call does the rest. Raises ScenarioError for a scenario that cannot
    be run, RunError when a run fails, and ParshallError, which names the run, when the function does.
    """
    from parshall.engine.cache import cache_of

    if not variants:
        raise InputError("variants", "none", "at least one scenario")
    own = seeds if isinstance(seeds, Mapping) else dict.fromkeys(variants, checked_seeds(seeds))
    total = sum(len(own[variant]) for variant in variants)
    work = _Work(function, checked_tables(tables), cache_of(cache), progress, total)
    with HeldInterrupt() as interrupt, EngineExecutor(checked_jobs(jobs)) as workers:
        for portion in _portions(variants, own):
            work.do(portion, workers, lambda: interrupt.came)
            if interrupt.came:
                break
    return {variant: [work.found[variant, seed] for seed in own[variant]] for variant in variants}


class _Portion(Generic[_K]):
    """Scenarios that are in memory together, and who asks for their runs."""

    def __init__(self) -> None:
        self.scenarios: dict[str, Scenario] = {}
        self.texts: dict[str, str] = {}
        self.askers: dict[Key, list[_K]] = {}
        self.bytes = 0

    def add(self, variant: _K, scenario: Scenario, seeds: Sequence[int]) -> None:
        text = scenario.to_json()
        hash = hashed(text)
        if hash not in self.texts:
            self.scenarios[hash] = scenario.check()
            self.texts[hash] = text
            self.bytes += len(text)
        for seed in seeds:
            self.askers.setdefault((hash, seed), []).append(variant)


def _portions(variants: Mapping[_K, Made], seeds: Mapping[_K, Sequence[int]]) -> Iterator[_Portion[_K]]:
    portion: _Portion[_K] = _Portion()
    for variant, made in variants.items():
        portion.add(variant, (made() if callable(made) else made).scenario(), seeds[variant])
        if portion.bytes >= _PORTION_BYTES:
            yield portion
            portion = _Portion()
    if portion.askers:
        yield portion


class _Work(Generic[_K, _T]):
    """Results so far, and the way to more."""

    def __init__(
        self,
        function: Callable[[_K, Recording], _T],
        tables: tuple[str, ...],
        store: Cache | None,
        progress: Progress | None,
        total: int,
    ) -> None:
        self.found: dict[tuple[_K, int], _T] = {}
        self._function = function
        self._tables = tables
        self._store = store
        self._progress = progress
        self._total = total

    def do(self, portion: _Portion[_K], workers: Executor, interrupted: Callable[[], bool]) -> None:
        """Every run of these scenarios: those that the cache has are read, the others done."""
        for made in self._read(portion, workers, interrupted):
            self._take(made)
        missing = [key for key, askers in portion.askers.items() if (askers[0], key[1]) not in self.found]
        kept = Kept(self._store, ())
        errors: list[ParshallError] = []
        task = Task(None if self._store is not None else (), lambda block: self._tried(portion, block))

        def take(outcome: Outcome | None) -> None:
            if outcome is not None:
                errors.extend(self._taken(portion, outcome, kept))
            kept.flush_if_due()

        def enough() -> bool:
            return bool(errors)  # what is under way then is kept as well

        try:
            dispatch(workers, missing, portion.texts, task, take, interrupted, enough)
        finally:
            kept.flush()
        if errors:
            raise errors[0]

    def _taken(self, portion: _Portion[_K], outcome: Outcome, kept: Kept) -> Iterator[ParshallError]:
        """Takes what was made of some runs; what went wrong with them."""
        if outcome.block is not None:
            kept.add(outcome.block)
            if isinstance(outcome.made, ParshallError):
                yield outcome.made
            else:
                self._take(outcome.made)
        for (scenario, seed), reason in outcome.failed:
            variant, line = str(portion.askers[scenario, seed][0]), " ".join(reason.split())
            yield RunError(str(Failure(variant, seed, scenario, line)))

    def _read(
        self, portion: _Portion[_K], workers: Executor, interrupted: Callable[[], bool]
    ) -> Iterator[_Made[_K, _T]]:
        """Reads cached results, segment by segment on all threads."""
        if self._store is None:
            return
        store = self._store

        def read(group: Sequence[Key]) -> _Made[_K, _T]:
            return [made for block in store.read(group, self._tables) for made in self._of(portion, block)]

        groups = iter(store.together(store.find(portion.askers)))
        pending: set[Future[_Made[_K, _T]]] = set()
        try:
            while not interrupted():
                while len(pending) < _AHEAD and (group := next(groups, None)) is not None:
                    pending.add(workers.submit(read, group))
                if not pending:
                    break
                done, pending = wait(pending, timeout=_WAIT_S, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:
            wait(pending)

    def _of(self, portion: _Portion[_K], block: Block) -> _Made[_K, _T]:
        """Applies the function to each run of a block, for all that ask for it."""
        names = {hash: names_of(portion.scenarios[hash]) for hash in {hash for hash, _ in block.keys}}
        made: _Made[_K, _T] = []
        for (hash, seed), result in results_of(block, names):
            recording = Recording(portion.scenarios[hash], seed, result)
            made += [(each, seed, self._applied(each, recording)) for each in portion.askers[hash, seed]]
        return made

    def _tried(self, portion: _Portion[_K], block: Block) -> _Made[_K, _T] | ParshallError:
        """Applies it, or returns the error: the runs are to be kept even then."""
        try:
            return self._of(portion, block)
        except ParshallError as error:
            return error

    def _applied(self, variant: _K, recording: Recording) -> _T:
        try:
            return self._function(variant, recording)
        except ParshallError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise ParshallError(f"measuring {variant}, seed {recording.seed}: {reason}") from error

    def _take(self, made: _Made[_K, _T]) -> None:
        self.found.update({(variant, seed): value for variant, seed, value in made})
        if self._progress is not None and made:
            self._progress(len(self.found), self._total)
